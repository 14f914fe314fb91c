// @ts-check
// The home page: the games, each with a live board; the last game, the daily puzzles and the lessons.

import { get, hasCode, matchPath } from "../api.js";
import { serverUrl } from "../base-path.js";
import { show } from "../board.js";
import { $, element, link } from "../dom.js";
import { LESSON_STEPS, lessonProgress } from "../lesson-progress.js";
import { LiveBoard } from "../live-board.js";
import { playerNames } from "../match-state.js";
import { bookNames, goalText, longestFirst, pageUrl, showError } from "../page.js";
import { loadDailyResults, today } from "../puzzle-score.js";
import { startButtons } from "../start-buttons.js";
import { load, remove } from "../storage.js";
import { fillNames, joinAnd, pluralize } from "../text.js";

/** @import { Book, BookCard, Puzzle, Snapshot } from "../messages.d.ts" */

async function loadGames() {
  try {
    /** @type {{ books: BookCard[] }} */
    const response = await get("/api/books");
    const books = longestFirst(response.books);
    const cards = books.map(renderCard);
    $("games").replaceChildren(...cards.map(({ host }) => host));
    for (const { board } of cards) board.draw();
    $("lesson-links").replaceChildren(...books.map(({ book }) => renderLessonLink(book)));
  } catch (error) {
    showError($("trouble"), error);
  }
  $("games").removeAttribute("aria-busy");
}

/** @param {BookCard} card */
function renderCard({ book, position }) {
  const host = element("li", "card game");
  const board = element("div", "board small");
  const who = element("div", "who");
  const problem = element("p", "trouble");
  const caption = element("p", "with", "Play with");
  const links = element("p", "links");
  problem.setAttribute("role", "alert");
  problem.hidden = true;
  who.setAttribute("role", "group");
  who.setAttribute("aria-label", `Play ${book.title} with`);
  who.append(...startButtons(book, problem));
  caption.setAttribute("aria-hidden", "true");
  const pages = { rules: "Rules", lessons: "Lesson", variants: "Change the rules" };
  for (const [page, title] of Object.entries(pages)) {
    const made = link("", title, pageUrl(page, book.variant));
    made.append(element("span", "hide", ` of ${book.title}`));
    links.append(made);
  }
  const heading = element("h2", "", book.title);
  host.append(heading, element("p", "goal", goalText(book)), board, caption, who, problem, links);
  return { host, board: new LiveBoard(host, board, book, position) };
}

/** @param {Book} book */
function renderLessonLink(book) {
  const done = lessonProgress(book.variant).done.length;
  const item = element("li");
  const made = link("", book.title, pageUrl("lessons", book.variant));
  made.append(element("span", "soft", `${done ? `${done} of ` : ""}${LESSON_STEPS} steps`));
  item.append(made);
  return item;
}

async function loadLastGame() {
  const id = load("last", "");
  if (!id) return;
  try {
    /** @type {Snapshot} */
    const snapshot = await get(matchPath(id));
    const { outcome } = snapshot.match;
    const names = playerNames(snapshot);
    const result = outcome ? fillNames(outcome.reason, names) : progressText(snapshot, names);
    $("again-title").textContent = outcome ? "Your last game" : "Continue your game";
    $("again-text").textContent = `${snapshot.book.title}: ${joinAnd(names)}. ${result}`;
    $("again-link").textContent = outcome ? "Look at it again" : "Continue";
    $("again-link", HTMLAnchorElement).href = serverUrl(`/play/${encodeURIComponent(id)}`);
    $("again").hidden = false;
  } catch (error) {
    if (hasCode(error, "not_found", "damaged")) remove("last");
  }
}

/**
 * @param {Snapshot} snapshot
 * @param {string[]} names
 */
function progressText({ match, position }, names) {
  const moves = match.log.length;
  const played = moves ? `${pluralize(moves, "move")} so far` : "No moves yet";
  return `${played}. ${names[position.turn - 1]} goes next.`;
}

async function loadDailyPuzzle() {
  const day = today();
  const results = loadDailyResults(day);
  try {
    /** @type {{ puzzles: Puzzle[] }} */
    const { puzzles } = await get(`/api/puzzles?day=${day}`);
    const answered = puzzles.filter((_, n) => results[n] !== null).length;
    const next = puzzles.findIndex((_, n) => results[n] === null);
    const pips = puzzles.map((_, n) =>
      element("li", results[n] === null ? "" : results[n] ? "done" : "missed"),
    );
    $("daily-done").replaceChildren(...pips);
    if (answered) {
      $("daily-text").textContent =
        next < 0
          ? "You've answered all of today's puzzles. Come back for new ones tomorrow."
          : `You've answered ${answered} of today's ${puzzles.length}.`;
      $("daily-link").textContent = next < 0 ? "More puzzles" : "Continue today's five";
    }
    const { book, position } = puzzles[Math.max(0, next)];
    $("daily-board").hidden = false;
    show($("daily-board"), { book, position, values: null, ply: null }, { names: bookNames(book) });
  } catch {
    // The card is shown without a board.
  }
}

loadGames();
loadLastGame();
loadDailyPuzzle();
