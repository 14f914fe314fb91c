// @ts-check
// The level of the computer that suits the player, and who started last against it, stored per book.

import { load, save } from "./storage.js";

const FIRST_LEVEL = 3;

/** @returns {Record<string, number>} */
const loadLevels = () => load("levels", {});

/** @param {string} variant */
const bookOf = (variant) => variant.split("(")[0];

/** @param {string} variant */
export const levelFor = (variant) => loadLevels()[bookOf(variant)] ?? FIRST_LEVEL;

/**
 * The bot that suits the player: the chameleon at the stored level.
 *
 * @param {string} variant
 */
export const autoBot = (variant) => `auto:${levelFor(variant)}`;

/** @returns {Record<string, number>} */
const loadFirsts = () => load("firsts", {});

/**
 * Who starts the next match against the computer: the players take turns.
 *
 * @param {string} variant
 * @param {number} players
 * @param {number} [favoured] who starts the first one
 */
export function nextFirst(variant, players, favoured = 1) {
  const last = loadFirsts()[bookOf(variant)];
  return last ? (last % players) + 1 : favoured;
}

/**
 * @param {string} variant
 * @param {number} first
 */
export function saveFirst(variant, first) {
  save("firsts", { ...loadFirsts(), [bookOf(variant)]: first });
}

/**
 * @param {string} variant
 * @param {number} level
 */
export function saveLevel(variant, level) {
  save("levels", { ...loadLevels(), [bookOf(variant)]: level });
}
