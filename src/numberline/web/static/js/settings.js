// What people choose for this browser: light or dark, sound, two taps, keys of the keyboard, moves that play themselves.
//
//   chosen(name)                whether it is on: "sound", "twoTaps", "shortcuts", "forced", "motion"
//   choose(name, on)            switches it; everybody who listens is told
//   onChoice(listener)          listener(name, on)

import { $, recall, remember } from "./dom.js";

const CHOICES = [
  ["sound", "Sound", "A soft knock for each move.", false],
  ["twoTaps", "Two taps to play", "The first tap shows where a move leads, the second plays it.", false],
  ["forced", "Play what must be played", "Where you have just one move, it plays itself.", false],
  ["shortcuts", "Keys of the keyboard", "Digits play; press ? for all keys.", true],
];
const listeners = [];

export const chosen = (name) => recall(`setting.${name}`, CHOICES.find(([each]) => each === name)[3]);
export const onChoice = (listener) => listeners.push(listener);

export function choose(name, on) {
  remember(`setting.${name}`, on);
  for (const listener of listeners) listener(name, on);
}

function dark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function turn() {
  const theme = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  remember("theme", theme);
}

function showSound() {
  $("sound")?.setAttribute("aria-pressed", chosen("sound"));
}

for (const id of ["sound", "theme", "settings"]) if ($(id)) $(id).hidden = false;
$("theme")?.addEventListener("click", turn);
$("settings")?.addEventListener("click", async () => (await import("./settings-dialog.js")).showSettings(CHOICES));
$("sound")?.addEventListener("click", () => choose("sound", !chosen("sound")));
onChoice(showSound);
showSound();
