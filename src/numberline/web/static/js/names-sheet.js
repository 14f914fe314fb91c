// @ts-check
// The sheet for a match on one screen: the name of each player. Loaded when it is opened.

import { closeButton, dialogFoot, labelled, nameField, openDialog } from "./dialogs.js";
import { element } from "./dom.js";
import { NAMES_KEY, load, save } from "./storage.js";

/** @import { Book } from "./messages.d.ts" */

/**
 * Ask for the players' names, and resolve with null if the users change their mind. An empty name stays the book's.
 *
 * @param {Book} book
 * @param {string[]} names the players' names in the book
 * @param {string} you the name that the user gave before
 * @returns {Promise<string[] | null>}
 */
export async function askNames(book, names, you) {
  const last = load(NAMES_KEY, [you]);
  const fields = names.map((_, seat) => nameField(last[seat] ?? ""));
  const form = element("form", "sheet");
  const play = element("button", "main", "Play");
  form.method = "dialog";
  play.value = "play";
  for (const [seat, field] of fields.entries()) {
    field.placeholder = names[seat] ?? "";
    field.autocomplete = "off";
    form.append(labelled(`Name of ${names[seat]}`, field));
  }
  form.append(dialogFoot(closeButton("", "Not now"), play));
  const answer = await openDialog(`${book.title}: who plays?`, [form], { focus: fields[0] });
  if (answer !== "play") return null;
  const typed = fields.map((field) => field.value.trim());
  save(NAMES_KEY, typed);
  return typed.map((name, seat) => name || names[seat] || "");
}
