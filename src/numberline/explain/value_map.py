"""What each place is worth: along the line for one shared marker, place against place for a token each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import Worth

MapCell: TypeAlias = Worth | None
"""What one position is worth to the player to move; None where the game is over, and where it never gets to."""


@dataclass(frozen=True, slots=True)
class ValueMap:
    """Spots in rows and columns."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MapCell, ...], ...]


def build_value_map(solution: Solution, max_places: int = 200) -> ValueMap | None:
    """The picture of a book with a shared marker, or with two players who have a token each; None for any other.

    A line with more than `most` places is too long for a picture, and a token each with a ban on repeating is too much.
    """
    book, rules = solution.book, solution.book.rules
    if max(map(len, book.token_ranges)) > max_places:
        return None
    if rules.shared:
        return _strip(solution)
    plain = rules.players == 2 and rules.tokens == 1 and rules.repeat == "free"
    return _grid(solution) if plain else None


def _picture(
    title: str, rows: Sequence[object], columns: Sequence[object], spots: Sequence[Sequence[MapCell]]
) -> ValueMap:
    """The picture without the rows and columns that have nothing in them."""
    across = [n for n in range(len(columns)) if any(row[n] for row in spots)]
    kept = [(str(name), tuple(row[n] for n in across)) for name, row in zip(rows, spots, strict=True) if any(row)]
    return ValueMap(
        title,
        rows=tuple(name for name, _ in kept),
        columns=tuple(str(columns[n]) for n in across),
        cells=tuple(row for _, row in kept),
    )


def _strip(solution: Solution) -> ValueMap:
    book = solution.book
    (places,) = book.token_ranges
    alike = len(set(book.rules.goals)) == 1  # then it makes no difference who is to move
    bans = sorted({0, *(move.stride for move in book.choices)}) if book.rules.repeat == "banned" else [0]
    rows, spots = [], []
    for player in (1,) if alike else book.players:
        who = "whoever moves" if alike else f"{book.player_name(player)} moves"
        for ban in bans:
            banned = f"not {book.stride(ban)}" if ban else "all allowed"
            rows.append(who if len(bans) == 1 else f"{who}, {banned}")
            spots.append([_spot(solution, Position(player, (place,), ban)) for place in places])
    return _picture("What each place is worth to the player to move", rows, places, spots)


def _grid(solution: Solution) -> ValueMap:
    book = solution.book
    first, second = book.token_ranges
    names = book.player_names()
    title = f"{names[0]} to move: {names[0]}'s place downwards, {names[1]}'s to the right"
    spots = [[_spot(solution, Position(1, (own, other))) for other in second] for own in first]
    return _picture(title, first, second, spots)


def _spot(solution: Solution, position: Position) -> MapCell:
    if position not in solution or solution.book.winner(position):
        return None
    return solution.worth(position)
