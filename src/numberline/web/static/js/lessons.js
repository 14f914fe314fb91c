// The lessons: one for each book, with how far somebody got, and a box for any variant.

import { Board } from "./board.js";
import { $, element, recall } from "./dom.js";
import { address, get, goalOf, link, longestFirst, nicknames, trouble } from "./page.js";

const STEPS = 5;

try {
  const { books } = await get("/api/books");
  const cards = longestFirst(books).map(({ book, position }) => [card(book), book, position]);
  $("lessons").replaceChildren(...cards.map(([host]) => host));
  for (const [host, book, position] of cards) new Board(host.querySelector(".board")).show({ book, position, values: null, ply: null }, { idle: true, names: nicknames(book) });
} catch (error) {
  trouble($("trouble"), error);
}
$("lessons").removeAttribute("aria-busy");

$("any").addEventListener("submit", async (event) => {
  event.preventDefault();
  const variant = $("variant").value.trim();
  if (!variant) return trouble($("any-trouble"), "Write the name of a variant, such as line-runner(end=30).");
  try {
    await get(`/api/books/${encodeURIComponent(variant)}`);
    location.assign(address("lessons", variant));
  } catch (error) {
    trouble($("any-trouble"), error);
    $("variant").setAttribute("aria-invalid", "true");
    $("variant").focus();
  }
  return undefined;
});

function card(book) {
  const host = element("li", "card game"), done = recall("lessons", {})[book.variant]?.done?.length ?? 0;
  const bar = element("div", "bar"), filled = element("i"), acts = element("p", "acts");
  filled.style.width = `${(100 * Math.min(done, STEPS)) / STEPS}%`;
  bar.append(filled);
  bar.setAttribute("aria-hidden", "true");
  const to = link(`button${done ? "" : " main"}`, done === 0 ? "Begin" : done < STEPS ? "Go on" : "Read it again", address("lessons", book.variant));
  to.append(element("span", "hide", ` with the lesson of ${book.title}`));
  acts.append(to, element("span", "soft", done ? `${done} of ${STEPS} steps done` : `${STEPS} steps`));
  host.append(element("h2", "", book.title), element("p", "goal", goalOf(book)), element("div", "board small"), bar, acts);
  return host;
}
