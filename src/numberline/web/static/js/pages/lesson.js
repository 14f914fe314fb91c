// @ts-check
// One lesson, step by step; each step has some text, a board, and something to try.

import { errorText, get, post } from "../api.js";
import { show } from "../board.js";
import { $, button, element, link, toast } from "../dom.js";
import { Exercise } from "../exercise.js";
import { lessonProgress, saveProgress } from "../lesson-progress.js";
import { bookNames, pageSubject, pageUrl, showError } from "../page.js";
import { record, today } from "../progress.js";
import { Shortcuts } from "../shortcuts.js";
import { startButtons, startRow } from "../start-buttons.js";
import { fillNames, starText } from "../text.js";

/** @import { Lesson, LessonAnswer, LessonStep } from "../messages.d.ts" */

/** The step given in the address, or 0. */
const hashStep = () => Number(location.hash.slice(1)) || 0;

class LessonPage {
  /** @param {Lesson} lesson */
  constructor(lesson) {
    this.lesson = lesson;
    this.names = bookNames(lesson.book);
    this.number = 1;
    this.tries = 0;
    /** @type {Exercise | null} */
    this.exercise = null;
    document.title = `${lesson.title}, a lesson · Numberline`;
    $("title").textContent = lesson.title;
    $("links").append(link("button", "Rules", pageUrl("rules", lesson.variant)));
    $("links").append(link("button", "Puzzles", "/puzzles"));
    new Shortcuts({
      choices: () => this.exercise?.legalChoices ?? [],
      play: (move) => this.#answer(move),
      actions: {
        ArrowLeft: { title: "one step back", run: () => this.#go(this.number - 1) },
        ArrowRight: { title: "next step", run: () => this.#go(this.number + 1) },
      },
    });
    addEventListener("hashchange", () => hashStep() && this.#go(hashStep(), false));
    const { done, at } = lessonProgress(lesson.variant);
    const first = hashStep() || (done.length < lesson.steps.length ? at : 1);
    this.#go(Math.min(Math.max(1, first), lesson.steps.length), false);
  }

  /**
   * @param {number} number
   * @param {boolean} [focus]
   */
  #go(number, focus = true) {
    const { lesson, names } = this;
    const step = lesson.steps[number - 1];
    if (!step) return;
    Object.assign(this, { number, tries: 0, exercise: null });
    history.replaceState(null, "", `#${number}`);
    saveProgress(lesson.variant, { at: number });
    const title = element("h2", "", `${number}. ${step.title}`);
    const board = element("div", "board");
    const host = element("div", "lesson-step");
    title.tabIndex = -1;
    host.append(title, element("p", "text", fillNames(step.text, names)), board);
    $("step").replaceChildren(host);
    show(board, { book: lesson.book, position: step.position, values: null, ply: null }, { names });
    if (step.exercise) host.append(this.#renderExercise(step.exercise));
    else this.#finish();
    this.#renderSteps();
    this.#renderNavigation();
    if (focus) title.focus();
  }

  /** @param {NonNullable<LessonStep["exercise"]>} task */
  #renderExercise({ position, question }) {
    const host = element("section", "try");
    const title = element("h3", "", "Try it");
    title.id = "try-title";
    host.setAttribute("aria-labelledby", title.id);
    host.append(title);
    const exercise = new Exercise(host, (move) => this.#answer(move));
    this.exercise = exercise;
    const { book } = this.lesson;
    requestAnimationFrame(() => exercise.ask(book, position, fillNames(question, this.names)));
    return host;
  }

  /** @param {string} move "" asks for the answer */
  async #answer(move) {
    const { exercise, lesson, number } = this;
    if (!exercise?.open) return;
    exercise.lock();
    try {
      /** @type {LessonAnswer} */
      const answer = await post("/api/lessons/answer", {
        variant: lesson.variant,
        step: number,
        move,
      });
      if (exercise !== this.exercise) return;
      await this.#showAnswer(exercise, answer, move);
    } catch (error) {
      exercise.unlock();
      exercise.showReply("missed", "That didn't work.", [errorText(error)]);
    }
  }

  /**
   * @param {Exercise} exercise
   * @param {LessonAnswer} answer
   * @param {string} move
   */
  async #showAnswer(exercise, answer, move) {
    const text = fillNames(answer.text, this.names).replace(/^(Right!|Not this one\.) /, ""); // the title says this
    if (!answer.right && move !== "") return this.#showMiss(exercise, answer, move, text);
    const title = answer.right ? "Right!" : `The answer: ${answer.answers.join(" or ")}`;
    exercise.showReply(answer.right ? "right" : "hint", title, [text], [this.#nextButton()]);
    if (!answer.right) this.#note("shown");
    this.#finish();
    exercise.focusReply();
    return exercise.play(move || answer.answers[0], answer.position);
  }

  /**
   * @param {Exercise} exercise
   * @param {LessonAnswer} answer
   * @param {string} move
   * @param {string} text
   */
  #showMiss(exercise, answer, move, text) {
    const { book, tries } = this.lesson;
    const task = this.lesson.steps[this.number - 1].exercise;
    const ask = () =>
      task && exercise.ask(book, task.position, fillNames(task.question, this.names));
    this.tries += 1;
    this.#note("missed");
    const again = button("button main", "Try again", () => {
      ask();
      exercise.keypad.focus();
    });
    const tell = button("button", "Tell me", () => {
      ask();
      this.#answer("");
    });
    const buttons = this.tries < tries ? [again, tell] : [tell, again];
    exercise.showReply("missed", `${move} isn't it.`, [text], buttons);
    exercise.focusReply();
    return exercise.play(move, answer.position);
  }

  /** @param {"missed" | "shown"} what happened in this step */
  #note(what) {
    const { run } = lessonProgress(this.lesson.variant);
    saveProgress(this.lesson.variant, {
      run: { ...run, [what]: [...new Set([...run[what], this.number])] },
    });
  }

  async #finish() {
    const { variant, steps } = this.lesson;
    const { done, run } = lessonProgress(variant);
    const runDone = [...new Set([...run.done, this.number])];
    const isOver = runDone.length === steps.length;
    saveProgress(variant, {
      done: [...new Set([...done, this.number])],
      run: isOver ? { done: [], missed: [], shown: [] } : { ...run, done: runDone },
    });
    this.#renderSteps();
    if (!isOver) return;
    const [helped, mistakes] = [run.shown.length > 0, run.missed.length];
    const reply = await record({ kind: "lesson", day: today(), variant, helped, mistakes });
    if (reply) toast(`You finished the lesson! ${starText(reply.changes.stars)}`);
  }

  #nextButton() {
    if (this.number === this.lesson.steps.length)
      return link("button main", "Try some puzzles", "/puzzles");
    return button("button main", "Next step", () => this.#go(this.number + 1));
  }

  #renderSteps() {
    const { done } = lessonProgress(this.lesson.variant);
    const items = this.lesson.steps.map(({ number, title }) => {
      const item = element("li");
      const open = button("", "", () => this.#go(number));
      const isDone = done.includes(number);
      open.append(
        element("span", `ball ${isDone ? "done" : ""}`, number),
        element("span", "grow", title),
      );
      if (isDone) open.append(element("span", "soft", "done"));
      if (number === this.number) open.setAttribute("aria-current", "step");
      item.append(open);
      return item;
    });
    $("steps").replaceChildren(...items);
  }

  #renderNavigation() {
    const { number, lesson } = this;
    const back = button("button", "Back", () => this.#go(number - 1));
    back.disabled = number === 1;
    const next =
      number === lesson.steps.length
        ? startRow(startButtons(lesson.book, $("trouble")))
        : button("button", "Next step", () => this.#go(number + 1));
    $("walk").replaceChildren(back, next);
    $("walk").hidden = false;
  }
}

try {
  new LessonPage(await get(`/api/lessons/${encodeURIComponent(pageSubject())}`));
} catch (error) {
  showError($("trouble"), error);
  const actions = element("p", "acts");
  actions.append(
    link("button", "All lessons", "/lessons"),
    link("button", "Change the rules", "/variants"),
  );
  $("step").replaceChildren(actions);
  $("sidebar").hidden = true;
}
