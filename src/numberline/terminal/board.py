"""The line drawn large: the tokens above it, the numbers below, in as many rows as the window needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from numberline.terminal.console import can_encode
from numberline.views.board import BookView, PositionView

if TYPE_CHECKING:
    from rich.text import Text

PLAYER_COLORS = ("yellow", "cyan", "magenta", "yellow", "green", "blue", "red")
"""What the players' tokens are drawn in; `COLOURS[0]` is for the marker that everybody moves."""
GOAL_COLOR = "green"


class LineGlyphs(NamedTuple):
    """The characters that the line is drawn with."""

    line: str
    tick: str
    token: str
    flag: str
    goal: str
    gap: str


UNICODE_LINE_GLYPHS = LineGlyphs("─", "┼", "●", "⚑", "◆", "┄")
ASCII_LINE_GLYPHS = LineGlyphs("-", "+", "o", "*", "#", ".")

StyledText = tuple[str, str]
"""A text and the style it is drawn in."""


class BoardCell(NamedTuple):
    """One place of the line: the labels above it, the stroke on it, its number; no number stands for a gap."""

    labels: tuple[StyledText, ...]
    stroke: StyledText
    number: str


def render_board(book: BookView, position: PositionView, width: int, names: Sequence[str] = ()) -> list[Text]:
    """The line with everything on it, in lines that are no wider than the window.

    Tokens and goals are marked with the players' own names where these are short, else with labels and a legend.
    """
    strokes = UNICODE_LINE_GLYPHS if can_encode("".join(UNICODE_LINE_GLYPHS)) else ASCII_LINE_GLYPHS
    named = any(name != player.name for name, player in zip(names, book.players, strict=False))
    short = book.tokens == 1 and len("/".join(names)) <= width // 2
    labels = {player: f" {name}" if book.shared else name for player, name in enumerate(names, 1)}
    places = _drawn(book, position, strokes, labels if named and short else {})
    # A place is four columns wide where the whole line then fits in a row: a line needs air to be read.
    size = max(*(len(place.number) + 1 for place in places), min(4, width // len(places)))
    rows = -(-len(places) // max(1, width // size))
    per_row = -(-len(places) // rows)
    lines: list[Text] = []
    for begin in range(0, len(places), per_row):
        lines += _row(places[begin : begin + per_row], size, width, strokes)
    return [*lines, *(_legend(book, position, names, width) if named and not short else [])]


def _legend(book: BookView, position: PositionView, names: Sequence[str], width: int) -> list[Text]:
    """Whose marks are whose, a line for each player."""
    from rich.text import Text  # loaded only where something is drawn

    lines = [Text()]
    for player, name in zip(book.players, names, strict=True):
        marks = "/".join(token.label for token in position.tokens if token.player == player.player)
        lines.append(Text(f"{marks or player.label}: {name}", PLAYER_COLORS[player.player]))
        lines[-1].truncate(width)
    return lines


def _drawn(book: BookView, position: PositionView, strokes: LineGlyphs, names: Mapping[int, str]) -> list[BoardCell]:
    """What is drawn on each place: its tokens, or the flag of a goal where none stands."""
    drawn = {place: BoardCell((), (strokes.tick, "dim"), str(place)) for place in position.places}
    drawn[None] = BoardCell((), (strokes.gap, "dim"), "")
    for goal in book.goals:
        label = (
            f"{strokes.flag}{names.get(goal.player, goal.label)}",
            PLAYER_COLORS[goal.player] if goal.player else GOAL_COLOR,
        )
        drawn[goal.place] = BoardCell((label,), (strokes.goal, GOAL_COLOR), str(goal.place))
    for place in {token.place for token in position.tokens}:
        here = [
            (names.get(token.player, token.label) * (not book.shared), PLAYER_COLORS[token.player])
            for token in position.tokens
            if token.place == place
        ]
        styles = {style for _, style in here}
        stroke = strokes.token, f"bold {styles.pop()}" if len(styles) == 1 else "bold"
        drawn[place] = BoardCell(tuple(label for label in here if label[0]), stroke, str(place))
    return [drawn[place] for place in position.places]


def _row(places: list[BoardCell], size: int, width: int, strokes: LineGlyphs) -> list[Text]:
    """One stretch of the line: a blank line, the labels, the strokes, the numbers."""
    from rich.text import Text  # loaded only where something is drawn

    along, below = Text(), Text()
    for number, place in enumerate(places, 1):
        along.append(*place.stroke)
        if number < len(places):
            along.append((strokes.line if place.number else strokes.gap) * (size - 1), "dim")
        below.append(place.number.ljust(size), "dim")
    below.rstrip()
    return [Text(), *_labels(places, size, width), along, below]


def _labels(places: list[BoardCell], size: int, width: int) -> list[Text]:
    """The labels, each beginning above its place; one that has no room there goes a line higher."""
    from rich.text import Text  # loaded only where something is drawn

    rows: list[Text] = []
    for number, place in enumerate(places):
        label = Text("/").join(Text(text, style) for text, style in place.labels)
        column = min(number * size, max(0, width - len(label)))
        if not label:
            continue
        row = next((row for row in rows if len(row) < column), None)
        if row is None:
            row = Text()
            rows.insert(0, row)
        row.append(" " * (column - len(row))).append_text(label)
    return rows
