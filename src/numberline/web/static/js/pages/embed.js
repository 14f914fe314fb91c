// @ts-check
// One board, for embedding in another page; it uses no cookies and stores nothing. docs/embed.md lists the parameters.

import { bookPath, get, positionPath } from "../api.js";
import { show } from "../board.js";
import { $ } from "../dom.js";
import { bookNames, pageSubject, showError } from "../page.js";
import { fillNames } from "../text.js";

/** @import { BookResponse, PositionResponse } from "../messages.d.ts" */

const parameters = new URLSearchParams(location.search);
const theme = parameters.get("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
document.documentElement.classList.toggle("clear", parameters.get("clear") === "1");

try {
  const variant = pageSubject();
  const values = parameters.get("values") === "1";
  /** @type {BookResponse} */
  const { book, position } = await get(bookPath(variant));
  const wanted = parameters.get("p") ?? position.position;
  /** @type {PositionResponse} */
  const found = await get(`${positionPath(variant, wanted)}&values=${values}`);
  const names = bookNames(book);
  const text = fillNames(found.position.said, names);
  document.title = `${book.title}: ${text}`;
  $("title").textContent = book.title;
  show($("board"), { book, ...found, ply: null }, { values, names });
  $("said").textContent = text;
  $("said").hidden = parameters.get("said") === "0";
} catch (error) {
  $("board").hidden = true;
  showError($("trouble"), error);
}
