// @ts-check
// Settings stored in this browser, and their buttons at the top of every page.

import { $ } from "./dom.js";
import { load, remove, save } from "./storage.js";

/** @typedef {"sound" | "twoTaps" | "forced" | "shortcuts"} SettingName */

/** @type {Record<SettingName, { title: string, help: string, initial: boolean }>} */
const SETTINGS = {
  sound: {
    title: "Sound",
    help: "A soft knock for each move, and three notes when you win.",
    initial: false,
  },
  twoTaps: {
    title: "Two taps to play",
    help: "The first tap shows where a move goes. The second plays it.",
    initial: false,
  },
  forced: {
    title: "Play forced moves for me",
    help: "If you have just one move, it's played for you.",
    initial: false,
  },
  shortcuts: {
    title: "Keyboard shortcuts",
    help: "Type a number to play. Press ? for all keys.",
    initial: true,
  },
};

/**
 * @param {SettingName} name
 * @returns {boolean}
 */
export const isOn = (name) => load(`setting.${name}`, SETTINGS[name].initial);

/**
 * @param {SettingName} name
 * @param {boolean} on
 */
export function setSetting(name, on) {
  save(`setting.${name}`, on);
  renderSound();
  if (name === "sound" && on) import("./sound.js").then(({ playSound }) => playSound("won"));
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @typedef {"system" | "light" | "dark"} Theme */

/** @returns {Theme} */
export const currentTheme = () => load("theme", "system");

/** @param {Theme} theme */
export function setTheme(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
    remove("theme");
    return;
  }
  document.documentElement.dataset.theme = theme;
  save("theme", theme);
}

function renderSound() {
  $("sound").setAttribute("aria-pressed", String(isOn("sound")));
}

async function openSettings() {
  const { showSettings } = await import("./settings-dialog.js");
  showSettings(SETTINGS);
}

for (const id of ["sound", "theme", "settings"]) $(id).hidden = false;
$("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
$("settings").addEventListener("click", openSettings);
$("sound").addEventListener("click", () => setSetting("sound", !isOn("sound")));
renderSound();
