// @ts-check
// The screens of a lesson, one idea each. No DOM.

/** @import { Lesson, PaintQuestion, Position, Strip } from "./messages.d.ts" */

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
 * Return the screens: each step asks about places first, then explains, then asks for a move.
 *
 * @param {Lesson} lesson
 */
export function lessonScreens({ steps }) {
  /** @type {Screen[]} */
  const screens = [];
  let task = 0;
  for (const { number: step, text, position, exercise, questions, strip } of steps) {
    for (const question of questions)
      screens.push({ kind: "question", step, strip: question.strip, task: task++, question });
    for (const part of text.split("\n\n"))
      screens.push({ kind: "text", step, strip, position, text: part });
    if (exercise) screens.push({ kind: "exercise", step, strip, task: task++, ...exercise });
  }
  screens.push({ kind: "end", step: steps.length, strip: steps[steps.length - 1].strip });
  return screens;
}
