// @ts-check
// The chart of a review: who could force a win after each move. Up for player 1, down for player 2, the longer the sooner.

import { svg } from "./dom.js";

/** @import { Mark, Point, Review } from "./messages.d.ts" */

const HEIGHT = 88;
const MIDDLE = HEIGHT / 2;
const MIN_WIDTH = 60;
const BAR_WIDTH = 10;

/**
 * The bars of a series, in the units of the chart.
 *
 * @param {Point[]} series
 */
export function chartBars(series) {
  const width = Math.max(series.length * BAR_WIDTH, MIN_WIDTH);
  const each = width / series.length;
  const maxPlies = Math.max(1, ...series.map((point) => point.plies ?? 0));
  const bars = series.map(({ winner, plies }, n) => {
    const height = winner ? (MIDDLE - 6) * (1 - (0.75 * (plies ?? 0)) / (maxPlies + 1)) : 2;
    const y = winner === 1 ? MIDDLE - height : winner ? MIDDLE : MIDDLE - 1;
    return { winner, x: n * each + each * 0.1, y, width: each * 0.8, height };
  });
  return { width, each, bars };
}

/**
 * @param {Review} game
 * @param {(plies: number) => unknown} onJump
 */
export function renderChart({ series, marks, turning_at }, onJump) {
  const { width, each, bars } = chartBars(series);
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
    onJump(Math.floor(((event.clientX - box.left) / box.width) * series.length));
  });
  /** @param {number} plies */
  const showHere = (plies) => here.setAttribute("x", String(plies * each));
  return { chart: made, showHere };
}

/** @param {Mark | undefined} mark */
const isBlunder = (mark) => mark?.symbol.includes("??") ?? false;
