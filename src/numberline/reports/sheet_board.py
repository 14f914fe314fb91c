"""Printed boards: a straight line or strips to glue, tokens to cut out, and number lines for exercises."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from numberline.explain.strip import TRAP, Strip
from numberline.explain.text_board import iter_tokens, token_mark, visible_places
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.reports.html import tag

MAX_WHOLE_LINE_PLACES, CONTEXT_PLACES = 48, 3
"""Maximum length of a line drawn in full; number of places drawn around tokens, goals and ends of a longer line."""
LINE_WIDTH_MM, HALF_LINE_WIDTH_MM = 169.0, 77.0
"""Width of an exercise's line in a one-column worksheet, and in a two-column worksheet."""
MAX_HALF_LINE_PLACES = 11
SCHOOL_SIGNS = {"*": "\N{MULTIPLICATION SIGN}", "/": "\N{DIVISION SIGN}", "-": "\N{MINUS SIGN}"}
DIRECTION_WORDS = {"L": "left", "R": "right"}
COLOURED_CLASS = "coloured"

MIN_CELL_MM, MAX_CELL_MM = 17.75, 29.5
STRIP_GAP_MM = 4.0
GLUE_TAB_MM = 9.0
"""Width of the tab that is glued under the previous strip."""
ROOMY_CELL_MM = 20.0
"""Cell size above which the spacing is wider."""
MAX_FLAG_WORD_CHARS = 8
"""Maximum length of a goal label that leaves room for the flag."""
MAX_LABEL_CHARS = 2
"""Maximum length of a token label; a longer one is shortened by removing the book's `mark`."""
PLAYER_SHAPES = ("circle", "square", "pentagon", "hexagon", "diamond", "octagon")
"""Shape of each player's tokens; every second one is black, so that players can be distinguished without colour."""
POLYGONS = {"square": (4, 45.0), "pentagon": (5, 90.0), "hexagon": (6, 0.0), "diamond": (4, 0.0), "octagon": (8, 22.5)}
"""Number of corners of each shape, and the angle of the first corner in degrees."""


class BoardLayout(NamedTuple):
    """Strips of cells, all of the same size; a board with one strip is a straight line."""

    strips: tuple[range, ...]
    size: float
    """Width and height of a cell in millimetres."""

    @property
    def tab(self) -> float:
        """Width of the glue tabs; 0 for a straight line."""
        return GLUE_TAB_MM if len(self.strips) > 1 else 0.0


def board_layout(book: Book, width: float) -> BoardLayout:
    """Return a straight line or, if its cells would be too small, as few strips as possible, with the largest cells."""
    low, high = book.rules.line
    places, tab = range(low, high + 1), 0.0
    if len(places) * MIN_CELL_MM > width:
        tab = GLUE_TAB_MM
    count = math.ceil(len(places) / int((width - tab) / MIN_CELL_MM))
    cells = math.ceil(len(places) / count)
    strips = tuple(places[first : first + cells] for first in range(0, len(places), cells))
    return BoardLayout(strips, min(MAX_CELL_MM, (width - tab) / cells))


def board_pages(book: Book, width: float, height: float) -> list[Element]:
    """Draw the board, divided into one piece per page."""
    layout = board_layout(book, width)
    count = max(1, int((height + STRIP_GAP_MM) / (layout.size + STRIP_GAP_MM)))
    numbers = range(len(layout.strips))
    return [_piece(book, layout, numbers[first : first + count]) for first in numbers[::count]]


def _piece(book: Book, layout: BoardLayout, numbers: range) -> Element:
    """Draw the strips with these numbers, one below the other."""
    strips, size, tab = [layout.strips[number] for number in numbers], layout.size, layout.tab
    tops = [row * (size + STRIP_GAP_MM) for row in range(len(strips))]
    wide, deep = tab + size * len(layout.strips[0]), tops[-1] + size
    return tag(
        "svg",
        *(part for number, top in zip(numbers, tops, strict=True) if number for part in _glue_tab(top, size)),
        *(
            _field(book, place, tab + size * column, top, size)
            for strip, top in zip(strips, tops, strict=True)
            for column, place in enumerate(strip)
        ),
        cls="board",
        viewBox=f"-1 -1 {wide + 2:.1f} {deep + 2:.1f}",
        style=f"width: {wide + 2:.1f}mm; height: {deep + 2:.1f}mm",
        role="img",
        aria_label=f"The board from {strips[0][0]} to {strips[-1][-1]}",
    )


def _glue_tab(top: float, size: float) -> Iterator[Element]:
    yield tag("rect", cls="glue", x=0, y=top, width=GLUE_TAB_MM, height=size)
    yield tag("text", "glue", x=GLUE_TAB_MM / 2, y=top + size / 2 + 1, cls="small middle")


def _field(book: Book, place: int, x: float, y: float, size: float) -> Element:
    goal, words = goal_label(book, place), [*_written(book, place)]
    left, flag_width, flag_top = (2.6, 7.3, 8.8) if size > ROOMY_CELL_MM else (2.2, 6.3, 10.4)
    bottom = y + size - 2.8 - 3.4 * (len(words) - 1)
    has_flag = goal and len(goal) <= MAX_FLAG_WORD_CHARS
    return tag(
        "g",
        tag("rect", cls="field", x=x, y=y, width=size, height=size, rx=1.5),
        tag("rect", cls="goal", x=x + 1.2, y=y + 1.2, width=size - 2.4, height=size - 2.4, rx=1) if goal else None,
        _flag(x + size - flag_width, y + size - flag_top) if has_flag else None,
        tag("text", str(place), cls="place", x=x + 2.6, y=y + 7.2),
        *(tag("text", text, cls="small", x=x + left, y=bottom + 3.4 * line) for line, text in enumerate(words)),
        data_place=place,
    )


def goal_label(book: Book, place: int) -> str:
    """Return a label such as `GOAL` or `GOAL A`, or an empty string if the place is not a goal."""
    return _role(book, "GOAL", [player for player in book.players if place in book.rules.goals[player - 1]])


def _written(book: Book, place: int) -> Iterator[str]:
    """Yield the start and goal labels of a cell."""
    starting = [player for player in book.players if book.rules.starts[player - 1] == place]
    yield from filter(None, (_role(book, "START", starting), goal_label(book, place)))


def _role(book: Book, role: str, players: Sequence[int]) -> str:
    if not players:
        return ""
    return role if len(players) == book.rules.players else f"{role} {'·'.join(map(book.label, players))}"


def _flag(x: float, y: float) -> Element:
    return tag("path", cls="flag", d=f"M{x:.2f} {y + 6:.2f}v-6h4.5l-1.4 1.7 1.4 1.7h-4.5")


# Tokens


def draw_token(book: Book, player: int, number: int = 0) -> Element:
    """Draw a token as a shape with a label; player 0 is used for the shared marker."""
    shape, black = PLAYER_SHAPES[max(0, player - 1)], player % 2 == 0
    label = token_mark(book, player, number)
    if len(label) > MAX_LABEL_CHARS:
        label = label.removeprefix(book.noun("mark")) or "X"
    room = {"diamond": 11.5, "pentagon": 13.5}.get(shape, 15.0)
    font_size = min(10.0, room / (0.62 * len(label)))
    return tag(
        "svg",
        _outline(shape),
        tag("text", label, x=0, y=0.8 if shape == "pentagon" else 0, font_size=font_size),
        cls=f"token {'black' if black else 'white'}",
        viewBox="-10.6 -10.6 21.2 21.2",
    )


def _outline(shape: str) -> Element:
    if shape == "circle":
        return tag("circle", cx=0, cy=0, r=9.2)
    reach = 12.4 if shape == "square" else 10.2
    corners, first = POLYGONS[shape]
    angles = [math.radians(first + 360 * corner / corners) for corner in range(corners)]
    points = (f"{reach * math.cos(angle):.2f},{-reach * math.sin(angle):.2f}" for angle in angles)
    return tag("polygon", points=" ".join(points))


def draw_cutouts(book: Book) -> Element:
    """Draw all tokens of the game with cutting lines."""
    drawn = [draw_token(book, player, number) for player, number, _ in iter_tokens(book, book.start())]
    return tag("div", *(tag("span", each, cls="cut") for each in drawn), cls="cuts")


# The line in an exercise


def to_paper_notation(book: Book, text: str) -> str:
    """Rewrite moves in `text` for children: school symbols, `right 2` for `R2`, `token 1 by 3` for `1:3`.

    >>> import numberline as nl
    >>> to_paper_notation(nl.book("number-line-sprint"), "Play R2: it takes you to position 11.")
    'Play right 2: it takes you to position 11.'
    """
    rules = book.rules
    if rules.tokens > 1:
        text = re.sub(r"\b(\d):(?=[*/+-]|[LR]\d|back)", rf"{book.noun('token')} \1 ", text)
        text = re.sub(r"\b(\d):(?=\d)", rf"{book.noun('token')} \1 by ", text)
    if rules.moves == "both ways":
        return re.sub(r"\b([LR])(\d+)\b", lambda found: f"{DIRECTION_WORDS[found[1]]} {found[2]}", text)
    if rules.moves == "operations":
        return re.sub(r"(?<![\w-])([*/-])(?=\d)", lambda found: SCHOOL_SIGNS[found[1]], text)
    return text


def draw_line(
    book: Book,
    position: Position,
    marks: Mapping[int, str] | None = None,
    *,
    without: int | None = None,
    width: float = LINE_WIDTH_MM,
) -> Element:
    """Draw the line with tokens above their places; `marks` maps places to CSS classes.

    `without` is the index of a token to leave out.
    """
    low, high = book.rules.line
    placed: dict[int, list[Element]] = {}
    for player, number, place in iter_tokens(book, position):
        if max(0, player - 1) * book.rules.tokens + number != without:
            at = max(low, min(high, place)) if player else place
            placed.setdefault(at, []).append(draw_token(book, player, number))
    near = 0 if marks else max([CONTEXT_PLACES, *(step for step in book.rules.steps if step <= 2 * CONTEXT_PLACES)])
    shown = visible_places(book, {*placed, *(marks or {})}, max_length=MAX_WHOLE_LINE_PLACES, context=near)
    wide = _wide(shown, width, crowd=len(book.token_ranges) > 2)
    spots = (_spot(book, place, placed.get(place or 0, []), marks) for place in shown)
    return tag("div", *spots, cls="line", style=f"--wide: {wide:.2f}mm")


def fits_half_line(book: Book) -> bool:
    """Return whether the line is short enough for a worksheet with two columns."""
    low, high = book.rules.line
    return high - low < MAX_HALF_LINE_PLACES and len(book.token_ranges) <= 2


def _wide(shown: Sequence[int | None], width: float = LINE_WIDTH_MM, *, crowd: bool = False) -> float:
    """Return the width of a place in millimetres, such that rows are about equally full and tokens fit side by side."""
    least = 2.6 + 2.2 * max(2, *(len(str(place)) for place in shown))
    rows = math.ceil(len(shown) * least / width)
    most = 21.0 if crowd else 11.0
    return max(least, min(most, width / math.ceil(len(shown) / rows)))


def _spot(book: Book, place: int | None, tokens: Sequence[Element], marks: Mapping[int, str] | None) -> Element:
    if place is None:
        return tag("span", "…", cls="spot gap")
    goal = goal_label(book, place)
    kinds = ["spot", *(["aim"] if goal else []), *([marks.get(place, "idle")] if marks is not None else [])]
    stack = tag("span", *tokens, cls="stack") if tokens else None
    coloured = COLOURED_CLASS in (marks or {}).get(place, "")
    box = tag("b", str(place), _hatching() if coloured else None)
    return tag("span", stack, box, tag("i", goal.lower()), cls=" ".join(kinds))


def _hatching() -> Element:
    lines = tag("path", d="M0 5L5 0M0 10L10 0M0 15L15 0M0 20L20 0M5 20L20 5M10 20L20 10M15 20L20 15")
    return tag("svg", lines, cls="hatching", viewBox="0 0 20 20", preserveAspectRatio="none")


def draw_strip(strip: Strip, *, solved: bool) -> Element:
    """Draw a strip: labels above boxes, which contain the marks if `solved`."""
    wide = _wide([cell.key for cell in strip.cells])
    spots = (
        tag(
            "span",
            tag("span", cell.label, cls="stack"),
            tag("b", cell.sign if solved else "", _hatching() if solved and cell.mark == TRAP else None),
            cls="spot asked",
        )
        for cell in strip.cells
    )
    return tag("div", *spots, cls="line", style=f"--wide: {wide:.2f}mm")
