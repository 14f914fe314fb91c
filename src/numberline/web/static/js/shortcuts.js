// The keys of the keyboard, in one place. Nothing is heard while somebody types in a field, or after they were switched off.
//
//   new Shortcuts({ choices(): ChoiceView[], play(move), actions: { v: { title, act } , … }, onTyped(text) })
//     digits and typed moves play: characters are collected until they are a whole move and no longer one begins like it;
//     Enter plays what stands there, Escape and Backspace take it away. Actions are by key, as the browser names it
//     ("v", "ArrowLeft"); those with a title are in the list that ? shows.

import { chosen } from "./settings.js";

export class Shortcuts {
  constructor({ choices = () => [], play = () => {}, actions = {}, onTyped = () => {} }) {
    this.heard = { choices, play, actions, onTyped };
    this.typed = "";
    document.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || busy(event.target) || !chosen("shortcuts")) return;
    if (event.key === "Enter" || event.key === "Escape" || event.key === "Backspace") return this.finish(event);
    if (event.key.length === 1 && event.key !== " " && this.type(event.key)) return event.preventDefault();
    const action = event.key === "?" ? { act: () => this.list() } : this.heard.actions[event.key] ?? this.heard.actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    this.clear();
    action.act();
  }

  // Takes one character; false where no move goes on with it.
  type(key) {
    const all = this.heard.choices().map((choice) => choice.move), found = matching(all, this.typed + plain(key));
    const [typed, moves] = found.length ? [this.typed + plain(key), found] : [plain(key), matching(all, plain(key))];
    if (!moves.length) return this.number(key, all);
    this.typed = typed;
    if (moves.length === 1 && moves[0].toLowerCase() === typed) this.play(moves[0]);
    else this.heard.onTyped(moves[0].slice(0, typed.length));
    return true;
  }

  // A digit alone is enough where only one move has that number.
  number(key, all) {
    const found = all.filter((move) => move.replace(/^\D+/, "") === key);
    if (!/^\d$/.test(key) || found.length !== 1 || this.typed) return false;
    this.play(found[0]);
    return true;
  }

  finish(event) {
    if (!this.typed) return;
    event.preventDefault();
    const whole = this.heard.choices().find((choice) => choice.move.toLowerCase() === this.typed);
    if (event.key === "Enter" && whole) return this.play(whole.move);
    if (event.key === "Backspace") this.heard.onTyped(this.typed = this.typed.slice(0, -1));
    else this.clear();
  }

  play(move) {
    this.clear();
    this.heard.play(move);
  }

  clear() {
    if (this.typed) this.heard.onTyped("");
    this.typed = "";
  }

  async list() {
    const { showKeys } = await import("./keylist.js");
    showKeys(this.heard.actions, this.heard.choices().map((choice) => choice.move).slice(0, 4));
  }
}

const plain = (key) => (key === "×" ? "*" : key.toLowerCase());
const matching = (moves, typed) => moves.filter((move) => move.toLowerCase().startsWith(typed));

function busy(target) {
  return Boolean(target.closest?.("input, textarea, select, [contenteditable], dialog"));
}
