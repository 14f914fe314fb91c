// @ts-check
// Errors of the engine in words for the page. No DOM.

import { asSentence, groupDigits } from "./text.js";

/** Patterns of the engine's errors, each with the sentences that replace it; the first match wins. */
const PHRASES = /** @type {[RegExp, string][]} */ ([
  [/^Unknown book '(.*)'; did you mean (.+)\?$/, "There is no game called $1. Did you mean $2?"],
  [/^Unknown book '(.*)'; expected .*$/, "There is no game called $1."],
  [/^Unknown bot '(.*?)'.*$/, "There is no opponent called $1."],
  [
    /^'(.*)' is not a valid variant; expected one such as (.+)$/,
    "We can't read “$1”. Write it like this: $2",
  ],
  [
    /^Invalid position '(.*?)': expected .*$/,
    "We can't read the position “$1” in the address. Open the link again.",
  ],
  [
    /^File names are not accepted here\..*$/,
    "A file name doesn't work here. For your own book, go to Variants.",
  ],
  [
    /^(?:[\w.]+: )?string should have at most (\d+) characters\.?$/i,
    "This text is too long. It can have up to $1 letters.",
  ],
  [/^The request body is too large.*$/, "This text is too long. Try a shorter one."],
  [
    /^This is not exported progress.*$/,
    "This isn't copied progress. Press Copy on the other device, then paste it here.",
  ],
  [/^Lessons need two players; .*$/, "There are lessons only for games with two players."],
  [
    /^The record, line (\d+): unknown book '(.*?)'.*$/,
    "Line $1 of the record names a game that we don't know: $2.",
  ],
  [
    /^The record, line 1: expected '(.+?)'; found .*$/,
    "This isn't a game record. Its first line must be: $1.",
  ],
  [/^The record, line (\d+): (.+)$/, "Line $1 of the record doesn't fit: $2"],
  [/^the last line: invalid TOML: (.+)$/, "We can't read the last line: $1"],
  [/^line (\d+)(?:, column \d+)?: invalid TOML: (.+)$/, "We can't read line $1: $2"],
  [
    /^(?:[\w-]+\.)?([\w-]+): unknown; expected one of .* \(did you mean (.+)\?\)\.?$/,
    "The book can't have “$1”. Do you mean “$2”?",
  ],
  [
    /^(?:[\w-]+\.)?([\w-]+): unknown; expected one of (.+?)\.?$/,
    "The book can't have “$1”. It can have $2.",
  ],
  [/^(?:[\w-]+\.)?([\w-]+): missing; expected (.+?)\.?$/, "The book needs “$1”. It must be $2."],
  [
    /^(?:[\w-]+\.)?([\w-]+): expected (.+), found nothing\.?$/,
    "The book needs “$1”. It must be $2.",
  ],
  [/^(?:[\w-]+\.)?([\w-]+): expected (.+), found (.+?)\.?$/, "“$1” can't be $3. It must be $2."],
  [/^([\w-]+): (.+) has no such setting; it has (.+?)\.?$/, "$2 has no “$1”. It has $3."],
  [/^([\w-]+)=(.*?): expected (.+?)\.?$/, "“$1” can't be $2. It must be $3."],
  [/^([\w-]+)=(.*?): (.+); expected (.+?)\.?$/, "“$1” can't be $2: $3. It must be $4."],
]);

/**
 * Return the lines of an error as sentences for a player; other errors are left unchanged.
 *
 * @param {string} text
 */
export function plainError(text) {
  return text
    .split("\n")
    .map((line) => {
      const bare = line.replace(/^my-book: /, "");
      const found = PHRASES.find(([pattern]) => pattern.test(bare));
      return found ? asSentence(groupDigits(bare.replace(...found))) : bare;
    })
    .join("\n");
}
