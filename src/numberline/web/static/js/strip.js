// @ts-check
// The strip under a board: a cell for each place, painted with what it is worth to the player whose turn it is.

import { button, element } from "./dom.js";
import { pluralize } from "./text.js";

/** @import { Board } from "./board.js" */
/** @import { Strip, StripCell } from "./messages.d.ts" */

/** The sign of each mark, a letter and a shape, and its meaning. */
const MARKS = /** @type {Record<string, [string, string]>} */ ({
  "win now": ["W★", "you win now"],
  good: ["G▲", "you can win"],
  safe: ["S●", "you don't have to lose"],
  trap: ["T▼", "you lose"],
});

/** The least width of a cell, in pixels, under the place that it belongs to. */
const MIN_PITCH_PX = 26;

/**
 * Return the strip with some cells replaced.
 *
 * @param {Strip} strip
 * @param {StripCell[]} cells
 * @returns {Strip}
 */
export function paint(strip, cells) {
  const painted = new Map(cells.map((cell) => [cell.key, cell]));
  return { ...strip, cells: strip.cells.map((cell) => painted.get(cell.key) ?? cell) };
}

/**
 * @param {StripCell} cell
 * @returns {string}
 */
function cellText({ label, mark, jumps, gate }) {
  if (mark === "jumps") return `${label}: ${pluralize(jumps, "jump")}${gate ? ", a gate" : ""}`;
  return `${label}: ${mark ? `${mark}, ${MARKS[mark][1]}` : "not painted yet"}`;
}

/**
 * Draw a strip.
 *
 * @param {Strip} strip
 * @param {{ asked?: number | null }} [options] the cell in question
 */
export function renderStrip(strip, { asked = null } = {}) {
  const host = element("figure", "paint-strip");
  const caption = element("figcaption", "", strip.caption);
  const list = element("ol", strip.on_line ? "cells on-line" : "cells");
  list.append(
    ...strip.cells.map((cell) => {
      const { key, label, mark, jumps, gate } = cell;
      const item = element("li", `cell ${key === asked ? "asked" : mark.replace(" ", "-")}`);
      const sign =
        key === asked ? "?" : mark === "jumps" ? String(jumps) : (MARKS[mark]?.[0] ?? "");
      if (mark === "jumps" && key !== asked) {
        item.dataset.jumps = String(jumps % 2);
        if (gate) item.classList.add(`gate-${gate}`);
      }
      item.dataset.key = String(key);
      item.append(element("span", "place", label), element("b", "sign", sign));
      for (const part of item.children) part.setAttribute("aria-hidden", "true");
      item.append(element("span", "hide", key === asked ? `${label}: which?` : cellText(cell)));
      return item;
    }),
  );
  host.append(caption, list, legend(strip));
  return host;
}

/**
 * Draw cells that the user marks as traps; return the marked keys on request.
 *
 * @param {HTMLElement} host
 * @param {StripCell[]} cells
 * @param {() => unknown} onChange
 */
export function renderColours(host, cells, onChange) {
  const buttons = cells.map(({ key, label }) => {
    const made = button("cell", "", () => {
      const marked = made.ariaPressed !== "true";
      made.ariaPressed = String(marked);
      made.classList.toggle("trap", marked);
      sign.textContent = marked ? MARKS.trap[0] : "";
      onChange();
    });
    const sign = element("b", "sign");
    sign.ariaHidden = "true";
    made.ariaPressed = "false";
    made.dataset.key = String(key);
    made.append(element("span", "place", label), sign);
    return made;
  });
  host.replaceChildren(...buttons);
  return () =>
    buttons.filter((each) => each.ariaPressed === "true").map((each) => each.dataset.key);
}

/** @param {Strip} strip */
function legend({ cells }) {
  const host = element("p", "legend");
  const marks = new Set(cells.map(({ mark }) => mark));
  for (const [mark, [sign, meaning]] of Object.entries(MARKS)) {
    if (!marks.has(/** @type {StripCell["mark"]} */ (mark))) continue;
    const item = element("span", "", ` ${meaning}`);
    item.prepend(element("b", `sign ${mark.replace(" ", "-")}`, sign));
    host.append(item);
  }
  if (cells.some(({ gate, mark }) => gate && mark === "jumps")) {
    const item = element("span", "", " a gate: past the bar, you need one fewer");
    item.prepend(element("i", "bar"));
    host.append(item);
  }
  host.hidden = !host.childElementCount;
  return host;
}

/**
 * Put the cells under their places, if the whole line is drawn in one row that has room for them.
 *
 * @param {HTMLElement} host
 * @param {Board} board
 */
export function alignStrip(host, board) {
  const list = /** @type {HTMLElement | null} */ (host.querySelector(".on-line"));
  const row = board.row;
  if (!list) return;
  const aligned = row !== null && row.pitch * board.scale >= MIN_PITCH_PX;
  host.classList.toggle("aligned", aligned);
  list.style.paddingInlineStart = aligned ? `${row.pad * board.scale}px` : "";
  list.style.gridAutoColumns = aligned ? `${row.pitch * board.scale}px` : "";
  for (const item of list.children) {
    if (!(item instanceof HTMLElement)) continue;
    item.style.gridColumn = aligned ? String(Number(item.dataset.key) - row.first + 1) : "";
  }
}
