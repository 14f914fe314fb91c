// What the page of a match says, in sentences.
//
//   turnInWords(state, names)                "Your move, Ann."
//   whenInWords(moves)                       "After move 3"
//   moveInWords(state, names, plies, own)    what was just played, and what that means now
//   newsOf(before, state, names)             what is new at the table besides moves; "" where nothing is
//   tossed(state, names)                     "The coin says: Ann begins."

import { fill } from "./dom.js";
import { wishOf } from "./parts.js";

export const tossed = ({ match }, names) => `The coin says: ${names[match.first - 1]} begins.`;

export const whenInWords = (moves) => (moves ? `After move ${moves}` : "At the start");

export function turnInWords({ match, position, you }, names) {
  const who = names[position.turn - 1];
  if (match.outcome) return "The game is over.";
  const begins = match.tossed && !match.log.length && match.round === 1 ? `${tossed({ match }, names)} ` : "";
  if (!you.includes(position.turn)) return begins || `${who} is to move.`;
  return begins + (you.length > 1 ? `${who}, it is your move.` : `Your move, ${who}.`);
}

export function moveInWords(state, names, plies, own) {
  const { match, position, you } = state;
  const told = plies.map((ply) => `${fill(ply.told, names)}. `).join("");
  const next = match.outcome ? fill(match.outcome.reason, names) : you.includes(position.turn) ? turnInWords(state, names) : "";
  return `${own ? "" : told}${fill(position.said, names)} ${next}`;
}

export function newsOf(before, { match, you, sitting, withdrew }, names) {
  const came = match.seats.find((seat, n) => seat.taken && !before.seats[n].taken && !you.includes(seat.player));
  if (came) return sitting ? "" : `${names[came.player - 1]} has sat down. Have fun!`;
  if (before.round !== match.round) return `Round ${match.round} begins.`;
  if (before.log.length > match.log.length) return "The last move was taken back.";
  if (match.outcome && !before.outcome) return fill(match.outcome.reason, names); // by the clock, or somebody gave up
  const offer = match.offers.find((each) => !you.includes(each.seat) && !before.offers.some((one) => one.what === each.what));
  if (offer) return `${names[offer.seat - 1]} would like to ${wishOf(offer.what)}.`;
  const refused = before.offers.find((each) => you.includes(each.seat) && !match.offers.some((one) => one.what === each.what));
  return refused && !withdrew && !match.rematch && before.log.length === match.log.length ? declined(refused.what, match, you, names) : "";
}

function declined(what, match, you, names) {
  const others = match.seats.filter((seat) => seat.taken && !seat.bot && !you.includes(seat.player));
  const who = others.length === 1 ? names[others[0].player - 1] : "Somebody";
  return what === "takeback" ? `${who} would like the move to stay.` : `${who} would rather not play again now.`;
}
