// What people choose for this browser: light or dark, sound, two taps, keys of the keyboard, moves that play themselves.
//
//   chosen(name)                whether it is on: "sound", "twoTaps", "shortcuts", "forced", "motion"
//   choose(name, on)            switches it; everybody who listens is told
//   onChoice(listener)          listener(name, on)

import { $, button, element, recall, remember } from "./dom.js";

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

function dialog() {
  const made = element("dialog", "ask"), title = element("h2", "", "Settings");
  title.id = "settings-title";
  made.setAttribute("aria-labelledby", title.id);
  made.append(title, ...CHOICES.map(row));
  const close = button("main", "Done", () => made.close());
  const foot = element("div", "row-end");
  foot.append(close);
  made.append(foot);
  made.addEventListener("close", () => made.remove());
  made.addEventListener("click", (event) => event.target === made && made.close());
  document.body.append(made);
  made.showModal();
}

function row([name, title, about]) {
  const made = element("label", "choice"), box = element("input"), words = element("span");
  box.type = "checkbox";
  box.checked = chosen(name);
  box.addEventListener("change", () => choose(name, box.checked));
  words.append(element("b", "", title), element("small", "", about));
  made.append(box, words);
  return made;
}

function showSound() {
  $("sound")?.setAttribute("aria-pressed", chosen("sound"));
}

for (const id of ["sound", "theme", "settings"]) if ($(id)) $(id).hidden = false;
$("theme")?.addEventListener("click", turn);
$("settings")?.addEventListener("click", dialog);
$("sound")?.addEventListener("click", () => choose("sound", !chosen("sound")));
onChoice(showSound);
showSound();
