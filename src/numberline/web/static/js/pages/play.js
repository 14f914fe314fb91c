// @ts-check
// The match page.

import { $ } from "../dom.js";
import { MatchController } from "../match-controller.js";
import { isYourTurn } from "../match-state.js";
import { turnText } from "../match-text.js";
import { copyAddress, pageSubject } from "../page.js";
import { Shortcuts } from "../shortcuts.js";

const controller = new MatchController(pageSubject(), location.hash.slice(1));
const { actions } = controller;
addEventListener("hashchange", () => controller.openInvite(location.hash.slice(1)));

/** @type {Record<string, () => unknown>} */
const jumps = {
  start: () => actions.jump(0),
  back: () => actions.step(-1),
  on: () => actions.step(1),
  now: () => actions.jump(Infinity),
};

/**
 * @param {string} title
 * @param {() => unknown} run
 */
const whenLoaded = (title, run) => ({ title, run: () => controller.loaded && run() });

new Shortcuts({
  choices: () => {
    const state = controller.loaded;
    return state && isYourTurn(state) ? state.position.choices : [];
  },
  play: (move) => actions.play(move),
  actions: {
    h: whenLoaded("hint", () => actions.askHint()),
    v: whenLoaded("show or hide move values", () => actions.toggleValues()),
    w: whenLoaded("why?", () => actions.askWhy()),
    u: whenLoaded("take back", () => actions.takeBack()),
    ArrowLeft: whenLoaded("one move back or forward", jumps.back),
    ArrowRight: whenLoaded("one move back or forward", jumps.on),
    // These also work while the arrows choose one of the keys.
    ",": whenLoaded("one move back or forward", jumps.back),
    ".": whenLoaded("one move back or forward", jumps.on),
    Home: whenLoaded("to the start or the latest move", jumps.start),
    End: whenLoaded("to the start or the latest move", jumps.now),
  },
  onTyped: (typed) => {
    const state = controller.loaded;
    if (state) controller.view.showTurn(typed ? `${typed} …` : turnText(state, controller.names));
  },
});

/** @param {boolean} on */
function setWallView(on) {
  document.body.classList.toggle("wall", on);
  $("leave-wall").hidden = !on;
  controller.view.board.fill(on);
  history.replaceState(null, "", `${location.pathname}${on ? "?view=wall" : ""}${location.hash}`);
}

$("wall").addEventListener("click", () => {
  setWallView(true);
  $("leave-wall").focus({ preventScroll: true });
  document.documentElement.requestFullscreen?.().catch(() => {}); // it works without, too
});
function leaveWallView() {
  const hadFocus = [null, document.body, $("leave-wall")].includes(
    /** @type {HTMLElement | null} */ (document.activeElement),
  );
  setWallView(false);
  if (hadFocus && $("wall").offsetWidth) $("wall").focus();
  else if (hadFocus) controller.view.keypad.focus(); // a phone has no such button
  if (document.fullscreenElement) document.exitFullscreen();
}

const isWallView = () => document.body.classList.contains("wall");
$("leave-wall").addEventListener("click", leaveWallView);
document.addEventListener("fullscreenchange", () => {
  if (isWallView() && !document.fullscreenElement) leaveWallView(); // with Escape, for which the page gets no event
});
document.addEventListener("keydown", (event) => {
  const free = !event.defaultPrevented && !document.querySelector("dialog[open]");
  if (event.key === "Escape" && free && isWallView()) leaveWallView();
});
if (new URLSearchParams(location.search).get("view") === "wall") setWallView(true);

for (const each of $("look").querySelectorAll("button")) {
  each.addEventListener("click", () => controller.loaded && jumps[each.dataset.to ?? ""]());
}

$("watch-link").addEventListener("click", () => copyAddress("Anyone with it can watch."));
