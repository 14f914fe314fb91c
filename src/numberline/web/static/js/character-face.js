// @ts-check
// The faces of the computer's characters.

import { svg } from "./dom.js";

/** Parts of each face, from back to front: a path in a square of 48 and its colour. */
const FACES = /** @type {Record<string, [string, string][]>} */ ({
  easy: [
    ["M14 24C8 8 12 1 16 2S22 12 21 22ZM34 24C40 8 36 1 32 2S26 12 27 22Z", "#c9b8a6"],
    ["M16 20C13 10 14 6 16 6S19 13 19 20ZM32 20C35 10 34 6 32 6S29 13 29 20Z", "#f2c6c2"],
    ["M24 17C33 17 39 23 39 31S33 45 24 45S9 39 9 31S15 17 24 17Z", "#d9cabb"],
    ["M18 27a2.4 2.8 0 1 0 .1 0ZM30 27a2.4 2.8 0 1 0 .1 0Z", "#33291f"],
    ["M21 34H27L24 37.5Z", "#b3574f"],
    ["M21.6 38.5H23.8V43H21.6ZM24.2 38.5H26.4V43H24.2Z", "#ffffff"],
  ],
  medium: [
    ["M12 18A6 6 0 1 1 20 12ZM36 18A6 6 0 1 0 28 12Z", "#4a4f55"],
    ["M24 8C34 8 40 17 39 27C38 38 31 45 24 45S10 38 9 27C8 17 14 8 24 8Z", "#eceae5"],
    ["M19 9C13 13 12 27 17 38C11 34 9 28 9 24C9 16 13 10 19 9Z", "#33373c"],
    ["M29 9C35 13 36 27 31 38C37 34 39 28 39 24C39 16 35 10 29 9Z", "#33373c"],
    ["M15 24a2 2.3 0 1 0 .1 0ZM33 24a2 2.3 0 1 0 .1 0Z", "#ffffff"],
    ["M20 37Q24 34 28 37Q27 42 24 42Q21 42 20 37Z", "#23262a"],
  ],
  hard: [
    ["M8 4L21 15L9 26ZM40 4L27 15L39 26Z", "#c85a1c"],
    ["M11 9L17 15L11 20ZM37 9L31 15L37 20Z", "#5b2b12"],
    ["M24 12C34 12 42 20 42 26C40 32 31 45 24 45S8 32 6 26C6 20 14 12 24 12Z", "#e2762f"],
    [
      "M6 26C12 27 20 31 24 45C17 45 8 33 6 26ZM42 26C36 27 28 31 24 45C31 45 40 33 42 26Z",
      "#fdf3e6",
    ],
    ["M17 24a2.2 2.8 0 1 0 .1 0ZM31 24a2.2 2.8 0 1 0 .1 0Z", "#2b1a10"],
    ["M20.5 39H27.5L24 44Z", "#2b1a10"],
  ],
  master: [
    ["M9 5L20 11H28L39 5C41 13 42 19 42 26C42 38 34 45 24 45S6 38 6 26C6 19 7 13 9 5Z", "#7a5a3a"],
    ["M24 28C31 28 35 33 35 38C32 43 28 45 24 45S16 43 13 38C13 33 17 28 24 28Z", "#cfae82"],
    ["M16 12A8.5 8.5 0 1 0 16.1 12ZM32 12A8.5 8.5 0 1 0 32.1 12Z", "#f8ecd6"],
    ["M16 16.5A4 4 0 1 0 16.1 16.5ZM32 16.5A4 4 0 1 0 32.1 16.5Z", "#2a1d10"],
    ["M21 26H27L24 33Z", "#e0a02c"],
  ],
  auto: [
    [
      "M5 30C5 14 16 5 26 6C31 2 38 3 39 8C43 14 45 21 44 27C43 37 34 44 23 44S5 40 5 30Z",
      "#5d9b3f",
    ],
    ["M6 27C12 19 19 15 27 15C21 20 17 26 16 34C11 34 7 32 6 27Z", "#8cc46a"],
    ["M31 14A8 8 0 1 0 31.1 14Z", "#c7e2a8"],
    ["M32.5 19A3.2 3.2 0 1 0 32.6 19Z", "#1e2a14"],
    ["M21 38Q32 41 42 33Q36 42 25 42Z", "#2f5420"],
  ],
});

/**
 * Return the face of a character, or of the chameleon if it has none.
 *
 * @param {string} bot
 */
export function characterFace(bot) {
  const made = svg("svg", { class: "face", viewBox: "0 0 48 48", "aria-hidden": "true" });
  made.append(...(FACES[bot] ?? FACES.auto).map(([d, fill]) => svg("path", { d, fill })));
  return made;
}
