// @ts-check
// The box at the end of a game: who won and why, the turning point, and what to do next. Loaded on demand.

import { errorText } from "./api.js";
import { button, element, link, replaceChildren, toast } from "./dom.js";
import { createMatch } from "./new-match.js";
import { startUrl } from "./page.js";
import { fillNames, starText } from "./text.js";

/** @import { MatchState } from "./match-state.js" */
/** @import { Match, Outcome } from "./messages.d.ts" */

/**
 * @typedef {object} GameOverEvents
 * @property {() => unknown} onNext
 * @property {() => unknown} onRematch
 * @property {(plies: number) => unknown} onJump
 */

/**
 * @param {HTMLElement} host
 * @param {MatchState} state
 * @param {Outcome} outcome
 * @param {string[]} names
 * @param {GameOverEvents} events
 */
export function renderGameOver(host, state, outcome, names, events) {
  const { match } = state;
  host.className = `over p${outcome.winner}`;
  const parts = [element("h2", "", titleText(outcome, state.you, names))];
  parts.push(element("p", "", fillNames(outcome.reason, names)));
  if (match.turning) parts.push(turningPoint(state, match.turning, names, events));
  if (match.rounds > 1) parts.push(element("p", "", scoreText(match, names)));
  parts.push(...progressTexts(state).map((text) => element("p", "", text)));
  const actions = element("div", "acts");
  actions.append(...actionButtons(state, events));
  replaceChildren(host, [...parts, actions]);
}

/**
 * @param {Outcome} outcome
 * @param {number[]} you
 * @param {string[]} names
 */
function titleText({ winner }, you, names) {
  if (!winner) return "No one wins.";
  if (you.length !== 1) return `${names[winner - 1]} wins!`;
  return you.includes(winner) ? "You win!" : `${names[winner - 1]} wins.`;
}

/**
 * @param {MatchState} state
 * @param {string} text
 * @param {string[]} names
 * @param {GameOverEvents} events
 */
function turningPoint({ match }, text, names, { onJump }) {
  const made = element("p", "", `${fillNames(text, names)} `);
  const at = match.turning_at;
  if (at) made.append(button("textlink", "Show me", () => onJump(at - 1)));
  return made;
}

/**
 * @param {Match} match
 * @param {string[]} names
 */
export function scoreText({ score, ended, round, rounds }, names) {
  const points = score.map((each, n) => `${names[n]} ${each}`).join(", ");
  if (!ended) return `After round ${round} of ${rounds}: ${points}.`;
  const best = Math.max(...score);
  const first = score.indexOf(best);
  const winner =
    score.lastIndexOf(best) === first ? `${names[first]} wins the match` : "It's a draw";
  return `That was the last of ${rounds} rounds. ${winner}: ${points}.`;
}

/**
 * The stars of this game, and what it changed in the player's progress.
 *
 * @param {MatchState} state
 */
export function progressTexts({ changes, match, you }) {
  if (!changes) return [];
  const stars =
    match.outcome && you.includes(match.outcome.winner) ? [starText(changes.stars)] : [];
  return [...stars, ...changes.sentences];
}

/**
 * @param {MatchState} state
 * @param {GameOverEvents} events
 */
function actionButtons(state, { onNext, onRematch }) {
  const { match, you, changes } = state;
  const level = changes?.level ?? 0;
  const before = match.next_levels?.drawn ?? 0;
  const plays = you.length > 0;
  const made = [];
  if (match.round < match.rounds && plays) made.push(button("button main", "Next round", onNext));
  if (match.rematch) {
    const title = plays ? "Go to the new game" : "Watch the new game";
    made.push(link("button main", title, `/play/${match.rematch}`));
  } else if (match.ended && plays) {
    if (level && before && !match.own_book) {
      const title = level > before ? "Play a stronger one" : "Play an easier one";
      made.push(button("button main", title, () => playLevel(match, level)));
    }
    const offered = match.offers.some((offer) => offer.what === "rematch");
    if (!offered) made.push(button(made.length ? "button" : "button main", "Rematch", onRematch));
  }
  made.push(link("button", "Review", `/review/${match.id}`));
  const from = restartPly(state);
  if (from >= 0 && !match.own_book) {
    const position = from ? match.log[from - 1].position : match.start;
    made.push(
      link("button", `Play on from move ${from + 1}`, startUrl(match.variant, position, you[0])),
    );
  }
  made.push(link("button", "Other games", "/"));
  return made;
}

/**
 * Return the number of plies before the move that decided the game or, if none did, before the last move.
 *
 * @param {MatchState} state
 */
function restartPly({ match }) {
  const last = match.log.findLastIndex((ply) => ply.lands !== null || ply.move === "resign");
  return (match.turning_at || last + 1) - 1;
}

/**
 * Start a match against another level, with the same options but with the other player moving first.
 *
 * @param {Match} match
 * @param {number} level
 */
async function playLevel({ variant, first, rounds, seats, clock, assist }, level) {
  const wanted = {
    variant,
    first: (first % seats.length) + 1,
    rounds,
    seats: seats.map((seat) => (seat.bot ? { bot: `auto:${level}` } : { name: seat.name })),
    clock: clock && { seconds: clock.seconds, increment: clock.increment },
    assist,
  };
  try {
    await createMatch(wanted);
  } catch (error) {
    toast(errorText(error));
  }
}
