// @ts-check
// The part of a wide board that is visible. It slides with the tokens, and users can drag it to look around.

import { clamp } from "./board-rows.js";
import { element, motionAllowed } from "./dom.js";

/** @import { Slide } from "./board-layout.js" */

const SLIDE_MS = 320;
const MIN_DRAG_PX = 8;

export class BoardWindow {
  /**
   * @param {SVGSVGElement} content
   * @param {SVGSVGElement | null} overview
   * @param {Slide} slide
   * @param {number} scale pixels on the screen for one pixel of the layout
   */
  constructor(content, overview, { offset, max, ruler }, scale) {
    this.content = content;
    this.overview = overview;
    this.max = max;
    this.ruler = ruler;
    this.scale = scale;
    this.offset = offset;
    this.host = element("div", "window");
    this.host.append(content);
    this.#drag(this.host, -1 / scale);
    const width = content.viewBox.baseVal.width;
    if (overview) this.#drag(overview, width / overview.viewBox.baseVal.width / scale);
    this.moveTo(offset);
  }

  /** @param {number} offset in pixels of the layout */
  moveTo(offset) {
    this.offset = clamp(offset, 0, this.max);
    this.content.style.transform = `translateX(${-this.offset * this.scale}px)`;
    const right = this.offset + this.content.viewBox.baseVal.width - this.max;
    this.host.classList.toggle("more-left", this.offset > this.ruler[0]);
    this.host.classList.toggle("more-right", right < this.ruler[1]);
    const frame = this.overview?.querySelector(".frame");
    if (!this.overview || !frame) return;
    const room = this.overview.viewBox.baseVal.width - 8;
    const share = this.offset / this.content.viewBox.baseVal.width;
    frame.setAttribute("x", String(4 + share * room));
  }

  /**
   * Slide from an earlier offset to the present one.
   *
   * @param {number} before
   */
  slideFrom(before) {
    if (Math.abs(before - this.offset) < 1 || !motionAllowed()) return;
    const frames = [before, this.offset].map((offset) => ({
      transform: `translateX(${-offset * this.scale}px)`,
    }));
    this.content.animate(frames, { duration: SLIDE_MS, easing: "ease-in-out" });
  }

  /**
   * Slide while a part is dragged; a press that doesn't move is a click.
   *
   * @param {HTMLElement | SVGElement} part
   * @param {number} factor pixels of the layout for one pixel on the screen
   */
  #drag(part, factor) {
    let dragged = false;
    part.addEventListener("pointerdown", (/** @type {Event} */ event) => {
      const start = /** @type {PointerEvent} */ (event);
      const before = this.offset;
      dragged = false;
      const move = (/** @type {Event} */ moved) => {
        const { clientX, pointerId } = /** @type {PointerEvent} */ (moved);
        const distance = clientX - start.clientX;
        if (pointerId !== start.pointerId || (!dragged && Math.abs(distance) < MIN_DRAG_PX)) return;
        if (!dragged) part.setPointerCapture(pointerId);
        dragged = true;
        this.moveTo(before + factor * distance);
      };
      part.addEventListener("pointermove", move);
      for (const type of ["pointerup", "pointercancel"])
        addEventListener(type, () => part.removeEventListener("pointermove", move), { once: true });
    });
    part.addEventListener(
      "click",
      (event) => {
        if (dragged) event.stopPropagation();
        dragged = false;
      },
      { capture: true },
    );
  }
}
