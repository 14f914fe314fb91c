// @ts-check
// Text helpers. No DOM.

/**
 * Replace {1}, {2}, … with the players' names in one pass, so that placeholders inside a name are left alone. Group the
 * digits of long numbers.
 *
 * @param {string} text
 * @param {string[]} names
 */
export function fillNames(text, names) {
  return text.replace(/\{(\d)\}|\d{5,}/g, (found, player) =>
    player ? (names[player - 1] ?? found) : groupDigits(found),
  );
}

/**
 * Return "12,345" for 12345; shorter numbers are easy to read without a comma.
 *
 * @param {string | number} number
 */
export const groupDigits = (number) =>
  String(number).replace(/\d{5,}/g, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ","));

/**
 * Join words as "a, b and c".
 *
 * @param {string[]} words
 */
export const joinAnd = (words) => joinWith(words, "and");

/**
 * Join words as "a, b or c".
 *
 * @param {string[]} words
 */
export const joinOr = (words) => joinWith(words, "or");

/**
 * @param {string[]} words
 * @param {string} conjunction
 */
function joinWith(words, conjunction) {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1)}`;
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
export const starText = (stars) => "★★★☆☆☆".slice(3 - stars, 6 - stars);
