import assert from "node:assert/strict";
import { test } from "node:test";

import { applySnapshot } from "../../src/numberline/web/static/js/match-state.js";
import {
  moveText,
  newsText,
  outText,
  reasonText,
  scoreText,
  seatText,
  turnText,
  watchersText,
} from "../../src/numberline/web/static/js/match-text.js";
import { makePly, makeSnapshot } from "./fixtures.js";

const NAMES = ["Ann", "Ben"];
const loaded = (changes, matchChanges) => applySnapshot(null, makeSnapshot(changes, matchChanges));
const news = (before, after, changes = {}) =>
  newsText(makeSnapshot({}, before).match, { ...loaded({}, after), ...changes }, NAMES);

test("the turn is told to the player, to two players here, and to others", () => {
  assert.equal(turnText(loaded(), NAMES), "Your turn, Ann.");
  assert.equal(turnText(loaded({ you: [1, 2] }), NAMES), "Ann, it's your turn.");
  assert.equal(turnText(loaded({ you: [] }), NAMES), "It's Ann's turn.");
  assert.equal(
    turnText(loaded({}, { outcome: { winner: 1, reason: "" } }), NAMES),
    "The game is over.",
  );
});

test("the coin is told before the first move", () => {
  assert.equal(
    turnText(loaded({}, { tossed: true }), NAMES),
    "The coin says: Ann goes first. Your turn.",
  );
  const log = [makePly(1, 1, "2", 0, 2)];
  assert.equal(turnText(loaded({}, { tossed: true, log }), NAMES), "Your turn, Ann.");
});

test("against the computer, who starts is told before the first move", () => {
  const { seats } = loaded().match;
  const match = { seats: [seats[0], { ...seats[1], bot: "easy" }] };
  assert.equal(turnText(loaded({}, match), NAMES), "You start this time. Your turn.");
  const position = { ...loaded().position, turn: 2 };
  const other = loaded({ position }, { ...match, first: 2 });
  assert.equal(turnText(other, NAMES), "Ben starts this time.");
});

test("practice says that it starts from the middle", () => {
  const { seats } = loaded().match;
  const match = { seats: [seats[0], { ...seats[1], bot: "easy" }], practice: true };
  assert.equal(turnText(loaded({}, match), NAMES), "You start from this place. Your turn.");
});

test("an own move isn't read again", () => {
  const plies = [makePly(1, 2, "2", 0, 2)];
  assert.equal(
    moveText(loaded(), NAMES, plies, false),
    "Ben just played 2. Ann is on 0. Ben is on 0. Your turn, Ann.",
  );
  assert.equal(moveText(loaded(), NAMES, plies, true), "Ann is on 0. Ben is on 0. Your turn, Ann.");
});

test("an own move that was stopped is read, and says you", () => {
  const told = "{1} wanted 2, but {2} stood there, so {1} stopped on 1";
  const plies = [{ ...makePly(1, 1, "2", 0, 1), wanted: 2, told }];
  assert.match(
    moveText(loaded(), NAMES, plies, true),
    /^You wanted 2, but Ben stood there, so you stopped on 1\. /,
  );
});

test("the end is told to the only player here, or to all", () => {
  const reasons = ["{1} reached 5.", "{1} has no move left.", "{1} went past the goal and is out."];
  assert.deepEqual(
    reasons.map((reason) => reasonText(reason, [1], NAMES)),
    ["You reached 5.", "You have no move left.", "You went past the goal and are out."],
  );
  assert.equal(reasonText("{2} is out.", [1], NAMES), "Ben is out.");
  assert.equal(reasonText("{1} is out.", [1, 2], NAMES), "Ann is out.");
});

test("offers, answers to them and rounds are news", () => {
  const offer = (what, seat) => ({ offers: [{ what, seat }] });
  assert.equal(news({}, offer("takeback", 2)), "Ben wants to take back a move.");
  assert.match(news({}, offer("rematch", 1)), /^You asked to play again\. /);
  assert.equal(news(offer("takeback", 1), {}), "Ben declined the takeback.");
  assert.equal(news(offer("rematch", 1), {}), "Ben declined a rematch.");
  assert.equal(news(offer("takeback", 1), {}, { withdrew: true }), "");
  assert.equal(news({ log: [makePly(1, 1, "2", 0, 2)] }, {}), "The last move was undone.");
  const two = [makePly(1, 1, "2", 0, 2), makePly(2, 2, "1", 0, 1)];
  assert.equal(news({ log: two }, {}), "The last 2 moves were undone.");
  assert.equal(news({}, { round: 2 }), "Round 2 starts.");
});

test("the box at the end says the result, unless the player looks back", () => {
  const outcome = { winner: 2, reason: "{1} resigned." };
  assert.equal(news({}, { outcome }), "");
  const state = loaded({}, { outcome });
  assert.doesNotMatch(moveText(state, NAMES, [], false), /resigned/);
  const past = { plies: 0 };
  assert.equal(news({}, { outcome }, { past }), "You resigned.");
  assert.match(moveText({ ...state, past }, NAMES, [], false), /You resigned\.$/);
});

test("a new player is news, except to that player", () => {
  const seat = (player, taken) => ({ player, name: "", bot: null, taken, present: taken });
  const before = { seats: [seat(1, true), seat(2, false)] };
  assert.equal(news(before, {}), "Ben is here. Have fun!");
  assert.equal(news(before, {}, { joining: true }), "");
});

test("watchers are counted", () => {
  assert.deepEqual([0, 1, 2].map(watchersText), [
    "",
    "1 person is watching.",
    "2 people are watching.",
  ]);
});

test("who ran out of time isn't said to have resigned", () => {
  const left = (said) => {
    const { match, position } = loaded({}, { log: [{ ...makePly(1, 1, "resign", 0, 0), said }] });
    return outText(1, match, position);
  };
  assert.equal(left("{1} ran out of time."), "out of time");
  assert.equal(left("{1} resigns."), "resigned");
});

test("a move that waits for the server is on its way", () => {
  const waiting = { ...loaded(), pending: { move: "2" } };
  assert.equal(turnText({ ...waiting, silent: true }, NAMES), "Your 2 is on its way.");
  assert.equal(turnText(waiting, NAMES), "Your turn, Ann.");
});

test("the score of a match doesn't run into the names", () => {
  const { match } = loaded({}, { score: [0, 1], rounds: 3, round: 1, ended: false });
  assert.equal(
    scoreText(match, ["Player 1", "Player 2"]),
    "After round 1 of 3: Player 1 has 0 points and Player 2 has 1 point.",
  );
});

test("a seat is described from the side of who looks", () => {
  const [, friend] = loaded().match.seats;
  assert.equal(seatText(friend, [1]), "your friend");
  assert.equal(seatText(friend, []), "playing");
  assert.equal(seatText({ ...friend, bot: "auto:3" }, [1]), "just right for you");
  assert.equal(seatText({ ...friend, bot: "auto:3" }, []), "computer");
});
