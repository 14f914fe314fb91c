"""Reviews: marks, accuracy, turning point."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest

import numberline as nl
from numberline.explain.queries import AnalysisError
from numberline.explain.review import Accuracy, MoveMark, Review, review
from support.variants import CHOSEN


def played(variant: str, *moves: str, first: int = 1) -> nl.Match:
    match = nl.Match(nl.book(variant), first, ["Ann", "Bob"])
    for move in moves:
        if move == "resign":
            match.resign()
        else:
            match.play(move)
    return match


def reviewed(variant: str, *moves: str) -> Review:
    match = played(variant, *moves)
    return review(nl.solve(match.book), match)


@pytest.mark.parametrize("variant", [*nl.NAMES, *(name for name in CHOSEN[::2] if nl.book(name).rules.players == 2)])
def test_perfect_game_has_accuracy_100(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    for first in (1, 2):
        match = nl.Match(book, first)
        for move in solution.line(book.start(first)):
            match.play(move)
        found = review(solution, match)
        assert [accuracy.percent for accuracy in found.accuracies] == [100, 100]
        assert not any(ply.better for ply in found.plies)
        assert found.turning_point is None


@pytest.mark.parametrize("variant", nl.NAMES)
def test_only_perfect_play_has_an_accuracy_of_100(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    rng = random.Random(variant)
    for _ in range(30):
        match = nl.Match(book)
        perfect = {1: True, 2: True}
        while match.moves:
            move = rng.choice(match.moves)
            perfect[match.turn] &= move in solution.best(match.position)
            match.play(move)
        for accuracy in review(solution, match).accuracies:
            assert (accuracy.percent == 100) == perfect[accuracy.player]
            assert 0 <= accuracy.share <= 1


@pytest.mark.parametrize("variant", nl.NAMES)
def test_worth_after_a_ply_is_the_worth_before_the_next(variant: str) -> None:
    book = nl.book(variant)
    rng = random.Random(variant)
    match = nl.Match(book)
    while match.moves:
        match.play(rng.choice(match.moves))
    plies = review(nl.solve(book), match).plies
    for one, following in pairwise(plies):
        assert (one.after.winner, one.after.plies) == (following.before.winner, following.before.plies)


def test_blunder_is_the_turning_point() -> None:
    found = reviewed("number-reach", "+1", "+1", "*2", "+1", "*2", "+1", "+1", "+1", "+1", "+1", "+1")
    assert found.outcome
    assert found.outcome.winner == 1
    point = found.turning_point
    assert point
    assert (point.number, point.move, point.better) == (4, "+1", ("*2",))
    assert (point.before.winner, point.after.winner) == (2, 1)
    assert found.turning_sentence() == "On Bob's second move, *2 was better than +1: it could have won."
    assert found.turning_sentence(2) == "On your second move, *2 was better than +1: it could have won."


def test_last_of_several_changes_is_the_turning_point() -> None:
    found = reviewed("flag-chase", "1", "1", "1", "2", "2", "2")
    assert [ply.mark for ply in found.plies] == [
        MoveMark.MISSED,
        MoveMark.MISSED,
        MoveMark.BEST,
        MoveMark.BEST,
        MoveMark.MISSED,
        MoveMark.ONLY_WIN,
    ]
    assert found.turning_sentence() == "On Ann's third move, 3 was better than 2: it would have won at once."


def test_game_without_a_turning_point() -> None:
    found = reviewed("flag-chase", "3", "3", "2")
    assert found.turning_sentence() == "Ann had a sure win from the start and kept it to the end."
    assert found.turning_sentence(1) == "You had a sure win from the start and kept it to the end."
    assert reviewed("flag-chase", "3").turning_sentence() == "Ann had a sure win all along, and still has one."
    assert reviewed("flag-chase").turning_sentence() == "There are no moves yet."


def test_game_in_which_neither_player_had_a_sure_win() -> None:
    variant = "reach-the-edge(reverse=true, skip=true)"
    assert (
        reviewed(variant, "skip", "skip").turning_sentence()
        == "Neither player had a sure win at any point in this game."
    )


def test_slip_in_an_endless_game_is_marked() -> None:
    found = reviewed("number-reach(overshoot=counts, skip=true)", "skip", "+1", "+1", "*2", "+1", "+1", "*2", "*2")
    assert found.plies[6].mark is MoveMark.SLIP
    assert found.plies[6].comment == "slip: +1 or skip would have kept the game open"
    assert found.turning_sentence() == (
        "On Ann's fourth move, +1 was better than *2: it would have kept the game open."
    )


def test_slower_win_costs_part_of_the_credit() -> None:
    found = reviewed("line-runner(end=6)", "3", "3", "1", "1", "2")
    slow = found.plies[2]
    assert (slow.mark, slow.better) == (MoveMark.INEXACT, ("3",))
    assert (slow.before.plies, slow.after.plies) == (1, 2)
    assert slow.credit == Fraction(2, 3)
    assert slow.comment == "3 would have won at once"


def test_resigning_a_won_game_is_a_missed_win() -> None:
    won = reviewed("flag-chase", "resign")
    assert won.plies[0].mark is MoveMark.MISSED
    assert won.turning_sentence() == "On Ann's first move, Ann gave up, but 3 could still have won."
    lost = reviewed("flag-chase", "3", "resign")
    assert lost.plies[1].mark is MoveMark.RESIGNED
    assert lost.accuracies[1].percent == 100
    assert lost.turning_sentence() == "Ann had a sure win from the start."


def test_accuracy_percent_is_rounded_down() -> None:
    assert Accuracy(1, Fraction(79, 100), 100).percent == 79
    assert Accuracy(1, Fraction(7999, 10_000), 100).percent == 79
    assert Accuracy(1, Fraction(9999, 10_000), 100).percent == 99


def test_mean_of_many_credits_is_exact() -> None:
    match = played("flag-chase", *("1", "1", "1", "2", "3"))
    match._plies = [*match._plies[:1] * 21, *match._plies[4:5] * 79]
    assert [ply.credit for ply in review(nl.solve(match.book), match).plies] == [0] * 21 + [1] * 79
    assert review(nl.solve(match.book), match).accuracies[0].percent == 79


def test_turn_without_a_choice_does_not_count() -> None:
    found = reviewed("reach-the-edge(steps=2)", "2", "pass", "2")
    assert [ply.mark for ply in found.plies] == [MoveMark.NO_CHOICE] * 3
    assert [accuracy.counted for accuracy in found.accuracies] == [0, 0]


def test_curve_has_a_point_before_the_first_and_after_each_ply() -> None:
    found = reviewed("flag-chase", "1", "3", "2", "2")
    assert [point.winner for point in found.series] == [1, 2, 2, 2, 2]
    assert [point.number for point in found.series] == [0, 1, 2, 3, 4]
    assert found.curve[0] > 0
    assert found.curve[1:] == sorted(found.curve[1:], reverse=True)
    assert found.curve[-1] == -1


def test_every_mark_has_its_own_word_and_symbol() -> None:
    assert len({mark.word for mark in MoveMark}) == len({mark.symbol for mark in MoveMark}) == len(MoveMark)
    assert [mark for mark in MoveMark if not mark.symbol] == [MoveMark.BEST]


def test_game_of_ten_thousand_plies_is_reviewed() -> None:
    book = nl.book('number-reach(operations="+1 *2 -1")')
    match = nl.Match(book)
    rng = random.Random(1)
    while len(match.plies) < 500:
        safe = [move for move in match.moves if not book.outcome(book.after(match.position, move))]
        match.play(rng.choice(safe))
    match._plies *= 20
    found = review(nl.solve(book), match)
    assert len(found.plies) == 10_000
    assert len(found.series) == 10_001


def test_game_of_three_players_is_reviewed() -> None:
    found = reviewed("number-reach(players=3)", "*2", "*2", "*2", "*2", "*2", "+1", "+1")
    assert [ply.before.value for ply in found.plies] == ["open"] * 5 + ["loss", "win"]
    assert [point.winner for point in found.series] == [0, 0, 0, 0, 0, 1, 1, 1]
    assert found.turning_sentence() == (
        "On Bob's second move, +1 was better than *2: it would have kept the game open."
    )


def test_choosing_who_else_wins_is_not_a_mistake() -> None:
    found = reviewed("number-reach(players=3, start=18)", "+1")
    assert found.plies[0].before.value == "open"
    assert found.plies[0].after.value == "loss"
    assert found.plies[0].mark is not MoveMark.SLIP
    assert found.turning_sentence() == "On Ann's first move, +1 gave Bob a sure win."


def test_game_of_three_that_ends_in_resignations_is_reviewed() -> None:
    found = reviewed("number-reach(players=3)", "*2", "*2", "resign", "+1", "resign")
    assert [ply.move for ply in found.plies] == ["*2", "*2", "resign", "+1", "resign"]
    assert found.outcome
    assert found.outcome.winner == 1
    resigned = found.plies[2]
    assert (resigned.mark, resigned.credit) == (MoveMark.SLIP, Fraction(0))
    assert (resigned.after.value, resigned.after.out) == ("loss", True)
    assert (found.plies[4].after.winner, found.plies[4].after.plies) == (1, 0)
    assert found.series[-1] == (5, 1, 0)


def test_needless_elimination_has_no_credit() -> None:
    found = reviewed("number-reach(players=3, start=18)", "*2")
    assert (found.plies[0].mark, found.plies[0].credit) == (MoveMark.INEXACT, Fraction(0))
    assert found.plies[0].comment == "+1 would have delayed the loss"


def test_resigning_a_lost_game_is_not_a_mistake() -> None:
    found = reviewed("number-reach(players=3, start=18)", "resign")
    assert (found.plies[0].mark, found.plies[0].credit) == (MoveMark.RESIGNED, None)


def test_solution_of_another_variant_is_rejected() -> None:
    match = played("flag-chase", "1")
    with pytest.raises(AnalysisError, match="the solution is for line-runner, but the game was flag-chase"):
        review(nl.solve(nl.book("line-runner")), match)
