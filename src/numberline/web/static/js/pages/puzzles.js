// @ts-check
// Puzzles: five per day, and an endless supply that suits the user's rating.

import { get, post } from "../api.js";
import { $, announce, button, element, motionAllowed, option } from "../dom.js";
import { Exercise } from "../exercise.js";
import { bookNames, clearError, showError } from "../page.js";
import { dailyResults, progress, record, today, update } from "../progress.js";
import { Shortcuts } from "../shortcuts.js";
import { fillNames } from "../text.js";

/** @import { BookCard, Puzzle, PuzzleAnswer, PuzzleStats } from "../messages.d.ts" */

const REFUTATION_PAUSE_MS = 900; // before the reply to a wrong move is played

class PuzzlePage {
  constructor() {
    this.day = new Date().toISOString().slice(0, 10); // in UTC, which the server also uses
    this.results = dailyResults(this.day);
    /** @type {Puzzle[]} */
    this.daily = [];
    /** @type {Puzzle[]} */
    this.queue = [];
    /** @type {Puzzle | null} */
    this.puzzle = null;
    /** The index of a daily puzzle; null for an endless one. */
    this.index = /** @type {number | null} */ (null);
    this.hinted = false;
    /** @type {{ book: string, promise: Promise<void> } | null} */
    this.fetching = null;
    const host = $("puzzle");
    this.goal = element("p", "soft goal");
    this.changes = element("p", "rule");
    this.tools = element("div", "tools");
    this.hint = button("button", "Hint (no points)", () => this.#showHint());
    const skip = button("button", "Skip", () => this.#answer(""));
    this.exercise = new Exercise(host, (move) => this.#answer(move));
    this.tools.append(this.hint, skip);
    host.prepend(this.goal, this.changes);
    host.insertBefore(this.tools, this.exercise.reply);
    host.hidden = true;
    this.#renderScore();
    $("book").addEventListener("change", () => {
      this.queue = [];
      this.#nextEndless();
    });
    $("endless").addEventListener("click", () => this.#nextEndless());
    new Shortcuts({
      choices: () => this.exercise.legalChoices,
      play: (move) => this.#answer(move),
      actions: {
        h: { title: "hint", run: () => this.hint.click() },
        s: { title: "skip", run: () => skip.click() },
        n: { title: "next puzzle", run: () => this.exercise.mainButton?.click() },
      },
    });
  }

  async load() {
    try {
      /** @type {[{ books: BookCard[] }, { puzzles: Puzzle[] }]} */
      const [{ books }, { puzzles }] = await Promise.all([
        get("/api/books"),
        get(`/api/puzzles?day=${this.day}`),
      ]);
      $("book").append(...books.map(({ book }) => option(book.variant, book.title)));
      this.daily = puzzles;
      this.#renderDaily();
      const next = this.#nextDaily();
      if (next < 0) this.#nextEndless();
      else this.#show(puzzles[next], next, false);
    } catch (error) {
      showError($("trouble"), error);
    }
  }

  #nextDaily() {
    return this.daily.findIndex((_, n) => this.results[n] === null);
  }

  get #solvedCount() {
    return this.results.filter((result) => result).length;
  }

  // Endless puzzles: the next ones are fetched while one is being solved

  async #nextEndless() {
    try {
      if (!this.queue.length) {
        announce("Looking for a puzzle for you.");
        await this.#fetchMore();
      }
      const next = this.queue.shift();
      if (!next)
        return showError(
          $("trouble"),
          "There are no more puzzles for this game. Choose another one.",
        );
      this.#show(next, null, true);
      if (this.queue.length < 2) this.#prefetch();
    } catch (error) {
      showError($("trouble"), error);
    }
  }

  #prefetch() {
    this.#fetchMore().catch(() => {}); // retried when the puzzle is needed
  }

  #fetchMore() {
    const book = $("book", HTMLSelectElement).value;
    if (this.fetching?.book === book) return this.fetching.promise;
    const { rating } = score(); // missing only if the server never answered
    const near = rating === undefined ? "" : `&near=${rating}`;
    const promise = get(`/api/puzzles?book=${encodeURIComponent(book)}${near}`)
      .then((/** @type {{ puzzles: Puzzle[] }} */ { puzzles }) => {
        if (book === $("book", HTMLSelectElement).value) this.queue.push(...puzzles);
      })
      .finally(() => {
        if (this.fetching?.promise === promise) this.fetching = null;
      });
    this.fetching = { book, promise };
    return promise;
  }

  // One puzzle

  /**
   * @param {Puzzle} puzzle
   * @param {number | null} index
   * @param {boolean} focus
   */
  #show(puzzle, index, focus) {
    const names = bookNames(puzzle.book);
    Object.assign(this, { puzzle, index, hinted: false });
    clearError($("trouble"));
    $("puzzle").hidden = false;
    $("title").textContent = puzzle.title;
    document.title = `${puzzle.title}, a puzzle · Numberline`;
    const which =
      index === null ? "A puzzle for you" : `Today's puzzle ${index + 1} of ${this.daily.length}`;
    $("which").textContent = `${which}, rated ${puzzle.rating}`;
    this.changes.textContent = fillNames(puzzle.changes, names);
    this.changes.hidden = !puzzle.changes;
    this.goal.textContent = fillNames(puzzle.goal, names);
    this.tools.hidden = false;
    this.hint.disabled = false;
    this.exercise.ask(puzzle.book, puzzle.position, fillNames(puzzle.question, names));
    this.#renderDaily();
    const unanswered = this.results.filter((result) => result === null).length;
    if (unanswered < 2 && !this.queue.length) this.#prefetch();
    if (focus) $("title").focus();
  }

  #showHint() {
    if (!this.exercise.open || !this.puzzle) return;
    this.hinted = true;
    this.hint.disabled = true;
    const text = fillNames(this.puzzle.nudge, bookNames(this.puzzle.book));
    this.exercise.showReply("hint", "Hint", [text]);
    this.exercise.scrollToReply();
  }

  /** @param {string} move "" skips the puzzle */
  async #answer(move) {
    const { puzzle } = this;
    if (!this.exercise.open || !puzzle) return;
    this.exercise.lock();
    this.tools.hidden = true;
    try {
      const { variant, position } = puzzle;
      /** @type {PuzzleAnswer} */
      const answer = await post("/api/puzzles/answer", {
        variant,
        position: position.position,
        move,
      });
      if (puzzle !== this.puzzle) return;
      await this.#count(puzzle, answer);
      await this.#showAnswer(puzzle, answer, move);
    } catch (error) {
      showError($("trouble"), error);
      this.tools.hidden = false;
      this.exercise.unlock();
    }
  }

  /**
   * @param {Puzzle} puzzle
   * @param {PuzzleAnswer} answer
   * @param {string} move
   */
  async #showAnswer(puzzle, { right, answer, text, steps }, move) {
    if (right)
      this.#reply("right", this.hinted ? "Right! No points: you took a hint." : praiseText(), [
        text,
      ]);
    else if (!steps.length) this.#reply("hint", `Skipped. The move was ${answer}.`, [text]);
    else this.#reply("missed", missText(move), []);
    this.exercise.focusReply();
    const replies = [];
    for (const [n, step] of steps.entries()) {
      if (n && motionAllowed())
        await new Promise((resolve) => setTimeout(resolve, REFUTATION_PAUSE_MS));
      if (puzzle !== this.puzzle) return;
      await this.exercise.play(step.move, step.position);
      if (puzzle !== this.puzzle) return;
      replies.push(step.text);
    }
    if (right || !steps.length) return;
    const focused = this.exercise.reply.contains(document.activeElement);
    this.#reply("missed", missText(move), [...replies, text]);
    if (focused) this.exercise.focusReply();
    else this.exercise.scrollToReply();
  }

  /**
   * @param {"right" | "missed" | "hint"} kind
   * @param {string} title
   * @param {string[]} texts
   */
  #reply(kind, title, texts) {
    const names = this.puzzle ? bookNames(this.puzzle.book) : [];
    const filled = texts.map((text) => fillNames(text, names));
    if (this.index !== null && this.#nextDaily() < 0) {
      const solved = `${this.#solvedCount} of ${this.daily.length}`;
      filled.push(`Those were today's five. You solved ${solved}. Come back tomorrow for more.`);
    }
    this.exercise.showReply(kind, title, filled, [this.#nextButton()]);
  }

  #nextButton() {
    const next = this.#nextDaily();
    if (this.index === null) return button("button main", "Next", () => this.#nextEndless());
    if (next < 0) return button("button main", "More puzzles", () => this.#nextEndless());
    return button("button main", "Next", () => this.#show(this.daily[next], next, true));
  }

  /**
   * Count an answer; a daily puzzle counts once.
   *
   * @param {Puzzle} puzzle
   * @param {PuzzleAnswer} answer
   */
  async #count({ rating }, { right }) {
    const { index, day, hinted } = this;
    if (index !== null && this.results[index] !== null) return;
    const solved = right && !hinted;
    if (index !== null) this.results[index] = solved;
    const daily = index === null ? {} : { daily_day: day, index };
    await record({ kind: "puzzle", day: today(), right: solved, rating, ...daily });
    this.#renderDaily();
    this.#renderScore();
  }

  // Sidebar

  #renderDaily() {
    const total = this.daily.length;
    const answered = this.daily.filter((_, n) => this.results[n] !== null).length;
    const more = answered === total ? " Come back for new ones tomorrow." : "";
    $("today-text").textContent = answered
      ? `${answered} of ${total} answered, ${this.#solvedCount} solved.${more}`
      : "The same five for everyone. The easiest comes first.";
    $("today").replaceChildren(...this.daily.map((puzzle, n) => this.#renderEntry(puzzle, n)));
  }

  /**
   * @param {Puzzle} puzzle
   * @param {number} n
   */
  #renderEntry(puzzle, n) {
    const result = this.results[n];
    const item = element("li");
    const title = element("span", "grow", puzzle.title);
    const open = button("", "", () => this.#show(puzzle, n, true));
    title.append(element("small", "", `rated ${puzzle.rating}`));
    open.append(
      element("span", `ball ${result === null ? "" : result ? "done" : "missed"}`, n + 1),
      title,
    );
    if (result !== null) open.append(element("span", "soft", result ? "solved" : "no points"));
    if (n === this.index) open.setAttribute("aria-current", "true");
    item.append(open);
    return item;
  }

  #renderScore() {
    const { rating, streak, best_streak, solved, asked } = score();
    const parts = {
      Rating: rating ?? "",
      Streak: streak,
      Best: best_streak,
      Solved: `${solved} / ${asked}`,
    };
    const items = Object.entries(parts).map(([title, value]) => {
      const item = element("div");
      item.append(element("dt", "", title), element("dd", "", value));
      return item;
    });
    $("score").replaceChildren(...items);
  }
}

/** The user's puzzle results so far. */
const score = () => /** @type {PuzzleStats} */ (progress().puzzles);

/** @param {string} move */
const missText = (move) => `No, ${move} isn't it.`;

function praiseText() {
  const { streak } = score();
  return streak > 2 ? `Right! That's ${streak} in a row.` : "Right!";
}

await update().catch(() => {}); // the first visit
new PuzzlePage().load();
