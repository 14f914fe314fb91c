"""Maps of position values: along the line for a shared marker, place by place for one token each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import Worth

MapCell: TypeAlias = Worth | None
"""The worth of a position; None if the game is over or never gets there."""


@dataclass(frozen=True, slots=True)
class ValueMap:
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MapCell, ...], ...]


def build_value_map(solution: Solution, max_places: int = 200) -> ValueMap | None:
    """Return the map of a book with a shared marker or with one token for each of two players, else None.

    A line with more than `max_places` places is too long, and a ban on repeating makes a second map per step.
    """
    book, rules = solution.book, solution.book.rules
    if max(map(len, book.token_ranges)) > max_places:
        return None
    if rules.shared:
        return _strip(solution)
    plain = rules.players == 2 and rules.tokens == 1 and rules.repeat == "free"
    return _grid(solution) if plain else None


def _without_empty_lines(
    title: str, rows: Sequence[object], columns: Sequence[object], cells: Sequence[Sequence[MapCell]]
) -> ValueMap:
    """Drop empty rows and columns."""
    used = [n for n in range(len(columns)) if any(row[n] for row in cells)]
    filled = [(str(name), tuple(row[n] for n in used)) for name, row in zip(rows, cells, strict=True) if any(row)]
    return ValueMap(
        title,
        rows=tuple(name for name, _ in filled),
        columns=tuple(str(columns[n]) for n in used),
        cells=tuple(row for _, row in filled),
    )


def _strip(solution: Solution) -> ValueMap:
    book = solution.book
    (places,) = book.token_ranges
    symmetric = len(set(book.rules.goals)) == 1
    bans = sorted({0, *(move.stride for move in book.choices)}) if book.rules.repeat == "banned" else [0]
    rows, cells = [], []
    for player in (1,) if symmetric else book.players:
        who = "either player" if symmetric else book.player_name(player)
        for ban in bans:
            banned = f"not {book.stride(ban)}" if ban else "any move"
            rows.append(who if len(bans) == 1 else f"{who}, {banned}")
            cells.append([_cell(solution, Position(player, (place,), ban)) for place in places])
    return _without_empty_lines("Value of each place for the player whose turn it is", rows, places, cells)


def _grid(solution: Solution) -> ValueMap:
    book = solution.book
    first, second = book.token_ranges
    names = book.player_names()
    title = f"Value on {names[0]}'s turn: {names[0]}'s place downwards, {names[1]}'s to the right"
    cells = [[_cell(solution, Position(1, (own, other))) for other in second] for own in first]
    return _without_empty_lines(title, first, second, cells)


def _cell(solution: Solution, position: Position) -> MapCell:
    if position not in solution or solution.book.winner(position):
        return None
    return solution.worth(position)
