// @ts-check
// Keyboard shortcuts: typed moves and single-key actions. They are ignored while the user types in a field, and if
// they are turned off.

import { isOn } from "./settings.js";
import { TOKEN_LETTERS } from "./text.js";

/** @typedef {Record<string, { title: string, run: () => unknown }>} Actions by key, as the browser names it */

/**
 * @typedef {object} ShortcutOptions
 * @property {() => { move: string }[]} choices the moves that can be typed now
 * @property {(move: string) => unknown} play
 * @property {Actions} actions
 * @property {(typed: string) => unknown} onTyped called with what has been typed so far of a longer move
 */

export class Shortcuts {
  /** @param {Partial<ShortcutOptions>} options */
  constructor({ choices = () => [], play = () => {}, actions = {}, onTyped = () => {} }) {
    /** @type {ShortcutOptions} */
    this.options = { choices, play, actions, onTyped };
    this.typed = "";
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isField(event.target) || !isOn("shortcuts")) return;
    if (event.repeat && key.length === 1) return; // a key that is held down plays one move
    if (["Enter", "Escape", "Backspace"].includes(key)) return this.#finish(event);
    if (key.length === 1 && key !== " " && this.#type(key)) return event.preventDefault();
    const { actions } = this.options;
    const run =
      key === "?" ? () => this.#list() : (actions[key] ?? actions[key.toLowerCase()])?.run;
    if (!run) return;
    event.preventDefault();
    this.#clear();
    run();
  }

  /**
   * Handle one character; return false if no move continues with it.
   *
   * @param {string} key
   */
  #type(key) {
    const all = this.#moves();
    const result = matchTyped(all, this.typed, key);
    if (!result) return false;
    if (result.done) this.#play(result.moves[0]);
    else {
      this.typed = result.typed;
      this.options.onTyped(result.moves[0].slice(0, result.typed.length));
    }
    return true;
  }

  /** @param {KeyboardEvent} event */
  #finish(event) {
    if (!this.typed) return;
    event.preventDefault();
    const whole = this.#moves().find((move) => move.toLowerCase() === this.typed);
    if (event.key === "Enter" && whole) return this.#play(whole);
    if (event.key !== "Backspace") return this.#clear();
    this.typed = this.typed.slice(0, -1);
    this.options.onTyped(this.typed);
  }

  #moves() {
    return this.options.choices().map((choice) => choice.move);
  }

  /** @param {string} move */
  #play(move) {
    this.#clear();
    this.options.play(move);
  }

  #clear() {
    if (this.typed) this.options.onTyped("");
    this.typed = "";
  }

  async #list() {
    const { showShortcuts } = await import("./shortcuts-dialog.js");
    showShortcuts(this.options.actions, this.#moves().slice(0, 4));
  }
}

/**
 * Match one more character against the moves; return null if no move fits. The result is done if the move is complete
 * and no longer move starts with it. A digit alone is enough if only one move has that number.
 *
 * @param {string[]} moves
 * @param {string} before what was typed already, in lower case
 * @param {string} key
 */
export function matchTyped(moves, before, key) {
  const character = key === "×" ? "*" : key.toLowerCase();
  const token = TOKEN_LETTERS.indexOf(character) + 1;
  const spellings = [before + character, character, ...(token ? [`${token}:`] : [])];
  for (const typed of spellings) {
    const found = moves.filter((move) => move.toLowerCase().startsWith(typed));
    if (found.length)
      return { typed, moves: found, done: found.length === 1 && found[0].length === typed.length };
  }
  const numbered = moves.filter((move) => move.replace(/^\D+/, "") === key);
  return /^\d$/.test(key) && numbered.length === 1 && !before
    ? { typed: key, moves: numbered, done: true }
    : null;
}

/** @param {EventTarget | null} target */
function isField(target) {
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], dialog") !== null
  );
}
