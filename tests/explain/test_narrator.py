"""Sentences about what happened in a game."""

from __future__ import annotations

from hypothesis import given, settings

import numberline as nl
from numberline.explain.explanation import hint
from numberline.explain.narrator import Narrator
from numberline.explain.phrases import Phrases
from support.variants import books, reachable


def sentence(book: str, *moves: str, you: int = 0, past: bool = False) -> str:
    match = nl.Match(nl.book(book), names=["Ann", "Ben"])
    for move in moves:
        match.play(move)
    return Phrases(match.book, match.names, you).describe_ply(match.plies[-1], past=past)


def test_stopped_step_says_who_is_there() -> None:
    assert sentence("line-runner", "3", "3") == "Ben wanted 3, but Ann is there, so Ben stops on 2"
    assert sentence("line-runner", "3", "3", you=2) == "you wanted 3, but Ann is there, so you stop on 2"
    assert sentence("line-runner", "3", "3", you=1) == "Ben wanted 3, but you are there, so Ben stops on 2"


def test_stopped_step_is_in_past_tense_in_the_log() -> None:
    assert sentence("line-runner", "1", "1", past=True) == "Ben wanted 1, but Ann stood there, so Ben stayed on 0"


def test_move_is_told_to_the_player_who_made_it() -> None:
    assert sentence("line-runner", "3", you=1) == "you move to position 3"
    assert sentence("reach-the-edge", "3", you=2) == "Ann moves the marker to 5"
    assert sentence("number-reach", "*2", you=1) == "you play *2: the number is now 2"
    assert sentence("number-reach(target=3)", "*2", "*2", you=2) == "you move past 3 and lose"
    assert sentence("flag-chase(skip=true)", "skip", you=1) == "you skip the turn"
    assert sentence("flag-chase(tokens=2)", "1:2", you=1) == "you move P1a to tile 2"


def test_lost_turn_gives_the_reason() -> None:
    lost = "reach-the-edge(steps=1,3, start=14)", "1", "pass"
    assert sentence(*lost, you=2) == "you can't move: 1 is banned and 3 is too far, so you miss a turn"
    assert sentence(*lost, past=True) == "Ben couldn't move: 1 was banned and 3 was too far, so Ben missed a turn"


def test_token_at_home_is_not_said_to_be_in_the_way() -> None:
    book = nl.book("flag-chase(tokens=2, meeting=stops, overshoot=counts)")
    match = nl.Match(book, start=nl.Position(2, (7, 0, 10, 7)))
    text = Narrator(match).event(match.play("1:3"))
    assert text == "\n7 is taken by Player 2 (P2b).\nPlayer 2 (P2a) stops on 8.\n"


@settings(max_examples=30, deadline=None)
@given(books())
def test_stopped_step_always_names_a_token_in_the_way(book: nl.Book) -> None:
    for position in reachable(book, most=200):
        match = nl.Match(book, start=position)
        for move in match.moves:
            effect = book.move_effect(position, move) if move.token is not None else None
            was_stopped = effect is not None and effect.landing != effect.target
            ply = nl.Match(book, start=position).play(move)
            assert (" wanted " in Phrases(book).describe_ply(ply)) == was_stopped


def test_hint_says_who_wins_when_the_opponent_has_no_move() -> None:
    book = nl.book("number-line-sprint(steps=2, end=9, repeat=banned)")
    text = hint(nl.solve(book), book.start(), 2).text
    assert text.endswith("Player 2 can't move, so you win at once. R2 is just as good.")
