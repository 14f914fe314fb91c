"""Views of reviewed games: marks, values, turning point, placeholders for names."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import numberline as nl
from numberline.explain.review import review
from numberline.views.match import match_view
from numberline.views.review import (
    TOO_LARGE_MESSAGE,
    evaluate_position,
    mark_view,
    review_view,
    turning_point_template,
)
from properties.test_views import holds
from support.match_script import played
from support.mixtures import book_of, mixtures


def test_review_view_has_the_turning_point_without_names() -> None:
    match = nl.Match(nl.book("flag-chase"), names=["Ann", "Ben"])
    for move in ("1", "3", "1", "2"):
        match.play(move)
    view = review_view(match, nl.solve(match.book))
    assert view.names == ("Ann", "Ben")
    assert view.result == "{2} won after 4 turns."
    assert view.turning.startswith("On {1}'s first move, 3 was better than 1")
    assert view.marks[view.turning_at - 1].symbol == "??"
    assert view.marks[view.turning_at - 1].comment.startswith("missed win: ")
    assert [accuracy.said for accuracy in view.accuracies][1].startswith("{2}: 2 moves mattered")
    assert view.outcome == nl.Outcome(2, "{2} reached 5.")
    assert "Ann" not in str(view._replace(names=()))


def test_game_of_three_has_no_marks_and_a_reason() -> None:
    match = played(nl.book("number-reach(players=3)"), "+1 *2")
    view = review_view(match, None)
    assert (view.marks, view.series, view.accuracies) == ((), (), ())
    assert view.sentence.startswith("There is no review of this game: reviews need two players")
    assert len(view.log) == 2


def test_game_without_a_solution_has_no_marks_and_a_reason() -> None:
    view = review_view(played(nl.book("line-runner"), "1 2"), None)
    assert (view.marks, view.turning, view.sentence) == ((), "", TOO_LARGE_MESSAGE)


def test_game_from_another_position_has_its_start() -> None:
    match = nl.Match(nl.book("line-runner"), start=nl.Position(2, (3, 5)))
    assert review_view(match, nl.solve(match.book)).start == "2 3,5"
    match.play("1")
    assert review_view(match, nl.solve(match.book)).start == "2 3,5"


@given(mixtures(largest=400), st.randoms(use_true_random=False))
def test_single_marks_and_values_equal_the_whole_review(text: str, rng: Any) -> None:
    book = book_of(text)
    match = nl.Match(book, first=rng.choice(book.players), names=[f"N{player}" for player in book.players])
    while match.moves and match.length < 12:
        match.play(rng.choice(match.moves))
    if match.moves and rng.random() < 0.3:
        match.resign()
    solution = nl.solve(book)
    view = review_view(match, solution)
    holds(view, book.rules.players)
    assert [(ply.move, ply.position) for ply in view.log] == [(p.move, p.position) for p in match_view(match).log]
    if book.rules.players > 2:
        assert view.sentence
        return
    assert view.marks == tuple(mark_view(solution, n, ply) for n, ply in enumerate(match.plies, 1))
    places = [*(ply.before for ply in match.plies[:1]), *(ply.after for ply in match.plies)] or [match.position]
    assert view.series == tuple(evaluate_position(solution, n, position) for n, position in enumerate(places))
    assert (view.turning, view.turning_at) == turning_point_template(solution, match)
    for player, name in zip(book.players, match.names, strict=True):
        view = view._replace(turning=view.turning.replace(f"{{{player}}}", name))
    assert view.turning == review(solution, match).turning_sentence()
