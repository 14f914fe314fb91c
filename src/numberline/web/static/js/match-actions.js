// @ts-check
// The user's actions on the match page.

import { errorText, get, matchPath, post } from "./api.js";
import { announce, pause, toast } from "./dom.js";
import {
  canPlay,
  canTakeBack,
  currentPly,
  currentView,
  isYourTurn,
  lookBack,
  needsConsent,
  startMove,
  valuesAllowed,
  valuesVisible,
} from "./match-state.js";
import { momentText, situationText, turnText } from "./match-text.js";
import { isOn } from "./settings.js";
import { playSound } from "./sound.js";
import { load, save } from "./storage.js";
import { fillNames } from "./text.js";

/** @import { MatchController, Retry } from "./match-controller.js" */
/** @import { OfferReply } from "./match-panels.js" */
/** @import { MatchEvents } from "./match-view.js" */
/** @import { ClientMessage, OfferKind, PositionResponse } from "./messages.d.ts" */

/**
 * @template T
 * @typedef {T extends unknown ? Omit<T, "seq"> : never} WithoutSeq
 */

const WATCHING = "You're watching this game.";
/** How long a move is highlighted before it is played for the user. */
const SHOWN_MOVE_MS = 2500;

export class MatchActions {
  /** @param {MatchController} controller */
  constructor(controller) {
    this.controller = controller;
    /** @type {Map<string, PositionResponse>} */
    this.positions = new Map();
    /** Whether the server is asked about a try of the decisive move. */
    this.judging = false;
  }

  get state() {
    return this.controller.state;
  }

  get view() {
    return this.controller.view;
  }

  /** @returns {MatchEvents} */
  get events() {
    return {
      onMove: (move) => this.tap(move),
      onPoint: (move) => this.view.point(this.state, move),
      onToken: (token) => this.chooseToken(token),
      onJump: (plies) => this.jump(plies),
      onOfferReply: (kind, what) => this.replyToOffer(kind, what),
      onJoin: () => this.controller.openInvite(""),
      onAskMove: () => this.send({ kind: "ask", what: "move" }),
      onCloseAdvice: () => this.#closeAdvice(),
      onNext: () => this.send({ kind: "next" }),
      onRematch: () => this.askRematch(),
      tools: {
        hint: () => this.askHint(),
        why: () => this.askWhy(),
        values: () => this.toggleValues(),
        takeBack: () => this.takeBack(),
        resign: () => this.resign(),
      },
    };
  }

  /** @param {WithoutSeq<ClientMessage>} message */
  send(message) {
    return this.controller.socket.send(
      /** @type {ClientMessage} */ ({ seq: this.state.seq, ...message }),
    );
  }

  // Moves

  /**
   * Play the move that was pressed; if the setting for two taps is on, show it first.
   *
   * @param {string} move
   */
  tap(move) {
    const twoTaps = isOn("twoTaps") && this.state.tapped !== move;
    const choice = this.state.position.choices.find((each) => each.move === move);
    if (!twoTaps || !canPlay(this.state) || !choice?.legal) return this.play(move);
    this.controller.update({ tapped: move });
    this.highlight(move);
    this.view.askForSecondTap(move);
  }

  /** @param {string} move */
  play(move) {
    const { position, pending, past, you } = this.state;
    const { names } = this.controller;
    const choice = position.choices.find((each) => each.move === move);
    if (!choice || pending) return undefined;
    if (past) return toast("You're looking back. Go back to the game, then play.");
    if (!isYourTurn(this.state))
      return toast(you.length ? `It's ${names[position.turn - 1]}'s turn.` : WATCHING);
    if (!choice.legal) {
      playSound("refused");
      return toast(`You can't play ${move}: ${fillNames(choice.why_not, names)}.`);
    }
    if (this.controller.retry) return this.#tryAgain(this.controller.retry, move);
    if (valuesVisible(this.state)) this.controller.recordHelp();
    this.controller.update(startMove(this.state, choice, this.send({ kind: "move", move })));
    this.view.dismissBubble();
    playSound("mine");
    this.view.showTurn(turnText(this.state, names));
    this.view.renderKeypad(this.state);
    this.view.renderAdvice(this.state);
    return this.#hop(move);
  }

  /**
   * Ask the server about a try of the decisive move; play what it says, and show it first if it is another move. If the
   * server has no answer, play the move itself.
   *
   * @param {Retry} retry
   * @param {string} move
   */
  async #tryAgain(retry, move) {
    if (this.judging) return;
    this.judging = true;
    /** @type {{ move: string, said: string }} */
    const { move: right, said } = await post(`${matchPath(retry.of)}/retry`, {
      move,
      tried: retry.tried,
    }).catch(() => ({ move, said: "" }));
    if (said) toast(said);
    if (right && right !== move) {
      this.controller.recordHelp();
      this.highlight(right);
      await pause(SHOWN_MOVE_MS);
    }
    this.judging = false;
    this.controller.retry = right ? null : { ...retry, tried: true };
    save("task", this.controller.retry);
    if (right) this.play(right);
    else playSound("refused");
  }

  /**
   * Animate a move immediately, without waiting for the server; messages from the server don't wait for the animation.
   *
   * @param {string} move
   */
  #hop(move) {
    const { controller, view } = this;
    const request = this.state.pending?.request;
    view.hopping += 1;
    controller.hops = controller.hops
      .then(() => view.board.hop(move))
      .finally(() => {
        view.hopping -= 1;
        const { pending } = this.state;
        if (pending && pending.request === request)
          controller.update(view.showPending(this.state, pending));
        else view.renderBoard(this.state);
      });
  }

  /** @param {number} token */
  chooseToken(token) {
    if (token === this.view.board.token) return;
    this.controller.update({ token });
    this.view.showToken(this.state, token);
  }

  /**
   * Highlight a move, and show the arcs of its token.
   *
   * @param {string} move
   */
  highlight(move) {
    const choice = currentView(this.state).position.choices.find((each) => each.move === move);
    if (choice?.legal && choice.token !== null) this.chooseToken(choice.token);
    this.view.point(this.state, move);
  }

  // Offers and resigning

  async resign() {
    if (!canPlay(this.state)) return toast("You can only resign on your turn.");
    const { match, position } = this.state;
    const { confirmAction } = await import("./dialogs.js");
    const others = match.seats.filter(
      ({ player }) => player !== position.turn && !position.out.includes(player),
    );
    const winner = others.length === 1 ? this.controller.names[others[0].player - 1] : "";
    const text = winner ? `Then ${winner} wins.` : "Then the others play on without you.";
    const confirmed = await confirmAction("Resign this game?", text, "Resign");
    if (confirmed && canPlay(this.state)) this.send({ kind: "resign" });
    return undefined;
  }

  takeBack() {
    const { match, you } = this.state;
    if (!you.length) return toast(WATCHING);
    if (!canTakeBack(this.state)) return toast("You have no move to take back.");
    const asked = match.offers.some(({ what, seat }) => what === "takeback" && you.includes(seat));
    if (asked && needsConsent(this.state)) return toast("You've already asked.");
    this.controller.recordHelp();
    return this.send({ kind: "offer", what: "takeback" });
  }

  /** Offer a rematch, or accept the one that another player offers. */
  askRematch() {
    const offered = this.state.match.offers.some(({ what }) => what === "rematch");
    this.send({ kind: offered ? "accept" : "offer", what: "rematch" });
  }

  /**
   * @param {OfferReply} kind
   * @param {OfferKind} what
   */
  replyToOffer(kind, what) {
    this.controller.update({ withdrew: kind === "withdraw" });
    this.send({ kind, what });
  }

  // Help

  toggleValues() {
    const { match, past, showValues } = this.state;
    if (match.outcome && !past) return toast("Look back at a move to see how good it was.");
    if (!valuesAllowed(this.state)) {
      const after = "You'll see move values after the game.";
      return toast(match.assist === "after" ? after : "This game doesn't show move values.");
    }
    this.controller.update({ showValues: !showValues });
    save("values", !showValues);
    if (!showValues) this.#showLegend();
    announce(showValues ? "Move values are hidden." : "Move values are shown.");
    if (!showValues && !currentView(this.state).values) {
      toast("Move values aren't available yet, or this game is too big to solve here.");
    }
    return this.controller.render();
  }

  /** Explain the signs of the values when they are shown for the first time. */
  async #showLegend() {
    if (load("legend", false)) return;
    const { openValuesLegend } = await import("./values-legend.js");
    save("legend", true);
    openValuesLegend();
  }

  askHint() {
    if (this.state.values && !this.state.you.length) return toast(WATCHING);
    if (this.state.match.outcome)
      return toast("The game is over. The review shows the best moves.");
    if (this.state.values && !canPlay(this.state)) return toast("You can get a hint on your turn.");
    return this.#ask("hint");
  }

  askWhy() {
    if (this.state.match.outcome) return toast("The game is over. The review explains each move.");
    return this.#ask("why");
  }

  /** @param {"hint" | "why"} what */
  #ask(what) {
    if (!this.state.values) return toast("There are no hints in this game right now.");
    if (this.state.advice?.what !== what) return this.send({ kind: "ask", what });
    return this.#closeAdvice();
  }

  #closeAdvice() {
    this.controller.update({ advice: null });
    this.view.closeAdvice(this.state);
    announce("The advice is closed.");
  }

  // Past positions

  /**
   * Show the position after a number of plies; after the last ply, return to the game.
   *
   * @param {number} plies
   */
  async jump(plies) {
    const { controller } = this;
    const { log } = this.state.match;
    const to = Math.max(0, Math.min(log.length, plies));
    if (to === log.length) {
      const looked = this.state.past !== null;
      controller.update({ past: null });
      controller.render();
      if (looked) announce(`Back to the game. ${situationText(this.state, controller.names)}`);
      return;
    }
    try {
      const found = await this.#positionAfter(to);
      controller.update(lookBack(this.state, to, found));
      controller.render();
      announce(`${momentText(to)}: ${fillNames(found.position.said, controller.names)}`);
    } catch (error) {
      toast(errorText(error));
    }
  }

  /** @param {number} plies relative to the position on the board */
  step(plies) {
    return this.jump(currentPly(this.state) + plies);
  }

  /** @param {number} plies */
  #positionAfter(plies) {
    const { match } = this.state;
    return this.positionAt(plies ? match.log[plies - 1].position : match.start);
  }

  /** @param {string} position */
  async positionAt(position) {
    const { match } = this.state;
    const key = `${position} ${match.outcome ? "over" : ""}`; // values may become visible when the game ends
    const known = this.positions.get(key);
    if (known) return known;
    /** @type {PositionResponse} */
    const found = await get(
      `${matchPath(this.controller.id)}/positions?p=${encodeURIComponent(position)}`,
    );
    this.positions.set(key, found);
    return found;
  }
}
