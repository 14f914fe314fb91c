// @ts-check
// The completed steps of each lesson, stored in this browser.

import { load, save } from "./storage.js";

/**
 * The steps done, the step to continue at, and the current run: its steps done, those missed first, and those shown.
 *
 * @typedef {{ done: number[], at: number, run: { done: number[], missed: number[], shown: number[] } }} Progress
 */

/** The number of steps in every lesson. */
export const LESSON_STEPS = 5;

/** @type {Progress} */
const NEW = { done: [], at: 1, run: { done: [], missed: [], shown: [] } };

/** @returns {Record<string, Partial<Progress>>} */
const loadAll = () => load("lessons", {});

/**
 * @param {string} variant
 * @returns {Progress}
 */
export const lessonProgress = (variant) => ({ ...NEW, ...loadAll()[variant] });

/**
 * @param {string} variant
 * @param {Partial<Progress>} changes
 */
export function saveProgress(variant, changes) {
  save("lessons", { ...loadAll(), [variant]: { ...lessonProgress(variant), ...changes } });
}
