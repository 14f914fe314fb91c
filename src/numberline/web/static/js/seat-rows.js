// @ts-check
// Rows in the new-match form for choosing who takes each seat.

import { element, option } from "./dom.js";
import { playerShape } from "./player-shape.js";
import { progress, saveName } from "./progress.js";
import { NAMES_KEY, load, save } from "./storage.js";
import { distinctNames } from "./text.js";

/** @import { Book, Player, SeatRequest } from "./messages.d.ts" */

/** @typedef {"computer" | "friend" | "two" | "mixed"} Opponent */
/** @typedef {"here" | "friend" | "computer"} SeatKind */
/** @typedef {{ player: Player, kind: SeatKind, name: HTMLInputElement }} SeatRow */

const MAX_NAME_LETTERS = 30;

export class SeatRows {
  /**
   * @param {HTMLElement} host
   * @param {Book} book
   * @param {number} own the seat of the user
   * @param {() => unknown} onChange
   */
  constructor(host, book, own, onChange) {
    this.host = host;
    this.book = book;
    this.own = own;
    this.onChange = onChange;
    this.ownText = progress().name ?? "";
    /** The names of those who play on this screen, by seat; the user's own is not used. */
    this.names = load(NAMES_KEY, /** @type {string[]} */ ([]));
    /** @type {SeatRow[]} */
    this.rows = [];
  }

  /** @param {Opponent} opponent */
  render(opponent) {
    this.rows = this.book.players.map((player) => {
      const here = player.player === this.own || opponent === "two";
      const kind = here ? "here" : opponent === "friend" ? "friend" : "computer";
      return { player, kind, name: this.#nameField(player, opponent) };
    });
    this.host.replaceChildren(
      ...this.rows.map((row) => this.#renderRow(row, opponent === "mixed")),
    );
  }

  /** @returns {SeatKind[]} */
  get kinds() {
    return this.rows.map(({ kind }) => kind);
  }

  /** The name that the user typed, or "". */
  get ownName() {
    return this.ownText.trim();
  }

  /** The players' names as shown on the form. */
  get titles() {
    const alone = this.kinds.filter((kind) => kind === "here").length === 1;
    const titles = this.rows.map(({ player, kind, name }) => {
      if (kind === "here") return name.value.trim() || (alone ? "You" : player.name);
      if (this.rows.length > 2) return player.name;
      return kind === "friend" ? "Your friend" : "The computer";
    });
    return distinctNames(titles, this.book.players);
  }

  /**
   * @param {string} bot
   * @returns {SeatRequest[]}
   */
  request(bot) {
    return this.rows.map(({ player, kind, name }) => {
      if (kind === "here") return { name: name.value.trim() || player.name };
      return kind === "friend" ? null : { bot };
    });
  }

  /** Remember the names for the next game. */
  saveNames() {
    saveName(this.ownName);
    if (this.kinds.every((kind) => kind === "here"))
      save(
        NAMES_KEY,
        this.rows.map(({ name }) => name.value.trim()),
      );
  }

  /**
   * @param {Player} player
   * @param {Opponent} opponent
   */
  #nameField(player, opponent) {
    const own = player.player === this.own;
    const field = element("input");
    field.type = "text";
    field.maxLength = MAX_NAME_LETTERS;
    field.placeholder = own && opponent !== "two" ? "Your name" : player.name;
    field.value = own ? this.ownText : (this.names[player.player - 1] ?? "");
    field.setAttribute("autocomplete", own ? "nickname" : "off");
    field.setAttribute("aria-label", `Name for ${player.name}`);
    field.addEventListener("input", () => {
      if (own) this.ownText = field.value;
      else this.names[player.player - 1] = field.value;
      this.onChange();
    });
    return field;
  }

  /**
   * @param {SeatRow} row
   * @param {boolean} mixed each seat can be chosen
   */
  #renderRow(row, mixed) {
    const { player, kind, name } = row;
    const host = element("div", `seatline p${player.player}`);
    host.append(playerShape(player.player, player.label));
    if (mixed) host.append(this.#kindSelect(row), name);
    else if (kind === "here") host.append(name);
    else
      host.append(
        element(
          "span",
          "",
          kind === "friend" ? "your friend, who gets a link from you" : "the computer",
        ),
      );
    name.hidden = kind !== "here";
    return host;
  }

  /** @param {SeatRow} row */
  #kindSelect(row) {
    const own = row.player.player === this.own;
    const select = element("select");
    select.append(option("here", own ? "you" : "plays here too"));
    select.append(option("friend", "a friend by link"), option("computer", "the computer"));
    select.value = row.kind;
    select.setAttribute("aria-label", `Who is ${row.player.name}?`);
    select.addEventListener("change", () => {
      row.kind = /** @type {SeatKind} */ (select.value);
      row.name.hidden = row.kind !== "here";
      this.onChange();
    });
    return select;
  }
}
