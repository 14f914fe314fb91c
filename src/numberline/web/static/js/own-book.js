// @ts-check
// The form for entering the user's own rule book as text.

import { errorText, post } from "./api.js";
import { show } from "./board.js";
import { $, element } from "./dom.js";
import { acceptFile } from "./file-input.js";
import { bookNames, clearError, goalText, renderRules, showError } from "./page.js";
import { startButtons, startRow } from "./start-buttons.js";
import { load, save } from "./storage.js";
import { showVerdict } from "./verdict.js";

/** @import { BookResponse } from "./messages.d.ts" */

const MAX_BOOK_LETTERS = 50_000;

export class OwnBookForm {
  constructor() {
    this.field = $("source", HTMLTextAreaElement);
    this.field.value = load("draft", "");
    this.field.addEventListener("input", () => save("draft", this.field.value));
    /**
     * @param {string} text
     * @param {string} name
     */
    const onText = (text, name) => {
      this.field.value = text;
      $("file-name").textContent = name;
      save("draft", text);
      this.#check();
    };
    acceptFile($("file", HTMLInputElement), $("own"), MAX_BOOK_LETTERS, onText, (sentence) =>
      this.#fail(sentence),
    );
    $("example").addEventListener("click", async () => {
      const response = await fetch(new URL("../example-book.toml", import.meta.url));
      onText(await response.text(), "An example");
    });
    $("own").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#check();
    });
  }

  async #check() {
    const source = this.field.value;
    $("own-shown").hidden = true;
    if (!source.trim()) return this.#fail("There's no book yet. Paste one, or choose a file.");
    if (source.length > MAX_BOOK_LETTERS) {
      const limit = `It can have up to ${MAX_BOOK_LETTERS}.`;
      return this.#fail(`This book is too long. It has ${source.length} letters. ${limit}`);
    }
    try {
      /** @type {BookResponse} */
      const found = await post("/api/books", { source });
      clearError($("own-trouble"));
      this.#show(found, source);
    } catch (error) {
      this.#fail(errorText(error));
    }
  }

  /** @param {string} sentence */
  #fail(sentence) {
    $("own-shown").hidden = true;
    showError($("own-trouble"), sentence);
    this.field.focus();
  }

  /**
   * @param {BookResponse} found
   * @param {string} source
   */
  #show(found, source) {
    const { book, position, rules } = found;
    const names = bookNames(book);
    const title = element("h3", "", `${book.title}: you can play this book`);
    const board = element("div", "board");
    const verdict = element("p", "verdict");
    const actions = element("p", "acts");
    const prose = element("div", "prose");
    title.tabIndex = -1;
    verdict.setAttribute("role", "status");
    actions.append(startRow(startButtons(book, $("own-trouble"), { source })));
    $("own-shown").replaceChildren(
      title,
      element("p", "soft", goalText(book)),
      board,
      verdict,
      actions,
      prose,
    );
    $("own-shown").hidden = false;
    show(board, { book, position, values: null, ply: null }, { names });
    renderRules(prose, rules);
    showVerdict(verdict, found);
    title.focus();
  }
}
