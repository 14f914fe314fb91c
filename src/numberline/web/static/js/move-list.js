// @ts-check
// The list of moves, with a chart of who could force a win after each move.

import { element } from "./dom.js";
import { isTimeout } from "./match-text.js";
import { playerShape } from "./player-shape.js";
import { fillNames, pluralize } from "./text.js";

/** @import { Mark, Ply, Point } from "./messages.d.ts" */

/**
 * @typedef {object} MoveListData
 * @property {Ply[]} log
 * @property {Mark[] | null} marks
 * @property {Point[] | null} series
 * @property {string[]} names
 * @property {number} here the number of plies before the position on the board
 * @property {boolean} [legend] explain the bars and signs
 */

export class MoveList {
  /**
   * @param {HTMLTableElement} table
   * @param {(plies: number) => unknown} onJump called with the number of plies to jump to
   */
  constructor(table, onJump) {
    this.table = table;
    this.onJump = onJump;
  }

  /**
   * Draw the list; the focus stays on the same move or, if it was taken back, goes to the last one.
   *
   * @param {MoveListData} data
   */
  show({ log, marks, series, names, here, legend = false }) {
    const twoPlayers = names.length === 2;
    const points = twoPlayers ? series : null;
    this.table.classList.toggle("many", !twoPlayers);
    const head = element("thead");
    const body = element("tbody");
    const columns = element("colgroup");
    head.append(renderHeading(names, points !== null));
    const maxPlies = Math.max(1, ...(points ?? []).map((point) => point.plies ?? 0));
    log.forEach((ply, n) => {
      const row = this.#row(ply, n + 1, names, here);
      const mark = points && marks && !isTimeout(ply) ? marks[n] : undefined;
      row.append(renderPoint(points?.[n + 1], names, maxPlies), renderMark(mark));
      body.append(row);
    });
    columns.append(...["n", "who", "to", "", "mark"].map((kind) => element("col", kind)));
    const caption = legend && points ? [element("caption", "", legendText(marks))] : [];
    const focused = this.#jumps.findIndex((jump) => jump === document.activeElement);
    this.table.replaceChildren(...caption, columns, head, body);
    if (focused >= 0) (this.#jumps[focused] ?? this.#jumps.at(-1))?.focus({ preventScroll: true });
    this.#scrollTo(here, log.length);
  }

  /** @returns {HTMLElement[]} */
  get #jumps() {
    return [.../** @type {NodeListOf<HTMLElement>} */ (this.table.querySelectorAll(".jump"))];
  }

  /**
   * @param {Ply} ply
   * @param {number} number
   * @param {string[]} names
   * @param {number} here
   */
  #row(ply, number, names, here) {
    const current = here === number;
    const row = element("tr", current ? "here" : "");
    const who = element("td", "who");
    const jump = element("button", `jump p${ply.player}`);
    jump.type = "button";
    const reader = element("span", "hide", `${names[ply.player - 1]}: `);
    jump.append(
      playerShape(ply.player),
      reader,
      element("span", "", isTimeout(ply) ? "time up" : ply.move),
    );
    if (current) jump.setAttribute("aria-current", "true");
    jump.title = fillNames(ply.told, names);
    jump.addEventListener("click", () => this.onJump(number));
    who.append(jump);
    row.append(element("td", "n", number), who, element("td", "to", wayText(ply)));
    return row;
  }

  /**
   * Scroll the current move into view, without moving the page.
   *
   * @param {number} here
   * @param {number} length
   */
  #scrollTo(here, length) {
    const box = this.table.closest(".scroll");
    const row = this.table.tBodies[0].rows[Math.max(0, here - 1)];
    if (!box || !row || box.scrollHeight <= box.clientHeight) return;
    box.scrollTop = here >= length ? box.scrollHeight : row.offsetTop - box.clientHeight / 2;
  }
}

/**
 * @param {string[]} names
 * @param {boolean} withPoints
 */
function renderHeading(names, withPoints) {
  const row = element("tr");
  const rest = element("th");
  const line = element("div", "heads");
  const sides = element("span", "sides");
  rest.colSpan = 4;
  if (withPoints) {
    const [one, two] = [element("b", "p1", "◀ "), element("b", "p2")];
    one.append(element("span", "", names[0]));
    two.append(element("span", "", names[1]), " ▶");
    sides.append(one, " can win ", two);
  }
  line.append(element("span", "", "move"), sides);
  rest.append(line);
  row.append(element("th", "", "#"), rest);
  return row;
}

/**
 * Explain the bars and those signs that are in the list.
 *
 * @param {Mark[] | null} marks
 */
function legendText(marks) {
  const words = new Map((marks ?? []).map(({ symbol, word }) => [symbol, word]));
  const signs = [...words].flatMap(([symbol, word]) =>
    symbol && word ? [`${symbol} ${word}`] : [],
  );
  const bars = "A bar shows who can win, and in how many turns.";
  return signs.length ? `${bars} Signs: ${signs.join(", ")}.` : bars;
}

/** @param {Ply} ply */
function wayText({ place, lands }) {
  if (lands === null || place === null) return "";
  return place === lands ? `stays ${lands}` : `${place} → ${lands}`;
}

/**
 * Return a cell with a bar towards the side of the player who can force a win; the longer the bar, the sooner the win.
 *
 * @param {Point | undefined} point
 * @param {string[]} names
 * @param {number} maxPlies
 */
function renderPoint(point, names, maxPlies) {
  const cell = element("td", point ? "river" : "");
  if (!point?.winner) return cell;
  const plies = point.plies ?? 0;
  const name = names[point.winner - 1];
  const bar = element(
    "i",
    `p${point.winner} ${point.winner === 1 ? "left" : "right"}`,
    plies || "",
  );
  bar.style.width = `${Math.round(46 * (1 - (0.62 * plies) / (maxPlies + 1)))}%`;
  bar.setAttribute("aria-hidden", "true");
  const text = plies ? `${name} can win in ${pluralize(plies, "turn")}` : `${name} has won`;
  cell.append(bar, element("span", "hide", text));
  return cell;
}

/** @param {Mark | undefined} mark */
function renderMark(mark) {
  const symbol = mark?.symbol ?? "";
  const kind = symbol.includes("?") ? " bad" : symbol.includes("!") ? " good" : "";
  const cell = element("td", `mark${kind}`, symbol);
  if (!mark || !symbol) return cell;
  cell.title = [mark.word, mark.comment].filter(Boolean).join(": ");
  if (mark.word) cell.append(element("span", "hide", ` ${mark.word}`));
  return cell;
}
