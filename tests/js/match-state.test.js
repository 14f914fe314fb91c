import assert from "node:assert/strict";
import { test } from "node:test";

import * as state from "../../src/numberline/web/static/js/match-state.js";
import {
  makeBook,
  makeChoice,
  makeEvent,
  makePly,
  makePosition,
  makeSnapshot,
} from "./fixtures.js";

const loaded = (changes, matchChanges) =>
  state.applySnapshot(null, makeSnapshot(changes, matchChanges));

function withPending(changes = {}) {
  const before = { ...loaded(), ...changes };
  return state.startMove(before, before.position.choices[1], "request-1");
}

test("the first snapshot makes a state without local changes", () => {
  const { seq, you, pending, past, advice } = loaded();
  assert.deepEqual({ seq, you }, { seq: 2, you: [1] });
  assert.deepEqual([pending, past, advice], [null, null, null]);
});

test("events are ordered by their seq", () => {
  const order = (seq) => state.eventOrder(loaded(), makeEvent({ seq }));
  assert.deepEqual([2, 3, 4].map(order), ["seen", "next", "gap"]);
});

test("a move is appended to the log and changes the position", () => {
  const before = loaded({}, { offers: [{ what: "takeback", seat: 2 }] });
  const after = state.applyMove({ ...before, token: 0, tapped: "2" }, makeEvent());
  assert.equal(after.seq, 3);
  assert.deepEqual(
    after.match.log.map((ply) => ply.move),
    ["2"],
  );
  assert.equal(after.position.turn, 2);
  assert.deepEqual(after.match.offers, []);
  assert.deepEqual([after.token, after.tapped], [null, null]);
  assert.equal(before.match.log.length, 0, "the state before is not changed");
});

test("lost turns that follow automatically are part of the move", () => {
  const plies = [makePly(1, 1, "2", 0, 2), makePly(2, 2, "pass", null, null)];
  const after = state.applyMove(loaded(), makeEvent({ plies }));
  assert.deepEqual(
    after.match.log.map((ply) => ply.move),
    ["2", "pass"],
  );
});

test("marks and points grow only if values are shown and were sent", () => {
  const mark = { symbol: "!", word: "good", comment: "", better: [] };
  const point = { winner: 1, plies: 3 };
  const shown = loaded({}, { marks: [], series: [point] });
  const after = state.applyMove(shown, makeEvent({ mark, point }));
  assert.deepEqual([after.match.marks, after.match.series], [[mark], [point, point]]);
  assert.equal(state.applyMove(loaded(), makeEvent({ mark, point })).match.marks, undefined);
  assert.deepEqual(state.applyMove(shown, makeEvent()).match.marks, []);
});

test("the last move ends the game", () => {
  const outcome = { winner: 1, reason: "{1} reached 20." };
  const after = state.applyMove(
    loaded(),
    makeEvent({ outcome, turning: "Move 1 decided it.", turning_at: 1 }),
  );
  assert.equal(after.match.outcome, outcome);
  assert.equal(after.match.resign, false);
  assert.equal(after.match.turning, "Move 1 decided it.");
  assert.equal(after.match.turning_at, 1);
  assert.equal(state.isYourTurn(after), false);
});

test("a pending move stops other moves until the server confirms it", () => {
  const pending = withPending();
  assert.equal(state.canPlay(loaded()), true);
  assert.equal(state.canPlay(pending), false);
  assert.equal(state.isOwnMove(pending, makeEvent()), true);
  assert.equal(state.isOwnMove(pending, makeEvent({ seat: 2 })), false);
  assert.equal(state.applyMove(pending, makeEvent()).pending, null);
});

test("only the error for its own request drops a pending move", () => {
  const pending = withPending();
  assert.equal(state.rejectRequest(pending, "other").pending, pending.pending);
  assert.equal(state.rejectRequest(pending, null).pending, pending.pending);
  assert.equal(state.rejectRequest(pending, "request-1").pending, null);
});

test("after a reconnect a pending move stays if nothing happened, and goes if something did", () => {
  const pending = withPending();
  assert.equal(state.applySnapshot(pending, makeSnapshot({ seq: 2 })).pending?.move, "2");
  assert.equal(state.applySnapshot(pending, makeSnapshot({ seq: 3 })).pending, null);
});

test("a pending move shows its token on the new place", () => {
  const pending = withPending();
  const shown = state.pendingPosition(pending, pending.pending);
  assert.deepEqual(
    shown.tokens.map((token) => token.place),
    [2, 0],
  );
  assert.deepEqual(
    pending.position.tokens.map((token) => token.place),
    [0, 0],
  );
});

test("a pending move of player 2 moves the right one of several tokens", () => {
  const token = (player, place) => ({ player, place, label: "" });
  const tokens = [token(1, 5), token(1, 6), token(2, 5), token(2, 8)];
  const choice = makeChoice("b1", 8, 7, { token: 3 });
  const position = makePosition([5, 5], 2, { tokens, choices: [choice] });
  const before = { ...loaded({ you: [2], book: makeBook({ tokens: 2 }), position }) };
  const pending = state.startMove(before, choice, "request-1");
  const shown = state.pendingPosition(pending, pending.pending);
  assert.deepEqual(
    shown.tokens.map(({ place }) => place),
    [5, 6, 5, 7],
  );
});

test("a takeback or a new round ends looking back, a move does not", () => {
  const found = { position: makePosition([0, 0]), values: null };
  const log = [makePly(1, 1, "2", 0, 2), makePly(2, 2, "1", 0, 1)];
  const looking = state.lookBack(loaded({}, { log }), 1, found);
  assert.equal(state.currentPly(looking), 1);
  assert.equal(state.currentView(looking).ply, log[0]);
  assert.equal(state.canPlay(looking), false);
  assert.notEqual(state.applyMove(looking, makeEvent()).past, null);
  assert.notEqual(state.applySnapshot(looking, makeSnapshot({}, { log })).past, null);
  assert.equal(state.applySnapshot(looking, makeSnapshot({}, { log: [log[0]] })).past, null);
  assert.equal(state.applySnapshot(looking, makeSnapshot({}, { log, round: 2 })).past, null);
});

test("presence changes the seats and the number of watchers", () => {
  const after = state.applyPresence(loaded(), {
    kind: "presence",
    seats: [true, false],
    watching: 4,
  });
  assert.deepEqual(
    after.match.seats.map((seat) => seat.present),
    [true, false],
  );
  assert.equal(after.match.watching, 4);
});

test("players are called by their names, bots by what they are", () => {
  const seats = (...bots) =>
    bots.map((bot, n) => ({
      player: n + 1,
      name: bot ? "" : "Ann",
      bot,
      taken: true,
      present: true,
    }));
  const names = (...bots) => state.playerNames(makeSnapshot({}, { seats: seats(...bots) }));
  assert.deepEqual(names(null, "level:3"), ["Ann", "Computer"]);
  assert.deepEqual(names("random", "perfect"), ["Computer A", "Computer B"]);
  const rabbit = [seats(null)[0], { ...seats(null, "easy")[1], name: "Rabbit" }];
  assert.deepEqual(state.playerNames(makeSnapshot({}, { seats: rabbit })), ["Ann", "Rabbit"]);
  assert.deepEqual(
    state.playerNames(makeSnapshot({}, { seats: [{ ...seats(null)[0], name: "" }] })),
    ["Player A"],
  );
});

test("values show only if the match allows it, they are known, and the user wants them", () => {
  const outcome = { winner: 1, reason: "" };
  assert.equal(state.valuesAllowed(loaded({}, { assist: "on" })), true);
  assert.equal(state.valuesAllowed(loaded({}, { assist: "after" })), false);
  assert.equal(state.valuesAllowed(loaded({}, { assist: "after", outcome })), true);
  assert.equal(state.valuesAllowed(loaded({}, { assist: "off", outcome })), false);
  const values = { position: "", worth: null, moves: [] };
  assert.equal(state.valuesVisible({ ...loaded(), showValues: true }), false);
  assert.equal(state.valuesVisible({ ...loaded({ values }), showValues: true }), true);
  assert.equal(state.valuesVisible(loaded({ values })), false);
});

test("a takeback needs a move of yours, and consent only of another person", () => {
  const log = [makePly(1, 2, "2", 0, 2)];
  assert.equal(state.canTakeBack(loaded({}, { log })), false);
  assert.equal(state.canTakeBack(loaded({ you: [1, 2] }, { log })), true);
  assert.equal(state.needsConsent(loaded()), true);
  assert.equal(state.needsConsent(loaded({ you: [1, 2] })), false);
});

test("a move is forced if it is the only legal one on your turn", () => {
  const only = (turn) =>
    makePosition([0, 0], turn, {
      choices: [makeChoice("1", 0, 1), makeChoice("2", 0, 2, { legal: false, lands: null })],
    });
  assert.equal(state.forcedMove(loaded({ position: only(1) })), "1");
  assert.equal(state.forcedMove(loaded({ position: only(2) })), null);
  assert.equal(state.forcedMove(loaded()), null);
});

test("a past position has the move played next and the better ones, after the game", () => {
  const log = [makePly(1, 1, "2", 0, 2)];
  const marks = [{ symbol: "?", word: "a mistake", comment: "", better: ["3"] }];
  const past = (outcome, plies) => ({ past: { plies }, match: { log, marks, outcome } });
  assert.deepEqual(state.pastMoves(past({ winner: 2 }, 0)), ["2", "3"]);
  assert.deepEqual(state.pastMoves(past({ winner: 2 }, 1)), []);
  assert.deepEqual(state.pastMoves(past(null, 0)), []);
});
