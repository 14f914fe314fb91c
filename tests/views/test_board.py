"""Views of books, positions and matches, checked against the rules and the solution."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import numberline as nl
from numberline.explain.rules_text import opening
from numberline.game.moves import FORCED_MOVES
from numberline.game.notation import parse_position
from numberline.views.board import PLACEHOLDERS, PositionView, book_view, position_view
from numberline.views.match import last_ply, match_view, to_json
from numberline.views.review import values_view
from support.match_script import played
from support.variants import EVERY, reachable

WORTHS = {"worth", "values", "value", "letter", "shape", "colour", "turns", "best", "winner"}
"""Keys of values in JSON."""


def views(variant: str) -> Iterator[tuple[nl.Book, nl.Position, PositionView]]:
    """Every position of a variant, with what is shown of it."""
    book = nl.book(variant)
    for position in reachable(book):
        yield book, position, position_view(book, position)


def keys(shown: Any) -> set[str]:
    """All keys of something that was read from JSON, at any depth."""
    if isinstance(shown, dict):
        return set(shown) | {key for value in shown.values() for key in keys(value)}
    return {key for value in shown for key in keys(value)} if isinstance(shown, list) else set()


@pytest.mark.parametrize("variant", EVERY)
def test_legal_choices_are_the_moves_and_successors_of_the_book(variant: str) -> None:
    for book, position, view in views(variant):
        assert tuple(choice.move for choice in view.legal) == book.moves(position)
        for choice in view.legal:
            after = book.after(position, choice.move)
            assert parse_position(choice.leads) == after
            assert not choice.why_not
            outcome = book.outcome(after)
            assert choice.result == (
                ("wins" if outcome.winner == position.turn else "loses")
                if outcome
                else "out" * bool(after.is_out(position.turn))
            )
            if choice.token is not None and not after.is_out(position.turn):
                assert (position.tokens[choice.token], after.tokens[choice.token]) == (choice.place, choice.lands)


@pytest.mark.parametrize("variant", EVERY)
def test_illegal_choices_have_the_reason_of_the_engine(variant: str) -> None:
    for book, position, view in views(variant):
        refused = [choice for choice in view.choices if not choice.legal]
        legal = book.moves(position)
        assert [choice.move for choice in refused] == [move for move in book.choices if legal and move not in legal]
        for choice in refused:
            assert choice.why_not == book.why_not(position, book.read(choice.move, position))
            assert (choice.lands, choice.leads, choice.result) == (None, "", "")


@pytest.mark.parametrize("variant", EVERY)
def test_tokens_goals_and_turn_are_those_of_the_position(variant: str) -> None:
    for book, position, view in views(variant):
        assert (parse_position(view.position), view.turn) == (position, position.turn)
        outcome = book.outcome(position)
        plain = outcome and outcome._replace(reason=outcome.reason.replace("overshot", "went past the goal"))
        assert view.outcome == plain
        assert set(view.out) == {player for player in book.players if position.is_out(player)}
        own = [place for player in book.players if player not in view.out for place in book.tokens_of(position, player)]
        assert [token.place for token in view.tokens] == (list(position.tokens) if book.rules.shared else own)
        assert {token.place for token in view.tokens} <= set(view.places)
        low, high = book_view(book).places
        assert all(low <= token.place <= high for token in view.tokens)
    for goal in book_view(book).goals:
        assert goal.place in book.rules.goals[max(0, goal.player - 1)]


@pytest.mark.parametrize("variant", EVERY)
def test_values_are_those_of_the_solution(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    for position in reachable(book):
        shown, option = values_view(solution, position), solution.evaluate_moves(position)
        assert tuple(each.move for each in shown.moves) == book.moves(position)
        assert [(each.worth.value, each.worth.turns, each.best) for each in shown.moves] == [
            (each.value, each.plies, each.best) for each in option
        ]
        worth = solution.worth(position)
        found = shown.worth and (shown.worth.value, shown.worth.turns, shown.worth.winner, shown.worth.letter)
        assert found == ((worth.value, worth.plies, worth.winner, worth.letter) if option else None)


@pytest.mark.parametrize("variant", EVERY)
def test_position_and_book_views_have_no_values(variant: str) -> None:
    for _, position, view in views(variant):
        shown = json.loads(json.dumps(to_json(view._replace(outcome=None))))
        assert not keys(shown) & WORTHS
        assert set(shown) == set(view._fields)
        assert parse_position(shown["position"]) == position
    assert not keys(json.loads(json.dumps(to_json(book_view(nl.book(variant)))))) & WORTHS


def test_match_view_has_no_values_and_values_view_has_them() -> None:
    match = played(nl.book("flag-chase"), "3 1")
    assert not keys(json.loads(json.dumps(to_json(match_view(match))))) & WORTHS
    shown = json.loads(json.dumps(to_json(values_view(nl.solve(match.book), match.position, match.names))))
    assert shown["moves"][1] == {
        "move": "2",
        "worth": {
            "value": "win",
            "letter": "W",
            "shape": "▲",
            "colour": "green",
            "turns": 1,
            "winner": 1,
            "said": "wins at once",
        },
        "best": True,
    }


def test_log_uses_the_given_names() -> None:
    match = nl.Match(nl.book("line-runner"), names=["{1}", "{2}"])
    assert (match_view(match).undo, match_view(match).resign) == (False, True)
    match.play("3")
    match.play("3")
    stopped = match_view(match).log[-1]
    assert stopped.said == "Position 3 is occupied by {1}. {2} moves to position 2 instead."
    assert stopped.told == "{2} wanted 3, but {1} stood there, so {2} stopped on 2"
    assert last_ply(match) == stopped
    assert (stopped.move, stopped.place, stopped.wanted, stopped.lands, stopped.position) == ("3", 0, 3, 2, "1 3,2")
    match.resign()
    over = match_view(match)
    assert (over.log[-1].said, over.undo, over.resign) == ("{1} resigns.", True, False)
    assert (over.log[-1].told, over.outcome) == ("{1} resigned", nl.Outcome(2, "{1} resigned."))


def test_forced_pass_is_the_only_legal_choice() -> None:
    book = nl.book("reach-the-edge(steps=2)")
    view = position_view(book, played(book, "2").position)
    assert [(choice.move, choice.legal) for choice in view.choices] == [("pass", True), ("2", False)]
    assert view.choices[0].move in FORCED_MOVES


def test_banned_step_is_written_like_a_move() -> None:
    book = nl.book("reach-the-edge")
    assert position_view(book, played(book, "3").position).banned == "3"
    book = nl.book("number-reach(repeat=banned)")
    assert position_view(book, played(book, "*2").position).banned == "*2"
    assert position_view(book, book.start()).banned == ""


def test_long_line_is_shown_near_tokens_and_goals_only() -> None:
    book = nl.book("line-runner(end=5000)")
    view = position_view(book, nl.Position(1, (2500, 0)))
    assert [place for place in view.places if place is not None and 2490 < place < 2510] == list(range(2497, 2504))
    assert view.places.count(None) == 2


def test_position_sentences_use_the_given_names() -> None:
    book = nl.book("flag-chase")
    assert position_view(book, book.start(), ["{1}", "{2}"]).said.startswith("{1} is on tile 0. {2} is on tile 10.")


def test_board_and_match_views_load_no_solver_and_no_numpy() -> None:
    code = (
        "import sys, numberline as nl\n"
        "from numberline.views.board import book_view, position_view\n"
        "from numberline.views.match import match_view\n"
        "match = nl.Match(nl.book('flag-chase'))\n"
        "book_view(match.book), position_view(match.book, match.position), match_view(match)\n"
        "assert not {'numpy', 'numberline.solver.solution', 'threading'} & set(sys.modules)\n"
        "from numberline.views.review import values_view\n"
        "values_view(nl.solve(match.book), match.position); print('numpy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "False\n"


def spoken(variant: str, position: str) -> dict[str, tuple[str, str]]:
    """For each choice the note on it and how it is read aloud."""
    view = position_view(nl.book(variant), parse_position(position), PLACEHOLDERS)
    return {choice.move: (choice.note, choice.spoken) for choice in view.choices}


def test_taken_place_is_noted_on_the_move() -> None:
    assert spoken("line-runner", "1 0,3")["3"] == ("3 is taken", "3: to 2, 3 is taken")
    assert spoken("line-runner", "1 0,3")["2"] == ("", "2: to 2")
    assert spoken("line-runner(steps=1-3)", "1 4,5")["1"] == ("5 is taken", "1: stays on 4, 5 is taken")


def test_going_past_the_goal_is_noted_if_it_loses() -> None:
    assert spoken("number-reach", "1 18")["*2"] == ("past 20: you lose", "*2: past 20, you lose")
    assert spoken("number-reach(players=3)", "1 18")["*2"][0] == "past 20: you are out"
    assert spoken("number-reach(overshoot=counts)", "1 18")["*2"] == ("", "*2: makes 36")


def test_illegal_choice_is_read_aloud_with_its_reason() -> None:
    refused = spoken("number-reach(overshoot=refused)", "1 18")["*2"]
    assert refused == ("", "*2: it would take the number past the target")


def test_move_of_one_of_several_tokens_names_the_token() -> None:
    assert spoken("line-runner(tokens=2)", "1 0,0,0,0")["2:3"] == ("", "3 with token b: to 3")


def test_book_view_describes_the_goal() -> None:
    assert book_view(nl.book("number-reach")).goal == "You win if you make the number exactly 20."
    assert book_view(nl.book("reach-the-edge")).goal == (
        "{1}'s goal is position 0 and {2}'s is position 15. You win when the marker lands exactly on your goal."
    )


def test_reason_of_an_outcome_uses_the_given_names() -> None:
    match = played(nl.book("flag-chase"), "3 2 2")
    shown = position_view(match.book, match.position, PLACEHOLDERS)
    assert shown.outcome == nl.Outcome(1, "{1} reached 5.")
    assert match_view(match).outcome == nl.Outcome(1, "Player 1 reached 5.")


def test_about_of_a_variant_is_true_of_the_variant() -> None:
    assert book_view(nl.book("reach-the-edge")).about == nl.book("reach-the-edge").about
    free = nl.book("reach-the-edge(repeat=free)")
    assert book_view(free).about == opening(free) != free.about


@pytest.mark.parametrize("variant", ["flag-chase(repeat=banned)", "line-runner(end=14, repeat=banned)"])
def test_rule_that_the_variant_changes_is_stated_once(variant: str) -> None:
    rule = book_view(nl.book(variant)).rule
    assert rule.lower().count("you can't repeat your opponent's step") == 1


def test_outcome_past_the_goal_is_told_in_plain_words() -> None:
    book = nl.book("number-reach")
    outcome = position_view(book, book.after(nl.Position(1, (19,)), "*2"), ("Ann", "Bob")).outcome
    assert outcome == nl.Outcome(2, "Ann went past the goal and is out.", "overshot")
