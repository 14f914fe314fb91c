// @ts-check
// Rendering of the match page from its state.

import { serverUrl } from "./base-path.js";
import { activeToken } from "./board-arcs.js";
import { celebrate } from "./board-celebration.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { $, announce, keepScroll, link, pause, replaceChildren } from "./dom.js";
import { markSeen, renderBubble } from "./guide.js";
import { usesKeyboard } from "./input-mode.js";
import { Keypad } from "./keypad.js";
import {
  renderAdvice,
  renderFootnotes,
  renderOffers,
  renderPastBar,
  renderSide,
  renderTools,
} from "./match-panels.js";
import {
  arrive,
  canPlay,
  currentPly,
  currentView,
  isYourTurn,
  pastMoves,
  pendingPosition,
  playerNames,
  valuesVisible,
} from "./match-state.js";
import { happenedText, momentText, turnText } from "./match-text.js";
import { MoveList } from "./move-list.js";
import { pageUrl } from "./page.js";
import { playerShape } from "./player-shape.js";
import { renderSeats, updateTime } from "./seats.js";
import { fillNames, operationText, setTokenLetters, writeShort } from "./text.js";

/** @import { OfferReply, Tools } from "./match-panels.js" */
/** @import { MatchState, PendingMove } from "./match-state.js" */
/** @import { OfferKind } from "./messages.d.ts" */

/**
 * @typedef {object} MatchEvents
 * @property {(move: string) => unknown} onMove
 * @property {(move: string | null) => unknown} onPoint
 * @property {(token: number) => unknown} onToken
 * @property {(plies: number) => unknown} onJump
 * @property {(kind: OfferReply, what: OfferKind) => unknown} onOfferReply
 * @property {() => unknown} onJoin
 * @property {() => unknown} onAskMove
 * @property {() => unknown} onCloseAdvice
 * @property {() => unknown} onNext
 * @property {() => unknown} onRematch
 * @property {Tools} tools
 */

/** How long the result waits for the analysis of the game. */
const MAX_ENDING_MS = 1000;

export class MatchView {
  /** @param {MatchEvents} events */
  constructor(events) {
    /** @type {MatchState | null} */
    this.gameOverState = null;
    this.events = events;
    this.board = new Board($("board"), events);
    this.keypad = new Keypad($("keys"), events);
    this.moveList = new MoveList($("log", HTMLTableElement), events.onJump);
    this.clock = new Clock((player) => updateTime($("seats"), this.clock, player));
    /** The number of the user's tokens that are still moving; the board isn't redrawn until they arrive. */
    this.hopping = 0;
    this.variant = "";
    /** The match, if its book is the players' own. */
    this.ownMatch = "";
    /** The title of the step of a ladder that the match is, or "". */
    this.heading = "";
    /** @type {string[]} */
    this.names = [];
    /** The bubble of the guide that is shown, or "". */
    this.bubble = "";
    /** Whether the user could play when the page was last rendered; at first, only a user of the keyboard needs the focus. */
    this.playable = !usesKeyboard();
    /** Whether the game went on when the page was last rendered. */
    this.running = false;
    /** Whether the result has yet to be scrolled into view. */
    this.scrollsToResult = false;
    $("rules").addEventListener("click", (event) => this.#openRules(event));
    const observer = new ResizeObserver(() => this.#reservePad());
    for (const id of ["pad", "offers", "tip"]) observer.observe($(id));
  }

  /** Show the parts that are hidden until the match has loaded. */
  reveal() {
    $("table").removeAttribute("aria-busy");
    for (const id of ["tools", "look", "foot"]) $(id).hidden = false;
    this.#reservePad();
    $("board").scrollIntoView({ block: "nearest" });
  }

  /** @param {MatchState} state */
  render(state) {
    const { book, match, past } = state;
    const names = playerNames(state);
    setTokenLetters(book);
    keepScroll();
    const focused = document.activeElement;
    const hadFocus = ["table", "log"].some((id) => $(id).contains(focused));
    const ends = this.running && match.outcome !== null && !past;
    document.title = `${isYourTurn(state) ? "Your turn · " : ""}${book.title} · Numberline`;
    $("title").textContent = this.heading || book.title;
    $("goal").textContent = fillNames(book.goal, names);
    $("rule").textContent = fillNames(book.rule, names);
    const rulesUrl = match.own_book ? "#rules" : serverUrl(pageUrl("rules", book.variant));
    $("rules", HTMLAnchorElement).href = rulesUrl;
    $("rules").hidden = false;
    this.variant = book.variant;
    this.ownMatch = match.own_book ? match.id : "";
    this.names = names;
    renderSeats($("seats"), state, names, this.clock);
    this.#renderInvites(state);
    if (!this.hopping) this.renderBoard(state);
    const write = (/** @type {string[]} */ shortened) => turnText(state, shortened);
    if (past) this.showTurn(`${momentText(past.plies)}.`);
    else writeShort(write, names, (text) => this.showTurn(text));
    this.#renderWall(state, names);
    $("said").textContent = fillNames(currentView(state).position.said, names);
    $("now").hidden = past !== null;
    $("keys").hidden = match.outcome !== null && !past;
    this.renderKeypad(state);
    this.scrollsToResult ||= ends;
    this.renderGameOver(state);
    renderPastBar($("back"), state, () => this.events.onJump(Infinity));
    renderOffers($("offers"), state, names, this.events.onOfferReply);
    renderTools($("tools"), state, this.events.tools);
    this.renderAdvice(state);
    renderSide(match, currentPly(state));
    this.#renderMoves(state, names);
    this.bubble = renderBubble($("tip"), state, names, () => this.dismissBubble());
    this.#reservePad(); // a bubble of another height must not move the board
    renderFootnotes($("foot"), book.choices);
    this.point(state, null);
    if (ends && (hadFocus || !focused || focused === document.body)) focusBox($("over"));
    else if (hadFocus) this.#restoreFocus(state);
    this.running = match.outcome === null;
    if (canPlay(state) && !this.playable) this.#focusKeys();
    this.playable = canPlay(state);
  }

  /**
   * Show the rules of the variant over the game; the link opens their own page in a new tab, unless the book is the
   * players' own, which has no page.
   *
   * @param {MouseEvent} event
   */
  async #openRules(event) {
    const opensTab = event.ctrlKey || event.metaKey || event.shiftKey;
    if (!this.variant || (opensTab && !this.ownMatch)) return;
    event.preventDefault();
    const { openRulesSheet } = await import("./rules-sheet.js");
    openRulesSheet(this.variant, this.names, this.ownMatch);
  }

  /**
   * The parts that only the wall view has: the token of the player to move, what happened, and the round.
   *
   * @param {MatchState} state
   * @param {string[]} names
   */
  #renderWall(state, names) {
    const { book, match, position } = state;
    const { ply } = currentView(state);
    const moves = !match.outcome && position.turn;
    $("mover").className = `mover wall-only p${position.turn}`;
    replaceChildren($("mover"), moves ? [playerShape(moves, book.players[moves - 1].label)] : []);
    $("happened").textContent = ply ? happenedText(ply, names) : "";
    $("wall-round").textContent = match.rounds > 1 ? `Round ${match.round} of ${match.rounds}` : "";
  }

  /** Leave room below the page for the pad, which covers the bottom of a phone's screen, but none for the bubble. */
  #reservePad() {
    const fixed = getComputedStyle($("pad")).position === "fixed";
    const height = fixed ? $("pad").offsetHeight : 0;
    const { style } = document.documentElement;
    style.setProperty("--pad-height", `${height}px`);
    const offers = $("offers").offsetHeight;
    style.setProperty("--offers-height", `${offers}px`);
    style.setProperty("--tip-height", `${$("tip").getBoundingClientRect().height}px`);
    const focused = document.activeElement;
    if (offers && $("over").contains(focused)) focused?.scrollIntoView({ block: "nearest" });
  }

  /** At the start of the user's turn, move the focus to the keypad unless the user is busy elsewhere. */
  #focusKeys() {
    const focused = document.activeElement;
    if (!focused || focused === document.body || focused.id === "main") this.keypad.focus();
  }

  /** @param {MatchState} state */
  renderBoard(state) {
    const { pending } = state;
    const [played] = pastMoves(state);
    const choice = state.past?.position.choices.find(({ move }) => move === played);
    const token = choice ? choice.token : state.token;
    const options = { names: playerNames(state), values: valuesVisible(state), token };
    this.board.show(currentView(state), { ...options, idle: !canPlay(state), choices: true });
    if (pending?.arrived) this.showPending(state, pending);
  }

  /**
   * Show a move before the server has confirmed it.
   *
   * @param {MatchState} state
   * @param {PendingMove} pending
   */
  showPending(state, pending) {
    const position = pendingPosition(state, pending);
    this.board.show({ ...currentView(state), ply: null, position }, { choices: false });
    return arrive(state, pending);
  }

  /**
   * Start the moment after a game, before its end is drawn.
   *
   * @param {boolean} won
   */
  celebrate(won) {
    celebrate($("board"), won);
  }

  /** @param {MatchState} state */
  renderKeypad(state) {
    if (state.match.outcome && !state.past) return; // the last keys are hidden, but the wall view leaves their room
    const view = currentView(state);
    this.keypad.show(view, {
      names: playerNames(state),
      values: valuesVisible(state),
      token: activeToken(view.position, state.token),
      disabled: !canPlay(state),
      pending: state.pending?.move ?? null,
    });
  }

  /** @param {MatchState} state */
  renderAdvice(state) {
    keepScroll();
    const { onAskMove, onCloseAdvice } = this.events;
    renderAdvice($("advice"), state.advice, playerNames(state), onAskMove, onCloseAdvice);
  }

  /** @param {MatchState} state */
  closeAdvice(state) {
    const hadFocus = $("advice").contains(document.activeElement);
    this.renderAdvice(state);
    this.point(state, null);
    if (hadFocus && !$("keys").hidden) this.keypad.focus();
  }

  /** @param {MatchState} state */
  async renderGameOver(state) {
    const { outcome } = state.match;
    $("over").hidden = !outcome || state.past !== null;
    if (!outcome || state.past) return;
    this.gameOverState = state;
    const { match } = state;
    const { findPlace, loadEnding, renderGameOver } = await import("./game-over.js");
    const loading = Promise.all([loadEnding(state), findPlace(match.id)]);
    /** @param {Awaited<typeof loading>} loaded */
    const show = ([ending, place]) => {
      // In the meantime, a newer state may have been rendered.
      if ($("over").hidden || this.gameOverState !== state) return;
      const end = { outcome, ending, place };
      renderGameOver($("over"), state, end, playerNames(state), this.events);
      if (!this.scrollsToResult) return;
      this.scrollsToResult = false;
      this.#reservePad();
      $("over-title").scrollIntoView({ block: "nearest" });
    };
    // On a long line, the analysis takes seconds.
    const isLate = await Promise.race([
      loading.then(() => false),
      pause(MAX_ENDING_MS).then(() => true),
    ]);
    if (isLate) show([null, null]);
    const loaded = await loading;
    while ($("over").matches(":active")) await pause(100); // a button that is being pressed must stay in the document
    show(loaded);
  }

  /**
   * Show the arcs of another token.
   *
   * @param {MatchState} state
   * @param {number} token
   */
  showToken(state, token) {
    const view = currentView(state);
    this.board.show(view, { token });
    this.keypad.showToken(view, token);
  }

  /**
   * Highlight a move; if none is given, highlight the move that was tapped or advised, or those that were
   * better than the move played next in the past position on the board.
   *
   * @param {MatchState} state
   * @param {string | null} move
   */
  point(state, move) {
    const shown = move || state.tapped || state.advice?.move || null;
    const moves = shown ? [shown] : pastMoves(state).slice(1);
    this.board.point(...moves);
    this.keypad.point(...moves);
  }

  /**
   * Show whose turn it is; return whether the text fits, because a phone has one line for it, or two if held sideways.
   *
   * @param {string} text
   */
  showTurn(text) {
    $("turn").textContent = operationText(text);
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = $("now");
    const alone = getComputedStyle($("said")).display === "none";
    return scrollWidth <= clientWidth && (!alone || scrollHeight <= clientHeight);
  }

  /** @param {string} move */
  askForSecondTap(move) {
    const text = `Tap ${move} again to play it.`;
    this.showTurn(text);
    announce(text);
  }

  /** Hide the bubble that is shown, and never show it again. */
  dismissBubble() {
    const hadFocus = $("tip").contains(document.activeElement);
    if (this.bubble) markSeen(this.bubble);
    this.bubble = "";
    $("tip").hidden = true;
    if (hadFocus) this.keypad.focus();
  }

  /** @param {string | null} text */
  showBanner(text) {
    $("banner").hidden = text === null;
    if (text) $("banner").textContent = text;
  }

  /**
   * Show that there is no match to play, and why.
   *
   * @param {string} sentence
   */
  showMissing(sentence) {
    $("table").removeAttribute("aria-busy");
    $("table").parentElement?.classList.add("lost");
    $("title").textContent = "No game here";
    $("goal").textContent = sentence;
    $("said").parentElement?.before(link("button main", "Start a game", "/"));
  }

  /**
   * @param {MatchState} state
   * @param {string[]} names
   */
  #renderMoves(state, names) {
    const { log, marks, series, outcome } = state.match;
    const judged = series && (valuesVisible(state) || outcome);
    const here = currentPly(state);
    this.moveList.show({
      log,
      marks: (judged && marks) || null,
      series: judged ? series : null,
      names,
      here,
      legend: true,
    });
  }

  /** @param {MatchState} state */
  async #renderInvites(state) {
    const free = state.match.seats.some((seat) => !seat.taken);
    if (!free && $("wait").hidden) return;
    const { renderInvites } = await import("./invite.js");
    renderInvites($("wait"), state, this.events.onJoin);
  }

  /**
   * If the control that had the focus is gone, move it to the past bar, the keypad, or the box at the end.
   *
   * @param {MatchState} state
   */
  #restoreFocus({ past }) {
    const focused = document.activeElement;
    const lost = !focused || focused === document.body || focused.closest("[hidden]") !== null;
    if (!lost && focused !== $("tools") && focused !== $("offers")) return;
    if (!past && !$("keys").hidden) return this.keypad.focus();
    focusBox(past ? $("back") : $("over"));
  }
}

/** @param {HTMLElement} box */
function focusBox(box) {
  box.tabIndex = -1;
  box.focus({ preventScroll: true });
}
