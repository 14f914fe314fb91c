"""Matches: starts, copies, reprs, and the kinds of outcomes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import numberline as nl

CHASE = nl.book("flag-chase")


@pytest.mark.parametrize(
    "start",
    [
        nl.Position(1, (0, 11)),
        nl.Position(1, (-1, 10)),
        nl.Position(1, (0,)),
        nl.Position(1, (0, 10, 10)),
        nl.Position(3, (0, 10)),
        nl.Position(0, (0, 10)),
        nl.Position(1, (0, 10), last=4),
        nl.Position(1, (0, 10), out=1),
        nl.Position(1, (0, 10), out=4),
        nl.Position(1, (0, 10), out=-2),
        nl.Position(1, (0.0, 10)),
        nl.Position(turn=True, tokens=(0, 10)),
        nl.Position(1, 5),  # type: ignore[arg-type]  # what a program may pass
        nl.Position(1, ("0", "10")),
    ],
    ids=repr,
)
def test_impossible_start_is_rejected(start: nl.Position) -> None:
    with pytest.raises(
        nl.BookError, match=r"^start=Position.*: not possible in flag-chase; expected a position such as"
    ):
        nl.Match(CHASE, start=start)


def test_start_with_numpy_integers_is_a_plain_position() -> None:
    match = nl.Match(CHASE, start=nl.Position(np.int64(2), (np.int16(3), np.int64(10))))  # type: ignore[arg-type]
    assert match.position == nl.Position(2, (3, 10))
    assert {type(number) for number in (match.position.turn, *match.position.tokens)} == {int}


def test_copy_has_the_same_history_and_goes_its_own_way() -> None:
    match = nl.Match(CHASE, names=["Ann", "Ben"])
    match.play("3")
    twin = match.copy()
    twin.play("2")
    assert (match.length, twin.length, twin.plies[0], twin.names) == (1, 2, match.plies[0], match.names)
    twin.undo()
    assert (twin.position, twin.plies) == (match.position, match.plies)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda match: pickle.loads(pickle.dumps(match))])  # noqa: S301
def test_match_can_be_copied_and_pickled(duplicate: Any) -> None:
    match = nl.Match(CHASE)
    match.play("3")
    twin = duplicate(match)
    twin.play("2")
    assert (match.length, twin.length, twin.moves) == (1, 2, nl.Match(CHASE, start=twin.position).moves)


def test_reprs_say_what_a_thing_is() -> None:
    match = nl.Match(nl.book("flag-chase(end=12)"), names=["Ann"])
    assert repr(match) == "<Match flag-chase(end=12), Ann and Player 2, 0 plies, Ann to move>"
    match.play("1")
    match.resign()
    assert repr(match) == "<Match flag-chase(end=12), Ann and Player 2, 2 plies, Ann won>"
    assert repr(match.book) == "<Book flag-chase(end=12)>"


@pytest.mark.parametrize(
    ("variant", "moves", "kind"),
    [
        ("flag-chase", "3 2 2", "goal"),
        ("flag-chase(overshoot=loses)", "3 2 3", "overshot"),
        ("reach-the-edge(steps=2, stuck=loses, repeat=banned)", "2", "stuck"),
        ("flag-chase", "3 resign", "resigned"),
        ("flag-chase(overshoot=loses)", "3 resign", "resigned"),
        ("number-reach(players=3, overshoot=loses, target=20)", "*2 *2 *2 *2 *2 *2 +1", "last_left"),
    ],
)
def test_outcome_has_a_kind(variant: str, moves: str, kind: str) -> None:
    match = nl.Match(nl.book(variant))
    for move in moves.split():
        if match.outcome is None:
            match.resign() if move == "resign" else match.play(move)
    assert match.outcome
    assert match.outcome.kind == kind
    assert tuple(match.outcome) == (match.outcome.winner, match.outcome.reason)


def test_kind_survives_replacing_and_pickling() -> None:
    outcome = nl.Outcome(2, "Player 1 resigned.", "resigned")
    assert outcome._replace(reason="Ann resigned.").kind == "resigned"
    assert pickle.loads(pickle.dumps(outcome)).kind == "resigned"  # noqa: S301 - our own
    assert copy.deepcopy(outcome).kind == "resigned"


@pytest.mark.parametrize(
    ("variant", "before", "typed", "move"),
    [
        ("number-reach", "*2 *2", "1", "+1"),
        ("number-reach", "*2 *2", "times 2", "*2"),
        ("number-reach", "*2 *2", "5", "+1"),
        ("number-reach", "*2 *2", " 8 ", "*2"),
        ("number-reach", "*2 *2", "Double", "*2"),
        ("number-line-sprint", "", "left 2", "L2"),
        ("number-line-sprint", "", "Right1", "R1"),
        ("line-runner(tokens=2)", "", "b3", "2:3"),
        ("line-runner(tokens=2)", "", "A 1", "1:1"),
        ("flag-chase(tokens=2, reverse=true)", "1:2 1:2", "aback", "1:back"),
    ],
)
def test_other_spellings_of_a_move_are_understood(variant: str, before: str, typed: str, move: str) -> None:
    match = nl.Match(nl.book(variant))
    for played in before.split():
        match.play(played)
    assert match.play(typed).move == move


def test_bare_number_never_multiplies() -> None:
    with pytest.raises(nl.UnreadableMove, match="'3' can't be read as a move"):
        nl.Match(nl.book('number-reach(operations="+1 +2 *3", start=7)')).play("3")


def test_number_that_fits_two_sums_is_rejected() -> None:
    with pytest.raises(nl.UnreadableMove, match=r"both \+1 and \*2 make 2\. You can play \+1 or \*2\."):
        nl.Match(nl.book("number-reach")).play("2")


def test_token_at_home_cannot_move() -> None:
    match = nl.Match(nl.book("line-runner(tokens=2, end=4)"), start=nl.Position(1, (4, 0, 2, 0)))
    sentence = "A token at home can't move, so play 2:1, 2:2, or 2:3."
    assert match.book.restriction_sentence(match.position) == sentence
    with pytest.raises(nl.MoveError, match="a token at home can't move"):
        match.play("a1")
