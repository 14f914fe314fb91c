import assert from "node:assert/strict";
import { test } from "node:test";

import { nextBubble } from "../../src/numberline/web/static/js/guide.js";
import { applySnapshot } from "../../src/numberline/web/static/js/match-state.js";
import { makeChoice, makePly, makePosition, makeSnapshot } from "./fixtures.js";

const NAMES = ["Ann", "Ben"];
const bubble = (known, changes = {}, matchChanges = {}) =>
  nextBubble(applySnapshot(null, makeSnapshot(changes, matchChanges)), NAMES, known)?.[0] ?? null;
const turns = (count) => ({
  log: Array.from({ length: count }, (_, n) => makePly(n + 1, 1, "1", n, n + 1)),
});

test("the first game has one bubble per turn", () => {
  assert.equal(bubble([]), "keys");
  assert.equal(bubble(["keys"]), null);
  assert.equal(bubble(["keys"], {}, turns(1)), "goal");
  assert.equal(bubble(["keys", "goal"], {}, turns(1)), null);
  assert.equal(bubble(["keys", "goal"], {}, turns(2)), "help");
  assert.equal(bubble(["keys", "goal", "help"], {}, turns(3)), null);
});

test("no bubble is shown to a watcher or during another player's turn", () => {
  assert.equal(bubble([], { you: [] }), null);
  assert.equal(bubble([], { position: makePosition([0, 0], 2) }), null);
});

test("the first move that is blocked or not allowed is explained once", () => {
  const refused = makeChoice("1", 0, 1, { legal: false, lands: null, why_not: "{2} just did" });
  const short = makeChoice("3", 0, 3, { lands: 2, note: "3 is taken" });
  for (const choice of [refused, short]) {
    const position = makePosition([0, 0], 1, { choices: [choice, makeChoice("2", 0, 2)] });
    assert.equal(bubble([], { position }), "keys");
    assert.equal(bubble(["keys"], { position }), "blocked");
    assert.equal(bubble(["keys", "blocked"], { position }), null);
  }
  const position = makePosition([0, 0], 1, { choices: [refused] });
  const state = applySnapshot(null, makeSnapshot({ position }));
  assert.match(nextBubble(state, NAMES, ["keys"])[1], /^You can't play 1 now: Ben just did\. /);
});
