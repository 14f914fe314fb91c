import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { MatchSocket } from "../../src/numberline/web/static/js/match-socket.js";
import { makeSnapshot } from "./fixtures.js";

class FakeWebSocket {
  static all = [];

  constructor(url) {
    this.url = url;
    this.sent = [];
    FakeWebSocket.all.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.onclose?.();
  }

  receive(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

const current = () => FakeWebSocket.all.at(-1);
let socket, received, silences;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  FakeWebSocket.all = [];
  received = [];
  silences = [];
  globalThis.WebSocket = FakeWebSocket;
  globalThis.location = { protocol: "http:", host: "localhost:8000" };
  globalThis.addEventListener = () => {};
  socket = new MatchSocket("/api/matches/m/socket", {
    onMessage: (message) => received.push(message.kind),
    onSilence: (silent) => silences.push(silent),
  });
});

afterEach(() => {
  socket.close();
  mock.timers.reset();
});

function connect() {
  current().onopen();
  current().receive(makeSnapshot());
}

test("it says hello first", () => {
  connect();
  assert.equal(current().url, "ws://localhost:8000/api/matches/m/socket");
  assert.deepEqual(current().sent, [{ kind: "hello" }]);
  assert.deepEqual(received, ["table"]);
});

test("a message before the first snapshot is sent after it", () => {
  socket.send({ kind: "move", seq: 7, move: "2" });
  assert.equal(current().sent.length, 0);
  connect();
  assert.equal(current().sent[1].move, "2");
});

test("an unanswered message is sent again with the same id, an answered one is not", () => {
  connect();
  const answered = socket.send({ kind: "move", seq: 7, move: "1" });
  const lost = socket.send({ kind: "move", seq: 7, move: "2" });
  current().receive({ kind: "ack", request: answered, seq: 8 });
  current().close();
  mock.timers.tick(1000);
  assert.equal(FakeWebSocket.all.length, 2);
  connect();
  assert.deepEqual(
    current()
      .sent.slice(1)
      .map(({ request }) => request),
    [lost],
  );
});

test("silence is reported after two seconds, and its end", () => {
  connect();
  const request = socket.send({ kind: "move", seq: 7, move: "2" });
  mock.timers.tick(1999);
  assert.equal(silences.includes(true), false);
  mock.timers.tick(1);
  assert.equal(silences.at(-1), true);
  current().receive({ kind: "ack", request, seq: 8 });
  assert.equal(silences.at(-1), false);
});

test("a question may take long", () => {
  connect();
  socket.send({ kind: "ask", seq: 7, what: "hint" });
  mock.timers.tick(7000);
  assert.equal(silences.includes(true), false);
});

test("the pause before a retry doubles", () => {
  mock.method(Math, "random", () => 0.5);
  for (const pause of [500, 1000, 2000, 4000]) {
    const before = FakeWebSocket.all.length;
    current().close();
    mock.timers.tick(pause - 1);
    assert.equal(FakeWebSocket.all.length, before, `nothing before ${pause} ms`);
    mock.timers.tick(1);
    assert.equal(FakeWebSocket.all.length, before + 1, `a retry after ${pause} ms`);
  }
  mock.restoreAll();
});

test("goodbye ends the connection, and it comes back", () => {
  connect();
  current().receive({ kind: "goodbye", sentence: "The server restarts." });
  mock.timers.tick(1000);
  assert.equal(FakeWebSocket.all.length, 2);
  assert.deepEqual(received, ["table"]);
});

test("a closed socket doesn't come back", () => {
  connect();
  socket.close();
  mock.timers.tick(20_000);
  assert.equal(FakeWebSocket.all.length, 1);
});
