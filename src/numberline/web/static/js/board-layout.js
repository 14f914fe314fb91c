// @ts-check
// Geometry of the board: which rows are drawn, and where tokens, arcs, flags and the last move go. No DOM.

import { ARC_SPREAD, TOKEN_HEIGHT, arcPath, hopsOf, maxRise, placeLabel } from "./board-arcs.js";
import {
  EDGE_WIDTH,
  PHONE_WIDTH,
  canSlide,
  clamp,
  foldLine,
  isWithin,
  placeX,
  slidingRow,
  touchesRow,
} from "./board-rows.js";
import { fitNames } from "./text.js";

/** @import { BoardView, Book, Token, TracedPly } from "./messages.d.ts" */
/** @import { Hop, Label } from "./board-arcs.js" */
/** @import { Row } from "./board-rows.js" */

export const RULER_HEIGHT = 44;
export const THIN_HEIGHT = 24;
export const HEAD_RADIUS = 15;
export const TIER_HEIGHT = 32;
export const FLAG_HEIGHT = 60;
const TRACE_HEIGHT = 34;
const ARCS_TOP = TOKEN_HEIGHT + 22;
const MAX_NATURAL_PLACES = 30;
const TOKENS_PER_TIER = 3;
const MAX_LEAN = 70;
const MAX_SUM_PLACES = 200;
const LETTER_WIDTH = 4.6;
/** How far outside the picture the arrow of a move past the end of the line ends. */
const BEYOND_PX = 12;

/** @typedef {Token & { slot: number, tier: number, x: number, lean: number }} PlacedToken */
/** @typedef {Hop & { d: string, tip: number | null, label: Label | null }} PlacedHop */
/** @typedef {{ player: number, x: number, height: number, leftmost: boolean }} Flag */
/** @typedef {{ text: string, x: number, y: number, anchor: "start" | "middle" | "end" } | null} Caption */
/** @typedef {{ player: number, caption: Caption, stays: boolean, offLine: boolean, from: number, to: number, y: number }} Trace */

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
 * How far the row is slid to the left, and from where to where its ruler goes; `overview` tells whether the whole line
 * is drawn small below it.
 *
 * @typedef {{ offset: number, max: number, ruler: [number, number], overview: boolean }} Slide
 */

/** @typedef {{ rows: RowLayout[], slide: Slide | null, top: number }} BoardLayout */

/**
 * @typedef {object} LayoutOptions
 * @property {number} width
 * @property {string[]} names
 * @property {number | null} token the token whose arcs are drawn
 * @property {boolean} values
 * @property {boolean} choices
 * @property {boolean} trace
 * @property {number | null} [offset] how far the row was slid before
 * @property {number} [top] the least height above the ruler
 */

/**
 * Lay out the whole board; return null if the line has too many places for a ruler.
 *
 * @param {BoardView} view
 * @param {LayoutOptions} options
 * @returns {BoardLayout | null}
 */
export function layoutBoard(view, options) {
  const { book } = view;
  const drawn = lineExtent(view);
  if (book.sums && drawn[1] - drawn[0] + 1 > MAX_SUM_PLACES) return null;
  const hops = options.choices ? hopsOf(view, options.token, options.values) : [];
  const ply = options.trace ? view.ply : null;
  return canSlide(bookExtent(book))
    ? layoutSliding(view, options, drawn, hops, ply)
    : layoutFolded(view, options, drawn, hops, ply);
}

/**
 * Raise the arcs above the tokens; return the height above the ruler.
 *
 * @param {BoardView} view
 * @param {LayoutOptions} options
 * @param {Hop[]} hops
 * @param {PlacedToken[]} tokens
 */
function raiseArcs({ book }, options, hops, tokens) {
  const crowd = crowdHeight(tokens);
  for (const hop of hops) hop.rise += crowd;
  const rise = Math.max(crowd, ...hops.map((hop) => hop.rise));
  return Math.max(options.top ?? 0, ARCS_TOP + rise, maxTop(book));
}

/** @param {PlacedToken[]} tokens */
const crowdHeight = (tokens) => TIER_HEIGHT * Math.max(0, ...tokens.map(({ tier }) => tier));

/**
 * Return the height above the ruler that is enough for every position of a game.
 *
 * @param {Book} book
 */
function maxTop(book) {
  const tokens = book.shared ? 1 : book.tokens * book.players.length;
  const crowd = TIER_HEIGHT * (Math.ceil(tokens / TOKENS_PER_TIER) - 1);
  return ARCS_TOP + crowd + maxRise(book);
}

/**
 * Return the width and height at which the line, or a large part of a long one, is easy to read.
 *
 * @param {Book} book
 */
export function naturalSize(book) {
  const [low, high] = bookExtent(book);
  const height = maxTop(book) + RULER_HEIGHT + TRACE_HEIGHT;
  return { width: 30 * Math.min(MAX_NATURAL_PLACES, high - low + 1), height };
}

/**
 * @param {BoardView} view
 * @param {LayoutOptions} options
 * @param {[number, number]} drawn
 * @param {Hop[]} hops
 * @param {TracedPly | null} ply
 * @returns {BoardLayout}
 */
function layoutSliding(view, options, drawn, hops, ply) {
  const ends = hops.flatMap(({ from, to }) => [from, to]);
  const hopLength = hops.length ? Math.max(...ends) - Math.min(...ends) : 0;
  const { row, whole } = slidingRow(bookExtent(view.book), drawn, options.width, hopLength);
  const top = raiseArcs(view, options, hops, placeTokens(view, row));
  const max = row.width - options.width;
  const offset = max > 0 ? chooseOffset(view, options, row, hops, ply) : 0;
  const visible = { ...row, left: offset, right: offset + options.width };
  const rows = [layoutRow(view, options, visible, hops, top, ply)];
  /** @type {[number, number]} */
  const ruler = [row.pad, placeX(row, row.last + 0.5)];
  const slide = max > 0 || !whole ? { offset, max, ruler, overview: !whole } : null;
  return { rows, slide, top };
}

/**
 * Return how far to slide the row. All arcs are visible and, if there is room, also the last move, the tokens and the
 * flags; apart from that, the row slides as little as possible.
 *
 * @param {BoardView} view
 * @param {LayoutOptions} options
 * @param {Row} row
 * @param {Hop[]} hops
 * @param {TracedPly | null} ply
 */
function chooseOffset(view, options, row, hops, ply) {
  const { book, position } = view;
  const tokens = placeTokens(view, row);
  const lean = tokens.find((token) => token.slot === options.token)?.lean ?? 0;
  const own = tokens.filter(({ player }) => player === 0 || player === position.turn);
  const last = ply && ply.place !== null && ply.lands !== null ? [[ply.place, ply.lands]] : [];
  const middle = placeX(row, own[0]?.place ?? row.first);
  const nearest = (/** @type {number} */ a, /** @type {number} */ b) =>
    Math.abs(a - middle) - Math.abs(b - middle);
  const wanted = [
    hops.flatMap(({ from, to, spread }) => [
      placeX(row, from) + lean,
      placeX(row, to) + spread * ARC_SPREAD,
    ]),
    ...last.map((ends) => ends.map((place) => placeX(row, place))),
    ...tokens
      .map((token) => token.x + token.lean)
      .sort(nearest)
      .map((x) => [x]),
    ...book.goals
      .map((goal) => placeX(row, goal.place))
      .sort(nearest)
      .map((x) => [x]),
  ];
  let [from, to] = [Infinity, -Infinity];
  for (const group of wanted) {
    const low = Math.min(from, ...group.map((x) => x - EDGE_WIDTH));
    const high = Math.max(to, ...group.map((x) => x + EDGE_WIDTH));
    if (high - low <= options.width || group === wanted[0]) [from, to] = [low, high];
  }
  const before = options.offset ?? (from + to - options.width) / 2;
  return clamp(clamp(before, to - options.width, from), 0, row.width - options.width);
}

/**
 * Fold a line that is too long to slide.
 *
 * @param {BoardView} view
 * @param {LayoutOptions} options
 * @param {[number, number]} drawn
 * @param {Hop[]} hops
 * @param {TracedPly | null} ply
 * @returns {BoardLayout}
 */
function layoutFolded(view, options, [low, high], hops, ply) {
  const { book, position } = view;
  const fold = foldLine(low, high, options.width);
  const withArcs = new Set(hops.flatMap((hop) => [fold.rowOf(hop.from), fold.rowOf(hop.to)]));
  const full = new Set(withArcs);
  for (const { place } of [...position.tokens, ...book.goals]) full.add(fold.rowOf(place));
  if (ply && ply.place !== null && ply.lands !== null)
    full.add(fold.rowOf(ply.place)).add(fold.rowOf(ply.lands));
  const numbers = [...full].filter((n) => n >= 0 && n < fold.count).sort((a, b) => a - b);
  const tokens = numbers.flatMap((n) => placeTokens(view, fold.row(n)));
  const arcsTop = raiseArcs(view, options, hops, tokens);
  const quietTop = FLAG_HEIGHT + 4 + crowdHeight(tokens);
  /** @type {RowLayout[]} */
  const rows = [];
  let next = 0;
  for (const n of numbers) {
    rows.push(...quietRows(fold, next, n));
    const arcs = withArcs.has(n);
    const top = arcs ? arcsTop : quietTop;
    rows.push(layoutRow(view, options, fold.row(n), arcs ? hops : [], top, ply));
    next = n + 1;
  }
  rows.push(...quietRows(fold, next, fold.count));
  return { rows, slide: null, top: arcsTop };
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
    flags: placeFlags(view.book, row, tokens),
    trace: ply && placeTrace(ply, row, top + RULER_HEIGHT, options.names),
  };
}

/**
 * Return the lowest and highest places that have room on the board in every position.
 *
 * @param {Book} book
 * @returns {[number, number]}
 */
function bookExtent({ line, places, sums }) {
  return sums ? line : [Math.min(line[0], places[0]), Math.max(line[1], places[1])];
}

/**
 * Return the lowest and highest places to draw, including any outside the line where a token stands or lands.
 *
 * @param {BoardView} view
 * @returns {[number, number]}
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
 * of the player to move in front. If they would have to lean too far because of their neighbours, tiers are smaller.
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
  const most = Math.min(TOKENS_PER_TIER, tokens.length);
  const onPlace = (/** @type {PlacedToken} */ { place }) =>
    tokens.filter((token) => token.place === place).length;
  const crowd = Math.max(0, ...tokens.map(onPlace));
  const maxTiers = Math.ceil(tokens.length / TOKENS_PER_TIER); // the board has no room for more
  for (let perTier = most; perTier > 0 && crowd / perTier <= maxTiers; perTier--) {
    stackTokens(tokens, perTier, position.turn, row.width);
    if (tokens.every((token) => Math.abs(token.lean) <= MAX_LEAN)) break;
  }
  return tokens;
}

/**
 * @param {PlacedToken[]} tokens
 * @param {number} perTier
 * @param {number} turn
 * @param {number} width
 */
function stackTokens(tokens, perTier, turn, width) {
  const isMover = (/** @type {Token} */ mate) => Number(mate.player === turn);
  for (const token of tokens) {
    const mates = tokens.filter((mate) => mate.place === token.place);
    if (mates.length > perTier) mates.sort((a, b) => isMover(b) - isMover(a));
    token.tier = Math.floor(mates.indexOf(token) / perTier);
  }
  const tiers = Math.max(0, ...tokens.map((token) => token.tier));
  for (let tier = 0; tier <= tiers; tier++)
    spreadHeads(
      tokens.filter((token) => token.tier === tier),
      width,
    );
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
    const before = [...at];
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
    if (before.every((x, n) => x === at[n])) break;
  }
  sorted.forEach((token, n) => (token.lean = at[n] - token.x));
}

/**
 * Place the flags of a row, side by side if several are at the same place. A flag is higher than the tokens below it.
 *
 * @param {Book} book
 * @param {Row} row
 * @param {PlacedToken[]} tokens
 * @returns {Flag[]}
 */
function placeFlags({ goals, line }, row, tokens) {
  const here = goals.filter((goal) => isWithin(row, goal.place));
  return here.map((goal) => {
    const mates = here.filter((mate) => mate.place === goal.place);
    const aside = (mates.indexOf(goal) - (mates.length - 1) / 2) * 8;
    const tiers = tokens.filter((token) => token.place === goal.place).map((token) => token.tier);
    return {
      player: goal.player,
      x: placeX(row, goal.place) + aside,
      height: FLAG_HEIGHT + TIER_HEIGHT * Math.max(0, ...tiers),
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
export function placeTrace({ player, move, place, lands, told: happened }, row, y, names) {
  if (place === null || lands === null || !touchesRow(row, place, lands)) return null;
  const stays = place === lands;
  const offLine = lands > row.last ? !row.closes : lands < row.first && !row.opens;
  const from = placeX(row, place);
  const beyond = row.width + BEYOND_PX;
  const to = offLine ? clamp(placeX(row, lands), -BEYOND_PX, beyond) : placeX(row, lands);
  const room = (row.right - row.left) / (2 * LETTER_WIDTH);
  const short = row.right - row.left < PHONE_WIDTH || fitNames(happened, names, room).length > room;
  const sentence = short ? `{${player}} played ${move}` : happened;
  const end = lands > row.last ? `, past ${row.last}` : `, before ${row.first}`;
  const stayed = stays && !sentence.includes(" stayed on ");
  const ending = offLine ? end : stayed ? ", stayed" : "";
  const text = fitNames(sentence + ending, names, room);
  const half = LETTER_WIDTH * text.length;
  const middle = (from + placeX(row, lands)) / 2;
  /** @type {Caption} */
  const caption = { text, x: middle, y: y + (stays ? 27 : 29), anchor: "middle" };
  if (middle < row.left + half) Object.assign(caption, { x: row.left + 3, anchor: "start" });
  else if (middle > row.right - half) Object.assign(caption, { x: row.right - 3, anchor: "end" });
  const shown = offLine || isWithin(row, lands) ? caption : null;
  return { player, caption: shown, stays, offLine, from, to, y };
}
