// @ts-check
// The list of all shortcuts; loaded on demand.

import { closeButton, dialogFoot, openDialog } from "./dialogs.js";
import { element } from "./dom.js";

/** @import { Actions } from "./shortcuts.js" */

/** @type {Record<string, string>} */
const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→" };

/**
 * @param {Actions} actions
 * @param {string[]} moves some moves, as examples
 */
export function showShortcuts(actions, moves) {
  const list = element("dl", "shortcuts");
  /**
   * @param {string[]} keys
   * @param {string} text
   */
  const addRow = (keys, text) => {
    const term = element("dt");
    for (const key of keys) term.append(element("kbd", "", key), " ");
    list.append(term, element("dd", "", text));
  };
  if (moves.length)
    addRow(moves, "play a move: type it, then press Enter if a longer move starts the same way");
  /** @type {Map<string, string[]>} */
  const keysByTitle = new Map();
  for (const [key, { title }] of Object.entries(actions)) {
    keysByTitle.set(title, [
      ...(keysByTitle.get(title) ?? []),
      KEY_NAMES[key] ?? (key.length > 1 ? key : key.toUpperCase()),
    ]);
  }
  for (const [title, keys] of keysByTitle) addRow(keys, title);
  addRow(["?"], "this list");
  const note = element("p", "", "You can turn these keys off in the settings.");
  openDialog("All keys", [list, note, dialogFoot(closeButton("main", "Close"))], { light: true });
}
