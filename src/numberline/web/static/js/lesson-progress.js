// @ts-check
// The progress in each lesson, stored in this browser.

import { load, save } from "./storage.js";

/**
 * The first answers of one run through a lesson: whether each task was solved on the first try, whether an answer was
 * shown on request, and the stars once the run is recorded.
 *
 * @typedef {{ first: Record<string, boolean>, helped: boolean, stars: number, sentences: string[] }} Run
 */

/**
 * The steps done, the step to continue at, and the current run.
 *
 * @typedef {{ done: number[], at: number, tries: Run }} Progress
 */

/** The number of steps in every lesson. */
export const LESSON_STEPS = 5;

/** @type {Run} */
export const NEW_RUN = { first: {}, helped: false, stars: 0, sentences: [] };
/** @type {Progress} */
const NEW = { done: [], at: 1, tries: NEW_RUN };

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

/**
 * Store the first answer to a task; later ones don't count. Return the run.
 *
 * @param {Run} run
 * @param {number} task
 * @param {{ right: boolean, helped?: boolean }} answer
 * @returns {Run}
 */
export function countAnswer(run, task, { right, helped = false }) {
  return { ...run, first: { [task]: right, ...run.first }, helped: run.helped || helped };
}
