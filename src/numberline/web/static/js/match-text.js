// @ts-check
// Sentences for the match page. No DOM.

import { firstIsNews } from "./match-state.js";
import { asSentence, fillNames, joinAnd, pluralize } from "./text.js";

/** @import { Match, OfferKind, Ply, Position, Seat } from "./messages.d.ts" */
/** @import { MatchState } from "./match-state.js" */

/** @param {number} plies */
export const momentText = (plies) => (plies ? `After move ${plies}` : "At the start");

/**
 * @param {MatchState} state
 * @param {string[]} names
 */
export function firstText({ match, you }, names) {
  const name = names[match.first - 1];
  if (match.tossed) return `The coin says: ${name} goes first.`;
  const start = match.practice ? "from this place" : "this time";
  return you.includes(match.first) ? `You start ${start}.` : `${name} starts ${start}.`;
}

/**
 * Return a sentence that says whose turn it is.
 *
 * @param {MatchState} state
 * @param {string[]} names
 */
export function turnText(state, names) {
  const { match, position, you, pending, silent } = state;
  const name = names[position.turn - 1];
  if (match.outcome) return "The game is over.";
  if (pending && silent) return `Your ${pending.move} is on its way.`;
  const first = firstIsNews(state, 1) ? firstText(state, names) : "";
  if (!you.includes(position.turn)) return first || `It's ${name}'s turn.`;
  if (you.length > 1) return `${first} ${name}, it's your turn.`.trimStart();
  return first ? `${first} Your turn.` : `Your turn, ${name}.`;
}

/**
 * Say what a move did, in the past tense.
 *
 * @param {Pick<Ply, "told">} ply
 * @param {string[]} names
 */
export const happenedText = (ply, names) => asSentence(fillNames(ply.told, names));

/**
 * The players' names, with "you" for the only player in this browser.
 *
 * @param {number[]} you
 * @param {string[]} names
 */
const spokenNames = (you, names) =>
  names.map((name, n) => (you.length === 1 && you[0] === n + 1 ? "you" : name));

/**
 * Say why the game is over, to the only player in this browser or to all.
 *
 * @param {string} reason
 * @param {number[]} you
 * @param {string[]} names
 */
export function reasonText(reason, you, names) {
  const text = asSentence(fillNames(reason, spokenNames(you, names)));
  if (you.length !== 1 || !reason.startsWith(`{${you[0]}} `)) return text;
  return text.replace(/\bhas\b/, "have").replace(/\bis\b/, "are");
}

/**
 * Describe the position and whose turn it is, for screen readers.
 *
 * @param {MatchState} state
 * @param {string[]} names
 */
export const situationText = (state, names) =>
  `${fillNames(state.position.said, names)} ${turnText(state, names)}`.trim();

/**
 * Describe the move just played and the resulting situation, for screen readers. The box at the end, which isn't shown
 * while looking back, says the result.
 *
 * @param {MatchState} state
 * @param {string[]} names
 * @param {Ply[]} plies
 * @param {boolean} own a player needn't hear their own move, unless something stopped it
 */
export function moveText(state, names, plies, own) {
  const { match, position, you, past } = state;
  const announced = own ? plies.filter((ply) => ply.wanted !== ply.lands) : plies;
  const called = spokenNames(you, names);
  const played = announced.map((ply) => happenedText(ply, called));
  const next = match.outcome && past ? [reasonText(match.outcome.reason, you, names)] : [];
  if (!match.outcome && you.includes(position.turn)) next.push(turnText(state, names));
  return [...played, fillNames(position.said, names), ...next].join(" ");
}

/**
 * Describe what is new in a snapshot apart from moves, and from what the box at the end says; "" if nothing is.
 *
 * @param {Match} before
 * @param {MatchState} state
 * @param {string[]} names
 */
export function newsText(before, { match, you, past, joining, withdrew }, names) {
  const joined = match.seats.find(
    (seat, n) => seat.taken && !before.seats[n].taken && !you.includes(seat.player),
  );
  if (joined) return joining ? "" : `${names[joined.player - 1]} is here. Have fun!`;
  if (before.round !== match.round) return `Round ${match.round} starts.`;
  if (before.log.length > match.log.length) return undoneText(before.log.length - match.log.length);
  if (match.outcome && !before.outcome)
    return past ? reasonText(match.outcome.reason, you, names) : ""; // a timeout or a resignation
  const made = match.offers.find(({ what }) => !hasOffer(before, what));
  if (made)
    return you.includes(made.seat)
      ? ownOfferText(made.what)
      : offerText(made.what, names[made.seat - 1]);
  const gone = before.offers.find(({ what, seat }) => you.includes(seat) && !hasOffer(match, what));
  const declined = gone && !withdrew && !match.rematch && before.log.length === match.log.length;
  return declined ? declinedText(gone.what, match, you, names) : "";
}

/** @param {number} count */
const undoneText = (count) =>
  count > 1 ? `The last ${count} moves were undone.` : "The last move was undone.";

/**
 * @param {Match} match
 * @param {OfferKind} what
 */
const hasOffer = (match, what) => match.offers.some((offer) => offer.what === what);

/** @param {OfferKind} what */
export const ownOfferText = (what) =>
  `You asked to ${what === "takeback" ? "take back a move" : "play again"}. Waiting for an answer.`;

/**
 * @param {OfferKind} what
 * @param {string} name
 */
export const offerText = (what, name) =>
  what === "takeback" ? `${name} wants to take back a move.` : `${name} wants to play again.`;

/**
 * @param {OfferKind} what
 * @param {Match} match
 * @param {number[]} you
 * @param {string[]} names
 */
function declinedText(what, match, you, names) {
  const others = match.seats.filter(
    (seat) => seat.taken && !seat.bot && !you.includes(seat.player),
  );
  const name = others.length === 1 ? names[others[0].player - 1] : "Another player";
  return what === "takeback" ? `${name} declined the takeback.` : `${name} declined a rematch.`;
}

/** @param {number} count */
export const watchersText = (count) =>
  count === 0 ? "" : count === 1 ? "1 person is watching." : `${count} people are watching.`;

/**
 * Say how a player left the game; "" for a player who is still in it.
 *
 * @param {number} player
 * @param {Match} match
 * @param {Position} position
 */
export function outText(player, match, position) {
  const left = match.log.find((ply) => ply.player === player && ply.move === "resign");
  if (left) return isTimeout(left) ? "out of time" : "resigned";
  return position.out.includes(player) ? "out of the game" : "";
}

/**
 * Return whether a ply is a timeout, which is recorded as a resignation with a different sentence.
 *
 * @param {Ply} ply
 */
export const isTimeout = (ply) => ply.move === "resign" && ply.said.endsWith("ran out of time.");

/**
 * @param {Match} match
 * @param {string[]} names
 */
export function scoreText({ score, ended, round, rounds }, names) {
  const points = joinAnd(score.map((each, n) => `${names[n]} has ${pluralize(each, "point")}`));
  if (!ended) return `After round ${round} of ${rounds}: ${points}.`;
  const best = Math.max(...score);
  const first = score.indexOf(best);
  const winner =
    score.lastIndexOf(best) === first ? `${names[first]} wins the match` : "It's a draw";
  return `That was the last of ${rounds} rounds. ${winner}: ${points}.`;
}

/**
 * Say who has a seat, to a player or to a watcher.
 *
 * @param {Seat} seat
 * @param {number[]} you
 */
export function seatText(seat, you) {
  if (you.includes(seat.player)) return you.length > 1 ? "here" : "you";
  if (seat.bot?.startsWith("auto")) return you.length ? "just right for you" : "computer";
  if (seat.bot) return seat.bot.replace(":", " ");
  if (!seat.taken) return "not here yet";
  if (!seat.present) return "away";
  return you.length ? "your friend" : "playing";
}
