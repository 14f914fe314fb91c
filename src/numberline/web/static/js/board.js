// The board: a ruler with tokens. It knows places, tokens and hops, and no rule: everything comes with the view.
// Above the ruler stands what can be played, below it what was just played. Needs only dom.js and css/board.css.
//
//   import { Board, show } from "/static/js/board.js";
//   const board = new Board(host, { onMove(move), onPoint(move | null), onToken(token) });
//   board.show(view, options)   view = { book, position, values | null, ply | null }: BookView, PositionView, ValuesView, PlyView
//                               options = { values: draw them (true), token: whose arcs (number | null), names: […],
//                                           trace: draw what was just played (true), idle: nothing can be clicked (false),
//                                           choices: draw what can be played (true) }; what isn't given stays as it was
//   board.point(move | null)    makes one arc stand out
//   await board.hop(move)       the token goes along the arc of that move; at once where motion isn't wanted
//   board.token                 the token whose arcs are drawn
//   tokensOf(view)              the tokens that can be moved now, as numbers
//   tokenOf(view, wanted)       the one of them whose arcs are drawn
//   show(host, view, options)   all of it for a page that only wants to show a position

import { element, fill, motion, tag } from "./dom.js";

const EDGE = 44; // the height of the ruler
const UNDER = 34; // the room below it, for what was just played
const QUIET = 24; // the height of a stretch on which nothing stands
const HEAD = 15; // half the size of a token's head
const STAND = 42; // how high a token stands
const TIER = 32; // how much higher the next ones stand where many stand on one place
const ABREAST = 3; // how many stand side by side on one place
const MOST = 200; // sums on more numbers than this have no ruler

export class Board {
  constructor(host, { onMove = () => {}, onPoint = () => {}, onToken = () => {} } = {}) {
    this.host = host;
    this.heard = { onMove, onPoint, onToken };
    this.options = { values: true, token: null, names: null, trace: true, idle: false, choices: true };
    host.classList.add("board");
    host.setAttribute("role", "img");
    this.wide = 0;
    new ResizeObserver(() => this.view && host.clientWidth !== this.wide && this.draw()).observe(host);
  }

  get names() {
    return this.options.names ?? this.view.book.players.map((player) => player.name);
  }

  get token() {
    return tokenOf(this.view, this.options.token);
  }

  show(view, options = {}) {
    this.view = view;
    Object.assign(this.options, options);
    this.host.setAttribute("aria-label", fill(view.position.said, this.names));
    this.draw();
  }

  point(move) {
    for (const each of this.host.querySelectorAll("[data-move]")) each.classList.toggle("pointed", each.dataset.move === move);
    this.host.classList.toggle("pointing", Boolean(move) && Boolean(this.host.querySelector(".hop.pointed")));
  }

  async hop(move) {
    const choice = this.view?.position.choices.find((each) => each.move === move && each.legal);
    if (!choice || choice.token === null || !motion() || document.hidden) return;
    if (choice.token !== this.token) this.show(this.view, { token: choice.token });
    const arc = this.host.querySelector(`.hop[data-move="${CSS.escape(move)}"] .arc`);
    const pin = this.host.querySelector(`.pin[data-token="${choice.token}"]`);
    if (!arc || !pin || choice.lands === choice.place) return;
    const long = arc.getTotalLength(), begin = arc.getPointAtLength(0), end = arc.getPointAtLength(long), steps = 24;
    const frames = Array.from({ length: steps + 1 }, (_, n) => {
      const at = arc.getPointAtLength((long * n) / steps);
      return { translate: `${at.x - begin.x}px ${at.y - begin.y - (n / steps) * (end.y - begin.y)}px` };
    });
    await pin.animate(frames, { duration: 340, easing: "cubic-bezier(.3,.1,.3,1)" }).finished.catch(() => {});
  }

  draw() {
    const { view, host } = this;
    this.wide = host.clientWidth;
    if (this.wide < 100) return;
    host.classList.remove("pointing");
    host.classList.toggle("idle", this.options.idle);
    const [low, high] = extent(view);
    if (view.book.sums && high - low + 1 > MOST) return host.replaceChildren(figure(view, this.names));
    const rows = layout(low, high, this.wide);
    const hops = this.options.choices ? hopsOf(view, this.token, this.options.values) : [];
    const ply = this.options.trace ? view.ply : null;
    const busy = new Set(hops.flatMap((hop) => rows.touched(hop.place, hop.to)));
    const lively = new Set([...busy, ...view.position.tokens.map((token) => rows.of(token.place)), ...view.book.goals.map((goal) => rows.of(goal.place))]);
    if (ply?.lands !== null && ply?.lands !== undefined) for (const n of rows.touched(ply.place, ply.lands)) lively.add(n);
    const crowd = TIER * (tiers(view) - 1);
    for (const hop of hops) hop.rise += crowd;
    const room = STAND + 22 + Math.max(crowd, ...hops.map((hop) => hop.rise));
    const made = [];
    let next = 0;
    for (const n of [...lively].filter((n) => n >= 0 && n < rows.count).sort((a, b) => a - b)) {
      made.push(...between(rows, next, n));
      made.push(this.row(rows.at(n), busy.has(n) ? hops : [], busy.has(n) ? room : STAND + 12 + crowd, ply));
      next = n + 1;
    }
    host.replaceChildren(...made, ...between(rows, next, rows.count));
  }

  row(row, hops, room, ply) {
    const { view } = this;
    const high = room + EDGE + (ply || row.alone ? UNDER : 12);
    const svg = tag("svg", { class: "row", "aria-hidden": "true", width: row.width, height: high, viewBox: `0 0 ${row.width} ${high}` });
    const x = (place) => row.pad + (place - row.first + 0.5) * row.pitch;
    const here = hops.filter((hop) => touches(row, hop.place, hop.to));
    svg.append(this.ruler(row, x, room, here));
    svg.append(...flags(view, row).map(([goal, aside]) => flag(goal, x(goal.place) + aside, room, goal.place === view.book.line[0])));
    if (ply && ply.lands !== null && touches(row, ply.place, ply.lands)) svg.append(trace(ply, this.names, x, room + EDGE, row));
    const tokens = standing(view, row, x);
    const lean = tokens.find((token) => token.slot === this.token)?.lean ?? 0;
    for (const hop of here) svg.append(this.arc(hop, x, room, lean));
    for (const token of tokens.reverse()) svg.append(this.pin(token, x(token.place), room));
    const taken = [];
    for (const hop of here.filter((hop) => within(row, hop.to))) svg.append(this.label(hop, row, x, room, taken, lean));
    return svg;
  }

  arc(hop, x, room, lean) {
    const from = x(hop.place) + lean, to = x(hop.to) + hop.spread * 6, top = room - STAND - 6 - hop.rise * 1.34;
    const group = tag("g", { class: `hop ${hop.kind}`, "data-move": hop.move });
    if (hop.place === hop.to) {
      const y = room - STAND - 2, side = 9 + 7 * hop.spread;
      group.append(tag("path", { class: "arc", d: `M${from - side} ${y + 8}C${from - side - 12} ${y - hop.rise * 1.3} ${from + side + 12} ${y - hop.rise * 1.3} ${from + side} ${y + 8}` }));
    } else {
      group.append(tag("path", { class: "arc", d: `M${from} ${room - STAND - 4}C${from} ${top} ${to} ${top} ${to} ${room - 11}` }));
      group.append(tag("circle", { class: "tip", cx: to, cy: room - 9, r: 5 }));
    }
    return this.listen(group, hop);
  }

  // A label stands on its arc, in the row where that ends; where another one stands already it moves outwards, and upwards at the end of the row.
  label(hop, row, x, room, taken, lean) {
    const wide = 16 + 9 * hop.move.length + (hop.worth ? 15 : 4), way = hop.wanted < hop.place ? -1 : 1;
    const low = wide / 2 + 2, high = row.width - wide / 2 - 2;
    let middle = clamp((x(hop.place) + lean + x(hop.to)) / 2, low, high), y = room - STAND - 6 - hop.rise;
    const hit = () => taken.find((each) => Math.abs(each.y - y) < 27 && Math.abs(each.middle - middle) < (each.wide + wide) / 2 + 2);
    for (let tries = 0; tries < 12 && hit(); tries++) {
      const other = hit(), wanted = other.middle + way * ((other.wide + wide) / 2 + 3);
      if (wanted >= low && wanted <= high) middle = wanted;
      else y = Math.max(15, other.y - 28);
    }
    taken.push({ middle, y, wide });
    const group = tag("g", { class: `label ${hop.kind}`, "data-move": hop.move, transform: `translate(${middle} ${y})` });
    group.append(tag("rect", { x: -wide / 2, y: -13, width: wide, height: 26, rx: 13 }), text(hop.worth ? -8 : 0, 5.5, hop.move, "move"));
    if (hop.worth) group.append(tag("path", { class: "worth", d: shapeOf(hop.worth), transform: `translate(${wide / 2 - 13} 0)` }));
    if (hop.kind === "refused") group.append(tag("path", { class: "strike", d: `M${-wide / 2 + 5} 0H${wide / 2 - 5}` }));
    return this.listen(group, hop);
  }

  ruler(row, x, y, hops) {
    const group = tag("g", { class: "ruler" }), { position } = this.view;
    const left = x(row.first) - row.pitch / 2 + (row.opens ? -4 : 2), right = x(row.last) + row.pitch / 2 + (row.closes ? 4 : -2);
    group.append(tag("path", { class: "strip", d: strip(left, right, y, row) }));
    const wide = Math.min(34, row.pitch - 3);
    for (let place = row.first; place <= row.last; place++) {
      const major = place % 5 === 0;
      const token = position.tokens.find((token) => token.place === place);
      const landing = hops.find((hop) => hop.to === place && hop.kind !== "refused");
      const box = { x: x(place) - wide / 2, y: y + 14, width: wide, height: 24, rx: 7 };
      group.append(tag("path", { class: major ? "tick major" : "tick", d: `M${x(place)} ${y + 1}v${major ? 11 : 7}` }));
      if (landing) group.append(tag("rect", { class: `pad ${landing.kind}`, ...box }));
      else if (token) group.append(tag("rect", { class: `stand p${token.player}`, ...box }));
      group.append(text(x(place), y + 31, place, `number${major ? " major" : ""}${token && !landing ? " on" : ""}`));
      if (landing) group.append(this.listen(tag("rect", { class: "touch", x: x(place) - row.pitch / 2, y, width: row.pitch, height: EDGE, "data-move": landing.move }), landing));
    }
    return group;
  }

  // A token is a pin on the edge of the ruler, with a head of its player's shape; both halves for a marker that all move.
  pin(token, x, y) {
    const outer = tag("g", { transform: `translate(${x + token.lean} ${y})` }), up = -STAND + HEAD - token.tier * TIER;
    const several = tokensOf(this.view).length > 1, movable = several && tokensOf(this.view).includes(token.slot);
    const kind = `pin p${token.player}${several && token.slot === this.token ? " chosen" : ""}${movable ? " movable" : ""}`;
    const group = tag("g", { class: kind, "data-token": token.slot });
    outer.append(group);
    if (movable) group.append(tag("rect", { class: "touch", x: -22, y: up - HEAD - 6, width: 44, height: STAND + 6 }));
    group.append(tag("path", { class: "point", d: `M-7 ${up + 11}L${-token.lean} -1L7 ${up + 11}Z` }));
    if (token.player === 0) {
      group.append(tag("path", { class: "half one", d: `M0 ${up - HEAD}A${HEAD} ${HEAD} 0 0 0 0 ${up + HEAD}Z` }));
      group.append(tag("path", { class: "half two", d: `M0 ${up - HEAD}A${HEAD} ${HEAD} 0 0 1 0 ${up + HEAD}Z` }));
      group.append(tag("circle", { class: "ring", cx: 0, cy: up, r: HEAD }), tag("circle", { class: "eye", cx: 0, cy: up, r: 5 }));
    } else {
      group.append(tag("path", { class: "head", d: headOf(token.player), transform: `translate(0 ${up})` }));
      group.append(text(0, up + 5.5, token.label.replace(/^P/, ""), "mark"));
    }
    if (movable) group.addEventListener("click", () => this.heard.onToken(token.slot));
    return outer;
  }

  listen(made, hop) {
    if (hop.kind === "refused" || this.options.idle) return made;
    made.addEventListener("click", () => this.heard.onMove(hop.move));
    made.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.heard.onPoint(hop.move));
    made.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.heard.onPoint(null));
    return made;
  }
}

export function show(host, view, options = {}) {
  const board = new Board(host);
  board.show(view, { idle: true, ...options });
  return board;
}

export function tokensOf(view) {
  return [...new Set(view.position.choices.filter((choice) => choice.legal && choice.token !== null).map((choice) => choice.token))];
}

// The token whose arcs are drawn: the wanted one, if it can be moved.
export function tokenOf(view, wanted) {
  const all = tokensOf(view);
  return all.includes(wanted) ? wanted : all[0] ?? null;
}

// The lowest and the highest place to draw: the line, and whatever stands or lands outside it.
function extent({ book, position }) {
  const far = position.choices.filter((choice) => choice.legal && choice.lands !== null).map((choice) => choice.lands);
  const all = [...book.line, ...position.tokens.map((token) => token.place), ...(book.sums ? [] : far)];
  return [Math.min(...all), Math.max(...all)];
}

// The rows: one if the places have air, else as few as give each of them room for a finger.
export function layout(low, high, width) {
  const places = high - low + 1, least = width < 480 ? Math.max(25, 9.6 * String(high).length) : Math.max(29, 10.8 * String(high).length);
  const count = Math.ceil(places / Math.max(4, Math.floor((width - 8) / least)));
  const each = Math.ceil(places / count), pitch = Math.min(56, (width - 8) / each);
  const pad = count > 1 ? 4 : (width - pitch * places) / 2;
  const of = (place) => Math.floor((place - low) / each);
  return {
    count: Math.ceil(places / each), of,
    at: (n) => ({ first: low + n * each, last: Math.min(high, low + (n + 1) * each - 1), pitch, pad, width, alone: count === 1, opens: n > 0, closes: low + (n + 1) * each <= high }),
    touched: (a, b) => [of(a), of(b)],
  };
}

// What can be played with the chosen token, and what is refused: the shorter the hop, the lower its arc.
function hopsOf(view, token, withValues) {
  const worth = new Map((withValues && view.values?.moves || []).map((each) => [each.move, each.worth]));
  const several = tokensOf(view).length > 1;
  const all = view.position.choices.filter((choice) => choice.token !== null && (!several || choice.token === token) && drawable(view, choice));
  all.sort((a, b) => Math.abs(a.wanted - a.place) - Math.abs(b.wanted - b.place));
  const step = clamp(150 / Math.max(1, all.length), 20, 31), lift = { "-1": 0, 1: 0 }, taken = {};
  return all.map((choice) => {
    const way = choice.wanted < choice.place ? -1 : 1, to = choice.lands ?? choice.wanted;
    const spread = choice.legal ? taken[to] ?? 0 : 0;
    if (choice.legal) taken[to] = spread + 1;
    const worthy = choice.legal ? worth.get(choice.move) ?? null : null;
    return { ...choice, to, spread, rise: 20 + step * lift[way]++, worth: worthy, kind: choice.legal ? kindOf(worthy) || "free" : "refused" };
  });
}

// A refused hop is drawn where its end is on the line.
function drawable({ book }, choice) {
  const to = choice.lands ?? choice.wanted;
  return to !== null && (choice.legal ? !book.sums || to <= Math.max(...book.line) : to >= book.line[0] && to <= book.line[1]);
}

// The class of a worth: win, loss or even; nothing without one.
export const kindOf = (worth) => (!worth ? "" : worth.colour === "green" ? "win" : worth.colour === "red" ? "loss" : "even");

// The shapes of the values, drawn so that they look the same with any font.
const SHAPES = { win: "M0 -5.5L6 5H-6Z", loss: "M0 5.5L6 -5H-6Z", endless: "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z", open: "M0 -6L6 0L0 6L-6 0Z" };
const shapeOf = (worth) => SHAPES[worth.value];

const HEADS = [
  "M15 0A15 15 0 1 1 -15 0A15 15 0 1 1 15 0Z",
  "M-9 -14H9Q14 -14 14 -9V9Q14 14 9 14H-9Q-14 14 -14 9V-9Q-14 -14 -9 -14Z",
  "M-2.5 -15.5Q0 -19 2.5 -15.5L17 10Q18.5 14 14 14H-14Q-18.5 14 -17 10Z",
  "M-2.5 -16.5Q0 -18.5 2.5 -16.5L16.5 -2.5Q18.5 0 16.5 2.5L2.5 16.5Q0 18.5 -2.5 16.5L-16.5 2.5Q-18.5 0 -16.5 -2.5Z",
  "M-8 -15H8L16.5 0L8 15H-8L-16.5 0Z",
  "M0 -16.5L16 -4.5L10 14.5H-10L-16 -4.5Z",
];
export const headOf = (player) => HEADS[(player - 1) % HEADS.length];

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const within = (row, place) => place >= row.first && place <= row.last;
const touches = (row, a, b) => Math.max(a, b) >= row.first && Math.min(a, b) <= row.last;

// The tokens of a row by their number in the position. Those on one place lean aside, and many stand in tiers: whoever moves in front.
function standing(view, row, x) {
  const { book, position } = view, seen = {};
  const all = position.tokens.map((token) => {
    const nth = (seen[token.player] = (seen[token.player] ?? -1) + 1);
    return { ...token, slot: book.shared ? 0 : (token.player - 1) * book.tokens + nth };
  }).filter((token) => within(row, token.place));
  for (const token of all) {
    const mates = all.filter((each) => each.place === token.place);
    if (mates.length > ABREAST) mates.sort((a, b) => (b.player === position.turn) - (a.player === position.turn));
    token.tier = Math.floor(mates.indexOf(token) / ABREAST);
  }
  for (let tier = 0; tier < Math.max(1, all.length); tier++) spread(all.filter((token) => token.tier === tier), row, x);
  return all;
}

// Heads that would cover each other go aside, as little as they must; their points stay where they are.
function spread(tokens, row, x) {
  const wide = 2 * HEAD + 3, least = HEAD + 3, sorted = [...tokens].sort((a, b) => a.place - b.place);
  const at = sorted.map((token) => x(token.place));
  for (let pass = 0; pass < 40; pass++) {
    for (let n = 1; n < at.length; n++) {
      const short = wide - (at[n] - at[n - 1]);
      if (short > 0.1) [at[n - 1], at[n]] = [at[n - 1] - short / 2, at[n] + short / 2];
    }
    for (let n = 0; n < at.length; n++) at[n] = clamp(at[n], least + n * wide, row.width - least - (at.length - 1 - n) * wide);
  }
  sorted.forEach((token, n) => { token.lean = at[n] - x(token.place); });
}

// How many tiers there are where most tokens stand.
function tiers({ position }) {
  const count = {};
  for (const token of position.tokens) count[token.place] = (count[token.place] ?? 0) + 1;
  return Math.ceil(Math.max(1, ...Object.values(count)) / ABREAST);
}

// The flags of a row, each with how far it stands aside where several stand on one place.
function flags({ book }, row) {
  const here = book.goals.filter((goal) => within(row, goal.place));
  return here.map((goal) => {
    const mates = here.filter((each) => each.place === goal.place);
    return [goal, (mates.indexOf(goal) - (mates.length - 1) / 2) * 8];
  });
}

function flag(goal, x, y, leftmost) {
  const group = tag("g", { class: `flag p${goal.player}`, transform: `translate(${x} ${y})` });
  group.append(tag("path", { class: "pole", d: "M0 0V-40" }), tag("path", { class: "cloth", d: leftmost ? "M0 -40h20l-6 7 6 7h-20Z" : "M0 -40h-20l6 7-6 7h20Z" }));
  return group;
}

function strip(left, right, y, row) {
  const a = row.opens ? 0 : 12, b = row.closes ? 0 : 12, low = y + EDGE;
  return `M${left + a} ${y}H${right - b}q${b} 0 ${b} ${b}V${low - b}q0 ${b} ${-b} ${b}H${left + a}q${-a} 0 ${-a} ${-a}V${y + a}q0 ${-a} ${a} ${-a}Z`;
}

// Rows on which nothing stands are thin; three or more are one torn strip with the numbers that it leaves out.
function between(rows, from, to) {
  const still = Array.from({ length: Math.min(3, to - from) }, (_, n) => rows.at(from + n));
  return still.length > 2 ? [torn(rows.at(from), rows.at(to - 1))] : still.map(thin);
}

function torn(first, last) {
  const { width } = first, high = QUIET + 8, gap = 62;
  const svg = tag("svg", { class: "row quiet", "aria-hidden": "true", width, height: high, viewBox: `0 0 ${width} ${high}` });
  const rip = (x) => `L${x + 3} ${4 + QUIET / 3}L${x - 3} ${4 + (2 * QUIET) / 3}L${x} ${4 + QUIET}`;
  const left = width / 2 - gap, right = width / 2 + gap;
  svg.append(tag("path", { class: "strip", d: `M0 4H${left}${rip(left)}H0Z` }), tag("path", { class: "strip", d: `M${width} 4H${right}${rip(right)}H${width}Z` }));
  svg.append(text(width / 2, QUIET - 3, `${first.first} … ${last.last}`, "number"));
  return svg;
}

function thin(row) {
  const svg = tag("svg", { class: "row quiet", "aria-hidden": "true", width: row.width, height: QUIET + 8, viewBox: `0 0 ${row.width} ${QUIET + 8}` });
  const x = (place) => row.pad + (place - row.first + 0.5) * row.pitch;
  svg.append(tag("path", { class: "strip", d: `M0 4H${x(row.last) + row.pitch / 2}V${QUIET + 4}H0Z` }));
  for (let place = row.first; place <= row.last; place++) {
    if (place % 5) svg.append(tag("path", { class: "tick", d: `M${x(place)} 5v5` }));
    else svg.append(text(x(place), QUIET - 3, place, "number"));
  }
  return svg;
}

function trace(ply, names, x, y, row) {
  const group = tag("g", { class: `trace p${ply.player}` });
  const short = `${names[ply.player - 1]} ${ply.move}`, long = fill(ply.told, names);
  const told = (row.width < 480 ? short : long) + (ply.place === ply.lands ? ", stayed" : "");
  const half = 4.6 * told.length, middle = (x(ply.place) + x(ply.lands)) / 2, high = y + (ply.place === ply.lands ? 27 : 29);
  const edge = middle < half ? ["start", 3] : middle > row.width - half ? ["end", row.width - 3] : ["middle", middle];
  const off = ply.lands > row.last ? !row.closes : ply.lands < row.first && !row.opens; // beyond the whole line
  if (off || within(row, ply.lands)) group.append(anchored(text(edge[1], high, told, "told"), edge[0]));
  if (ply.place === ply.lands) {
    group.append(tag("circle", { class: "dot", cx: x(ply.lands), cy: y + 9, r: 3.5 }));
    return group;
  }
  const from = x(ply.place), to = off ? clamp(x(ply.lands), 5, row.width - 5) : x(ply.lands), way = to > from ? 1 : -1;
  group.append(tag("path", { class: "way", d: `M${from} ${y + 6}Q${(from + to) / 2} ${y + 17} ${to - way * 5} ${y + 9}` }));
  group.append(tag("path", { class: "tip", d: `M${to} ${y + 5}l${-way * 10} -0.5l${way * 4} 8.5Z` }));
  return group;
}

// Numbers too many for a ruler: what the number is now, and where it should go.
function figure({ book, position, ply }, names) {
  const made = element("div", "figure");
  made.setAttribute("aria-hidden", "true");
  made.append(element("span", "number", position.tokens[0]?.place));
  const goals = [...new Set(book.goals.map((goal) => goal.place))];
  made.append(element("span", "aim", `${goals.length > 1 ? "goals" : "goal"} ${goals.join(", ")}`));
  if (ply && ply.lands !== null) made.append(element("span", `told p${ply.player}`, `${names[ply.player - 1]} just played ${ply.move}`));
  return made;
}

// Words near an end of the row begin or end there, however wide the letters are.
function anchored(made, anchor) {
  made.style.textAnchor = anchor;
  return made;
}

function text(x, y, content, kind) {
  const made = tag("text", { x, y, class: kind });
  made.textContent = content;
  return made;
}
