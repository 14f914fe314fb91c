"""What each place is worth: along the line for one shared marker, place against place for a token each."""

from __future__ import annotations

from dataclasses import dataclass

from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.table import Box

LETTERS = {"win": "W", "loss": "L", "endless": "=", "open": "?"}
"""How a value is written where there is room for one letter."""


@dataclass(frozen=True, slots=True)
class Spot:
    """What one position is worth to the player to move."""

    value: str
    plies: int | None

    def __str__(self) -> str:
        return LETTERS[self.value] + ("" if self.plies is None else str(self.plies))


@dataclass(frozen=True, slots=True)
class Landscape:
    """Spots in rows and columns; None where the game is over or never gets."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    spots: tuple[tuple[Spot | None, ...], ...]


def landscape(solution: Solution, most: int = 200) -> Landscape | None:
    """The picture of a book with a shared marker, or with two players who have a token each; None for any other.

    A line with more than `most` places is too long for a picture.
    """
    rules = solution.book.rules
    box = Box(solution.book)
    if max(len(places) for places in box.ranges) > most:
        return None
    if rules.shared:
        return _without_blanks(_strip(solution, box))
    return _without_blanks(_grid(solution, box)) if rules.players == 2 and rules.tokens == 1 else None


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


def _strip(solution: Solution, box: Box) -> Landscape:
    book = solution.book
    alike = len(set(book.rules.goals)) == 1  # then it makes no difference who is to move
    players = (1,) if alike else range(1, book.rules.players + 1)
    rows, spots = [], []
    for player in players:
        for last in box.lasts:
            who = "whoever moves" if alike else f"{book.player_name(player)} moves"
            rows.append(who if len(box.lasts) == 1 else f"{who}, {_banned(solution, last)}")
            spots.append(tuple(_spot(solution, Position(player, (place,), last)) for place in box.ranges[0]))
    return Landscape("What each place is worth to who moves", tuple(rows), _texts(box.ranges[0]), tuple(spots))


def _banned(solution: Solution, last: int) -> str:
    if not last:
        return "all allowed"
    operations = solution.book.rules.operations
    return f"not {operations[last - 1] if operations else last}"


def _grid(solution: Solution, box: Box) -> Landscape:
    book = solution.book
    first, second = box.ranges
    names = book.player_name(1), book.player_name(2)
    title = f"{names[0]} to move: {names[0]}'s place downwards, {names[1]}'s to the right"
    spots = tuple(tuple(_spot(solution, Position(1, (own, other))) for other in second) for own in first)
    return Landscape(title, _texts(first), _texts(second), spots)


def _spot(solution: Solution, position: Position) -> Spot | None:
    try:
        solution.numbering.number(position)
    except KeyError:
        return None  # it never comes about
    if solution.book.engine.winner(position):
        return None
    return Spot(solution.value(position), solution.distance(position))


def _texts(places: range) -> tuple[str, ...]:
    return tuple(map(str, places))
