// @ts-check
// Text helpers. No DOM.

/**
 * Replace {1}, {2}, … with the players' names in one pass, so that placeholders inside a name are left alone. Group the
 * digits of long numbers, and show operations as on paper.
 *
 * @param {string} text
 * @param {string[]} names
 */
export function fillNames(text, names) {
  return letterTokens(text).replace(/\{(\d)\}|\*?\d+/g, (found, player) =>
    player ? (names[player - 1] ?? found) : operationText(groupDigits(found)),
  );
}

const MIN_NAME_LETTERS = 6;

/**
 * Fill in the names, shortened as far as the room needs it.
 *
 * @param {string} text
 * @param {string[]} names
 * @param {number} room in letters
 */
export const fitNames = (text, names, room) =>
  writeShort(
    (shortened) => fillNames(text, shortened),
    names,
    (written) => written.length <= room,
  );

/**
 * Write a text with names that are shortened as far as the room needs it.
 *
 * @param {(names: string[]) => string} write
 * @param {string[]} names
 * @param {(text: string) => boolean} fits
 */
export function writeShort(write, names, fits) {
  let most = Math.max(...names.map((name) => name.length));
  const shorten = (/** @type {string} */ name) =>
    name.length > most ? `${name.slice(0, most - 1).trimEnd()}…` : name;
  const written = () => write(names.map(shorten));
  while (!fits(written()) && most > MIN_NAME_LETTERS) most -= 1;
  return written();
}

/**
 * Return "×2" for "*2", as on paper. What is typed stays as it is, so the settings of a variant aren't changed.
 *
 * @param {string} text
 */
export const operationText = (text) =>
  text.includes('="') ? text : letterTokens(text).replace(/\*(?=\d)/g, "×");

/** The letters of tokens, as on the board. */
export const TOKEN_LETTERS = "abcdefghi";

let hasLetters = false;

/**
 * Show tokens as letters from now on, or don't: only in a game in which each player has several tokens.
 *
 * @param {{ tokens: number, shared: boolean }} book
 */
export function setTokenLetters({ tokens, shared }) {
  hasLetters = tokens > 1 && !shared;
}

/**
 * Replace the numbers of tokens in moves by letters: "a3" for "1:3", "b back" for "2:back".
 *
 * @param {string} text
 */
export function letterTokens(text) {
  if (!hasLetters) return text;
  const spaced = text.replace(/(?<![\w:])([1-9]):(?=back)/g, "$1: ");
  return spaced.replace(
    /(?<![\w:])([1-9]):(?= back|[-+*/LR]?\d|[-+*/LR]? …)/g,
    (_, token) => TOKEN_LETTERS[token - 1],
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

/**
 * Add the labels of players to the names that several of them have.
 *
 * @param {string[]} names
 * @param {{ label: string }[]} players
 */
export const distinctNames = (names, players) =>
  names.map((name, n) =>
    names.indexOf(name) === names.lastIndexOf(name)
      ? name
      : `${name} ${players[n].label.replace(/^P/, "")}`,
  );
