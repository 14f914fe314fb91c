// @ts-check
// The computer level that suits the player, stored for each book; the server determines the next level.

import { load, save } from "./storage.js";

const FIRST_LEVEL = 3;

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
  save("levels", { ...loadLevels(), [bookOf(variant)]: level });
}
