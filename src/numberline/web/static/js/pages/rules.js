// @ts-check
// The rules of a variant, for reading and printing.

import { bookPath, get } from "../api.js";
import { show } from "../board.js";
import { $, button, element, link } from "../dom.js";
import { bookNames, pageSubject, pageUrl, renderRules, showError } from "../page.js";
import { startButtons, startRow } from "../start-buttons.js";
import { fillNames } from "../text.js";

/** @import { BookResponse } from "../messages.d.ts" */

try {
  /** @type {BookResponse} */
  const { book, opening, changes, position, rules, solved } = await get(bookPath(pageSubject()));
  document.title = `Rules of ${book.title} · Numberline`;
  $("title").textContent = book.title;
  $("name").textContent = book.variant;
  $("opening").textContent = fillNames(opening, []);
  $("changes").textContent = fillNames(changes, []);
  $("changes").hidden = !changes;
  show($("board"), { book, position, values: null, ply: null }, { names: bookNames(book) });
  renderRules($("rules"), rules, { heading: "h2" });
  $("links").append(startRow(startButtons(book, $("trouble"))));
  if (book.players.length === 2 && solved)
    $("links").append(link("button", "Lesson", pageUrl("lessons", book.variant)));
  $("links").append(
    link("button", "Change the rules", pageUrl("variants", book.variant)),
    button("button", "Print", () => print()),
  );
  const command = `numberline print ${book.variant.includes("(") ? `'${book.variant}'` : book.variant}`;
  const sheet = element("p", "soft links", "A worksheet with answers comes from the terminal: ");
  sheet.append(element("code", "", command));
  $("links").after(sheet);
} catch (error) {
  showError($("trouble"), error);
  $("board").hidden = true;
  $("rules").removeAttribute("aria-busy");
  $("links").append(
    link("button", "All games", "/"),
    link("button", "Make a variant", "/variants"),
  );
}
