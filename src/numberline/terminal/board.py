"""Drawing of the number line, with tokens above it and numbers below, wrapped to the terminal width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from numberline.palette import PALETTE
from numberline.palette import PLAYER_COLORS as COLOR_NAMES
from numberline.views.board import BookView, PositionView

if TYPE_CHECKING:
    from rich.text import Text

    from numberline.explain.strip import Cell, Strip

PLAYER_COLORS = ("yellow", *(PALETTE[name].ansi for name in COLOR_NAMES))
"""Colours by player number; index 0 is the colour of a shared marker."""
_GOAL_COLOR = "green"
_MAX_PLACE_COLUMNS = 4
_MARK_COLORS = {"win now": "bold green", "good": "green", "safe": "yellow", "trap": "bold red"}

_StyledText = tuple[str, str]


class _Cell(NamedTuple):
    """One place on the line or, if `number` is empty, a gap that replaces omitted places."""

    labels: tuple[_StyledText, ...]
    symbol: _StyledText
    number: str
    mark: _StyledText = ("", "")
    """Sign for this place in the strip of a lesson or puzzle, drawn below the number."""


def render_board(
    book: BookView, position: PositionView, width: int, names: Sequence[str] = (), strip: Strip | None = None
) -> list[Text]:
    """Return the board as lines of at most `width` columns.

    If the cells of `strip` are places on the line, they are drawn below the numbers; otherwise, below the board.
    Tokens and goals are labelled with the players' names if they fit, otherwise with letters and a legend.
    """
    renamed = any(name != player.name for name, player in zip(names, book.players, strict=False))
    short = book.tokens == 1 and len("/".join(names)) <= width // 2
    labels = {player: f" {name}" if book.shared else name for player, name in enumerate(names, 1)}
    cells = _make_cells(book, position, labels if renamed and short else {})
    marks = {cell.label: _mark(cell) for cell in strip.cells} if strip and strip.on_line else {}
    cells = [cell._replace(mark=marks.get(cell.number, ("", ""))) for cell in cells]
    widest = max(len(text) for cell in cells for text in (cell.number, cell.mark[0]))
    size = max(widest + 1, min(_MAX_PLACE_COLUMNS, width // len(cells)))
    rows = -(-len(cells) // max(1, width // size))
    per_row = -(-len(cells) // rows)
    lines: list[Text] = []
    for start in range(0, len(cells), per_row):
        lines += _render_row(cells[start : start + per_row], size, width)
    if strip and not strip.on_line:
        lines += _strip_line(strip)
    return [*lines, *(_legend(book, position, names, width) if renamed and not short else [])]


def _mark(cell: Cell) -> _StyledText:
    return cell.sign or "·", _MARK_COLORS.get(cell.mark, "bold" if cell.gate else "dim")


def _strip_line(strip: Strip) -> list[Text]:
    """Return the lines for a strip whose cells aren't places on the line, with the caption of the strip."""
    from rich.text import Text  # slow to import

    parts = [part for cell in strip.cells for part in (f"  {cell.label} ", _mark(cell))]
    return [Text(), Text.assemble(f"{strip.caption}:", *parts)]


def _legend(book: BookView, position: PositionView, names: Sequence[str], width: int) -> list[Text]:
    from rich.text import Text  # slow to import

    lines = [Text()]
    for player, name in zip(book.players, names, strict=True):
        labels = "/".join(token.label for token in position.tokens if token.player == player.player)
        lines.append(Text(f"{labels or player.label}: {name}", PLAYER_COLORS[player.player]))
        lines[-1].truncate(width)
    return lines


def _make_cells(book: BookView, position: PositionView, names: Mapping[int, str]) -> list[_Cell]:
    """Return the cells from left to right; a token on a goal hides the goal's flag."""
    cells = {place: _Cell((), ("┼", "dim"), str(place)) for place in position.places}
    cells[None] = _Cell((), ("┄", "dim"), "")
    for goal in book.goals:
        color = PLAYER_COLORS[goal.player] if goal.player else _GOAL_COLOR
        label = (f"⚑{names.get(goal.player, goal.label)}", color)
        cells[goal.place] = _Cell((label,), ("◆", _GOAL_COLOR), str(goal.place))
    for place in {token.place for token in position.tokens}:
        labels = [
            (names.get(token.player, token.label) * (not book.shared), PLAYER_COLORS[token.player])
            for token in position.tokens
            if token.place == place
        ]
        colors = {color for _, color in labels}
        symbol = "●", f"bold {colors.pop()}" if len(colors) == 1 else "bold"
        cells[place] = _Cell(tuple(label for label in labels if label[0]), symbol, str(place))
    return [cells[place] for place in position.places]


def _render_row(cells: list[_Cell], size: int, width: int) -> list[Text]:
    """Return the lines of one row of the board: a blank line, the labels, the line, the numbers and any marks."""
    from rich.text import Text  # slow to import

    line, numbers, marks = Text(), Text(), Text()
    for count, cell in enumerate(cells, 1):
        line.append(*cell.symbol)
        if count < len(cells):
            line.append(("─" if cell.number else "┄") * (size - 1), "dim")
        numbers.append(cell.number.ljust(size), "dim")
        marks.append(cell.mark[0].ljust(size), cell.mark[1])
    numbers.rstrip()
    marks.rstrip()
    return [Text(), *_render_labels(cells, size, width), line, numbers, *([marks] if marks else [])]


def _render_labels(cells: list[_Cell], size: int, width: int) -> list[Text]:
    """Return lines with each label above its cell; overlapping labels are stacked on separate lines."""
    from rich.text import Text  # slow to import

    rows: list[Text] = []
    for number, cell in enumerate(cells):
        label = Text("/").join(Text(text, style) for text, style in cell.labels)
        column = min(number * size, max(0, width - len(label)))
        if not label:
            continue
        row = next((row for row in rows if len(row) < column), None)
        if row is None:
            row = Text()
            rows.insert(0, row)
        row.append(" " * (column - len(row))).append_text(label)
    return rows
