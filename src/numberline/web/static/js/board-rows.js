// @ts-check
// Rows of the line: one row that slides if it is wider than the board or, for a very long line, several rows. No DOM.

/** Below this width, in pixels, places are closer together and captions are short. */
export const PHONE_WIDTH = 480;
/** A longer line folds into rows, whose number changes during a game. */
const MAX_SLIDING_PLACES = 1000;
/** Space for half a token between a place and the edge of the board. */
export const EDGE_WIDTH = 18;
const MAX_PITCH = 56;
const MIN_WHOLE_PITCH = 22;

/**
 * A stretch of the line drawn in one row; `opens` and `closes` tell whether the line continues before or after it. The
 * part from `left` to `right` is on the board; the rest can be slid into view.
 *
 * @typedef {object} Row
 * @property {number} first
 * @property {number} last
 * @property {number} pitch pixels per place
 * @property {number} pad pixels left of the first place
 * @property {number} width
 * @property {number} left
 * @property {number} right
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
  const minPitch = comfortablePitch(high, width);
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
      const visible = { left: 0, right: width };
      return {
        first,
        last,
        pitch,
        pad,
        width,
        ...visible,
        alone: wanted === 1,
        opens: n > 0,
        closes,
      };
    },
  };
}

/**
 * Return the pixels per place that leave room for the numbers and for a finger.
 *
 * @param {number} high
 * @param {number} width
 */
function comfortablePitch(high, width) {
  const digits = String(high).length;
  return width < PHONE_WIDTH ? Math.max(25, 9.6 * digits) : Math.max(29, 10.8 * digits);
}

/** @param {[number, number]} extent */
export const canSlide = ([low, high]) => high - low < MAX_SLIDING_PLACES;

/**
 * Return the whole line as one row. It is wider than the board if its places would be too narrow otherwise; the longest
 * hop always fits on the board.
 *
 * @param {[number, number]} extent the places for which there is always room
 * @param {[number, number]} drawn the places drawn now
 * @param {number} width of the board
 * @param {number} hopLength
 * @returns {{ row: Row, whole: boolean }} and whether the places of the extent fit on the board
 */
export function slidingRow([low, high], [first, last], width, hopLength) {
  const places = high - low + 1;
  const digits = String(high).length;
  const fitted = (width - 8) / places;
  const whole = fitted >= Math.max(MIN_WHOLE_PITCH, 9.6 * digits);
  const longest = (width - 2 * EDGE_WIDTH) / Math.max(1, hopLength);
  const pitch = whole
    ? Math.min(MAX_PITCH, fitted)
    : Math.max(fitted, Math.min(comfortablePitch(high, width), longest));
  const edge = whole ? (width - pitch * places) / 2 : Math.max(4, EDGE_WIDTH - pitch / 2);
  const pad = edge + (first - low) * pitch;
  const right = Math.max(width, 2 * edge + (Math.max(high, last) - low + 1) * pitch);
  const row = { first, last, pitch, pad, width: right, left: 0, right };
  return { row: { ...row, alone: true, opens: false, closes: false }, whole };
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
