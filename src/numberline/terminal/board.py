"""The line drawn large: the tokens above it, the numbers below, in as many rows as the window needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from numberline.book.book import Book
from numberline.rules.position import Position
from numberline.rules.turns import is_out
from numberline.speech.line import mark, shown_places
from numberline.terminal.screen import shows

if TYPE_CHECKING:
    from rich.text import Text

COLOURS = ("", "cyan", "magenta", "yellow", "green", "blue", "red")
"""What the players' tokens are drawn in; `COLOURS[0]` is nobody's."""
GOAL = "green"
LONGEST = 40
NEAR = 3
"""A line with more places than `LONGEST` is drawn only `NEAR` the tokens, the goals and its ends."""


class Strokes(NamedTuple):
    """The characters that the line is drawn with."""

    line: str
    tick: str
    token: str
    flag: str
    goal: str
    gap: str


FINE = Strokes("─", "┼", "●", "⚑", "◆", "┄")
PLAIN = Strokes("-", "+", "o", "*", "#", ".")


class Cell(NamedTuple):
    """One place of the line: the labels above it, the stroke on it, its number; each with the style it is drawn in."""

    labels: tuple[tuple[str, str], ...]
    stroke: tuple[str, str]
    number: str


def drawn_line(book: Book, position: Position, width: int) -> list[Text]:
    """The line with everything on it, in lines that are no wider than the window."""
    strokes = FINE if shows("".join(FINE)) else PLAIN
    cells = _cells(book, position, strokes)
    # A place is four columns wide where the whole line then fits in a row: a line needs air to be read.
    size = max(*(len(cell.number) + 1 for cell in cells), min(4, width // len(cells)))
    rows = -(-len(cells) // max(1, width // size))
    per_row = -(-len(cells) // rows)
    lines: list[Text] = []
    for begin in range(0, len(cells), per_row):
        lines += _row(cells[begin : begin + per_row], size, width, strokes)
    return lines


def _cells(book: Book, position: Position, strokes: Strokes) -> list[Cell]:
    tokens = _tokens(book, position)
    goals = _goals(book, strokes)
    return [_cell(place, tokens, goals, strokes) for place in shown_places(book, tokens, longest=LONGEST, near=NEAR)]


def _cell(
    place: int | None,
    tokens: dict[int, list[tuple[str, str]]],
    goals: dict[int, tuple[str, str]],
    strokes: Strokes,
) -> Cell:
    if place is None:
        return Cell((), (strokes.gap, "dim"), "")
    here = tokens.get(place, [])
    if here:
        colours = {style for _, style in here}
        style = f"bold {colours.pop()}" if len(colours) == 1 else "bold"
        return Cell(tuple(label for label in here if label[0]), (strokes.token, style), str(place))
    if place in goals:
        return Cell((goals[place],), (strokes.goal, GOAL), str(place))
    return Cell((), (strokes.tick, "dim"), str(place))


def _tokens(book: Book, position: Position) -> dict[int, list[tuple[str, str]]]:
    """The labels of the tokens, by place; the marker that everybody moves needs none."""
    if book.rules.shared:
        return {position.tokens[0]: [("", "yellow")]}
    placed: dict[int, list[tuple[str, str]]] = {}
    for player in range(1, book.rules.players + 1):
        if not is_out(position.out, player):
            for token, place in enumerate(book.own(position, player)):
                placed.setdefault(place, []).append((mark(book, player, token), COLOURS[player]))
    return placed


def _goals(book: Book, strokes: Strokes) -> dict[int, tuple[str, str]]:
    """The flags, by place, with the player's label where each player has a goal of their own."""
    if len(set(book.rules.goals)) == 1:
        return dict.fromkeys(book.rules.goals[0], (strokes.flag, GOAL))
    return {
        goal: (f"{strokes.flag}{book.label(player)}", COLOURS[player])
        for player, goals in enumerate(book.rules.goals, 1)
        for goal in goals
    }


def _row(cells: list[Cell], size: int, width: int, strokes: Strokes) -> list[Text]:
    """One stretch of the line: a blank line, the labels, the strokes, the numbers."""
    from rich.text import Text  # loaded only where something is drawn

    along, below = Text(), Text()
    for number, cell in enumerate(cells, 1):
        along.append(*cell.stroke)
        if number < len(cells):
            along.append((strokes.line if cell.number else strokes.gap) * (size - 1), "dim")
        below.append(cell.number.ljust(size), "dim")
    below.rstrip()
    return [Text(), *_labels(cells, size, width), along, below]


def _labels(cells: list[Cell], size: int, width: int) -> list[Text]:
    """The labels, each beginning above its place; one that has no room there goes a line higher."""
    from rich.text import Text  # loaded only where something is drawn

    rows: list[Text] = []
    for number, cell in enumerate(cells):
        label = Text("/").join(Text(text, style) for text, style in cell.labels)
        column = min(number * size, max(0, width - len(label)))
        if not label:
            continue
        row = next((row for row in rows if len(row) <= column), None)
        if row is None:
            row = Text()
            rows.insert(0, row)
        row.append(" " * (column - len(row))).append_text(label)
    return rows
