// @ts-check
// The rules of a variant in a sheet over the game. Loaded when it is opened.

import { bookPath, errorText, get, matchPath, post } from "./api.js";
import { closeButton, dialogFoot, openDialog } from "./dialogs.js";
import { element, link, toast } from "./dom.js";
import { pageUrl, renderRules } from "./page.js";

/** @import { BookResponse, Review } from "./messages.d.ts" */

/**
 * @param {string} variant
 * @param {string[]} names the players' names, which replace those of the book
 * @param {string} ownMatch the match, if its book is the players' own; otherwise ""
 */
export async function openRulesSheet(variant, names, ownMatch) {
  try {
    /** @type {BookResponse} */
    const { book, rules } = await (ownMatch
      ? loadOwnBook(variant, ownMatch)
      : get(bookPath(variant)));
    const prose = element("div", "prose sheet");
    const close = closeButton("main", "Back to the game");
    const page = link("", "Open as a page", pageUrl("rules", variant));
    page.target = "_blank";
    page.hidden = ownMatch !== "";
    prose.tabIndex = 0; // so that the arrow keys scroll from the first line
    const named = (/** @type {string} */ text) =>
      book.players.reduce((said, { name }, n) => said.replaceAll(name, `{${n + 1}}`), text);
    const sections = rules.map(({ heading, text }) => ({ heading, text: named(text) }));
    renderRules(prose, sections, { names });
    await openDialog(`Rules of ${book.title}`, [prose, dialogFoot(page, close)], {
      focus: prose,
      light: true,
    });
  } catch (error) {
    toast(errorText(error));
  }
}

/**
 * @param {string} variant
 * @param {string} match
 * @returns {Promise<BookResponse>}
 */
async function loadOwnBook(variant, match) {
  /** @type {Review} */
  const { source } = await get(`${matchPath(match)}/review`);
  return post("/api/books", { variant, source });
}
