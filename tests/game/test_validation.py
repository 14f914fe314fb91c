"""Settings of variants: valid values are parsed, and invalid ones are rejected with a clear message."""

from __future__ import annotations

import pytest

import numberline as nl


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("line-runner", "line-runner"),
        ("Line Runner", "line-runner"),
        ("line_runner( END = 30 )", "line-runner(end=30)"),
        ("line-runner(steps=1-3, end=20)", "line-runner"),
        ("line-runner(steps=1,4, end=18)", "line-runner(end=18, steps=1,4)"),
        ("line-runner(steps=4,1,2,3)", "line-runner(steps=1-4)"),
        ("line-runner(steps=1-2,5)", "line-runner(steps=1,2,5)"),
        ("line-runner(steps=1 - 2 , 5)", "line-runner(steps=1,2,5)"),
        ("line-runner(steps=1 2 12)", "line-runner(steps=1,2,12)"),
        ("line-runner(steps=2)", "line-runner(steps=2)"),
        ("reach-the-edge(start=8)", "reach-the-edge"),
        ("reach-the-edge(end=21, start=11)", "reach-the-edge(end=21)"),
        ("reach-the-edge(start=middle)", "reach-the-edge"),
        ("number-reach(start=middle)", "number-reach(start=11)"),
        ("number-reach(operations=*2 +1)", "number-reach"),
        ("number-reach(operations=+1, x2, -1)", 'number-reach(operations="+1 -1 *2")'),
        ("number-reach(operations='+1 ÷2 \N{MULTIPLICATION SIGN}3')", 'number-reach(operations="+1 *3 /2")'),
        ("flag-chase(reverse=yes, skip=ON)", "flag-chase(reverse=true, skip=true)"),
        ("line-runner()", "line-runner"),
    ],
)
def test_a_variant_has_one_canonical_text(typed: str, canonical: str) -> None:
    assert nl.book(typed).variant == canonical


@pytest.mark.parametrize(
    ("variant", "sentence"),
    [
        ("line-runner(end=0)", "end=0: the line starts at 0; expected 1 or more"),
        ("line-runner(end=x)", "end=x: expected a whole number up to 1000000000"),
        ("line-runner(end=middle)", "end=middle: expected a whole number up to 1000000000"),
        ("line-runner(end=99999999999)", "end=99999999999: expected a whole number up to 1000000000"),
        ("reach-the-edge(end=1)", "end=1: the line is too short for start and goal; expected 2 or more"),
        ("number-line-sprint(end=2)", "end=2: the line is too short for start and goal; expected 3 or more"),
        ("flag-chase(end=1, flag=0)", "end=1: the line is too short for start and goal; expected 2 or more"),
        ("number-reach(start=2, target=2)", "start=2: that is a goal; expected 1"),
        ("reach-the-edge(start=16)", "start=16: expected a place on the line from 0 to 15"),
        ("reach-the-edge(start=0)", "start=0: that is a goal; expected a place from 1 to 14"),
        ("number-line-sprint(start=11)", "start=11: that is a goal; expected a place from 2 to 10"),
        ("flag-chase(flag=0)", "flag=0: a token starts there; expected a place from 1 to 9"),
        ("flag-chase(flag=11)", "flag=11: expected a place on the line from 0 to 10"),
        ("number-reach(start=20)", "start=20: that is a goal; expected a place from 1 to 19"),
        ("number-reach(start=0)", "start=0: expected a place on the line from 1 to 20"),
        ("line-runner(steps=)", "steps=: expected up to 100 steps such as 1-3, 1,2,5 or 2"),
        ("line-runner(steps=0-3)", "steps=0-3: expected up to 100 steps such as 1-3, 1,2,5 or 2"),
        ("line-runner(steps=3-1)", "steps=3-1: expected up to 100 steps such as 1-3, 1,2,5 or 2"),
        ("line-runner(steps=1-101)", "steps=1-101: expected up to 100 steps such as 1-3, 1,2,5 or 2"),
        (
            "flag-chase(steps=6)",
            "steps=6: no move would ever be legal, since the distance to the goal is 5; include a step of 5 or less",
        ),
        (
            "flag-chase(steps=6,8)",
            "steps=6,8: no move would ever be legal, since the distance to the goal is 5; include a step of 5 or less",
        ),
        (
            "number-reach(operations=^2)",
            'operations=^2: expected operations such as "+1 *2" (the smallest are +1, -1, *2 and /2)',
        ),
        (
            "number-reach(operations=*1)",
            'operations=*1: expected operations such as "+1 *2" (the smallest are +1, -1, *2 and /2)',
        ),
        (
            "number-reach(operations=-1 /2)",
            "operations=-1 /2: none of them leads towards the goal; include one such as +1 or *2",
        ),
        ("line-runner(overshoot=wins)", "overshoot=wins: expected refused, loses or counts"),
        ("line-runner(players=7)", "players=7: expected a whole number from 2 to 6"),
        ("line-runner(tokens=0)", "tokens=0: expected a whole number from 1 to 3"),
        ("line-runner(skip=maybe)", "skip=maybe: expected true or false"),
        ("reach-the-edge(players=3)", "players=3: Reach the Edge has a goal for each of 2 players; expected 2"),
        ("flag-chase(players=3)", "players=3: Flag Chase has a start for each of 2 players; expected 2"),
        ("line-runner(end=3, end=4)", "end is set twice; set it once"),
        ("line-runner(30)", "'30' is not a setting; write it as name=value, such as end=30"),
        ("line-runner(end=30", "'line-runner(end=30' is not a valid variant; expected one such as line-runner(end=30)"),
    ],
)
def test_invalid_setting_is_rejected(variant: str, sentence: str) -> None:
    with pytest.raises(nl.BookError) as caught:
        nl.book(variant)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("variant", "sentence"),
    [
        (
            "number-reach(meeting=blocks)",
            "meeting=blocks: Number Reach has a single marker that can't collide; expected shares",
        ),
        (
            "flag-chase(meeting=stops)",
            "meeting=stops: with one token per player, tokens never meet in Flag Chase; expected shares, or also set tokens=2 or 3",  # noqa: E501 - one sentence
        ),
        ("reach-the-edge(tokens=2)", "tokens=2: Reach the Edge has a single marker that all players move; omit tokens"),
        ("reach-the-edge(finish=one)", "finish=one: Reach the Edge has a single marker; omit finish"),
        ("line-runner(finish=one)", "finish=one: it matters only with several tokens; also set tokens=2 or 3"),
        (
            "number-line-sprint(reverse=true)",
            "reverse=true: moves go both ways in Number Line Sprint; omit reverse",
        ),
        ("number-reach(reverse=true)", "reverse=true: Number Reach has operations; add -1 to operations instead"),
        (
            "number-reach(stuck=loses)",
            "stuck=loses: no player is ever stuck here; omit stuck, or also set overshoot=refused",
        ),
        (
            "number-line-sprint(skip=true, stuck=passes)",
            "stuck=passes: with skip=true a player is never stuck; omit stuck, or set skip=false",
        ),
    ],
)
def test_rule_without_effect_is_rejected_with_the_reason(variant: str, sentence: str) -> None:
    with pytest.raises(nl.BookError) as caught:
        nl.book(variant)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    "variant",
    [
        "line-runner(tokens=2, finish=one)",
        "flag-chase(tokens=2, meeting=stops)",
        "number-reach(overshoot=refused, stuck=loses)",
        "reach-the-edge(stuck=loses)",
        "flag-chase(stuck=loses)",
        "line-runner(finish=all)",
        "number-line-sprint(players=6)",
        "line-runner(players=6)",
    ],
)
def test_rule_that_can_matter_is_accepted_with_any_numbers(variant: str) -> None:
    assert nl.book(variant).moves(nl.book(variant).start())


def test_first_player_must_be_a_player() -> None:
    with pytest.raises(nl.BookError, match="first=3: expected a player from 1 to 2"):
        nl.book("flag-chase").start(first=3)


def test_a_match_has_no_more_names_than_players() -> None:
    with pytest.raises(ValueError, match="3 names for 2 players; give at most 2"):
        nl.Match(nl.book("flag-chase"), names=("a", "b", "c"))


def test_finished_game_accepts_no_move_and_no_resignation() -> None:
    match = nl.Match(nl.book("flag-chase(flag=1)"))
    match.play("1")
    with pytest.raises(nl.MoveError, match="you can't resign: the game is over"):
        match.resign()
    with pytest.raises(nl.IllegalMove, match="'1' is not allowed: the game is over"):
        match.play("1")


@pytest.mark.parametrize(
    ("variant", "before", "typed", "sentence"),
    [
        ("flag-chase", "3 3", "3", "you can't play 3: it would take you past the flag. You can play 1 or 2."),
        (
            "flag-chase(reverse=true)",
            "",
            "back",
            "you can't play back: -1 is off the line. You can play 1, 2, or 3.",
        ),
        (
            "reach-the-edge",
            "3",
            "3",
            "you can't play 3: Player 1 just did. You can play 1 or 2.",
        ),
        (
            "number-line-sprint",
            "R2",
            "R2",
            "you can't play R2: Player 1 is in the way. You can play L1, L2, or R1.",
        ),
        (
            'number-reach(operations="+1 /2")',
            "",
            "/2",
            "you can't play /2: 1 can't be divided by 2 without a remainder. You can play +1.",
        ),
        (
            "line-runner(tokens=2, end=2)",
            "1:2 1:1",
            "1:1",
            "you can't play 1:1: a token at home can't move. You can play 2:1, 2:2, or 2:3.",
        ),
        (
            "reach-the-edge(steps=2)",
            "2",
            "2",
            "you can't play 2: Player 1 just did. You can play pass.",
        ),
        (
            "flag-chase",
            "",
            "pass",
            "you can't play pass: you lose a turn only when you have no move. You can play 1, 2, or 3.",
        ),
        ("flag-chase", "", "9", "'9' is not a move in this game. You can play 1, 2, or 3."),
        ("flag-chase", "", "back", "'back' is not a move in this game. You can play 1, 2, or 3."),
        ("number-reach", "", "+3", "'+3' is not a move in this game. You can play +1 or *2."),
        ("flag-chase", "", "hop", "'hop' can't be read as a move. You can play 1, 2, or 3."),
        (
            "line-runner(tokens=2, steps=1-2)",
            "",
            "2",
            "'2' doesn't say which token moves; write it as a2 or b2. You can play 1:1, 1:2, 2:1, or 2:2.",
        ),
    ],
)
def test_illegal_move_is_rejected_with_the_reason(variant: str, before: str, typed: str, sentence: str) -> None:
    match = nl.Match(nl.book(variant))
    for move in before.split():
        match.play(move)
    with pytest.raises(nl.MoveError) as caught:
        match.play(typed)
    assert str(caught.value) == sentence
