"""The rules in prose: true of the very variant that they are told of, and nothing left out that matters in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

import numberline as nl
from numberline.explain.rules_text import describe_rules, opening
from numberline.explain.text_board import describe_position
from numberline.solver.explore import find_incidents
from support.commands import numberline
from support.variants import EVERY, books, reachable

quick = settings(max_examples=100, deadline=None)


def prose(book: nl.Book) -> str:
    """All sections in one text."""
    return " ".join(section.text for section in describe_rules(book))


def told(variant: str, heading: str) -> str:
    """One section of a variant's rules, empty where it has none."""
    return next((section.text for section in describe_rules(nl.book(variant)) if section.heading == heading), "")


def holds(book: nl.Book) -> None:
    """What the prose says can happen does, and the other way round."""
    text, positions = prose(book), reachable(book)
    loses_turns = any(book.moves(position) == ("pass",) for position in positions)
    assert ("lose your turn" in text) == loses_turns
    assert loses_turns or "lost the turn" not in text
    is_out = any(position.out for position in positions)
    if book.rules.players > 2:
        assert bool(re.search(r"\b(is|are) out\b", text)) == ("The last player left wins." in text) == is_out
    else:
        outcomes = [outcome for position in positions if (outcome := book.outcome(position))]
        ends_off_the_goal = any("reached" not in outcome.reason for outcome in outcomes)
        assert ("lose the game" in text or "loses the game" in text) == ends_off_the_goal
        assert not re.search(r"\b(is|are) out\b", text)


@pytest.mark.parametrize("variant", EVERY)
def test_losing_a_turn_and_being_out_are_told_where_they_can_happen_and_nowhere_else(variant: str) -> None:
    holds(nl.book(variant))


@quick
@given(books())
def test_the_same_holds_for_any_variant(book: nl.Book) -> None:
    holds(book)


@quick
@given(books())
def test_every_choice_that_a_player_has_is_told(book: nl.Book) -> None:
    text, rules = prose(book), book.rules
    turn = next(section.text for section in describe_rules(book) if section.heading == "Your turn")
    for stride in (*rules.steps, *rules.operations):
        assert re.search(rf"(^|\W){re.escape(str(stride))}\b", turn)
    assert ("one" in turn and "back" in turn) == rules.reverse
    assert ("skip" in turn) == rules.skip
    assert ("You may not choose the distance" in text or "You may not use the operation" in text) == (
        rules.repeat == "banned"
    )
    assert (f"your {book.noun('token')}s" in turn) == (rules.tokens > 1)


@quick
@given(books())
def test_every_reason_for_which_a_move_is_refused_is_told(book: nl.Book) -> None:
    text = prose(book)
    spoken = {
        "it would go past": "A move that would go past",
        "is off the line": "off the line" if book.rules.moves == "forward" else "may not go",
        "can't be divided": "A division must come out even.",
        "a token is in the way": "You may not land on",
    }
    for position in reachable(book, most=500):
        legal = book.moves(position)
        if not legal or legal[0] in ("pass", "out"):
            continue
        for move in book.choices:
            reason = "" if move in legal else book.why_not(position, move)
            assert all(sentence in text for part, sentence in spoken.items() if part in reason)


@quick
@given(books())
def test_players_are_called_as_the_book_calls_them(book: nl.Book) -> None:
    called = set(re.findall(r"Player (\w+)", prose(book)))
    assert called <= {book.label(player) for player in book.players}


def test_more_than_two_play_in_an_order_that_is_told_by_their_names() -> None:
    assert "The three players take turns, in the order A, B, C." in told("line-runner(players=3)", "Your turn")
    assert "The four players take turns, in the order 1, 2, 3, 4." in told("number-reach(players=4)", "Your turn")


@pytest.mark.parametrize("name", nl.NAMES)
def test_who_begins_is_told_as_the_rule_book_has_it(name: str) -> None:
    begins = "Player 1 begins, unless you agree otherwise." in told(name, "Your turn")
    assert begins == (name == "flag-chase")
    assert ("Agree on who begins, or toss for it." in told(name, "Your turn")) == (not begins)


@pytest.mark.parametrize("name", nl.NAMES)
def test_nobody_is_ever_without_a_move_in_the_five_books_so_none_speaks_of_it(name: str) -> None:
    assert told(name, "No move left") == ""


def test_a_goal_that_is_never_passed_need_not_be_reached_exactly() -> None:
    assert told("flag-chase(steps=1)", "The goal") == "Be the first to reach tile 5."
    assert told("number-reach(operations=+1)", "The goal") == "Whoever makes the number 20 wins."
    assert told("number-reach(operations=+1)", "Overshooting") == ""


def test_all_tokens_must_be_brought_home_or_one() -> None:
    everybody = "Be the first to reach or pass position 5 with all your tokens. Tokens that are there move no more."
    assert told("line-runner(tokens=2, end=5)", "The goal") == everybody
    one = "Be the first to reach or pass position 5 with one of your tokens."
    assert told("line-runner(tokens=2, end=5, finish=one)", "The goal") == one


@pytest.mark.parametrize("overshoot", ["counts", "loses"])
def test_where_going_past_the_goal_is_allowed_only_the_other_end_of_the_line_is_closed(
    overshoot: str, tmp_path: Path
) -> None:
    file = tmp_path / "sway.toml"
    file.write_text(
        'title = "Sway"\n[rules]\nline = [0, 9]\nstart = 2\ngoal = 9\nmoves = "both ways"\nsteps = "1-2"\n'
        f'overshoot = "{overshoot}"\n'
    )
    assert "Away from the goal you may not go off the line." in prose(nl.book(file))
    assert "off the line" not in prose(nl.book(f"number-line-sprint(overshoot={overshoot}, meeting=shares)"))


def test_two_of_three_who_come_from_the_same_side_can_meet(tmp_path: Path) -> None:
    file = tmp_path / "sides.toml"
    file.write_text(
        'title = "Sides"\n[rules]\nline = [0, 8]\nstart = [0, 8, 1]\ngoal = 4\nmoves = "forward"\nsteps = "1-2"\n'
        'players = 3\nmeeting = "blocks"\n'
    )
    assert "You may not land on another player's token or pass over it." in prose(nl.book(file))


def test_a_number_that_everybody_changes_has_no_line_but_a_least_value() -> None:
    text = prose(nl.book('number-reach(operations="+1 -1 *2")'))
    assert "You may not go below 1." in text
    assert "line" not in text


@pytest.mark.parametrize("variant", ["line-runner(end=2000)", "flag-chase(end=1000)"])
def test_of_a_game_too_large_to_search_arithmetic_says_what_can_happen(variant: str) -> None:
    assert find_incidents(nl.book(variant), limit=100) == {"past the goal"}


def test_a_number_with_a_goal_at_each_end_is_closed_only_away_from_your_own(tmp_path: Path) -> None:
    file = tmp_path / "tug.toml"
    file.write_text(
        'title = "Tug"\n[rules]\nline = [1, 20]\ntokens = "shared"\nstart = 10\ngoal = [1, 20]\nmoves = "operations"\n'
        'operations = "-1 +3 *2"\novershoot = "loses"\n'
    )
    book = nl.book(file)
    assert book.moves(nl.Position(1, (15,))) == ("+3", "-1")
    assert book.moves(nl.Position(2, (15,))) == ("+3", "-1", "*2")
    assert "Away from your goal you may not go below 1 or above 20." in prose(book)


def test_a_division_that_never_comes_out_even_can_leave_nobody_a_move(tmp_path: Path) -> None:
    file = tmp_path / "down.toml"
    file.write_text(
        'title = "Down"\n[rules]\nline = [1, 20]\ntokens = "shared"\nstart = 20\ngoal = 1\nmoves = "operations"\n'
        'operations = "+2 *3 /2"\novershoot = "counts"\n'
    )
    assert nl.book(file).moves(nl.Position(1, (19,))) == ("pass",)
    assert "If you have no move, you lose your turn." in prose(nl.book(file))


def test_what_arithmetic_cannot_rule_out_in_a_large_game_is_told() -> None:
    assert find_incidents(nl.book("number-line-sprint(end=400)"), limit=100) == {"past the goal", "no move"}


@pytest.mark.parametrize(
    ("variant", "sentences"),
    [
        (
            "reach-the-edge",
            "The marker is on position 8. Player 1's goal is position 0. Player 2's goal is position 15.",
        ),
        ("number-reach", "The number is 1. The goal is 20."),
        (
            "line-runner(tokens=2)",
            "Player A is on positions 0 and 0. Player B is on positions 0 and 0. The goal is position 20.",
        ),
    ],
)
def test_the_line_is_told_in_sentences_to_somebody_who_listens(variant: str, sentences: str) -> None:
    assert describe_position(nl.Match(nl.book(variant))) == sentences


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("reach-the-edge(repeat=free)", "Two players move one marker. Player 1's goal is position 0 and Player 2's is"),
        (
            "line-runner(meeting=shares)",
            "Two players have one token each. Be the first to reach or pass position 20. Any",
        ),
        ("flag-chase(overshoot=counts)", "Two players have one marker each. Be the first to reach or pass tile 5."),
        ("number-reach(players=3)", "Three players change one number. Whoever makes the number exactly 20 wins."),
        ("number-line-sprint(start=3)", "Two players have one token each. Be the first to reach exactly position 1"),
        ('number-reach(operations="+1 *2 -1")', "Two players change one number. Whoever makes the number exactly 20"),
        ("flag-chase(steps=1)", "Two players have one marker each. Be the first to reach tile 5."),
    ],
)
def test_where_the_variant_contradicts_the_books_own_words_the_opening_is_made_from_the_rules(
    variant: str, said: str
) -> None:
    assert opening(nl.book(variant)).startswith(said)


@pytest.mark.parametrize(
    "variant",
    [*nl.NAMES, "line-runner(end=30, steps=1-4)", "flag-chase(flag=6, skip=true)", "number-reach(target=50)"],
)
def test_the_book_opens_in_its_own_words_while_they_are_true(variant: str) -> None:
    assert opening(nl.book(variant)) == nl.book(variant).about


def test_the_command_opens_so() -> None:
    out = numberline("rules", "reach-the-edge(repeat=free)").out
    assert "the ban" not in out
    assert out.startswith("Reach the Edge: reach-the-edge(repeat=free)\n\nTwo players move one marker.")
