// @ts-check
// The page for variants: a form for a book's settings. The board, the rules and the verdict are updated immediately.

import { bookPath, errorText, get, post } from "../api.js";
import { serverUrl } from "../base-path.js";
import { Board } from "../board.js";
import { $, button, link, option, setDisabled } from "../dom.js";
import { OwnBookForm } from "../own-book.js";
import {
  bookNames,
  clearError,
  copyAddress,
  goalText,
  longestFirst,
  pageSubject,
  pageUrl,
  renderRules,
  showError,
} from "../page.js";
import { SettingsForm, titledError } from "../settings-form.js";
import { startButtons, startRow } from "../start-buttons.js";
import { fillNames } from "../text.js";
import { showVerdict } from "../verdict.js";

/** @import { BookCard, BookResponse, Setting } from "../messages.d.ts" */

/** @typedef {{ base: string, settings: Record<string, string> }} Variant a book, and the settings that differ from it */

const SLOW_MS = 200;

class VariantsPage {
  constructor() {
    /** @type {Variant} */
    this.variant = { base: "", settings: {} };
    /** The settings in the form, which also has those that were rejected. */
    this.typed = this.variant.settings;
    /**
     * The last settings of each book that was left for another one.
     *
     * @type {Map<string, Variant["settings"]>}
     */
    this.left = new Map();
    /** @type {Variant[]} */
    this.history = [];
    /** @type {BookResponse | null} */
    this.shown = null;
    /** Whether the settings in the form were rejected. */
    this.rejected = false;
    this.requests = 0;
    this.board = new Board($("board"));
    this.form = new SettingsForm($("fields"), (setting, value) => this.#onValue(setting, value));
    $("form").addEventListener("submit", (event) => event.preventDefault());
    const books = $("book", HTMLSelectElement);
    books.addEventListener("change", () => {
      this.left.set(this.variant.base, this.variant.settings);
      this.#change({ base: books.value, settings: this.left.get(books.value) ?? {} });
    });
    $("undo").addEventListener("click", () => this.#undo());
    $("reset").addEventListener("click", () => {
      if (!$("reset").ariaDisabled) this.#change({ base: this.variant.base, settings: {} });
    });
    $("address").addEventListener("focus", () => $("address", HTMLInputElement).select());
  }

  async load() {
    try {
      /** @type {{ books: BookCard[] }} */
      const response = await get("/api/books");
      const books = longestFirst(response.books).map(({ book }) => book);
      $("book").append(...books.map((book) => option(book.variant, book.title)));
      await this.#open(pageSubject() || books[0].variant, books[0].variant);
    } catch (error) {
      showError($("trouble"), error);
    }
  }

  /**
   * Open a variant; if it isn't valid, open another one and show the reason.
   *
   * @param {string} variant
   * @param {string} fallback
   */
  async #open(variant, fallback) {
    try {
      this.#show(await get(bookPath(variant)));
    } catch (error) {
      this.#show(await get(bookPath(fallback)));
      showError($("trouble"), error);
    }
  }

  /**
   * @param {Setting} setting
   * @param {string} value
   */
  #onValue(setting, value) {
    this.typed = { ...this.typed, [setting.name]: value };
    const empty = this.shown?.settings.find(({ name }) => this.typed[name] === "");
    if (empty) return this.#reject(`“${empty.name}” is empty. It needs a value.`);
    return this.#change({ base: this.variant.base, settings: this.typed });
  }

  /** @param {Variant} wanted */
  async #change(wanted) {
    const before = this.variant;
    this.history.push(before);
    const accepted = await this.#request(wanted);
    if (!accepted) this.history.splice(this.history.indexOf(before), 1);
    setDisabled($("undo"), !this.rejected && this.history.length === 0);
  }

  /** Go back to the previous variant, or, if the settings in the form were rejected, only discard those. */
  async #undo() {
    if (this.rejected && this.shown) {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      this.#show(this.shown);
      return $("undo").focus();
    }
    const before = this.history.pop();
    if (before) await this.#request(before);
  }

  /**
   * Ask the server for a variant and show it; return false if it was rejected.
   *
   * @param {Variant} wanted
   */
  async #request({ base, settings }) {
    const request = ++this.requests;
    this.typed = settings;
    const isLatest = () => request === this.requests;
    const slow = setTimeout(() => isLatest() && $("preview").classList.add("old"), SLOW_MS);
    try {
      const found = await post("/api/books", { variant: base, settings });
      if (isLatest()) this.#show(found);
      return true;
    } catch (error) {
      if (isLatest()) {
        if (base !== this.variant.base) this.typed = this.variant.settings;
        this.#reject(errorText(error));
      }
      return false;
    } finally {
      clearTimeout(slow);
    }
  }

  /**
   * Show an error; the form keeps what was typed, so that a value can become valid with the next change.
   *
   * @param {string} sentence
   */
  #reject(sentence) {
    const { settings } = this.variant;
    const all = this.shown?.settings ?? [];
    const named = all.find(({ name }) => sentence.startsWith(`“${name}”`));
    const changed = all.find(({ name }) => this.typed[name] !== settings[name]);
    showError($("trouble"), titledError(sentence, all));
    this.rejected = true;
    $("book", HTMLSelectElement).value = this.variant.base;
    $("preview").classList.add("old");
    this.form.markInvalid((named ?? changed)?.name ?? "");
    for (const id of ["undo", "reset"]) setDisabled($(id), false);
  }

  /** @param {BookResponse} found */
  #show(found) {
    const { book, settings, changes, position, rules } = found;
    const changed = settings.filter((setting) => setting.value !== setting.default);
    this.shown = found;
    this.variant = {
      base: book.variant.split("(")[0],
      settings: Object.fromEntries(changed.map((setting) => [setting.name, setting.value])),
    };
    this.typed = this.variant.settings;
    this.rejected = false;
    clearError($("trouble"));
    this.form.show(settings);
    $("book", HTMLSelectElement).value = this.variant.base;
    setDisabled($("undo"), this.history.length === 0);
    setDisabled($("reset"), changed.length === 0);
    history.replaceState(null, "", serverUrl(pageUrl("variants", book.variant)));
    document.title = `${book.title}: change the rules · Numberline`;
    $("preview").classList.remove("old");
    $("preview-title").textContent = book.title;
    $("goal").textContent = goalText(book);
    this.board.show(
      { book, position, values: null, ply: null },
      { idle: true, names: bookNames(book) },
    );
    $("address", HTMLInputElement).value = book.variant;
    this.#renderLinks(found);
    $("changes").textContent = fillNames(changes, []);
    $("changes").hidden = !changes;
    renderRules($("rules"), rules);
    showVerdict($("verdict"), found);
  }

  /** @param {BookResponse} found */
  #renderLinks({ book, solved }) {
    const links = [
      startRow(startButtons(book, $("trouble"))),
      link("button", "Rules", pageUrl("rules", book.variant)),
    ];
    if (book.players.length === 2 && solved)
      links.push(link("button", "Lesson", pageUrl("lessons", book.variant)));
    const use = "Anyone who opens it sees this game.";
    const copy = button("button", "Copy the address", () => copyAddress(use));
    $("links").replaceChildren(...links, copy);
  }
}

new VariantsPage().load();
new OwnBookForm();
