// The dialog in which people choose for this browser; loaded when somebody asks.
//
//   showSettings(choices)     each with its name, title, what it does, and what it is at first

import { button, element } from "./dom.js";
import { choose, chosen } from "./settings.js";

export function showSettings(choices) {
  const made = element("dialog", "ask"), title = element("h2", "", "Settings");
  title.id = "settings-title";
  made.setAttribute("aria-labelledby", title.id);
  made.append(title, ...choices.map(row));
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
