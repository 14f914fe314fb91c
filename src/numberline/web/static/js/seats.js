// Who sits at the table.
//
//   namesOf(match, book)                     what everybody is called
//   showSeats(host, state, names, clock)     one card for each seat; state has you, match, book, position
//   tickSeats(host, clock, player)           the clock of one seat anew
//   watchingInWords(count)                   "2 people are watching."

import { botName } from "./begin.js";
import { element } from "./dom.js";
import { shapeOf } from "./moves.js";

export function namesOf(match, book) {
  const bots = match.seats.filter((seat) => seat.bot).length;
  const called = (n) => (bots === 1 ? "Computer" : `Computer ${book.players[n].label.replace(/^P/, "")}`);
  return match.seats.map((seat, n) => (seat.bot ? called(n) : seat.name || book.players[n].name));
}

export function showSeats(host, { match, book, position, you }, names, clock) {
  const rounds = match.rounds > 1;
  host.replaceChildren(...match.seats.map((seat, n) => {
    const turn = !match.outcome && position.turn === seat.player;
    const made = element("div", `seat p${seat.player}${turn ? " turn" : ""}${seat.taken && !seat.bot && !seat.present ? " away" : ""}`);
    const who = element("div");
    who.append(element("b", "name", names[n]), element("span", "about", about(seat, you)));
    made.append(shapeOf(seat.player, book.players[n].label.replace(/^P/, "")), who);
    const figures = element("div", "figures");
    if (rounds) figures.append(element("span", "score", match.score[n]));
    if (match.clock) figures.append(timeOf(seat.player, clock));
    if (figures.childElementCount) made.append(figures);
    if (turn) made.append(element("span", "tomove", "to move"));
    return made;
  }));
}

function about(seat, you) {
  if (you.includes(seat.player)) return you.length > 1 ? "here" : "you";
  if (seat.bot) return botName(seat.bot).replace("computer, ", "");
  if (!seat.taken) return "not here yet";
  if (!you.length) return seat.present ? "playing" : "away";
  return seat.present ? "friend by link" : "friend by link, away";
}

function timeOf(player, clock) {
  const made = element("span", `time${clock.low(player) ? " low" : ""}`, clock.text(player));
  made.dataset.player = player;
  made.setAttribute("role", "timer");
  return made;
}

export function tickSeats(host, clock, player) {
  const made = host.querySelector(`.time[data-player="${player}"]`);
  if (!made) return;
  made.textContent = clock.text(player);
  made.classList.toggle("low", clock.low(player));
}

export const watchingInWords = (count) => (count === 1 ? "1 person is watching." : `${count} people are watching.`);
