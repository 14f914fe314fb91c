"""Bots from random to perfect play: `level:1` to `level:10`, and the characters, which play at one of these levels.

A level is defined by its slip rate, the probability that it plays a random legal move; otherwise it plays like
`perfect`. The slip rates of a variant are calibrated so that every level has the same expected score against the level
below. Calibrations of built-in books are in `books/levels/`. Any other variant is calibrated before a bot's first
move, unless that would take more than about a second; all uncalibrated variants share the same slip rates.
"""

from __future__ import annotations

import tomllib
from fractions import Fraction
from functools import cache, cached_property
from random import Random
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from numberline.bots.bot import Bot, BotError, Probabilities, make_bot, parse_int
from numberline.bots.policy_bots import PerfectBot, mix_probabilities, mix_weights
from numberline.characters import AUTO, CHARACTERS, NAMED
from numberline.game import Book, Position
from numberline.game.loader import BUILTIN_DIR
from numberline.solver.index import fits, max_positions
from numberline.solver.solution import Solution
from numberline.text import join_and

if TYPE_CHECKING:
    from numberline.solver.arrays import IntArray, SolutionArrays

VERSION = 2
"""Version of all calibrations; increased whenever the bots' play changes."""
MAX_LEVEL = 10
SLIP_SCALE = 10_000
MAX_CALIBRATED_POSITIONS = 20_000
MAX_SPREAD = 0.002
"""The calibration stops when the levels' scores against the level below differ by less than this."""
MAX_ROUNDS = 30
MAX_CACHED_CALIBRATIONS = 256
MAX_QUICK_POSITIONS = 5_000
"""Books with more positions than this are not solved before the first prompt."""
MIN_CHARACTER_SCORE = 0.55
"""Minimum score of each character against the next weaker one; if any score is lower, fewer characters are offered."""


class Calibration(NamedTuple):
    """The slip rates of all levels in one variant."""

    slips: tuple[int, ...]
    """Number of slips per `SLIP_SCALE` turns at each level; the first entry is for level 1."""
    step: float | None = None
    """Score of each level against the level below; None if the variant is not calibrated."""
    characters: tuple[str, ...] = NAMED
    """The characters that clearly differ in strength in this variant."""

    @property
    def note(self) -> str:
        """Sentences that say why there are fewer than four characters; empty if there are four."""
        names = [f"the {CHARACTERS[key].name.lower()}" for key in self.characters]
        if len(names) == len(NAMED):
            return ""
        who = f"only {join_and(names)} differ in skill" if len(names) > 1 else "all opponents are about equally strong"
        return f"In this game, {who}. Your moves matter little."

    def slip_rate(self, level: int) -> Fraction:
        return Fraction(self.slips[level - 1], SLIP_SCALE)


UNCALIBRATED = Calibration((10_000, 8_700, 7_500, 6_300, 5_100, 4_000, 2_900, 1_900, 900, 0))
_COMPUTED: dict[Book, Calibration] = {}


@cache
def stored_calibrations() -> dict[str, Calibration]:
    """Return the stored calibrations of the built-in books and their ladder steps, by variant."""
    content = tomllib.loads((BUILTIN_DIR / "levels" / "calibrations.toml").read_text())
    del content["version"]
    return {
        variant: Calibration(tuple(entry["slips"]), entry["step"], tuple(entry["characters"]))
        for variant, entry in content.items()
    }


def calibration_of(book: Book, solution: Solution) -> Calibration:
    """Return the stored or computed calibration, or `UNCALIBRATED` if the book is too large to calibrate."""
    stored = None if book.source else stored_calibrations().get(book.variant)
    if not stored and book not in _COMPUTED:
        if len(_COMPUTED) >= MAX_CACHED_CALIBRATIONS:
            _COMPUTED.clear()
        _COMPUTED[book] = calibrate(solution)
    return stored or _COMPUTED[book]


def calibrate(solution: Solution) -> Calibration:
    """Return the slip rates at which all levels score the same against the level below, or `UNCALIBRATED`.

    A book is not calibrated if it is too large, if it has more than two players, or if its scores do not converge.

    The slip rates between random and perfect play are adjusted until the scores are equal. Each round divides the total
    advantage (the sum of each score minus 1/2) into equal parts, assuming that the advantage grows linearly between
    neighbouring levels.
    """
    import numpy as np

    from numberline.solver.policy_scores import NotConverged, PolicyScores

    if solution.book.rules.players != 2 or solution.size > MAX_CALIBRATED_POSITIONS:
        return UNCALIBRATED
    arrays = solution.arrays
    scores = PolicyScores(arrays, PerfectBot("perfect", solution.book, Random(0), solution).policy(arrays))
    slips = np.linspace(1, 0, MAX_LEVEL)
    best = np.inf, slips
    try:
        for _ in range(MAX_ROUNDS):
            steps = scores.slip_scores(slips[1:], slips[:-1])
            best = min(best, (float(np.ptp(steps)), slips), key=lambda found: found[0])
            if best[0] < MAX_SPREAD:
                break
            total = np.append(0, np.cumsum(np.maximum(steps - 0.5, 1e-9)))
            slips = np.interp(np.linspace(0, total[-1], MAX_LEVEL), total, slips)
        slips = np.round(best[1] * SLIP_SCALE) / SLIP_SCALE
        step = round(float(scores.slip_scores(slips[1:], slips[:-1]).mean()), 4)
        rates = np.array([slips[CHARACTERS[key].level - 1] for key in NAMED])
        differ = scores.slip_scores(rates[[1, 2, 3, 3]], rates[[0, 1, 2, 0]]) >= MIN_CHARACTER_SCORE
    except NotConverged:
        return UNCALIBRATED
    characters = NAMED if differ[:3].all() else (NAMED[0], NAMED[-1]) if differ[3] else NAMED[-1:]
    return Calibration(tuple(np.round(slips * SLIP_SCALE).astype(int).tolist()), step, characters)


def favoured_start(book: Book, player: int = 1) -> int:
    """Return the starting player that gives `player` a forced win; 1 if there is none or the book is too large."""
    if max_positions(book) > MAX_QUICK_POSITIONS:
        return 1
    from numberline.solver.cache import cached_solution

    solution = cached_solution(book)
    return next((first for first in book.players if solution.worth(book.start(first)).winner == player), 1)


# Bots


def level_of(name: str) -> int:
    """Return the level of a bot, such as `level:4` or `easy`; 0 if it has none.

    >>> level_of("level:4"), level_of("easy"), level_of("auto:11")
    (4, 3, 0)
    """
    kind, colon, detail = name.partition(":")
    if not colon:
        return CHARACTERS[kind].level if kind in CHARACTERS else 0
    level = parse_int(detail) if kind in {"level", AUTO} else 0
    return level if level <= MAX_LEVEL else 0


def fallback_bot(name: str, rng: Random) -> str:
    """Return the name of the bot that plays the next move for a level or character if the book can't be solved."""
    return "random" if rng.random() < UNCALIBRATED.slip_rate(level_of(name)) else "mcts"


class LevelBot(PerfectBot):
    """A bot for a level or a character. It plays like `perfect`, except when it slips; `level:1` plays at random.

    `auto:N` is the chameleon at level N, which adapts to a player's results; `auto` plays at the initial level.
    """

    usage: ClassVar[str] = f"level:1 to level:{MAX_LEVEL}, {', '.join(NAMED)}, auto (auto:N for level N)"

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        """Create a bot from `detail`, its whole name, such as `level:3`; return None if it is invalid."""
        kind, level = (detail or "").partition(":")[0], level_of(detail or "")
        if not level:
            return None
        name = kind if kind in NAMED else f"{kind}:{level}"
        if solution is not None or fits(book):
            return cls(name, book, rng, solution)
        return LargeLevelBot(name, book, rng)

    @property
    def calibration(self) -> Calibration:
        return calibration_of(self.book, self.solution)

    @property
    def note(self) -> str:
        return self.calibration.note if self.name in NAMED else ""

    def probabilities(self, position: Position) -> Probabilities:
        best, slip_rate = super().probabilities(position), self.calibration.slip_rate(level_of(self.name))
        return mix_probabilities(slip_rate, self.book.moves(position), best)

    def policy(self, arrays: SolutionArrays) -> IntArray:
        return mix_weights(self.calibration.slip_rate(level_of(self.name)), arrays.legal, super().policy(arrays))


class LargeLevelBot(Bot):
    """A level bot for a book that may be too large to solve; if it is, `random` or `mcts` chooses each move."""

    @cached_property
    def _exact(self) -> LevelBot | None:
        try:
            return LevelBot(self.name, self.book, self.rng)
        except BotError:
            return None

    def probabilities(self, position: Position) -> Probabilities | None:
        return self._exact.probabilities(position) if self._exact else None

    def choose(self, position: Position) -> str:
        return (self._exact or make_bot(fallback_bot(self.name, self.rng), self.book, self.rng)).choose(position)
