// @ts-check
// Buttons that start a match: against the computer, against a friend, or with everyone on this screen.

import { button, element, link } from "./dom.js";
import { createMatch } from "./new-match.js";
import { bookNames, pageUrl, showError } from "./page.js";
import { autoBot, nextFirst, progress } from "./progress.js";

/** @import { Book, CreateMatchRequest, SeatRequest } from "./messages.d.ts" */

/**
 * @param {Book} book
 * @param {HTMLElement} errors the element for errors
 * @param {object} [options]
 * @param {string} [options.source] the text of the user's own book
 * @param {string} [options.start] the position to start from
 * @param {number} [options.seat] the user's seat
 */
export function startButtons(book, errors, { source, start, seat = 1 } = {}) {
  const names = bookNames(book);
  /** @param {SeatRequest[]} seats */
  const starter = (seats) => async (/** @type {MouseEvent} */ event) => {
    const computer = seats.some((taken) => taken && "bot" in taken);
    const first = computer ? nextFirst(book.variant, names.length) : 1;
    const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
    /** @type {CreateMatchRequest} */
    const wanted = { variant: book.variant, first, rounds: 1, seats, clock: null, assist: "on" };
    if (seats.includes(null)) wanted.assist = "after";
    if (source !== undefined) wanted.source = source;
    if (start !== undefined) wanted.start = start;
    pressed.disabled = true;
    try {
      await createMatch(wanted);
    } catch (error) {
      showError(errors, error);
    }
    pressed.disabled = false;
  };
  /** @param {SeatRequest} opponent */
  const against = (opponent) =>
    names.map((name, n) => (n + 1 === seat ? { name: progress().name || name } : opponent));
  const bot = { bot: autoBot(book.variant) };
  const friend =
    source === undefined
      ? link("button", "A friend", `${pageUrl("new", book.variant)}?with=friend`)
      : button("button", "A friend", starter(against(null)));
  const here = names.length === 2 ? "Two here" : "All here";
  const buttons = [
    button("button main", "Computer", starter(against(bot))),
    friend,
    button("button", here, starter(names.map((name) => ({ name })))),
  ];
  for (const each of buttons) each.ariaLabel = `${each.textContent}: ${book.title}`;
  return buttons;
}

/**
 * Return a labelled row of start buttons.
 *
 * @param {HTMLElement[]} buttons
 * @param {string} [label]
 */
export function startRow(buttons, label = "Play with") {
  const row = element("span", "play-with");
  const text = element("span", "soft", label);
  text.setAttribute("aria-hidden", "true");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", label);
  row.append(text, ...buttons);
  return row;
}
