// @ts-check
// Arcs for moves: which ones are drawn, how high they rise, and where their labels go. No DOM.

import { clamp, placeX } from "./board-rows.js";

/** @import { BoardView, Book, Choice, Position, Worth } from "./messages.d.ts" */
/** @import { Row } from "./board-rows.js" */

export const TOKEN_HEIGHT = 42;
const MIN_RISE = 20;
/** Pixels between arcs that end at the same place. */
export const ARC_SPREAD = 6;
/** Pixels that the arc of a move that stays is wider than its ends. */
const LOOP_SPACE = 8;

/**
 * A move that is drawn as an arc.
 *
 * @typedef {object} Hop
 * @property {string} move
 * @property {number} from
 * @property {number} to
 * @property {number} direction -1 or 1
 * @property {number} spread the number of other arcs that end at the same place
 * @property {number} rise
 * @property {Worth | null} worth
 * @property {"free" | "refused" | "win" | "loss" | "even"} kind
 */

/** @typedef {{ x: number, y: number, width: number }} Label */

/**
 * Return the tokens that can move now.
 *
 * @param {Position} position
 */
export function movableTokens(position) {
  return [
    ...new Set(
      position.choices.flatMap(({ legal, token }) => (legal && token !== null ? [token] : [])),
    ),
  ];
}

/**
 * Return the token whose arcs are drawn, which is the wanted one if it can move.
 *
 * @param {Position} position
 * @param {number | null} wanted
 */
export function activeToken(position, wanted) {
  const movable = movableTokens(position);
  return wanted !== null && movable.includes(wanted) ? wanted : (movable[0] ?? null);
}

/**
 * Return the name used for a value in class names and shapes.
 *
 * @param {Worth | null | undefined} worth
 */
export function worthKind(worth) {
  if (!worth) return "";
  return worth.colour === "green" ? "win" : worth.colour === "red" ? "loss" : "even";
}

/**
 * Return the arcs of the active token; the shortest arc is the lowest.
 *
 * @param {BoardView} view
 * @param {number | null} token
 * @param {boolean} withValues
 * @returns {Hop[]}
 */
export function hopsOf({ book, position, values }, token, withValues) {
  const worths = new Map(
    values && withValues ? values.moves.map(({ move, worth }) => [move, worth]) : [],
  );
  const drawn = token ?? position.choices.find((choice) => choice.token !== null)?.token;
  const choices = position.choices
    .filter((choice) => choice.token !== null && choice.token === drawn)
    .filter((choice) => isDrawable(book, choice))
    .sort((a, b) => hopLength(a) - hopLength(b));
  const step = riseStep(choices.length);
  const level = new Map([
    [-1, 0],
    [1, 0],
  ]);
  const landings = new Map();
  return choices.map((choice) => {
    const from = Number(choice.place);
    const to = landingOf(choice);
    const direction = Number(choice.wanted) < from ? -1 : 1;
    const rise = MIN_RISE + step * Number(level.get(direction));
    level.set(direction, Number(level.get(direction)) + 1);
    const spread = choice.legal ? (landings.get(to) ?? 0) : 0;
    if (choice.legal) landings.set(to, spread + 1);
    const worth = (choice.legal && worths.get(choice.move)) || null;
    const kind = choice.legal ? worthKind(worth) || "free" : "refused";
    return { move: choice.move, from, to, direction, spread, rise, worth, kind };
  });
}

/** @param {number} arcs */
const riseStep = (arcs) => clamp(150 / Math.max(1, arcs), 20, 31);

/**
 * Return the highest rise of any arc in a game, so that the board can have the same height in every position.
 *
 * @param {Book} book
 */
export function maxRise({ choices }) {
  const moves = new Set(choices.map((move) => move.replace(/^\d+:/, "")));
  moves.delete("skip"); // it has no arc
  const left = [...moves].filter((move) => /^([L\-/]|back$)/.test(move)).length;
  const arcs = Math.max(left, moves.size - left);
  return MIN_RISE + riseStep(arcs) * Math.max(0, arcs - 1);
}

/** @param {Choice} choice */
const landingOf = (choice) => Number(choice.lands ?? choice.wanted);

/** @param {Choice} choice */
const hopLength = (choice) => Math.abs(Number(choice.wanted) - Number(choice.place));

/**
 * Return whether to draw a move: an illegal one only if it ends on the line, a legal sum only if it isn't past the end.
 *
 * @param {Book} book
 * @param {Choice} choice
 */
function isDrawable({ line: [low, high], sums }, choice) {
  const to = landingOf(choice);
  return choice.legal ? !sums || to <= high : to >= low && to <= high;
}

/**
 * Return the path of an arc, and the place for the dot at its end.
 *
 * @param {Hop} hop
 * @param {Row} row
 * @param {number} top
 * @param {number} lean
 */
export function arcPath(hop, row, top, lean) {
  const from = placeX(row, hop.from) + lean;
  if (hop.from === hop.to) {
    const y = top - TOKEN_HEIGHT - 2;
    const side = 9 + 7 * hop.spread;
    const middle = clamp(from, row.left + side + LOOP_SPACE, row.right - side - LOOP_SPACE);
    const [left, right, peak] = [middle - side, middle + side, y - hop.rise * 1.3];
    return {
      d: `M${left} ${y + 8}C${left - 12} ${peak} ${right + 12} ${peak} ${right} ${y + 8}`,
      tip: null,
    };
  }
  const to = placeX(row, hop.to) + hop.spread * ARC_SPREAD;
  const peak = top - TOKEN_HEIGHT - 6 - hop.rise * 1.34;
  return {
    d: `M${from} ${top - TOKEN_HEIGHT - 4}C${from} ${peak} ${to} ${peak} ${to} ${top - 11}`,
    tip: to,
  };
}

/**
 * Place a label on its arc. If another label is in the way, move it outwards or, at the end of the row, upwards.
 *
 * @param {Hop} hop
 * @param {Row} row
 * @param {number} top
 * @param {number} lean
 * @param {Label[]} taken the labels so far; the new one is added
 */
export function placeLabel(hop, row, top, lean, taken) {
  const width = 16 + 9 * hop.move.length + (hop.worth ? 15 : 4);
  const [min, max] = [row.left + width / 2 + 2, row.right - width / 2 - 2];
  let x = clamp((placeX(row, hop.from) + lean + placeX(row, hop.to)) / 2, min, max);
  let y = top - TOKEN_HEIGHT - 6 - hop.rise;
  /** @param {Label} other */
  const overlaps = (other) =>
    Math.abs(other.y - y) < 27 && Math.abs(other.x - x) < (other.width + width) / 2 + 2;
  for (let tries = 0; tries < 12; tries++) {
    const other = taken.find(overlaps);
    if (!other) break;
    const beside = other.x + hop.direction * ((other.width + width) / 2 + 3);
    if (beside >= min && beside <= max) x = beside;
    else y = Math.max(15, other.y - 28);
  }
  const label = { x, y, width };
  taken.push(label);
  return label;
}
