// @ts-check
// The seat cards: name, role, score and clock.

import { element } from "./dom.js";
import { outText, seatText } from "./match-text.js";
import { playerShape } from "./player-shape.js";

/** @import { Clock } from "./clock.js" */
/** @import { MatchState } from "./match-state.js" */

/**
 * @param {HTMLElement} host
 * @param {MatchState} state
 * @param {string[]} names
 * @param {Clock} clock
 */
export function renderSeats(host, { match, book, position, you }, names, clock) {
  host.replaceChildren(
    ...match.seats.map((seat, n) => {
      const turn = !match.outcome && position.turn === seat.player;
      const card = element("div", `seat p${seat.player}`);
      card.classList.toggle("turn", turn);
      const out = outText(seat.player, match, position);
      card.classList.toggle("away", seat.taken && !seat.bot && !seat.present);
      card.classList.toggle("out", out !== "");
      const who = element("div");
      who.append(
        element("b", "name", names[n]),
        element("span", "about", out || seatText(seat, you)),
      );
      card.append(playerShape(seat.player, book.players[n].label), who);
      const figures = element("div", "figures");
      if (match.rounds > 1) figures.append(element("span", "score", match.score[n]));
      if (match.clock) figures.append(renderTime(seat.player, clock));
      if (figures.childElementCount) card.append(figures);
      if (turn) card.append(element("span", "tomove", "next"));
      return card;
    }),
  );
}

/**
 * @param {number} player
 * @param {Clock} clock
 */
function renderTime(player, clock) {
  const made = element("span", `time${clock.isLow(player) ? " low" : ""}`);
  made.textContent = clock.text(player); // "1:30" isn't a move
  made.dataset.player = String(player);
  made.setAttribute("role", "timer");
  return made;
}

/**
 * @param {HTMLElement} host
 * @param {Clock} clock
 * @param {number} player
 */
export function updateTime(host, clock, player) {
  const time = host.querySelector(`.time[data-player="${player}"]`);
  if (!time) return;
  time.textContent = clock.text(player);
  time.classList.toggle("low", clock.isLow(player));
}
