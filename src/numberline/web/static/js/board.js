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
import { RULER_HEIGHT, layoutBoard, naturalSize } from "./board-layout.js";
import { renderNumber, renderOverview, renderRow } from "./board-render.js";
import { clamp } from "./board-rows.js";
import { BoardWindow } from "./board-window.js";
import { motionAllowed, whileVisible } from "./dom.js";
import { fillNames } from "./text.js";

/** @import { BoardView } from "./messages.d.ts" */
/** @import { BoardLayout } from "./board-layout.js" */
/** @import { Row } from "./board-rows.js" */
/** @import { RenderOptions } from "./board-render.js" */

/**
 * @typedef {object} BoardOptions
 * @property {string[] | null} names the players' names; if null, the book's own
 * @property {boolean} values draw the values of moves
 * @property {number | null} token the token whose arcs are drawn; if null, the first movable one
 * @property {boolean} trace draw the last move
 * @property {boolean} choices draw the moves
 * @property {boolean} idle nothing can be clicked
 * @property {boolean} fill make the board as large as its element
 */

/**
 * @typedef {object} BoardEvents
 * @property {(move: string) => unknown} onMove
 * @property {(move: string | null) => unknown} onPoint
 * @property {(token: number) => unknown} onToken
 * @property {() => unknown} [onDraw] called after the board was drawn
 */

const MIN_WIDTH = 100;
const HOP_MS = 340;
const HOP_FRAMES = 24;
/** A wider board is drawn larger. */
const WIDE = 900;
const MAX_SCALE = 1.6;
const OVERVIEW_SPACE = 24;

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {Partial<BoardEvents>} [events]
   */
  constructor(
    host,
    { onMove = () => {}, onPoint = () => {}, onToken = () => {}, onDraw = () => {} } = {},
  ) {
    this.host = host;
    /** @type {BoardEvents} */
    this.events = { onMove, onPoint, onToken, onDraw };
    /** @type {BoardOptions} */
    this.options = {
      names: null,
      values: true,
      token: null,
      trace: true,
      choices: true,
      idle: false,
      fill: false,
    };
    /** @type {BoardView | null} */
    this.view = null;
    /** @type {BoardWindow | null} */
    this.window = null;
    /** The row of the ruler, if the whole line is in it. */
    this.row = /** @type {Row | null} */ (null);
    this.width = 0;
    this.scale = 1;
    /** What the drawing of one variant in one size keeps from position to position. */
    this.kept = { key: "", top: 0, height: 0 };
    host.classList.add("board");
    host.setAttribute("role", "img");
    new ResizeObserver(() => this.#isResized() && this.draw()).observe(host);
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
   * Make the board as large as its element, or not.
   *
   * @param {boolean} on
   */
  fill(on) {
    this.options.fill = on;
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
    await whileVisible(pin.animate(hopFrames(arc), timing).finished.catch(() => {}));
  }

  draw() {
    const { view, host, options } = this;
    this.width = host.clientWidth;
    if (!view || this.width < MIN_WIDTH) return;
    this.scale = this.#fittingScale(view);
    host.classList.remove("pointing");
    host.classList.toggle("idle", options.idle);
    const key = `${view.book.variant} ${this.width} ${this.scale}`;
    const same = this.kept.key === key;
    if (!same) this.kept = { key, top: 0, height: 0 };
    const { token, kept } = this;
    const names = this.#names(view);
    const before = same ? (this.window?.offset ?? null) : null;
    const width = this.width / this.scale;
    const layout = layoutBoard(view, {
      ...options,
      names,
      token,
      width,
      top: kept.top,
      offset: before,
    });
    const context = { position: view.position, token, idle: options.idle, ...this.events };
    kept.top = layout?.top ?? kept.top;
    host.style.minHeight = "";
    this.window = layout && this.#render(layout, context);
    const [only, ...others] = layout?.rows ?? [];
    this.row = only?.kind === "full" && !others.length && !this.window ? only.row : null;
    this.events.onDraw?.();
    if (!layout) host.replaceChildren(renderNumber(view, names));
    if (before !== null) this.window?.slideFrom(before);
    kept.height = Math.max(kept.height, host.offsetHeight);
    if (!options.fill && host.offsetHeight < kept.height) host.style.minHeight = `${kept.height}px`;
  }

  /**
   * Draw the rows; return the window if they are wider than the board.
   *
   * @param {BoardLayout} layout
   * @param {RenderOptions} context
   */
  #render({ rows, slide }, context) {
    const { host, scale } = this;
    const made = rows.map((row) => renderRow(row, context));
    for (const each of made) enlarge(each, scale);
    host.replaceChildren(...made);
    if (!slide || rows[0].kind !== "full") return null;
    const { row, tokens, flags } = rows[0];
    const width = this.width / scale;
    const overview = slide.overview ? renderOverview(row, tokens, flags, width) : null;
    if (overview) enlarge(overview, scale);
    const window = new BoardWindow(made[0], overview, slide, scale);
    host.style.setProperty("--ruler-top", `${rows[0].top * scale}px`);
    host.style.setProperty("--ruler-height", `${RULER_HEIGHT * scale}px`);
    host.replaceChildren(window.host);
    if (overview) host.append(overview);
    return window;
  }

  /**
   * Return how much larger than usual the board is drawn.
   *
   * @param {BoardView} view
   */
  #fittingScale({ book }) {
    const { clientWidth, clientHeight } = this.host;
    if (!this.options.fill) return clamp(clientWidth / WIDE, 1, MAX_SCALE);
    const { width, height } = naturalSize(book);
    return Math.max(1, Math.min(clientWidth / width, clientHeight / (height + OVERVIEW_SPACE)));
  }

  #isResized() {
    const { clientWidth } = this.host;
    const scale = this.view && this.options.fill ? this.#fittingScale(this.view) : this.scale;
    return clientWidth !== this.width || scale !== this.scale;
  }

  /** @param {BoardView} view */
  #names(view) {
    return this.options.names ?? view.book.players.map((player) => player.name);
  }
}

/**
 * @param {SVGSVGElement} drawn
 * @param {number} scale
 */
function enlarge({ width, height }, scale) {
  width.baseVal.value *= scale;
  height.baseVal.value *= scale;
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
 * @param {Partial<BoardEvents>} [events]
 */
export function show(host, view, options = {}, events = {}) {
  const board = new Board(host, events);
  board.show(view, { idle: true, ...options });
  return board;
}
