// @ts-check
// Text helpers. No DOM.

/**
 * Replace {1}, {2}, … with the players' names in one pass, so that placeholders inside a name are left alone.
 *
 * @param {string} text
 * @param {string[]} names
 */
export function fillNames(text, names) {
  return text.replace(/\{(\d)\}/g, (placeholder, player) => names[player - 1] ?? placeholder);
}

/**
 * Join words as "a, b and c".
 *
 * @param {string[]} words
 */
export function joinAnd(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * Return "1 move" or "3 moves".
 *
 * @param {number} count
 * @param {string} noun
 */
export const pluralize = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** @param {string} text */
export function asSentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/**
 * Return stars as symbols.
 *
 * @param {number} stars
 */
export const starText = (stars) => "★".repeat(stars) + "☆".repeat(3 - stars);
