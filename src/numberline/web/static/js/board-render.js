// @ts-check
// SVG rendering of a board that board-layout.js has laid out.

import { appearAfterWin } from "./board-celebration.js";
import { TOKEN_HEIGHT, movableTokens } from "./board-arcs.js";
import { HEAD_RADIUS, RULER_HEIGHT, THIN_HEIGHT, TIER_HEIGHT } from "./board-layout.js";
import { clamp, placeX } from "./board-rows.js";
import { element, svg, svgText } from "./dom.js";
import { playerPath, shortLabel } from "./player-shape.js";
import { fillNames, groupDigits } from "./text.js";

/** @import { BoardView, Position, Worth } from "./messages.d.ts" */
/** @import { Flag, FullRow, PlacedHop, PlacedToken, RowLayout, Trace } from "./board-layout.js" */
/** @import { Row } from "./board-rows.js" */

/**
 * @typedef {object} RenderOptions
 * @property {Position} position
 * @property {number | null} token
 * @property {boolean} idle
 * @property {(move: string) => unknown} onMove
 * @property {(move: string | null) => unknown} onPoint
 * @property {(token: number) => unknown} onToken
 */

const OVERVIEW_HEIGHT = 20;
const SMALL_WIDTH = 280;
const MIN_TICK_PITCH = 3;

/** Shapes for the values, drawn as paths so that they look the same in any font. */
const WORTH_SHAPES = {
  win: "M0 -5.5L6 5H-6Z",
  loss: "M0 5.5L6 -5H-6Z",
  endless: "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z",
  open: "M0 -6L6 0L0 6L-6 0Z",
};

/**
 * @param {RowLayout} layout
 * @param {RenderOptions} options
 */
export function renderRow(layout, options) {
  if (layout.kind === "gap")
    return renderGap(layout.width, `${groupDigits(layout.first)} … ${groupDigits(layout.last)}`);
  return layout.kind === "thin" ? renderThinRow(layout.row) : renderFullRow(layout, options);
}

/**
 * @param {FullRow} layout
 * @param {RenderOptions} options
 */
function renderFullRow({ row, top, height, hops, tokens, flags, trace }, options) {
  const made = rowSvg("row", row.width, height);
  made.append(renderRuler(row, top, hops, options));
  if (trace) made.append(renderTrace(trace));
  made.append(...hops.map((hop) => renderArc(hop, top, options)));
  const winner = options.position.outcome?.winner ?? 0;
  made.append(...flags.map((flag) => renderFlag(flag, top, "pole", winner)));
  // In a crowd, the points of the upper tokens are behind the heads of the lower ones.
  const fromTop = tokens.toSorted((a, b) => b.tier - a.tier);
  made.append(...fromTop.map((token) => renderToken(token, top, options)));
  made.append(...flags.map((flag) => renderFlag(flag, top, "cloth", winner)));
  made.append(...hops.flatMap((hop) => (hop.label ? [renderLabel(hop, hop.label, options)] : [])));
  return made;
}

/**
 * @param {string} className
 * @param {number} width
 * @param {number} height
 */
function rowSvg(className, width, height) {
  const viewBox = `0 0 ${width} ${height}`;
  return svg("svg", { class: className, "aria-hidden": "true", width, height, viewBox });
}

/**
 * @param {Row} row
 * @param {number} top
 * @param {PlacedHop[]} hops
 * @param {RenderOptions} options
 */
function renderRuler(row, top, hops, options) {
  const group = svg("g", { class: "ruler" });
  group.append(svg("path", { class: "strip", d: stripPath(row, top) }));
  const digits = Math.max(...[row.first, row.last].map((place) => groupDigits(place).length));
  const width = clamp(row.pitch - 3, 9 * digits - 1, 34);
  const numbered = numberStep(row.pitch, 9 * digits);
  const marked = [
    ...options.position.tokens.map((token) => token.place),
    ...hops.map((hop) => hop.to),
  ];
  for (let place = row.first; place <= row.last; place++) {
    const x = placeX(row, place);
    const major = place % (numbered === 1 ? 5 : numbered) === 0 ? " major" : "";
    const token = options.position.tokens.find((each) => each.place === place);
    const hop = hops.find((each) => each.to === place && each.kind !== "refused");
    const box = { x: x - width / 2, y: top + 14, width, height: 24, rx: 7 };
    if (major || row.pitch >= MIN_TICK_PITCH)
      group.append(svg("path", { class: `tick${major}`, d: `M${x} ${top + 1}v${major ? 11 : 7}` }));
    if (hop) group.append(svg("rect", { class: `pad ${hop.kind}`, ...box }));
    else if (token) group.append(svg("rect", { class: `stand p${token.player}`, ...box }));
    const text = groupDigits(place);
    const isFree = marked.every((each) => Math.abs(each - place) * row.pitch >= 9 * digits);
    if (token || hop || (place % numbered === 0 && (numbered === 1 || isFree)))
      group.append(svgText(x, top + 31, text, `number${major}${token && !hop ? " on" : ""}`));
    if (!hop) continue;
    const area = { x: x - row.pitch / 2, y: top, width: row.pitch, height: RULER_HEIGHT };
    group.append(
      listen(svg("rect", { class: "touch", ...area, "data-move": hop.move }), hop, options),
    );
  }
  return group;
}

/**
 * Return how many places there are from one number on the ruler to the next, so that all can be read.
 *
 * @param {number} pitch
 * @param {number} width of a number
 */
const numberStep = (pitch, width) =>
  [1, 5, 10, 50, 100, 500].find((step) => step * pitch >= width) ?? 1000;

/**
 * Return the outline of the ruler, rounded where the line ends.
 *
 * @param {Row} row
 * @param {number} top
 */
function stripPath(row, top) {
  const left = placeX(row, row.first) - row.pitch / 2 + (row.opens ? -4 : 2);
  const right = placeX(row, row.last) + row.pitch / 2 + (row.closes ? 4 : -2);
  const a = row.opens ? 0 : 12;
  const b = row.closes ? 0 : 12;
  const bottom = top + RULER_HEIGHT;
  return (
    `M${left + a} ${top}H${right - b}q${b} 0 ${b} ${b}V${bottom - b}q0 ${b} ${-b} ${b}` +
    `H${left + a}q${-a} 0 ${-a} ${-a}V${top + a}q0 ${-a} ${a} ${-a}Z`
  );
}

/**
 * Draw a flag in two parts: the pole behind the tokens, the cloth in front of them. At the end, a flag that is the goal
 * of the winner has the winner's colour.
 *
 * @param {Flag} flag
 * @param {number} top
 * @param {"pole" | "cloth"} part
 * @param {number} winner 0 for none
 */
function renderFlag({ player, x, height, leftmost }, top, part, winner) {
  const won = winner > 0 && (player === 0 || player === winner);
  const className = `flag p${won ? winner : player}`;
  const group = svg("g", { class: className, transform: `translate(${x} ${top})` });
  const cloth = `M0 ${-height}${leftmost ? "h20l-6 7 6 7h-20Z" : "h-20l6 7-6 7h20Z"}`;
  const drawn = svg("path", { class: part, d: part === "pole" ? `M0 0V${-height}` : cloth });
  if (leftmost) drawn.classList.add("leftmost");
  if (won && part === "cloth") appearAfterWin(drawn, 0);
  group.append(drawn);
  return group;
}

/**
 * @param {PlacedHop} hop
 * @param {number} top
 * @param {RenderOptions} options
 */
function renderArc(hop, top, options) {
  const group = svg("g", { class: `hop ${hop.kind}`, "data-move": hop.move });
  group.append(svg("path", { class: "arc", d: hop.d }));
  if (hop.tip !== null)
    group.append(svg("circle", { class: "tip", cx: hop.tip, cy: top - 9, r: 5 }));
  return listen(group, hop, options);
}

/**
 * @param {PlacedHop} hop
 * @param {{ x: number, y: number, width: number }} label
 * @param {RenderOptions} options
 */
function renderLabel(hop, { x, y, width }, options) {
  const transform = `translate(${x} ${y})`;
  const group = svg("g", { class: `label ${hop.kind}`, "data-move": hop.move, transform });
  group.append(svg("rect", { x: -width / 2, y: -13, width, height: 26, rx: 13 }));
  group.append(svgText(hop.worth ? -8 : 0, 5.5, hop.move, "move"));
  if (hop.worth) group.append(renderWorth(hop.worth, width / 2 - 13));
  if (hop.kind === "refused")
    group.append(svg("path", { class: "strike", d: `M${-width / 2 + 5} 0H${width / 2 - 5}` }));
  return listen(group, hop, options);
}

/**
 * @param {Worth} worth
 * @param {number} x
 */
const renderWorth = (worth, x) =>
  svg("path", { class: "worth", d: WORTH_SHAPES[worth.value], transform: `translate(${x} 0)` });

/**
 * Draw a token as a pin on the edge of the ruler. Its head has the player's shape, or two halves if it is shared.
 *
 * @param {PlacedToken} token
 * @param {number} top
 * @param {RenderOptions} options
 */
function renderToken(token, top, { position, token: active, onToken }) {
  const y = -TOKEN_HEIGHT + HEAD_RADIUS - token.tier * TIER_HEIGHT;
  const movable = movableTokens(position);
  const several = movable.length > 1;
  const canMove = several && movable.includes(token.slot);
  const chosen = several && token.slot === active;
  const className = `pin p${token.player}${chosen ? " chosen" : ""}${canMove ? " movable" : ""}`;
  const pin = svg("g", { class: className, "data-token": token.slot });
  if (canMove) {
    const area = { x: -22, y: y - HEAD_RADIUS - 6, width: 44, height: TOKEN_HEIGHT + 6 };
    pin.append(svg("rect", { class: "touch", ...area }));
    pin.addEventListener("click", () => onToken(token.slot));
  }
  pin.append(svg("path", { class: "point", d: `M-7 ${y + 11}L${-token.lean} -1L7 ${y + 11}Z` }));
  if (token.player === 0) {
    pin.append(renderHalf("one", y, 0), renderHalf("two", y, 1));
    pin.append(svg("circle", { class: "ring", cx: 0, cy: y, r: HEAD_RADIUS }));
    pin.append(svg("circle", { class: "eye", cx: 0, cy: y, r: 5 }));
  } else {
    pin.append(
      svg("path", { class: "head", d: playerPath(token.player), transform: `translate(0 ${y})` }),
    );
    const own = position.tokens.filter(({ player }) => player === token.player);
    const label = own.length > 1 ? token.label.slice(-1) : shortLabel(token.label);
    pin.append(svgText(0, y + 5.5, label, "mark"));
  }
  const group = svg("g", { transform: `translate(${token.x + token.lean} ${top})` });
  group.append(pin);
  return group;
}

/**
 * @param {"one" | "two"} side
 * @param {number} y
 * @param {0 | 1} sweep
 */
function renderHalf(side, y, sweep) {
  const r = HEAD_RADIUS;
  return svg("path", {
    class: `half ${side}`,
    d: `M0 ${y - r}A${r} ${r} 0 0 ${sweep} 0 ${y + r}Z`,
  });
}

/** @param {Trace} trace */
function renderTrace({ player, caption, stays, offLine, from, to, y }) {
  const group = svg("g", { class: `trace p${player}${offLine ? " off-line" : ""}` });
  if (caption) {
    const text = svgText(caption.x, caption.y, caption.text, "caption");
    text.style.textAnchor = caption.anchor;
    group.append(text);
  }
  if (stays) {
    group.append(svg("circle", { class: "dot", cx: to, cy: y + 9, r: 3.5 }));
    return group;
  }
  const direction = to > from ? 1 : -1;
  const way = `M${from} ${y + 6}Q${(from + to) / 2} ${y + 17} ${to - direction * 5} ${y + 9}`;
  group.append(svg("path", { class: "way", d: way }));
  group.append(
    svg("path", {
      class: "tip",
      d: `M${to} ${y + 5}l${-direction * 10} -0.5l${direction * 4} 8.5Z`,
    }),
  );
  return group;
}

/** @param {Row} row */
function renderThinRow(row) {
  const made = rowSvg("row quiet", row.width, THIN_HEIGHT + 8);
  const right = placeX(row, row.last) + row.pitch / 2;
  made.append(svg("path", { class: "strip", d: `M0 4H${right}V${THIN_HEIGHT + 4}H0Z` }));
  for (let place = row.first; place <= row.last; place++) {
    const x = placeX(row, place);
    if (place % 5) made.append(svg("path", { class: "tick", d: `M${x} 5v5` }));
    else made.append(svgText(x, THIN_HEIGHT - 3, place, "number"));
  }
  return made;
}

/**
 * Draw a torn strip, labelled with the numbers it leaves out.
 *
 * @param {number} width
 * @param {string} text
 */
function renderGap(width, text) {
  const made = rowSvg("row quiet", width, THIN_HEIGHT + 8);
  /** @param {number} x */
  const tear = (x) =>
    `L${x + 3} ${4 + THIN_HEIGHT / 3}L${x - 3} ${4 + (2 * THIN_HEIGHT) / 3}L${x} ${4 + THIN_HEIGHT}`;
  const [left, right] = [width / 2 - 62, width / 2 + 62];
  made.append(svg("path", { class: "strip", d: `M0 4H${left}${tear(left)}H0Z` }));
  made.append(svg("path", { class: "strip", d: `M${width} 4H${right}${tear(right)}H${width}Z` }));
  made.append(svgText(width / 2, THIN_HEIGHT - 3, text, "number"));
  return made;
}

/**
 * Draw the whole line small, with its flags and tokens; the frame shows which part of it is on the board.
 *
 * @param {{ width: number, left: number, right: number }} row
 * @param {{ player: number, x: number, lean: number }[]} tokens
 * @param {{ player: number, x: number, leftmost: boolean }[]} flags
 * @param {number} width
 */
export function renderOverview(row, tokens, flags, width) {
  const made = rowSvg("overview", width, OVERVIEW_HEIGHT);
  const scale = (width - 8) / row.width;
  const at = (/** @type {number} */ x) => 4 + x * scale;
  const middle = OVERVIEW_HEIGHT / 2;
  const line = { class: "strip", x: 4, y: middle - 2, width: width - 8, height: 4, rx: 2 };
  const size = { y: 1.5, width: (row.right - row.left) * scale, height: OVERVIEW_HEIGHT - 3 };
  made.append(svg("rect", line));
  if (size.width) made.append(svg("rect", { class: "frame", x: at(row.left), ...size, rx: 6 }));
  for (const { player, x, leftmost } of flags) {
    const d = `M${at(x)} ${middle + 5}V3l${leftmost ? 7 : -7} 3l${leftmost ? -7 : 7} 3`;
    made.append(svg("path", { class: `mark flag p${player}`, d }));
  }
  for (const { player, x, lean } of tokens) {
    const transform = `translate(${at(x + lean / 2)} ${middle}) scale(0.3)`;
    made.append(svg("path", { class: `mark p${player}`, d: playerPath(player || 1), transform }));
  }
  return made;
}

/**
 * Draw the last position of a finished game small, from the text that is stored with it, such as `0 10|1:5 2:9|0:5`.
 *
 * @param {string} board ends of the line, tokens, and goals
 */
export function renderSmallBoard(board) {
  const [[first, last], tokens, goals] = board.split("|").map((part) => part.split(" "));
  const [low, high] = [Number(first), Number(last)];
  const pitch = SMALL_WIDTH / (high - low + 1);
  const placed = (/** @type {string} */ text) => {
    const [player, place] = text.split(":").map(Number);
    const x = (clamp(place, low, high) - low + 0.5) * pitch;
    return {
      player,
      place,
      label: "",
      x,
      lean: 0,
      slot: 0,
      tier: 0,
      height: 0,
      leftmost: place === low,
    };
  };
  const row = { width: SMALL_WIDTH, left: 0, right: 0 };
  const made = renderOverview(
    row,
    tokens.filter(Boolean).map(placed),
    goals.map(placed),
    SMALL_WIDTH,
  );
  made.classList.add("small-board");
  return made;
}

/**
 * Draw only the number, for lines with too many places for a ruler.
 *
 * @param {BoardView} view
 * @param {string[]} names
 */
export function renderNumber({ book, position, ply }, names) {
  const made = element("div", "figure");
  made.setAttribute("aria-hidden", "true");
  made.append(element("span", "number", groupDigits(position.tokens[0].place)));
  const goals = [...new Set(book.goals.map((goal) => groupDigits(goal.place)))];
  made.append(element("span", "aim", `${goals.length > 1 ? "goals" : "goal"} ${goals.join(", ")}`));
  const happened = ply && ply.lands !== null ? fillNames(ply.told, names) : "";
  made.append(element("span", `caption p${ply?.player ?? 0}`, happened));
  return made;
}

/**
 * @template {SVGElement} T
 * @param {T} target
 * @param {PlacedHop} hop
 * @param {RenderOptions} options
 */
function listen(target, hop, { idle, onMove, onPoint }) {
  if (hop.kind === "refused" || idle) return target;
  target.addEventListener("click", () => onMove(hop.move));
  target.addEventListener(
    "pointerenter",
    (event) => event.pointerType === "mouse" && onPoint(hop.move),
  );
  target.addEventListener(
    "pointerleave",
    (event) => event.pointerType === "mouse" && onPoint(null),
  );
  return target;
}
