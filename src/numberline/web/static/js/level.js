// @ts-check
// The level of the computer that suits the player, stored per book: up after a win, down after a loss.

import { load, save } from "./storage.js";

const FIRST_LEVEL = 3;
export const MAX_LEVEL = 10;

/** @returns {Record<string, number>} */
const loadLevels = () => load("levels", {});

/** @param {string} variant */
const bookOf = (variant) => variant.split("(")[0];

/** @param {string} variant */
export const levelFor = (variant) => loadLevels()[bookOf(variant)] ?? FIRST_LEVEL;

/**
 * @param {string} variant
 * @param {number} level
 */
export function saveLevel(variant, level) {
  const kept = Math.max(1, Math.min(MAX_LEVEL, level));
  save("levels", { ...loadLevels(), [bookOf(variant)]: kept });
}
