// The page of one match. The server's frames come in one by one (take), the state is drawn anew after each (show).

import { Board, tokenOf } from "./board.js";
import { Clock } from "./clock.js";
import { $, copy, element, fill, forget, motion, recall, remember, status, toast } from "./dom.js";
import { Keys } from "./keys.js";
import { Moves } from "./moves.js";
import { api, Line, post } from "./net.js";
import { footnotes, met, showAdvice, showBack, showOffers, showSide, showTip, showTools } from "./parts.js";
import { namesOf, showSeats, tickSeats } from "./seats.js";
import { chosen } from "./settings.js";
import { Shortcuts } from "./shortcuts.js";
import { knock } from "./sound.js";
import { moveInWords, newsOf, tossed, turnInWords, whenInWords } from "./words.js";

const id = decodeURIComponent(location.pathname.split("/")[2]);
const PAUSE = 250; // before a move of somebody else, so that eyes can follow
const WATCHING = "You are watching this game.";
const state = {
  seq: 0, you: [], book: null, match: null, position: null, values: null, review: null,
  token: null, pending: null, looking: null, tapped: null, advice: null, showing: recall("values", false), sitting: false, withdrew: false,
};
const seen = new Map(); // positions that were looked back at, by their text
let frames = Promise.resolve();
let hops = Promise.resolve(); // own tokens on their way; meanwhile the board stays as it is, and everything else goes on
let hopping = 0;
let invite = location.hash.slice(1);

const heard = { onMove: (move) => play(move, true), onPoint: point, onToken: choose };
const board = new Board($("board"), heard);
const keys = new Keys($("keys"), heard);
const moves = new Moves($("log"), { onJump: jump });
const clock = new Clock((player) => tickSeats($("seats"), clock, player));
const line = new Line(`/api/matches/${encodeURIComponent(id)}/socket`, {
  hello: () => ({ since: state.seq }),
  onFrame: (frame) => { frames = frames.then(() => take(frame)).catch(lost); },
  onQuiet: quiet,
});

// What comes from the server

async function take(frame) {
  await { table: takeTable, event: takeEvent, presence: takePresence, error: takeError, answer: takeAnswer }[frame.kind]?.(frame);
}

function takeTable(frame) {
  const before = state.match;
  if (state.pending && frame.seq > state.pending.seq) state.pending = null;
  const { seq, you, book, match, position, values } = frame;
  Object.assign(state, { seq, you, book, match, position, values, advice: null, tapped: null });
  if (before && (before.round !== match.round || before.log.length > match.log.length)) state.looking = null;
  clock.set(match.clock);
  if (you.length && !match.ended) remember("last", id);
  if (match.ended) forgetLast();
  if (before && match.rematch && !before.rematch && you.length) return location.assign(`/play/${match.rematch}`);
  show();
  if (!before) begin();
  const news = before ? newsOf(before, state, names()) : "";
  if (news) (match.offers.length > before.offers.length || match.outcome ? status : toast)(news); // an offer and the end have a box of their own
  state.withdrew = false;
  if (match.outcome) look();
  playForced();
}

async function takeEvent(frame) {
  if (frame.seq <= state.seq) return;
  if (frame.seq !== state.seq + 1) return line.renew();
  const own = state.pending?.move === frame.what && state.you.includes(frame.seat);
  if (frame.outcome || !own) await hops;
  if (!own && !state.looking) await walk(frame.what);
  const plies = frame.plies ?? [frame.ply], { match } = state;
  state.seq = frame.seq;
  state.pending = null;
  Object.assign(state, { position: frame.position, values: frame.values, advice: null, tapped: null, token: null });
  match.log.push(...plies);
  if (match.marks && frame.mark) match.marks.push(...(frame.marks ?? [frame.mark]));
  if (match.series && frame.point) match.series.push(...(frame.points ?? [frame.point]));
  Object.assign(match, { outcome: frame.outcome, offers: [], undo: !frame.outcome, resign: !frame.outcome });
  if (frame.turning) match.turning = frame.turning;
  if (frame.clock || match.clock) clock.set((match.clock = frame.clock));
  show();
  tell(plies, own);
  playForced();
}

async function walk(move) {
  if (motion() && !document.hidden) await new Promise((resolve) => setTimeout(resolve, PAUSE));
  await board.hop(move);
}

function takePresence(frame) {
  state.match?.seats.forEach((seat, n) => { seat.present = frame.seats[n]; });
  if (state.match) state.match.watching = frame.watching;
  if (state.match) show();
}

function takeError(frame) {
  if (!state.match) return lost(frame);
  if (frame.request === state.pending?.request) state.pending = null;
  knock("refused");
  toast(frame.code === "stale" ? "The game has gone on meanwhile. Look again, then play." : fill(frame.sentence, names()));
  show();
}

function takeAnswer(frame) {
  state.advice = { what: frame.what, text: frame.text, move: frame.move };
  drawAdvice();
  $("advice").scrollIntoView({ block: "nearest" });
  status(fill(frame.text, names()));
  if (frame.move) { chooseFor(frame.move); point(frame.move); }
}

async function look() {
  if (state.review?.of === state.match.round || !state.match.log.length) return;
  try {
    const found = await api("GET", `/api/matches/${encodeURIComponent(id)}/review`);
    state.review = { ...found, of: state.match.round };
    showEnding();
  } catch {
    // Without a review the end is still told.
  }
}

// Nothing to play: says why, and where to go. Later troubles leave the game on the screen.
function lost(error) {
  if (!error.code) reportError(error);
  if (state.match) return toast(error.sentence ?? "Something went wrong on this page. Load it again.");
  line.close();
  $("table").removeAttribute("aria-busy");
  $("table").parentElement.classList.add("lost");
  $("title").textContent = "No game here";
  $("goal").textContent = error.sentence ?? "Something went wrong on this page. Load it again.";
  $("said").parentElement.before(Object.assign(element("a", "button main", "Begin a game"), { href: "/" }));
  if (["not_found", "damaged"].includes(error.code)) forgetLast();
}

function forgetLast() {
  if (recall("last") === id) forget("last");
}

function quiet(is) {
  $("banner").hidden = !is;
  if (is) $("banner").textContent = "The server doesn't answer just now. We try again; nothing is lost.";
  if (is && state.pending) $("turn").textContent = `Your ${state.pending.move} is on its way.`;
}

// Whoever comes

async function begin() {
  $("table").removeAttribute("aria-busy");
  for (const part of ["tools", "look", "foot"]) $(part).hidden = false;
  if (invite && state.match.seats.some((seat) => !seat.taken)) await sit();
  else if (invite && !state.you.length) toast("Somebody else has taken this seat. You can watch the game here.");
  invite = "";
  history.replaceState(null, "", location.pathname);
  if (state.match.tossed && state.match.log.length < 2 && state.match.round === 1) (state.match.log.length ? toast : status)(tossed(state, names()));
}

async function sit(trouble = "") {
  const host = state.match.seats.find((seat) => seat.taken && !seat.bot)?.name || "A friend";
  const { askName } = await import("./invite.js");
  const name = await askName(state.book.title, trouble || `${host} invites you to a game. What shall we call you?`);
  if (name === null) return;
  state.sitting = true;
  try {
    await post(`/api/matches/${encodeURIComponent(id)}/seats`, { invite, name });
  } catch (error) {
    if (error.code === "bad_message") return sit(error.sentence);
    toast(error.sentence);
  }
  line.renew();
}

// What somebody does

const names = () => namesOf(state.match, state.book);
const mine = () => !state.match.outcome && state.you.includes(state.position.turn);
const ready = () => mine() && !state.pending && !state.looking;
const view = () => state.looking ?? { book: state.book, position: state.position, values: state.values, ply: state.match.log.at(-1) ?? null };
const ask = (frame) => line.send({ seq: state.seq, ...frame });

async function play(move, tapped = false) {
  const choice = state.position?.choices.find((each) => each.move === move);
  if (!choice || state.pending) return;
  if (state.looking) return toast("You are looking back. Go to now, then play.");
  if (!mine()) return toast(state.you.length ? `It is ${names()[state.position.turn - 1]}'s turn.` : WATCHING);
  if (!choice.legal) {
    knock("refused");
    return toast(`${move} can't be played: ${fill(choice.why_not, names())}.`);
  }
  if (tapped && chosen("twoTaps") && state.tapped !== move) return propose(move);
  state.pending = { move, choice, shown: false, seq: state.seq, request: ask({ kind: "move", move }) };
  state.tapped = state.advice = null;
  met($("tip"));
  knock("mine");
  drawKeys();
  drawAdvice();
  hop(move);
}

// The token sets off at once, without waiting for the server; nor does what the server says wait for the token.
function hop(move) {
  const { pending } = state;
  hopping += 1;
  hops = hops.then(() => board.hop(move)).finally(() => {
    hopping -= 1;
    if (state.pending === pending) showPending();
    else drawBoard();
  });
}

function propose(move) {
  state.tapped = move;
  chooseFor(move);
  point(move);
  $("turn").textContent = `Tap ${move} again to play it.`;
  status(`Tap ${move} again to play it.`);
}

// A move shows at once, before the server has said yes.
function showPending() {
  const { choice } = state.pending;
  state.pending.shown = true;
  const at = state.position.tokens.map((token) => ({ ...token }));
  const own = at.filter((token) => token.player === 0 || token.player === state.position.turn);
  const moved = own[state.book.shared ? 0 : choice.token - (state.position.turn - 1) * state.book.tokens];
  if (moved && choice.lands !== null) moved.place = choice.lands;
  board.show({ ...view(), ply: null, position: { ...state.position, tokens: at } }, { choices: false });
}

function playForced() {
  const legal = state.position.choices.filter((choice) => choice.legal);
  if (!chosen("forced") || !ready() || legal.length !== 1) return;
  setTimeout(() => ready() && legal[0] === state.position.choices.find((choice) => choice.legal) && play(legal[0].move), 700);
}

function choose(token) {
  if (token === board.token) return;
  state.token = token;
  board.show(view(), { token });
  for (const each of $("keys").children) {
    const choice = view().position.choices.find((one) => one.move === each.dataset.move);
    each.classList.toggle("other", choice.token !== null && choice.token !== token);
  }
}

function chooseFor(move) {
  const choice = view().position.choices.find((each) => each.move === move);
  if (choice?.legal && choice.token !== null) choose(choice.token);
}

function point(move) {
  const shown = move ?? state.tapped ?? state.advice?.move ?? null;
  board.point(shown);
  keys.point(shown);
}

async function resign() {
  if (!ready()) return toast("You can give up when it is your turn.");
  const { confirmed } = await import("./dialogs.js");
  const sure = await confirmed("Give up this game?", state.match.seats.length === 2 ? `Then ${names()[2 - state.position.turn]} wins.` : "Then the others win.", "Give up");
  if (sure && ready()) ask({ kind: "resign" });
}

function takeBack() {
  if (!state.you.length) return toast(WATCHING);
  if (!canTakeBack()) return toast("There is no move of yours to take back.");
  if (othersAsked() && state.match.offers.some((offer) => offer.what === "takeback" && state.you.includes(offer.seat))) return toast("You have asked already.");
  ask({ kind: "offer", what: "takeback" });
}

const othersAsked = () => state.match.seats.some((seat) => seat.taken && !seat.bot && !state.you.includes(seat.player));
const canTakeBack = () => !state.match.outcome && state.match.log.some((ply) => state.you.includes(ply.player));

function toggleValues() {
  const { assist, outcome } = state.match, told = assist === "on" || (assist === "after" && outcome);
  if (!told) return toast(assist === "after" ? "What moves are worth is shown after the game." : "What moves are worth is not shown in this game.");
  state.showing = !state.showing;
  if (state.showing && !view().values) toast("What moves are worth is not known yet, or there is too much to work out.");
  remember("values", state.showing);
  show();
}

function advise(what) {
  if (!state.values) return toast("There is no advice in this game now.");
  if (what === "hint" && !state.you.length) return toast(WATCHING);
  if (what === "hint" && !ready()) return toast("You get a hint when it is your turn.");
  if (state.advice?.what === what) {
    state.advice = null;
    drawAdvice();
    return point(null);
  }
  ask({ kind: "ask", what });
}

// Looking back

async function jump(n) {
  const { log } = state.match, to = Math.max(0, Math.min(log.length, n));
  if (to === log.length) {
    state.looking = null;
    return show();
  }
  try {
    const found = await positionAt(to);
    state.looking = { n: to, book: state.book, ply: log[to - 1] ?? null, ...found };
    show();
    status(`${whenInWords(to)}: ${fill(found.position.said, names())}`);
  } catch (error) {
    toast(error.sentence ?? "That position can't be shown.");
  }
}

async function positionAt(n) {
  const text = n ? state.match.log[n - 1].position : state.match.start;
  const key = `${text} ${state.match.outcome ? "over" : ""}`;
  if (!seen.has(key)) seen.set(key, await api("GET", `/api/matches/${encodeURIComponent(id)}/positions?p=${encodeURIComponent(text)}`));
  return seen.get(key);
}

const here = () => state.looking?.n ?? state.match.log.length;
const LOOKS = { start: () => jump(0), back: () => jump(here() - 1), on: () => jump(here() + 1), now: () => jump(Infinity) };

// What is shown

const tools = { hint: () => advise("hint"), why: () => advise("why"), values: toggleValues, takeBack, resign };
const ends = { onNext: () => ask({ kind: "next" }), onRematch: () => ask({ kind: "offer", what: "rematch" }), onJump: jump };

function show() {
  const { book, match, looking } = state, called = names(), inside = $("table").contains(document.activeElement);
  document.title = `${mine() ? "Your move · " : ""}${book.title} · Numberline`;
  $("title").textContent = book.title;
  $("goal").textContent = fill(book.goal, called);
  showSeats($("seats"), state, called, clock);
  showWaiting();
  if (!hopping) drawBoard();
  $("turn").textContent = looking ? `${whenInWords(looking.n)}.` : turnInWords(state, called);
  $("said").textContent = fill(view().position.said, called);
  $("keys").hidden = Boolean(match.outcome) && !looking;
  drawKeys();
  showEnding();
  showBack($("back"), state, LOOKS.now);
  showOffers($("offers"), state, called, (kind, what) => {
    state.withdrew = kind === "withdraw";
    ask({ kind, what });
  });
  showTools($("tools"), state, { ready: ready(), othersAsked: othersAsked(), canTakeBack: canTakeBack() }, tools);
  drawAdvice();
  showSide(match, here());
  const judged = match.series && (worth() || match.outcome);
  moves.show({ log: match.log, marks: judged ? match.marks : null, series: judged ? match.series : null, names: called, here: here() });
  showTip($("tip"), ready());
  footnotes($("foot"), book.choices);
  point(null);
  const held = document.activeElement;
  if (inside && (held === document.body || held.closest("[hidden]") || held === $("tools") || held === $("offers"))) comeBack();
}

// Where what had the focus is gone: to the bar of looking back, to the keys, or to how it ended.
function comeBack() {
  const to = state.looking ? $("back") : $("over");
  if (!state.looking && !$("keys").hidden) return keys.focus();
  to.tabIndex = -1;
  to.focus({ preventScroll: true });
}

const drawAdvice = () => showAdvice($("advice"), state.advice, names(), () => ask({ kind: "ask", what: "move" }));

// Who is missing and how it ended are drawn by modules that most moments don't need.
async function showWaiting() {
  const free = state.match.seats.some((seat) => !seat.taken);
  if (free || !$("wait").hidden) (await import("./invite.js")).showWait($("wait"), state);
}

async function showEnding() {
  $("over").hidden = !state.match.outcome || Boolean(state.looking);
  if ($("over").hidden) return;
  const { showEnd } = await import("./end.js");
  if (state.match.outcome) showEnd($("over"), state, names(), ends);
  $("over").hidden = !state.match.outcome || Boolean(state.looking);
}

function drawBoard() {
  board.show(view(), { names: names(), values: worth(), token: state.token, idle: !ready(), choices: true });
  if (state.pending?.shown) showPending();
}

function drawKeys() {
  keys.show(view(), { names: names(), values: worth(), token: tokenOf(view(), state.token), disabled: !ready(), pending: state.pending?.move ?? null });
}

const worth = () => Boolean(state.showing && view().values);

// Each move is said once.
function tell(plies, own) {
  const { match, you } = state;
  status(moveInWords(state, names(), plies, own));
  if (match.outcome) knock(you.length !== 1 || you.includes(match.outcome.winner) ? "won" : "lost");
  else if (!own) knock("theirs");
}

const actions = {
  h: { title: "hint", act: tools.hint },
  v: { title: "show or hide what moves are worth", act: toggleValues },
  w: { title: "why?", act: tools.why },
  u: { title: "take back", act: takeBack },
  ArrowLeft: { title: "look back, and on again", act: LOOKS.back },
  ArrowRight: { title: "look back, and on again", act: LOOKS.on },
  Home: { title: "to the start, and to now", act: LOOKS.start },
  End: { title: "to the start, and to now", act: LOOKS.now },
};
const loaded = (act) => () => state.match && act();
for (const action of Object.values(actions)) action.act = loaded(action.act);
new Shortcuts({
  choices: () => (state.position && mine() ? state.position.choices : []),
  play: (move) => play(move),
  actions,
  onTyped: (typed) => { if (state.match) $("turn").textContent = typed ? `${typed} …` : turnInWords(state, names()); },
});
for (const each of $("look").children) each.addEventListener("click", loaded(LOOKS[each.dataset.to]));
$("watch-link").addEventListener("click", async () => {
  const done = await copy(location.origin + location.pathname);
  toast(done ? "The link is copied. Whoever has it can watch." : "Please copy the address of this page by hand.");
});
