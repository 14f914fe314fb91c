"""How fair, how long and how deep a variant is, measured exactly: no game is played, none is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numberline.game.book import Book
from numberline.game.loader import book as book_of
from numberline.solver.cache import cached_solution
from numberline.solver.index import DEFAULT_MEMORY_BYTES, Progress

if TYPE_CHECKING:
    from numberline.solver.batch import SolvedBatch
    from numberline.solver.solution import Solution

DEFAULT_PLAYERS = ("slip:25", "slip:25")


class SkillPoint(NamedTuple):
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
    def is_fair(self) -> bool:
        """Whether whoever begins wins 45 to 55 % of the games."""
        return all(
            FAIR_SHARE_BOUNDS[0] <= round(chance, 8) <= FAIR_SHARE_BOUNDS[1]
            for chance in (self.begins_1, self.begins_2)
        )


FAIR_SHARE_BOUNDS = (0.45, 0.55)
"""A game is fair where whoever begins wins as often as this."""


class Measurements(NamedTuple):
    """What is known about a variant; None where something can't be said."""

    variant: str
    winner: int
    """Who can force a win if player 1 begins; 0 for nobody."""
    plies: int | None
    best: tuple[str, ...]
    """The best first moves."""
    positions: int
    """Positions that can be reached in which somebody has to move."""
    players: tuple[str, ...] = DEFAULT_PLAYERS
    """The skills of player 1 and player 2 that were measured with; empty where more than two play."""
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
    waiting: float | None = None
    """In how large a share of the positions nobody can force a win."""
    fair_range: int | None = None
    curve: tuple[SkillPoint, ...] = ()
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
    memory: int = DEFAULT_MEMORY_BYTES,
    progress: Progress = lambda _: None,
) -> Measurements:
    """Everything that is known about a variant: perfect play, who wins at each skill, and every metric.

    The metrics are those of two players who both play `slip:25`, or of the players given; the curve, newcomers, skill
    and the fair range are always those of the same skills.

    >>> import numberline as nl
    >>> measured = measure("flag-chase")
    >>> measured.winner, measured.plies, round(measured.first, 3), round(measured.length, 1)
    (1, 3, 0.855, 3.3)
    """
    game = book_of(book) if isinstance(book, str) else book
    solution = cached_solution(game, memory=memory, progress=lambda share: progress(share / 2))
    if game.rules.players > 2:
        return _of_many_players(solution)
    from numberline.lab.measurer import Measurer
    from numberline.lab.skills import parse_players

    gauge = Measurer.from_solution(solution, parse_players(players, game, solution))
    [measured] = gauge.measure(lambda share: progress(0.5 + share / 2), lengths=True)
    return measured


def measure_many(
    books: Sequence[Book],
    players: str | Sequence[str] | None = None,
    *,
    curve: bool = True,
    metrics: bool = True,
    memory: int = DEFAULT_MEMORY_BYTES,
    progress: Progress = lambda _: None,
) -> list[Measurements]:
    """The same for many variants, in order, but for the list of lengths; those of one shape are measured together.

    `curve=False` leaves out the curve and the fair range, `metrics=False` all but perfect play and these two.
    """
    from numberline.solver.batch import group_into_batches

    found: dict[int, Measurements] = {}
    for group in group_into_batches(books):
        family = [books[index] for index in group]
        found |= zip(group, _measured(family, players, curve=curve, metrics=metrics, memory=memory), strict=True)
        progress(len(found) / len(books))
    return [found[index] for index in range(len(books))]


def measure_batch(
    solved: SolvedBatch, players: str | Sequence[str] | None = None, *, curve: bool = True, metrics: bool = True
) -> list[Measurements]:
    """The same for variants that are solved already, in one table."""
    from numberline.lab.measurer import Measurer
    from numberline.lab.skills import parse_players, skill_of

    if solved.books[0].rules.players > 2:
        return [_of_many_players(cached_solution(book)) for book in solved.books]
    bots = parse_players(players, solved.books[0])
    if all(map(skill_of, bots)):
        return Measurer.from_batch(solved, bots).measure(curve=curve, metrics=metrics)
    found = []
    for book in solved.books:
        solution = cached_solution(book)
        found += Measurer.from_solution(solution, parse_players(players, book, solution)).measure(
            curve=curve, metrics=metrics
        )
    return found


def _measured(
    books: Sequence[Book], players: str | Sequence[str] | None, *, curve: bool, metrics: bool, memory: int
) -> list[Measurements]:
    from numberline.solver.batch import solve_batch

    if books[0].rules.players > 2:
        return [_of_many_players(cached_solution(book, memory=memory)) for book in books]
    return measure_batch(solve_batch(books, memory=memory), players, curve=curve, metrics=metrics)


def _of_many_players(solution: Solution) -> Measurements:
    """What can be said about a game for more than two players."""
    start = solution.book.start()
    worth = solution.worth(start)
    return Measurements(solution.book.variant, worth.winner, worth.plies, solution.best(start), solution.size, ())
