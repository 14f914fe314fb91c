// @ts-check
// The chart of a review: who has a sure win after each move. Bars point up for player 1 and down for
// player 2; the longer the bar, the sooner the win.

import { svg } from "./dom.js";

/** @import { Mark, Review } from "./messages.d.ts" */

const HEIGHT = 88;
const MIDDLE = HEIGHT / 2;
const MIN_WIDTH = 60;
const MIN_HEIGHT = 2;
const BAR_WIDTH = 10;

/**
 * Return the bars for a series of points, in chart units.
 *
 * @param {number[]} curve
 */
export function chartBars(curve) {
  const width = Math.max(curve.length * BAR_WIDTH, MIN_WIDTH);
  const each = width / curve.length;
  const bars = curve.map((value, n) => {
    const winner = value > 0 ? 1 : value < 0 ? 2 : 0;
    const height = Math.max(MIN_HEIGHT, (MIDDLE - 6) * Math.abs(value));
    const y = winner ? MIDDLE - (winner === 1 ? height : 0) : MIDDLE - height / 2;
    return { winner, x: n * each + each * 0.1, y, width: each * 0.8, height };
  });
  return { width, each, bars };
}

/**
 * @param {Review} game
 * @param {(plies: number) => unknown} onJump
 */
export function renderChart({ curve, marks, turning_at }, onJump) {
  const { width, each, bars } = chartBars(curve);
  const viewBox = `0 0 ${width} ${HEIGHT}`;
  const made = svg("svg", {
    class: "chart",
    viewBox,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  bars.forEach(({ winner, ...box }, n) => {
    made.append(svg("rect", { class: `p${winner}`, ...box }));
    if (isBlunder(marks[n - 1]))
      made.append(svg("rect", { class: "bad", ...box, y: HEIGHT - 4, height: 4 }));
    if (n && n === turning_at)
      made.append(svg("rect", { class: "turning", x: n * each, width: each, y: 0, height: 5 }));
  });
  made.append(svg("line", { class: "axis", x1: 0, x2: width, y1: MIDDLE, y2: MIDDLE }));
  const here = svg("rect", { class: "here", y: 1, height: HEIGHT - 2, width: each });
  made.append(here);
  made.addEventListener("click", (event) => {
    const box = made.getBoundingClientRect();
    onJump(Math.floor(((event.clientX - box.left) / box.width) * curve.length));
  });
  /** @param {number} plies */
  const showHere = (plies) => here.setAttribute("x", String(plies * each));
  return { chart: made, showHere };
}

/** @param {Mark | undefined} mark */
const isBlunder = (mark) => mark?.symbol.includes("??") ?? false;
