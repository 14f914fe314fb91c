// @ts-check
// The guide of the first game: three bubbles, one per turn, and one when a move is first blocked or not allowed.

import { button, element } from "./dom.js";
import { canPlay, currentView } from "./match-state.js";
import { load, save } from "./storage.js";
import { fillNames } from "./text.js";

/** @import { MatchState } from "./match-state.js" */

const STEPS = ["keys", "goal", "help"];

/** @returns {string[]} the bubbles that were closed */
const seen = () => load("guide", load("met", false) ? [...STEPS, "blocked"] : []);

/** @param {string} bubble */
export const markSeen = (bubble) => save("guide", [...seen(), bubble]);

/**
 * Return the bubble for the user's turn and its text, or null.
 *
 * @param {MatchState} state
 * @param {string[]} names
 * @param {string[]} known the bubbles that were closed
 * @returns {[string, string] | null}
 */
export function nextBubble(state, names, known) {
  if (!canPlay(state)) return null;
  const { match, you, book } = state;
  const { choices } = currentView(state).position;
  const refused = choices.find((choice) => !choice.legal && choice.why_not);
  const short = choices.find((choice) => choice.legal && choice.note);
  if ((refused || short) && !known.includes("blocked") && known.includes(STEPS[0])) {
    const why = refused
      ? `You can't play ${refused.move} now: ${fillNames(refused.why_not, names)}.`
      : `Look at ${short?.move}: ${fillNames(short?.note ?? "", names)}.`;
    return ["blocked", `${why} The key says so, too.`];
  }
  const turns = match.log.filter((ply) => you.includes(ply.player)).length;
  const step = STEPS.findIndex((bubble) => !known.includes(bubble));
  if (step < 0 || turns < step) return null;
  /** @type {Record<string, string>} */
  const texts = {
    keys: "Each arc shows where a move takes you. Press a key, or tap an arc.",
    goal: `${fillNames(book.goal, names)} Look for the flag.`,
    help: state.values
      ? "Need help? Press Hint. A mistake? Press Take back."
      : "Look at the list of moves to go back and see what happened.",
  };
  return [STEPS[step], texts[STEPS[step]]];
}

/**
 * Show the bubble for this turn, if there is one, and return its name or "".
 *
 * @param {HTMLElement} host
 * @param {MatchState} state
 * @param {string[]} names
 * @param {() => unknown} onClose
 */
export function renderBubble(host, state, names, onClose) {
  const known = seen();
  const [bubble, text] = nextBubble(state, names, known) ?? ["", ""];
  const comes = state.you.length > 0 && STEPS.some((each) => !known.includes(each));
  if (bubble || comes) host.classList.add("reserved"); // until the end of the game, nothing below it moves
  if (state.match.outcome) host.classList.remove("reserved");
  host.hidden = !bubble;
  if (bubble && host.dataset.bubble !== bubble) {
    host.replaceChildren(element("p", "", text), button("", "Got it", onClose));
  }
  host.dataset.bubble = bubble;
  return bubble;
}
