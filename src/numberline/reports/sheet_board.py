"""Printed boards: rows of cells that wind like a snake, tokens to cut out, and number lines for exercises."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from numberline.explain.text_board import iter_tokens, token_mark, visible_places
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.reports.html import tag

MAX_WHOLE_LINE_PLACES, CONTEXT_PLACES = 48, 3
"""Longer lines are drawn only near the tokens, the goals and both ends."""
LINE_WIDTH_MM = 169.0
SCHOOL_SIGNS = {"*": "\N{MULTIPLICATION SIGN}", "/": "\N{DIVISION SIGN}", "-": "\N{MINUS SIGN}"}
DIRECTION_WORDS = {"L": "left", "R": "right"}
CROSSED_CLASS = "crossed"

MAX_BOARD_WIDTH_MM = 178.0
"""Slightly less than the 180 mm between the margins of both paper sizes, which leaves room for thick borders."""
MIN_ROW_CELLS, MAX_ROW_CELLS = 6, 10
"""Limits on the number of cells per row; the board uses the smallest number with which it fits on the page."""
MAX_CELL_MM = 29.5
ROW_GAP_MM = 4.0
GLUE_STRIP_MM = 7.0
"""Height of the strip that is glued under the previous page."""
ROOMY_CELL_MM = 20.0
"""Cells no larger than this use tighter spacing."""
MAX_FLAG_WORD_CHARS = 8
"""A longer goal label leaves no room for the flag."""
CUTOUT_MM, CUTOUTS_PER_ROW = 22.5, 8
MAX_LABEL_CHARS = 2
"""A longer token label is shortened by removing the book's `mark`."""
PLAYER_SHAPES = ("circle", "square", "pentagon", "hexagon", "diamond", "octagon")
"""Shape of each player's tokens; every second one is black, so that players can be told apart without colour."""
POLYGONS = {"square": (4, 45.0), "pentagon": (5, 90.0), "hexagon": (6, 0.0), "diamond": (4, 0.0), "octagon": (8, 22.5)}
"""Number of corners of each shape, and the angle of the first corner in degrees."""


class BoardLayout(NamedTuple):
    places: range
    cells_per_row: int
    size: float

    @property
    def rows(self) -> int:
        return math.ceil(len(self.places) / self.cells_per_row)

    @property
    def row_height(self) -> float:
        """Height of a row, including the gap below it."""
        return self.size + ROW_GAP_MM

    def row_and_column(self, number: int) -> tuple[int, int]:
        """Return the row and column of a cell, counted from 0; every second row runs backwards."""
        row, column = divmod(number, self.cells_per_row)
        return row, self.cells_per_row - 1 - column if row % 2 else column


def board_layout(book: Book) -> BoardLayout:
    """Return the layout with the largest cells that fit on one page or, if none fit, with cells 17.8 mm wide."""
    low, high = book.rules.line
    places = range(low, high + 1)
    room = (
        150.0 - 40.0 * (book.rules.repeat == "banned") - CUTOUT_MM * ((len(book.token_ranges) - 1) // CUTOUTS_PER_ROW)
    )
    for most in range(MIN_ROW_CELLS, MAX_ROW_CELLS):
        in_a_row = math.ceil(len(places) / math.ceil(len(places) / most))
        layout = BoardLayout(places, in_a_row, min(MAX_CELL_MM, MAX_BOARD_WIDTH_MM / in_a_row))
        if layout.rows * layout.row_height <= room:
            return layout
    return BoardLayout(places, MAX_ROW_CELLS, MAX_BOARD_WIDTH_MM / MAX_ROW_CELLS)


def board_pages(book: Book, height: float) -> list[Element]:
    """Split the board into pieces, one per page with `height` millimetres of space."""
    fields = board_layout(book)
    rows = max(1, int((height - GLUE_STRIP_MM) // fields.row_height))
    pieces = [range(top, min(top + rows, fields.rows)) for top in range(0, fields.rows, rows)]
    return [_piece(book, fields, rows, glued=bool(number)) for number, rows in enumerate(pieces)]


def _piece(book: Book, fields: BoardLayout, rows: range, *, glued: bool) -> Element:
    """Draw the given rows of the board, preceded by a glue strip if `glued`."""
    top = GLUE_STRIP_MM if glued else 0.0
    last = rows.stop * fields.cells_per_row >= len(fields.places)
    deep = top + len(rows) * fields.row_height - (ROW_GAP_MM if last else 0)
    wide = fields.cells_per_row * fields.size
    inside = [number for number in range(len(fields.places)) if fields.row_and_column(number)[0] in rows]
    first_row = top - rows.start * fields.row_height
    return tag(
        "svg",
        *(_glue(wide) if glued else ()),
        *(_bend(fields, row, first_row) for row in rows if row + 1 < fields.rows),
        *(_field(book, fields, number, first_row) for number in inside),
        cls="board",
        viewBox=f"-1 -1 {wide + 2:.1f} {deep + 2:.1f}",
        style=f"width: {wide + 2:.1f}mm; height: {deep + 2:.1f}mm",
        role="img",
        aria_label=f"The board from {fields.places[inside[0]]} to {fields.places[inside[-1]]}",
    )


def _glue(wide: float) -> Iterator[Element]:
    yield tag("rect", cls="glue", x=0, y=0, width=wide, height=GLUE_STRIP_MM - 2)
    yield tag("text", "glue this strip under the previous page", x=wide / 2, y=GLUE_STRIP_MM - 3.6, cls="small middle")


def _bend(fields: BoardLayout, row: int, top: float) -> Element:
    """Draw the connection from the end of a row to the next row."""
    column = fields.row_and_column((row + 1) * fields.cells_per_row)[1]
    x, below = (column + 0.5) * fields.size, top + (row + 1) * fields.row_height
    return tag("line", cls="bend", x1=x, x2=x, y1=below - ROW_GAP_MM, y2=below)


def _field(book: Book, fields: BoardLayout, number: int, top: float) -> Element:
    row, column = fields.row_and_column(number)
    size, place = fields.size, fields.places[number]
    x, y = column * size, top + row * fields.row_height
    goal, words = goal_label(book, place), [*_written(book, place)]
    left, flag_width = (2.6, 7.3) if size > ROOMY_CELL_MM else (2.2, 6.3)
    bottom = y + size - 2.8 - 3.4 * (len(words) - 1)
    has_flag = goal and len(goal) <= MAX_FLAG_WORD_CHARS
    return tag(
        "g",
        tag("rect", cls="field", x=x, y=y, width=size, height=size, rx=1.5),
        tag("rect", cls="goal", x=x + 1.2, y=y + 1.2, width=size - 2.4, height=size - 2.4, rx=1) if goal else None,
        _flag(x + size - flag_width, y + size - 8.8) if has_flag else None,
        tag("text", str(place), cls="place", x=x + 2.6, y=y + 7.2),
        *(tag("text", text, cls="small", x=x + left, y=bottom + 3.4 * line) for line, text in enumerate(words)),
        data_place=place,
    )


def goal_label(book: Book, place: int) -> str:
    """Return a label such as `GOAL` or `GOAL A`; empty if the place is not a goal."""
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
    """Draw a token as a shape with a label; player 0 stands for the shared marker."""
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
    book: Book, position: Position, marks: Mapping[int, str] | None = None, *, without: int | None = None
) -> Element:
    """Draw the line with tokens above their places; `marks` maps places to CSS classes, `without` omits one token."""
    low, high = book.rules.line
    placed: dict[int, list[Element]] = {}
    for player, number, place in iter_tokens(book, position):
        if max(0, player - 1) * book.rules.tokens + number != without:
            at = max(low, min(high, place)) if player else place
            placed.setdefault(at, []).append(draw_token(book, player, number))
    near = 0 if marks else max([CONTEXT_PLACES, *(step for step in book.rules.steps if step <= 2 * CONTEXT_PLACES)])
    shown = visible_places(book, {*placed, *(marks or {})}, max_length=MAX_WHOLE_LINE_PLACES, context=near)
    wide = _wide(shown, crowd=len(book.token_ranges) > 2)
    spots = (_spot(book, place, placed.get(place or 0, []), marks) for place in shown)
    return tag("div", *spots, cls="line", style=f"--wide: {wide:.2f}mm")


def _wide(shown: Sequence[int | None], *, crowd: bool) -> float:
    """Return the width of a place in millimetres, chosen so that rows fill evenly and tokens fit side by side."""
    least = 2.6 + 2.2 * max(2, *(len(str(place)) for place in shown))
    rows = math.ceil(len(shown) * least / LINE_WIDTH_MM)
    most = 21.0 if crowd else 11.0
    return max(least, min(most, LINE_WIDTH_MM / math.ceil(len(shown) / rows)))


def _spot(book: Book, place: int | None, tokens: Sequence[Element], marks: Mapping[int, str] | None) -> Element:
    if place is None:
        return tag("span", "…", cls="spot gap")
    goal = goal_label(book, place)
    kinds = ["spot", *(["aim"] if goal else []), *([marks.get(place, "idle")] if marks is not None else [])]
    stack = tag("span", *tokens, cls="stack") if tokens else None
    crossed = CROSSED_CLASS in (marks or {}).get(place, "")
    cross = tag(
        "svg", tag("path", d="M1 1L19 19M19 1L1 19"), cls="cross", viewBox="0 0 20 20", preserveAspectRatio="none"
    )
    box = tag("b", str(place), cross if crossed else None)
    return tag("span", stack, box, tag("i", goal.lower()), cls=" ".join(kinds))
