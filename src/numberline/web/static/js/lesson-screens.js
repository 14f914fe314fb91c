// @ts-check
// The screens of a lesson, one idea each. No DOM.

import { paint } from "./strip.js";

/** @import { Lesson, LessonStep, PaintQuestion, Position, Strip } from "./messages.d.ts" */

/**
 * A screen of a step, with the strip as it is painted at the beginning; `task` is the number of the question in the
 * lesson.
 *
 * @typedef {{ step: number, strip: Strip | null } & (
 *   | { kind: "question", task: number, question: PaintQuestion }
 *   | { kind: "text", position: Position, text: string }
 *   | { kind: "exercise", task: number, position: Position, question: string }
 *   | { kind: "end" }
 * )} Screen
 */

/**
 * Return the screens: each step asks about places first, then explains, then asks for a move. A trap that was just
 * painted isn't explained again.
 *
 * @param {Lesson} lesson
 */
export function lessonScreens({ steps }) {
  /** @type {Screen[]} */
  const screens = [];
  let task = 0;
  let strip = steps[0].strip;
  for (const { number: step, text, position, exercise, questions, strip: after } of steps) {
    for (const question of questions) {
      screens.push({ kind: "question", step, strip, task: task++, question });
      strip = strip && paint(strip, [question.cell]);
    }
    strip = after;
    for (const part of textParts(text, position, questions))
      screens.push({ kind: "text", step, strip, position, text: part });
    if (exercise) screens.push({ kind: "exercise", step, strip, task: task++, ...exercise });
  }
  screens.push({ kind: "end", step: steps.length, strip });
  return screens;
}

/**
 * @param {string} text
 * @param {Position} position
 * @param {PaintQuestion[]} questions
 */
function textParts(text, { tokens }, questions) {
  const places = (/** @type {LessonStep["position"]["tokens"]} */ all) =>
    all.map(({ player, place }) => `${player} ${place}`).join();
  const known = questions.some((asked) => places(asked.position.tokens) === places(tokens));
  const parts = text.split("\n\n");
  return known && parts.length > 1 ? parts.slice(1) : parts;
}
