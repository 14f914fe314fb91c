// Sets up a game: who plays, who begins, rounds, clock and help; then makes the match and goes there.
// The address may choose already: ?with=computer|friend|two, ?level=4, ?start=a position to play on from, ?seat=2 for yours.

import { show } from "./board.js";
import { begin, levelFor } from "./begin.js";
import { $, element, fill, recall, remember } from "./dom.js";
import { shapeOf } from "./moves.js";
import { api } from "./net.js";

const variant = decodeURIComponent(location.pathname.split("/").slice(2).join("/"));
const asked = new URLSearchParams(location.search);
const LEVELS = Array.from({ length: 10 }, (_, n) => n + 1);
const WORDS = ["sees almost nothing coming", "plays on a whim", "a friendly beginner", "makes a mistake now and then", "thinks before moving", "a fair opponent", "sees most of it", "hard to surprise", "slips once in a blue moon", "plays without a mistake it could avoid"];
const OTHERS = { random: "plays anything", greedy: "always goes as far as it can", perfect: "never makes a mistake" };
const ASSISTS = { on: "Hints and values can be asked for at any time.", after: "Nobody sees them during the game; afterwards everybody does.", off: "Never, not even after the game." };
const order = { with: asked.get("with") ?? recall("with", "computer"), level: asked.get("level") ?? "fits", seat: Number(asked.get("seat") ?? 1), first: 1, rounds: 1, clock: 0, assist: null };
let game = null;

async function load() {
  try {
    game = await api("GET", `/api/books/${encodeURIComponent(variant)}`);
    await showStart();
  } catch (error) {
    $("goal").textContent = error.sentence;
    $("form").removeAttribute("aria-busy");
    for (const each of $("form").querySelectorAll("fieldset, details, .go")) each.hidden = true;
    return $("start").append(Object.assign(element("a", "button main", "The five games"), { href: "/" }));
  }
  if (!(order.seat >= 1 && order.seat <= game.book.players.length)) order.seat = 1;
  const { book } = game, called = book.players.map((player) => player.name);
  document.title = `${book.title} · Numberline`;
  $("title").textContent = book.title;
  $("goal").textContent = fill(book.goal, called);
  $("rules").href = `/rules/${encodeURIComponent(book.variant)}`;
  picks("with", { computer: "The computer", friend: "A friend by link", two: called.length > 2 ? "All of us here" : "Two of us here", ...(called.length > 2 ? { mixed: "Let me choose" } : {}) }, arrange);
  const fits = levelFor(book.variant);
  picks("level", { fits: ["Fits me", `now level ${fits}`], ...Object.fromEntries(LEVELS.map((n) => [n, n])), random: "random", greedy: "greedy", perfect: "perfect" }, tellLevel);
  picks("first", { ...Object.fromEntries(called.map((name, n) => [n + 1, name])), toss: "Toss a coin" });
  picks("rounds", { 1: "1", 3: "3", 5: "5" });
  picks("clock", { 0: "None", 60: "1 minute", 180: "3 minutes", 300: "5 minutes", 600: "10 minutes" }, () => { $("increment-part").hidden = Number(order.clock) === 0; });
  picks("assist", { on: "Always", after: "Afterwards", off: "Never" }, () => { $("assist-says").textContent = ASSISTS[order.assist]; });
  arrange();
  $("form").removeAttribute("aria-busy");
}

// Where a game goes on from: a small board says so.
async function showStart() {
  if (!asked.get("start")) return;
  const { position } = await api("GET", `/api/books/${encodeURIComponent(variant)}/positions?p=${encodeURIComponent(asked.get("start"))}`);
  const host = element("div");
  $("start").append(element("p", "says", "You play on from here:"), host);
  show(host, { book: game.book, position, values: null, ply: null }, { choices: false });
  game.position = position;
}

// A row of radio buttons that look like keys; `order` follows them.
function picks(name, choices, onPick = () => {}) {
  const host = $(name);
  host.replaceChildren(...Object.entries(choices).sort(([a], [b]) => (a === "fits" ? -1 : b === "fits" ? 1 : 0)).map(([value, words]) => {
    const made = element("label", "pick"), box = element("input"), face = element("span", "", [words].flat()[0]);
    Object.assign(box, { type: "radio", name, value, checked: String(order[name]) === value });
    box.addEventListener("change", () => { order[name] = value; onPick(); nameFirst(); });
    if (Array.isArray(words)) face.append(element("small", "", words[1]));
    made.append(box, face);
    return made;
  }));
}

function check(name) {
  for (const box of $(name).querySelectorAll("input")) box.checked = box.value === String(order[name]);
}

// The seats as they fit the opponent; names that were typed stay.
function arrange() {
  const kinds = game.book.players.map((_, n) => (n + 1 === order.seat || order.with === "two" ? "here" : order.with === "friend" ? "friend" : "computer"));
  $("level-part").hidden = !kinds.includes("computer");
  $("swap").hidden = kinds.length > 2 || order.with === "two";
  $("seats").replaceChildren(...game.book.players.map((player, n) => seatLine(player, n, kinds[n])));
  order.assist = kinds.includes("friend") ? "after" : "on";
  check("assist");
  $("assist-says").textContent = ASSISTS[order.assist];
  if (game.position.turn && asked.get("start")) $("first").closest("fieldset").hidden = true;
  tellLevel();
  nameFirst();
}

function seatLine(player, n, kind) {
  const made = element("div", `seatline p${player.player}`), kinds = element("select"), name = element("input");
  const mixed = order.with === "mixed", own = n + 1 === order.seat;
  for (const [value, words] of Object.entries({ here: own ? "you" : "plays here too", friend: "a friend by link", computer: "the computer" })) kinds.append(Object.assign(element("option", "", words), { value }));
  kinds.value = kind;
  kinds.setAttribute("aria-label", `Who is ${player.name}?`);
  Object.assign(name, { type: "text", maxLength: 30, placeholder: own && order.with !== "two" ? "Your name" : player.name, value: own ? recall("name", "") : "", autocomplete: own ? "nickname" : "off" });
  name.setAttribute("aria-label", `The name of ${player.name}`);
  name.addEventListener("input", nameFirst);
  const words = element("span", "", kind === "friend" ? "your friend, who gets a link from you" : "the computer");
  const fit = () => { name.hidden = kinds.value !== "here"; nameFirst(); $("level-part").hidden = !kindsNow().includes("computer"); };
  kinds.addEventListener("change", fit);
  made.dataset.kind = kind;
  made.append(shapeOf(player.player, player.label.replace(/^P/, "")));
  if (mixed) made.append(kinds, name);
  else made.append(kind === "here" ? name : words);
  if (mixed) queueMicrotask(fit);
  return made;
}

const lines = () => [...$("seats").children];
const kindsNow = () => lines().map((line) => line.querySelector("select")?.value ?? line.dataset.kind);
const aloneHere = () => kindsNow().filter((kind) => kind === "here").length === 1;
const nameOf = (line, n) => line.querySelector("input")?.value.trim() || game.book.players[n].name;

// Who begins is asked by the names that stand there now.
function nameFirst() {
  const kinds = kindsNow(), faces = $("first").querySelectorAll("span");
  lines().forEach((line, n) => { faces[n].textContent = kinds[n] === "here" ? line.querySelector("input").value.trim() || (aloneHere() ? "You" : nameOf(line, n)) : kinds[n] === "friend" ? "Your friend" : "The computer"; });
  if (kinds.length > 2) lines().forEach((line, n) => { if (kinds[n] !== "here") faces[n].textContent = game.book.players[n].name; });
}

function tellLevel() {
  const level = order.level === "fits" ? levelFor(game.book.variant) : order.level;
  $("level-says").textContent = order.level === "fits" ? `Level ${level} now: ${WORDS[level - 1]}. One up when you win, one down when you lose.` : OTHERS[level] ? `It ${OTHERS[level]}.` : `Level ${level} of 10: ${WORDS[level - 1]}.`;
}

function bot() {
  const level = order.level === "fits" ? levelFor(game.book.variant) : order.level;
  return OTHERS[level] ? level : `level:${level}`;
}

async function go(event) {
  event.preventDefault();
  const kinds = kindsNow(), own = lines()[order.seat - 1].querySelector("input")?.value.trim();
  const seats = kinds.map((kind, n) => (kind === "here" ? { name: nameOf(lines()[n], n) } : kind === "friend" ? null : { bot: bot() }));
  const clock = Number(order.clock) ? { seconds: Number(order.clock), increment: Number($("increment").value) } : null;
  const start = asked.get("start");
  if (own) remember("name", own);
  remember("with", order.with === "mixed" ? "computer" : order.with);
  $("go").disabled = true;
  $("wrong").hidden = true;
  try {
    await begin({ variant: game.book.variant, first: start ? game.position.turn : order.first === "toss" ? "toss" : Number(order.first), rounds: Number(order.rounds), seats, clock, assist: order.assist, ...(start ? { start } : {}) });
  } catch (error) {
    $("wrong").textContent = error.sentence;
    $("wrong").hidden = false;
    $("go").disabled = false;
  }
}

$("swap").addEventListener("click", () => {
  const own = lines()[order.seat - 1].querySelector("input").value.trim();
  if (own) remember("name", own);
  order.seat = 3 - order.seat;
  arrange();
});
$("form").addEventListener("submit", go);
addEventListener("pageshow", () => { $("go").disabled = false; });
load();
