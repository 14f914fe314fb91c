// @ts-check
// The view of one reviewed game: board, comment, list of moves, chart and accuracies.

import { Board } from "./board.js";
import { button, element, link, svg } from "./dom.js";
import { MoveList } from "./move-list.js";
import { renderChart } from "./review-chart.js";
import { happenedText } from "./match-text.js";
import { asSentence, fillNames, joinAnd, operationText } from "./text.js";

/** @import { PositionResponse, Review } from "./messages.d.ts" */

const ARROWS = /** @type {const} */ ([
  ["To the start", "M0 0h3v14H0zM16 0v14L4 7z", -Infinity],
  ["One move back", "M14 0v14L2 7z", -1],
  ["One move forward", "M2 0v14l12-7z", 1],
  ["To the end", "M13 0h3v14h-3zM0 0v14l12-7z", Infinity],
]);

/** @param {string[]} names */
export const pairingText = (names) =>
  names.length === 2 ? names.join(" against ") : joinAnd(names);

export class ReviewView {
  /**
   * @param {HTMLElement} host
   * @param {Review} game
   * @param {object} options
   * @param {(plies: number) => unknown} options.onJump
   * @param {(step: number) => unknown} options.onStep
   * @param {HTMLElement[]} options.actions
   */
  constructor(host, game, { onJump, onStep, actions }) {
    this.game = game;
    this.title = element("h1", "", game.book.title);
    this.comment = element("p", "comment");
    this.playOn = link("button main", "Play on from here", "/");
    /** The buttons for playing on with the user's own book, which can't be part of an address. */
    this.ownBook = element("div", "acts");
    this.arrows = ARROWS.map(([title, shape, step]) =>
      arrowButton(title, shape, () => onStep(step)),
    );
    const picture = element("div", "board");
    const list = element("table", "log");
    const main = this.#renderMain(picture, actions, onJump);
    const side = element("div", "side");
    const { chart, showHere } = game.sentence
      ? { chart: null, showHere: () => {} }
      : renderChart(game, onJump);
    this.showHere = showHere;
    side.append(this.#renderSide(list, chart));
    host.replaceChildren(main, side);
    this.board = new Board(picture);
    this.moveList = new MoveList(list, onJump);
  }

  /**
   * Show the game after a number of plies; the board follows when its position has loaded.
   *
   * @param {number} here
   */
  showMoves(here) {
    const { log, marks, series, names } = this.game;
    const focused = this.moveList.table.contains(document.activeElement);
    const known = { marks: marks.length ? marks : null, series: series.length ? series : null };
    this.moveList.show({ log, ...known, names, here });
    if (focused) {
      const current = this.moveList.table.querySelector("[aria-current]");
      if (current instanceof HTMLElement) current.focus({ preventScroll: true });
    }
    this.showHere(here);
    this.#renderComment(here);
    this.arrows.forEach((arrow, n) => {
      arrow.setAttribute("aria-disabled", String(here === (n < 2 ? 0 : log.length)));
    });
  }

  /**
   * Return the number of plies before the position to draw: a move with better ones is shown on the board before it.
   *
   * @param {number} here
   */
  drawnPlies(here) {
    return this.game.marks[here - 1]?.better.length ? here - 1 : here;
  }

  /**
   * @param {number} here
   * @param {PositionResponse} found
   */
  showBoard(here, found) {
    const { log, marks, book, names } = this.game;
    const drawn = this.drawnPlies(here);
    const moves = drawn < here ? [log[here - 1].move, ...marks[here - 1].better] : [];
    const choice = found.position.choices.find(({ move }) => move === moves[0]);
    this.board.show(
      { book, ...found, ply: log[drawn - 1] ?? null },
      { idle: true, names, token: choice?.token ?? null },
    );
    this.board.point(...moves);
  }

  /**
   * @param {HTMLElement} picture
   * @param {HTMLElement[]} actions
   * @param {(plies: number) => unknown} onJump
   */
  #renderMain(picture, actions, onJump) {
    const { game, title, comment } = this;
    const main = element("section", "card table");
    const look = element("div", "look");
    const row = element("p", "acts");
    title.id = "title";
    title.tabIndex = -1;
    main.setAttribute("aria-labelledby", "title");
    comment.setAttribute("role", "status");
    look.append(...this.arrows);
    row.append(this.playOn, ...actions);
    this.ownBook.hidden = true;
    const summary = `${pairingText(game.names)}. ${fillNames(game.result, game.names)}`;
    main.append(title, element("p", "soft", summary), picture, comment, look);
    if (game.turning) main.append(renderTurningPoint(game, onJump));
    main.append(row, this.ownBook);
    return main;
  }

  /**
   * @param {HTMLTableElement} list
   * @param {SVGElement | null} chart
   */
  #renderSide(list, chart) {
    const { game } = this;
    const moves = element("section", "card");
    const scroll = element("div", "scroll");
    moves.setAttribute("aria-label", "Moves");
    scroll.append(list);
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "All moves");
    moves.append(element("h2", "", "Moves"));
    const [one, two] = game.names;
    const decided = game.turning_at ? " The line on top: the move that decided the game." : "";
    const missed = game.marks.some(({ symbol }) => symbol.includes("??"))
      ? " A line at the bottom: ?? in the list."
      : "";
    const bars = `Bars up: ${one} can win. Bars down: ${two} can win. A longer bar is a sooner win.`;
    const legend = `${bars}${decided}${missed}`;
    if (chart) moves.append(chart, element("p", "soft", legend), renderAccuracies(game));
    else moves.append(element("p", "soft", fillNames(game.sentence, game.names)));
    moves.append(scroll, renderSigns(game));
    return moves;
  }

  /** @param {number} here */
  #renderComment(here) {
    const { log, marks, names, outcome } = this.game;
    const ply = log[here - 1];
    const mark = marks[here - 1];
    if (!ply) {
      const text = log.length
        ? "Step through the game with the arrows, or choose a move."
        : "No moves were played.";
      return this.comment.replaceChildren(element("b", "", "The start."), ` ${text}`);
    }
    const symbol = mark?.symbol ?? "";
    const kind = symbol ? (symbol.includes("?") ? "bad" : "good") : "";
    const title = element("b", kind, `Move ${here}${symbol && symbol !== "·" ? ` ${symbol}` : ""}`);
    const played = happenedText(ply, names);
    const thought = mark?.comment || (symbol ? mark.word : "");
    const isBefore = this.drawnPlies(here) < here;
    const sentences = isBefore
      ? [played.replace(" just played ", " played "), "The board shows what it was before."]
      : [played];
    if (thought) sentences.push(asSentence(thought));
    const reason = here === log.length && outcome ? fillNames(outcome.reason, names) : "";
    if (reason && !played.includes(reason)) sentences.push(reason);
    return this.comment.replaceChildren(title, ` ${operationText(sentences.join(" "))}`);
  }
}

/**
 * @param {string} title
 * @param {string} shape
 * @param {() => unknown} onClick
 */
function arrowButton(title, shape, onClick) {
  const made = button("", "", onClick);
  const icon = svg("svg", { width: 16, height: 14, "aria-hidden": "true" });
  icon.append(svg("path", { d: shape }));
  made.setAttribute("aria-label", title);
  made.append(icon);
  return made;
}

/**
 * @param {Review} game
 * @param {(plies: number) => unknown} onJump
 */
function renderTurningPoint({ turning, turning_at, names }, onJump) {
  const made = element("div", "decided");
  made.append(element("p", "", fillNames(turning, names)));
  if (turning_at)
    made.append(button("button", `Show me move ${turning_at}`, () => onJump(turning_at)));
  return made;
}

/**
 * The signs that the moves of this game have, and what they mean.
 *
 * @param {Review} game
 */
function renderSigns({ marks }) {
  const words = new Map(marks.map(({ symbol, word }) => [symbol, word]));
  const list = element("dl", "signs");
  list.setAttribute("aria-label", "What the signs mean");
  for (const [symbol, word] of words) {
    const item = element("div");
    item.append(
      element("dt", symbol.includes("?") ? "bad" : "good", symbol),
      element("dd", "", word),
    );
    if (symbol && word) list.append(item);
  }
  return list;
}

/** @param {Review} game */
function renderAccuracies({ accuracies, names }) {
  const list = element("dl", "verdicts");
  list.append(
    ...accuracies.map(({ player, percent, said }) => {
      const item = element("div", `p${player}`);
      const text = fillNames(said, names);
      const detail = /\(([^()]*)\)$/.exec(text)?.[1];
      const share = element("dd", "", detail ? `${percent}%` : "–");
      share.append(element("small", "", detail ? `accuracy, ${detail}` : text.split(": ").at(-1)));
      item.append(element("dt", "", names[player - 1]), share);
      return item;
    }),
  );
  return list;
}
