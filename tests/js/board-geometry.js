// Checks the geometry of the board in the positions given on standard input, in several widths; prints what is wrong.
// tests/web/test_board_geometry.py runs it.

import { readFileSync } from "node:fs";

import { movableTokens } from "../../src/numberline/web/static/js/board-arcs.js";
import { layoutBoard } from "../../src/numberline/web/static/js/board-layout.js";

const WINDOW_WIDTHS = [320, 390, 768, 1280];
const MARGINS = { 320: 28, 390: 28, 768: 74, 1280: 442 }; // of the board, on the page of a match
const HEAD = 15;

const { book, positions } = JSON.parse(readFileSync(0, "utf8"));
const names = book.players.map((player) => player.name);
const problems = [];
let checked = 0;

/** Points on an arc, from its path: a start, two control points and an end. */
function arcPoints(d) {
  const [x0, y0, x1, y1, x2, y2, x3, y3] = d.match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
  return Array.from({ length: 21 }, (_, n) => {
    const t = n / 20;
    const [a, b, c, e] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
    return [a * x0 + b * x1 + c * x2 + e * x3, a * y0 + b * y1 + c * y2 + e * y3];
  });
}

/** What is wrong with one drawing. */
function* faults({ rows, slide }, width, choices) {
  if (rows.length !== 1) yield `${rows.length} rows`;
  const [{ row, hops, tokens, flags, top }] = rows;
  const left = slide?.offset ?? 0;
  const outside = (x, y) => x < left || x > left + width || y < 0;
  for (const choice of choices) {
    const hop = hops.find(({ move }) => move === choice.move);
    if (!hop) yield `no arc for ${choice.move}`;
    else if (hop.tip === null ? choice.lands !== choice.place : hop.label === null)
      yield `torn arc of ${choice.move}`;
  }
  for (const { move, from: place, to, d, label } of hops) {
    if (arcPoints(d).some(([x, y]) => outside(x, y))) yield `clipped arc of ${move}: ${d}`;
    const half = label.width / 2;
    if (outside(label.x - half, label.y - 13) || outside(label.x + half, label.y))
      yield `clipped label of ${move}`;
    if (place === to) continue; // the token stays
    const [[from, y]] = arcPoints(d);
    if (outside(from - HEAD, y - 2 * HEAD) || outside(from + HEAD, y))
      yield `clipped hop of ${move}`;
  }
  for (const { x, lean, tier } of tokens) {
    const head = top - 42 - 32 * tier;
    if (head < 0 || x + lean < HEAD || x + lean > row.width - HEAD) yield `clipped token at ${x}`;
  }
  for (const { x, height, leftmost } of flags) {
    if (top - height < 0) yield "clipped flag";
    for (const token of tokens) {
      const above = top - height + 14 <= top - 42 - 32 * token.tier;
      const apart = Math.abs(token.x + token.lean - x + (leftmost ? -10 : 10)) > 10 + HEAD;
      if (!above && !apart && token.x === x) yield "a token hides a flag";
    }
  }
}

for (const screen of WINDOW_WIDTHS) {
  const width = screen - MARGINS[screen];
  const heights = new Set();
  for (const { position, ply } of positions) {
    const movable = movableTokens(position);
    for (const token of movable.length ? movable : [null]) {
      const legal = position.choices.filter(
        (choice) =>
          choice.legal &&
          choice.token !== null &&
          choice.token === token &&
          (!book.sums || choice.lands <= book.line[1]),
      );
      for (const offset of [null, 0, 10_000]) {
        const options = { width, names, token, values: false, choices: true, trace: true, offset };
        const layout = layoutBoard({ book, position, values: null, ply }, options);
        heights.add(layout.rows.reduce((sum, row) => sum + row.height, 0));
        checked += 1;
        for (const fault of faults(layout, width, legal))
          problems.push(`${position.position} at ${screen}, slid from ${offset}: ${fault}`);
        if (!layout.slide) break; // it is the same from anywhere
      }
    }
  }
  if (heights.size !== 1) problems.push(`heights at ${screen}: ${[...heights].join(", ")}`);
}

console.log(JSON.stringify({ checked, problems: problems.slice(0, 20) }));
