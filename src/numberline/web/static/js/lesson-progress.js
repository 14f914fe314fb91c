// @ts-check
// The completed steps of each lesson, stored in this browser.

import { load, save } from "./storage.js";

/** @typedef {{ done: number[], at: number }} Progress */

/** The number of steps in every lesson. */
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
