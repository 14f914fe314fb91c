// Puzzles: the five of the day, and endless ones that fit the rating, which is kept in this browser.

import { $, button, element, fill, motion, recall, remember, status } from "./dom.js";
import { Drill } from "./drill.js";
import { post } from "./net.js";
import { get, nicknames, trouble } from "./page.js";
import { Shortcuts } from "./shortcuts.js";

const STEP = 32; // the most that one puzzle changes the rating
const FIRST = 800;
const PAUSE = 900; // before the answer to a wrong move is played

const day = new Date().toISOString().slice(0, 10);
const state = { today: [], results: [], waiting: [], puzzle: null, number: null, hinted: false, turn: 0, fetching: null };
const host = $("puzzle");
const changes = element("p", "rule"), goal = element("p", "soft goal"), tools = element("div", "tools");
const drill = new Drill(host, { onMove: answer });
const hint = button("button", "Hint, for no point", nudge), skip = button("button", "Skip", () => answer(""));

async function begin() {
  tools.append(hint, skip);
  host.prepend(goal, changes);
  host.insertBefore(tools, drill.told);
  const kept = recall("daily", {});
  state.results = kept.day === day ? kept.results ?? [] : [];
  score();
  host.hidden = true;
  $("book").addEventListener("change", () => { state.waiting = []; endless(); });
  $("endless").addEventListener("click", endless);
  new Shortcuts({ choices: () => drill.legal, play: answer, actions: {
    h: { title: "hint", act: () => hint.click() }, s: { title: "skip", act: () => skip.click() }, n: { title: "next puzzle", act: () => drill.told.querySelector(".main")?.click() },
  } });
  try {
    const [{ books }, { puzzles }] = await Promise.all([get("/api/books"), get(`/api/puzzles?day=${day}`)]);
    $("book").append(...books.map(({ book }) => option(book.variant, book.title)));
    state.today = puzzles;
    const next = undone();
    list();
    if (next >= 0) show(puzzles[next], next);
    else endless();
  } catch (error) {
    trouble($("trouble"), error);
  }
}

const left = () => state.today.filter((_, n) => typeof state.results[n] !== "boolean").length;
const undone = () => state.today.findIndex((_, n) => typeof state.results[n] !== "boolean");

// The list of today's five

function list() {
  const done = state.today.filter((_, n) => typeof state.results[n] === "boolean").length;
  const all = done === state.today.length ? " There are new ones tomorrow." : "";
  $("today-text").textContent = done === 0 ? "The same for everybody, the easiest first." : `${done} of ${state.today.length} answered, ${state.results.filter(Boolean).length} solved.${all}`;
  $("today").replaceChildren(...state.today.map(entry));
}

function entry(puzzle, n) {
  const made = element("li"), result = state.results[n], words = element("span", "grow", puzzle.title);
  const to = button("", "", () => show(puzzle, n, true));
  words.append(element("small", "", `rated ${puzzle.rating}`));
  to.append(element("span", `ball ${result === true ? "done" : result === false ? "missed" : ""}`, n + 1), words);
  if (typeof result === "boolean") to.append(element("span", "soft", result ? "solved" : "no point"));
  if (n === state.number) to.setAttribute("aria-current", "true");
  made.append(to);
  return made;
}

// Endless ones: the next is fetched while one is being solved

async function endless() {
  try {
    if (!state.waiting.length) {
      status("Looking for a puzzle that fits you.");
      await fetchMore();
    }
    if (!state.waiting.length) return trouble($("trouble"), "There are no more puzzles of this game. Choose another one.");
    show(state.waiting.shift(), null, true);
    if (state.waiting.length < 2) fetchMore().catch(() => {});
  } catch (error) {
    trouble($("trouble"), error);
  }
  return undefined;
}

// What is under way already is not asked for again.
function fetchMore() {
  const book = $("book").value;
  if (state.fetching?.book !== book) {
    const found = get(`/api/puzzles?near=${kept().rating}${book ? `&book=${encodeURIComponent(book)}` : ""}`).then(({ puzzles }) => {
      if (book === $("book").value) state.waiting.push(...puzzles);
    }).finally(() => { if (state.fetching?.found === found) state.fetching = null; });
    state.fetching = { book, found };
  }
  return state.fetching.found;
}

function show(puzzle, number, focus = false) {
  Object.assign(state, { puzzle, number, hinted: false, turn: state.turn + 1 });
  const names = nicknames(puzzle.book);
  trouble($("trouble"), "");
  host.hidden = false;
  $("title").textContent = puzzle.title;
  document.title = `${puzzle.title}, a puzzle · Numberline`;
  $("which").textContent = `${number === null ? "A puzzle that fits you" : `Today's puzzle ${number + 1} of ${state.today.length}`}, rated ${puzzle.rating}`;
  changes.textContent = fill(puzzle.changes, names);
  changes.hidden = !puzzle.changes;
  goal.textContent = fill(puzzle.goal, names);
  tools.hidden = false;
  hint.disabled = false;
  drill.ask(puzzle.book, puzzle.position, fill(puzzle.question, names));
  list();
  if (left() < 2 && !state.waiting.length) fetchMore().catch(() => {});
  if (focus) $("title").focus();
}

function nudge() {
  if (!drill.open) return;
  state.hinted = true;
  hint.disabled = true;
  drill.tell("hint", "Hint", [fill(state.puzzle.nudge, nicknames(state.puzzle.book))]);
  drill.reveal();
}

async function answer(move) {
  if (!drill.open) return;
  const { puzzle, turn } = state;
  drill.lock();
  tools.hidden = true;
  try {
    const found = await post("/api/puzzles/answer", { variant: puzzle.variant, position: puzzle.position.position, move });
    if (turn !== state.turn) return;
    count(found.right && !state.hinted);
    await verdict(found, move, turn);
  } catch (error) {
    trouble($("trouble"), error);
    tools.hidden = false;
    drill.open = true;
    drill.draw(puzzle.position, null);
  }
}

async function verdict(found, move, turn) {
  const names = nicknames(state.puzzle.book), tell = (kind, title, texts) => drill.tell(kind, title, [...texts.map((text) => fill(text, names)), ...ending], [next()]);
  const told = [], ending = state.number !== null && undone() < 0 ? [`That was today's five: ${state.results.filter(Boolean).length} of ${state.today.length} solved. There are new ones tomorrow.`] : [];
  if (found.right) tell("right", state.hinted ? "Right! With the hint it is no point." : praise(), [found.text]);
  else if (!found.steps.length) tell("hint", `Skipped. The move was ${found.answer}.`, [found.text]);
  else tell("missed", `No, ${move} is not it.`, told);
  drill.told.querySelector(".main").focus({ preventScroll: true });
  drill.reveal();
  for (const [n, step] of found.steps.entries()) {
    if (n && motion()) await new Promise((done) => setTimeout(done, PAUSE));
    if (turn !== state.turn) return;
    await drill.play(step.move, step.position);
    if (turn !== state.turn) return;
    if (!found.right) told.push(step.text);
  }
  if (!found.right && found.steps.length) retell(tell, [...told, found.text], move);
}

// The whole of what is said of a wrong answer, with the focus where it was.
function retell(tell, texts, move) {
  const held = drill.told.contains(document.activeElement);
  tell("missed", `No, ${move} is not it.`, texts);
  if (held) drill.told.querySelector(".main").focus({ preventScroll: true });
  drill.reveal();
}

const praise = () => (kept().streak > 2 ? `Right! That makes ${kept().streak} in a row.` : "Right!");

function next() {
  const daily = state.number !== null, to = daily ? undone() : -1;
  if (!daily) return button("button main", "Next", endless);
  if (to < 0) return button("button main", "More puzzles", endless);
  return button("button main", "Next", () => show(state.today[to], to, true));
}

// The score

const kept = () => ({ asked: 0, solved: 0, streak: 0, best: 0, rating: FIRST, ...recall("puzzles", {}) });

function count(right) {
  const daily = state.number !== null, again = daily && typeof state.results[state.number] === "boolean";
  if (again) return;
  const now = kept(), chance = 1 / (1 + 10 ** ((state.puzzle.rating - now.rating) / 400));
  now.rating = Math.max(0, now.rating + Math.round(STEP * ((right ? 1 : 0) - chance)));
  now.asked += 1;
  now.solved += right ? 1 : 0;
  now.streak = right ? now.streak + 1 : 0;
  now.best = Math.max(now.best, now.streak);
  remember("puzzles", now);
  if (daily) {
    state.results[state.number] = right;
    remember("daily", { day, results: state.results });
    list();
  }
  score();
}

function score() {
  const now = kept();
  const parts = [["Rating", now.rating], ["Streak", now.streak], ["Best", now.best], ["Solved", `${now.solved} / ${now.asked}`]];
  $("score").replaceChildren(...parts.map(([title, value]) => {
    const made = element("div");
    made.append(element("dt", "", title), element("dd", "", value));
    return made;
  }));
}

function option(value, text) {
  const made = element("option", "", text);
  made.value = value;
  return made;
}

begin();
