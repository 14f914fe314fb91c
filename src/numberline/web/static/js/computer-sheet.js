// @ts-check
// The sheet for a match against the computer: the opponent, who starts, and the user's name. Loaded when it is opened.

import { bookPath, get } from "./api.js";
import { characterFace } from "./character-face.js";
import { closeButton, dialogFoot, labelled, nameField, openDialog } from "./dialogs.js";
import { element, option } from "./dom.js";
import { load, save } from "./storage.js";

/** @import { Book, OpponentsResponse } from "./messages.d.ts" */

/** @typedef {OpponentsResponse["opponents"][number]} Opponent */
/** @typedef {{ bot: string, first: "turns" | "toss" | "you" | "computer" }} Choice the choice that is remembered */

const CHOICE_KEY = "computer";
/** @type {Choice} */
const FIRST_CHOICE = { bot: "auto", first: "turns" };

/**
 * Ask for an opponent, and resolve with null if the user changes their mind.
 *
 * @param {Book} book
 * @param {string} name the name that the user gave before
 * @param {boolean} custom whether the server doesn't know the book
 * @returns {Promise<(Choice & { name: string, favoured: number }) | null>}
 */
export async function askOpponent(book, name, custom) {
  const { opponents, note, favoured } = await loadOpponents(book, custom);
  const last = load(CHOICE_KEY, FIRST_CHOICE);
  const form = element("form", "sheet");
  const field = nameField(name);
  const first = firstSelect(book.players.length, last.first);
  const play = element("button", "main", "Play");
  const known = opponents.some(({ bot }) => bot === last.bot);
  form.method = "dialog";
  play.value = "play";
  form.append(
    renderOpponents(opponents, known ? last.bot : "auto", note),
    labelled("Who starts?", first),
    labelled("Your name", field),
    dialogFoot(closeButton("", "Not now"), play),
  );
  const answer = await openDialog(`${book.title}: choose your opponent`, [form], { focus: play });
  if (answer !== "play") return null;
  const choice = /** @type {Choice} */ ({
    bot: String(new FormData(form).get("opponent")),
    first: first.value,
  });
  save(CHOICE_KEY, choice);
  return { ...choice, name: field.value.trim(), favoured };
}

/**
 * @param {Book} book
 * @param {boolean} custom
 * @returns {Promise<OpponentsResponse>}
 */
async function loadOpponents(book, custom) {
  if (!custom) return get(`${bookPath(book.variant)}/opponents`);
  /** @type {{ bots: Opponent[] }} */
  const { bots } = await get("/api/books");
  return { opponents: bots.filter((bot) => bot.name), note: "", favoured: 1 };
}

/**
 * @param {Opponent[]} opponents
 * @param {string} chosen
 * @param {string} note
 */
function renderOpponents(opponents, chosen, note) {
  const group = element("fieldset", "opponents");
  const about = element("p", "soft");
  const showAbout = (/** @type {Opponent} */ opponent) =>
    (about.textContent = `${opponent.about} ${note}`.trim());
  group.append(element("legend", "hide", "Your opponent"));
  for (const opponent of opponents) {
    const label = element("label", "opponent");
    const box = element("input");
    const { bot, name, title } = opponent;
    Object.assign(box, { type: "radio", name: "opponent", value: bot, checked: bot === chosen });
    box.addEventListener("change", () => showAbout(opponent));
    const card = element("span");
    card.append(characterFace(bot), element("b", "", name), element("small", "", title));
    label.append(box, card);
    group.append(label);
    if (box.checked) showAbout(opponent);
  }
  about.setAttribute("role", "status");
  group.append(about);
  return group;
}

/**
 * @param {number} players
 * @param {string} chosen
 */
function firstSelect(players, chosen) {
  const select = element("select");
  select.append(option("turns", "Take turns"), option("you", "You"));
  if (players === 2) select.append(option("computer", "The computer"));
  select.append(option("toss", "Toss a coin"));
  select.value = chosen;
  if (!select.value) select.value = FIRST_CHOICE.first;
  return select;
}
