"""What each place is worth: along the line for one shared marker, place against place for a token each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from numberline.book.book import Book
from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import Worth

Spot: TypeAlias = Worth | None
"""What one position is worth to the player to move; None where the game is over, and where it never gets to."""


@dataclass(frozen=True, slots=True)
class Landscape:
    """Spots in rows and columns."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    spots: tuple[tuple[Spot, ...], ...]


def landscape(solution: Solution, most: int = 200) -> Landscape | None:
    """The picture of a book with a shared marker, or with two players who have a token each; None for any other.

    A line with more than `most` places is too long for a picture, and a token each with a ban on repeating is too much.
    """
    book, rules = solution.book, solution.book.rules
    if max(map(len, book.ranges)) > most:
        return None
    if rules.shared:
        return _without_blanks(_strip(solution))
    plain = rules.players == 2 and rules.tokens == 1 and rules.repeat == "free"
    return _without_blanks(_grid(solution)) if plain else None


def _without_blanks(picture: Landscape) -> Landscape:
    """The picture without the rows and columns that have nothing in them."""
    rows = [n for n, row in enumerate(picture.spots) if any(row)]
    columns = [n for n in range(len(picture.columns)) if any(row[n] for row in picture.spots)]
    return Landscape(
        picture.title,
        tuple(picture.rows[n] for n in rows),
        tuple(picture.columns[n] for n in columns),
        tuple(tuple(picture.spots[row][column] for column in columns) for row in rows),
    )


def _strip(solution: Solution) -> Landscape:
    book = solution.book
    (places,) = book.ranges
    alike = len(set(book.rules.goals)) == 1  # then it makes no difference who is to move
    bans = sorted({0, *(move.stride for move in book.choices)}) if book.rules.repeat == "banned" else [0]
    rows, spots = [], []
    for player in (1,) if alike else book.players:
        who = "whoever moves" if alike else f"{book.player_name(player)} moves"
        for ban in bans:
            rows.append(who if len(bans) == 1 else f"{who}, {_banned(book, ban)}")
            spots.append(tuple(_spot(solution, Position(player, (place,), ban)) for place in places))
    return Landscape("What each place is worth to the player to move", tuple(rows), _texts(places), tuple(spots))


def _banned(book: Book, stride: int) -> str:
    if not stride:
        return "all allowed"
    operations = book.rules.operations
    return f"not {operations[stride - 1] if operations else stride}"


def _grid(solution: Solution) -> Landscape:
    book = solution.book
    first, second = book.ranges
    names = book.called()
    title = f"{names[0]} to move: {names[0]}'s place downwards, {names[1]}'s to the right"
    spots = tuple(tuple(_spot(solution, Position(1, (own, other))) for other in second) for own in first)
    return Landscape(title, _texts(first), _texts(second), spots)


def _spot(solution: Solution, position: Position) -> Spot:
    if position not in solution or solution.book.winner(position):
        return None
    return solution.worth(position)


def _texts(places: range) -> tuple[str, ...]:
    return tuple(map(str, places))
