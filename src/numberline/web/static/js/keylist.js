// The list of all keys of the keyboard, as a dialog; loaded when somebody asks.
//
//   showKeys(actions, example)     actions as the shortcuts have them, and some moves

import { button, element } from "./dom.js";

const NAMES = { ArrowLeft: "←", ArrowRight: "→", Home: "Home", End: "End" };

export function showKeys(actions, example) {
  const made = element("dialog", "ask"), title = element("h2", "", "All keys"), list = element("dl", "shortcuts");
  title.id = "keys-title";
  made.setAttribute("aria-labelledby", title.id);
  const row = (keys, words) => {
    const term = element("dt");
    keys.forEach((key) => term.append(element("kbd", "", key), " "));
    list.append(term, element("dd", "", words));
  };
  if (example.length) row(example, "play a move: type it as it stands on its key, Enter where it could go on");
  const told = new Map();
  for (const [key, { title: words }] of Object.entries(actions)) if (words) told.set(words, [...(told.get(words) ?? []), NAMES[key] ?? key.toUpperCase()]);
  for (const [words, keys] of told) row(keys, words);
  row(["?"], "this list");
  const foot = element("div", "row-end");
  foot.append(button("main", "Close", () => made.close()));
  made.append(title, list, element("p", "", "You can switch these keys off in the settings."), foot);
  made.addEventListener("close", () => made.remove());
  made.addEventListener("click", (event) => event.target === made && made.close());
  document.body.append(made);
  made.showModal();
}
