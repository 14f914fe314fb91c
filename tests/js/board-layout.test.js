import assert from "node:assert/strict";
import { test } from "node:test";

import {
  activeToken,
  hopsOf,
  movableTokens,
} from "../../src/numberline/web/static/js/board-arcs.js";
import { layoutBoard, placeTokens } from "../../src/numberline/web/static/js/board-layout.js";
import { foldLine, placeX } from "../../src/numberline/web/static/js/board-rows.js";
import { makeBook, makeChoice, makePly, makePosition } from "./fixtures.js";

const OPTIONS = {
  width: 700,
  names: ["Ann", "Ben"],
  token: 0,
  values: true,
  choices: true,
  trace: true,
};
const view = (changes = {}) => ({
  book: makeBook(),
  position: makePosition([5, 7]),
  values: null,
  ply: null,
  ...changes,
});
const whole = (changes, options) => layoutBoard(view(changes), { ...OPTIONS, ...options });
const layout = (changes, options) => whole(changes, options)?.rows ?? null;

test("a short line is one row in the middle", () => {
  const fold = foldLine(0, 20, 900);
  const row = fold.row(0);
  assert.equal(fold.count, 1);
  assert.deepEqual(
    [row.first, row.last, row.alone, row.opens, row.closes],
    [0, 20, true, false, false],
  );
  assert.ok(Math.abs(placeX(row, 10) - 450) < 0.01);
});

test("a long line folds into rows without gaps that leave room for a finger", () => {
  for (const width of [320, 390, 768, 1280]) {
    const fold = foldLine(0, 200, width);
    const rows = Array.from({ length: fold.count }, (_, n) => fold.row(n));
    assert.equal(rows[0].first, 0);
    assert.equal(rows.at(-1).last, 200);
    rows.slice(1).forEach((row, n) => assert.equal(row.first, rows[n].last + 1));
    for (const row of rows) {
      assert.ok(row.pitch >= 25, `${row.pitch} pixels per place at ${width}`);
      assert.ok(placeX(row, row.last) <= width);
      assert.equal(fold.rowOf(row.first), fold.rowOf(row.last));
    }
  }
});

test("rows with nothing on them are thin, and many of them one gap", () => {
  const kinds = layout(
    { book: makeBook({ end: 2000 }), position: makePosition([5, 7]) },
    { width: 390 },
  ).map((row) => row.kind);
  assert.deepEqual(kinds, ["full", "gap", "full"]);
  const short = layout(
    { book: makeBook({ end: 1100 }), position: makePosition([2, 3]) },
    { width: 16_000 },
  );
  assert.deepEqual(
    short.map((row) => row.kind),
    ["full", "thin", "full"],
  );
});

test("a gap names the numbers it leaves out", () => {
  const [first, gap, last] = layout({ book: makeBook({ end: 2000 }) }, { width: 390 });
  assert.equal(gap.first, first.row.last + 1);
  assert.equal(gap.last, last.row.first - 1);
});

test("sums on too many numbers have no ruler", () => {
  assert.equal(layout({ book: makeBook({ end: 1000, sums: true }) }), null);
  assert.notEqual(layout({ book: makeBook({ end: 1000 }) }), null);
});

test("the board is as wide as the landings of the moves", () => {
  const [row] = layout({ position: makePosition([19, 7]) });
  assert.equal(row.row.last, 22);
});

test("arcs rise with their length, on each side of the token", () => {
  const choices = [
    makeChoice("R2", 5, 7),
    makeChoice("R1", 5, 6),
    makeChoice("L1", 5, 4),
    makeChoice("L2", 5, 3),
  ];
  const hops = hopsOf(view({ position: makePosition([5, 9], 1, { choices }) }), 0, false);
  const rise = Object.fromEntries(hops.map((hop) => [hop.move, hop.rise]));
  assert.ok(rise.R1 < rise.R2 && rise.L1 < rise.L2);
  assert.equal(rise.R1, rise.L1);
});

test("arcs that end on one place are spread", () => {
  const choices = [makeChoice("1", 5, 6), makeChoice("2", 5, 7, { lands: 6 })];
  const hops = hopsOf(view({ position: makePosition([5, 7], 1, { choices }) }), 0, false);
  assert.deepEqual(
    hops.map(({ to, spread }) => [to, spread]),
    [
      [6, 0],
      [6, 1],
    ],
  );
});

test("an illegal move is drawn only if it ends on the line", () => {
  const illegal = { legal: false, lands: null, why_not: "it was just played" };
  const choices = [makeChoice("1", 19, 20, illegal), makeChoice("3", 19, 22, illegal)];
  const hops = hopsOf(view({ position: makePosition([19, 7], 1, { choices }) }), 0, false);
  assert.deepEqual(
    hops.map(({ move, kind }) => [move, kind]),
    [["1", "refused"]],
  );
});

test("arcs have the kind of their value if values are drawn", () => {
  const worth = (value, colour) => ({
    value,
    colour,
    letter: "",
    shape: "",
    turns: 1,
    winner: 1,
    said: "",
  });
  const moves = [
    { move: "1", worth: worth("loss", "red"), best: false },
    { move: "2", worth: worth("win", "green"), best: true },
    { move: "3", worth: worth("endless", "yellow"), best: false },
  ];
  const values = { position: "", worth: null, moves };
  const kinds = (shown) => hopsOf(view({ values }), 0, shown).map((hop) => hop.kind);
  assert.deepEqual(kinds(true), ["loss", "win", "even"]);
  assert.deepEqual(kinds(false), ["free", "free", "free"]);
});

test("labels of one row never overlap", () => {
  const choices = [1, 2, 3, 4, 5, 6].map((step) => makeChoice(`*${step}`, 0, step % 3));
  for (const width of [320, 700]) {
    const [row] = layout({ position: makePosition([0, 9], 1, { choices }) }, { width });
    const labels = row.hops.map((hop) => hop.label);
    labels.forEach((a, n) => {
      assert.ok(a.x - a.width / 2 >= 0 && a.x + a.width / 2 <= width);
      for (const b of labels.slice(n + 1)) {
        assert.ok(
          Math.abs(a.y - b.y) >= 26 || Math.abs(a.x - b.x) >= (a.width + b.width) / 2,
          "labels are apart",
        );
      }
    });
  }
});

test("only the arcs of the active token are drawn", () => {
  const choices = [makeChoice("a1", 5, 6), makeChoice("b1", 7, 8, { token: 1 })];
  const position = makePosition([5, 7], 1, { choices });
  assert.deepEqual(movableTokens(position), [0, 1]);
  assert.deepEqual(
    [activeToken(position, 1), activeToken(position, null), activeToken(position, 9)],
    [1, 0, 0],
  );
  assert.deepEqual(
    hopsOf(view({ position }), 1, false).map((hop) => hop.move),
    ["b1"],
  );
});

test("tokens that share a place stand beside each other and point to it", () => {
  const [row] = layout({ position: makePosition([5, 5]) });
  const [a, b] = row.tokens.toSorted((one, two) => one.player - two.player);
  assert.ok(b.x + b.lean - (a.x + a.lean) >= 32);
  assert.equal(a.x, b.x);
  assert.ok(Math.abs(a.lean + b.lean) < 0.01);
});

test("a token alone does not lean", () => {
  const [row] = layout({ position: makePosition([5, 12]) });
  assert.deepEqual(
    row.tokens.map((token) => token.lean),
    [0, 0],
  );
});

test("tokens at the end of a row stay inside it", () => {
  const tokens = [1, 2, 3].map((player) => ({ player, place: 0, label: "" }));
  const row = foldLine(0, 20, 700).row(0);
  for (const token of placeTokens(view({ position: makePosition([0, 0], 1, { tokens }) }), row)) {
    assert.ok(token.x + token.lean >= 15);
  }
});

test("more than three tokens on a place stand in tiers, the player to move in front", () => {
  const tokens = [1, 2, 3, 4].map((player) => ({ player, place: 5, label: "" }));
  const position = makePosition([5, 5], 2, { tokens, turn: 4 });
  const placed = placeTokens(view({ position }), foldLine(0, 20, 700).row(0));
  assert.deepEqual(
    placed.map(({ player, tier }) => [player, tier]),
    [
      [1, 0],
      [2, 0],
      [3, 1],
      [4, 0],
    ],
  );
});

test("tokens know their number in the position", () => {
  const tokens = [1, 1, 2, 2].map((player, n) => ({ player, place: n, label: "" }));
  const slots = (book) =>
    placeTokens(
      { ...view({ book }), position: makePosition([0, 0], 1, { tokens }) },
      foldLine(0, 20, 700).row(0),
    ).map((token) => token.slot);
  assert.deepEqual(slots(makeBook({ tokens: 2 })), [0, 1, 2, 3]);
  assert.deepEqual(slots(makeBook({ shared: true })), [0, 0, 0, 0]);
});

test("flags on one place stand beside each other", () => {
  const goals = [1, 2].map((player) => ({ place: 20, player, label: "" }));
  const [row] = layout({ book: makeBook({ goals }) });
  assert.equal(row.flags[1].x - row.flags[0].x, 8);
});

test("the last move has a short caption on a phone, and its sentence elsewhere", () => {
  const ply = makePly(1, 2, "2", 5, 7);
  const caption = (width) =>
    layout({ ply }, { width }).find((row) => row.trace?.caption)?.trace.caption.text;
  assert.equal(caption(700), "Ben just played 2");
  assert.equal(caption(390), "Ben played 2");
});

test("a sentence too long for the board is replaced by the short caption", () => {
  const told =
    "{2} wanted 13, but {1} stood there, so {2} stopped on 12, which is the place before";
  const rows = layout({ ply: { ...makePly(1, 2, "2", 5, 7), told } }, { width: 500 });
  assert.equal(rows[0].trace.caption.text, "Ben played 2");
});

test("a token that stayed has no arrow, and the caption says so", () => {
  const [row] = layout({ ply: makePly(1, 2, "2", 7, 7) });
  assert.equal(row.trace.stays, true);
  assert.equal(row.trace.caption.text, "Ben just played 2, stayed");
});

test("the arrow of a move past the end leaves the picture, and the caption says so", () => {
  const [row] = layout({ book: makeBook({ sums: true }), ply: makePly(1, 2, "*2", 16, 32) });
  assert.equal(row.trace.offLine, true);
  assert.ok(row.trace.to > row.row.width);
  assert.match(row.trace.caption.text, /, past 20$/);
});

test("a caption near the edge starts there", () => {
  const [row] = layout({ ply: makePly(1, 2, "2", 0, 1) });
  assert.deepEqual([row.trace.caption.anchor, row.trace.caption.x], ["start", 3]);
});

test("without choices or trace nothing is drawn of them", () => {
  const [row] = layout({ ply: makePly(1, 2, "2", 5, 7) }, { choices: false, trace: false });
  assert.deepEqual([row.hops, row.trace], [[], null]);
});

test("a line that is too wide for the board is one row that slides", () => {
  const { rows, slide } = whole({ position: makePosition([5, 7]) }, { width: 292 });
  assert.equal(rows.length, 1);
  assert.ok(rows[0].row.width > 292 && slide.overview);
  assert.equal(slide.max, rows[0].row.width - 292);
});

test("a line of 60 places has the same height in every position", () => {
  const heights = new Set();
  for (const place of [0, 9, 30, 58]) {
    const position = makePosition([place, 0]);
    const rows = layout({ book: makeBook({ end: 60 }), position }, { width: 292 });
    heights.add(rows.map((row) => row.height).join());
  }
  assert.equal(heights.size, 1);
  assert.doesNotMatch([...heights][0], /,/, "one row");
});

test("after a move that is longer than the board, the token is on it", () => {
  const book = makeBook({ end: 190, sums: true });
  const position = makePosition([101, 101], 1, { choices: [] });
  const { slide, rows } = whole(
    { book, position, ply: makePly(1, 2, "*20", 101, 2020) },
    { width: 292 },
  );
  const at = placeX(rows[0].row, 101) - slide.offset;
  assert.ok(at > 0 && at < 292);
});

test("the arc of a move that stays is not cut at the end of the line", () => {
  const choices = [1, 2, 3].map((step) => makeChoice(String(step), 0, step, { lands: 0 }));
  const [row] = layout({ position: makePosition([0, 9], 1, { choices }) });
  for (const { d } of row.hops) assert.ok(Number(d.match(/^M(\S+)/)[1]) > 5, d);
});

test("a line that fits does not slide, and has no overview", () => {
  assert.equal(whole({}, { width: 700 }).slide, null);
});

test("the row slides only if an arc would be outside", () => {
  const at = (place, offset) =>
    whole({ position: makePosition([place, 0]) }, { width: 292, offset }).slide.offset;
  const first = at(8, null);
  assert.equal(at(9, first), first);
  assert.ok(at(17, first) > first);
});

test("a long hop makes the places narrower until it fits", () => {
  const choices = [makeChoice("*2", 25, 50)];
  const position = makePosition([25, 0], 1, { choices });
  const [row] = layout({ book: makeBook({ end: 50 }), position }, { width: 292 });
  const [hop] = row.hops;
  assert.ok(row.row.pitch < 12);
  assert.ok(hop.tip <= row.row.right && placeX(row.row, 25) >= row.row.left);
});

test("the board has the same height with and without arcs", () => {
  const height = (options) => layout({}, options)[0].height;
  assert.equal(height({ choices: true }), height({ choices: false }));
});

test("a flag is higher than the tokens on its place", () => {
  const tokens = [1, 2, 3, 4].map((player) => ({ player, place: 20, label: "" }));
  const [row] = layout({ position: makePosition([20, 20], 1, { tokens, choices: [] }) });
  assert.equal(Math.max(...row.tokens.map((token) => token.tier)), 1);
  assert.ok(row.flags[0].height >= 42 + 32 + 14);
});

test("tokens of a crowd on neighbouring places stand above each other", () => {
  const tokens = [5, 6, 7].flatMap((place) =>
    [1, 2, 3].map((player) => ({ player, place, label: "" })),
  );
  const position = makePosition([5, 6], 1, { tokens });
  for (const token of placeTokens(view({ position }), foldLine(0, 20, 700).row(0))) {
    assert.ok(Math.abs(token.lean) <= 60);
  }
});
