// @ts-check
// Buttons that start a match: against the computer, against a friend, or with everyone on this screen.

import { button, element, link, whileBusy } from "./dom.js";
import { createMatch } from "./new-match.js";
import { bookNames, pageUrl, showError } from "./page.js";
import { autoBot, nextFirst, progress, saveName } from "./progress.js";

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
  /**
   * @param {SeatRequest[]} seats
   * @param {CreateMatchRequest["first"]} [first]
   */
  const create = (seats, first = 1) => {
    /** @type {CreateMatchRequest} */
    const wanted = { variant: book.variant, first, rounds: 1, seats, clock: null, assist: "on" };
    if (seats.includes(null)) wanted.assist = "after";
    if (source !== undefined) wanted.source = source;
    if (start !== undefined) wanted.start = start;
    return createMatch(wanted);
  };
  /** @param {() => Promise<unknown>} run */
  const starter =
    (run) =>
    (/** @type {MouseEvent} */ { currentTarget }) =>
      whileBusy(/** @type {HTMLButtonElement} */ (currentTarget), () =>
        run().catch((error) => showError(errors, error)),
      );
  /**
   * @param {SeatRequest} opponent
   * @param {string} [you]
   */
  const against = (opponent, you = progress().name) =>
    names.map((name, n) => (n + 1 === seat ? { name: you || name } : opponent));
  const playComputer = async () => {
    const { askOpponent } = await import("./computer-sheet.js");
    const chosen = await askOpponent(book, progress().name ?? "", source !== undefined);
    if (!chosen) return;
    saveName(chosen.name);
    const bot = chosen.bot === "auto" ? autoBot(book.variant) : chosen.bot;
    const favoured = chosen.bot === "easy" && seat === 1 ? chosen.favoured : 1;
    const firsts = { turns: nextFirst(book.variant, names.length, favoured), you: seat };
    const first =
      chosen.first === "toss" ? "toss" : { ...firsts, computer: (seat % 2) + 1 }[chosen.first];
    await create(against({ bot }, chosen.name), first);
  };
  const playHere = async () => {
    const { askNames } = await import("./names-sheet.js");
    const chosen = await askNames(book, names, progress().name ?? "");
    if (chosen) await create(chosen.map((name) => ({ name })));
  };
  const inviteFriend = async () => {
    const { askName } = await import("./invite.js");
    const text = "What's your name? Your friend will see it.";
    const name = await askName(book.title, text, { yes: "Play", no: "Not now" });
    if (name === null) return;
    await create(against(null, name || undefined));
  };
  const friend =
    source === undefined
      ? link("button", "A friend", `${pageUrl("new", book.variant)}?with=friend`)
      : button("button", "A friend", starter(inviteFriend));
  const here = names.length === 2 ? "Two here" : "All here";
  const buttons = [
    button("button main", "Computer", starter(playComputer)),
    friend,
    button("button", here, starter(playHere)),
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
