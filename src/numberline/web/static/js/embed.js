// One board in somebody else's page: no cookie, nothing kept, nothing sent but the question what stands where.
//
//   /embed/{variant}?p=…&values=1&theme=light|dark&clear=1&said=0

import { show } from "./board.js";
import { $, fill } from "./dom.js";
import { asked, get, nicknames, trouble } from "./page.js";

const wanted = new URLSearchParams(location.search);
if (["light", "dark"].includes(wanted.get("theme"))) document.documentElement.dataset.theme = wanted.get("theme");
document.documentElement.classList.toggle("clear", wanted.get("clear") === "1");

try {
  const variant = encodeURIComponent(asked()), values = wanted.get("values") === "1";
  const found = await get(`/api/books/${variant}`);
  const place = wanted.get("p") ?? found.position.position;
  const at = await get(`/api/books/${variant}/positions?p=${encodeURIComponent(place)}&values=${values}`);
  const names = nicknames(found.book), said = fill(at.position.said, names);
  document.title = `${found.book.title}: ${said}`;
  $("title").textContent = found.book.title;
  show($("board"), { book: found.book, position: at.position, values: at.values, ply: null }, { values, names });
  $("said").textContent = said;
  $("said").hidden = wanted.get("said") === "0";
} catch (error) {
  $("board").hidden = true;
  trouble($("trouble"), error);
}
