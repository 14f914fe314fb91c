// @ts-check
// The page for setting up a match. The address can preselect options: ?with=computer|friend|two, ?level=easy,
// ?start= for a position to start from, and ?seat=2 for the user's seat.

import { bookPath, errorText, get, positionPath } from "../api.js";
import { serverUrl } from "../base-path.js";
import { show } from "../board.js";
import { $, element, link } from "../dom.js";
import { createMatch } from "../new-match.js";
import { bookNames, goalText, pageSubject } from "../page.js";
import { autoBot, bookOf, nextFirst, progress } from "../progress.js";
import { renderPicks } from "../radio-picks.js";
import { SeatRows } from "../seat-rows.js";
import { load, save } from "../storage.js";

/** @import { BookResponse, CreateMatchRequest, OpponentsResponse, PositionResponse } from "../messages.d.ts" */
/** @import { Opponent } from "../seat-rows.js" */

const parameters = new URLSearchParams(location.search);
const TURNS = "turns";
/** @type {Record<string, string>} */
const ASSIST_TEXTS = {
  on: "You can ask for hints and move values at any time.",
  after: "No one sees them during the game. Everyone does after it.",
  off: "Never, not even after the game.",
};

class NewMatchPage {
  /**
   * @param {BookResponse} found
   * @param {OpponentsResponse} computer
   * @param {string | null} start
   * @param {number} turn the player to move in the position to start from
   */
  constructor({ book }, computer, start, turn) {
    this.book = book;
    this.computer = computer;
    this.start = start;
    this.turn = turn;
    const names = bookNames(book);
    const seat = Number(parameters.get("seat") ?? 1);
    /** @type {{ level: string, first: string, rounds: string, clock: string, assist: string }} */
    this.options = {
      level: this.#offeredLevel ?? this.#lastOpponent,
      first: TURNS,
      rounds: "1",
      clock: "0",
      assist: "on",
    };
    const wanted = parameters.get("with") ?? "";
    const offered = ["computer", "friend", "two", ...(names.length > 2 ? ["mixed"] : [])];
    this.opponent = /** @type {Opponent} */ (
      offered.includes(wanted) ? wanted : load("with", "computer")
    );
    this.seats = new SeatRows($("seats"), book, names[seat - 1] ? seat : 1, () => this.#onSeats());
    document.title = `${book.title} · Numberline`;
    $("title").textContent = book.title;
    $("goal").textContent = goalText(book);
    $("rules", HTMLAnchorElement).href = serverUrl(`/rules/${encodeURIComponent(book.variant)}`);
    $("first-part").hidden = start !== null;
    this.#renderOptions(names);
    this.#renderSeats();
    $("form").removeAttribute("aria-busy");
    $("form").addEventListener("submit", (event) => this.#submit(event));
    $("swap").addEventListener("click", () => this.#swap());
  }

  /** The opponent or level in the address, if it can be chosen. */
  get #offeredLevel() {
    const level = parameters.get("level");
    const known = this.computer.opponents.some(({ bot }) => bot === level);
    return known || /^([1-9]|10)$/.test(level ?? "") ? level : null;
  }

  /** The last opponent in this book, if it is offered. */
  get #lastOpponent() {
    const last = progress().opponents?.[bookOf(this.book.variant)] ?? "auto";
    return this.computer.opponents.some(({ bot }) => bot === last) ? last : "auto";
  }

  /** @param {string[]} names */
  #renderOptions(names) {
    const { options } = this;
    const many = names.length > 2;
    const opponents = {
      computer: "The computer",
      friend: "A friend by link",
      two: many ? "All of us here" : "Two of us here",
    };
    renderPicks(
      "with",
      many ? { ...opponents, mixed: "Let me choose" } : opponents,
      this.opponent,
      (value) => {
        this.opponent = /** @type {Opponent} */ (value);
        this.#renderSeats();
      },
    );
    /** @type {Map<string, string | [string, string]>} */
    const levels = new Map();
    for (const { bot, title, name } of this.computer.opponents) levels.set(bot, [title, name]);
    renderPicks("level", levels, options.level, (value) => {
      options.level = value;
      this.#renderLevelText();
    });
    const first = {
      ...Object.fromEntries(names.map((name, n) => [n + 1, name])),
      toss: "Toss a coin",
      [TURNS]: "Take turns",
    };
    renderPicks("first", first, options.first, (value) => (options.first = value));
    renderPicks(
      "rounds",
      { 1: "1", 3: "3", 5: "5" },
      options.rounds,
      (value) => (options.rounds = value),
    );
    const minutes = {
      0: "None",
      60: "1 minute",
      180: "3 minutes",
      300: "5 minutes",
      600: "10 minutes",
    };
    renderPicks("clock", minutes, options.clock, (value) => {
      options.clock = value;
      $("increment-part").hidden = value === "0";
    });
  }

  #renderAssist() {
    const { options } = this;
    $("assist-says").textContent = ASSIST_TEXTS[options.assist];
    renderPicks(
      "assist",
      { on: "Always", after: "After the game", off: "Never" },
      options.assist,
      (value) => {
        options.assist = value;
        $("assist-says").textContent = ASSIST_TEXTS[value];
      },
    );
  }

  /** Draw the seats for the chosen opponent. */
  #renderSeats() {
    this.seats.render(this.opponent);
    this.options.assist = this.seats.kinds.includes("friend") ? "after" : "on";
    $("swap").hidden = this.book.players.length > 2 || this.opponent === "two";
    this.#renderAssist();
    this.#renderLevelText();
    this.#onSeats();
  }

  /** Show the levels only if the computer plays, and use the typed names in the question of who goes first. */
  #onSeats() {
    $("level-part").hidden = !this.seats.kinds.includes("computer");
    const faces = $("first").querySelectorAll("span");
    this.seats.titles.forEach((title, n) => (faces[n].textContent = title));
  }

  /** The bot that was chosen; a number in the address is a level. */
  get #bot() {
    const { level } = this.options;
    if (level === "auto") return autoBot(this.book.variant);
    return Number(level) ? `level:${level}` : level;
  }

  #renderLevelText() {
    const chosen = this.computer.opponents.find(({ bot }) => bot === this.options.level);
    $("level-says").textContent = `${chosen?.about ?? ""} ${this.computer.note}`.trim();
  }

  /** Who goes first; against the computer the players take turns unless the user chooses. */
  get #first() {
    const { first, level } = this.options;
    if (first === "toss") return first;
    if (first !== TURNS) return Number(first);
    const { book, computer, seats } = this;
    if (!seats.kinds.includes("computer")) return 1;
    const favoured = level === "easy" && seats.own === 1 ? computer.favoured : 1;
    return nextFirst(book.variant, book.players.length, favoured);
  }

  #swap() {
    this.seats.own = 3 - this.seats.own;
    this.#renderSeats();
  }

  /** @param {SubmitEvent} event */
  async #submit(event) {
    event.preventDefault();
    const { options, start } = this;
    const seconds = Number(options.clock);
    const first = this.#first;
    /** @type {CreateMatchRequest} */
    const wanted = {
      variant: this.book.variant,
      first: start ? this.turn : first,
      rounds: Number(options.rounds),
      seats: this.seats.request(this.#bot),
      clock: seconds
        ? { seconds, increment: Number($("increment", HTMLSelectElement).value) }
        : null,
      assist: /** @type {"on" | "after" | "off"} */ (options.assist),
    };
    if (start) wanted.start = start;
    this.seats.saveNames();
    save("with", this.opponent === "mixed" ? "computer" : this.opponent);
    $("go", HTMLButtonElement).disabled = true;
    $("wrong").hidden = true;
    try {
      await createMatch(wanted);
    } catch (error) {
      $("wrong").textContent = errorText(error);
      $("wrong").hidden = false;
      $("go", HTMLButtonElement).disabled = false;
    }
  }
}

async function loadPage() {
  const variant = pageSubject();
  const start = parameters.get("start");
  /** @type {[BookResponse, OpponentsResponse]} */
  const [found, computer] = await Promise.all([
    get(bookPath(variant)),
    get(`${bookPath(variant)}/opponents`),
  ]);
  if (!start) return new NewMatchPage(found, computer, null, 1);
  /** @type {PositionResponse} */
  const { position } = await get(positionPath(variant, start));
  const board = element("div");
  $("start").append(element("p", "says", "You start from here:"), board);
  show(board, { book: found.book, position, values: null, ply: null }, { choices: false });
  return new NewMatchPage(found, computer, start, position.turn);
}

addEventListener("pageshow", () => ($("go", HTMLButtonElement).disabled = false));
loadPage().catch((error) => {
  $("goal").textContent = errorText(error);
  $("form").removeAttribute("aria-busy");
  for (const part of $("form").querySelectorAll("fieldset, details, .go"))
    part.setAttribute("hidden", "");
  $("start").append(link("button main", "All games", "/"));
});
