"""How fair, how long and how deep a variant is, measured exactly: no game is played, none is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from numberline.book.book import Book
from numberline.book.loader import book as book_of
from numberline.solver.store import solution_of
from numberline.solver.table import MEMORY, Progress

USUAL_PLAYERS = ("slip:25", "slip:25")


class Point(NamedTuple):
    """Who wins at one skill: both players have it."""

    skill: str
    begins_1: float
    """How likely player 1 wins if player 1 begins."""
    begins_2: float
    """How likely player 2 wins if player 2 begins."""
    endless: float
    """How likely the game never ends if player 1 begins."""
    took_part: bool
    """Whether the fair range counts this skill; the others are shown beside it."""

    @property
    def fair(self) -> bool:
        """Whether whoever begins wins 45 to 55 % of the games."""
        return all(FAIR[0] <= round(chance, 9) <= FAIR[1] for chance in (self.begins_1, self.begins_2))


FAIR = (0.45, 0.55)
"""A game is fair where whoever begins wins as often as this."""


class Measured(NamedTuple):
    """What is known about a variant; None where something can't be said."""

    variant: str
    winner: int
    """Who can force a win if player 1 begins; 0 for nobody."""
    plies: int | None
    best: tuple[str, ...]
    """The best first moves."""
    positions: int
    """Positions that can be reached in which somebody has to move."""
    players: tuple[str, str] = USUAL_PLAYERS
    """The skills of player 1 and player 2 that were measured with."""
    first: float | None = None
    side: float | None = None
    newcomers: float | None = None
    length: float | None = None
    length_low: int | None = None
    length_high: int | None = None
    decisions: float | None = None
    good_moves: float | None = None
    lead_changes: float | None = None
    comeback: float | None = None
    open: float | None = None
    hidden: float | None = None
    skill: float | None = None
    sight_needed: int | None = None
    endless: float | None = None
    fair_range: int | None = None
    curve: tuple[Point, ...] = ()
    """Who wins at each skill: those of the panel, and others that take no part in choosing."""
    lengths: tuple[float, ...] = ()
    """How likely a game takes exactly so many turns, from 0 on, until nearly all games are over."""
    bounds: dict[str, tuple[float, float]] = {}  # noqa: RUF012 - nobody writes to it
    """For each metric that is not known to nine digits, between what it lies."""

    def data(self) -> dict[str, Any]:
        """All of it as plain data, ready for JSON."""
        data = self._asdict()
        data["curve"] = [point._asdict() for point in self.curve]
        return data | {
            "best": list(self.best),
            "players": list(self.players),
            "lengths": list(self.lengths),
            "bounds": {name: list(between) for name, between in self.bounds.items()},
        }


def measure(
    book: Book | str,
    players: str | Sequence[str] | None = None,
    *,
    memory: int = MEMORY,
    progress: Progress = lambda _: None,
) -> Measured:
    """Everything that is known about a variant: perfect play, who wins at each skill, and every metric.

    The metrics are those of two players who both play `slip:25`, or of the players given; the curve, newcomers, skill
    and the fair range are always those of the same skills.

    >>> import numberline as nl
    >>> measured = measure("flag-chase")
    >>> measured.winner, measured.plies, round(measured.first, 3), round(measured.length, 1)
    (1, 3, 0.855, 3.3)
    """
    game = book_of(book) if isinstance(book, str) else book
    solution = solution_of(game, memory=memory, progress=lambda share: progress(share / 2))
    if game.rules.players > 2:
        worth = solution.worth(game.start())
        return Measured(game.variant, worth.winner, worth.plies, solution.best(game.start()), solution.size, ())
    from numberline.lab.gauge import Gauge

    gauge = Gauge.of(solution, players)
    return gauge.measured(lambda share: progress(0.5 + share / 2))[0]
