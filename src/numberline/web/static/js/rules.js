// The rules of one variant, in prose, for reading and for printing.

import { show } from "./board.js";
import { $, button } from "./dom.js";
import { address, asked, get, link, nicknames, playWith, prose, starters, trouble } from "./page.js";

try {
  const found = await get(`/api/books/${encodeURIComponent(asked())}`);
  const { book } = found;
  document.title = `Rules of ${book.title} · Numberline`;
  $("title").textContent = book.title;
  $("name").textContent = book.variant;
  $("opening").textContent = found.opening;
  $("changes").textContent = found.changes;
  $("changes").hidden = !found.changes;
  show($("board"), { book, position: found.position, values: null, ply: null }, { names: nicknames(book) });
  prose($("rules"), found.rules, "h2");
  $("links").append(
    playWith(starters(book, $("trouble"))),
    ...(book.players.length === 2 ? [link("button", "Lesson", address("lessons", book.variant))] : []),
    link("button", "Change the rules", address("variants", book.variant)),
    button("button", "Print", () => print()),
  );
} catch (error) {
  trouble($("trouble"), error);
  $("board").hidden = true;
  $("rules").removeAttribute("aria-busy");
  $("links").append(link("button", "All games", "/"), link("button", "Make a variant", "/variants"));
}
