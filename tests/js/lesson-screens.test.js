import assert from "node:assert/strict";
import { test } from "node:test";

import { countAnswer, NEW_RUN } from "../../src/numberline/web/static/js/lesson-progress.js";
import { lessonScreens } from "../../src/numberline/web/static/js/lesson-screens.js";
import { paint } from "../../src/numberline/web/static/js/strip.js";

const cell = (key, mark = "", jumps = 0) => ({ key, label: String(key), mark, jumps, gate: "" });
const strip = (...cells) => ({ caption: "The number", on_line: true, cells });
const at = (place) => ({ tokens: [{ player: 1, place }] });
const step = (number, more) => ({
  number,
  title: "",
  text: "One.\n\nTwo.",
  position: at(1),
  exercise: null,
  questions: [],
  strip: strip(cell(1), cell(2, "trap")),
  ...more,
});

const LESSON = {
  steps: [
    step(1, { strip: strip(cell(1), cell(2)), exercise: { position: at(3), question: "Where?" } }),
    step(2, {
      questions: [{ cell: cell(2, "trap"), position: at(1), strip: strip(cell(1), cell(2)) }],
    }),
  ],
};

test("a step asks first, explains one idea per screen, and then asks for a move", () => {
  const kinds = lessonScreens(LESSON).map(({ step, kind }) => `${step} ${kind}`);
  assert.deepEqual(kinds, [
    "1 text",
    "1 text",
    "1 exercise",
    "2 question",
    "2 text",
    "2 text",
    "2 end",
  ]);
});

test("a question is asked before its cell is painted", () => {
  const [, , , question, text] = lessonScreens(LESSON);
  assert.deepEqual(question.strip.cells[1].mark, "");
  assert.deepEqual(text.strip.cells[1].mark, "trap");
});

test("tasks are numbered through the whole lesson", () => {
  const tasks = lessonScreens(LESSON).flatMap((screen) => ("task" in screen ? [screen.task] : []));
  assert.deepEqual(tasks, [0, 1]);
});

test("only the first answer to a task counts", () => {
  const run = countAnswer(countAnswer(NEW_RUN, 0, { right: false }), 0, { right: true });
  assert.deepEqual(run.first, { 0: false });
  assert.equal(countAnswer(run, 1, { right: false, helped: true }).helped, true);
});

test("painting leaves the other cells", () => {
  const painted = paint(strip(cell(1), cell(2)), [cell(2, "good")]);
  assert.deepEqual(
    painted.cells.map(({ mark }) => mark),
    ["", "good"],
  );
});
