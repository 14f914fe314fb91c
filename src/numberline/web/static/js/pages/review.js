// @ts-check
// The review of a game from a match, or from a record that the user provides.

import { del, errorText, get, matchPath, positionPath, post } from "../api.js";
import { serverUrl } from "../base-path.js";
import { confirmAction } from "../dialogs.js";
import { $, button, element, link, toast } from "../dom.js";
import { acceptFile } from "../file-input.js";
import { clearError, pageSubject, pageUrl, showError } from "../page.js";
import { ReviewView, pairingText } from "../review-view.js";
import { forgetMatch, progress } from "../progress.js";
import { Shortcuts } from "../shortcuts.js";
import { startButtons, startRow } from "../start-buttons.js";
import { fillNames } from "../text.js";

/** @import { PositionResponse, Review, Snapshot } from "../messages.d.ts" */

const MAX_RECORD_LETTERS = 1_000_000;

class ReviewPage {
  constructor() {
    /** The match; "" for a record. */
    this.id = pageSubject();
    this.plays = false;
    /** @type {Review[]} */
    this.games = [];
    this.gameCount = 0;
    /** @type {ReviewView | null} */
    this.view = null;
    this.here = 0;
    /** @type {Map<string, PositionResponse>} */
    this.positions = new Map();
    acceptFile(
      $("file", HTMLInputElement),
      document.body,
      MAX_RECORD_LETTERS,
      (text, name) => {
        $("record", HTMLTextAreaElement).value = text;
        $("file-name").textContent = name;
        this.#readRecord();
      },
      (sentence) => this.#fail(sentence),
    );
    $("bring").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#readRecord();
    });
    $("cancel").addEventListener("click", () => this.view && this.#open(this.view.game));
    this.#addShortcuts();
  }

  #addShortcuts() {
    /** @param {number} by */
    const step = (by) => () => this.view && !$("shown").hidden && this.#go(this.here + by);
    new Shortcuts({
      actions: {
        ArrowLeft: { title: "one move back", run: step(-1) },
        ArrowRight: { title: "one move forward", run: step(1) },
        Home: { title: "to the start", run: step(-Infinity) },
        End: { title: "to the end", run: step(Infinity) },
        t: { title: "to the turning point", run: () => this.#goToTurningPoint() },
      },
    });
  }

  async load() {
    const game = progress().games?.find(({ id }) => location.hash === `#${id}`);
    if (!this.id && game) {
      $("record", HTMLTextAreaElement).value = game.record;
      this.#showForm();
      return this.#readRecord();
    }
    if (!this.id) return this.#showForm();
    try {
      const path = matchPath(this.id);
      /** @type {[Review, Snapshot]} */
      const [review, snapshot] = await Promise.all([get(`${path}/review`), get(path)]);
      this.plays = snapshot.you.length > 0;
      this.#showGames([review], 1);
    } catch (error) {
      this.#showForm();
      showError($("trouble"), error);
    }
  }

  // A record

  #showForm() {
    $("bring").hidden = false;
    $("choose").hidden = $("shown").hidden = true;
    $("cancel").hidden = !this.view;
  }

  async #readRecord() {
    const record = $("record", HTMLTextAreaElement).value;
    if (!record.trim()) return this.#fail("There's no record yet. Paste one, or choose a file.");
    if (record.length > MAX_RECORD_LETTERS) {
      return this.#fail(
        `This record is too long. It can have up to ${MAX_RECORD_LETTERS} letters: split it up.`,
      );
    }
    if (!record.includes("numberline record")) {
      return this.#fail(
        "This isn't a game record. A record starts with the line “numberline record 1”.",
      );
    }
    try {
      /** @type {{ games: Review[], count: number }} */
      const { games, count } = await post("/api/review", { record });
      clearError($("trouble"));
      this.id = "";
      this.plays = false;
      this.#showGames(games, count);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#showForm();
    showError($("trouble"), error);
    $("record").focus();
    $("trouble").scrollIntoView({ block: "nearest" });
  }

  /**
   * Open a game, or let the user choose if there are several.
   *
   * @param {Review[]} games
   * @param {number} count how many the record has; only the first ones are reviewed
   */
  #showGames(games, count) {
    this.games = games;
    this.gameCount = count;
    if (games.length === 1) return this.#open(games[0]);
    $("bring").hidden = $("shown").hidden = true;
    const items = games.map((game, n) => {
      const item = element("li");
      const open = button("", "", () => this.#open(game));
      const title = element(
        "span",
        "grow",
        `${n + 1}. ${game.book.title}: ${pairingText(game.names)}`,
      );
      title.append(element("small", "", fillNames(game.result, game.names)));
      open.append(title);
      item.append(open);
      return item;
    });
    $("choices").replaceChildren(...items);
    const more = count > games.length ? ` Here are the first ${games.length}.` : "";
    $("choose-text").textContent = `This file has ${count} games.${more}`;
    $("choose").hidden = false;
    $("choose-title").focus();
  }

  // A game

  /** @param {Review} game */
  #open(game) {
    this.positions.clear();
    this.view = new ReviewView($("shown"), game, {
      onJump: (plies) => this.#go(plies),
      onStep: (step) => this.#go(this.here + step),
      actions: this.#actions(),
    });
    this.view.playOn.addEventListener("click", (event) => this.#playOwnBook(event));
    $("bring").hidden = $("choose").hidden = true;
    $("shown").hidden = false;
    document.title = `Review of ${game.book.title} · Numberline`;
    this.#go(game.log.length);
    this.view.title.focus({ preventScroll: true });
  }

  #actions() {
    const actions = [];
    if (this.id) {
      const record = link("button", "Download the record", `${matchPath(this.id)}/record`);
      record.download = `numberline-${this.id}.txt`;
      actions.push(record);
    }
    if (this.games.length > 1) {
      const choose = () => this.#showGames(this.games, this.gameCount);
      actions.push(button("button", "Another game in this file", choose));
    }
    if (this.plays) actions.push(button("button", "Delete this game…", () => this.#delete()));
    const another = button("button", "Review another file", () => {
      this.#showForm();
      $("record").focus();
    });
    return [...actions, another];
  }

  async #delete() {
    const text = "Its moves, names and link will be gone for everyone.";
    if (!(await confirmAction("Delete this game?", text, "Delete it", "Keep it"))) return;
    try {
      await del(matchPath(this.id));
      forgetMatch(this.id);
      location.assign(serverUrl("/"));
    } catch (error) {
      toast(errorText(error));
    }
  }

  #goToTurningPoint() {
    const at = this.view?.game.turning_at;
    if (at) this.#go(at);
  }

  /** @param {number} to */
  async #go(to) {
    const { view } = this;
    if (!view) return;
    const { log, outcome, book } = view.game;
    const here = Math.min(Math.max(0, to), log.length);
    const position = this.#positionText(view.game, view.drawnPlies(here));
    this.here = here;
    view.showMoves(here);
    view.playOn.hidden = view.drawnPlies(here) === log.length && outcome !== null;
    view.playOn.href = serverUrl(
      `${pageUrl("new", book.variant)}?start=${encodeURIComponent(position)}`,
    );
    view.ownBook.hidden = true;
    const isCurrent = () => view === this.view && here === this.here;
    try {
      const found = await this.#loadPosition(view.game, position);
      if (isCurrent()) view.showBoard(here, found);
    } catch (error) {
      if (isCurrent()) view.comment.append(` ${errorText(error)}`);
    }
  }

  /**
   * @param {Review} game
   * @param {number} plies
   */
  #positionText(game, plies) {
    return game.log[plies - 1]?.position ?? game.start;
  }

  /**
   * @param {Review} game
   * @param {string} position
   */
  async #loadPosition({ book: { variant }, source, own_book }, position) {
    const known = this.positions.get(position);
    if (known) return known;
    const ofMatch = `${matchPath(this.id)}/positions?p=${encodeURIComponent(position)}`;
    /** @type {PositionResponse} */
    const found =
      !this.id && own_book
        ? await post("/api/positions", { variant, source, position, values: true })
        : await get(this.id ? ofMatch : `${positionPath(variant, position)}&values=true`);
    this.positions.set(position, found);
    return found;
  }

  /**
   * The user's own book can't be part of an address, so ask here who plays, and send the book along.
   *
   * @param {MouseEvent} event
   */
  #playOwnBook(event) {
    const { view } = this;
    if (!view || view.game.source === null) return;
    event.preventDefault();
    const start = this.#positionText(view.game, view.drawnPlies(this.here));
    const options = { source: view.game.source, start, seat: Number(start.split(" ")[0]) };
    view.ownBook.replaceChildren(
      startRow(startButtons(view.game.book, $("trouble"), options), "Play on with"),
    );
    view.ownBook.hidden = false;
    view.ownBook.querySelector("button")?.focus();
  }
}

new ReviewPage().load();
