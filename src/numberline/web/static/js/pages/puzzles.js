// @ts-check
// Puzzles: five per day, an endless supply that suits the user, and moments of the user's own games.

import { get, post } from "../api.js";
import {
  $,
  announce,
  button,
  copyText,
  element,
  motionAllowed,
  option,
  setDisabled,
  toast,
} from "../dom.js";
import { Exercise } from "../exercise.js";
import { bookNames, clearError, showError } from "../page.js";
import { dailyResults, progress, record, today, update } from "../progress.js";
import { Shortcuts } from "../shortcuts.js";
import { load, save } from "../storage.js";
import { renderColours, renderStrip } from "../strip.js";
import { fillNames, pluralize } from "../text.js";

/** @import { BookCard, Position, Puzzle, PuzzleAnswer, PuzzleStats, TracedPly } from "../messages.d.ts" */

const REPLY_PAUSE_MS = 900; // before the reply to a move is played
const MAX_TRIES = 2;
const MAX_OWN_GAMES = 20;
const MAX_STORED_TRIES = 20;
const TRIES_KEY = "puzzle.tries";

/** What one to three stars stand for before a puzzle is solved. */
const DIFFICULTIES = ["easy", "medium", "hard"];

/** @typedef {{ key: string, hinted: boolean, tries: number }} StoredTries */

const NO_TRIES = /** @type {StoredTries[]} */ ([]);

/** @param {Puzzle} puzzle */
const puzzleKey = ({ variant, position, theme }) => [variant, position.position, theme].join(" ");

/** @param {Puzzle} puzzle */
function storedTries(puzzle) {
  const found = load(TRIES_KEY, NO_TRIES).find(({ key }) => key === puzzleKey(puzzle));
  return { hinted: found?.hinted ?? false, tries: found?.tries ?? 1 };
}

class PuzzlePage {
  constructor() {
    this.day = today();
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
    this.tries = 1;
    /** The position of the puzzle that is asked about now. */
    this.position = /** @type {Position | null} */ (null);
    this.source = "A puzzle for you";
    /** Returns the places that are marked as traps. */
    this.marked = () => /** @type {(string | undefined)[]} */ ([]);
    /** @type {{ book: string, promise: Promise<void> } | null} */
    this.fetching = null;
    const host = $("puzzle");
    this.goal = element("p", "soft goal");
    this.changes = element("p", "rule");
    this.colours = element("div", "colours");
    this.check = button("button main", "Check", () => this.#answerColours());
    this.tools = element("div", "tools");
    this.hint = button("button", "Hint (no stars)", () => this.#showHint());
    const skip = button("button", "Skip", () => this.#answer(""));
    let warned = /** @type {Puzzle | null} */ (null);
    const typedHint = () => {
      if (this.hint.hidden || this.hint.ariaDisabled || warned === this.puzzle)
        return this.hint.click();
      warned = this.puzzle;
      return toast("A hint means no stars. Press H again to see it.");
    };
    this.exercise = new Exercise(host, (move) => this.#answer(move));
    this.tools.append(this.check, this.hint, skip);
    host.prepend(this.goal, this.changes);
    host.insertBefore(this.colours, this.exercise.reply);
    host.insertBefore(this.tools, this.exercise.reply);
    host.hidden = true;
    new ResizeObserver(() => this.#reservePad()).observe(this.exercise.keypad.host);
    this.#renderScore();
    $("book").addEventListener("change", () => {
      this.#startEndless();
    });
    $("endless").addEventListener("click", () => this.#startEndless());
    $("mine").addEventListener("click", () => this.#startMine());
    $("mine-part").hidden = !ownRecords().length;
    new Shortcuts({
      choices: () => (this.puzzle?.theme === "colour" ? [] : this.exercise.legalChoices),
      play: (move) => this.#answer(move),
      actions: {
        h: { title: "hint", run: typedHint },
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

  /** Leave room below the page for the keys, which are at the bottom of a phone's screen. */
  #reservePad() {
    const { host } = this.exercise.keypad;
    const height = getComputedStyle(host).position === "fixed" ? host.offsetHeight : 0;
    document.documentElement.style.setProperty("--pad-height", `${height}px`);
  }

  // Endless puzzles: the next ones are fetched while one is being solved

  #startEndless() {
    this.queue = [];
    this.source = "A puzzle for you";
    return this.#nextEndless();
  }

  /** Ask about the moments that decided the user's lost games. */
  async #startMine() {
    try {
      /** @type {{ puzzles: Puzzle[] }} */
      const { puzzles } = await post("/api/puzzles/mine", { records: ownRecords() });
      if (!puzzles.length) return toast("Your games have no such moment yet. Play on!");
      this.queue = puzzles;
      this.source = "From your own game";
      await this.#nextEndless();
    } catch (error) {
      showError($("trouble"), error);
    }
  }

  async #nextEndless() {
    try {
      if (!this.queue.length) {
        this.source = "A puzzle for you";
        announce("Looking for a puzzle for you.");
        await this.#fetchMore();
      }
      const next = this.queue.shift();
      if (!next)
        return showError(
          $("trouble"),
          "There are no more puzzles for this game. Choose another game.",
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
    const { rating, solved } = score(); // missing only if the server never answered
    const near = rating === undefined ? "" : `&near=${rating}&solved=${solved}`;
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
    const colours = puzzle.theme === "colour"; // without a keypad that shows the moves
    Object.assign(this, { puzzle, index, ...storedTries(puzzle) });
    clearError($("trouble"));
    $("puzzle").hidden = false;
    $("title").textContent = puzzle.title;
    document.title = `${puzzle.title}, a puzzle · Numberline`;
    const which = index === null ? this.source : `Today's ${index + 1} of ${this.daily.length}`;
    const moves = puzzle.moves > 1 ? `, in ${pluralize(puzzle.moves, "move")}` : "";
    const difficulty = DIFFICULTIES[puzzle.stars - 1];
    $("which").textContent = `${which}: ${puzzle.theme_title}${moves} (${difficulty})`;
    const rule = [puzzle.intro, puzzle.new_rule].filter(Boolean).join(" ");
    this.changes.textContent = fillNames(rule, names);
    this.changes.hidden = !rule;
    this.goal.textContent = fillNames(puzzle.goal, names);
    setDisabled(this.hint, this.hinted);
    this.hint.hidden = !puzzle.nudge || puzzle.theme === "win"; // its question says what the hint would
    this.colours.hidden = this.check.hidden = !colours;
    if (colours) this.marked = renderColours(this.colours, puzzle.cells, () => this.#enableCheck());
    this.#enableCheck();
    this.exercise.under.replaceChildren();
    this.exercise.clearReply();
    this.#ask(puzzle.position, puzzle.question);
    this.#renderDaily();
    const unanswered = this.results.filter((result) => result === null).length;
    if (unanswered < 2 && !this.queue.length) this.#prefetch();
    if (focus) $("title").focus();
  }

  /**
   * @param {Position} position
   * @param {string} question
   * @param {TracedPly | null} [ply] the move just played
   */
  #ask(position, question, ply = null) {
    const { puzzle } = this;
    if (!puzzle) return;
    this.position = position;
    this.question = question;
    this.tools.hidden = false;
    const shown = puzzle.theme === "colour" ? { ...position, choices: [] } : position;
    this.exercise.ask(puzzle.book, shown, fillNames(question, bookNames(puzzle.book)), ply);
  }

  /** There is always a trap, so an answer without one would only use up a try. */
  #enableCheck() {
    setDisabled(this.check, !this.marked().length);
  }

  #answerColours() {
    if (!this.marked().length) return toast("Mark the traps first.");
    return this.#answer(this.marked().join(" "));
  }

  #showHint() {
    if (!this.exercise.open || !this.puzzle) return;
    this.hinted = true;
    setDisabled(this.hint, true);
    this.#saveTries(this.puzzle, false);
    const text = fillNames(this.puzzle.nudge, bookNames(this.puzzle.book));
    this.exercise.showReply("hint", "Hint", [text]);
    this.exercise.scrollToReply();
  }

  /** @param {string} move "" skips the puzzle */
  async #answer(move) {
    const { puzzle, position, tries } = this;
    if (!this.exercise.open || !puzzle || !position) return;
    this.exercise.lock();
    try {
      const { variant, theme } = puzzle;
      /** @type {PuzzleAnswer} */
      const answer = await post("/api/puzzles/answer", {
        variant,
        position: position.position,
        theme,
        move,
        tries,
      });
      if (puzzle !== this.puzzle) return;
      if (answer.done) await this.#finish(puzzle, answer, move);
      else if (answer.right) await this.#continue(puzzle, answer);
      else this.#tryAgain(answer);
    } catch (error) {
      showError($("trouble"), error);
      this.exercise.unlock();
      this.#focusAnswer();
    }
  }

  /** @param {PuzzleAnswer} answer */
  #tryAgain({ verdict, text }) {
    const { puzzle, position } = this;
    if (!puzzle || !position) return;
    this.tries += 1;
    this.#saveTries(puzzle, false);
    this.#ask(position, this.question ?? "");
    const names = bookNames(puzzle.book);
    this.exercise.showReply("missed", `${verdict} Try once more.`, [fillNames(text, names)]);
    this.exercise.scrollToReply();
    this.#focusAnswer();
  }

  /** Move the focus to what gives the answer: the keypad, or the button that checks the marked places. */
  #focusAnswer() {
    if (this.puzzle?.theme === "colour") this.check.focus({ preventScroll: true });
    else this.exercise.keypad.focus();
  }

  /**
   * Store the tries, so that a puzzle isn't new after the page has loaded again; those of a finished one are removed.
   *
   * @param {Puzzle} puzzle
   * @param {boolean} finished
   */
  #saveTries(puzzle, finished) {
    const { hinted, tries } = this;
    const key = puzzleKey(puzzle);
    const others = load(TRIES_KEY, NO_TRIES).filter((each) => each.key !== key);
    const stored = finished ? others : [...others, { key, hinted, tries }];
    save(TRIES_KEY, stored.slice(-MAX_STORED_TRIES));
  }

  /**
   * Play the opponent's reply, and ask for the next move.
   *
   * @param {Puzzle} puzzle
   * @param {PuzzleAnswer} answer
   */
  async #continue(puzzle, { steps, next, question }) {
    await this.#playSteps(puzzle, steps);
    if (puzzle !== this.puzzle || !next) return;
    this.exercise.clearReply();
    const replies = steps.slice(1).map(({ text }) => text);
    const asked = ["Good!", ...replies, ...(replies.length ? [next.said] : []), question].join(" ");
    this.#ask(next, asked, this.exercise.view?.ply);
    announce(fillNames(asked, bookNames(puzzle.book)));
    this.exercise.keypad.focus();
  }

  /**
   * @param {Puzzle} puzzle
   * @param {PuzzleAnswer} answer
   * @param {string} move
   */
  async #finish(puzzle, answer, move) {
    const { right, text, steps, cells } = answer;
    const stars = await this.#count(puzzle, right);
    this.#saveTries(puzzle, true);
    this.tools.hidden = true;
    this.exercise.close();
    const names = bookNames(puzzle.book);
    if (cells.length) {
      const strip = { caption: puzzle.theme_title, on_line: false, cells };
      this.exercise.under.replaceChildren(renderStrip(strip));
      this.colours.hidden = true;
    }
    const title = right ? this.#rightTitle() : move ? "Not this one." : "Skipped.";
    const shown = right || !answer.answer ? title : `${title} The answer: ${answer.answer}.`;
    const { streak } = score();
    const texts = right || !cells.length ? [fillNames(text, names)] : []; // of marked places, it says the same
    if (right && this.hinted)
      texts.push("With a hint, it gives no stars and doesn't count as solved.");
    else if (right && streak > 1) texts.push(`That's ${streak} in a row.`);
    if (stars) texts.push(`You earn ${pluralize(stars, "star")}.`);
    if (this.index !== null && this.#nextDaily() < 0) {
      const solved = `${this.#solvedCount} of ${this.daily.length}`;
      texts.push(`Those were today's five. You solved ${solved}. Come back tomorrow for more.`);
    }
    const kind = right ? "right" : move ? "missed" : "hint";
    this.exercise.showReply(kind, shown, texts, [this.#nextButton()]);
    this.exercise.focusReply();
    await this.#playSteps(puzzle, steps);
  }

  #rightTitle() {
    if (this.hinted) return "Right, with a hint.";
    return this.tries > 1 ? "Right, on the second try." : "Right!";
  }

  /**
   * @param {Puzzle} puzzle
   * @param {PuzzleAnswer["steps"]} steps
   */
  async #playSteps(puzzle, steps) {
    for (const [n, step] of steps.entries()) {
      if (n && motionAllowed()) await new Promise((done) => setTimeout(done, REPLY_PAUSE_MS));
      if (puzzle !== this.puzzle) return;
      await this.exercise.play(step.move, step.position);
    }
  }

  #nextButton() {
    const next = this.#nextDaily();
    if (this.index === null) return button("button main", "Next", () => this.#nextEndless());
    if (next < 0) return button("button main", "More puzzles", () => this.#startEndless());
    return button("button main", "Next", () => this.#show(this.daily[next], next, true));
  }

  /**
   * Count an answer, and return the stars that it earns; a daily puzzle counts once.
   *
   * @param {Puzzle} puzzle
   * @param {boolean} right
   */
  async #count({ rating, stars }, right) {
    const { index, day, hinted } = this;
    if (index !== null && this.results[index] !== null) return 0;
    const solved = right && !hinted;
    const tries = Math.min(this.tries, MAX_TRIES);
    if (index !== null) this.results[index] = solved;
    const daily = index === null ? {} : { daily_day: day, index };
    const event = { day: today(), right: solved, rating, stars, tries, ...daily };
    const reply = await record({ kind: "puzzle", ...event });
    this.#renderDaily();
    this.#renderScore();
    if (reply) renderShare(reply.share);
    return reply?.changes.stars ?? 0;
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
    const about = `${puzzle.theme_title}, ${DIFFICULTIES[puzzle.stars - 1]}`;
    title.append(" ", element("small", "", about));
    open.append(
      element("span", `ball ${result === null ? "" : result ? "done" : "missed"}`, n + 1),
      " ",
      title,
    );
    if (result !== null) open.append(" ", element("span", "soft", result ? "solved" : "no stars"));
    if (n === this.index) open.setAttribute("aria-current", "true");
    item.append(open);
    return item;
  }

  #renderScore() {
    const { stars = 0, streak, best_streak, solved, asked } = score();
    const parts = {
      Stars: stars,
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

/** The records of games that the user lost, newest first. */
function ownRecords() {
  const lost = (progress().games ?? []).filter(({ won, record }) => won === false && record);
  return lost
    .map((game) => game.record)
    .slice(-MAX_OWN_GAMES)
    .reverse();
}

/**
 * Show the line to share.
 *
 * @param {string} line
 */
function renderShare(line) {
  const share = button("button", "Share", async () => {
    if (typeof navigator.share === "function")
      return navigator.share({ text: line }).catch(() => {}); // the user changed their mind
    toast((await copyText(line)) ? "Copied." : line);
  });
  $("share").replaceChildren(line, share);
  $("share").hidden = !line;
}

const first = await update().catch(() => null); // the first visit
renderShare(first?.share ?? "");
new PuzzlePage().load();
