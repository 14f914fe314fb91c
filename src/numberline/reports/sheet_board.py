"""A board for the table, in millimetres: fields in rows that wind like a snake, and tokens to cut out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from numberline.explain.text_board import shared_mark, token_mark
from numberline.game.book import Book
from numberline.reports.html import tag

MAX_BOARD_WIDTH_MM = 178.0
"""How wide a board is at most: a page has 180 between its margins, on either paper, and lines are thick."""
MIN_ROW_CELLS, MAX_ROW_CELLS = 6, 10
"""So many fields are in a row: as few as leave room on the page for what belongs to the board, or ten small ones."""
MAX_CELL_MM = 29.5
ROW_GAP_MM = 4.0
"""Between two rows."""
GLUE_STRIP_MM = 7.0
"""The strip that is glued under the page before."""
ROOMY_CELL_MM = 20.0
"""In a smaller field everything stands nearer together."""
MAX_FLAG_WORD_CHARS = 8
"""A longer word leaves no room for a flag beside it."""
CUTOUT_MM, CUTOUTS_PER_ROW = 22.5, 8
"""How large a piece is that is cut out with a token on it, and how many are in a row."""
MAX_LABEL_CHARS = 2
"""A longer label is printed without the word that a book puts before a player's number."""
PLAYER_SHAPES = (
    ("circle", False),
    ("square", True),
    ("pentagon", False),
    ("hexagon", True),
    ("diamond", False),
    ("octagon", True),
)
"""The shape of each player's tokens, and whether it is black: told apart without colour, and by the label besides."""
CORNER_ANGLES: dict[str, Sequence[float]] = {
    "square": [45, 135, 225, 315],
    "pentagon": [90, 162, 234, 306, 18],
    "hexagon": [0, 60, 120, 180, 240, 300],
    "diamond": [0, 90, 180, 270],
    "octagon": [22.5, 67.5, 112.5, 157.5, 202.5, 247.5, 292.5, 337.5],
}
"""Where the corners of a shape are, in degrees."""


class BoardLayout(NamedTuple):
    """How the places of a line are laid out in rows."""

    places: range
    cells_per_row: int
    size: float

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return math.ceil(len(self.places) / self.cells_per_row)

    def row_and_column(self, number: int) -> tuple[int, int]:
        """The row and the column of the field with this number, counted from 0; every second row runs back."""
        row, column = divmod(number, self.cells_per_row)
        return row, self.cells_per_row - 1 - column if row % 2 else column


def board_layout(book: Book) -> BoardLayout:
    """Rows as full as can be, of fields that are as large as the page allows and at least 17.8 mm wide."""
    low, high = book.rules.line
    places = range(low, high + 1)
    room = 150.0 - 40.0 * (book.rules.repeat == "banned") - CUTOUT_MM * ((token_count(book) - 1) // CUTOUTS_PER_ROW)
    for most in range(MIN_ROW_CELLS, MAX_ROW_CELLS):
        in_a_row = math.ceil(len(places) / math.ceil(len(places) / most))
        layout = BoardLayout(places, in_a_row, min(MAX_CELL_MM, MAX_BOARD_WIDTH_MM / in_a_row))
        if layout.rows * (layout.size + ROW_GAP_MM) <= room:
            return layout
    return BoardLayout(places, MAX_ROW_CELLS, MAX_BOARD_WIDTH_MM / MAX_ROW_CELLS)


def board_pages(book: Book, high: float) -> list[Element]:
    """The board, a piece for each page that has so many millimetres for it."""
    fields = board_layout(book)
    rows = max(1, int((high - GLUE_STRIP_MM) // (fields.size + ROW_GAP_MM)))
    pieces = [range(top, min(top + rows, fields.rows)) for top in range(0, fields.rows, rows)]
    return [_piece(book, fields, rows, glued=bool(number)) for number, rows in enumerate(pieces)]


def _piece(book: Book, fields: BoardLayout, rows: range, *, glued: bool) -> Element:
    """Some rows of the board; one that continues another begins with a strip for the glue."""
    top = GLUE_STRIP_MM if glued else 0.0
    last = rows.stop * fields.cells_per_row >= len(fields.places)
    deep = top + len(rows) * (fields.size + ROW_GAP_MM) - (ROW_GAP_MM if last else 0)
    wide = fields.cells_per_row * fields.size
    inside = [number for number in range(len(fields.places)) if fields.row_and_column(number)[0] in rows]
    drawn = [_field(book, fields, number, top - rows.start * (fields.size + ROW_GAP_MM)) for number in inside]
    return tag(
        "svg",
        *(_glue(wide) if glued else ()),
        *(
            _bend(fields, row, top + (row - rows.start) * (fields.size + ROW_GAP_MM))
            for row in rows
            if row + 1 < fields.rows
        ),
        *drawn,
        cls="board",
        viewBox=f"-1 -1 {wide + 2:.1f} {deep + 2:.1f}",
        style=f"width: {wide + 2:.1f}mm; height: {deep + 2:.1f}mm",
        role="img",
        aria_label=f"The board from {fields.places[inside[0]]} to {fields.places[inside[-1]]}",
    )


def _glue(wide: float) -> Iterator[Element]:
    yield tag("rect", cls="glue", x=0, y=0, width=wide, height=GLUE_STRIP_MM - 2)
    yield tag("text", "glue this strip under the page before", x=wide / 2, y=GLUE_STRIP_MM - 3.6, cls="small middle")


def _bend(fields: BoardLayout, row: int, top: float) -> Element:
    """The way from the end of a row down to the next one."""
    column = fields.row_and_column((row + 1) * fields.cells_per_row)[1]
    x = (column + 0.5) * fields.size
    return tag("line", cls="bend", x1=x, x2=x, y1=top + fields.size, y2=top + fields.size + ROW_GAP_MM)


def _field(book: Book, fields: BoardLayout, number: int, top: float) -> Element:
    row, column = fields.row_and_column(number)
    size, place = fields.size, fields.places[number]
    x, y = column * size, top + row * (size + ROW_GAP_MM)
    goal, words = goal_label(book, place), [*_written(book, place)]
    return tag(
        "g",
        tag("rect", cls="field", x=x, y=y, width=size, height=size, rx=1.5),
        tag("rect", cls="goal", x=x + 1.2, y=y + 1.2, width=size - 2.4, height=size - 2.4, rx=1) if goal else None,
        _flag(x + size - (7.3 if size > ROOMY_CELL_MM else 6.3), y + size - 8.8)
        if goal and len(goal) <= MAX_FLAG_WORD_CHARS
        else None,
        tag("text", str(place), cls="place", x=x + 2.6, y=y + 7.2),
        *(
            tag(
                "text",
                text,
                cls="small",
                x=x + (2.6 if size > ROOMY_CELL_MM else 2.2),
                y=y + size - 2.8 - 3.4 * (len(words) - 1 - line),
            )
            for line, text in enumerate(words)
        ),
        data_place=place,
    )


def goal_label(book: Book, place: int) -> str:
    """Whose goal a place is: `GOAL`, `GOAL A`; nothing where it is nobody's."""
    return _role(book, "GOAL", [player for player in book.players if place in book.rules.goals[player - 1]])


def _written(book: Book, place: int) -> Iterator[str]:
    """What is written on a field besides its number."""
    starting = [player for player in book.players if book.rules.starts[player - 1] == place]
    yield from filter(None, (_role(book, "START", starting), goal_label(book, place)))


def _role(book: Book, role: str, players: Sequence[int]) -> str:
    if not players:
        return ""
    everybody = len(players) == book.rules.players
    return role if everybody else f"{role} {'·'.join(map(book.label, players))}"


def _flag(x: float, y: float) -> Element:
    return tag("path", cls="flag", d=f"M{x:.2f} {y + 6:.2f}v-6h4.5l-1.4 1.7 1.4 1.7h-4.5")


# Tokens


def draw_token(book: Book, player: int, number: int = 0) -> Element:
    """A token as it is drawn everywhere: a shape and a label; player 0 is the marker that everybody moves."""
    shape, black = PLAYER_SHAPES[player - 1] if player else ("circle", True)
    label = token_mark(book, player, number) if player else shared_mark(book)
    if len(label) > MAX_LABEL_CHARS:
        label = label.removeprefix(book.noun("mark")) or "X"
    return tag(
        "svg",
        _outline(shape),
        tag("text", label, x=0, y=0.8 if shape == "pentagon" else 0, font_size=_letters(label, shape)),
        cls=f"token {'black' if black else 'white'}",
        viewBox="-10.6 -10.6 21.2 21.2",
    )


def _letters(label: str, shape: str) -> float:
    """How large the letters can be."""
    room = {"diamond": 11.5, "pentagon": 13.5}.get(shape, 15.0)
    return min(10.0, room / (0.62 * max(1, len(label))))


def _outline(shape: str) -> Element:
    if shape == "circle":
        return tag("circle", cx=0, cy=0, r=9.2)
    reach = 12.4 if shape == "square" else 10.2
    corners = [
        (reach * math.cos(math.radians(angle)), reach * math.sin(math.radians(angle))) for angle in CORNER_ANGLES[shape]
    ]
    points = " ".join(f"{x:.2f},{-y:.2f}" for x, y in corners)
    return tag("polygon", points=points)


def token_count(book: Book) -> int:
    """How many tokens there are."""
    return 1 if book.rules.shared else book.rules.players * book.rules.tokens


def draw_cutouts(book: Book) -> Element:
    """All tokens of the game, to be cut out."""
    if book.rules.shared:
        drawn = [draw_token(book, 0)]
    else:
        drawn = [draw_token(book, player, number) for player in book.players for number in range(book.rules.tokens)]
    return tag("div", *(tag("span", each, cls="cut") for each in drawn), cls="cuts")
