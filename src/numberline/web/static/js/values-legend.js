// @ts-check
// The legend of the move values. Loaded when it is opened.

import { closeButton, dialogFoot, openDialog } from "./dialogs.js";
import { element } from "./dom.js";
import { WORTH_WORDS } from "./keypad.js";

const SIGNS = [
  ["win", "W▲", WORTH_WORDS.win, "You can win. The number is how many turns it takes."],
  [
    "loss",
    "L▼",
    WORTH_WORDS.loss,
    "You lose if the others play well. The number is how long you last.",
  ],
  ["even", "=●", WORTH_WORDS.endless, "If everyone plays well, the game never ends."],
  ["even", "?◆", WORTH_WORDS.open, "No one can be sure to win."],
];

export function openValuesLegend() {
  const list = element("dl", "shortcuts legend");
  for (const [kind, sign, word, text] of SIGNS) {
    const term = element("dt");
    const chip = element("span", `chip ${kind}`);
    chip.append(element("span", "sign", sign), element("span", "word", word));
    term.append(chip);
    list.append(term, element("dd", "", text));
  }
  const text = element("p", "", "Each key now shows how good its move is for you.");
  const close = closeButton("main", "Got it");
  return openDialog("What the signs mean", [text, list, dialogFoot(close)], {
    focus: close,
    describedBy: text,
    light: true,
  });
}
