// @ts-check
// The clocks of a match. They run in the browser between messages from the server.

/** @import { ClockData } from "./messages.d.ts" */

const LOW_MS = 20_000;
const TICK_MS = 200;

export class Clock {
  /** @param {(player: number) => unknown} onTick */
  constructor(onTick) {
    this.onTick = onTick;
    /** @type {ClockData | null} */
    this.data = null;
    this.since = 0;
    this.timer = 0;
  }

  /** @param {ClockData | null} data */
  set(data) {
    this.data = data;
    this.since = performance.now();
    clearInterval(this.timer);
    if (data?.running) this.timer = setInterval(() => this.onTick(data.running), TICK_MS);
  }

  /** @param {number} player */
  #left(player) {
    if (!this.data) return 0;
    const left = this.data.left[player - 1];
    return Math.max(
      0,
      player === this.data.running ? left - (performance.now() - this.since) : left,
    );
  }

  /**
   * Return "4:07", or "0:09.3" if time is running out, or "" if there is no clock.
   *
   * @param {number} player
   */
  text(player) {
    return this.data ? formatTime(this.#left(player)) : "";
  }

  /** @param {number} player */
  isLow(player) {
    return this.data !== null && this.#left(player) < LOW_MS;
  }
}

/** @param {number} ms */
export function formatTime(ms) {
  const low = ms < LOW_MS;
  const seconds = low ? Math.floor(ms / 100) / 10 : Math.floor(ms / 1000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)}:${rest < 10 ? "0" : ""}${low ? rest.toFixed(1) : rest}`;
}
