// A game of one's own: a form made from the settings of a book, or a rule book as text; the board, the rules and who wins follow at once.

import { Board } from "./board.js";
import { $, button, copy, element, fill, recall, remember, toast } from "./dom.js";
import { post } from "./net.js";
import { address, asked, get, goalOf, link, longestFirst, nicknames, playWith, prose, starters, takeFile, trouble } from "./page.js";

const FIRST = 5; // so many settings are seen at once
const WAIT = 250; // so long after the last key the form is read
const LONG = 200; // after so long it is seen that an answer is being worked out
const LARGEST = 50000; // letters of a rule book

const state = { base: "line-runner", settings: {}, past: [], found: null, refused: false, latest: 0, waiting: 0 };
const board = new Board($("board"));

async function begin() {
  $("form").addEventListener("submit", (event) => event.preventDefault());
  $("book").addEventListener("change", () => change($("book").value, {}));
  $("undo").addEventListener("click", undo);
  $("reset").addEventListener("click", () => change(state.base, {}));
  $("address").addEventListener("focus", () => $("address").select());
  try {
    const books = longestFirst((await get("/api/books")).books);
    $("book").replaceChildren(...books.map(({ book }) => option(book.variant, book.title)));
    await open(asked() || books[0].book.variant, books[0].book.variant);
  } catch (error) {
    trouble($("trouble"), error);
  }
}

// The variant of the address; where it is none, the first book, and the sentence why.
async function open(variant, otherwise) {
  try {
    shown(await get(`/api/books/${encodeURIComponent(variant)}`));
  } catch (error) {
    shown(await get(`/api/books/${encodeURIComponent(otherwise)}`));
    trouble($("trouble"), error);
  }
}

function change(base, settings) {
  const before = { base: state.base, settings: state.settings };
  state.past.push(before);
  return follow(base, settings, () => state.past.splice(state.past.indexOf(before), 1));
}

// Back to what worked before: the last change, or only what was typed where that was refused.
function undo() {
  if (state.refused) return renewAll(state.found);
  const before = state.past.pop();
  if (before) follow(before.base, before.settings, () => {});
  return undefined;
}

function refuse(error, name) {
  const sentence = error.sentence ?? error.message ?? error, title = state.found?.settings.find((field) => field.name === name)?.title;
  trouble($("trouble"), title && sentence.startsWith(`${name}=`) ? sentence.replace(/^.*?: /, `${title}: `).replace(/ up to \d{7,}/, "") : sentence);
  state.refused = true;
  $("preview").classList.add("old");
  $(`value-${name}`)?.setAttribute("aria-invalid", "true");
  $("undo").disabled = $("reset").disabled = false;
}

function renewAll(found) {
  document.activeElement?.blur();
  shown(found);
  $("undo").focus();
}

async function follow(base, settings, onRefusal) {
  const mine = ++state.latest, slow = setTimeout(() => mine === state.latest && $("preview").classList.add("old"), LONG);
  try {
    const found = await post("/api/books", { variant: base, settings });
    clearTimeout(slow);
    if (mine === state.latest) shown(found);
  } catch (error) {
    clearTimeout(slow);
    onRefusal();
    if (mine === state.latest) refuse(error, Object.keys(settings).find((name) => settings[name] !== state.settings[name]));
  }
}

function shown(found) {
  const { book } = found;
  const other = state.found?.settings.map((field) => field.name).join() !== found.settings.map((field) => field.name).join();
  state.found = found;
  state.base = book.variant.split("(")[0];
  state.settings = Object.fromEntries(found.settings.filter((field) => field.value !== field.default).map((field) => [field.name, field.value]));
  state.refused = false;
  trouble($("trouble"), "");
  $("preview").classList.remove("old");
  $("book").value = state.base;
  if (other) arrange(found.settings);
  for (const field of found.settings) renew(field);
  $("undo").disabled = state.past.length === 0;
  $("reset").disabled = Object.keys(state.settings).length === 0;
  history.replaceState(null, "", address("variants", book.variant));
  document.title = `${book.title}: change the rules · Numberline`;
  preview(found);
}

// The first settings are those that the book is about; the others wait below.
function arrange(fields) {
  const first = element("div", "settings"), others = element("div", "settings"), more = element("details");
  first.append(...fields.slice(0, FIRST).map(setting));
  others.append(...fields.slice(FIRST).map(setting));
  more.append(element("summary", "", `${fields.length - FIRST} more settings`), others);
  more.open = $("fields").querySelector("details")?.open || fields.slice(FIRST).some((field) => field.value !== field.default);
  $("fields").replaceChildren(first, more);
}

function setting(field) {
  const host = element("div", "setting"), label = element("label", "", field.title), help = element("small", "", "");
  const input = inputFor(field);
  host.id = `setting-${field.name}`;
  label.htmlFor = input.id = `value-${field.name}`;
  help.id = `help-${field.name}`;
  input.setAttribute("aria-describedby", help.id);
  host.append(label, input, ...(field.kind === "place" ? [ideas(field, input)] : []), help);
  return host;
}

function inputFor(field) {
  const picked = ["choice", "yes-no"].includes(field.kind), input = element(picked ? "select" : "input");
  if (picked) input.append(...field.choices.map(({ value, title }) => option(value, title)));
  else input.type = field.kind === "number" ? "number" : "text";
  if (field.kind === "number") for (const [name, limit] of [["min", field.low], ["max", field.high]]) if (limit !== null) input[name] = limit;
  input.autocomplete = "off";
  input.spellcheck = false;
  input.addEventListener(picked ? "change" : "input", () => {
    clearTimeout(state.waiting);
    state.waiting = setTimeout(() => typed(field, input), picked ? 0 : WAIT);
  });
  return input;
}

function ideas(field, input) {
  const list = element("datalist");
  list.id = `ideas-${field.name}`;
  list.append(...field.choices.map(({ value, title }) => option(value, title)));
  input.setAttribute("list", list.id);
  return list;
}

function typed(field, input) {
  if (input.value === "") return refuse(`${field.title}: put in a value. ${wants(field)}`, field.name);
  return change(state.base, { ...state.settings, [field.name]: input.value });
}

// What the field says now; what somebody is just typing stays as it is.
function renew(field) {
  const host = $(`setting-${field.name}`), input = $(`value-${field.name}`);
  if (document.activeElement !== input) input.value = field.value;
  input.removeAttribute("aria-invalid");
  const changed = field.value !== field.default;
  host.classList.toggle("changed", changed);
  input.disabled = !field.changeable && !changed;
  const book = changed ? ` In the book: ${titleOf(field, field.default)}.` : "";
  $(`help-${field.name}`).textContent = input.disabled ? "With the other settings as they are, nothing else makes a game." : `${["choice", "yes-no"].includes(field.kind) ? field.help : wants(field)}${book}`;
}

// "A whole number up to 1000000000" is more than anybody wants to know.
const wants = (field) => field.example.replace(/ up to \d{7,}/, "");

const titleOf = (field, value) => field.choices.find((each) => each.value === value)?.title ?? value;

function preview(found) {
  const { book } = found;
  $("preview-title").textContent = book.title;
  $("goal").textContent = goalOf(book);
  board.show({ book, position: found.position, values: null, ply: null }, { idle: true, names: nicknames(book) });
  $("address").value = book.variant;
  $("links").replaceChildren(playWith(starters(book, $("trouble"))), link("button", "Rules", address("rules", book.variant)), ...(book.players.length === 2 ? [link("button", "Lesson", address("lessons", book.variant))] : []), button("button", "Copy the address", copyAddress));
  $("changes").textContent = found.changes;
  $("changes").hidden = !found.changes;
  prose($("rules"), found.rules);
  tellWinner(found, $("verdict"));
}

async function copyAddress() {
  toast((await copy(location.href)) ? "Copied. Anybody who opens it sees this game." : `This browser does not copy. The address is ${location.href}`);
}

async function tellWinner(found, host) {
  const mine = state.latest, tell = (kind, text) => mine === state.latest && Object.assign(host, { className: `verdict ${kind}`, textContent: text });
  if (!found.solved) return tell("even", "This game has too many positions to say here who wins. It can be played all the same.");
  const slow = setTimeout(() => tell("even", "Working out who wins …"), LONG);
  try {
    tell(...winner(found.book, await Promise.all(openings(found).map((position) => worthOf(found, position)))));
  } catch (error) {
    tell("even", error.sentence ?? error.message);
  } finally {
    clearTimeout(slow);
  }
  return undefined;
}

// The first position, and of two players also the same with the other to begin.
const openings = ({ book, position: { position } }) => (book.players.length === 2 ? [position, position.replace(/^1/, "2")] : [position]);

async function worthOf({ book, source }, position) {
  const { values } = source === null ? await get(`/api/books/${encodeURIComponent(book.variant)}/positions?p=${encodeURIComponent(position)}&values=true`) : await post("/api/positions", { variant: book.variant, source, position, values: true });
  return values.worth;
}

function winner(book, [one, two]) {
  const names = nicknames(book), same = two && (one.winner ? one.winner + two.winner === 3 && two.winner !== 0 : !two.winner) && one.turns === two.turns;
  const other = two && !same ? ` If ${names[1]} begins, ${outcome(two, names, 2)}.` : "";
  return [one.winner ? `p${one.winner}` : "even", `With best play ${outcome(one, names, 1)}.${other}`];
}

function outcome({ winner: who, turns }, names, first) {
  if (!who) return names.length === 2 ? "nobody wins: the game can go on for ever" : "no player alone can force a win";
  const wins = `wins in at most ${turns} ${turns === 1 ? "turn" : "turns"}${names.length > 2 ? ", against all the others" : ""}`, name = names[who - 1];
  if (first === 2) return `${name} ${wins}`;
  return who === first ? `${name}, who begins, ${wins}` : `${name} ${wins}, although ${names[first - 1]} begins`;
}

// A rule book as text

function ownBook() {
  $("source").value = recall("draft", "");
  $("source").addEventListener("input", () => remember("draft", $("source").value));
  takeFile($("file"), $("own"), LARGEST, (text, name) => {
    $("source").value = text;
    $("file-name").textContent = name;
    remember("draft", text);
    check();
  }, refuseBook);
  $("own").addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
}

async function check() {
  const source = $("source").value;
  $("own-shown").hidden = true;
  if (!source.trim()) return refuseBook("There is no book yet. Paste one, or choose a file.");
  if (source.length > LARGEST) return refuseBook(`This book is too long: it has ${source.length} letters, and at most ${LARGEST} can be read here.`);
  try {
    const found = await post("/api/books", { source });
    trouble($("own-trouble"), "");
    ownShown(found, source);
  } catch (error) {
    refuseBook(error.sentence ?? error.message);
  }
  return undefined;
}

function refuseBook(sentence) {
  $("own-shown").hidden = true;
  trouble($("own-trouble"), sentence.replace(/^my-book: /gm, ""));
  $("source").focus();
}

function ownShown(found, source) {
  const { book } = found, host = $("own-shown"), picture = element("div", "board"), rules = element("div", "prose"), acts = element("p", "acts"), verdict = element("p", "verdict");
  const title = element("h3", "", `${book.title}: this book can be played`);
  title.tabIndex = -1;
  verdict.setAttribute("role", "status");
  acts.append(playWith(starters(book, $("own-trouble"), { source })));
  host.replaceChildren(title, element("p", "soft", fill(book.goal, nicknames(book))), picture, verdict, acts, rules);
  host.hidden = false;
  new Board(picture).show({ book, position: found.position, values: null, ply: null }, { idle: true, names: nicknames(book) });
  prose(rules, found.rules);
  tellWinner(found, verdict);
  title.focus();
}

function option(value, text) {
  const made = element("option", "", text);
  made.value = value;
  return made;
}

begin();
ownBook();
