"""Ladders: every claim about every step of the shipped ladders, recomputed, and about generated ladders."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import assume, given, reject, settings

import numberline as nl
from numberline.bots import make_bot
from numberline.bots.levels import stored_calibrations
from numberline.characters import EASY, NAMED
from numberline.explain.queries import AnalysisError
from numberline.explain.rules_text import describe_change
from numberline.lab.fingerprint import fingerprint
from numberline.lab.ladder import (
    MAX_NAIVE_SCORE,
    MIN_QUICK_STEPS,
    NAIVE_POLICIES,
    WARM_UP_STEPS,
    generate_ladder,
    person_scores,
)
from numberline.lab.measure import DEFAULT_SKILL, measure_many
from numberline.lab.metrics import Measurements
from numberline.progress.ladder import LadderStep, stored_ladder
from numberline.solver.cache import cached_solution
from support.exact_outcomes import Played
from support.mixtures import book_of, mixtures


class Checked(NamedTuple):
    """A step with its book and everything that is claimed about it."""

    step: LadderStep
    book: nl.Book
    winner: int
    naive_score: float
    score: float
    measured: Measurements
    fingerprint: str

    @property
    def settings(self) -> set[tuple[str, str]]:
        return {(setting.name, setting.value) for setting in self.book.settings}


def check(book: nl.Book, steps: tuple[LadderStep, ...]) -> list[Checked]:
    """Compute the facts about all steps of a ladder."""
    books = [book.vary(*changes(book, step.variant)) for step in steps]
    checked = []
    for step, varied, measured in zip(steps, books, measure_many(books, curve=False), strict=True):
        solution = nl.solve(varied)
        *naive, score = person_scores(solution, (*NAIVE_POLICIES, DEFAULT_SKILL), [step.character])[
            :, step.first - 1, 0
        ]
        winner = solution.worth(varied.start(step.first)).winner
        checked.append(Checked(step, varied, winner, max(naive), score, measured, fingerprint(solution)))
    return checked


def changes(book: nl.Book, variant: str) -> list[str]:
    """Return all settings of a variant, written `name=value`."""
    _, parts = nl.game.settings.split_variant(variant)
    given_settings = nl.game.settings.parse_settings(parts)
    return [f'{one.name}="{given_settings.get(one.name, one.default)}"' for one in book.settings]


@cache
def shipped(name: str) -> list[Checked]:
    return check(nl.book(name), stored_ladder(nl.book(name)))


@pytest.fixture(params=nl.NAMES)
def ladder(request: pytest.FixtureRequest) -> list[Checked]:
    return shipped(request.param)


def new_settings(book: nl.Book, ladder: list[Checked], number: int) -> set[tuple[str, str]]:
    """Return the settings of a step that neither the book nor an earlier step has."""
    own = {(setting.name, setting.value) for setting in book.settings}
    return ladder[number].settings.difference(own, *(each.settings for each in ladder[:number]))


def differences(one: set[tuple[str, str]], other: set[tuple[str, str]]) -> set[str]:
    return {name for name, _ in one ^ other}


# The shipped ladders


@pytest.mark.parametrize("name", nl.NAMES)
def test_ladder_has_ten_to_twelve_steps_with_stable_ids(name: str) -> None:
    steps = stored_ladder(nl.book(name))
    assert 10 <= len(steps) <= 12
    assert [step.id for step in steps] == [f"{name}-{number}" for number in range(1, len(steps) + 1)]
    assert {step.side for step in steps} <= {"first", "second"}


def test_variants_and_custom_books_have_no_stored_ladder() -> None:
    own = nl.book_from_toml(nl.game.loader.builtin_text("flag-chase"), "flag-chase")
    assert stored_ladder(nl.book("flag-chase(end=12)")) == stored_ladder(own) == ()


def test_words_are_short_and_say_what_is_new(ladder: list[Checked]) -> None:
    book = nl.book(ladder[0].book.name)
    assert len({each.step.title for each in ladder}) == len(ladder)
    for number, (step, varied, *_) in enumerate(ladder):
        assert len(step.title) <= 40
        assert all(len(sentence.split()) <= 20 for sentence in step.new.split(". "))
        if number:
            [(name, value)] = new_settings(book, ladder, number)
            short, clause = describe_change(varied, name)
            said, _, back = step.new.partition(" As before: ")
            assert (step.title, said) == (f"{book.title}: {short}", f"New: {clause}.")
            returned = ladder[number].settings - {(name, value)} - ladder[number - 1].settings
            clauses = {describe_change(varied, name)[1].lower() for name, _ in returned}
            assert set(back.lower().removesuffix(".").split(". ")) == (clauses or {""})


def test_first_two_steps_are_welcoming(ladder: list[Checked]) -> None:
    assert ladder[0].step.variant == ladder[0].book.name
    assert [each.step.character for each in ladder[:WARM_UP_STEPS]] == [EASY] * 2


def test_perfect_play_wins_every_step_for_the_person(ladder: list[Checked]) -> None:
    assert {each.winner for each in ladder} == {1}


def test_random_and_longest_score_below_40_percent(ladder: list[Checked]) -> None:
    assert all(each.naive_score < MAX_NAIVE_SCORE == 0.4 for each in ladder[WARM_UP_STEPS:])


def test_choice_and_decisions_are_high(ladder: list[Checked]) -> None:
    for *_, measured, _ in ladder[WARM_UP_STEPS:]:
        assert (measured.choice or 0) >= 0.5
        assert (measured.decisions or 0) >= 0.25
        assert measured.endless == measured.waiting == 0


def test_no_two_steps_are_the_same_game(ladder: list[Checked]) -> None:
    assert len({each.fingerprint for each in ladder}) == len(ladder)


def test_each_step_has_one_new_rule_or_number(ladder: list[Checked]) -> None:
    book = nl.book(ladder[0].book.name)
    for number in range(1, len(ladder)):
        assert len(new_settings(book, ladder, number)) == 1
        assert any(len(differences(ladder[number].settings, each.settings)) == 1 for each in ladder[:number])


def test_steps_get_harder(ladder: list[Checked]) -> None:
    assert all(after.score < before.score for before, after in pairwise(ladder))
    levels = [NAMED.index(each.step.character) for each in ladder]
    assert levels == sorted(levels)
    assert set(levels) == set(range(len(NAMED)))


def test_lines_are_pleasant_and_steps_are_calibrated(ladder: list[Checked]) -> None:
    for step, varied, *_ in ladder:
        low, high = varied.rules.line
        assert 7 <= high - low + 1 <= 31
        assert max(varied.rules.steps, default=0) <= 6
        assert step.variant == varied.variant
        assert step.variant in stored_calibrations()
        assert step.character in stored_calibrations()[step.variant].characters


def test_person_scores_are_those_of_exact_fractions() -> None:
    step = stored_ladder(nl.book("flag-chase"))[3]
    solution = cached_solution(nl.book(step.variant))
    bots = [make_bot(text, solution.book, random.Random(1), solution=solution) for text in ("greedy", step.character)]
    found = person_scores(solution, ["greedy"], [step.character])[0, :, 0]
    assert found.tolist() == pytest.approx([float(wins) for wins in Played(solution, *bots).wins(1)], abs=0.005)


# Generated ladders


@settings(max_examples=5, deadline=None)
@given(mixtures(largest=100))
def test_any_mixture_gets_a_ladder_that_keeps_the_claims(text: str) -> None:
    book = book_of(text)
    assume(book.rules.players == 2)
    try:
        steps = tuple(generate_ladder(book))
    except (AnalysisError, nl.BookError):
        reject()  # no setting can be changed, or no player can win
    ladder = check(book, steps)
    assert len({each.fingerprint for each in ladder}) == len({each.step.title for each in ladder}) == len(ladder)
    for number, each in enumerate(ladder):
        assert each.step.id == f"{book.variant}-{number + 1}"
        assert each.winner == 1
        assert len(new_settings(book, ladder, number)) == 1 or number == 0
    assert all(after.score < before.score for before, after in pairwise(ladder[1:]))


def test_generated_ladder_of_a_variant_starts_with_the_variant() -> None:
    book, done = nl.book("number-reach(target=30)"), list[float]()
    steps = generate_ladder(book, done.append)
    assert len(steps) >= MIN_QUICK_STEPS
    assert all(each.naive_score < MAX_NAIVE_SCORE for each in check(book, tuple(steps))[WARM_UP_STEPS:])
    assert (steps[0].variant, steps[0].title) == (book.variant, "Number Reach: first steps")
    assert done == sorted(done)
    assert done[-1] == 1


def test_ladder_with_few_demanding_steps_gets_others() -> None:
    book = nl.book("line-runner(end=12)")
    ladder = check(book, tuple(generate_ladder(book)))
    assert len(ladder) >= MIN_QUICK_STEPS
    assert max(each.naive_score for each in ladder[WARM_UP_STEPS:]) > MAX_NAIVE_SCORE
    assert {each.winner for each in ladder} == {1}


def test_more_than_two_players_have_no_ladder() -> None:
    with pytest.raises(AnalysisError, match="ladders need two players"):
        generate_ladder(nl.book("number-reach(players=3)"))


def test_book_too_large_has_no_ladder() -> None:
    with pytest.raises(AnalysisError, match="no ladder found for line-runner"):
        generate_ladder(nl.book("line-runner(tokens=3, end=50)"))
