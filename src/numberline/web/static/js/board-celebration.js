// @ts-check
// The moment after a win: when its parts start, and the paper strips that fall over the board.

import { element, motionAllowed } from "./dom.js";

const CELEBRATION_MS = 2500;
const FALL_MS = 600;
const STRIPS = 14;

let startedAt = -Infinity;

/**
 * Have an element appear with a CSS animation some time after the win. An element that is drawn again continues where
 * it was; long after the win, nothing is animated.
 *
 * @param {HTMLElement | SVGElement} target
 * @param {number} ms
 */
export function appearAfterWin(target, ms) {
  const since = performance.now() - startedAt;
  if (since > CELEBRATION_MS) return;
  target.classList.add("appears");
  target.style.animationDelay = `${ms - since}ms`;
}

/**
 * Start the moment after a game; with `strips`, paper strips fall over the board, which doesn't change its size.
 *
 * @param {HTMLElement} board
 * @param {boolean} strips
 */
export function celebrate(board, strips) {
  startedAt = performance.now();
  if (!strips || !motionAllowed() || document.hidden) return;
  const { left, top, width, height } = board.getBoundingClientRect();
  const host = element("div", "strips");
  host.setAttribute("aria-hidden", "true");
  Object.assign(host.style, {
    left: `${left}px`,
    top: `${top}px`,
    width: `${width}px`,
    height: `${height}px`,
  });
  for (let n = 0; n < STRIPS; n++) {
    const strip = element("i", `paper c${n % 4}`);
    strip.style.left = `${(100 * (n + Math.random())) / STRIPS}%`;
    const turn = Math.round(Math.random() * 360);
    strip.animate(
      [
        { transform: `translateY(-20px) rotate(${turn}deg)` },
        { transform: `translateY(${height}px) rotate(${turn + 200}deg)`, opacity: 0.2 },
      ],
      { duration: FALL_MS - 200 * Math.random(), easing: "ease-in", fill: "both" },
    );
    host.append(strip);
  }
  document.body.append(host);
  setTimeout(() => host.remove(), FALL_MS);
}
