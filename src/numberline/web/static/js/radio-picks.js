// @ts-check
// Radio buttons styled as keys.

import { $, element } from "./dom.js";

/**
 * @param {string} name the name of the buttons, and the id of the element around them
 * @param {Record<string, string> | Map<string, string | [string, string]>} titles by value, a pair has a note below
 * @param {string} chosen
 * @param {(value: string) => unknown} onPick
 */
export function renderPicks(name, titles, chosen, onPick) {
  const entries = titles instanceof Map ? [...titles] : Object.entries(titles);
  const picks = entries.map(([value, title]) => {
    const [text, note] = [title].flat();
    const label = element("label", "pick");
    const box = element("input");
    const face = element("span", "", text);
    Object.assign(box, { type: "radio", name, value, checked: value === chosen });
    box.addEventListener("change", () => onPick(value));
    if (note) face.append(element("small", "", note));
    label.append(box, face);
    return label;
  });
  $(name).replaceChildren(...picks);
}
