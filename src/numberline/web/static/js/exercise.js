// @ts-check
// A question about a position, for puzzles and lessons: the board, the keypad for the answer, and the reply.

import { Board } from "./board.js";
import { element, keepScroll, scrollToShow } from "./dom.js";
import { Keypad } from "./keypad.js";
import { bookNames } from "./page.js";
import { setTokenLetters } from "./text.js";

/** @import { BoardView, Book, Position, TracedPly } from "./messages.d.ts" */

export class Exercise {
  /**
   * @param {HTMLElement} host
   * @param {(move: string) => unknown} onMove
   * @param {() => unknown} [onDraw] called after the board was drawn
   */
  constructor(host, onMove, onDraw = () => {}) {
    const events = {
      onMove: (/** @type {string} */ move) => this.open && onMove(move),
      onPoint: (/** @type {string | null} */ move) => this.#point(move),
      onToken: (/** @type {number} */ token) => this.#chooseToken(token),
      onDraw: () => onDraw(),
    };
    const frame = element("div", "frame");
    const board = element("div", "board");
    const keys = element("div", "keys");
    /** The place for a strip under the board. */
    this.under = element("div");
    this.question = element("p", "question");
    this.reply = element("div", "reply");
    this.reply.setAttribute("role", "status");
    keys.setAttribute("aria-label", "Your moves");
    host.classList.add("exercise");
    frame.append(board);
    host.append(frame, this.under, this.question, keys, this.reply);
    /** Whether an answer is awaited. */
    this.open = false;
    /** Whether the last answer was given, so that the keys are gone. */
    this.over = false;
    this.board = new Board(board, events);
    this.keypad = new Keypad(keys, events);
    /** @type {BoardView | null} */
    this.view = null;
    /**
     * The position that the keys belong to.
     *
     * @type {BoardView | null}
     */
    this.keypadView = null;
  }

  get legalChoices() {
    return this.open && this.view
      ? this.view.position.choices.filter((choice) => choice.legal)
      : [];
  }

  /**
   * @param {Book} book
   * @param {Position} position
   * @param {string} question
   * @param {TracedPly | null} [ply] the move just played
   */
  ask(book, position, question, ply = null) {
    setTokenLetters(book);
    this.question.textContent = question;
    this.open = true;
    this.over = false;
    this.#draw({ book, position, values: null, ply });
  }

  clearReply() {
    this.reply.replaceChildren();
    this.reply.hidden = true;
  }

  /** Stop accepting answers; the keys stay, because there may be another try. */
  lock() {
    this.open = false;
    if (this.view) this.#draw(this.view);
  }

  /** End the question: nothing more can be answered. */
  close() {
    this.open = false;
    this.over = true;
    if (this.view) this.#draw(this.view);
  }

  /** Accept answers again after one could not be checked. */
  unlock() {
    this.open = true;
    if (this.view) this.#draw({ ...this.view, ply: null });
  }

  /**
   * Animate a move, then show the position after it.
   *
   * @param {string} move
   * @param {Position} position
   */
  async play(move, position) {
    const { view } = this;
    if (!view) return;
    const { choices, turn } = view.position;
    const choice = choices.find((each) => each.move === move);
    await this.board.hop(move);
    /** @type {TracedPly | null} */
    const ply = choice
      ? {
          player: turn,
          move,
          place: choice.place,
          lands: choice.lands,
          told: `{${turn}} just played ${move}`,
        }
      : null;
    this.#draw({ book: view.book, position, values: null, ply });
  }

  /**
   * Show the reply to an answer.
   *
   * @param {"right" | "missed" | "hint"} kind
   * @param {string} title
   * @param {string[]} texts
   * @param {HTMLElement[]} [buttons]
   */
  showReply(kind, title, texts, buttons = []) {
    this.reply.className = `reply ${kind}`;
    this.reply.replaceChildren(
      element("b", "", title),
      " ",
      ...texts.flatMap((text) => [element("p", "", text), " "]),
    );
    if (buttons.length) {
      const foot = element("p", "acts");
      foot.append(...buttons.flatMap((each) => [each, " "]));
      this.reply.append(foot);
    }
    this.reply.hidden = false;
  }

  /** Move the focus to the first button in the reply, and scroll only as far as needed to make the reply readable. */
  focusReply() {
    this.mainButton?.focus({ preventScroll: true });
    this.scrollToReply();
  }

  scrollToReply() {
    scrollToShow(this.reply, this.board.host);
  }

  /** @returns {HTMLElement | null} */
  get mainButton() {
    return this.reply.querySelector("button, a");
  }

  /** @param {BoardView} view */
  #draw(view) {
    keepScroll();
    const names = bookNames(view.book);
    this.view = view;
    if (this.open || !this.keypadView) this.keypadView = view; // a reply doesn't change the keys
    this.board.show(view, { names, idle: !this.open, choices: this.open, token: null });
    const keys = this.keypad.host;
    keys.hidden = this.over || !this.keypadView.position.choices.length;
    if (!keys.hidden)
      this.keypad.show(this.keypadView, { names, disabled: !this.open, token: this.board.token });
  }

  /** @param {number} token */
  #chooseToken(token) {
    if (!this.view || !this.open || token === this.board.token) return;
    this.board.show(this.view, { token });
    this.keypad.show(this.view, { token });
  }

  /** @param {string | null} move */
  #point(move) {
    this.board.point(move);
    this.keypad.point(move);
  }
}
