import assert from "node:assert/strict";
import { test } from "node:test";

import { titledError } from "../../src/numberline/web/static/js/settings-form.js";

const SETTINGS = [
  {
    name: "meeting",
    title: "A token in the way",
    choices: [
      { value: "shares", title: "room for all" },
      { value: "blocks", title: "no way past" },
    ],
  },
  { name: "tokens", title: "Tokens each", choices: [] },
];

test("an error about settings has the titles of the form", () => {
  assert.equal(
    titledError(
      "“meeting” can't be blocks: tokens never meet. It must be shares, or also set tokens=2.",
      SETTINGS,
    ),
    "“A token in the way” can't be “no way past”: tokens never meet. " +
      "It must be “room for all”, or also set “Tokens each” to 2.",
  );
  assert.equal(titledError("The server isn't answering.", SETTINGS), "The server isn't answering.");
});
