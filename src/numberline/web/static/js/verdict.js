// @ts-check
// The sentence that says who wins a variant with best play.

import { errorText, get, positionPath, post } from "./api.js";
import { bookNames } from "./page.js";
import { pluralize } from "./text.js";

/** @import { BookResponse, PositionResponse, Worth } from "./messages.d.ts" */

const SLOW_MS = 200;

/** The latest variant shown in each element; answers for earlier variants are ignored. */
const latest = new WeakMap();

/**
 * Find out who wins, and show the result.
 *
 * @param {HTMLElement} host
 * @param {BookResponse} found
 */
export async function showVerdict(host, found) {
  latest.set(host, found);
  /**
   * @param {string} kind
   * @param {string} text
   */
  const tell = (kind, text) => {
    if (latest.get(host) === found)
      Object.assign(host, { className: `verdict ${kind}`, textContent: text });
  };
  if (!found.solved)
    return tell("even", "This game is too big to solve here. You can still play it.");
  const slow = setTimeout(() => tell("even", "Finding out who wins …"), SLOW_MS);
  try {
    const worths = await Promise.all(openings(found).map((position) => loadWorth(found, position)));
    const winner = worths[0].winner;
    tell(winner ? `p${winner}` : "even", verdictText(bookNames(found.book), worths));
  } catch (error) {
    tell("even", errorText(error));
  } finally {
    clearTimeout(slow);
  }
}

/**
 * Return the start position and, for two players, also the one in which the other player moves first.
 *
 * @param {BookResponse} found
 */
function openings({ book, position: { position } }) {
  return book.players.length === 2 ? [position, position.replace(/^1/, "2")] : [position];
}

/**
 * @param {BookResponse} found
 * @param {string} position
 * @returns {Promise<Worth>}
 */
async function loadWorth({ book: { variant }, source }, position) {
  /** @type {PositionResponse} */
  const { values } =
    source === null
      ? await get(`${positionPath(variant, position)}&values=true`)
      : await post("/api/positions", { variant, source, position, values: true });
  if (!values?.worth) throw new Error("This game is over before it starts.");
  return values.worth;
}

/**
 * @param {string[]} names
 * @param {{ winner: number, turns: number | null }[]} worths of the start, and of the start with player 2 going first
 */
export function verdictText(names, [one, two]) {
  const first = `With best play, ${outcomeText(names, one, 1)}.`;
  if (!two || isMirrored(one, two)) return first;
  return `${first} If ${names[1]} goes first, ${outcomeText(names, two, 2)}.`;
}

/**
 * Return whether the player who goes first gets the same result on either side.
 *
 * @param {{ winner: number, turns: number | null }} one
 * @param {{ winner: number, turns: number | null }} two
 */
function isMirrored(one, two) {
  const sameSide =
    one.winner && two.winner ? one.winner + two.winner === 3 : one.winner === two.winner;
  return sameSide && one.turns === two.turns;
}

/**
 * @param {string[]} names
 * @param {{ winner: number, turns: number | null }} worth
 * @param {number} first
 */
function outcomeText(names, { winner, turns }, first) {
  const many = names.length > 2;
  if (!winner) return many ? "no player can win alone" : "no one wins: the game can go on forever";
  const name = names[winner - 1];
  const wins = `wins within ${pluralize(turns ?? 0, "turn")}${many ? ", against all the others" : ""}`;
  if (first === 2) return `${name} ${wins}`;
  return winner === first
    ? `${name} goes first and ${wins}`
    : `${name} ${wins}, even though ${names[first - 1]} goes first`;
}
