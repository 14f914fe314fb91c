// @ts-check
// Controller of the match page: applies the server's messages to the state, and sends the user's actions to the server.

import { errorText, hasCode, matchPath, post } from "./api.js";
import { serverUrl } from "./base-path.js";
import { $, announce, pause, scrollToShow, toast } from "./dom.js";
import { MatchActions } from "./match-actions.js";
import { MatchSocket } from "./match-socket.js";
import {
  applyMove,
  applyPresence,
  applySnapshot,
  firstIsNews,
  eventOrder,
  eventPlies,
  forcedMove,
  isOwnMove,
  playerNames,
  rejectRequest,
} from "./match-state.js";
import { firstText, moveText, newsText, situationText } from "./match-text.js";
import { MatchView } from "./match-view.js";
import {
  forgetMatch,
  markHelped,
  record,
  rememberMatch,
  stepOf,
  today,
  wasHelped,
} from "./progress.js";
import { isOn } from "./settings.js";
import { playSound } from "./sound.js";
import { load, remove, save } from "./storage.js";
import { fillNames } from "./text.js";

/** @import { MatchState } from "./match-state.js" */
/** @import { Answer, ErrorMessage, MoveEvent, ServerMessage, Snapshot } from "./messages.d.ts" */

/**
 * A lost match, of which the user tries the decisive move again.
 *
 * @typedef {{ of: string, start: string, said: string, tried: boolean }} Retry
 */

const OPPONENT_PAUSE_MS = 250; // before an opponent's move, so that the eye can follow it
const FIRST_PAUSE_MS = 1200; // so that the user can read who goes first
const FORCED_PAUSE_MS = 700;
const SILENT = "The server isn't answering. We'll keep trying, and nothing is lost.";
const BROKEN = "Something went wrong on this page. Load it again.";

/**
 * Whether move values are shown at first. A new game against the computer starts without them: they cost a star.
 *
 * @param {MatchState} state
 */
function startsWithValues({ match, you }) {
  const isNew = you.length > 0 && !match.log.some(({ player }) => you.includes(player));
  if (isNew && match.seats.some(({ bot }) => bot)) save("values", false);
  return load("values", false);
}

export class MatchController {
  /**
   * @param {string} id
   * @param {string} invite from the link; "" without one
   */
  constructor(id, invite) {
    this.id = id;
    this.invite = invite;
    /** @type {MatchState | null} */
    this.loaded = null;
    /** Whether a dialog asks about the invitation. */
    this.asking = false;
    /** The animations of the user's own moves, one after another. */
    this.hops = Promise.resolve();
    /** The match and round that was last added to the player's progress. */
    this.counted = "";
    /** @type {Retry | null} */
    this.retry = null;
    let received = Promise.resolve();
    this.socket = new MatchSocket(`${matchPath(id)}/socket`, {
      onMessage: (message) => {
        received = received.then(() => this.#receive(message)).catch((error) => this.#fail(error));
      },
      onSilence: (silent) => this.#onSilence(silent),
    });
    this.actions = new MatchActions(this);
    this.view = new MatchView(this.actions.events);
  }

  /** The state, available after the first snapshot; until then, the page has no buttons to press. */
  get state() {
    if (!this.loaded) throw new Error("the match isn't loaded yet");
    return this.loaded;
  }

  get names() {
    return playerNames(this.state);
  }

  /** Whether the game was won, and not by an opponent of the user. */
  get won() {
    const { match, you } = this.state;
    return Boolean(match.outcome?.winner) && (you.length !== 1 || match.outcome?.winner === you[0]);
  }

  /** @param {Partial<MatchState>} changes */
  update(changes) {
    this.loaded = { ...this.state, ...changes };
  }

  render() {
    this.view.render(this.state);
  }

  // Messages from the server

  /** @param {ServerMessage} message */
  async #receive(message) {
    if (message.kind === "table") {
      if (!this.loaded) await this.#showFirst(message);
      return this.#onSnapshot(message);
    }
    if (message.kind === "error") return this.#onError(message);
    if (!this.loaded) return undefined;
    if (message.kind === "event") return this.#onMove(message);
    if (message.kind === "answer") return this.#onAnswer(message);
    if (message.kind !== "presence") return undefined;
    this.update(applyPresence(this.state, message));
    return this.render();
  }

  /**
   * If an opponent has already made the first move, show the start for a moment, and who goes first.
   *
   * @param {Snapshot} snapshot
   */
  async #showFirst(snapshot) {
    const { match, you } = snapshot;
    const [ply] = match.log;
    const state = applySnapshot(null, snapshot);
    if (match.log.length !== 1 || you.includes(ply.player) || !firstIsNews(state, 2)) return;
    this.loaded = { ...state, match: { ...match, log: [], outcome: null } };
    const found = await this.actions.positionAt(match.start).catch(() => null);
    if (found) {
      this.update({ position: found.position, values: null });
      this.render();
      await this.#animate(ply.move);
    }
    this.loaded = null;
  }

  /** @param {Snapshot} snapshot */
  #onSnapshot(snapshot) {
    const before = this.loaded?.match;
    this.loaded = applySnapshot(this.loaded, snapshot);
    if (!before) this.update({ showValues: startsWithValues(this.state) });
    const { match, you } = this.state;
    this.view.clock.set(match.clock);
    if (you.length && !match.ended) rememberMatch(this.id);
    if (match.ended) forgetMatch(this.id);
    if (before && match.rematch && !before.rematch && you.length) {
      const view = document.body.classList.contains("wall") ? "?view=wall" : "";
      return location.assign(serverUrl(`/play/${match.rematch}${view}`));
    }
    this.render();
    if (!before) this.#start();
    const news = before ? newsText(before, this.state, this.names) : "";
    const hasBox =
      before && ((match.outcome && !before.outcome) || match.offers.length > before.offers.length);
    if (news) (hasBox ? announce : toast)(news);
    if (news && before && before.log.length > match.log.length)
      announce(`${news} ${situationText(this.state, this.names)}`);
    this.update({ withdrew: false });
    this.#countGame();
    this.#playForced();
  }

  /** @param {MoveEvent} event */
  async #onMove(event) {
    const order = eventOrder(this.state, event);
    if (order === "seen") return;
    if (order === "gap") return this.socket.reconnect();
    const own = isOwnMove(this.state, event);
    if (event.outcome || !own) await this.hops;
    if (!own && !this.state.past) await this.#animate(event.what);
    this.loaded = applyMove(this.state, event);
    if (event.outcome && !this.state.past) this.view.celebrate(this.won);
    this.view.clock.set(event.clock);
    this.render();
    announce(moveText(this.state, this.names, eventPlies(event), own));
    this.#playMoveSound(own);
    this.#countGame();
    this.#playForced();
  }

  /** @param {string} move */
  async #animate(move) {
    await pause(firstIsNews(this.state, 1) ? FIRST_PAUSE_MS : OPPONENT_PAUSE_MS);
    await this.view.board.hop(move);
  }

  /** @param {boolean} own */
  #playMoveSound(own) {
    if (this.state.match.outcome) playSound(this.won ? "won" : "lost");
    else if (!own) playSound("theirs");
  }

  /** @param {ErrorMessage} error */
  #onError({ request, code, sentence }) {
    const gone = ["not_found", "damaged"].includes(code);
    if (!this.loaded) return this.#showMissing(sentence, gone);
    if (gone && !request) return location.reload(); // to a page without a game, which says so
    this.loaded = rejectRequest(this.state, request);
    playSound("refused");
    toast(
      code === "stale"
        ? "The game has moved on. Look at the board, then play."
        : fillNames(sentence, this.names),
    );
    this.render();
  }

  /** @param {Answer} answer */
  #onAnswer({ what, text, move }) {
    this.recordHelp();
    this.update({ advice: { what, text, move } });
    this.view.renderAdvice(this.state);
    scrollToShow($("advice"), $("board"));
    announce(fillNames(text, this.names));
    if (move) this.actions.highlight(move);
  }

  /** Remember that the user was helped in this match, which costs a star. */
  recordHelp() {
    const { match } = this.state;
    if (!match.outcome) markHelped(`${match.id}-${match.round}`);
  }

  /** @param {boolean} silent */
  #onSilence(silent) {
    this.view.showBanner(silent ? SILENT : null);
    if (!this.loaded || this.loaded.silent === silent) return;
    this.update({ silent });
    this.render();
  }

  /**
   * Handle an error in this page.
   *
   * @param {unknown} error
   */
  #fail(error) {
    reportError(error);
    if (this.loaded) toast(BROKEN);
    else this.#showMissing(BROKEN, false);
  }

  /**
   * @param {string} sentence
   * @param {boolean} gone
   */
  #showMissing(sentence, gone) {
    this.socket.close();
    this.view.showMissing(sentence);
    if (gone) forgetMatch(this.id);
  }

  /** Add a finished game to the player's progress, once, and show what that changed. */
  async #countGame() {
    const { match, you } = this.state;
    const round = `${this.id}-${match.round}`;
    if (!match.outcome || you.length !== 1 || this.counted === round) return;
    this.counted = round;
    const helped = wasHelped(round);
    const step = stepOf(this.id);
    const reply = await record({ kind: "match", match: this.id, day: today(), helped, step });
    if (!reply || this.counted !== round || !this.state.match.outcome) return;
    this.update({ changes: reply.changes });
    this.render();
  }

  // Start

  async #start() {
    this.view.reveal();
    this.#nameStep();
    await this.#answerInvite();
    const task = load("task", /** @type {Retry | null} */ (null));
    if (task && !this.state.match.log.length && this.state.match.start === task.start) {
      this.retry = task;
      return toast(task.said);
    }
    remove("task");
    if (!firstIsNews(this.state, 2)) return;
    (this.state.match.log.length ? toast : announce)(firstText(this.state, this.names));
  }

  /** Show in the title which step of a ladder the match is. */
  async #nameStep() {
    if (!stepOf(this.id)) return;
    const { findPlace } = await import("./ladder.js");
    this.view.heading = (await findPlace(this.id))?.step.heading ?? "";
    this.render();
  }

  /**
   * Open an invitation to this match after the page has loaded; the browser doesn't load the page again for it.
   *
   * @param {string} invite
   */
  openInvite(invite) {
    this.invite = invite || this.invite;
    if (this.loaded) this.#answerInvite();
  }

  /** Offer the free seat of the invitation to a watcher, who can come back to it; a player keeps their own seat. */
  async #answerInvite() {
    if (!this.invite || this.asking) return;
    const { match, you } = this.state;
    const free = match.seats.some((seat) => !seat.taken) && !match.ended;
    if (free && !you.length) {
      this.asking = true;
      await this.#join();
      this.asking = false;
    } else if (!you.length && match.ended) toast("This game is over. You can look at it here.");
    else if (!you.length) toast("This seat is taken. You can watch the game here.");
    else if (free) toast("This link is for your friend. You already have a seat.");
    const watches = free && !this.state.joining && !you.length;
    this.update({ invited: watches });
    if (watches) return this.render();
    this.invite = "";
    history.replaceState(null, "", location.pathname + location.search);
  }

  /**
   * @param {string} [problem] what was wrong with the name
   * @returns {Promise<void>}
   */
  async #join(problem = "") {
    const { match, book } = this.state;
    const host = match.seats.find((seat) => seat.taken && !seat.bot)?.name || "A friend";
    const { askName } = await import("./invite.js");
    const name = await askName(
      book.title,
      problem || `${host} invites you to play. What's your name?`,
    );
    if (name === null) return;
    this.update({ joining: true });
    try {
      await post(`${matchPath(this.id)}/seats`, { invite: this.invite, name });
    } catch (error) {
      if (hasCode(error, "bad_message")) return this.#join(errorText(error));
      toast(errorText(error));
    }
    this.socket.reconnect();
  }

  #playForced() {
    const move = isOn("forced") ? forcedMove(this.state) : null;
    if (move === null) return;
    const { seq } = this.state;
    setTimeout(
      () => this.state.seq === seq && forcedMove(this.state) === move && this.actions.play(move),
      FORCED_PAUSE_MS,
    );
  }
}
