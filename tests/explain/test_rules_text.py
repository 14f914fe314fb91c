"""Rules text: true of its variant, and complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

import numberline as nl
from numberline.explain.rule_words import key_rule
from numberline.explain.rules_text import describe_changes, describe_key_rules, describe_rules, opening
from numberline.explain.text_board import describe_position
from numberline.progress.ladder import stored_steps
from numberline.solver.explore import find_incidents
from support.commands import numberline
from support.sentences import long_sentences
from support.variants import EVERY, RULE_BOOKS, books, reachable


def test_rules_in_a_game_name_the_players_and_omit_who_starts() -> None:
    book = nl.book("reach-the-edge")
    for you, goals in enumerate(
        (
            "Ann's goal is position 0 and Fox's is position 15.",
            "Your goal is position 0 and Fox's is position 15.",
            "Ann's goal is position 0 and yours is position 15.",
        )
    ):
        text = " ".join(section.text for section in describe_rules(book, ("Ann", "Fox"), you))
        assert goals in text
        assert "coin" not in text
    assert "coin" in prose(book)


def test_introductions_have_short_sentences() -> None:
    for step in stored_steps().values():
        book = nl.book(step.variant)
        assert not long_sentences(f"{step.introduction} {describe_key_rules(book)} {nl.book(book.name).about}")


quick = settings(max_examples=100, deadline=None)


def prose(book: nl.Book) -> str:
    """All sections in one text."""
    return " ".join(section.text for section in describe_rules(book))


def section_text(variant: str, heading: str) -> str:
    return next((section.text for section in describe_rules(nl.book(variant)) if section.heading == heading), "")


def assert_incidents_match(book: nl.Book) -> None:
    """Check that the rules mention lost turns and elimination exactly if they can happen."""
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
def test_rules_mention_lost_turns_and_elimination_if_possible(variant: str) -> None:
    assert_incidents_match(nl.book(variant))


@quick
@given(books())
def test_rules_of_any_variant_mention_what_can_happen(book: nl.Book) -> None:
    assert_incidents_match(book)


@quick
@given(books())
def test_rules_list_every_choice(book: nl.Book) -> None:
    text, rules = prose(book), book.rules
    turn = next(section.text for section in describe_rules(book) if section.heading == "Your turn")
    for stride in (*rules.steps, *rules.operations):
        assert re.search(rf"(^|\W){re.escape(str(stride))}\b", turn)
    assert ("one" in turn and "back" in turn) == rules.reverse
    assert ("skip" in turn) == rules.skip
    assert ("You can't repeat" in text) == (rules.repeat == "banned")
    assert (f"your {book.noun('token')}s" in turn) == (rules.tokens > 1)


@quick
@given(books())
def test_rules_give_every_reason_for_an_illegal_move(book: nl.Book) -> None:
    text = prose(book)
    sentences = {
        "would take": "You can't go past",
        "is off the line": "off the line" if book.rules.moves == "forward" else "can't go",
        "can't be divided": "A division must come out even.",
        "is in the way": "You can't land on",
    }
    for position in reachable(book, most=500):
        legal = book.moves(position)
        if not legal or legal[0] in ("pass", "out"):
            continue
        for move in book.choices:
            reason = "" if move in legal else book.why_not(position, move)
            assert all(sentence in text for part, sentence in sentences.items() if part in reason)


@quick
@given(books())
def test_rules_use_the_player_names_of_the_book(book: nl.Book) -> None:
    called = set(re.findall(r"Player (\w+)", prose(book)))
    assert called <= {book.label(player) for player in book.players}


def test_changes_name_a_long_range_of_steps_by_its_ends() -> None:
    assert describe_changes(nl.book("line-runner(steps=1-100)")) == "Here you move by 1 to 100."


def test_rules_give_the_order_of_more_than_two_players() -> None:
    assert "The three players take turns, in the order A, B, C." in section_text("line-runner(players=3)", "Your turn")
    assert "The four players take turns, in the order 1, 2, 3, 4." in section_text(
        "number-reach(players=4)", "Your turn"
    )


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_rules_say_who_goes_first_as_in_the_rule_book(name: str) -> None:
    begins = "Player 1 goes first, unless you agree otherwise." in section_text(name, "Your turn")
    assert begins == (name == "flag-chase")
    assert ("Agree on who goes first, or toss a coin." in section_text(name, "Your turn")) == (not begins)


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_rule_books_need_no_rule_for_a_lack_of_moves(name: str) -> None:
    assert section_text(name, "No move left") == ""


def test_goal_that_is_never_passed_is_not_called_exact() -> None:
    assert section_text("flag-chase(steps=1)", "The goal") == "Be the first to reach tile 5."
    assert section_text("number-reach(operations=+1)", "The goal") == "You win if you make the number 20."
    assert section_text("number-reach(operations=+1)", "Past the goal") == ""


def test_goal_is_for_all_tokens_or_one() -> None:
    all_tokens = "Be the first to reach or pass position 5 with all your tokens. Tokens at the goal stay there."
    assert section_text("line-runner(tokens=2, end=5)", "The goal") == all_tokens
    one = "Be the first to reach or pass position 5 with one of your tokens."
    assert section_text("line-runner(tokens=2, end=5, finish=one)", "The goal") == one


@pytest.mark.parametrize("overshoot", ["counts", "loses"])
def test_passing_the_goal_leaves_only_the_other_end_closed(overshoot: str, tmp_path: Path) -> None:
    file = tmp_path / "sway.toml"
    file.write_text(
        'title = "Sway"\n[rules]\nline = [0, 9]\nstart = 2\ngoal = 9\nmoves = "both ways"\nsteps = "1-2"\n'
        f'overshoot = "{overshoot}"\n'
    )
    assert "When you move away from the goal, you can't go off the line." in prose(nl.book(file))
    assert "off the line" not in prose(nl.book(f"number-line-sprint(overshoot={overshoot}, meeting=shares)"))


def test_two_of_three_players_from_one_side_can_meet(tmp_path: Path) -> None:
    file = tmp_path / "sides.toml"
    file.write_text(
        'title = "Sides"\n[rules]\nline = [0, 8]\nstart = [0, 8, 1]\ngoal = 4\nmoves = "forward"\nsteps = "1-2"\n'
        'players = 3\nmeeting = "blocks"\n'
    )
    assert "You can't land on another player's token or jump over it." in prose(nl.book(file))


def test_shared_number_has_no_line_but_a_least_value() -> None:
    text = prose(nl.book('number-reach(operations="+1 -1 *2")'))
    assert "You can't go below 1." in text
    assert "line" not in text


@pytest.mark.parametrize("variant", ["line-runner(end=2000)", "flag-chase(end=1000)"])
def test_incidents_of_a_large_game_come_from_arithmetic(variant: str) -> None:
    assert find_incidents(nl.book(variant), limit=100) == {"past the goal"}


def test_number_with_two_goals_is_closed_away_from_your_own(tmp_path: Path) -> None:
    file = tmp_path / "tug.toml"
    file.write_text(
        'title = "Tug"\n[rules]\nline = [1, 20]\ntokens = "shared"\nstart = 10\ngoal = [1, 20]\nmoves = "operations"\n'
        'operations = "-1 +3 *2"\novershoot = "loses"\n'
    )
    book = nl.book(file)
    assert book.moves(nl.Position(1, (15,))) == ("+3", "-1")
    assert book.moves(nl.Position(2, (15,))) == ("+3", "-1", "*2")
    assert "When you move away from your goal, you can't go below 1 or above 20." in prose(book)


def test_uneven_division_can_leave_no_move(tmp_path: Path) -> None:
    file = tmp_path / "down.toml"
    file.write_text(
        'title = "Down"\n[rules]\nline = [1, 20]\ntokens = "shared"\nstart = 20\ngoal = 1\nmoves = "operations"\n'
        'operations = "+2 *3 /2"\novershoot = "counts"\n'
    )
    assert nl.book(file).moves(nl.Position(1, (19,))) == ("pass",)
    assert "If you have no move, you lose your turn." in prose(nl.book(file))


def test_incidents_of_a_large_game_include_all_possible_ones() -> None:
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
def test_describe_position_in_sentences(variant: str, sentences: str) -> None:
    assert describe_position(nl.Match(nl.book(variant))) == sentences


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("reach-the-edge(repeat=free)", "Two players move one marker. Player 1's goal is position 0 and Player 2's is"),
        (
            "line-runner(meeting=shares)",
            "Two players have one token each. Be the first to reach or pass position 20. Any",
        ),
        ("flag-chase(overshoot=counts)", "Two players have one marker each. Be the first to reach or pass tile 5."),
        ("number-reach(players=3)", "Three players change one number. You win if you make the number exactly 20."),
        ("number-line-sprint(start=3)", "Two players have one token each. Be the first to reach exactly position 1"),
        (
            'number-reach(operations="+1 *2 -1")',
            "Two players change one number. You win if you make the number exactly 20",
        ),
        ("flag-chase(steps=1)", "Two players have one marker each. Be the first to reach tile 5."),
    ],
)
def test_opening_of_a_contradicting_variant_comes_from_rules(variant: str, expected: str) -> None:
    assert opening(nl.book(variant)).startswith(expected)


@pytest.mark.parametrize(
    "variant",
    [*nl.NAMES, "line-runner(end=30, steps=1-4)", "flag-chase(flag=6, skip=true)", "number-reach(target=50)"],
)
def test_opening_is_the_books_own_text_while_it_is_true(variant: str) -> None:
    assert opening(nl.book(variant)) == nl.book(variant).about


def test_rules_command_starts_with_the_opening() -> None:
    out = numberline("rules", "reach-the-edge(repeat=free)").out
    assert "the ban" not in out
    assert out.startswith("Reach the Edge: reach-the-edge(repeat=free)\n\nTwo players move one marker.")


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_introduction_describes_the_game_and_gives_no_strategy(name: str) -> None:
    advice = (
        r"\b(best|better|should|must|try|right place|right move|question|matters?|more than|wants? to|closer|never)\b"
    )
    assert not re.search(advice, nl.book(name).about)


@pytest.mark.parametrize(
    ("variant", "rule"),
    [
        ("reach-the-edge", "You can't repeat your opponent's step."),
        ("number-reach", "You can go past the goal, but then you lose the game."),
        ("number-line-sprint", "You can't land on your opponent's token or jump over it."),
        ("flag-chase", "You can't go past the goal."),
        ("line-runner", "A token that would land on another one stops just behind it."),
        ("flag-chase(repeat=banned)", "You can't repeat your opponent's step."),
        ("line-runner(meeting=shares)", "Going past the goal counts as reaching it."),
    ],
)
def test_key_rule_is_the_one_that_makes_the_game(variant: str, rule: str) -> None:
    assert key_rule(nl.book(variant)) == rule


@quick
@given(books())
def test_key_rule_is_one_of_the_full_rules(book: nl.Book) -> None:
    rule = key_rule(book)
    assert rule.removesuffix(".") in prose(book) or "past" in rule  # the full rules omit what can't happen
