// @ts-check
// The board: a ruler with tokens. It knows about places, tokens and hops, but not about rules. It needs only
// css/colors.css, css/board.css, board-*.js, player-shape.js, dom.js and text.js.
//
//   import { Board, show } from "/static/js/board.js";
//   show(host, view, { names: ["Ann", "Ben"] });     a picture
//   const board = new Board(host, { onMove, onPoint, onToken });
//   board.show(view, options);                            a board to play on
//
// The view has a book, a position, values or null, and the last ply or null: see messages.d.ts.

import { activeToken } from "./board-arcs.js";
import { layoutBoard } from "./board-layout.js";
import { renderNumber, renderRow } from "./board-render.js";
import { motionAllowed } from "./dom.js";
import { fillNames } from "./text.js";

/** @import { BoardView } from "./messages.d.ts" */

/**
 * @typedef {object} BoardOptions
 * @property {string[] | null} names the players' names; if null, the book's own
 * @property {boolean} values draw the values of moves
 * @property {number | null} token the token whose arcs are drawn; if null, the first movable one
 * @property {boolean} trace draw the last move
 * @property {boolean} choices draw the moves
 * @property {boolean} idle nothing can be clicked
 */

/**
 * @typedef {object} BoardEvents
 * @property {(move: string) => unknown} onMove
 * @property {(move: string | null) => unknown} onPoint
 * @property {(token: number) => unknown} onToken
 */

const MIN_WIDTH = 100;
const HOP_MS = 340;
const HOP_FRAMES = 24;

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {Partial<BoardEvents>} [events]
   */
  constructor(host, { onMove = () => {}, onPoint = () => {}, onToken = () => {} } = {}) {
    this.host = host;
    /** @type {BoardEvents} */
    this.events = { onMove, onPoint, onToken };
    /** @type {BoardOptions} */
    this.options = {
      names: null,
      values: true,
      token: null,
      trace: true,
      choices: true,
      idle: false,
    };
    /** @type {BoardView | null} */
    this.view = null;
    this.width = 0;
    host.classList.add("board");
    host.setAttribute("role", "img");
    new ResizeObserver(() => host.clientWidth !== this.width && this.draw()).observe(host);
  }

  /** The token whose arcs are drawn. */
  get token() {
    return this.view && activeToken(this.view.position, this.options.token);
  }

  /**
   * Draw a position. Options that aren't given keep their values.
   *
   * @param {BoardView} view
   * @param {Partial<BoardOptions>} [options]
   */
  show(view, options = {}) {
    this.view = view;
    Object.assign(this.options, options);
    this.host.setAttribute("aria-label", fillNames(view.position.said, this.#names(view)));
    this.draw();
  }

  /**
   * Highlight the arcs of some moves, or none.
   *
   * @param {...(string | null)} moves
   */
  point(...moves) {
    for (const part of this.host.querySelectorAll("[data-move]")) {
      part.classList.toggle("pointed", moves.includes(part.getAttribute("data-move")));
    }
    this.host.classList.toggle("pointing", this.host.querySelector(".hop.pointed") !== null);
  }

  /**
   * Animate a token along the arc of a move; return immediately if the user prefers reduced motion.
   *
   * @param {string} move
   */
  async hop(move) {
    const choice = this.view?.position.choices.find((each) => each.move === move && each.legal);
    if (!this.view || !choice || choice.token === null || !motionAllowed() || document.hidden)
      return;
    if (choice.token !== this.token) this.show(this.view, { token: choice.token });
    const arc = this.host.querySelector(`.hop[data-move="${CSS.escape(move)}"] .arc`);
    const pin = this.host.querySelector(`.pin[data-token="${choice.token}"]`);
    if (!(arc instanceof SVGPathElement) || !pin || choice.lands === choice.place) return;
    const timing = { duration: HOP_MS, easing: "cubic-bezier(.3,.1,.3,1)" };
    await pin.animate(hopFrames(arc), timing).finished.catch(() => {});
  }

  draw() {
    const { view, host, options } = this;
    this.width = host.clientWidth;
    if (!view || this.width < MIN_WIDTH) return;
    host.classList.remove("pointing");
    host.classList.toggle("idle", options.idle);
    const { token, width } = this;
    const names = this.#names(view);
    const rows = layoutBoard(view, { ...options, names, token, width });
    const context = { position: view.position, token, idle: options.idle, ...this.events };
    host.replaceChildren(
      ...(rows ? rows.map((row) => renderRow(row, context)) : [renderNumber(view, names)]),
    );
  }

  /** @param {BoardView} view */
  #names(view) {
    return this.options.names ?? view.book.players.map((player) => player.name);
  }
}

/**
 * Return a token's path along an arc. The arc starts at the token's head and ends at the ruler, where its point is.
 *
 * @param {SVGPathElement} arc
 */
function hopFrames(arc) {
  const length = arc.getTotalLength();
  const start = arc.getPointAtLength(0);
  const fall = arc.getPointAtLength(length).y - start.y;
  return Array.from({ length: HOP_FRAMES + 1 }, (_, n) => {
    const part = n / HOP_FRAMES;
    const at = arc.getPointAtLength(length * part);
    return { translate: `${at.x - start.x}px ${at.y - start.y - part * fall}px` };
  });
}

/**
 * Show a position that can't be played on.
 *
 * @param {HTMLElement} host
 * @param {BoardView} view
 * @param {Partial<BoardOptions>} [options]
 */
export function show(host, view, options = {}) {
  const board = new Board(host);
  board.show(view, { idle: true, ...options });
  return board;
}
