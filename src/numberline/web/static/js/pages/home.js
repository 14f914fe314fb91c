// @ts-check
// The home page: the games, each with a live board; the last game, the ladders, the daily puzzles and the lessons.

import { get } from "../api.js";
import { renderSmallBoard } from "../board-render.js";
import { show } from "../board.js";
import { $, announce, button, copyText, element, link, starImage, toast } from "../dom.js";
import { showLadders } from "../ladder.js";
import { LESSON_STEPS, lessonProgress } from "../lesson-progress.js";
import { LiveBoard } from "../live-board.js";
import { playerNames } from "../match-state.js";
import { bookNames, clearError, goalText, longestFirst, pageUrl, showError } from "../page.js";
import {
  bookOf,
  dailyResults,
  forgetMatch,
  openMatches,
  progress,
  sendPending,
  today,
  update,
} from "../progress.js";
import { startButtons } from "../start-buttons.js";
import { joinAnd, pluralize } from "../text.js";

/** @import { Book, BookCard, FinishedGame, ProgressReply, Puzzle, Snapshot } from "../messages.d.ts" */

const MAX_GAMES_SHOWN = 6;
/** @type {Map<string, string>} */
const titles = new Map();

async function loadGames() {
  try {
    /** @type {{ books: BookCard[] }} */
    const response = await get("/api/books");
    const books = longestFirst(response.books);
    for (const { book } of books) titles.set(book.variant, book.title);
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

async function loadOpenMatches() {
  const ids = openMatches();
  if (!ids.length) return;
  try {
    /** @type {{ matches: (Snapshot | null)[] }} */
    const { matches } = await get(`/api/matches?ids=${ids.map(encodeURIComponent).join(",")}`);
    const waiting = matches.flatMap((snapshot, n) => {
      if (snapshot && !snapshot.match.ended) return [openMatchRow(ids[n], snapshot)];
      forgetMatch(ids[n]);
      return [];
    });
    $("again-list").replaceChildren(...waiting);
    $("again").hidden = !waiting.length;
  } catch {
    // The page is shown without the list.
  }
}

/**
 * @param {string} id
 * @param {Snapshot} snapshot
 */
function openMatchRow(id, snapshot) {
  const { book, match, you } = snapshot;
  const awaited = match.seats.length === 2 ? match.seats.findIndex((seat) => !seat.taken) : -1;
  const names = playerNames(snapshot).map((name, n) => (n === awaited ? "a friend" : name));
  const row = element("li", "waiting-game");
  const others = names.filter((_, n) => !you.includes(n + 1));
  const title =
    you.length === 1
      ? `${book.title} against ${joinAnd(others)}`
      : `${book.title}: ${joinAnd(names)}`;
  const open = link("", title, `/play/${encodeURIComponent(id)}`);
  open.append(element("span", "soft", progressText(snapshot, names)));
  const remove = button("button", "Remove", () => {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    forgetMatch(id);
    row.remove();
    $("again").hidden = !next;
    (next?.querySelector("a") ?? $("main")).focus();
    announce(`Removed: ${title}.`);
  });
  remove.append(element("span", "hide", ` ${title}, game ${openMatches().indexOf(id) + 1}`));
  row.append(open, remove);
  return row;
}

/**
 * @param {Snapshot} snapshot
 * @param {string[]} names
 */
function progressText({ match, position, you }, names) {
  const moves = match.log.length;
  const played = moves ? `${pluralize(moves, "move")} so far` : "No moves yet";
  const yours = you.length === 1 && you.includes(position.turn);
  const turn = yours ? "It's your turn." : `It's ${names[position.turn - 1]}'s turn.`;
  const free = match.seats.find((seat) => !seat.taken);
  const missing = free ? "Your friend isn't here yet." : "";
  return `${played}. ${free?.player === position.turn ? "" : turn} ${missing}`;
}

async function loadDailyPuzzle() {
  const day = today();
  const results = dailyResults(day);
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

// The player's progress

async function loadProgress() {
  try {
    await sendPending();
    showProgress(await update());
  } catch (error) {
    showError($("progress-trouble"), error);
  }
}

/** @param {ProgressReply} reply */
function showProgress({ document: { games }, greeting, text }) {
  $("greeting").textContent = greeting;
  $("greeting").hidden = !greeting;
  $("progress-games").replaceChildren(...games.slice(-MAX_GAMES_SHOWN).reverse().map(gameRow));
  $("progress-text", HTMLTextAreaElement).value = "";
  $("progress-copy").onclick = async () =>
    toast((await copyText(text)) ? "Copied. Paste it on the other device." : "That didn't work.");
}

/** @param {FinishedGame} game */
function gameRow({
  id,
  variant,
  title,
  changes,
  board,
  won,
  opponent,
  stars,
  practice,
  day,
  moment,
  record,
}) {
  const ended = won ? "you won" : won === null ? "no winner" : "you lost";
  const result = practice ? `practice, ${ended}` : ended;
  const name = title || (titles.get(bookOf(variant)) ?? variant);
  const row = element("li", "game-row");
  const host = record ? link("", "", `/review#${id}`) : element("span", "line");
  const drawn = board ? renderSmallBoard(board) : null;
  const text = element("span", "grow", `${name} against ${opponent}: ${result}`);
  if (stars) text.append(" ", starImage(stars));
  host.append(text);
  if (day) host.append(element("span", "soft", dateText(day)));
  row.append(host);
  if (drawn) row.append(drawn);
  const about = `${changes} ${moment}`.trim();
  if (about) row.append(element("p", "soft", about));
  return row;
}

/** @param {string} day */
const dateText = (day) =>
  new Date(`${day}T12:00`).toLocaleDateString("en-GB", { day: "numeric", month: "short" });

/** @param {SubmitEvent} event */
async function importProgress(event) {
  event.preventDefault();
  clearError($("progress-trouble"));
  try {
    showProgress(await update({ text: $("progress-text", HTMLTextAreaElement).value }));
    await showLadders();
    toast("Your progress is here now.");
  } catch (error) {
    showError($("progress-trouble"), error);
  }
}

/** A returning player sees the next step and today's puzzles above the games. */
function putNewsFirst() {
  const news = element("div", "news");
  news.append($("ladder"), $("daily"));
  $("games").before(news);
}

if (progress().day) putNewsFirst();
$("progress-form").addEventListener("submit", importProgress);
loadGames().then(loadProgress).then(showLadders);
loadOpenMatches();
loadDailyPuzzle();
