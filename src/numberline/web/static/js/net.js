// Talks with the server.
//
//   await api(method, path, body?)    the JSON that comes back; throws Refused { code, sentence } with the server's own sentence
//   await post(path, body)            api("POST", …)
//   new Line(path, { hello(): {since}, onFrame(frame), onQuiet(quiet) })
//     the WebSocket of a match: says hello after each connect, comes back by itself (0.5 to 8 s, with jitter), and sends
//     again what was not acknowledged, with the same id. `onQuiet(true)` after two seconds without an answer.
//     .send(frame)   sends { kind, … } with an id of its own, which is returned
//     .renew()       says hello anew, e.g. after sitting down
//     .close()       for good

export class Refused extends Error {
  constructor(code, sentence) {
    super(sentence);
    this.code = code;
    this.sentence = sentence;
  }
}

export async function api(method, path, body) {
  let answer;
  try {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Refused("offline", "The server doesn't answer. Check that it is still running, then try again.");
  }
  const text = await answer.text();
  const told = parsed(text);
  if (answer.ok) return told ?? text;
  throw new Refused(told?.code ?? "unknown", told?.sentence ?? "The server could not do that. Try again in a moment.");
}

export const post = (path, body) => api("POST", path, body);

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const QUIET = 2000, DEAD = 8000, FIRST = 500, LONGEST = 8000;

export class Line {
  constructor(path, { hello, onFrame, onQuiet = () => {} }) {
    this.address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.heard = { hello, onFrame, onQuiet };
    this.waiting = new Map(); // what was sent and not answered, by its id
    this.tries = 0;
    this.greeted = false;
    this.closed = false;
    addEventListener("online", () => this.again(0));
    this.connect();
  }

  connect() {
    if (this.closed) return;
    clearTimeout(this.retry);
    this.watch();
    const socket = (this.socket = new WebSocket(this.address));
    socket.onopen = () => socket.send(JSON.stringify({ kind: "hello", ...this.heard.hello() }));
    socket.onmessage = (message) => this.socket === socket && this.hear(JSON.parse(message.data));
    socket.onclose = () => this.socket === socket && this.lost();
  }

  hear(frame) {
    if (frame.kind === "goodbye") return this.socket.close();
    if (frame.request) this.waiting.delete(frame.request);
    if (frame.kind === "table" && !this.greeted) this.welcome();
    this.settle();
    this.heard.onFrame(frame);
  }

  welcome() {
    this.greeted = true;
    this.tries = 0;
    for (const frame of this.waiting.values()) this.socket.send(JSON.stringify(frame));
  }

  send(frame) {
    const request = unique();
    this.waiting.set(request, { ...frame, request });
    if (this.greeted) this.socket.send(JSON.stringify({ ...frame, request }));
    if (frame.kind !== "ask") this.watch();
    return request;
  }

  // Says hello anew, as somebody who has sat down.
  renew() {
    this.greeted = false;
    this.socket.onclose = null;
    this.socket.close();
    this.connect();
  }

  lost() {
    this.greeted = false;
    this.watch();
    this.again(Math.min(LONGEST, FIRST * 2 ** this.tries++) * (0.6 + 0.8 * Math.random()));
  }

  again(pause) {
    if (this.closed || this.greeted) return;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), pause);
  }

  watch() {
    this.silence ??= setTimeout(() => this.heard.onQuiet(true), QUIET);
    this.death ??= setTimeout(() => { this.death = null; this.socket.close(); this.greeted && this.lost(); }, DEAD);
  }

  settle() {
    const late = [...this.waiting.values()].some((frame) => frame.kind !== "ask"); // thinking may take its time
    if (!this.greeted || late) return;
    clearTimeout(this.silence);
    clearTimeout(this.death);
    this.silence = this.death = null;
    this.heard.onQuiet(false);
  }

  close() {
    this.closed = true;
    clearTimeout(this.retry);
    clearTimeout(this.silence);
    clearTimeout(this.death);
    this.socket.close();
  }
}

// An id that nobody else has; also where the page came by plain http, which has no randomUUID.
export function unique() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
