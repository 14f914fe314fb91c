// A game looked back at: board, history of values, marks, where it was decided; from a match, or from a record file.

import { Board } from "./board.js";
import { confirmed } from "./dialogs.js";
import { $, button, element, fill, forget, listed, recall, tag, toast } from "./dom.js";
import { Moves } from "./moves.js";
import { api, post } from "./net.js";
import { Shortcuts } from "./shortcuts.js";
import { address, asked, get, link, playWith, starters, takeFile, trouble } from "./page.js";

const LARGEST = 1000000; // letters of a record
const TALL = 88, MIDDLE = TALL / 2; // of the chart

const state = { game: null, games: [], count: 0, here: 0, latest: 0, seen: new Map(), parts: null, mine: false };
let id = asked(); // of the match; none for a record

async function begin() {
  takeFile($("file"), document.body, LARGEST, (text, name) => {
    $("record").value = text;
    $("file-name").textContent = name;
    read();
  }, fail);
  $("bring").addEventListener("submit", (event) => { event.preventDefault(); read(); });
  $("cancel").addEventListener("click", () => open(state.game));
  const by = (step) => () => state.game && !$("shown").hidden && go(state.here + step);
  new Shortcuts({ actions: {
    ArrowLeft: { title: "one move back", act: by(-1) }, ArrowRight: { title: "one move on", act: by(1) },
    Home: { title: "to the start", act: by(-Infinity) }, End: { title: "to the end", act: by(Infinity) },
    t: { title: "to the turning point", act: () => state.game?.turning_at && go(state.game.turning_at) },
  } });
  if (id) await fetched();
  else bring();
}

async function fetched() {
  try {
    const [found, table] = await Promise.all([get(`/api/matches/${encodeURIComponent(id)}/review`), get(`/api/matches/${encodeURIComponent(id)}`)]);
    state.mine = table.you.length > 0;
    several([found]);
  } catch (error) {
    bring();
    trouble($("trouble"), error);
  }
}

function bring() {
  $("bring").hidden = false;
  $("choose").hidden = $("shown").hidden = true;
  $("cancel").hidden = !state.game;
}

async function read() {
  const record = $("record").value;
  if (!record.trim()) return fail("There is no record yet. Paste one, or choose a file.");
  if (record.length > LARGEST) return fail(`This record is too long: at most ${LARGEST} letters can be read here. Split it into several files.`);
  if (!record.includes("numberline record")) return fail("This is not the record of a game. A record begins with the line “numberline record 1”.");
  try {
    const { games, count } = await post("/api/review", { record });
    trouble($("trouble"), "");
    id = "";
    state.mine = false;
    several(games, count);
  } catch (error) {
    fail(error);
  }
  return undefined;
}

function fail(error) {
  bring();
  trouble($("trouble"), error);
  $("record").focus();
  $("trouble").scrollIntoView({ block: "nearest" });
}

// Several games in one file: which?

function several(games, count = games.length) {
  Object.assign(state, { games, count });
  if (games.length === 1) return open(games[0]);
  $("bring").hidden = true;
  $("shown").hidden = true;
  $("choices").replaceChildren(...games.map((game, n) => {
    const made = element("li"), to = button("", "", () => open(game));
    const words = element("span", "grow", `${n + 1}. ${game.book.title}: ${against(game.names)}`);
    words.append(element("small", "", fill(game.result, game.names)));
    to.append(words);
    made.append(to);
    return made;
  }));
  $("choose-text").textContent = count > games.length ? `The file has ${count} games. These are the first ${games.length}.` : `The file has ${count} games.`;
  $("choose").hidden = false;
  $("choose-title").focus();
  return undefined;
}

const against = (names) => (names.length === 2 ? names.join(" against ") : listed(names));

function open(game) {
  state.game = game;
  state.seen.clear();
  state.parts = page(game);
  $("bring").hidden = $("choose").hidden = true;
  $("shown").hidden = false;
  document.title = `${game.book.title}, looked back at · Numberline`;
  go(game.log.length);
  state.parts.title.focus({ preventScroll: true });
}

// The page of one game

function page(game) {
  const table = element("section", "card table"), side = element("div", "side"), moves = element("section", "card"), list = element("table", "log");
  const title = element("h1", "", game.book.title), picture = element("div", "board"), comment = element("p", "comment"), scroll = element("div", "scroll");
  title.id = "title";
  title.tabIndex = -1;
  table.setAttribute("aria-labelledby", "title");
  moves.setAttribute("aria-label", "Moves");
  comment.setAttribute("role", "status");
  const acts = element("p", "acts"), onward = link("button main", "Play on from here", "/");
  const own = element("div", "acts");
  own.hidden = true;
  acts.append(onward, ...otherActs());
  onward.addEventListener("click", (event) => ownOnward(event, own));
  table.append(title, element("p", "soft", `${against(game.names)}. ${fill(game.result, game.names)}`), picture, comment, look(), ...(game.turning ? [decided(game)] : []), acts, own);
  scroll.append(list);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "All moves");
  moves.append(element("h2", "", "Moves"), ...judgement(game), scroll);
  side.append(moves);
  $("shown").replaceChildren(table, side);
  return { title, comment, onward, own, board: new Board(picture), moves: new Moves(list, { onJump: go }), chart: moves.querySelector(".chart") };
}

function otherActs() {
  const acts = [];
  if (id) {
    const record = link("button", "Download the record", `/api/matches/${encodeURIComponent(id)}/record`);
    record.download = `numberline-${id}.txt`;
    acts.push(record);
  }
  if (state.games.length > 1) acts.push(button("button", "Another game of the file", () => several(state.games, state.count)));
  if (state.mine) acts.push(button("button", "Delete this game…", remove));
  acts.push(button("button", "Look at another file", () => { bring(); $("record").focus(); }));
  return acts;
}

async function remove() {
  if (!(await confirmed("Delete this game?", "Its moves, its names and its link will be gone, for everybody.", "Delete it", "Keep it"))) return;
  try {
    await api("DELETE", `/api/matches/${encodeURIComponent(id)}`);
    if (recall("last") === id) forget("last");
    location.assign("/");
  } catch (error) {
    toast(error.sentence ?? error.message);
  }
}

function look() {
  const made = element("div", "look");
  const shapes = [["To the start", "M0 0h3v14H0zM16 0v14L4 7z", -Infinity], ["One move back", "M14 0v14L2 7z", -1], ["One move on", "M2 0v14l12-7z", 1], ["To the end", "M13 0h3v14h-3zM0 0v14l12-7z", Infinity]];
  made.append(...shapes.map(([title, shape, step]) => {
    const to = button("", "", () => go(state.here + step)), svg = tag("svg", { width: 16, height: 14, "aria-hidden": "true" });
    svg.append(tag("path", { d: shape }));
    to.setAttribute("aria-label", title);
    to.append(svg);
    return to;
  }));
  return made;
}

function decided(game) {
  const made = element("div", "decided");
  made.append(element("p", "", fill(game.turning, game.names)));
  if (game.turning_at) made.append(button("button", `Show me: move ${game.turning_at}`, () => go(game.turning_at)));
  return made;
}

function judgement(game) {
  if (game.sentence) return [element("p", "soft", fill(game.sentence, game.names))];
  const accuracies = element("dl", "verdicts");
  accuracies.append(...game.accuracies.map((each) => {
    const made = element("div", `p${each.player}`);
    const [, detail = ""] = fill(each.said, game.names).match(/\(([^()]*)\)$/) ?? [];
    const share = element("dd", "", detail ? `${each.percent} %` : "–");
    share.append(element("small", "", detail ? `accuracy, ${detail}` : "no choice mattered"));
    made.append(element("dt", "", game.names[each.player - 1]), share);
    return made;
  }));
  return [chart(game), accuracies];
}

// Who could force a win after each move: up for the first player, down for the second, the longer the nearer.
function chart(game) {
  const { series } = game, wide = Math.max(series.length * 10, 60);
  const svg = tag("svg", { class: "chart", viewBox: `0 0 ${wide} ${TALL}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const longest = Math.max(1, ...series.map((point) => point.plies ?? 0)), each = wide / series.length;
  series.forEach((point, n) => {
    const high = point.winner ? (MIDDLE - 6) * (1 - (0.75 * (point.plies ?? 0)) / (longest + 1)) : 2;
    const box = { x: n * each + each * 0.1, width: each * 0.8, height: high, y: point.winner === 1 ? MIDDLE - high : point.winner ? MIDDLE : MIDDLE - 1 };
    svg.append(tag("rect", { class: `p${point.winner}`, ...box }));
    if (game.marks[n - 1]?.symbol.includes("??")) svg.append(tag("rect", { class: "bad", x: n * each + each * 0.1, width: each * 0.8, y: TALL - 4, height: 4 }));
    if (n === game.turning_at && n) svg.append(tag("rect", { class: "turning", x: n * each, width: each, y: 0, height: 5 }));
  });
  svg.append(tag("line", { class: "axis", x1: 0, x2: wide, y1: MIDDLE, y2: MIDDLE }));
  svg.append(tag("rect", { class: "here", y: 1, height: TALL - 2, width: each }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    go(Math.floor(((event.clientX - box.left) / box.width) * series.length));
  });
  return svg;
}

async function go(to) {
  const { game, parts } = state, here = Math.min(Math.max(0, to), game.log.length), mine = ++state.latest;
  state.here = here;
  const ply = game.log[here - 1] ?? null, text = ply?.position ?? game.start;
  const marks = game.marks.length ? game.marks : null, series = game.series.length ? game.series : null;
  const held = parts.moves.table.contains(document.activeElement);
  parts.moves.show({ log: game.log, marks, series, names: game.names, here });
  if (held) parts.moves.table.querySelector("[aria-current]")?.focus({ preventScroll: true });
  parts.chart?.querySelector(".here").setAttribute("x", (here * Math.max(game.series.length * 10, 60)) / game.series.length);
  comment(parts.comment, game, here);
  buttons(here, game.log.length);
  onward(parts.onward, game, text);
  try {
    const found = await at(text);
    if (mine === state.latest) parts.board.show({ book: game.book, ...found, ply: ply?.place === null ? null : ply }, { idle: true, names: game.names });
  } catch (error) {
    if (mine === state.latest) parts.comment.append(` ${error.sentence ?? error.message}`);
  }
}

async function at(text) {
  const { game: { book, source, own_book }, seen } = state, p = encodeURIComponent(text);
  if (seen.has(text)) return seen.get(text);
  const found = !id && own_book ? await post("/api/positions", { variant: book.variant, source, position: text, values: true })
    : await get(id ? `/api/matches/${encodeURIComponent(id)}/positions?p=${p}` : `/api/books/${encodeURIComponent(book.variant)}/positions?p=${p}&values=true`);
  seen.set(text, found);
  return found;
}

function comment(host, game, here) {
  const ply = game.log[here - 1], mark = game.marks[here - 1];
  if (!ply) return host.replaceChildren(element("b", "", "The start."), ` ${game.log.length ? "Step through the game with the arrows, or choose a move." : "No move was played."}`);
  const bad = mark?.symbol.includes("?"), title = element("b", mark?.symbol ? (bad ? "bad" : "good") : "", `Move ${here}${mark?.symbol && mark.symbol !== "·" ? ` ${mark.symbol}` : ""}`);
  const said = sentence(fill(ply.told, game.names)), thought = mark?.comment || (mark?.symbol ? mark.word : "");
  const over = here === game.log.length && game.outcome ? ` ${fill(game.outcome.reason, game.names)}` : "";
  host.replaceChildren(title, ` ${said}${thought ? ` ${sentence(thought)}` : ""}${said.includes(over.trim()) ? "" : over}`);
  return undefined;
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

function buttons(here, length) {
  const [first, back, on, last] = $("shown").querySelectorAll(".look button");
  for (const each of [first, back]) each.setAttribute("aria-disabled", String(here === 0));
  for (const each of [on, last]) each.setAttribute("aria-disabled", String(here === length));
}

function onward(host, game, text) {
  const over = state.here === game.log.length && game.outcome !== null;
  host.hidden = over;
  host.href = `${address("new", game.book.variant)}?start=${encodeURIComponent(text)}`;
  state.parts.own.hidden = true;
}

// A book that only its owner has is not known by an address: it is sent along, and asked here who plays.
function ownOnward(event, host) {
  const { game, here } = state, start = game.log[here - 1]?.position ?? game.start;
  if (!game.own_book) return;
  event.preventDefault();
  host.replaceChildren(playWith(starters(game.book, $("trouble"), { source: game.source, start, seat: Number(start.split(" ")[0]) }), "Play on with"));
  host.hidden = false;
  host.querySelector("button").focus();
}

begin();
