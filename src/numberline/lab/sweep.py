"""One or two settings swept over many values: who wins each variant, how fast, and whether there is a pattern."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product, repeat
from typing import NamedTuple

from numberline.book.book import Book
from numberline.rules.errors import BookError, shown
from numberline.solver.solution import solve
from numberline.solver.table import MEMORY, most_positions

MOST_VARIANTS = 10_000
WORTH_TWO_CORES = 2_000_000
"""With fewer positions in all, one core is done before another one has started."""
PERIODS = 3
"""How many times a pattern must repeat before it is pointed out."""


class Swept(NamedTuple):
    """A setting and the values that it goes through."""

    name: str
    values: tuple[str, ...]


class Verdict(NamedTuple):
    """What becomes of one variant."""

    values: tuple[str, ...]
    """The values of the swept settings."""
    variant: str
    winner: int | None = None
    """Who can force a win when player 1 starts; None where nobody can."""
    plies: int | None = None
    best: tuple[str, ...] = ()
    refused: str = ""
    """Why there is no such variant; empty where there is one."""


class Period(NamedTuple):
    """A pattern in the winners: from this value on, they repeat every so many values."""

    name: str
    since: str
    period: int
    winners: tuple[int | None, ...]
    """The winners of one period, beginning at `since`."""


def read_sweep(text: str) -> Swept:
    """The setting and its values, as `target=2..60`, `end=10..40..5` or `overshoot=refused,loses`.

    >>> read_sweep("target=2..6..2")
    Swept(name='target', values=('2', '4', '6'))
    """
    name, equals, values = (part.strip() for part in text.partition("="))
    spread = re.fullmatch(r"(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(\d{1,9}))?", values)
    if spread and int(spread[3] or 1) > 0:
        listed = tuple(map(str, range(int(spread[1]), int(spread[2]) + 1, int(spread[3] or 1))))
    else:
        listed = tuple(value.strip() for value in values.split(";" if ";" in values else ",") if value.strip())
    if not equals or not name or not listed or (".." in values and not spread):
        raise BookError(f"{shown(text)} is not a sweep; write it as target=2..60, end=10..40..5 or stuck=passes,loses")
    return Swept(name.lower(), listed)


def variants(plain: Book, swept: Sequence[Swept]) -> int:
    """How many variants a sweep has; refuses one with too many, or over a setting that the book does not have."""
    for setting in swept:
        plain.setting(setting.name)
    if len({setting.name for setting in swept}) < len(swept):
        raise BookError(f"{swept[0].name} is swept twice; sweep it once")
    count = math.prod(len(setting.values) for setting in swept)
    if count > MOST_VARIANTS:
        raise BookError(
            f"{count:,} variants are too many to sweep {plain.name} over; expected at most {MOST_VARIANTS:,}"
        )
    return count


def sweep(
    plain: Book, swept: Sequence[Swept], *, memory: int = MEMORY, done: Callable[[Verdict], None] = lambda _: None
) -> list[Verdict]:
    """What becomes of each variant, in order; `done` is called with each as soon as it is known."""
    variants(plain, swept)
    verdicts = []
    for verdict in _verdicts(list(_asked(plain, swept)), memory):
        done(verdict)
        verdicts.append(verdict)
    return verdicts


def pattern(swept: Swept, verdicts: Sequence[Verdict]) -> Period | None:
    """The period in who wins that reaches furthest back from the end, where the last several periods agree."""
    winners = [verdict.winner if not verdict.refused else -1 for verdict in verdicts]
    reach = {period: _repeats(winners, period) for period in range(1, len(winners) // PERIODS + 1)}
    found = [period for period, covered in reach.items() if covered >= PERIODS * period]
    if not found:
        return None
    period = max(found, key=lambda period: (reach[period], -period))
    first = len(winners) - reach[period]
    return Period(swept.name, swept.values[first], period, tuple(winners[first : first + period]))


def _repeats(winners: Sequence[int | None], period: int) -> int:
    """How many values, counted from the end, follow a period; a refused variant follows none."""
    covered = 0
    for last in reversed(range(len(winners))):
        later = last + period
        if winners[last] == -1 or (later < len(winners) and winners[last] != winners[later]):
            break
        covered += 1
    return covered


def _asked(plain: Book, swept: Sequence[Swept]) -> Iterator[tuple[tuple[str, ...], Book | BookError]]:
    for values in product(*(setting.values for setting in swept)):
        try:
            yield values, plain.vary(*(f"{s.name}={value}" for s, value in zip(swept, values, strict=True)))
        except BookError as error:
            yield values, error


def _verdicts(jobs: Sequence[tuple[tuple[str, ...], Book | BookError]], memory: int) -> Iterator[Verdict]:
    total = sum(most_positions(game) for _, game in jobs if isinstance(game, Book))
    if total < WORTH_TWO_CORES:
        for values, game in jobs:
            yield _verdict(values, game, memory)
        return
    with ProcessPoolExecutor() as pool:
        yield from pool.map(_verdict, *zip(*jobs, strict=True), repeat(memory))


def _verdict(values: tuple[str, ...], game: Book | BookError, memory: int) -> Verdict:
    if isinstance(game, BookError):
        return Verdict(values, "", refused=str(game))
    solution, start = solve(game, memory=memory), game.start()
    worth = solution.worth(start)
    return Verdict(values, game.variant, worth.winner or None, worth.plies, solution.best(start))
