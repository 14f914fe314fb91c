// @ts-check
// The box at the end of a game: who won, stars, the deciding moment, and what to do next. Loaded on demand.

import { errorText, get, matchPath } from "./api.js";
import { appearAfterWin } from "./board-celebration.js";
import { $, announce, button, element, link, replaceChildren, setDisabled, toast } from "./dom.js";
import { findPlace, startStep } from "./ladder.js";
import { reasonText, scoreText } from "./match-text.js";
import { createMatch } from "./new-match.js";
import { startUrl } from "./page.js";
import { progress, stepOf, wasHelped } from "./progress.js";
import { save } from "./storage.js";
import { fillNames, starText } from "./text.js";

/** @import { LadderPlace } from "./ladder.js" */
/** @import { MatchState } from "./match-state.js" */
/** @import { CreateMatchRequest, Ending, LadderStep, Match, Outcome, Review } from "./messages.d.ts" */

/**
 * @typedef {object} GameOverEvents
 * @property {() => unknown} onNext
 * @property {() => unknown} onRematch
 * @property {(plies: number) => unknown} onJump
 */

const FIRST_STAR_MS = 500;
const STAR_MS = 300;

export { findPlace };

/** The ending that was loaded last, and the state of the match that it belongs to. */
const loaded = { key: "", ending: /** @type {Ending | null} */ (null) };

/**
 * Return what the server says about the end of the game; null if it doesn't answer.
 *
 * @param {MatchState} state
 */
export async function loadEnding({ match, you }) {
  const key = [match.id, match.round, match.log.length, match.marks?.length, ...you].join(" ");
  if (loaded.key !== key) {
    const helped = wasHelped(`${match.id}-${match.round}`);
    /** @type {Ending | null} */
    const ending = await get(`${matchPath(match.id)}/ending?helped=${helped}`).catch(() => null);
    Object.assign(loaded, { key: ending ? key : "", ending });
  }
  return loaded.ending;
}

/**
 * @param {HTMLElement} host
 * @param {MatchState} state
 * @param {{ outcome: Outcome, ending: Ending | null, place: LadderPlace | null }} end
 * @param {string[]} names
 * @param {GameOverEvents} events
 */
export function renderGameOver(host, state, { outcome, ending, place }, names, events) {
  const { match } = state;
  host.className = `over p${outcome.winner}`;
  const reason = reasonText(outcome.reason, state.you, names);
  const headline = element("h2", "", ending ? fillNames(ending.headline, names) : reason);
  const parts = [headline];
  headline.id = "over-title";
  if (ending) parts.push(element("p", "", reason));
  const missing = ending?.missing.replace(/\bundo\b/, "take back") ?? ""; // the name of the button
  if (ending && ending.stars !== null) parts.push(renderStars(ending.stars, missing));
  else if (missing) parts.push(element("p", "", missing));
  if (ending?.moment) parts.push(decidingMoment(state, ending, names, events));
  if (match.rounds > 1) parts.push(element("p", "", scoreText(match, names)));
  for (const text of state.changes?.sentences ?? []) parts.push(element("p", "", text));
  const actions = element("div", "acts");
  actions.append(...actionButtons(state, events, ending, place));
  replaceChildren(host, [...parts, actions]);
  announceOnce(`${match.id}-${match.round}`, [
    headline.textContent ?? "",
    ending ? reason : "",
    typeof ending?.stars === "number" ? `${ending.stars} of 3 stars. ${missing}` : "",
    fillNames(ending?.moment ?? "", names),
  ]);
}

let announced = "";

/**
 * Read out the result of a round when it is shown for the first time.
 *
 * @param {string} round
 * @param {string[]} texts
 */
function announceOnce(round, texts) {
  if (announced === round) return;
  announced = round;
  announce(texts.filter(Boolean).join(" "));
}

/**
 * @param {number} stars
 * @param {string} missing what the missing stars need
 */
function renderStars(stars, missing) {
  const made = element("p", "", missing);
  const drawn = element("span", "stars");
  [...starText(stars)].forEach((symbol, n) => {
    const star = element("span", "", symbol);
    appearAfterWin(star, FIRST_STAR_MS + n * STAR_MS);
    drawn.append(star);
  });
  drawn.append(" ");
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", `${stars} of 3 stars`);
  made.prepend(drawn);
  return made;
}

/**
 * A winner isn't shown the mistake of the loser.
 *
 * @param {MatchState} state
 * @param {Ending} ending
 * @param {string[]} names
 * @param {GameOverEvents} events
 */
function decidingMoment({ match, you }, { moment, winner }, names, { onJump }) {
  const made = element("p", "", `${fillNames(moment, names)} `);
  const at = match.turning_at;
  const show = async () => {
    await onJump(Number(at) - 1);
    $("board").scrollIntoView({ block: "nearest" });
  };
  if (at && !(you.length === 1 && you.includes(winner)))
    made.append(button("textlink", "Show me", show));
  return made;
}

/**
 * @param {MatchState} state
 * @param {GameOverEvents} events
 * @param {Ending | null} ending
 * @param {LadderPlace | null} place
 */
function actionButtons(state, { onNext, onRematch }, ending, place) {
  const { match, you, changes } = state;
  const next = place?.next;
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
      made.push(button("button main", title, () => playAgain(match, `auto:${level}`)));
    }
    if (place && next && (ending?.stars || progress().ladder?.[place.step.id]))
      made.push(button("button main", `Next step: ${next.title}`, () => playStep(next)));
    const again = place ? () => playStep(place.step) : onRematch; // a step always has the same first player
    const asked = match.offers.some(({ what, seat }) => what === "rematch" && you.includes(seat));
    if (match.practice && match.seats.every(({ bot }, n) => bot || you.includes(n + 1)))
      made.push(button("button main", "New game", () => playAgain(match, null)));
    const look = made.length ? "button" : "button main";
    const title = match.practice ? "Again from the same place" : "Rematch";
    const rematch = button(look, title, () => !rematch.ariaDisabled && again());
    setDisabled(rematch, asked); // it keeps the focus
    made.push(rematch);
  }
  const retry = ending?.retry;
  if (retry) made.push(button("button", "Try that move again", () => playRetry(match, retry)));
  made.push(link("button", "Review", `/review/${match.id}`));
  const from = restartPly(state);
  if (from >= 0 && !retry && !match.own_book) {
    const position = from ? match.log[from - 1].position : match.start;
    made.push(
      link("button", `Play on from move ${from + 1}`, startUrl(match.variant, position, you[0])),
    );
  }
  made.push(link("button", "Other games", "/"));
  return made;
}

/**
 * Return the number of plies before the mistake that decided the game, or before a resignation; -1 for none, and for a
 * mistake of the loser, which a winner isn't shown.
 *
 * @param {MatchState} state
 */
function restartPly({ match, you }) {
  if (match.log.at(-1)?.move === "resign") return match.log.length - 1;
  const clean = you.length === 1 && match.outcome?.winner === you[0];
  return (clean ? 0 : (match.turning_at ?? 0)) - 1;
}

/** @param {LadderStep} step */
const playStep = (step) => startStep(step).catch((error) => toast(errorText(error)));

/**
 * Start a match from before the decisive mistake, against the same opponent.
 *
 * @param {Match} match
 * @param {NonNullable<Ending["retry"]>} retry
 */
async function playRetry(match, { position, said }) {
  save("task", { of: match.id, start: position, said, tried: false });
  /** @type {Partial<CreateMatchRequest>} */
  const changes = { start: position, rounds: 1, clock: null };
  if (match.own_book) {
    /** @type {Review} */
    const { source } = await get(`${matchPath(match.id)}/review`);
    if (source !== null) changes.source = source;
  }
  return playAgain(match, null, changes, stepOf(match.id));
}

/**
 * Start a match with the same options, but with the other player moving first.
 *
 * @param {Match} match
 * @param {string | null} bot the bot to play against; if null, the same one
 * @param {Partial<CreateMatchRequest>} [changes]
 * @param {string} [step] the ladder step that it is, if any
 */
async function playAgain(match, bot, changes = {}, step = "") {
  const { variant, first, rounds, seats, clock, assist } = match;
  const wanted = {
    variant,
    first: (first % seats.length) + 1,
    rounds,
    seats: seats.map((seat) => (seat.bot ? { bot: bot ?? seat.bot } : { name: seat.name })),
    clock: clock && { seconds: clock.seconds, increment: clock.increment },
    assist,
    ...changes,
  };
  try {
    await createMatch(wanted, step);
  } catch (error) {
    toast(errorText(error));
  }
}
