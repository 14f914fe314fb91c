"""Counting turns: how many a player would need to the goal if everybody else stood still."""

from __future__ import annotations

from collections.abc import Iterable

from numberline.game.book import Book
from numberline.game.position import Position


def turns_to_goal(book: Book, position: Position, player: int) -> int | None:
    """The fewest turns in which this player gets home while nobody else moves and nothing is banned; None if never.

    >>> import numberline as nl
    >>> turns_to_goal(nl.book("line-runner"), nl.Position(1, (0, 2)), 1)
    7
    """
    return turns_to_goal_by_position(book, [position], player)[_alone(position, player)]


def turns_to_goal_by_position(book: Book, positions: Iterable[Position], player: int) -> dict[Position, int | None]:
    """The same for many positions at once, by the position with this player to move and nothing banned."""
    needs: dict[Position, int | None] = dict.fromkeys(_alone(position, player) for position in positions)
    before: dict[Position, list[Position]] = {}
    front: set[Position] = set()
    todo = list(needs)
    for at in todo:  # grows as the loop runs
        for after in [_alone(after, player) for _, after in book.successors(at) if not after.is_out(player)]:
            if book.is_home(after, player):
                front.add(at)
                continue
            before.setdefault(after, []).append(at)
            if after not in needs:
                needs[after] = None
                todo.append(after)
    turns = 1
    while front:  # back from home
        needs.update(dict.fromkeys(front, turns))
        turns += 1
        front = {at for reached in front for at in before.get(reached, ()) if needs[at] is None}
    return needs


def _alone(position: Position, player: int) -> Position:
    """The position with this player to move and nothing banned."""
    return position._replace(turn=player, last=0)
