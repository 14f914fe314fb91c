"""Games looked back at: marks, accuracy, the turning point."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest

import numberline as nl
from numberline.explain.queries import AnalysisError
from numberline.explain.review import Accuracy, MoveMark, Review, comment, review, turning_point, turning_sentence
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
def test_a_perfect_game_has_no_slips_and_an_accuracy_of_100(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    for first in (1, 2):
        match = nl.Match(book, first)
        for move in solution.line(book.start(first)):
            match.play(move)
        found = review(solution, match)
        assert [accuracy.percent for accuracy in found.accuracies] == [100, 100]
        assert not any(ply.better for ply in found.plies)
        assert turning_point(found) is None


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
def test_the_worth_after_a_ply_is_the_worth_before_the_next_seen_by_the_other(variant: str) -> None:
    book = nl.book(variant)
    rng = random.Random(variant)
    match = nl.Match(book)
    while match.moves:
        match.play(rng.choice(match.moves))
    plies = review(nl.solve(book), match).plies
    for one, following in pairwise(plies):
        assert (one.after.winner, one.after.plies) == (following.before.winner, following.before.plies)


def test_a_blunder_made_by_hand_is_the_turning_point() -> None:
    found = reviewed("number-reach", "+1", "+1", "*2", "+1", "*2", "+1", "+1", "+1", "+1", "+1", "+1")
    assert found.outcome
    assert found.outcome.winner == 1
    point = turning_point(found)
    assert point
    assert (point.ply.number, point.ply.move, point.better_moves) == (4, "+1", ("*2",))
    assert (point.winner_before, point.winner_after) == (2, 1)
    assert turning_sentence(found) == (
        "Move 4 turned the game: Bob played +1 and gave Ann the win; with *2, Bob would have kept it."
    )
    assert turning_sentence(found, you=2) == (
        "Move 4 turned the game: you played +1 and gave Ann the win; with *2, you would have kept it."
    )


def test_the_last_of_several_changes_is_the_turning_point() -> None:
    found = reviewed("flag-chase", "1", "1", "1", "2", "2", "2")
    assert [ply.mark for ply in found.plies] == [
        MoveMark.MISSED,
        MoveMark.MISSED,
        MoveMark.BEST,
        MoveMark.BEST,
        MoveMark.MISSED,
        MoveMark.ONLY_WIN,
    ]
    assert turning_sentence(found) == (
        "Move 5 turned the game: Ann played 2 and gave Bob the win; with 3, Ann would have kept it."
    )


def test_a_game_that_never_changed_is_told_as_such() -> None:
    found = reviewed("flag-chase", "3", "3", "2")
    assert turning_sentence(found) == "Ann could force the win from the start and never let it go."
    assert turning_sentence(found, you=1) == "You could force the win from the start and never let it go."
    assert turning_sentence(reviewed("flag-chase", "3")) == "Ann could force a win all along, and still can."
    assert turning_sentence(reviewed("flag-chase")) == "No move was played."


def test_a_game_that_nobody_could_win_by_force_is_told_as_such() -> None:
    variant = "reach-the-edge(reverse=true, skip=true)"
    assert turning_sentence(reviewed(variant, "skip", "skip")) == "Nobody could force a win at any point of this game."


def test_a_slip_in_an_endless_game_is_marked_and_told() -> None:
    found = reviewed("number-reach(overshoot=counts, skip=true)", "skip", "+1", "+1", "*2", "+1", "+1", "*2", "*2")
    assert found.plies[6].mark is MoveMark.SLIP
    assert comment(found.plies[6]) == "slip: +1 or skip would not have lost"
    assert turning_sentence(found) == (
        "Move 7 turned the game: Ann played *2 and then Bob could force the win; +1 or skip would have prevented it."
    )


def test_a_slower_win_keeps_the_value_and_costs_a_part_of_the_credit() -> None:
    found = reviewed("line-runner(end=6)", "3", "3", "1", "1", "2")
    slow = found.plies[2]
    assert (slow.mark, slow.better) == (MoveMark.INEXACT, ("3",))
    assert (slow.before.plies, slow.after.plies) == (1, 2)
    assert slow.credit == Fraction(2, 3)
    assert comment(slow) == "3 would have won at once"


def test_giving_up_a_won_game_is_a_missed_win_and_giving_up_a_lost_one_is_not() -> None:
    won = reviewed("flag-chase", "resign")
    assert won.plies[0].mark is MoveMark.MISSED
    assert turning_sentence(won) == "Move 1 turned the game: Ann resigned although Ann could force a win with 2 or 3."
    lost = reviewed("flag-chase", "3", "resign")
    assert lost.plies[1].mark is MoveMark.RESIGNED
    assert lost.accuracies[1].percent == 100
    assert turning_sentence(lost) == "Ann could force the win from the start and never let it go."


def test_a_share_is_shown_in_percent_as_it_is() -> None:
    assert Accuracy(1, Fraction(79, 100), 100).percent == 79
    assert Accuracy(1, Fraction(7999, 10_000), 100).percent == 79
    assert Accuracy(1, Fraction(9999, 10_000), 100).percent == 99


def test_a_mean_of_many_credits_is_exact() -> None:
    match = played("flag-chase", *("1", "1", "1", "2", "3"))
    match._plies = [*match._plies[:1] * 21, *match._plies[4:5] * 79]
    assert [ply.credit for ply in review(nl.solve(match.book), match).plies] == [0] * 21 + [1] * 79
    assert review(nl.solve(match.book), match).accuracies[0].percent == 79


def test_a_turn_without_a_choice_is_marked_and_does_not_count() -> None:
    found = reviewed("reach-the-edge(steps=2)", "2", "pass", "2")
    assert [ply.mark for ply in found.plies] == [MoveMark.NO_CHOICE] * 3
    assert [accuracy.counted for accuracy in found.accuracies] == [0, 0]


def test_the_chart_has_a_point_before_the_first_and_after_every_ply() -> None:
    found = reviewed("flag-chase", "1", "3", "2", "2")
    assert [point.winner for point in found.series] == [1, 2, 2, 2, 2]
    assert [point.number for point in found.series] == [0, 1, 2, 3, 4]
    assert found.curve[0] > 0
    assert found.curve[1:] == sorted(found.curve[1:], reverse=True)
    assert found.curve[-1] == -1


def test_every_mark_has_a_word_and_every_mark_that_blames_or_praises_a_symbol() -> None:
    assert len({mark.word for mark in MoveMark}) == len({mark.symbol for mark in MoveMark}) == len(MoveMark)
    assert [mark for mark in MoveMark if not mark.symbol] == [MoveMark.BEST]


def test_a_game_of_ten_thousand_plies_is_reviewed() -> None:
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


def test_three_players_are_reviewed_by_what_each_could_force() -> None:
    found = reviewed("number-reach(players=3)", "*2", "*2", "*2", "*2", "*2", "+1", "+1")
    assert [ply.before.value for ply in found.plies] == ["open"] * 5 + ["loss", "win"]
    assert [point.winner for point in found.series] == [0, 0, 0, 0, 0, 1, 1, 1]
    assert turning_sentence(found) == (
        "Move 5 turned the game: Bob played *2 and then Ann could force the win; +1 would have prevented it."
    )


def test_a_player_who_can_only_choose_who_wins_is_not_told_that_another_move_was_better() -> None:
    found = reviewed("number-reach(players=3, start=18)", "+1")
    assert found.plies[0].before.value == "open"
    assert found.plies[0].after.value == "loss"
    assert found.plies[0].mark is not MoveMark.SLIP
    assert turning_sentence(found) == "Move 1 turned the game: Ann played +1 and then Bob could force the win."


def test_a_game_of_three_that_ends_in_resignations_is_reviewed() -> None:
    found = reviewed("number-reach(players=3)", "*2", "*2", "resign", "+1", "resign")
    assert [ply.move for ply in found.plies] == ["*2", "*2", "resign", "+1", "resign"]
    assert found.outcome
    assert found.outcome.winner == 1
    resigned = found.plies[2]
    assert (resigned.mark, resigned.credit) == (MoveMark.SLIP, Fraction(0))
    assert (resigned.after.value, resigned.after.out) == ("loss", True)
    assert (found.plies[4].after.winner, found.plies[4].after.plies) == (1, 0)
    assert found.series[-1] == (5, 1, 0)


def test_going_out_where_another_move_held_out_longer_has_no_credit() -> None:
    found = reviewed("number-reach(players=3, start=18)", "*2")
    assert (found.plies[0].mark, found.plies[0].credit) == (MoveMark.INEXACT, Fraction(0))
    assert comment(found.plies[0]) == "+1 would have held out longer"


def test_giving_up_where_every_move_loses_is_no_slip() -> None:
    found = reviewed("number-reach(players=3, start=18)", "resign")
    assert (found.plies[0].mark, found.plies[0].credit) == (MoveMark.RESIGNED, None)


def test_a_solution_of_another_variant_is_refused() -> None:
    match = played("flag-chase", "1")
    with pytest.raises(AnalysisError, match="the solution is of line-runner, but the game was flag-chase"):
        review(nl.solve(nl.book("line-runner")), match)
