// @ts-check
// The steps of each lesson that were done, stored in this browser.

import { load, save } from "./storage.js";

/** @typedef {{ done: number[], at: number }} Progress */

/** The number of steps of the lesson of every book. */
export const LESSON_STEPS = 5;

/** @returns {Record<string, Progress>} */
const loadAll = () => load("lessons", {});

/** @param {string} variant */
export const lessonProgress = (variant) => loadAll()[variant] ?? { done: [], at: 1 };

/**
 * @param {string} variant
 * @param {Partial<Progress>} changes
 */
export function saveProgress(variant, changes) {
  save("lessons", { ...loadAll(), [variant]: { ...lessonProgress(variant), ...changes } });
}
