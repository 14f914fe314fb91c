// What the pages around the game share: which variant an address names, how trouble is told, and how a game is begun.
//
//   await get(path)                 the JSON that is there
//   asked()                         the variant or the id that the address names, or ""
//   address(page, variant)          the address of a page of a variant, as people would write it
//   trouble(host, error | "")       shows the sentence of an error in an element with role=alert; "" takes it away
//   link(kind, text, address)       a new link
//   longestFirst(books)             the long lines first, where the cards are wide
//   nicknames(book)                 what the players are called where nobody has a name
//   starters(book, host, source?)   the three ways to play: the computer, a friend, two here; trouble is told in `host`
//   takeFile(input, zone, onText)   a file that was chosen, or dropped anywhere on `zone`, as text
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
  host.textContent = sentence;
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

export function starters(book, host, source = null) {
  const start = (seats) => async (event) => {
    const assist = seats.includes(null) ? "after" : "on";
    const order = { variant: book.variant, first: 1, rounds: 1, seats, clock: null, assist };
    event.target.disabled = true;
    try {
      await begin(source === null ? order : { ...order, source });
    } catch (error) {
      trouble(host, error);
    }
    event.target.disabled = false;
  };
  const [one, ...others] = nicknames(book), me = { name: recall("name") || one };
  const computer = button("button main", "Computer", start([me, ...others.map(() => ({ bot: `level:${levelFor(book.variant)}` }))]));
  const friend = source === null ? link("button", "A friend", `${address("new", book.variant)}?with=friend`) : button("button", "A friend", start([me, ...others.map(() => null)]));
  const here = others.length === 1 ? "Two here" : "All here";
  return [computer, friend, button("button", here, start([one, ...others].map((name) => ({ name }))))];
}

export function takeFile(input, zone, onText) {
  const read = async (file) => file && onText(await file.text(), file.name);
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
