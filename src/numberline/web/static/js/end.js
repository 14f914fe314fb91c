// What stands there when a game is over: who won and why, where it was decided, and how to go on.
//
//   showEnd(host, state, names, { onNext, onRematch, onJump })    state has match, book, you, review | null

import { begin, keepLevel, levelFor } from "./begin.js";
import { button, element, fill, recall, redraw, remember, toast } from "./dom.js";

export function showEnd(host, state, names, heard) {
  const { match, you } = state, { outcome } = match;
  host.hidden = !outcome;
  if (!outcome) return;
  const mine = you.length === 1, won = you.includes(outcome.winner);
  host.className = `over p${outcome.winner}`;
  const title = !outcome.winner ? "Nobody wins." : mine ? (won ? "You win!" : `${names[outcome.winner - 1]} wins.`) : `${names[outcome.winner - 1]} wins!`;
  const made = [element("h2", "", title), element("p", "", fill(outcome.reason, names))];
  if (match.turning) made.push(turning(state, names, heard));
  if (match.rounds > 1) made.push(element("p", "", score(match, names)));
  const next = match.ended ? nextLevel(state) : null;
  if (next) made.push(element("p", "", next.level === next.before ? `Your next opponent is level ${next.level} again.` : `Your next opponent is level ${next.level}.`));
  redraw(host, [...made, acts(state, names, heard, next)]);
}

// Where the game was decided, with a way there.
function turning({ match, review }, names, { onJump }) {
  const made = element("p", "", `${fill(match.turning, names)} `);
  if (review?.turning_at) made.append(button("textlink", "Look there", () => onJump(review.turning_at - 1)));
  return made;
}

function score(match, names) {
  const told = match.score.map((points, n) => `${names[n]} ${points}`).join(", ");
  const best = Math.max(...match.score), first = match.score.indexOf(best), alone = match.score.lastIndexOf(best) === first;
  return match.ended ? `All ${match.rounds} rounds are played. ${alone ? `${names[first]} wins the match` : "It is a draw"}: ${told}.` : `After round ${match.round} of ${match.rounds}: ${told}.`;
}

// Against a level of the computer the next opponent follows the result of all rounds; each match counts once.
function nextLevel({ match, you }) {
  const bots = match.seats.filter((seat) => seat.bot);
  if (match.own_book || you.length !== 1 || bots.length !== 1 || match.seats.length !== 2 || !bots[0].bot.startsWith("level:")) return null;
  const before = Number(bots[0].bot.split(":")[1]), counted = recall("counted", []);
  if (!counted.includes(match.id)) {
    keepLevel(match.variant, before + Math.sign(match.score[you[0] - 1] - match.score[bots[0].player - 1]));
    remember("counted", [...counted.slice(-19), match.id]);
  }
  return { before, level: levelFor(match.variant) };
}

function acts(state, names, { onNext, onRematch }, next) {
  const { match, you } = state, made = element("div", "acts");
  const link = (kind, text, to) => Object.assign(element("a", kind, text), { href: to });
  const offered = match.offers.some((offer) => offer.what === "rematch");
  if (!match.ended && you.length) made.append(button("button main", "Next round", onNext));
  if (match.rematch) made.append(link("button main", you.length ? "Go to the new game" : "Watch the new game", `/play/${match.rematch}`));
  else if (match.ended && you.length) {
    if (next && next.level !== next.before) made.append(button("button main", `Play level ${next.level}`, () => playNext(state, next.level)));
    if (!offered) made.append(button(made.childElementCount ? "button" : "button main", "Rematch", onRematch));
  }
  made.append(link("button", "Review", `/review/${match.id}`));
  const from = startOf(state);
  if (from >= 0) made.append(link("button", `Play on from move ${from + 1}`, `/new/${encodeURIComponent(match.variant)}?start=${encodeURIComponent(from ? match.log[from - 1].position : match.start)}&seat=${you[0] ?? 1}`));
  made.append(link("button", "Other games", "/"));
  return made;
}

// After how many moves the game could have gone another way: before the move that decided it, else before the last one.
function startOf({ match, review }) {
  const last = match.log.findLastIndex((ply) => ply.lands !== null || ply.move === "resign");
  return match.own_book ? -1 : (review?.turning_at || last + 1) - 1;
}

// A new game against the level that fits now; whoever began goes second.
async function playNext({ match }, level) {
  const seats = match.seats.map((seat) => (seat.bot ? { bot: `level:${level}` } : { name: seat.name }));
  const clock = match.clock ? { seconds: match.clock.seconds, increment: match.clock.increment } : null;
  try {
    await begin({ variant: match.variant, first: (match.first % seats.length) + 1, rounds: match.rounds, seats, clock, assist: match.assist });
  } catch (error) {
    toast(error.sentence);
  }
}
