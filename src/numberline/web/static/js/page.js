// What the pages around the game share: which variant an address names, how trouble is told, and how a game is begun.
//
//   await get(path)                 the JSON that is there
//   asked()                         the variant or the id that the address names, or ""
//   address(page, variant)          the address of a page of a variant, as people would write it
//   trouble(host, error | "")       shows the sentence of an error in an element with role=alert, several as a list; "" takes it away
//   link(kind, text, address)       a new link
//   longestFirst(books)             the long lines first, where the cards are wide
//   nicknames(book)                 what the players are called where nobody has a name
//   starters(book, host, more?)     the three ways to play: the computer, a friend, two here; trouble is told in `host`;
//                                   more = { source, start, seat }: the text of an own book, where to play on from, where one sits
//   playWith(starters)              the same in a row that says what they are
//   takeFile(input, zone, most, onText, onTrouble)   a file that was chosen, or dropped anywhere on `zone`, as text of so many letters
//   prose(host, sections, level?)   rules with their headings, h3 unless told

import { begin, levelFor } from "./begin.js";
import { button, element, fill, recall } from "./dom.js";
import { api } from "./net.js";

export const get = (path) => api("GET", path);

export const asked = () => decodeURIComponent(location.pathname.split("/").slice(2).join("/"));

export function address(page, variant) {
  const kept = encodeURIComponent(variant.replace(/, (?=[a-z])/g, ",")).replace(/%(3D|2C|2B|3A)/g, (code) => decodeURIComponent(code));
  return `/${page}/${kept}`;
}

export function trouble(host, error) {
  const sentence = typeof error === "string" ? error : error.sentence ?? error.message;
  const lines = sentence.split("\n"), list = element("ul");
  list.append(...lines.map((line) => element("li", "", line)));
  host.replaceChildren(lines.length > 1 ? list : sentence);
  host.hidden = !sentence;
}

export function link(kind, text, to) {
  const made = element("a", kind, text);
  made.href = to;
  return made;
}

export const nicknames = (book) => book.players.map((player) => player.name);

export function longestFirst(books) {
  const places = ({ book }) => book.line[1] - book.line[0];
  return [...books].sort((a, b) => places(b) - places(a));
}

export const goalOf = (book) => fill(book.goal, nicknames(book));

export function starters(book, host, { source = null, start: from = null, seat = 1 } = {}) {
  const start = (seats) => async (event) => {
    const assist = seats.includes(null) ? "after" : "on";
    const order = { variant: book.variant, first: 1, rounds: 1, seats, clock: null, assist, ...(source === null ? {} : { source }), ...(from === null ? {} : { start: from }) };
    event.target.disabled = true;
    try {
      await begin(order);
    } catch (error) {
      trouble(host, error);
    }
    event.target.disabled = false;
  };
  const names = nicknames(book), others = (seated) => names.map((name, n) => (n + 1 === seat ? { name: recall("name") || name } : seated));
  const computer = button("button main", "Computer", start(others({ bot: `level:${levelFor(book.variant)}` })));
  const friend = source === null ? link("button", "A friend", `${address("new", book.variant)}?with=friend`) : button("button", "A friend", start(others(null)));
  const here = names.length === 2 ? "Two here" : "All here";
  return [computer, friend, button("button", here, start(names.map((name) => ({ name }))))];
}

export function playWith(made, words = "Play with") {
  const row = element("span", "play-with");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", words);
  row.append(element("span", "soft", words), ...made);
  row.firstChild.setAttribute("aria-hidden", "true");
  return row;
}

export function takeFile(input, zone, most, onText, onTrouble) {
  const read = async (file) => {
    if (!file) return;
    input.value = ""; // so that the same file, mended, can be chosen again
    if (file.size > 4 * most) return onTrouble(`${file.name} is too large: at most ${most} letters can be read here.`);
    const text = await file.text();
    if (/[\0\ufffd]/.test(text)) return onTrouble(`${file.name} is not a text file. Choose another one.`);
    onText(text, file.name);
  };
  input.addEventListener("change", () => read(input.files[0]));
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("dropping"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("dropping"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("dropping");
    const text = event.dataTransfer.getData("text/plain");
    if (event.dataTransfer.files.length) read(event.dataTransfer.files[0]);
    else if (text) onText(text, "");
  });
}

export function prose(host, sections, level = "h3") {
  host.replaceChildren(...sections.flatMap(({ heading, text }) => [element(level, "", heading), element("p", "", text)]));
  host.removeAttribute("aria-busy");
}
