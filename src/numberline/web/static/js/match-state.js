// @ts-check
// State of the match page. Every function returns a new state or a derived value. No DOM.

import { distinctNames } from "./text.js";

/**
 * @import { Answer, Book, Choice, BoardView, Match, MoveEvent, Position, PositionResponse, Presence, ProgressChanges,
 *   Snapshot, Values } from "./messages.d.ts"
 */

/**
 * A move that was sent but isn't confirmed yet; `arrived` tells whether its token has reached its new place.
 *
 * @typedef {{ move: string, choice: Choice, seq: number, request: string, arrived: boolean }} PendingMove
 */

/** @typedef {{ what: Answer["what"], text: string, move: string }} Advice */

/**
 * An earlier position that the user is looking at, after `plies` plies.
 *
 * @typedef {BoardView & { plies: number }} Past
 */

/**
 * @typedef {object} MatchState
 * @property {number} seq the number of events seen
 * @property {number[]} you the seats that belong to this browser; empty for a watcher
 * @property {Book} book
 * @property {Match} match
 * @property {Position} position
 * @property {Values | null} values
 * @property {PendingMove | null} pending
 * @property {Past | null} past
 * @property {Advice | null} advice
 * @property {string | null} tapped the move that a second tap plays
 * @property {number | null} token the token whose arcs are drawn
 * @property {boolean} showValues
 * @property {boolean} invited this browser only watches, but has an invitation to a free seat
 * @property {boolean} joining this browser has just taken its seat
 * @property {boolean} withdrew this browser has just withdrawn its offer
 * @property {boolean} silent the server isn't answering
 * @property {ProgressChanges | null} changes what the finished game changed in the player's progress
 */

// Messages from the server

/**
 * Apply a snapshot of the whole match. Keep a pending move, which the socket sends again, unless later events arrived.
 *
 * @param {MatchState | null} state null before the first snapshot
 * @param {Snapshot} snapshot
 * @returns {MatchState}
 */
export function applySnapshot(state, { seq, you, book, match, position, values }) {
  const server = { seq, you, book, match, position, values, advice: null, tapped: null };
  if (!state) {
    const local = {
      pending: null,
      past: null,
      token: null,
      showValues: false,
      invited: false,
      joining: false,
      withdrew: false,
      silent: false,
      changes: null,
    };
    return { ...server, ...local };
  }
  const pending = state.pending && seq > state.pending.seq ? null : state.pending;
  const shorter = state.match.round !== match.round || state.match.log.length > match.log.length;
  const changes = match.outcome ? state.changes : null;
  return { ...state, ...server, pending, past: shorter ? null : state.past, changes };
}

/**
 * Return whether an event was already seen, is the next one, or shows that others were missed.
 *
 * @param {MatchState} state
 * @param {MoveEvent} event
 * @returns {"seen" | "next" | "gap"}
 */
export function eventOrder({ seq }, event) {
  if (event.seq <= seq) return "seen";
  return event.seq === seq + 1 ? "next" : "gap";
}

/**
 * @param {MatchState} state
 * @param {MoveEvent} event
 */
export const isOwnMove = ({ pending, you }, event) =>
  pending?.move === event.what && you.includes(event.seat);

/** @param {MoveEvent} event */
export const eventPlies = (event) => event.plies ?? [event.ply];

/**
 * Apply the next move. An event has no marks if values are hidden or not computed yet.
 *
 * @param {MatchState} state
 * @param {MoveEvent} event
 * @returns {MatchState}
 */
export function applyMove(state, event) {
  const { outcome } = event;
  /** @type {Match} */
  const match = {
    ...state.match,
    log: [...state.match.log, ...eventPlies(event)],
    outcome,
    offers: [],
  };
  match.undo = match.resign = !outcome;
  match.clock = event.clock;
  if (match.marks && event.mark) match.marks = [...match.marks, ...(event.marks ?? [event.mark])];
  if (match.series && event.point)
    match.series = [...match.series, ...(event.points ?? [event.point])];
  if (event.turning) {
    match.turning = event.turning;
    match.turning_at = event.turning_at;
  }
  const { seq, position, values } = event;
  return {
    ...state,
    seq,
    match,
    position,
    values,
    pending: null,
    advice: null,
    tapped: null,
    token: null,
  };
}

/**
 * @param {MatchState} state
 * @param {Presence} presence
 * @returns {MatchState}
 */
export function applyPresence(state, { seats, watching }) {
  const present = state.match.seats.map((seat, n) => ({ ...seat, present: seats[n] }));
  return { ...state, match: { ...state.match, seats: present, watching } };
}

/**
 * Drop the pending move if this request was rejected.
 *
 * @param {MatchState} state
 * @param {string | null} request
 * @returns {MatchState}
 */
export function rejectRequest(state, request) {
  return request !== null && state.pending?.request === request
    ? { ...state, pending: null }
    : state;
}

// The user's moves

/**
 * @param {MatchState} state
 * @param {Choice} choice
 * @param {string} request
 * @returns {MatchState}
 */
export function startMove(state, choice, request) {
  const pending = { move: choice.move, choice, seq: state.seq, request, arrived: false };
  return { ...state, pending, tapped: null, advice: null };
}

/**
 * @param {MatchState} state
 * @param {PendingMove} pending
 * @returns {MatchState}
 */
export const arrive = (state, pending) => ({ ...state, pending: { ...pending, arrived: true } });

/**
 * Return the position with the token of a pending move at its new place.
 *
 * @param {MatchState} state
 * @param {PendingMove} pending
 * @returns {Position}
 */
export function pendingPosition({ book, position }, { choice }) {
  const tokens = position.tokens.map((token) => ({ ...token }));
  const own = tokens.filter((token) => token.player === 0 || token.player === position.turn);
  const index = book.shared ? 0 : Number(choice.token) - (position.turn - 1) * book.tokens;
  if (choice.lands !== null && own[index]) own[index].place = choice.lands;
  return { ...position, tokens };
}

/**
 * @param {MatchState} state
 * @param {number} plies
 * @param {PositionResponse} found
 * @returns {MatchState}
 */
export function lookBack(state, plies, found) {
  return {
    ...state,
    past: { plies, book: state.book, ply: state.match.log[plies - 1] ?? null, ...found },
  };
}

// Derived values

/**
 * The players' names, with the labels of players of the same name. Records and reviews use the same names.
 *
 * @param {MatchState | Snapshot} state
 */
export function playerNames({ match, book }) {
  const names = match.seats.map(
    ({ name, bot }, n) => name || (bot ? "Computer" : book.players[n].name),
  );
  return distinctNames(names, book.players);
}

/** @param {MatchState} state */
export const isYourTurn = ({ match, position, you }) =>
  !match.outcome && you.includes(position.turn);

/** @param {MatchState} state */
export const canPlay = (state) => isYourTurn(state) && !state.pending && !state.past;

/**
 * Return the view that the board shows.
 *
 * @param {MatchState} state
 * @returns {BoardView}
 */
export const currentView = ({ past, book, position, values, match }) =>
  past ?? { book, position, values, ply: match.log.at(-1) ?? null };

/**
 * Return the number of plies before the position on the board.
 *
 * @param {MatchState} state
 */
export const currentPly = ({ past, match }) => past?.plies ?? match.log.length;

/** @param {MatchState} state */
export const valuesVisible = (state) => state.showValues && currentView(state).values !== null;

/**
 * Return whether the players agreed to see the values of moves at this point.
 *
 * @param {MatchState} state
 */
export const valuesAllowed = ({ match: { assist, outcome } }) =>
  assist === "on" || (assist === "after" && outcome !== null);

/**
 * Return whether another person has to agree to offers.
 *
 * @param {MatchState} state
 */
export const needsConsent = ({ match, you }) =>
  match.seats.some((seat) => seat.taken && !seat.bot && !you.includes(seat.player));

/** @param {MatchState} state */
export const canTakeBack = ({ match, you }) =>
  !match.outcome && match.log.some((ply) => you.includes(ply.player));

/**
 * Return the only legal move, if there is just one.
 *
 * @param {MatchState} state
 */
export function forcedMove(state) {
  const legal = state.position.choices.filter((choice) => choice.legal);
  return canPlay(state) && legal.length === 1 ? legal[0].move : null;
}

/**
 * Return whether it is still news who goes first: after a coin toss, or against the computer.
 *
 * @param {MatchState} state
 * @param {number} plies
 */
export function firstIsNews({ match, you }, plies) {
  const alone = you.length === 1 && match.seats.every((seat, n) => seat.bot || you.includes(n + 1));
  return (match.tossed || alone) && match.round === 1 && match.log.length < plies;
}

/**
 * Return the move that was played next in the past position on the board, and the moves that were better; [] if none
 * was, or if the game still goes on.
 *
 * @param {MatchState} state
 */
export function pastMoves({ past, match: { log, marks, outcome } }) {
  const better = (past && outcome && marks?.[past.plies]?.better) || [];
  return past && better.length ? [log[past.plies].move, ...better] : [];
}
