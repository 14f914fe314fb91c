import assert from "node:assert/strict";
import { before, test } from "node:test";

let matchTyped;

before(async () => {
  // settings.js draws the buttons at the top of the page as soon as it is loaded
  globalThis.HTMLElement = class {};
  const button = Object.assign(new HTMLElement(), { setAttribute() {}, addEventListener() {} });
  globalThis.document = { getElementById: () => button };
  ({ matchTyped } = await import("../../src/numberline/web/static/js/shortcuts.js"));
});

const typed = (moves, keys) => {
  let before = "";
  for (const key of keys) {
    const result = matchTyped(moves, before, key);
    if (!result || result.done) return result?.moves[0] ?? null;
    before = result.typed;
  }
  return `${before} …`;
};

test("a digit plays a move that nothing longer starts like", () => {
  assert.equal(typed(["1", "2", "3"], "2"), "2");
  assert.equal(typed(["1", "12"], "1"), "1 …");
  assert.equal(typed(["1", "12"], "12"), "12");
});

test("letters and signs are typed as they are on the buttons", () => {
  assert.equal(typed(["L1", "R1", "R2"], "r2"), "R2");
  assert.equal(typed(["+1", "*2"], "×2"), "*2");
});

test("a digit alone is enough if only one move has it", () => {
  assert.equal(typed(["+1", "*2"], "2"), "*2");
  assert.equal(typed(["L1", "R1"], "1"), null);
});

test("a key that continues no move starts again", () => {
  assert.equal(typed(["L1", "R2"], "lr2"), "R2");
  assert.equal(typed(["L1", "R2"], "x"), null);
});

test("a letter chooses the token of a move", () => {
  const moves = ["1:1", "1:2", "2:2"];
  const { typed } = matchTyped(moves, "", "b");
  assert.equal(typed, "2:");
  assert.deepEqual(matchTyped(moves, typed, "2"), { typed: "2:2", moves: ["2:2"], done: true });
});
