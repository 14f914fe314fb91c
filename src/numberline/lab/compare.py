"""Comparison of two variants: their settings, whether they are the same game, and the positions whose value differs.

Positions are aligned by each token's distance from the goal rather than by its place, because lengthening the line
doesn't change the last steps before the goal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.solution import Solution

MAX_ALIGNED_POSITIONS = 200_000  # more would take minutes

GoalRelativePlace = tuple[int, int]
"""The index of the nearest goal and the signed distance from it."""
GoalRelativePosition = tuple[int, int, str, tuple[GoalRelativePlace, ...]]
"""The player to move, the players who are out, the banned step, and the place of every token."""


class SettingDiff(NamedTuple):
    """A setting whose values differ; a value is None if that variant doesn't have the setting."""

    name: str
    one: str | None
    other: str | None


class Alignment(NamedTuple):
    """Counts of the positions that two variants have in common, aligned by distance from the goal."""

    common: int
    same: int
    """Number of positions with the same winner in the same number of turns."""
    same_winner: int


class Comparison(NamedTuple):
    """Differences between two variants."""

    settings: tuple[SettingDiff, ...]
    same_game: bool
    """Whether the variants differ only in the names of places and moves."""
    alignment: Alignment | None
    not_aligned_reason: str = ""
    """The reason why there is no alignment, as a sentence; empty if there is one."""

    def data(self) -> dict[str, Any]:
        """Return the comparison as JSON-serializable data."""
        return {
            "settings": [setting._asdict() for setting in self.settings],
            "same_game": self.same_game,
            **(self.alignment._asdict() if self.alignment else dict.fromkeys(Alignment._fields)),
            "note": self.not_aligned_reason,
        }


def compare(one: Solution, other: Solution) -> Comparison:
    """Compare two solved variants.

    >>> import numberline as nl
    >>> comparison = compare(nl.solve(nl.book("flag-chase")), nl.solve(nl.book("flag-chase(end=12)")))
    >>> comparison.alignment
    Alignment(common=38, same=38, same_winner=38)
    """
    reason = _why_not_aligned(one, other)
    alignment = None if reason else _align(one, other)
    return Comparison(diff_settings(one.book, other.book), _is_same_game(one, other), alignment, reason)


def diff_settings(one: Book, other: Book) -> tuple[SettingDiff, ...]:
    """Return the settings that differ, in the order of the first book's settings."""
    before = {setting.name: setting.value for setting in one.settings}
    after = {setting.name: setting.value for setting in other.settings}
    return tuple(
        SettingDiff(name, before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    )


def _is_same_game(one: Solution, other: Solution) -> bool:
    from numberline.lab.fingerprint import fingerprint  # imports NumPy

    if one.book.rules.players != other.book.rules.players or one.counts() != other.counts():
        return False
    return fingerprint(one) == fingerprint(other)


def _why_not_aligned(one: Solution, other: Solution) -> str:
    first, second = one.book.rules, other.book.rules
    if first.players != second.players:
        return "Positions can't be aligned: the numbers of players differ."
    if first.shared != second.shared or first.tokens != second.tokens:
        return "Positions can't be aligned: the numbers of tokens differ."
    if first.repeat != second.repeat:
        return "Positions can't be aligned: the last move matters in only one of the variants."
    if max(one.size, other.size) > MAX_ALIGNED_POSITIONS:
        return f"Variants with more than {MAX_ALIGNED_POSITIONS:,} positions are not aligned."
    return ""


def _align(one: Solution, other: Solution) -> Alignment:
    others = {_relative_to_goal(other.book, position): position for position in other.live}
    common = same = same_winner = 0
    for position in one.live:
        counterpart = others.get(_relative_to_goal(one.book, position))
        if counterpart is not None:
            before, after = one.worth(position), other.worth(counterpart)
            common += 1
            same += before == after
            same_winner += before.winner == after.winner
    return Alignment(common, same, same_winner)


def _relative_to_goal(book: Book, position: Position) -> GoalRelativePosition:
    rules = book.rules
    owners = [book.players if rules.shared else (number // rules.tokens + 1,) for number in range(len(position.tokens))]
    places = (_place(book, owner, token) for owner, token in zip(owners, position.tokens, strict=True))
    return position.turn, position.out, book.stride(position.last), tuple(places)


def _place(book: Book, owners: range | tuple[int, ...], place: int) -> GoalRelativePlace:
    """Return a token's place relative to the nearest goal of its owners, or to the first of several nearest goals."""
    goals = [goal for owner in owners for goal in book.rules.goals[owner - 1]]
    number = min(range(len(goals)), key=lambda number: abs(place - goals[number]))
    return number, place - goals[number]
