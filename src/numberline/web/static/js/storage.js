// @ts-check
// JSON in the browser's local storage. A browser that stores nothing can still play.

const PREFIX = "numberline.";
/** The key of the names of those who last played on this screen. */
export const NAMES_KEY = "here";

/**
 * @param {string} key
 * @param {unknown} value
 */
export function save(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Storage is full or switched off.
  }
}

/**
 * @template T
 * @param {string} key
 * @param {T} fallback
 * @returns {T}
 */
export function load(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/** @param {string} key */
export function remove(key) {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // Storage is switched off.
  }
}
