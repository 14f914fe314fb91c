// A question on the board: the position, the keys to answer with, and what comes of the answer; for puzzles and lessons.
//
//   const drill = new Drill(host, { onMove(move) });
//   drill.ask(book, position, question)     shows it; keys, digits and typed moves answer
//   await drill.play(move, position)        the move is played on the board, and the position after it shown
//   drill.lock()                            nothing can be answered any more
//   drill.reveal()                          scrolls as little as it takes to read what was told
//   drill.tell(kind, title, texts, acts)    what is said of the answer: kind is right, missed or hint; acts are buttons

import { Board } from "./board.js";
import { element, motion } from "./dom.js";
import { Keys } from "./keys.js";
import { nicknames } from "./page.js";

export class Drill {
  constructor(host, { onMove }) {
    const heard = { onMove: (move) => this.open && onMove(move), onPoint: (move) => this.point(move), onToken: (token) => this.choose(token) };
    const board = element("div", "board"), keys = element("div", "keys");
    this.question = element("p", "question");
    this.told = element("div", "reply");
    this.told.setAttribute("role", "status");
    keys.setAttribute("aria-label", "Your moves");
    host.classList.add("drill");
    host.append(board, this.question, keys, this.told);
    this.board = new Board(board, heard);
    this.keys = new Keys(keys, heard);
    this.open = false;
  }

  get legal() {
    return this.open ? this.view.position.choices.filter((choice) => choice.legal) : [];
  }

  ask(book, position, question) {
    this.book = book;
    this.question.textContent = question;
    this.told.replaceChildren();
    this.told.hidden = true;
    this.open = true;
    this.draw(position, null);
  }

  lock() {
    this.open = false;
    this.draw(this.view.position, this.view.ply);
  }

  async play(move, position) {
    const before = this.view.position, choice = before.choices.find((each) => each.move === move);
    await this.board.hop(move);
    this.draw(position, { number: 1, player: before.turn, move, place: choice.place, lands: choice.lands, told: `{${before.turn}} just played ${move}` });
  }

  draw(position, ply) {
    const names = nicknames(this.book);
    this.view = { book: this.book, position, values: null, ply };
    this.board.show(this.view, { names, idle: !this.open, choices: this.open, token: null });
    this.keys.show(this.view, { names, disabled: !this.open, token: this.board.token });
    this.keys.host.hidden = !this.open;
  }

  choose(token) {
    if (!this.open || token === this.board.token) return;
    this.board.show(this.view, { token });
    this.keys.show(this.view, { token });
  }

  point(move) {
    this.board.point(move);
    this.keys.point(move);
  }

  reveal() {
    this.told.scrollIntoView({ block: "nearest", behavior: motion() ? "smooth" : "auto" });
  }

  tell(kind, title, texts, acts = []) {
    this.told.className = `reply ${kind}`;
    const foot = element("p", "acts");
    foot.append(...acts);
    this.told.replaceChildren(element("b", "", title), ...texts.map((text) => element("p", "", text)), ...(acts.length ? [foot] : []));
    this.told.hidden = false;
  }
}
