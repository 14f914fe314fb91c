"""Two variants side by side: which settings differ, whether it is the same game, which positions changed their worth.

Positions are lined up by how far each token is from the goal, not by the number of its place: on a longer line the last
steps before the goal are the same as before.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.solution import Solution

MAX_ALIGNED_POSITIONS = 200_000
"""Variants with more positions are not lined up: that would take minutes."""
MAX_EXAMPLES = 3

GoalRelativePlace: TypeAlias = tuple[int, int]
"""Which goal is nearest, and how far to the right of it."""
GoalRelativePosition: TypeAlias = tuple[int, int, str, tuple[GoalRelativePlace, ...]]
"""A position as it looks from the goal: whose turn, who is out, what is banned, and the place of each token."""


class SettingDiff(NamedTuple):
    """A setting that the two have different values of; None where one of the games has no such setting."""

    name: str
    one: str | None
    other: str | None


class Alignment(NamedTuple):
    """The positions that both variants have, lined up by distance from the goal."""

    common: int
    same: int
    """So many of them have the same winner in the same number of turns."""
    same_winner: int
    """So many have the same winner."""
    examples: tuple[tuple[Position, Position], ...]
    """A few that changed their winner, as they are in the one and in the other."""


class Comparison(NamedTuple):
    """What is different between two variants."""

    settings: tuple[SettingDiff, ...]
    same_game: bool
    """Whether every position of the one has its like in the other, whatever places and moves are called."""
    alignment: Alignment | None
    """None where positions can't be lined up."""
    not_aligned_reason: str = ""
    """Why not, as a sentence."""

    def data(self) -> dict[str, Any]:
        """All of it as plain data, ready for JSON."""
        lining = self.alignment
        return {
            "settings": [each._asdict() for each in self.settings],
            "same_game": self.same_game,
            "common": lining and lining.common,
            "same": lining and lining.same,
            "same_winner": lining and lining.same_winner,
            "note": self.not_aligned_reason,
        }


def compare(one: Solution, other: Solution) -> Comparison:
    """The two variants compared.

    >>> import numberline as nl
    >>> found = compare(nl.solve(nl.book("flag-chase")), nl.solve(nl.book("flag-chase(end=12)")))
    >>> found.alignment.common, found.alignment.same
    (38, 38)
    """
    reason = _why_not_aligned(one, other)
    lining = None if reason else _align(one, other)
    return Comparison(diff_settings(one.book, other.book), _is_same_game(one, other), lining, reason)


def diff_settings(one: Book, other: Book) -> tuple[SettingDiff, ...]:
    """The settings that the two books don't agree on, in the order of the first."""
    before = {setting.name: setting.value for setting in one.settings}
    after = {setting.name: setting.value for setting in other.settings}
    return tuple(
        SettingDiff(name, before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    )


def _is_same_game(one: Solution, other: Solution) -> bool:
    from numberline.solver.fingerprint import fingerprint  # NumPy, for whoever compares

    if one.book.rules.players != other.book.rules.players or one.counts() != other.counts():
        return False
    return fingerprint(one) == fingerprint(other)


def _why_not_aligned(one: Solution, other: Solution) -> str:
    first, second = one.book.rules, other.book.rules
    if first.players != second.players:
        return "Positions can't be lined up: the two don't have the same number of players."
    if first.shared != second.shared or first.tokens != second.tokens:
        return "Positions can't be lined up: the two don't have the same number of tokens."
    if first.repeat != second.repeat:
        return "Positions can't be lined up: only in one of the two does it matter what was played last."
    if max(one.size, other.size) > MAX_ALIGNED_POSITIONS:
        return f"With more than {MAX_ALIGNED_POSITIONS:,} positions they are not lined up."
    return ""


def _align(one: Solution, other: Solution) -> Alignment:
    stands = {_relative_to_goal(other.book, position): position for position in other.live}
    common = same = same_winner = 0
    examples: list[tuple[Position, Position]] = []
    for position in one.live:
        like = stands.get(_relative_to_goal(one.book, position))
        if like is None:
            continue
        before, after = one.worth(position), other.worth(like)
        common += 1
        same += before == after
        if before.winner == after.winner:
            same_winner += 1
        elif len(examples) < MAX_EXAMPLES:
            examples.append((position, like))
    return Alignment(common, same, same_winner, tuple(examples))


def _relative_to_goal(book: Book, position: Position) -> GoalRelativePosition:
    rules = book.rules
    owners = [book.players if rules.shared else (number // rules.tokens + 1,) for number in range(len(position.tokens))]
    places = (_place(book, owner, token) for owner, token in zip(owners, position.tokens, strict=True))
    return position.turn, position.out, book.stride(position.last), tuple(places)


def _place(book: Book, owners: range | tuple[int, ...], place: int) -> GoalRelativePlace:
    """A token's place, counted from the nearest goal of those who move it; of two as near, from the first."""
    goals = [goal for owner in owners for goal in book.rules.goals[owner - 1]]
    number = min(range(len(goals)), key=lambda number: abs(place - goals[number]))
    return number, place - goals[number]
