// Who sits at the table, and the invitation for whoever is still missing.
//
//   namesOf(match, book)                     what everybody is called
//   showSeats(host, state, names, clock)     one card for each seat; state has you, match, book, position
//   tickSeats(host, clock, player)           the clock of one seat anew
//   showWait(host, state)                    the link for a friend with Copy and a QR code, as long as a seat is free
//   askName(title, about)                    a name, kept in this browser; null where somebody would rather not

import { botName, forgetInvites, invitesOf } from "./begin.js";
import { button, copy, element, listed, recall, remember, toast } from "./dom.js";
import { shapeOf } from "./moves.js";
import { api, post } from "./net.js";

export function namesOf(match, book) {
  const bots = match.seats.filter((seat) => seat.bot).length;
  return match.seats.map((seat, n) => (seat.bot && bots === 1 ? "Computer" : seat.name || book.players[n].name));
}

export function showSeats(host, { match, book, position, you }, names, clock) {
  const rounds = match.rounds > 1;
  host.replaceChildren(...match.seats.map((seat, n) => {
    const turn = !match.outcome && position.turn === seat.player;
    const made = element("div", `seat p${seat.player}${turn ? " turn" : ""}${seat.taken && !seat.bot && !seat.present ? " away" : ""}`);
    const who = element("div");
    who.append(element("b", "name", names[n]), element("span", "about", about(seat, you, names[n] === "Computer")));
    made.append(shapeOf(seat.player, book.players[n].label.replace(/^P/, "")), who);
    if (rounds) made.append(element("span", "score", match.score[n]));
    if (match.clock) made.append(timeOf(seat.player, clock));
    if (turn) made.append(element("span", "tomove", "to move"));
    return made;
  }));
}

function about(seat, you, alone) {
  if (you.includes(seat.player)) return you.length > 1 ? "here" : "you";
  if (seat.bot) return botName(seat.bot).replace("computer, ", alone ? "" : "computer, ");
  if (!seat.taken) return "not here yet";
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

let waited = "";

export function showWait(host, { match, you, book }) {
  const free = match.seats.filter((seat) => !seat.taken).map((seat) => seat.player);
  const invites = invitesOf(match.id).filter((invite) => free.includes(invite.seat));
  if (!free.length) forgetInvites(match.id);
  const key = free.length && you.length ? invites.map((invite) => invite.url).join() || "none" : "";
  host.hidden = !key;
  if (key === waited) return;
  waited = key;
  host.replaceChildren(...(key ? invites.length ? invites.flatMap((invite) => invitation(invite, free.length > 1 ? book.players[invite.seat - 1].name : "")) : [missing()] : []));
  if (invites.length) tellReach(host);
}

function missing() {
  return element("p", "", "Somebody has still to come. The link for them is in the browser that made this game.");
}

function invitation({ url }, seat) {
  const words = element("div"), line = element("div", "link"), field = element("input"), picture = element("img");
  field.type = "text";
  field.readOnly = true;
  field.value = url;
  field.setAttribute("aria-label", "The link for your friend");
  field.addEventListener("focus", () => field.select());
  line.append(field, button("main", "Copy", async () => toast((await copy(url)) ? "The link is copied. Send it to your friend." : "Please copy the link by hand.")));
  words.append(element("h2", "", seat ? `Waiting for ${seat}` : "Waiting for your friend"), element("p", "", "Send this link. Whoever opens it first sits down opposite you."), line);
  picture.alt = "The same link as a QR code, to be scanned with a phone";
  picture.hidden = true;
  showCode(picture, url);
  return [words, picture];
}

async function showCode(picture, url) {
  try {
    const drawn = await post("/api/qr", { url });
    picture.src = `data:image/svg+xml,${encodeURIComponent(typeof drawn === "string" ? drawn : drawn.svg)}`;
    picture.hidden = false;
  } catch {
    // The link alone will do.
  }
}

async function tellReach(host) {
  try {
    const server = await api("GET", "/api/server");
    if (server.local_only) host.firstElementChild.append(element("small", "", server.sentence));
  } catch {
    // The link alone will do.
  }
}

export function askName(title, about) {
  return new Promise((resolve) => {
    const made = element("dialog", "ask"), form = element("form"), heading = element("h2", "", title), field = element("input"), line = element("label", "field"), foot = element("div", "row-end");
    heading.id = "name-title";
    made.setAttribute("aria-labelledby", heading.id);
    form.method = "dialog";
    Object.assign(field, { type: "text", maxLength: 30, value: recall("name", ""), autocomplete: "nickname", name: "name" });
    line.append(element("span", "", "Your name"), field);
    const sit = element("button", "main", "Sit down");
    sit.value = "sit";
    foot.append(button("", "Just watch", () => made.close()), sit);
    form.append(line, foot);
    made.append(heading, element("p", "", about), form);
    made.addEventListener("close", () => {
      made.remove();
      if (made.returnValue !== "sit") return resolve(null);
      const name = field.value.trim();
      if (name) remember("name", name);
      resolve(name);
    });
    document.body.append(made);
    made.showModal();
    field.focus();
  });
}

export const watchingInWords = (count) => (count === 1 ? "1 person is watching." : `${count} people are watching.`);
export const whoIs = (names, seats) => listed(seats.map((seat) => names[seat - 1]));
