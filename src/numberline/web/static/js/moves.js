// The list of moves with the history of values: who can force a win after each move, and in how many turns.
//
//   const moves = new Moves(table, { onJump(n) });      table: a <table class="log">
//   moves.show({ log, marks?, series?, names, here })   PlyViews, marks and points as they come; here: after how many plies
//                                                       we stand. A click on a move jumps to after it.
//   shapeOf(player, label?)                             a player's shape as an SVG, e.g. before a name

import { headOf } from "./board.js";
import { element, fill, tag } from "./dom.js";

export class Moves {
  constructor(table, { onJump = () => {} } = {}) {
    this.table = table;
    this.onJump = onJump;
  }

  show({ log, marks = null, series = null, names, here }) {
    const many = names.length > 2, judged = Boolean(series) && !many;
    this.table.classList.toggle("many", many);
    const head = element("thead"), body = element("tbody");
    head.append(heading(names, judged));
    const longest = Math.max(1, ...(series ?? []).map((point) => point?.plies ?? 0));
    body.append(...log.map((ply, n) => this.row(ply, n, judged ? series[n + 1] : null, judged ? marks?.[n] : null, names, here, longest)));
    const columns = element("colgroup");
    columns.append(...["n", "who", "to", "", "mark"].map((kind) => element("col", kind)));
    this.table.replaceChildren(columns, head, body);
    this.follow(here, log.length);
  }

  row(ply, n, point, mark, names, here, longest) {
    const made = element("tr", `${here === n + 1 ? "here" : ""}`);
    const who = element("td", "who"), jump = element("button", `jump p${ply.player}`);
    jump.type = "button";
    jump.append(shapeOf(ply.player), element("span", "hide", `${names[ply.player - 1]}: `), element("span", "", late(ply) ? "time up" : ply.move));
    if (here === n + 1) jump.setAttribute("aria-current", "true");
    jump.title = fill(ply.told, names);
    jump.addEventListener("click", () => this.onJump(n + 1));
    who.append(jump);
    made.append(element("td", "n", n + 1), who, element("td", "to", way(ply)));
    made.append(river(point, names, longest), marked(late(ply) ? null : mark));
    return made;
  }

  // Keeps the move on which we stand in sight, without moving the page.
  follow(here, length) {
    const box = this.table.closest(".scroll"), row = this.table.tBodies[0]?.rows[Math.max(0, here - 1)];
    if (!box || !row || box.scrollHeight <= box.clientHeight) return;
    box.scrollTop = here >= length ? box.scrollHeight : row.offsetTop - box.clientHeight / 2;
  }
}

function heading(names, judged) {
  const row = element("tr"), rest = element("th"), line = element("div", "heads"), sides = element("span", "sides");
  rest.colSpan = 4;
  if (judged) {
    const [one, two] = [element("b", "p1", "◀ "), element("b", "p2")];
    one.append(element("span", "", names[0]));
    two.append(element("span", "", names[1]), " ▶");
    sides.append(one, " can win ", two);
  }
  line.append(element("span", "", "move"), sides);
  rest.append(line);
  row.append(element("th", "", "#"), rest);
  return row;
}

// Whoever runs out of time has not resigned, though it ends a game in the same way.
const late = (ply) => ply.move === "resign" && ply.said.endsWith("ran out of time.");

function way(ply) {
  if (ply.lands === null || ply.place === null) return "";
  return ply.place === ply.lands ? `stays ${ply.lands}` : `${ply.place} → ${ply.lands}`;
}

function river(point, names, longest) {
  const made = element("td", point ? "river" : "");
  if (!point?.winner) return made;
  const bar = element("i", `p${point.winner} ${point.winner === 1 ? "left" : "right"}`, point.plies || "");
  bar.style.width = `${Math.round(46 * (1 - (0.62 * point.plies) / (longest + 1)))}%`;
  bar.setAttribute("aria-hidden", "true");
  const turns = point.plies === 1 ? "1 turn" : `${point.plies} turns`;
  made.append(bar, element("span", "hide", point.plies ? `${names[point.winner - 1]} can force a win in ${turns}` : `${names[point.winner - 1]} has won`));
  return made;
}

function marked(mark) {
  const kind = mark?.symbol.includes("?") ? " bad" : mark?.symbol.includes("!") ? " good" : "";
  const made = element("td", `mark${kind}`, mark?.symbol ?? "");
  if (mark?.symbol) made.title = [mark.word, mark.comment].filter(Boolean).join(": ");
  if (mark?.word && mark.symbol) made.append(element("span", "hide", ` ${mark.word}`));
  return made;
}

export function shapeOf(player, label) {
  const made = tag("svg", { class: label ? "shape" : "dot", viewBox: "-18 -18 36 36", "aria-hidden": "true" });
  made.append(tag("path", { d: headOf(player) }));
  if (label) {
    const text = tag("text", { x: 0, y: 5.5 });
    text.textContent = label;
    made.append(text);
  }
  return made;
}
