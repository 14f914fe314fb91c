// One lesson: step by step, each with its board, its text and something to find out.

import { show as picture } from "./board.js";
import { $, button, element, fill, recall, remember } from "./dom.js";
import { Drill } from "./drill.js";
import { post } from "./net.js";
import { address, asked, get, link, nicknames, playWith, starters, trouble } from "./page.js";
import { Shortcuts } from "./shortcuts.js";

const state = { lesson: null, number: 1, tries: 0, drill: null };

async function begin() {
  try {
    state.lesson = await get(`/api/lessons/${encodeURIComponent(asked())}`);
    const { title, variant, steps } = state.lesson, at = Number(location.hash.slice(1)) || (kept().done.length < steps.length && kept().at) || 1;
    document.title = `${title}, a lesson · Numberline`;
    $("title").textContent = title;
    $("links").append(link("button", "Rules", address("rules", variant)), link("button", "Puzzles", "/puzzles"));
    new Shortcuts({ choices: () => state.drill?.legal ?? [], play: answer, actions: {
      ArrowLeft: { title: "one step back", act: () => go(state.number - 1) }, ArrowRight: { title: "one step on", act: () => go(state.number + 1) },
    } });
    addEventListener("hashchange", () => Number(location.hash.slice(1)) && go(Number(location.hash.slice(1)), false));
    go(Math.min(Math.max(1, at), steps.length), false);
  } catch (error) {
    trouble($("trouble"), error);
    const acts = element("p", "acts");
    acts.append(link("button", "All lessons", "/lessons"), link("button", "Change the rules", "/variants"));
    $("step").replaceChildren(acts);
    $("steps").closest("aside").hidden = true;
  }
}

const kept = () => recall("lessons", {})[state.lesson.variant] ?? { done: [], at: 1 };

function keep(change) {
  remember("lessons", { ...recall("lessons", {}), [state.lesson.variant]: { ...kept(), ...change } });
}

function go(number, focus = true) {
  const { lesson } = state, step = lesson.steps[number - 1], names = nicknames(lesson.book);
  if (!step) return;
  Object.assign(state, { number, tries: 0, drill: null });
  history.replaceState(null, "", `#${number}`);
  keep({ at: number });
  const title = element("h2", "", `${number}. ${step.title}`), board = element("div", "board"), host = element("div", "lesson-step");
  title.tabIndex = -1;
  host.append(title, element("p", "text", fill(step.text, names)), board);
  $("step").replaceChildren(host);
  picture(board, { book: lesson.book, position: step.position, values: null, ply: null }, { names });
  if (step.exercise) host.append(exercise(step, names));
  else done(number);
  steps();
  walk();
  if (focus) title.focus();
}

function exercise(step, names) {
  const host = element("section", "try"), title = element("h3", "", "Try it");
  title.id = "try-title";
  host.setAttribute("aria-labelledby", title.id);
  host.append(title);
  state.drill = new Drill(host, { onMove: answer });
  requestAnimationFrame(() => state.drill.ask(state.lesson.book, step.exercise.position, fill(step.exercise.question, names)));
  return host;
}

async function answer(move) {
  const { drill, lesson, number } = state, names = nicknames(lesson.book);
  if (!drill?.open) return;
  drill.lock();
  try {
    const found = await post("/api/lessons/answer", { variant: lesson.variant, step: number, move });
    if (drill !== state.drill) return;
    await settle(found, move, drill, (text) => fill(text, names).replace(/^(Right!|Not this one\.) /, "")); // the heading says so
  } catch (error) {
    drill.open = true;
    drill.draw(drill.view.position, null);
    drill.tell("missed", "That did not work.", [error.sentence ?? error.message]);
  }
}

async function settle(found, move, drill, said) {
  const { lesson, number } = state, before = drill.view.position;
  if (found.right || move === "") {
    const shown = move || found.answers[0];
    drill.tell(found.right ? "right" : "hint", found.right ? "Right!" : `The answer: ${found.answers.join(" or ")}`, [said(found.text)], [onward()]);
    done(number);
    drill.told.querySelector("button, a").focus({ preventScroll: true });
    drill.reveal();
    return drill.play(shown, found.position);
  }
  state.tries += 1;
  const again = button("button main", "Try again", () => {
    drill.ask(lesson.book, before, drill.question.textContent);
    drill.keys.focus();
  });
  const tell = button("button", "Tell me", () => { drill.ask(lesson.book, before, drill.question.textContent); answer(""); });
  drill.tell("missed", `${move} is not it.`, [said(found.text)], state.tries < lesson.tries ? [again, tell] : [tell, again]);
  drill.told.querySelector("button").focus({ preventScroll: true });
  drill.reveal();
  return drill.play(move, found.position);
}

function done(number) {
  const all = new Set(kept().done);
  all.add(number);
  keep({ done: [...all] });
  steps();
}

function onward() {
  const last = state.number === state.lesson.steps.length;
  return last ? link("button main", "Try some puzzles", "/puzzles") : button("button main", "Next step", () => go(state.number + 1));
}

function steps() {
  const finished = kept().done;
  $("steps").replaceChildren(...state.lesson.steps.map((step) => {
    const made = element("li"), to = button("", "", () => go(step.number)), is = finished.includes(step.number);
    to.append(element("span", `ball ${is ? "done" : ""}`, step.number), element("span", "grow", step.title));
    if (is) to.append(element("span", "soft", "done"));
    if (step.number === state.number) to.setAttribute("aria-current", "step");
    made.append(to);
    return made;
  }));
}

function walk() {
  const { number, lesson } = state, last = number === lesson.steps.length;
  const back = button("button", "Back", () => go(number - 1));
  back.disabled = number === 1;
  const on = last ? [playWith(starters(lesson.book, $("trouble")))] : [button("button", "Next step", () => go(number + 1))];
  $("walk").replaceChildren(back, ...on);
  $("walk").hidden = false;
}

begin();
