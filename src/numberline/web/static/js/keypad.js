// @ts-check
// The keypad: one button for every move in a position. A button for an illegal move says why it is illegal. The keypad
// is a single tab stop, and the arrow keys move between its buttons.

import { movableTokens, worthKind } from "./board-arcs.js";
import { clamp } from "./board-rows.js";
import { element, setDisabled } from "./dom.js";
import { usesKeyboard } from "./input-mode.js";
import { fillNames, fitNames, groupDigits, operationText } from "./text.js";

/** @import { BoardEvents } from "./board.js" */
/** @import { BoardView, Book, Choice, MoveValue, Worth } from "./messages.d.ts" */

/**
 * @typedef {object} KeypadOptions
 * @property {string[]} names
 * @property {boolean} values show the values of moves
 * @property {number | null} token the active token
 * @property {boolean} disabled nothing can be played now
 * @property {string | null} pending the move that is being sent
 */

/** The screens on which the keys are a pad, as in css/keypad.css. */
const PHONE =
  "(max-width: 40rem), (min-width: 30rem) and (max-height: 30rem) and (orientation: landscape)";

/** A longer text on a key of a phone has shorter names. */
const KEY_LETTERS = 20;

/** @type {Record<string, number>} */
const ARROW_STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Keypad {
  /**
   * @param {HTMLElement} host
   * @param {BoardEvents} events
   */
  constructor(host, events) {
    this.host = host;
    this.events = events;
    /** @type {KeypadOptions} */
    this.options = { names: [], values: true, token: null, disabled: false, pending: null };
    this.count = 0;
    this.perGroup = 1;
    this.longest = 1;
    this.hasValues = false;
    host.classList.add("keys");
    host.setAttribute("role", "group");
    host.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.repeat)
        event.preventDefault(); // held down, it plays one move
      else this.#moveFocus(event);
    });
    new ResizeObserver(() => this.#setColumns()).observe(host);
  }

  /** @returns {HTMLElement[]} */
  get #buttons() {
    return /** @type {HTMLElement[]} */ ([...this.host.children]);
  }

  /**
   * Draw the moves of a position. Options that aren't given keep their values.
   *
   * @param {BoardView} view
   * @param {Partial<KeypadOptions>} options
   */
  show({ book, position, values }, options) {
    Object.assign(this.options, options);
    const choices = inOrder(book, position.choices);
    const focused = this.#buttons.find((each) => each === document.activeElement)?.dataset.move;
    const byMove = new Map(
      values && this.options.values ? values.moves.map((each) => [each.move, each]) : [],
    );
    const tokens = movableTokens(position);
    const several = tokens.length > 1;
    this.count = book.choices.length;
    const named = book.choices.filter((move) => move.includes(":")).length;
    this.perGroup = Math.max(1, named ? named / book.tokens : this.count);
    this.longest = Math.max(1, ...book.choices.map((move) => move.length));
    this.hasValues = byMove.size > 0;
    this.host.classList.toggle("disabled", this.options.disabled);
    this.host.replaceChildren(
      ...choices.map((choice) => {
        const made = this.#button(
          choice,
          byMove.get(choice.move),
          several,
          sameLanding(choices, choice),
        );
        made.classList.toggle("extra", !book.choices.includes(choice.move));
        return made;
      }),
    );
    this.#setColumns();
    const buttons = this.#buttons;
    const stop =
      buttons.find((each) => each.dataset.move === focused) ??
      buttons.find((each) => !each.hasAttribute("aria-disabled")) ??
      buttons[0];
    this.#setTabStop(stop);
    if (focused !== undefined) stop?.focus({ preventScroll: true });
  }

  /**
   * Dim the moves of all tokens except one.
   *
   * @param {BoardView} view
   * @param {number} token
   */
  showToken({ position }, token) {
    for (const each of this.#buttons) {
      const choice = position.choices.find(({ move }) => move === each.dataset.move);
      each.classList.toggle(
        "other",
        choice !== undefined && choice.token !== null && choice.token !== token,
      );
    }
  }

  /**
   * Highlight the buttons of some moves, or none.
   *
   * @param {...(string | null)} moves
   */
  point(...moves) {
    for (const each of this.#buttons)
      each.classList.toggle("pointed", moves.includes(each.dataset.move ?? null));
  }

  focus() {
    this.#buttons.find((each) => each.tabIndex === 0)?.focus({ preventScroll: true });
  }

  /**
   * Arrange the buttons in rows of equal length, keeping the moves of each token together. Rows and columns depend only
   * on the book and on the width, so that every button stays in its place.
   */
  #setColumns() {
    const phone = matchMedia(PHONE).matches;
    const width = this.host.clientWidth;
    const gap = phone ? 6 : 11;
    const beside = phone && matchMedia("(orientation: landscape)").matches;
    const padWidth = beside && this.perGroup === this.count ? 80 : 60;
    const wall = this.host.closest(".wall") !== null;
    const inline = 96 + 13 * this.longest + (this.hasValues ? 56 : 0);
    const minWidth = phone ? padWidth : wall ? Math.min(inline, 120) : inline;
    const room = Math.max(1, Math.floor((width + gap) / (minWidth + gap)));
    const rows = Math.ceil(this.perGroup / room);
    // On a wall, the board needs the height, so the moves of several tokens are side by side.
    const groups = wall
      ? clamp(Math.floor(room / this.perGroup), 1, this.count / this.perGroup)
      : 1;
    const columns = Math.ceil(this.perGroup / rows) * groups;
    this.host.style.setProperty("--columns", String(columns));
    this.host.style.setProperty("--rows", String(Math.ceil(this.count / columns)));
    this.host.classList.toggle("low", this.count / columns > 2);
    this.host.classList.toggle("narrow", columns > 3);
    this.host.classList.toggle("many", this.count > 3);
    this.host.classList.toggle("tight", !phone && (groups > 1 || width / columns < inline + 40));
  }

  /**
   * @param {Choice} choice
   * @param {MoveValue | undefined} value
   * @param {boolean} several whether the moves belong to several tokens
   * @param {string} same what to say about other moves that lead to the same place
   */
  #button(choice, value, several, same) {
    const { disabled, names, pending, token } = this.options;
    const off = disabled || !choice.legal;
    const made = element("button", `key ${worthKind(value?.worth)}`);
    made.type = "button";
    made.dataset.move = choice.move;
    made.classList.toggle("refused", !choice.legal);
    made.classList.toggle("pending", pending === choice.move);
    made.classList.toggle("other", several && choice.token !== null && choice.token !== token);
    const fill = (/** @type {string} */ text) =>
      matchMedia(PHONE).matches ? fitNames(text, names, KEY_LETTERS) : fillNames(text, names);
    const note = fill(choice.note);
    const landing = (!note && same) || landingText(choice);
    const where = element("span", "where", choice.legal ? landing : fill(choice.why_not));
    if (choice.legal && note) where.append(element("small", "", note));
    const what = element("span", "what", choice.move);
    what.classList.toggle("long", (what.textContent ?? "").length > 4);
    made.append(what, where);
    if (value) made.append(worthChip(value.worth));
    made.setAttribute("aria-label", choiceLabel(choice, value, names));
    setDisabled(made, off);
    made.addEventListener("click", () => off || this.events.onMove(choice.move));
    this.#listen(made, choice, off);
    return made;
  }

  /**
   * @param {HTMLElement} target
   * @param {Choice} choice
   * @param {boolean} off
   */
  #listen(target, choice, off) {
    const enter = () => {
      if (choice.token !== null && choice.legal) this.events.onToken(choice.token);
      this.events.onPoint(off ? null : choice.move);
    };
    const leave = () => this.events.onPoint(null);
    target.addEventListener("focus", () => {
      this.#setTabStop(target);
      if (usesKeyboard() && target.matches(":focus-visible")) enter();
    });
    target.addEventListener("blur", leave);
    target.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && enter());
    target.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
  }

  /** @param {HTMLElement | undefined} stop */
  #setTabStop(stop) {
    for (const each of this.#buttons) each.tabIndex = each === stop ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  #moveFocus(event) {
    const buttons = this.#buttons;
    const here = buttons.findIndex((each) => each === document.activeElement);
    const ends = { Home: 0, End: buttons.length - 1 };
    const to =
      event.key === "Home" || event.key === "End"
        ? ends[event.key]
        : here + (ARROW_STEPS[event.key] ?? NaN);
    if (here < 0 || Number.isNaN(to) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[(to + buttons.length) % buttons.length].focus();
  }
}

/** @param {Choice} choice */
function landingText({ lands, place }) {
  if (lands === null) return "nothing moves";
  return lands === place ? `stays on ${groupDigits(lands)}` : `to\u00a0${groupDigits(lands)}`;
}

/**
 * Return the choices as the book lists its moves, followed by those that aren't always there, such as a skipped turn.
 *
 * @param {Book} book
 * @param {Choice[]} choices
 */
function inOrder(book, choices) {
  const isExtra = (/** @type {Choice} */ { move }) => Number(!book.choices.includes(move));
  return choices.toSorted((a, b) => isExtra(a) - isExtra(b));
}

/**
 * Say if other moves of the token lead to the same place; "" if none does.
 *
 * @param {Choice[]} choices
 * @param {Choice} choice
 */
function sameLanding(choices, { token, place, lands }) {
  if (lands === null || lands === place) return "";
  const same = choices.filter((each) => each.token === token && each.lands === lands);
  if (same.length < 2) return "";
  return `${same.length === 2 ? "both" : "all"} lead to ${groupDigits(lands)}`;
}

/** Words for values, as short as a key of a phone needs them. */
export const WORTH_WORDS = { win: "wins", loss: "loses", endless: "goes on", open: "open" };

/**
 * The value of a move: a letter and a shape or, on a small screen, a word.
 *
 * @param {Worth} worth
 */
function worthChip(worth) {
  const made = element("span", "chip");
  made.append(
    element("span", "sign", `${worth.letter}${worth.shape}`),
    element("span", "word", WORTH_WORDS[worth.value]),
  );
  if (worth.turns !== null) made.append(element("small", "", worth.turns));
  made.title = worth.said;
  return made;
}

/**
 * Return the label for screen readers: the move, followed by its target and value, or by why it can't be played.
 *
 * @param {Choice} choice
 * @param {MoveValue | undefined} value
 * @param {string[]} names
 */
function choiceLabel(choice, value, names) {
  if (!choice.legal) return `${operationText(choice.move)}: ${fillNames(choice.why_not, names)}`;
  const spoken = fillNames(choice.spoken, names);
  return value ? `${spoken}; ${fillNames(value.worth.said, names)}` : spoken;
}
