// The first page: the five games, each with a small live board; the last game, the puzzle of the day, the lessons.

import { Board } from "./board.js";
import { $, element, fill, forget, listed, motion, recall } from "./dom.js";
import { namesOf } from "./seats.js";
import { address, get, goalOf, link, longestFirst, nicknames, starters, trouble } from "./page.js";

const PAUSE = 1100; // between two moves of a small board
const SHORT = 3; // so many moves a board plays when it comes into view; more while somebody looks at it
const LONG = 40;

async function games() {
  try {
    const { books } = await get("/api/books");
    const cards = longestFirst(books).map(({ book, position }) => card(book, position));
    $("games").replaceChildren(...cards.map((each) => each.host));
    for (const each of cards) each.live.draw();
    $("lesson-links").replaceChildren(...longestFirst(books).map(({ book }) => lessonLink(book)));
  } catch (error) {
    trouble($("trouble"), error);
  }
  $("games").removeAttribute("aria-busy");
}

function card(book, position) {
  const host = element("li", "card game"), board = element("div", "board small");
  const title = element("h2", "", book.title), who = element("div", "who"), told = element("p", "trouble");
  told.setAttribute("role", "alert");
  told.hidden = true;
  who.setAttribute("role", "group");
  who.setAttribute("aria-label", `Play ${book.title} with`);
  who.append(...starters(book, told));
  const links = element("p", "links");
  for (const [page, text] of [["rules", "Rules"], ["lessons", "Lesson"], ["variants", "Change the rules"]]) links.append(named(link("", text, address(page, book.variant)), book));
  const caption = element("p", "with", "Play with");
  caption.setAttribute("aria-hidden", "true");
  host.append(title, element("p", "goal", goalOf(book)), board, caption, who, told, links);
  return { host, live: new Live(host, board, book, position) };
}

function named(made, book) {
  made.append(element("span", "hide", ` of ${book.title}`));
  return made;
}

// A board that quietly plays a few moves when it comes into view, and more while the pointer or the focus is on its card.
class Live {
  constructor(host, board, book, position) {
    Object.assign(this, { book, start: position, position, ply: null, left: 0, running: false });
    this.board = new Board(board);
    this.names = nicknames(book);
    for (const what of ["pointerenter", "focusin"]) host.addEventListener(what, () => this.play(LONG));
    for (const what of ["pointerleave", "focusout"]) host.addEventListener(what, () => { this.left = 0; });
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      this.play(SHORT);
    }, { threshold: 1 });
    seen.observe(board);
  }

  draw() {
    this.board.show({ book: this.book, position: this.position, values: null, ply: this.ply }, { idle: true, names: this.names });
  }

  async play(moves) {
    this.left = moves;
    if (this.running || !motion()) return;
    this.running = true;
    await pause(PAUSE / 2);
    while (this.left-- > 0 && !document.hidden && (await this.move())) await pause(PAUSE);
    this.running = false;
  }

  async move() {
    const legal = this.position.choices.filter((choice) => choice.legal);
    const choice = legal[Math.floor(Math.random() * legal.length)];
    try {
      const next = choice ? (await get(`/api/books/${encodeURIComponent(this.book.variant)}/positions?p=${encodeURIComponent(choice.leads)}`)).position : this.start;
      if (choice) await this.board.hop(choice.move);
      this.ply = choice ? { number: 1, player: this.position.turn, move: choice.move, place: choice.place, lands: choice.lands, told: `{${this.position.turn}} just played ${choice.move}` } : null;
      this.position = next;
      this.draw();
      return true;
    } catch {
      return false; // A picture that stands still is no trouble.
    }
  }
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function lessonLink(book) {
  const made = element("li"), done = recall("lessons", {})[book.variant]?.done?.length ?? 0;
  const to = link("", book.title, address("lessons", book.variant));
  to.append(element("span", "soft", done ? `${done} of 5 steps` : "5 steps"));
  made.append(to);
  return made;
}

async function lastGame() {
  const id = recall("last");
  if (!id) return;
  try {
    const table = await get(`/api/matches/${encodeURIComponent(id)}`);
    const over = table.match.outcome !== null, names = seatNames(table);
    $("again-title").textContent = over ? "Your last game" : "Go on with your game";
    $("again-text").textContent = `${table.book.title}: ${listed(names)}. ${over ? fill(table.match.outcome.reason, names) : progress(table, names)}`;
    $("again-link").textContent = over ? "Look at it again" : "Go on";
    $("again-link").href = `/play/${encodeURIComponent(id)}`;
    $("again").hidden = false;
  } catch (error) {
    if (["not_found", "damaged"].includes(error.code)) forget("last");
  }
}

const seatNames = ({ book, match }) => namesOf(match, book);

function progress({ match, position }, names) {
  const moves = match.log.length;
  const so = moves === 0 ? "Nobody has moved yet" : `${moves} ${moves === 1 ? "move" : "moves"} so far`;
  return `${so}; ${names[position.turn - 1]} is to move.`;
}

async function puzzleOfTheDay() {
  const day = new Date().toISOString().slice(0, 10);
  const kept = recall("daily", {}), results = kept.day === day ? kept.results ?? [] : [];
  try {
    const { puzzles } = await get(`/api/puzzles?day=${day}`);
    const done = puzzles.filter((_, n) => typeof results[n] === "boolean").length, next = puzzles.findIndex((_, n) => typeof results[n] !== "boolean");
    $("daily-done").replaceChildren(...puzzles.map((_, n) => element("li", results[n] === true ? "done" : results[n] === false ? "missed" : "")));
    if (done) $("daily-text").textContent = done === puzzles.length ? "You have answered all of today's puzzles. There are new ones tomorrow." : `You have answered ${done} of today's ${puzzles.length}.`;
    $("daily-link").textContent = done === puzzles.length ? "More puzzles" : done ? "Go on with today's five" : "Solve today's five";
    const { book, position } = puzzles[Math.max(0, next)];
    $("daily-board").hidden = false;
    new Board($("daily-board")).show({ book, position, values: null, ply: null }, { idle: true, names: nicknames(book) });
  } catch {
    // The card says enough without its board.
  }
}

games();
lastGame();
puzzleOfTheDay();
