"""Search for a ladder: a series of ever harder variants of a book, selected by exact win probabilities.

The human player is player 1 and can win every step with perfect play. Each step gives one setting a value that no
earlier step has, and takes all other settings from one of the earlier steps. From the third step on, random play and
greedy play score less than 40%, and the variant meets the lab's default goals, except for gap and length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from heapq import nlargest
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots.bot import make_bot
from numberline.bots.levels import MAX_QUICK_POSITIONS, calibration_of
from numberline.characters import NAMED
from numberline.explain.queries import AnalysisError, require_two_players
from numberline.explain.rule_words import key_rule
from numberline.explain.rules_text import describe_change
from numberline.game.book import Book
from numberline.lab.fingerprint import fingerprint
from numberline.lab.grid import Axis, iter_changes, search_axes
from numberline.lab.measure import DEFAULT_SKILL, measure_many
from numberline.lab.metrics import Measurements
from numberline.lab.search import DEFAULT_GOALS, find_missed_goal, vary_for_two
from numberline.progress.ladder import LadderStep
from numberline.solver.index import Progress, max_positions
from numberline.solver.policy_scores import NotConverged, PolicyScores
from numberline.solver.solution import Solution, solve

GOALS = tuple(goal for goal in DEFAULT_GOALS if goal.name not in {"gap", "length"})
NAIVE_POLICIES = ("random", "greedy")
MAX_NAIVE_SCORE = 0.4
WARM_UP_STEPS, MAX_STEPS = 2, 12
LINE_LENGTHS = range(6, 31)
MIN_DROP, IDEAL_DROP = 0.005, 0.05
"""Minimum and ideal drop in the score of a player of the default skill, from one step to the next."""
UNEVEN_COST, REPEATED_COST, JUMP_COST = 3.0, 0.3, 0.3
"""Costs of missing the ideal drop, of each earlier change to the same setting, and of not building on the last step."""
BEAM_WIDTH = 100
MIN_QUICK_STEPS, QUICK_VALUES, MANY_POSITIONS = 5, 32, 300
"""For a ladder generated while the person waits: the number of steps below which the conditions are relaxed, the number
of values to try, and the number of positions above which a book gets only half as many values."""


class StepCandidate(NamedTuple):
    """A possible step: a variant, the player who starts and the opponent."""

    book: Book
    first: int
    character: str
    score: float
    """Score of a player of the lab's default skill."""
    quality: float
    is_demanding: bool
    """Whether the candidate meets the conditions for steps after the second."""
    fingerprint: str
    settings: frozenset[tuple[str, str]]


def person_scores(solution: Solution, policies: Sequence[str], characters: Sequence[str] = NAMED) -> NDArray[Any]:
    """Return the exact scores of player 1 by policy, starting player and opposing character."""
    arrays = solution.arrays

    def weights(name: str) -> Any:
        return make_bot(name, solution.book, Random(0), solution=solution).policy(arrays)

    scores = PolicyScores(arrays, weights("perfect"))
    others = np.concatenate([scores.policy(weights(key)) for key in characters], axis=2)
    return np.stack([scores.seat_scores(scores.policy(weights(name)), others) for name in policies])


def find_candidates(
    book: Book, axes: Sequence[Axis], max_changes: int, progress: Progress = lambda _: None
) -> Iterator[StepCandidate]:
    """Yield the candidates among the variants of a book."""
    books: dict[Book, int] = {}
    for changes in sorted(iter_changes(axes, max_changes), key=len):
        varied = vary_for_two(book, changes)
        low, high = varied.rules.line if varied else (0, 0)
        fits = high - low in LINE_LENGTHS or (low, high) == book.rules.line
        if varied and fits and max_positions(varied) <= MAX_QUICK_POSITIONS:
            books.setdefault(varied, len(changes))
    every = measure_many(list(books), curve=False)
    for number, ((varied, count), measured) in enumerate(zip(books.items(), every, strict=True), 1):
        with suppress(NotConverged):
            yield from _evaluate(varied, measured, count)
        progress(number / len(books))


def _evaluate(book: Book, measured: Measurements, changes: int) -> Iterator[StepCandidate]:
    solution, meets_goals = solve(book), not find_missed_goal(GOALS, measured)
    winnable = [first for first in (1, 2) if solution.worth(book.start(first)).winner == 1]
    if changes >= WARM_UP_STEPS:  # treated as a later step: naive play must fail, at least against Master
        naive = person_scores(solution, NAIVE_POLICIES, NAMED[-1:]).max(axis=(0, 2)) if meets_goals else (1, 1)
        winnable = [first for first in winnable if naive[first - 1] < MAX_NAIVE_SCORE]
    if not winnable:
        return
    quality = (measured.choice or 0) + (measured.decisions or 0) - (measured.gap or 0) - changes / 10
    game, distinct = fingerprint(solution), calibration_of(book, solution).characters
    scores = person_scores(solution, (*NAIVE_POLICIES, DEFAULT_SKILL))
    for first, (number, character) in product(winnable, enumerate(NAMED)):
        *naive_scores, score = scores[:, first - 1, number].tolist()
        is_demanding = meets_goals and character in distinct and max(naive_scores) < MAX_NAIVE_SCORE
        yield StepCandidate(book, first, character, score, quality, is_demanding, game, _settings_of(book))


def _settings_of(book: Book) -> frozenset[tuple[str, str]]:
    return frozenset((setting.name, setting.value) for setting in book.settings)


def choose_steps(book: Book, candidates: Sequence[StepCandidate]) -> tuple[StepCandidate, ...]:
    """Return the best ladder with as many steps as possible, found by beam search; empty if there is none."""
    origin = _settings_of(book)
    for count in range(MAX_STEPS, 0, -1):
        beam: list[tuple[float, tuple[StepCandidate, ...]]] = [(0.0, ())]
        for number in range(count):
            later = number - WARM_UP_STEPS
            level = 0 if later < 0 else 1 + later * (len(NAMED) - 1) // (count - WARM_UP_STEPS)
            fitting = [each for each in candidates if each.character == NAMED[level]]
            if not number:
                fitting = [each for each in fitting if each.book == book] or fitting
            grown = (
                (total + gain, (*steps, each))
                for total, steps in beam
                for each in fitting
                if (gain := _gain(origin, steps, each)) is not None
            )
            beam = nlargest(BEAM_WIDTH, grown, key=lambda state: state[0])
        if beam:
            return beam[0][1]
    return ()


def _gain(origin: frozenset[tuple[str, str]], steps: tuple[StepCandidate, ...], new: StepCandidate) -> float | None:
    """Return the gain from adding a candidate as the next step; None if it can't be the next step."""
    earlier = [origin, *(step.settings for step in steps)]
    changed = new.settings.difference(*earlier)
    if not steps:
        return new.quality if len(changed) < 2 else None
    drop, is_same = steps[-1].score - new.score, new.fingerprint in {step.fingerprint for step in steps}
    parents = [settings for settings in earlier if new.settings - settings == changed]
    is_too_easy = drop < MIN_DROP or (len(steps) >= WARM_UP_STEPS and not new.is_demanding)
    if len(changed) != 1 or is_too_easy or is_same or not parents:
        return None
    [(name, _)] = changed
    repeated = len({value for settings in earlier for key, value in settings if key == name}) - 1
    uneven, is_jump = abs(drop - IDEAL_DROP), parents[-1] != earlier[-1]
    return new.quality - UNEVEN_COST * uneven - REPEATED_COST * repeated - JUMP_COST * is_jump


def make_ladder(book: Book, chosen: Sequence[StepCandidate]) -> list[LadderStep]:
    """Return the chosen steps, each with a title, a description of the change, and the settings that changed back."""
    steps, previous = [], _settings_of(book)
    for number, each in enumerate(chosen):
        short, new = "first steps", key_rule(book)
        changed = each.settings.difference(_settings_of(book), *(step.settings for step in chosen[:number]))
        for name, _ in changed:
            short, clause = describe_change(each.book, name)
            new = f"New: {clause}."
        if back := [describe_change(each.book, name)[1] for name, _ in sorted(each.settings - previous - changed)]:
            new += f" As before: {'. '.join([back[0], *(clause[0].upper() + clause[1:] for clause in back[1:])])}."
        name, side = f"{book.variant}-{number + 1}", "first" if each.first == 1 else "second"
        steps.append(LadderStep(name, f"{book.title}: {short}", new, each.book.variant, each.character, side))
        previous = each.settings
    return steps


def generate_ladder(book: Book, progress: Progress = lambda _: None) -> list[LadderStep]:
    """Generate a ladder for any two-player book in a few seconds.

    If the search yields fewer than five steps, the conditions are relaxed: later steps need not be demanding (see
    `StepCandidate`), and the second step may be easier than the first.
    """
    require_two_players(book, "ladders")
    if len(range(*book.rules.line)) > MAX_QUICK_POSITIONS:  # even listing the lengths to try would take too long
        raise AnalysisError(f"no ladder found for {book.variant}: it is too large")
    axes = search_axes(book)
    values = max(1, (QUICK_VALUES if max_positions(book) <= MANY_POSITIONS else QUICK_VALUES // 2) // len(axes))
    axes = [Axis(axis.name, axis.values[:: -(-len(axis.values) // values)]) for axis in axes]
    candidates = list(find_candidates(book, axes, 2, progress))
    steps = choose_steps(book, candidates)
    if len(steps) < MIN_QUICK_STEPS:
        easiest = [each._replace(score=1.0) if each.book == book else each for each in candidates]
        steps = choose_steps(book, [each._replace(is_demanding=True) for each in easiest])
    if not steps:
        raise AnalysisError(f"no ladder found for {book.variant}: it is too large, or player 1 can't win")
    return make_ladder(book, steps)
