// @ts-check
// The user's puzzle rating and daily results, stored in this browser.

import { load, save } from "./storage.js";

/** @typedef {{ asked: number, solved: number, streak: number, best: number, rating: number }} Score */

const FIRST_RATING = 800;
export const DAILY_PUZZLES = 5;

/** Today's date in UTC, which the server also uses. */
export const today = () => new Date().toISOString().slice(0, 10);

/** @returns {Score} */
export const loadScore = () => ({
  asked: 0,
  solved: 0,
  streak: 0,
  best: 0,
  rating: FIRST_RATING,
  ...load("puzzles", {}),
});

/** @param {Score} score */
export const saveScore = (score) => save("puzzles", score);

/**
 * Return the score updated by one puzzle.
 *
 * @param {Score} score
 * @param {boolean} solved
 * @param {number} rating the new rating
 * @returns {Score}
 */
export function updateScore({ asked, solved: before, streak: run, best }, solved, rating) {
  const streak = solved ? run + 1 : 0;
  return {
    asked: asked + 1,
    solved: before + Number(solved),
    streak,
    best: Math.max(best, streak),
    rating,
  };
}

/**
 * Return whether each puzzle for a day was solved; null for puzzles that aren't answered yet.
 *
 * @param {string} day
 * @returns {(boolean | null)[]}
 */
export function loadDailyResults(day) {
  const stored = load("daily", { day: "", results: /** @type {(boolean | null)[]} */ ([]) });
  const results = stored.day === day ? stored.results : [];
  return Array.from({ length: DAILY_PUZZLES }, (_, n) => results[n] ?? null);
}

/**
 * @param {string} day
 * @param {(boolean | null)[]} results
 */
export const saveDailyResults = (day, results) => save("daily", { day, results });
