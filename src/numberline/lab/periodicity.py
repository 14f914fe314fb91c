"""Patterns in who wins as one setting grows: from some value on, the winners repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.game.book import Book

MIN_REPETITIONS = 3
"""How many times a pattern must repeat before it is pointed out."""
REFUSED = -1
"""Stands among the winners for a variant that the rules refuse; it follows no pattern."""


class Period(NamedTuple):
    """A pattern in the winners: from this value on, they repeat every so many values."""

    name: str
    since: str
    period: int
    winners: tuple[int, ...]
    """The winners of one period, beginning at `since`; 0 is nobody."""


def find_period(name: str, values: Sequence[str], winners: Sequence[int]) -> Period | None:
    """The period in who wins that reaches furthest back from the end, where the last several periods agree."""
    reach = {
        period: _periodic_suffix_length(winners, period) for period in range(1, len(winners) // MIN_REPETITIONS + 1)
    }
    found = [period for period, covered in reach.items() if covered >= MIN_REPETITIONS * period]
    if not found:
        return None
    period = max(found, key=lambda period: (reach[period], -period))
    first = len(winners) - reach[period]
    return Period(name, values[first], period, tuple(winners[first : first + period]))


def describe_period(book: Book, found: Period) -> str:
    """The pattern as a sentence."""
    names = [book.player_name(winner) if winner else "nobody" for winner in found.winners]
    since = f"From {found.name}={found.since} to the end of the map"
    if found.period == 1:
        return f"{since} the winner is always {names[0]}."
    return f"{since} the winners repeat every {found.period} values: {', '.join(names)}, and so on."


def _periodic_suffix_length(winners: Sequence[int], period: int) -> int:
    """How many values, counted from the end, follow a period."""
    covered = 0
    for last in reversed(range(len(winners))):
        later = last + period
        if winners[last] == REFUSED or (later < len(winners) and winners[last] != winners[later]):
            break
        covered += 1
    return covered
