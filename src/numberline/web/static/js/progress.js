// @ts-check
// The player's progress, stored in this browser. The server knows the rules: it gets the document and an event, and
// returns the new document. Events that can't be sent are kept and sent later.

import { ApiError, post } from "./api.js";
import { toast } from "./dom.js";
import { load, save } from "./storage.js";

/** @import { Progress, ProgressEvent, ProgressReply } from "./messages.d.ts" */

const KEY = "progress";
const PENDING = "progress.pending";
const DAMAGED = "progress.damaged";
/** Errors after which an event is sent again. */
const LOST_CODES = ["offline", "slow_down", "failed", "cannot_save", "unknown"];

/** The player's local date. */
export function today() {
  const now = new Date();
  const part = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}`;
}

/**
 * The stored document; a new player has an incomplete one.
 *
 * @returns {Partial<Progress>}
 */
export const progress = () => load(KEY, null) ?? oldProgress();

/** @param {string} variant */
export const bookOf = (variant) => variant.split("(")[0];

/**
 * The bot that suits the player: the chameleon at the stored level.
 *
 * @param {string} variant
 */
export function autoBot(variant) {
  const level = progress().levels?.[bookOf(variant)];
  return level && level <= 10 ? `auto:${level}` : "auto";
}

/**
 * Who starts the next match against the computer: the players take turns.
 *
 * @param {string} variant
 * @param {number} players
 * @param {number} [favoured] who starts the first one
 */
export function nextFirst(variant, players, favoured = 1) {
  const last = progress().starts?.[bookOf(variant)];
  return last ? (last % players) + 1 : favoured;
}

/** @param {string} name */
export function saveName(name) {
  if (name && name !== progress().name) record({ kind: "name", name });
}

/**
 * Add an event to the document; resolve with the reply, or with null if it will be sent later.
 *
 * @param {ProgressEvent} event
 * @returns {Promise<ProgressReply | null>}
 */
export async function record(event) {
  save(PENDING, [...pendingEvents(), event]);
  return sendPending();
}

/** @returns {ProgressEvent[]} */
const pendingEvents = () => load(PENDING, []);

/** @type {Promise<ProgressReply | null>} */
let sending = Promise.resolve(null);

/**
 * Send the events that aren't sent yet, one after another; resolve with the reply to the last one.
 *
 * @returns {Promise<ProgressReply | null>}
 */
export function sendPending() {
  sending = sending.then(sendAll, sendAll);
  return sending;
}

async function sendAll() {
  let reply = null;
  for (let event; (event = pendingEvents()[0]);) {
    try {
      reply = await update({ event });
    } catch (error) {
      if (!(error instanceof ApiError) || LOST_CODES.includes(error.code)) return null;
      reply = null; // it can never be added
    }
    save(PENDING, pendingEvents().slice(1));
  }
  return reply;
}

/**
 * Send the document with an event or an exported text, and store the reply; once more if another page changed the
 * document in between.
 *
 * @param {{ event?: ProgressEvent, text?: string }} change
 * @returns {Promise<ProgressReply>}
 */
export async function update(change = {}) {
  const sent = storedText();
  /** @type {ProgressReply} */
  const reply = await post("/api/progress", { document: parse(sent), day: today(), ...change });
  if (storedText() !== sent) return update(change);
  if (reply.notice) save(DAMAGED, sent);
  save(KEY, reply.document);
  if (reply.notice) toast(reply.notice);
  return reply;
}

/** The document as it is stored, even if it is damaged. */
function storedText() {
  try {
    return localStorage.getItem(`numberline.${KEY}`);
  } catch {
    return null;
  }
}

/** @param {string | null} text */
function parse(text) {
  if (text === null) return oldProgress();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The progress that older versions of this page stored in parts, or an empty document.
 *
 * @returns {any}
 */
function oldProgress() {
  const { best, ...puzzles } = load("puzzles", { asked: 0, solved: 0, streak: 0, best: 0 });
  const { day, results } = load("daily", { day: null, results: [] });
  const lessons = Object.entries(load("lessons", {})).filter(([, { done }]) => done.length === 5);
  return {
    version: 1,
    name: load("name", ""),
    levels: load("levels", {}),
    starts: load("firsts", {}),
    lessons: Object.fromEntries(lessons.map(([variant]) => [variant, 1])),
    puzzles: { ...puzzles, best_streak: best, daily_day: day, daily: results },
  };
}

/**
 * Whether each puzzle of a day was solved; null for puzzles that aren't answered yet.
 *
 * @param {string} day
 * @returns {(boolean | null)[]}
 */
export function dailyResults(day) {
  const { daily_day, daily = [] } = progress().puzzles ?? {};
  return Array.from({ length: 5 }, (_, n) => (daily_day === day ? (daily[n] ?? null) : null));
}

// Matches

const MAX_MATCHES = 20;

/**
 * The matches of this browser that are not over, newest first.
 *
 * @returns {string[]}
 */
export function openMatches() {
  const stored = load("matches", [load("last", "")].filter(Boolean));
  return Array.isArray(stored) ? stored : [];
}

/** @param {string} id */
export function rememberMatch(id) {
  save("matches", [id, ...openMatches().filter((each) => each !== id)].slice(0, MAX_MATCHES));
}

/** @param {string} id */
export function forgetMatch(id) {
  save(
    "matches",
    openMatches().filter((each) => each !== id),
  );
}

/** @param {string} round a match and its round */
export const wasHelped = (round) => load("helped", /** @type {string[]} */ ([])).includes(round);

/** @param {string} round */
export function markHelped(round) {
  if (!wasHelped(round)) save("helped", [...load("helped", []), round].slice(-MAX_MATCHES));
}

/**
 * The ladder step that is played in a match, or "".
 *
 * @param {string} match
 */
export const stepOf = (match) =>
  load("steps", /** @type {[string, string][]} */ ([])).find(([id]) => id === match)?.[1] ?? "";

/**
 * @param {string} match
 * @param {string} step
 */
export function rememberStep(match, step) {
  save("steps", [...load("steps", []), [match, step]].slice(-MAX_MATCHES));
}
