// @ts-check
// One lesson: screens that ask about a place and paint it, explain, or ask for a move; then stars and a game.

import { errorText, get, post } from "../api.js";
import { show } from "../board.js";
import { characterFace } from "../character-face.js";
import { $, button, element, link, starImage, whileBusy } from "../dom.js";
import { Exercise } from "../exercise.js";
import { NEW_RUN, countAnswer, lessonProgress, saveProgress } from "../lesson-progress.js";
import { lessonScreens } from "../lesson-screens.js";
import { createMatch } from "../new-match.js";
import { bookNames, pageSubject, pageUrl, showError } from "../page.js";
import { progress, record, today } from "../progress.js";
import { Shortcuts } from "../shortcuts.js";
import { alignStrip, paint, renderStrip } from "../strip.js";
import { fillNames, pluralize } from "../text.js";

/** @import { Screen } from "../lesson-screens.js" */
/** @import { Lesson, LessonAnswer, Position, Strip } from "../messages.d.ts" */

/** The step given in the address, or 0. */
const hashStep = () => Number(location.hash.slice(1)) || 0;

/**
 * The text to type for an answer: a number, or the first letter of a word.
 *
 * @param {string} option
 */
const typedAnswer = (option) => (/^\d/.test(option) ? option : option[0]);

class LessonPage {
  /** @param {Lesson} lesson */
  constructor(lesson) {
    this.lesson = lesson;
    this.names = bookNames(lesson.book);
    this.screens = lessonScreens(lesson);
    this.index = 0;
    this.tries = 0;
    /** @type {Exercise | null} */
    this.exercise = null;
    /** @type {((option: string) => void) | null} */
    this.answerQuestion = null;
    document.title = `${lesson.title}, a lesson · Numberline`;
    $("title").textContent = lesson.title;
    $("links").append(link("button", "Rules", pageUrl("rules", lesson.variant)));
    $("links").append(link("button", "Puzzles", "/puzzles"));
    new Shortcuts({
      choices: () => this.#typable(),
      play: (move) => this.#playTyped(move),
      actions: {
        ArrowLeft: { title: "back", run: () => this.#go(this.index - 1) },
        ArrowRight: { title: "next", run: () => this.#goOn() },
        r: { title: "this step again", run: () => this.#goToStep(this.screen.step) },
      },
    });
    addEventListener("hashchange", () => hashStep() && this.#goToStep(hashStep(), false));
    const { done, at } = lessonProgress(lesson.variant);
    this.#goToStep(hashStep() || (done.length < lesson.steps.length ? at : 1), false);
  }

  get screen() {
    return this.screens[this.index];
  }

  get run() {
    return lessonProgress(this.lesson.variant).tries;
  }

  /** The strip with all its cells painted. */
  get whole() {
    return this.lesson.steps[this.lesson.steps.length - 1].strip;
  }

  #typable() {
    const { screen } = this;
    if (screen.kind === "question" && this.answerQuestion)
      return screen.question.options.map((option) => ({ move: typedAnswer(option) }));
    return this.exercise?.legalChoices ?? [];
  }

  /** @param {string} move */
  #playTyped(move) {
    const { screen } = this;
    if (screen.kind !== "question") return this.#answer(move);
    const found = screen.question.options.find((option) => typedAnswer(option) === move);
    if (found) this.answerQuestion?.(found);
  }

  // Screens

  /**
   * @param {number} step
   * @param {boolean} [focus]
   */
  #goToStep(step, focus = true) {
    const index = this.screens.findIndex((screen) => screen.step === step);
    this.#go(Math.max(0, index), focus);
  }

  /** Go to the next screen; a question that isn't answered yet shows its answer first. */
  #goOn() {
    if (this.answerQuestion) this.answerQuestion("");
    else this.#go(this.index + 1);
  }

  /**
   * @param {number} index
   * @param {boolean} [focus]
   */
  #go(index, focus = true) {
    if (!this.screens[index]) return;
    if (this.screen.kind === "text") this.#finishStep();
    Object.assign(this, { index, tries: 0, exercise: null, answerQuestion: null });
    const { screen, lesson } = this;
    const { title } = lesson.steps[screen.step - 1];
    history.replaceState(null, "", `#${screen.step}`);
    saveProgress(lesson.variant, { at: screen.step });
    const host = element("div", `lesson-step ${screen.kind}`);
    const bar = element("div", "progress");
    const heading = element(
      "h2",
      "",
      screen.kind === "end" ? "The end" : `${screen.step}. ${title}`,
    );
    heading.tabIndex = -1;
    bar.setAttribute("aria-hidden", "true");
    bar.append(element("i"));
    bar.style.setProperty("--part", String(index / (this.screens.length - 1)));
    host.append(bar, heading);
    $("step").replaceChildren(host);
    this.#renderSteps();
    this.#renderNavigation(screen.kind === "text");
    if (screen.kind === "question") this.#renderQuestion(host, screen);
    else if (screen.kind === "exercise") this.#renderExercise(host, screen);
    else if (screen.kind === "text") this.#renderText(host, screen);
    else this.#renderEnd(host, screen);
    if (!focus) return;
    const next = screen.kind === "text" ? $("walk").querySelector("button.main") : null;
    (next instanceof HTMLElement ? next : heading).focus({ preventScroll: true });
    const short = matchMedia("(max-width: 40rem) or (max-height: 30rem)").matches;
    if (short || host.getBoundingClientRect().top < 0) host.scrollIntoView({ block: "start" });
  }

  /**
   * A board without moves, with the strip under it.
   *
   * @param {HTMLElement} host
   * @param {Position} position
   * @param {Strip | null} strip
   * @param {number | null} [asked]
   */
  #renderBoard(host, position, strip, asked = null) {
    const { book } = this.lesson;
    const frame = element("div", "frame");
    const board = element("div", "board");
    const under = element("div");
    frame.append(board);
    host.append(frame, under);
    const view = { book, position, values: null, ply: null };
    const drawn = show(board, view, { names: this.names }, { onDraw: () => this.#align(under) });
    this.board = drawn;
    this.#renderStrip(under, strip, asked);
    return under;
  }

  /**
   * @param {HTMLElement} host
   * @param {Strip | null} strip
   * @param {number | null} [asked]
   */
  #renderStrip(host, strip, asked = null) {
    if (!strip || !this.whole) return;
    host.replaceChildren(renderStrip(strip, { asked }));
    this.#align(host);
  }

  /** @param {HTMLElement} host */
  #align(host) {
    if (this.board) alignStrip(host, this.board);
  }

  /**
   * @param {HTMLElement} host
   * @param {Extract<Screen, { kind: "text" }>} screen
   */
  #renderText(host, { position, strip, text }) {
    const said = element("p", "text", fillNames(text, this.names));
    said.id = "text";
    this.#renderBoard(host, position, strip);
    host.append(said);
    $("walk").querySelector("button.main")?.setAttribute("aria-describedby", "text");
  }

  /**
   * @param {HTMLElement} host
   * @param {Extract<Screen, { kind: "question" }>} screen
   */
  #renderQuestion(host, { question: asked, strip, task }) {
    const under = this.#renderBoard(host, asked.position, strip, asked.cell.key);
    const options = element("p", "options");
    const reply = element("div", "reply");
    reply.setAttribute("role", "status");
    reply.hidden = true;
    host.classList.add("exercise");
    host.append(element("p", "question", fillNames(asked.question, this.names)), options, reply);
    this.answerQuestion = (option) => {
      const right = option === asked.paint;
      this.answerQuestion = null;
      this.#count(task, { right });
      if (strip) this.#renderStrip(under, paint(strip, [asked.cell]));
      options.remove();
      reply.className = `reply ${right ? "right" : option ? "missed" : "hint"}`;
      reply.hidden = false;
      const title = right ? "Right!" : `The answer is ${asked.paint}.`;
      const text = element("p", "", fillNames(asked.text, this.names));
      reply.append(element("b", "", title), " ", text);
      this.#renderNavigation(true);
      this.#focusNext();
      reply.scrollIntoView({ block: "nearest" });
    };
    options.append(
      ...asked.options.map((option) => {
        const title = option.charAt(0).toUpperCase() + option.slice(1);
        return button("button", title, () => this.answerQuestion?.(option));
      }),
    );
  }

  /**
   * @param {HTMLElement} host
   * @param {Extract<Screen, { kind: "exercise" }>} screen
   */
  #renderExercise(host, { position, question, strip }) {
    const part = element("section");
    part.setAttribute("aria-label", "Your turn");
    host.append(part);
    const exercise = new Exercise(
      part,
      (move) => this.#answer(move),
      () => this.#align(exercise.under),
    );
    this.exercise = exercise;
    this.board = exercise.board;
    this.#renderStrip(exercise.under, strip);
    exercise.ask(this.lesson.book, position, fillNames(question, this.names));
  }

  // Answers

  /** @param {string} move "" asks for the answer */
  async #answer(move) {
    const { exercise, lesson, screen } = this;
    if (!exercise?.open || screen.kind !== "exercise") return;
    exercise.lock();
    try {
      const asked = { variant: lesson.variant, step: screen.step, move };
      /** @type {LessonAnswer} */
      const answer = await post("/api/lessons/answer", asked);
      if (exercise !== this.exercise) return;
      exercise.close();
      this.#count(screen.task, { right: answer.right, helped: !move && this.tries < lesson.tries });
      await this.#showAnswer(exercise, screen, answer, move);
    } catch (error) {
      exercise.unlock();
      exercise.showReply("missed", "That didn't work.", [errorText(error)]);
    }
  }

  /**
   * @param {Exercise} exercise
   * @param {Extract<Screen, { kind: "exercise" }>} screen
   * @param {LessonAnswer} answer
   * @param {string} move
   */
  async #showAnswer(exercise, screen, answer, move) {
    const text = fillNames(answer.text, this.names).replace(/^(Right!|Not this one\.) /, ""); // the title says this
    if (!answer.right && move !== "") return this.#showMiss(exercise, screen, answer, move, text);
    const title = answer.right ? "Right!" : `The answer: ${answer.answers.join(" or ")}`;
    exercise.showReply(answer.right ? "right" : "hint", title, [text]);
    this.#finishStep();
    this.#renderNavigation(true);
    this.#focusNext();
    exercise.scrollToReply();
    return exercise.play(move || answer.answers[0], answer.position);
  }

  /**
   * @param {Exercise} exercise
   * @param {Extract<Screen, { kind: "exercise" }>} screen
   * @param {LessonAnswer} answer
   * @param {string} move
   * @param {string} text
   */
  #showMiss(exercise, { position, question }, answer, move, text) {
    const { book } = this.lesson;
    const ask = () => {
      exercise.clearReply();
      exercise.ask(book, position, fillNames(question, this.names));
    };
    this.tries += 1;
    const again = button("button main", "Try again", () => {
      ask();
      exercise.keypad.focus();
    });
    const tell = button("button", "Tell me", () => {
      ask();
      this.#answer("");
    });
    exercise.showReply("missed", `${move} isn't it.`, [text], [again, tell]);
    exercise.focusReply();
    return exercise.play(move, answer.position);
  }

  /**
   * @param {number} task
   * @param {{ right: boolean, helped?: boolean }} answer
   */
  #count(task, answer) {
    saveProgress(this.lesson.variant, { tries: countAnswer(this.run, task, answer) });
  }

  /** Mark the step as done if this is its last screen. */
  #finishStep() {
    const { index, screens, screen, lesson } = this;
    const next = screens[index + 1];
    if (next?.step === screen.step && next.kind !== "end") return;
    const { done } = lessonProgress(lesson.variant);
    saveProgress(lesson.variant, { done: [...new Set([...done, screen.step])] });
    this.#renderSteps();
  }

  // The end

  /** @returns {number[]} the indices of screens with tasks that aren't answered yet */
  #openTasks() {
    const { first } = this.run;
    return this.screens.flatMap((screen, n) =>
      "task" in screen && !(screen.task in first) ? [n] : [],
    );
  }

  /**
   * @param {HTMLElement} host
   * @param {Extract<Screen, { kind: "end" }>} screen
   */
  async #renderEnd(host, { strip }) {
    const { lesson } = this;
    const { variant } = lesson;
    const [open] = this.#openTasks();
    const result = element("div", "result");
    const { position } = lesson.steps[lesson.steps.length - 1];
    host.append(result);
    if (lesson.secret) host.append(element("p", "secret", fillNames(lesson.secret, this.names)));
    this.#renderBoard(host, position, strip);
    host.append(this.#renderGame());
    if (open !== undefined) {
      const left = pluralize(this.#openTasks().length, "question");
      const answer = button("button", "Answer them", () => this.#go(open));
      result.append(element("p", "", `${left} still open. Answer all to get your stars.`), answer);
      return;
    }
    if (!this.run.stars) {
      const { first, helped } = this.run;
      const mistakes = Object.values(first).filter((right) => !right).length;
      const reply = await record({ kind: "lesson", day: today(), variant, helped, mistakes });
      if (reply) {
        const { stars, sentences } = reply.changes;
        saveProgress(variant, { tries: { ...this.run, stars, sentences } });
      }
    }
    const { first, stars, sentences } = this.run;
    const asked = Object.values(first);
    const right = asked.filter((each) => each).length;
    const drawn = element("p");
    drawn.append(starImage(stars));
    if (stars) result.append(drawn);
    result.append(
      ...[`You got ${right} of ${asked.length} right on the first try.`, ...sentences].map((text) =>
        element("p", "", text),
      ),
    );
  }

  /** The game in which the secret can be tried. */
  #renderGame() {
    const { variant, invitation, game } = this.lesson;
    const host = element("div", "lesson-game");
    const text = element("p", "", invitation);
    const actions = element("p", "acts");
    const play = button("button main", "Play", () => {
      const you = { name: progress().name || this.names[game.seat - 1] };
      const seats = [1, 2].map((seat) => (seat === game.seat ? you : { bot: game.bot }));
      whileBusy(play, async () => {
        try {
          const { first } = game;
          await createMatch({ variant, first, rounds: 1, seats, clock: null, assist: "on" });
        } catch (error) {
          showError($("trouble"), error);
        }
      });
    });
    const again = button("button", "The lesson again", () => {
      saveProgress(variant, { tries: NEW_RUN });
      this.#go(0);
    });
    actions.append(play, again);
    host.append(characterFace(game.bot), text, actions);
    return host;
  }

  // Navigation

  #renderSteps() {
    const { done } = lessonProgress(this.lesson.variant);
    const items = this.lesson.steps.map(({ number, title }) => {
      const item = element("li");
      const open = button("", "", () => this.#goToStep(number));
      const isDone = done.includes(number);
      open.append(
        element("span", `ball ${isDone ? "done" : ""}`, number),
        element("span", "grow", title),
      );
      if (isDone) open.append(element("span", "soft", "done"));
      if (number === this.screen.step) open.setAttribute("aria-current", "step");
      item.append(open);
      return item;
    });
    $("steps").replaceChildren(...items);
  }

  #focusNext() {
    const next = $("walk").querySelector("button.main");
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  }

  /** @param {boolean} isDone whether the next screen is what comes next */
  #renderNavigation(isDone) {
    const { index, screen } = this;
    const back = button("button", "Back", () => this.#go(index - 1));
    const again = button("button", "Repeat step", () => this.#goToStep(screen.step));
    const next = button(isDone ? "button main" : "button", isDone ? "Next" : "Skip", () =>
      this.#goOn(),
    );
    back.disabled = index === 0;
    $("walk").replaceChildren(back, again, ...(screen.kind === "end" ? [] : [next]));
    $("walk").hidden = false;
  }
}

try {
  new LessonPage(await get(`/api/lessons/${encodeURIComponent(pageSubject())}`));
} catch (error) {
  showError($("trouble"), error);
  const actions = element("p", "acts");
  actions.append(link("button", "All lessons", "/lessons"), link("button", "All games", "/"));
  $("step").replaceChildren(actions);
  $("sidebar").hidden = true;
}
