// The keys: one real button for every move of a position; the refused ones say why. One tab stop, arrows go from key to key.
//
//   const keys = new Keys(host, { onMove(move), onPoint(move | null), onToken(token) });
//   keys.show(view, options)   view as for the board; options = { values: show them (true), token: the chosen token,
//                              names, disabled: nothing can be played now (false), pending: the move being sent (null) };
//                              what isn't given stays as it was
//   keys.point(move | null)    makes one key stand out
//   keys.focus()               puts the focus on the key that the tab stop is on

import { kindOf, tokensOf } from "./board.js";
import { element, fill } from "./dom.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Keys {
  constructor(host, { onMove = () => {}, onPoint = () => {}, onToken = () => {} } = {}) {
    this.host = host;
    this.heard = { onMove, onPoint, onToken };
    this.together = this.longest = 1;
    this.judged = false;
    this.options = { values: true, token: null, names: [], disabled: false, pending: null };
    host.classList.add("keys");
    host.setAttribute("role", "group");
    host.addEventListener("keydown", (event) => this.walk(event));
    new ResizeObserver(() => this.arrange()).observe(host);
  }

  show(view, options = {}) {
    Object.assign(this.options, options);
    const held = this.host.contains(document.activeElement) ? document.activeElement.dataset.move : null;
    const worth = new Map((this.options.values && view.values?.moves || []).map((each) => [each.move, each]));
    const tokens = tokensOf(view), several = tokens.length > 1;
    this.judged = worth.size > 0;
    this.longest = Math.max(1, ...view.position.choices.map((choice) => choice.move.length));
    this.together = several ? view.position.choices.filter((choice) => choice.token === tokens[0]).length : view.position.choices.length || 1;
    this.host.classList.toggle("disabled", this.options.disabled);
    this.host.replaceChildren(...view.position.choices.map((choice) => this.key(choice, worth.get(choice.move), several)));
    this.arrange();
    const all = [...this.host.children];
    const stop = all.find((each) => each.dataset.move === held) ?? all.find((each) => !each.hasAttribute("aria-disabled")) ?? all[0];
    for (const each of all) each.tabIndex = each === stop ? 0 : -1;
    if (held !== null) stop?.focus({ preventScroll: true });
  }

  // Rows of equal length, and the moves of one token together; what a key needs depends on how long its move is.
  arrange() {
    const pad = matchMedia("(max-width: 40rem)").matches, wide = this.host.clientWidth, gap = pad ? 7 : 11;
    const least = pad ? 84 : 96 + 13 * this.longest + (this.judged ? 56 : 0);
    const rows = Math.ceil(this.together / Math.max(1, Math.floor((wide + gap) / (least + gap))));
    const columns = Math.ceil(this.together / rows);
    this.host.style.setProperty("--columns", columns);
    this.host.classList.toggle("tight", !pad && wide / columns < least + 40);
  }

  point(move) {
    for (const each of this.host.children) each.classList.toggle("pointed", each.dataset.move === move);
  }

  focus() {
    this.host.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  key(choice, judged, several) {
    const { disabled, names, pending, token } = this.options, off = disabled || !choice.legal;
    const made = element("button", `key ${kindOf(judged?.worth)}${choice.legal ? "" : " refused"}${pending === choice.move ? " pending" : ""}`);
    made.type = "button";
    made.dataset.move = choice.move;
    if (several && choice.token !== null && choice.token !== token) made.classList.add("other");
    const where = element("span", "where", choice.legal ? whither(choice) : fill(choice.why_not, names));
    const note = choice.legal ? fill(choice.note, names) : "";
    if (note) where.append(element("small", "", note));
    made.append(element("span", "what", choice.move), where);
    if (judged) made.append(chip(judged.worth));
    made.setAttribute("aria-label", label(choice, judged, names));
    if (off) made.setAttribute("aria-disabled", "true");
    made.addEventListener("click", () => off || this.heard.onMove(choice.move));
    for (const what of ["focus", "pointerenter"]) {
      made.addEventListener(what, (event) => (event.pointerType ?? "mouse") === "mouse" && choice.token !== null && choice.legal && this.heard.onToken(choice.token));
    }
    made.addEventListener("focus", () => this.stop(made));
    for (const [what, move] of [["pointerenter", choice.move], ["focus", choice.move], ["pointerleave", null], ["blur", null]]) {
      made.addEventListener(what, (event) => (event.pointerType ?? "mouse") === "mouse" && this.heard.onPoint(off ? null : move));
    }
    return made;
  }

  stop(key) {
    for (const each of this.host.children) each.tabIndex = each === key ? 0 : -1;
  }

  walk(event) {
    const all = [...this.host.children], here = all.indexOf(document.activeElement);
    const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : here + (STEPS[event.key] ?? NaN);
    if (here < 0 || Number.isNaN(to) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    all[(to + all.length) % all.length].focus();
  }
}

function whither(choice) {
  if (choice.lands === null || choice.token === null) return "nothing moves";
  return choice.lands === choice.place ? `stays on ${choice.lands}` : `to\u00a0${choice.lands}`;
}

function chip(worth) {
  const made = element("span", "chip", `${worth.letter}${worth.shape}`);
  if (worth.turns !== null) made.append(element("small", "", worth.turns));
  made.title = worth.said;
  return made;
}

// "3: to 12; wins in at most 7 turns", or why it can't be played.
export function label(choice, judged, names) {
  if (!choice.legal) return `${choice.move}: ${fill(choice.why_not, names)}`;
  const where = [whither(choice).replace("\u00a0", " "), fill(choice.note, names)].filter(Boolean).join(", ");
  const spoken = fill(choice.spoken, names) || (where ? `${choice.move}: ${where}` : choice.move);
  return judged ? `${spoken}; ${fill(judged.worth.said, names)}` : spoken;
}
