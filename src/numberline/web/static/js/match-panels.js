// @ts-check
// Small parts of the match page: the bar for past positions, offers, tools, advice, and footnotes.

import { $, button, element, link, replaceChildren, setDisabled } from "./dom.js";
import { canPlay, canTakeBack, needsConsent, pastMoves } from "./match-state.js";
import { momentText, offerText, ownOfferText, watchersText } from "./match-text.js";
import { startUrl } from "./page.js";
import { fillNames, letterTokens } from "./text.js";

/** @import { Advice, MatchState } from "./match-state.js" */
/** @import { Match, OfferKind } from "./messages.d.ts" */

/** @typedef {"accept" | "decline" | "withdraw"} OfferReply */
/** @typedef {{ hint(): unknown, why(): unknown, values(): unknown, takeBack(): unknown, resign(): unknown }} Tools */

/**
 * @param {HTMLElement} host
 * @param {MatchState} state
 * @param {() => unknown} onNow
 */
export function renderPastBar(host, state, onNow) {
  const { past, match, you } = state;
  const [played, ...better] = pastMoves(state);
  host.hidden = !past;
  if (!past) return;
  const text = past.plies ? `${momentText(past.plies)} of ${match.log.length}` : momentText(0);
  const next = played ? ` Next came ${played}. Better: ${better.join(" or ")}.` : "";
  host.replaceChildren(
    element("span", "", `Looking back: ${text.charAt(0).toLowerCase()}${text.slice(1)}.${next}`),
  );
  if (!match.own_book && !past.position.outcome) {
    const url = startUrl(match.variant, past.position.position, you[0]);
    host.append(link("button", "Play on from here", url));
  }
  host.append(button("button main", "Back to the game", onNow));
}

/**
 * @param {HTMLElement} host
 * @param {MatchState} state
 * @param {string[]} names
 * @param {(kind: OfferReply, what: OfferKind) => unknown} send
 */
export function renderOffers(host, { match, you }, names, send) {
  const offers = match.offers.map(({ what, seat }) => {
    const made = element("div", "offer");
    const own = you.includes(seat);
    const text = own ? ownOfferText(what) : offerText(what, names[seat - 1]);
    made.append(element("p", "", text));
    if (own) made.append(button("", "Never mind", () => send("withdraw", what)));
    else if (you.length) {
      made.append(button("main", "Accept", () => send("accept", what)));
      made.append(button("", "Decline", () => send("decline", what)));
    }
    return made;
  });
  replaceChildren(host, offers);
}

/**
 * @param {HTMLElement} host
 * @param {MatchState} state
 * @param {Tools} tools
 */
export function renderTools(host, state, tools) {
  const { match, values, you, past, showValues } = state;
  const plays = you.length > 0 && !match.outcome;
  const buttons = [];
  if (values && plays) buttons.push(toolButton("H", "Hint", tools.hint, !canPlay(state)));
  const hasKeys = past ? past.values : values && !match.outcome; // at the end, there is no key to explain
  if (hasKeys) {
    const toggle = toolButton("V", "Values", tools.values);
    toggle.setAttribute("aria-pressed", String(showValues));
    buttons.push(toggle);
  }
  if (values && !match.outcome) buttons.push(toolButton("W", "Why?", tools.why));
  if (plays) {
    const title = needsConsent(state) ? "Ask to take back" : "Take back";
    const resign = toolButton("", "Resign…", tools.resign, !canPlay(state));
    resign.classList.add("last");
    const takeBack = toolButton("U", title, tools.takeBack, !canTakeBack(state));
    takeBack.classList.add("take-back");
    buttons.push(takeBack, resign);
  }
  host.hidden = !buttons.length;
  replaceChildren(host, buttons);
}

/**
 * @param {string} key its shortcut; "" for none
 * @param {string} text
 * @param {() => unknown} run
 * @param {boolean} [disabled]
 */
function toolButton(key, text, run, disabled = false) {
  const made = button("", "", run);
  if (key) {
    const cap = element("kbd", "", key);
    cap.setAttribute("aria-hidden", "true");
    made.append(cap);
    made.setAttribute("aria-keyshortcuts", key);
  }
  made.append(element("span", "", text));
  setDisabled(made, disabled);
  return made;
}

/**
 * @param {HTMLElement} host
 * @param {Advice | null} advice
 * @param {string[]} names
 * @param {() => unknown} onAskMove
 * @param {() => unknown} onClose
 */
export function renderAdvice(host, advice, names, onAskMove, onClose) {
  host.hidden = !advice;
  if (!advice) return;
  const text = element("p");
  text.append(
    element("b", "", advice.what === "why" ? "Why? " : "Hint "),
    fillNames(advice.text, names),
  );
  const actions = element("div", "acts");
  if (advice.what === "hint" && !advice.move)
    actions.append(button("", "Tell me the move", onAskMove));
  actions.append(button("", "Close", onClose));
  replaceChildren(host, [text, actions]);
}

/**
 * The parts that surround the list of moves.
 *
 * @param {Match} match
 * @param {number} here the number of plies before the position on the board
 */
export function renderSide(match, here) {
  const { log } = match;
  $("rounds").hidden = match.rounds < 2;
  $("rounds").textContent = `Round ${match.round} of ${match.rounds}`;
  $("none").hidden = log.length > 0;
  $("log").hidden = log.length === 0;
  $("watch").hidden = false;
  $("watching").textContent = watchersText(match.watching);
  for (const each of $("look").querySelectorAll("button")) {
    const back = ["start", "back"].includes(each.dataset.to ?? "");
    setDisabled(each, here === (back ? 0 : log.length));
  }
}

/**
 * @param {HTMLElement} host
 * @param {string[]} moves
 */
export function renderFootnotes(host, moves) {
  /**
   * @param {string[]} keys
   * @param {string} text
   */
  const note = (keys, text) => {
    const made = element("span");
    for (const key of keys) made.append(element("kbd", "", letterTokens(key)), " ");
    made.append(text);
    return made;
  };
  host.replaceChildren(
    note(moves.slice(0, 4), "play"),
    note([",", "."], "look back"),
    note(["?"], "all keys"),
  );
}
