// @ts-check
// A small board that plays a few random moves when it comes into view, and more while its card is hovered or focused.

import { get, positionPath } from "./api.js";
import { Board } from "./board.js";
import { motionAllowed, pause } from "./dom.js";
import { bookNames } from "./page.js";

/** @import { Book, Position, PositionResponse, TracedPly } from "./messages.d.ts" */

const PAUSE_MS = 1100;
const MOVES_IN_VIEW = 3;
const MOVES_ON_HOVER = 40;

export class LiveBoard {
  /**
   * @param {HTMLElement} card
   * @param {HTMLElement} host
   * @param {Book} book
   * @param {Position} start
   */
  constructor(card, host, book, start) {
    this.book = book;
    this.start = start;
    this.position = start;
    /** @type {TracedPly | null} */
    this.ply = null;
    this.movesLeft = 0;
    this.running = false;
    this.board = new Board(host);
    for (const type of ["pointerenter", "focusin"])
      card.addEventListener(type, () => this.#play(MOVES_ON_HOVER));
    for (const type of ["pointerleave", "focusout"])
      card.addEventListener(type, () => (this.movesLeft = 0));
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry.isIntersecting) return;
        observer.disconnect();
        this.#play(MOVES_IN_VIEW);
      },
      { threshold: 1 },
    );
    observer.observe(host);
  }

  draw() {
    const { book, position, ply } = this;
    this.board.show({ book, position, values: null, ply }, { idle: true, names: bookNames(book) });
  }

  /** @param {number} moves */
  async #play(moves) {
    this.movesLeft = moves;
    if (this.running || !motionAllowed()) return;
    this.running = true;
    await pause(PAUSE_MS / 2);
    while (this.movesLeft-- > 0 && !document.hidden && (await this.#move())) await pause(PAUSE_MS);
    this.running = false;
  }

  /** Play one move, or start again if the game is over; return false if the server doesn't answer. */
  async #move() {
    const legal = this.position.choices.filter((choice) => choice.legal);
    const choice = legal[Math.floor(Math.random() * legal.length)];
    if (!choice) {
      Object.assign(this, { position: this.start, ply: null });
      this.draw();
      return true;
    }
    try {
      /** @type {PositionResponse} */
      const { position } = await get(positionPath(this.book.variant, choice.leads));
      await this.board.hop(choice.move);
      const { turn } = this.position;
      const { move, place, lands } = choice;
      this.ply = { player: turn, move, place, lands, told: `{${turn}} just played ${move}` };
      this.position = position;
      this.draw();
      return true;
    } catch {
      return false;
    }
  }
}
