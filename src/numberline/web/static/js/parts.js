// The small parts of the page of a match, each drawn anew from the state: looking back, offers, tools, advice, the first tip.
//
//   showBack(host, state, onNow)                      the bar that says that we are looking back
//   showOffers(host, state, names, send)              what was proposed, with Accept and Decline; send(kind, what)
//   showTools(host, state, is, acts)                  the buttons below the keys; is = { ready, othersAsked, canTakeBack }
//   showAdvice(host, advice, names, onMove)           the answer to a hint or a why; onMove: "Tell me the move"
//   showTip(host, ready), met()                       the first visit: one sentence, gone after the first move
//   showSide(match, here)                             what stands around the list of moves; here: after how many we stand
//   footnotes(host, choices)                          which keys of the keyboard do what
//   wishOf(what)                                      "take the last move back", "play again"

import { $, button, element, fill, recall, redraw, remember } from "./dom.js";
import { watchingInWords } from "./seats.js";

export const wishOf = (what) => (what === "takeback" ? "take the last move back" : "play again");

export function showBack(host, { looking, match, you }, onNow) {
  host.hidden = !looking;
  if (!looking) return;
  const made = [element("span", "", looking.n ? `Looking back: after move ${looking.n} of ${match.log.length}` : "Looking back: at the start")];
  const address = `/new/${encodeURIComponent(match.variant)}?start=${encodeURIComponent(looking.position.position)}&seat=${you[0] ?? 1}`;
  if (!match.own_book && !looking.position.outcome) made.push(Object.assign(element("a", "button", "Play on from here"), { href: address }));
  host.replaceChildren(...made, button("button main", "To now", onNow));
}

export function showOffers(host, { match, you }, names, send) {
  redraw(host, match.offers.map(({ what, seat }) => {
    const made = element("div", "offer"), own = you.includes(seat);
    made.append(element("p", "", own ? `You have asked to ${wishOf(what)}. Waiting for an answer.` : `${names[seat - 1]} would like to ${wishOf(what)}.`));
    if (own) made.append(button("", "Never mind", () => send("withdraw", what)));
    else if (you.length) made.append(button("main", "Accept", () => send("accept", what)), button("", "Decline", () => send("decline", what)));
    return made;
  }));
}

export function showTools(host, { match, values, you, looking, showing }, is, acts) {
  const over = Boolean(match.outcome), plays = you.length > 0 && !over, made = [];
  if (values && plays) made.push(tool("H", "Hint", acts.hint, { off: !is.ready }));
  if (values || looking?.values) made.push(tool("V", "Values", acts.values, { pressed: showing }));
  if (values) made.push(tool("W", "Why?", acts.why));
  if (plays) made.push(tool("U", is.othersAsked ? "Ask to take back" : "Take back", acts.takeBack, { off: !is.canTakeBack }));
  if (plays) made.push(tool("", "Resign…", acts.resign, { kind: "last", off: !is.ready }));
  host.hidden = !made.length;
  redraw(host, made);
}

function tool(key, text, act, { kind = "", off = false, pressed } = {}) {
  const made = button(kind, "", act);
  if (key) {
    made.append(element("kbd", "", key));
    made.firstChild.setAttribute("aria-hidden", "true");
    made.setAttribute("aria-keyshortcuts", key);
  }
  made.append(element("span", "", text));
  if (off) made.setAttribute("aria-disabled", "true");
  if (pressed !== undefined) made.setAttribute("aria-pressed", pressed);
  return made;
}

export function showAdvice(host, advice, names, onMove) {
  host.hidden = !advice;
  if (!advice) return;
  const words = element("p");
  words.append(element("b", "", advice.what === "why" ? "Why? " : "Hint "), fill(advice.text, names));
  redraw(host, advice.what === "hint" && !advice.move ? [words, button("", "Tell me the move", onMove)] : [words]);
}

export function showTip(host, ready) {
  host.hidden = recall("met", false) || !ready;
  if (host.hidden || host.childElementCount) return;
  const words = "The arcs show where each move leads. Press a button above, or tap an arc.";
  host.append(element("p", "", words), button("", "Got it", () => {
    met(host);
    $("keys").querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }));
}

export function met(host) {
  remember("met", true);
  host.hidden = true;
}

export function showSide(match, here) {
  $("rounds").hidden = match.rounds < 2;
  $("rounds").textContent = `Round ${match.round} of ${match.rounds}`;
  $("none").hidden = match.log.length > 0;
  $("log").hidden = match.log.length === 0;
  $("watch").hidden = false;
  $("watching").textContent = match.watching ? watchingInWords(match.watching) : "";
  for (const each of $("look").children) {
    const off = ["start", "back"].includes(each.dataset.to) ? here === 0 : here === match.log.length;
    if (off) each.setAttribute("aria-disabled", "true");
    else each.removeAttribute("aria-disabled");
  }
}

export function footnotes(host, choices) {
  const note = (marks, words) => {
    const made = element("span");
    marks.forEach((mark) => made.append(element("kbd", "", mark), " "));
    made.append(words);
    return made;
  };
  host.replaceChildren(note(choices.slice(0, 4), "play"), note(["←", "→"], "look back"), note(["?"], "all keys"));
}
