// @ts-check
// Geometry of the board: which rows are drawn, and where tokens, arcs, flags and the last move go. No DOM.

import { TOKEN_HEIGHT, arcPath, hopsOf, placeLabel } from "./board-arcs.js";
import { PHONE_WIDTH, clamp, foldLine, isWithin, placeX, touchesRow } from "./board-rows.js";
import { fillNames } from "./text.js";

/** @import { BoardView, Book, Position, Token, TracedPly } from "./messages.d.ts" */
/** @import { Hop, Label } from "./board-arcs.js" */
/** @import { Row } from "./board-rows.js" */

export const RULER_HEIGHT = 44;
export const THIN_HEIGHT = 24;
export const HEAD_RADIUS = 15;
export const TIER_HEIGHT = 32;
const TRACE_HEIGHT = 34;
const TOKENS_PER_TIER = 3;
const MAX_SUM_PLACES = 200;
const LETTER_WIDTH = 4.6;

/** @typedef {Token & { slot: number, tier: number, x: number, lean: number }} PlacedToken */
/** @typedef {Hop & { d: string, tip: number | null, label: Label | null }} PlacedHop */
/** @typedef {{ player: number, x: number, leftmost: boolean }} Flag */
/** @typedef {{ text: string, x: number, y: number, anchor: "start" | "middle" | "end" } | null} Caption */
/** @typedef {{ player: number, caption: Caption, stays: boolean, from: number, to: number, y: number }} Trace */

/**
 * A row and everything drawn on it.
 *
 * @typedef {object} FullRow
 * @property {"full"} kind
 * @property {Row} row
 * @property {number} top the y coordinate of the ruler's upper edge
 * @property {number} height
 * @property {PlacedHop[]} hops
 * @property {PlacedToken[]} tokens in drawing order
 * @property {Flag[]} flags
 * @property {Trace | null} trace
 */

/** @typedef {FullRow | { kind: "thin", row: Row } | { kind: "gap", width: number, first: number, last: number }} RowLayout */

/**
 * @typedef {object} LayoutOptions
 * @property {number} width
 * @property {string[]} names
 * @property {number | null} token the token whose arcs are drawn
 * @property {boolean} values
 * @property {boolean} choices
 * @property {boolean} trace
 */

/**
 * Lay out the whole board; return null if the line has too many places for a ruler.
 *
 * @param {BoardView} view
 * @param {LayoutOptions} options
 * @returns {RowLayout[] | null}
 */
export function layoutBoard(view, options) {
  const { book, position } = view;
  const [low, high] = lineExtent(view);
  if (book.sums && high - low + 1 > MAX_SUM_PLACES) return null;
  const fold = foldLine(low, high, options.width);
  const hops = options.choices ? hopsOf(view, options.token, options.values) : [];
  const ply = options.trace ? view.ply : null;
  const withArcs = new Set(hops.flatMap((hop) => [fold.rowOf(hop.from), fold.rowOf(hop.to)]));
  const full = new Set(withArcs);
  for (const { place } of [...position.tokens, ...book.goals]) full.add(fold.rowOf(place));
  if (ply && ply.place !== null && ply.lands !== null)
    full.add(fold.rowOf(ply.place)).add(fold.rowOf(ply.lands));
  const crowd = TIER_HEIGHT * (tierCount(position) - 1);
  for (const hop of hops) hop.rise += crowd;
  const arcTop = TOKEN_HEIGHT + 22 + Math.max(crowd, ...hops.map((hop) => hop.rise));
  const numbers = [...full].filter((n) => n >= 0 && n < fold.count).sort((a, b) => a - b);
  const rows = [];
  let next = 0;
  for (const n of numbers) {
    rows.push(...quietRows(fold, next, n));
    const arcs = withArcs.has(n);
    const top = arcs ? arcTop : TOKEN_HEIGHT + 12 + crowd;
    rows.push(layoutRow(view, options, fold.row(n), arcs ? hops : [], top, ply));
    next = n + 1;
  }
  return [...rows, ...quietRows(fold, next, fold.count)];
}

/**
 * Draw rows with nothing on them as thin strips, and three or more in succession as one gap.
 *
 * @param {ReturnType<typeof foldLine>} fold
 * @param {number} from
 * @param {number} to
 * @returns {RowLayout[]}
 */
function quietRows(fold, from, to) {
  if (to - from > 2) {
    const first = fold.row(from);
    return [{ kind: "gap", width: first.width, first: first.first, last: fold.row(to - 1).last }];
  }
  return Array.from({ length: to - from }, (_, n) => ({ kind: "thin", row: fold.row(from + n) }));
}

/**
 * @param {BoardView} view
 * @param {LayoutOptions} options
 * @param {Row} row
 * @param {Hop[]} allHops
 * @param {number} top
 * @param {TracedPly | null} ply
 * @returns {FullRow}
 */
function layoutRow(view, options, row, allHops, top, ply) {
  const tokens = placeTokens(view, row);
  const lean = tokens.find((token) => token.slot === options.token)?.lean ?? 0;
  /** @type {Label[]} */
  const taken = [];
  const hops = allHops
    .filter((hop) => touchesRow(row, hop.from, hop.to))
    .map((hop) => {
      const label = isWithin(row, hop.to) ? placeLabel(hop, row, top, lean, taken) : null;
      return { ...hop, ...arcPath(hop, row, top, lean), label };
    });
  return {
    kind: "full",
    row,
    top,
    height: top + RULER_HEIGHT + (ply || row.alone ? TRACE_HEIGHT : 12),
    hops,
    tokens: tokens.reverse(),
    flags: placeFlags(view.book, row),
    trace: ply && placeTrace(ply, row, top + RULER_HEIGHT, options.names),
  };
}

/**
 * Return the lowest and highest places to draw, including any outside the line where a token stands or lands.
 *
 * @param {BoardView} view
 */
function lineExtent({ book, position }) {
  const landings = book.sums
    ? []
    : position.choices.flatMap(({ lands }) => (lands === null ? [] : [lands]));
  const places = [...book.line, ...position.tokens.map((token) => token.place), ...landings];
  return [Math.min(...places), Math.max(...places)];
}

// Tokens, flags and the last move

/**
 * Place the tokens of a row. Tokens that share a place lean apart; more than three are stacked in tiers, with those
 * of the player to move in front.
 *
 * @param {BoardView} view
 * @param {Row} row
 */
export function placeTokens({ book, position }, row) {
  const seen = new Map();
  /** @type {PlacedToken[]} */
  const tokens = [];
  for (const token of position.tokens) {
    const nth = seen.get(token.player) ?? 0;
    seen.set(token.player, nth + 1);
    const slot = book.shared ? 0 : (token.player - 1) * book.tokens + nth;
    if (isWithin(row, token.place))
      tokens.push({ ...token, slot, tier: 0, x: placeX(row, token.place), lean: 0 });
  }
  for (const token of tokens) {
    const mates = tokens.filter((mate) => mate.place === token.place);
    const isMover = (/** @type {Token} */ mate) => Number(mate.player === position.turn);
    if (mates.length > TOKENS_PER_TIER) mates.sort((a, b) => isMover(b) - isMover(a));
    token.tier = Math.floor(mates.indexOf(token) / TOKENS_PER_TIER);
  }
  const tiers = Math.max(0, ...tokens.map((token) => token.tier));
  for (let tier = 0; tier <= tiers; tier++)
    spreadHeads(
      tokens.filter((token) => token.tier === tier),
      row.width,
    );
  return tokens;
}

/**
 * Move overlapping token heads apart, but as little as possible.
 *
 * @param {PlacedToken[]} tokens
 * @param {number} width
 */
function spreadHeads(tokens, width) {
  const distance = 2 * HEAD_RADIUS + 3;
  const margin = HEAD_RADIUS + 3;
  const sorted = tokens.toSorted((a, b) => a.place - b.place);
  const at = sorted.map((token) => token.x);
  for (let pass = 0; pass < 40; pass++) {
    for (let n = 1; n < at.length; n++) {
      const short = distance - (at[n] - at[n - 1]);
      if (short > 0.1) {
        at[n - 1] -= short / 2;
        at[n] += short / 2;
      }
    }
    for (let n = 0; n < at.length; n++) {
      at[n] = clamp(at[n], margin + n * distance, width - margin - (at.length - 1 - n) * distance);
    }
  }
  sorted.forEach((token, n) => (token.lean = at[n] - token.x));
}

/** @param {Position} position */
function tierCount({ tokens }) {
  const sharing = tokens.map(({ place }) => tokens.filter((token) => token.place === place).length);
  return Math.ceil(Math.max(1, ...sharing) / TOKENS_PER_TIER);
}

/**
 * Place the flags of a row, side by side if several are at the same place.
 *
 * @param {Book} book
 * @param {Row} row
 * @returns {Flag[]}
 */
function placeFlags({ goals, line }, row) {
  const here = goals.filter((goal) => isWithin(row, goal.place));
  return here.map((goal) => {
    const mates = here.filter((mate) => mate.place === goal.place);
    const aside = (mates.indexOf(goal) - (mates.length - 1) / 2) * 8;
    return {
      player: goal.player,
      x: placeX(row, goal.place) + aside,
      leftmost: goal.place === line[0],
    };
  });
}

/**
 * Place the arrow and the caption of the last move below the ruler.
 *
 * @param {TracedPly} ply
 * @param {Row} row
 * @param {number} y
 * @param {string[]} names
 * @returns {Trace | null}
 */
export function placeTrace({ player, move, place, lands, told }, row, y, names) {
  if (place === null || lands === null || !touchesRow(row, place, lands)) return null;
  const stays = place === lands;
  const offLine = lands > row.last ? !row.closes : lands < row.first && !row.opens;
  const from = placeX(row, place);
  const to = offLine ? clamp(placeX(row, lands), 5, row.width - 5) : placeX(row, lands);
  const short = row.width < PHONE_WIDTH;
  const said = short ? `${names[player - 1]} ${move}` : fillNames(told, names);
  const text = stays && !said.includes(" stayed on ") ? `${said}, stayed` : said;
  const half = LETTER_WIDTH * text.length;
  const middle = (from + placeX(row, lands)) / 2;
  /** @type {Caption} */
  const caption = { text, x: middle, y: y + (stays ? 27 : 29), anchor: "middle" };
  if (middle < half) Object.assign(caption, { x: 3, anchor: "start" });
  else if (middle > row.width - half) Object.assign(caption, { x: row.width - 3, anchor: "end" });
  return { player, caption: offLine || isWithin(row, lands) ? caption : null, stays, from, to, y };
}
