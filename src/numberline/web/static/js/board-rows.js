// @ts-check
// Folding of the line into rows. No DOM.

/** Below this width, in pixels, places are closer together and captions are short. */
export const PHONE_WIDTH = 480;
const MAX_PITCH = 56;

/**
 * A stretch of the line drawn in one row; `opens` and `closes` tell whether the line continues before or after it.
 *
 * @typedef {object} Row
 * @property {number} first
 * @property {number} last
 * @property {number} pitch pixels per place
 * @property {number} pad pixels left of the first place
 * @property {number} width
 * @property {boolean} alone
 * @property {boolean} opens
 * @property {boolean} closes
 */

/**
 * Fold the line into as few rows as possible while leaving room for a finger on every place.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} width
 */
export function foldLine(low, high, width) {
  const places = high - low + 1;
  const digits = String(high).length;
  const minPitch = width < PHONE_WIDTH ? Math.max(25, 9.6 * digits) : Math.max(29, 10.8 * digits);
  const wanted = Math.ceil(places / Math.max(4, Math.floor((width - 8) / minPitch)));
  const perRow = Math.ceil(places / wanted);
  const pitch = Math.min(MAX_PITCH, (width - 8) / perRow);
  const pad = wanted > 1 ? 4 : (width - pitch * places) / 2;
  return {
    count: Math.ceil(places / perRow),
    /** @param {number} place */
    rowOf: (place) => Math.floor((place - low) / perRow),
    /**
     * @param {number} n
     * @returns {Row}
     */
    row(n) {
      const first = low + n * perRow;
      const closes = first + perRow <= high;
      const last = closes ? first + perRow - 1 : high;
      return { first, last, pitch, pad, width, alone: wanted === 1, opens: n > 0, closes };
    },
  };
}

/**
 * @param {Row} row
 * @param {number} place
 */
export const placeX = (row, place) => row.pad + (place - row.first + 0.5) * row.pitch;

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/**
 * @param {Row} row
 * @param {number} place
 */
export const isWithin = (row, place) => place >= row.first && place <= row.last;

/**
 * @param {Row} row
 * @param {number} a
 * @param {number} b
 */
export const touchesRow = (row, a, b) => Math.max(a, b) >= row.first && Math.min(a, b) <= row.last;
