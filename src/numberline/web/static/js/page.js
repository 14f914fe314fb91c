// @ts-check
// Helpers shared by most pages: page addresses, error messages, and text from a book.

import { errorText, get } from "./api.js";
import { pagePath } from "./base-path.js";
import { copyText, element, toast } from "./dom.js";
import { fillNames } from "./text.js";

/** @import { Book, RulesSection, ServerInfo } from "./messages.d.ts" */

/** The variant or match named in the address of this page, or "". */
export const pageSubject = () => decodeURIComponent(pagePath().split("/").slice(2).join("/"));

/**
 * Return the address of a page about a variant; the punctuation used in variants is left readable.
 *
 * @param {string} page
 * @param {string} variant
 */
export function pageUrl(page, variant) {
  const compact = encodeURIComponent(variant.replace(/, (?=[a-z])/g, ","));
  return `/${page}/${compact.replace(/%(3D|2C|2B|3A)/g, (code) => decodeURIComponent(code))}`;
}

/**
 * Return the address of the page that starts a match from a given position.
 *
 * @param {string} variant
 * @param {string} position
 * @param {number} [seat]
 */
export const startUrl = (variant, position, seat = 1) =>
  `/new/${encodeURIComponent(variant)}?start=${encodeURIComponent(position)}&seat=${seat}`;

/**
 * Show an error in an element with role=alert; several lines become a list.
 *
 * @param {HTMLElement} host
 * @param {unknown} error an error, or a sentence
 */
export function showError(host, error) {
  const sentences = errorText(error).split("\n");
  const list = element("ul");
  list.append(...sentences.map((sentence) => element("li", "", sentence)));
  host.replaceChildren(sentences.length > 1 ? list : sentences[0]);
  host.hidden = false;
}

/** @param {HTMLElement} host */
export function clearError(host) {
  host.replaceChildren();
  host.hidden = true;
}

/** @param {Book} book */
export const bookNames = (book) => book.players.map((player) => player.name);

/** @param {Book} book */
export const goalText = (book) => fillNames(book.goal, bookNames(book));

/**
 * Sort books so that those with long lines come first, because the first cards are the widest.
 *
 * @template {{ book: Book }} T
 * @param {T[]} books
 */
export function longestFirst(books) {
  const length = (/** @type {T} */ { book: { line } }) => line[1] - line[0];
  return books.toSorted((a, b) => length(b) - length(a));
}

/**
 * @param {HTMLElement} host
 * @param {RulesSection[]} sections
 * @param {{ heading?: "h2" | "h3", names?: string[] }} [options] names: for the placeholders of players
 */
export function renderRules(host, sections, { heading = "h3", names = [] } = {}) {
  host.replaceChildren(
    ...sections.flatMap((section) => [
      element(heading, "", section.heading),
      element("p", "", fillNames(section.text, names)),
    ]),
  );
  host.removeAttribute("aria-busy");
}

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Copy the address of this page as other devices reach it, and say who can open it.
 *
 * @param {string} use what others can do with the link, as a sentence
 */
export async function copyAddress(use) {
  const isLocal = LOOPBACK_HOSTS.includes(location.hostname);
  /** @type {ServerInfo | null} */
  const server = isLocal ? await get("/api/server").catch(() => null) : null;
  const url = server ? server.public_url + pagePath() : location.origin + location.pathname;
  if (!(await copyText(url))) return toast(`Please copy the link by hand: ${url}`);
  const openedBy = isLocal && !server ? "" : server?.local_only ? server.sentence : use;
  return toast(`Link copied. ${openedBy}`.trim());
}
