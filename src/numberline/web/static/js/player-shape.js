// @ts-check
// Each player's shape, as shown on the board.

import { svg, svgText } from "./dom.js";

/** Shapes that distinguish the players without relying on colour. */
const PLAYER_SHAPES = [
  "M15 0A15 15 0 1 1 -15 0A15 15 0 1 1 15 0Z",
  "M-9 -14H9Q14 -14 14 -9V9Q14 14 9 14H-9Q-14 14 -14 9V-9Q-14 -14 -9 -14Z",
  "M-2.5 -15.5Q0 -19 2.5 -15.5L17 10Q18.5 14 14 14H-14Q-18.5 14 -17 10Z",
  "M-2.5 -16.5Q0 -18.5 2.5 -16.5L16.5 -2.5Q18.5 0 16.5 2.5L2.5 16.5Q0 18.5 -2.5 16.5L-16.5 2.5Q-18.5 0 -16.5 -2.5Z",
  "M-8 -15H8L16.5 0L8 15H-8L-16.5 0Z",
  "M0 -16.5L16 -4.5L10 14.5H-10L-16 -4.5Z",
];

/** @param {number} player */
export const playerPath = (player) => PLAYER_SHAPES[(player - 1) % PLAYER_SHAPES.length];

/**
 * Return a player's shape as a separate SVG: either large with a label, or as a dot.
 *
 * @param {number} player
 * @param {string} [label]
 */
export function playerShape(player, label) {
  const made = svg("svg", {
    class: label ? "shape" : "dot",
    viewBox: "-18 -18 36 36",
    "aria-hidden": "true",
  });
  made.append(svg("path", { d: playerPath(player) }));
  if (label) made.append(svgText(0, 5.5, shortLabel(label)));
  return made;
}

/**
 * Return "2" for "P2", because a shape has room for only one letter.
 *
 * @param {string} label
 */
export const shortLabel = (label) => label.replace(/^P/, "");
