"""Counting turns: how many a player would need to the goal if everybody else stood still."""

from __future__ import annotations

from collections.abc import Iterable

from numberline.book.book import Book
from numberline.rules.position import Position


def turns_alone(book: Book, position: Position, player: int) -> int | None:
    """The fewest turns in which this player gets home while nobody else moves and nothing is banned; None if never.

    >>> import numberline as nl
    >>> turns_alone(nl.book("line-runner"), nl.Position(1, (0, 2)), 1)
    7
    """
    return all_turns_alone(book, [position], player)[_alone(position, player)]


def all_turns_alone(book: Book, positions: Iterable[Position], player: int) -> dict[Position, int | None]:
    """The same for many positions at once, by the position with this player to move and nothing banned."""
    before: dict[Position, list[Position]] = {}
    met = dict.fromkeys(_alone(position, player) for position in positions)
    todo = list(met)
    home: list[Position] = []
    for at in todo:  # grows as the loop runs
        for after in _goes_on(book, at):
            if book.is_home(after, player):
                home.append(at)
                continue
            before.setdefault(after, []).append(at)
            if after not in met:
                met[after] = None
                todo.append(after)
    found = _backwards(home, before)
    return {position: found.get(position) for position in met}


def _backwards(home: list[Position], before: dict[Position, list[Position]]) -> dict[Position, int]:
    """How far each position is from home, worked out from there."""
    count = 1
    found = dict.fromkeys(home, count)
    front = list(found)
    while front:
        count += 1
        front = list({at for reached in front for at in before.get(reached, ()) if at not in found})
        found.update(dict.fromkeys(front, count))
    return found


def _goes_on(book: Book, position: Position) -> list[Position]:
    """What the player to move can make of a position, with the next turn theirs again; not where they are out."""
    player = position.turn
    reached = [after for _, after in book.followers(position)]
    return [_alone(after, player) for after in reached if not after.is_out(player)]


def _alone(position: Position, player: int) -> Position:
    return position._replace(turn=player, last=0)
