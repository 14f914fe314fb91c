// @ts-check
// The list of lessons, with the user's progress, and a field for any variant.

import { bookPath, get } from "../api.js";
import { serverUrl } from "../base-path.js";
import { show } from "../board.js";
import { $, element, link } from "../dom.js";
import { LESSON_STEPS, lessonProgress } from "../lesson-progress.js";
import { bookNames, goalText, longestFirst, pageUrl, showError } from "../page.js";
import { progress } from "../progress.js";
import { starText } from "../text.js";

/** @import { Book, BookCard } from "../messages.d.ts" */

async function loadLessons() {
  try {
    /** @type {{ books: BookCard[] }} */
    const { books } = await get("/api/books");
    const cards = longestFirst(books).map(({ book, position }) => ({
      book,
      position,
      ...renderCard(book),
    }));
    $("lessons").replaceChildren(...cards.map(({ host }) => host));
    for (const { book, position, board } of cards) {
      show(board, { book, position, values: null, ply: null }, { names: bookNames(book) });
    }
  } catch (error) {
    showError($("trouble"), error);
  }
  $("lessons").removeAttribute("aria-busy");
}

/** @param {Book} book */
function renderCard(book) {
  const done = lessonProgress(book.variant).done.length;
  const host = element("li", "card game");
  const board = element("div", "board small");
  const bar = element("div", "bar");
  const filled = element("i");
  const actions = element("p", "acts");
  filled.style.width = `${(100 * Math.min(done, LESSON_STEPS)) / LESSON_STEPS}%`;
  bar.append(filled);
  bar.setAttribute("aria-hidden", "true");
  const title = done === 0 ? "Start" : done < LESSON_STEPS ? "Continue" : "Do it again";
  const open = link(`button${done ? "" : " main"}`, title, pageUrl("lessons", book.variant));
  open.append(element("span", "hide", `: lesson for ${book.title}`));
  const stars = progress().lessons?.[book.variant] ?? 0;
  const steps = done ? `${done} of ${LESSON_STEPS} steps done` : `${LESSON_STEPS} steps`;
  actions.append(open, element("span", "soft", stars ? starText(stars) : steps));
  host.append(
    element("h2", "", book.title),
    element("p", "goal", goalText(book)),
    board,
    bar,
    actions,
  );
  return { host, board };
}

/** @param {SubmitEvent} event */
async function openVariant(event) {
  event.preventDefault();
  const field = $("variant", HTMLInputElement);
  const variant = field.value.trim();
  if (!variant)
    return showError($("any-trouble"), "Type the name of a variant, like line-runner(end=30).");
  try {
    await get(bookPath(variant));
    location.assign(serverUrl(pageUrl("lessons", variant)));
  } catch (error) {
    showError($("any-trouble"), error);
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }
}

$("any").addEventListener("submit", openVariant);
loadLessons();
