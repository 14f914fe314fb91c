// @ts-check
// The WebSocket of a match. It reconnects automatically, says hello after each connect, and resends
// unanswered messages with the same request id.

import { serverUrl } from "./base-path.js";

/** @import { ClientMessage, ServerMessage } from "./messages.d.ts" */

const SILENCE_MS = 2000; // time without an answer before onSilence(true) is called
const DEAD_MS = 8000; // time without an answer before the connection is abandoned
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 8000;

/**
 * @typedef {object} SocketEvents
 * @property {(message: ServerMessage) => unknown} onMessage
 * @property {(silent: boolean) => unknown} onSilence
 */

export class MatchSocket {
  /**
   * @param {string} path
   * @param {SocketEvents} events
   */
  constructor(path, events) {
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${serverUrl(path)}`;
    this.events = events;
    /** @type {Map<string, ClientMessage & { request: string }>} */
    this.unanswered = new Map();
    this.failures = 0;
    this.greeted = false;
    this.closed = false;
    /** @type {{ retry?: number, silence?: number, death?: number }} */
    this.timers = {};
    addEventListener("online", () => this.#reconnectIn(0));
    this.socket = this.#connect();
  }

  /**
   * Send a message now, or after the next snapshot if the connection is down; return its request id.
   *
   * @param {ClientMessage} message
   */
  send(message) {
    const request = randomId();
    this.unanswered.set(request, { ...message, request });
    if (this.greeted) this.socket.send(JSON.stringify({ ...message, request }));
    if (message.kind !== "ask") this.#startTimers();
    return request;
  }

  /** Reconnect, for example so that the server recognizes a new seat. */
  reconnect() {
    this.greeted = false;
    this.socket.onclose = null;
    this.socket.close();
    this.socket = this.#connect();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timers.retry);
    this.#stopTimers();
    this.socket.close();
  }

  #connect() {
    clearTimeout(this.timers.retry);
    this.#startTimers();
    const socket = new WebSocket(this.url);
    socket.onopen = () => socket.send(JSON.stringify({ kind: "hello" }));
    socket.onmessage = (event) => this.socket === socket && this.#receive(JSON.parse(event.data));
    socket.onclose = () => this.socket === socket && this.#retry();
    return socket;
  }

  /** @param {ServerMessage} message */
  #receive(message) {
    if (message.kind === "goodbye") return this.socket.close();
    if ("request" in message && message.request) this.unanswered.delete(message.request);
    if (message.kind === "table" && !this.greeted) this.#resend();
    if (this.greeted && !this.#isWaiting()) {
      this.#stopTimers();
      this.events.onSilence(false);
    }
    this.events.onMessage(message);
  }

  #resend() {
    this.greeted = true;
    this.failures = 0;
    for (const message of this.unanswered.values()) this.socket.send(JSON.stringify(message));
  }

  /** Return whether any message other than a question for the solver, which can take long, is unanswered. */
  #isWaiting() {
    return [...this.unanswered.values()].some((message) => message.kind !== "ask");
  }

  #retry() {
    this.greeted = false;
    this.#startTimers();
    const jitter = 0.6 + 0.8 * Math.random();
    this.#reconnectIn(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures++) * jitter);
  }

  /** @param {number} ms */
  #reconnectIn(ms) {
    if (this.closed || this.greeted) return;
    clearTimeout(this.timers.retry);
    this.timers.retry = setTimeout(() => (this.socket = this.#connect()), ms);
  }

  #startTimers() {
    this.timers.silence ??= setTimeout(() => this.events.onSilence(true), SILENCE_MS);
    this.timers.death ??= setTimeout(() => {
      this.timers.death = undefined;
      this.socket.close();
      if (this.greeted) this.#retry();
    }, DEAD_MS);
  }

  #stopTimers() {
    clearTimeout(this.timers.silence);
    clearTimeout(this.timers.death);
    this.timers.silence = this.timers.death = undefined;
  }
}

/** Return 32 random hex digits; crypto.randomUUID needs a secure context, and a page on a local network isn't one. */
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
