import assert from "node:assert/strict";
import { test } from "node:test";

import { formatTime } from "../../src/numberline/web/static/js/clock.js";
import { chartBars } from "../../src/numberline/web/static/js/review-chart.js";
import {
  fitNames,
  operationText,
  asSentence,
  fillNames,
  groupDigits,
  joinAnd,
  joinOr,
  pluralize,
  starText,
} from "../../src/numberline/web/static/js/text.js";
import { verdictText } from "../../src/numberline/web/static/js/verdict.js";

test("names are filled in once, whatever they contain", () => {
  assert.equal(fillNames("{1} beats {2}", ["{2}", "Ben"]), "{2} beats Ben");
  assert.equal(fillNames("{3} waits", ["Ann"]), "{3} waits");
});

test("words are joined and counted", () => {
  assert.deepEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(joinAnd), [
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
  assert.equal(joinOr(["1", "2", "3"]), "1, 2 or 3");
  assert.deepEqual(
    [0, 1, 2].map((count) => pluralize(count, "turn")),
    ["0 turns", "1 turn", "2 turns"],
  );
  assert.deepEqual(["done", "Done!"].map(asSentence), ["Done.", "Done!"]);
});

test("a clock shows tenths when time is low", () => {
  assert.deepEqual([247_900, 60_000, 20_000, 19_999, 9_340, 0].map(formatTime), [
    "4:07",
    "1:00",
    "0:20",
    "0:19.9",
    "0:09.3",
    "0:00.0",
  ]);
});

test("stars are filled and empty", () => {
  assert.deepEqual([0, 2, 3].map(starText), ["☆☆☆", "★★☆", "★★★"]);
});

test("bars go up for player 1 and down for player 2, longer when the win is near", () => {
  const { bars } = chartBars([0.2, 0.8, -0.8, 0, 0.01]);
  assert.deepEqual(
    bars.map((bar) => bar.winner),
    [1, 1, 2, 0, 1],
  );
  assert.ok(bars[1].height > bars[0].height);
  assert.equal(bars[1].y + bars[1].height, 44);
  assert.equal(bars[2].y, 44);
  assert.deepEqual([bars[3].height, bars[4].height], [2, 2]);
});

test("the verdict names the winner, and the other start if it differs", () => {
  const verdict = (...worths) =>
    verdictText(
      ["Ann", "Ben"],
      worths.map(([winner, turns]) => ({ winner, turns })),
    );
  assert.equal(verdict([1, 3], [2, 3]), "With best play, Ann goes first and wins within 3 turns.");
  assert.equal(
    verdict([2, 4], [1, 4]),
    "With best play, Ben wins within 4 turns, even though Ann goes first.",
  );
  assert.equal(
    verdict([0, null], [0, null]),
    "With best play, no one wins: the game can go on forever.",
  );
  assert.equal(
    verdict([1, 3], [1, 4]),
    "With best play, Ann goes first and wins within 3 turns. If Ben goes first, Ann wins within 4 turns.",
  );
});

test("digits of long numbers are grouped, but not in names", () => {
  assert.equal(groupDigits(1234), "1234");
  assert.equal(groupDigits(1234567), "1,234,567");
  assert.equal(fillNames("{1} is on 20000.", ["Ann12345"]), "Ann12345 is on 20,000.");
});

test("operations are shown as on paper, but not in names and in what is typed", () => {
  assert.equal(fillNames("{1} played *2", ["A*2"]), "A*2 played ×2");
  assert.equal(
    operationText('number-reach(operations="+1 *2")'),
    'number-reach(operations="+1 *2")',
  );
});

test("names are shortened only if there is no room", () => {
  const names = ["Ann", "Maximiliana"];
  assert.equal(fitNames("{2} played 3", names, 20), "Maximiliana played 3");
  assert.equal(fitNames("{2} played 3", names, 16), "Maximi… played 3");
});
