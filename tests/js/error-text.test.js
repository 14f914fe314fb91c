import assert from "node:assert/strict";
import { test } from "node:test";

import { plainError } from "../../src/numberline/web/static/js/error-text.js";

/** Errors of the engine, and what the page says instead. */
const CASES = {
  "Unknown book 'xyz'; expected reach-the-edge, or number-reach.": "There is no game called xyz.",
  "Unknown book 'line-walker'; did you mean line-runner?":
    "There is no game called line-walker. Did you mean line-runner?",
  "'line-runner(end=' is not a valid variant; expected one such as line-runner(end=30).":
    "We can't read “line-runner(end=”. Write it like this: line-runner(end=30).",
  "Invalid position 'zz': expected the player to move, then the places of the tokens, such as 2 3,0.":
    "We can't read the position “zz” in the address. Open the link again.",
  "This is not exported progress: it must start with numberline1-.":
    "This isn't copied progress. Press Copy on the other device, then paste it here.",
  "variant: string should have at most 500 characters.":
    "This text is too long. It can have up to 500 letters.",
  "The record, line 2: unknown book 'nosuch'; expected flag-chase; found 'variant: nosuch'.":
    "Line 2 of the record names a game that we don't know: nosuch.",
  "end=-5: the line starts at 0; expected 1 or more.":
    "“end” can't be -5: the line starts at 0. It must be 1 or more.",
  "end=abc: expected a whole number up to 1000000000.":
    "“end” can't be abc. It must be a whole number up to 1,000,000,000.",
  "goal: Flag Chase has no such setting; it has end, flag.":
    "Flag Chase has no “goal”. It has end, flag.",
  "my-book: rules.overshot: unknown; expected one of line, overshoot (did you mean overshoot?).":
    "The book can't have “overshot”. Do you mean “overshoot”?",
  "my-book: rules: missing; expected a table, written [rules].":
    "The book needs “rules”. It must be a table, written [rules].",
  'my-book: rules.line: expected the two ends of the line, such as [0, "end"], found nothing.':
    'The book needs “line”. It must be the two ends of the line, such as [0, "end"].',
  "my-book: the last line: invalid TOML: expected '=' after a key in a key/value pair.":
    "We can't read the last line: expected '=' after a key in a key/value pair.",
  "The record, line 1: expected 'numberline record 1'; found 'hello'.":
    "This isn't a game record. Its first line must be: numberline record 1.",
};

test("errors of the engine are rephrased for players", () => {
  for (const [error, sentence] of Object.entries(CASES)) assert.equal(plainError(error), sentence);
});

test("each line of an error is rephrased, and other sentences stay", () => {
  const kept = "The book 'line-walker' is unknown.";
  assert.equal(plainError(kept), kept);
  const [errors, sentences] = [Object.keys(CASES), Object.values(CASES)];
  assert.equal(plainError(errors.join("\n")), sentences.join("\n"));
});
