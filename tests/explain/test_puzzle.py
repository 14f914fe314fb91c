"""Puzzles: exactly one right move, never the same twice, harder where one has to look further."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import islice

import pytest

import numberline as nl
from numberline.explain.puzzle import (
    VARIANT_SETTINGS,
    SolvedPuzzle,
    VariantPuzzles,
    explain_answer,
    is_tempting,
    puzzle_at,
    puzzles,
    question,
    refutation,
)
from numberline.explain.queries import MAX_LISTED_POSITIONS, AnalysisError, all_positions
from numberline.explain.rules_text import describe_changes
from properties.test_claims import holds
from support.variants import CHOSEN, reachable

TWO = [*nl.NAMES, *(name for name in CHOSEN if nl.book(name).rules.players == 2 and "tokens=2" not in name)]


def seeded(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.mark.parametrize("variant", TWO)
def test_a_puzzle_has_exactly_one_right_move_and_is_not_lost(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    for puzzle in puzzles(solution, seeded(1)):
        position = puzzle.position
        value = solution.value(position)
        winners = {move: solution.worth(book.after(position, move)).winner for move in book.moves(position)}
        won = [move for move, winner in winners.items() if winner == position.turn]
        saved = [move for move, winner in winners.items() if not winner]
        assert puzzle.value == value
        assert (won if value == "win" else saved) == [puzzle.right]
        assert len(winners) > 1
        assert value != "loss"
        assert puzzle.rating >= 400


@pytest.mark.parametrize("variant", nl.NAMES)
def test_no_puzzle_comes_twice_and_every_one_comes(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    alike = len(set(book.rules.goals)) == len(set(book.rules.starts)) == 1
    names = ("a player", "a player") if alike else ()
    shown = [question(solution, puzzle, names) for puzzle in puzzles(solution, seeded(2))]
    everywhere = [puzzle_at(solution, position) for position in solution.live]
    assert len(set(shown)) == len(shown)
    assert set(shown) == {question(solution, puzzle, names) for puzzle in everywhere if puzzle}


def test_the_same_seed_gives_the_same_puzzles_and_another_seed_another_order() -> None:
    solution = nl.solve(nl.book("reach-the-edge"))
    first, again, other = (list(puzzles(solution, seeded(seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert sorted(first) == sorted(other)


def test_positions_of_number_reach_that_differ_only_in_the_player_are_one_puzzle() -> None:
    solution = nl.solve(nl.book("number-reach"))
    numbers = [puzzle.position.tokens for puzzle in puzzles(solution, seeded(3))]
    assert len(numbers) == len(set(numbers)) == 12


def test_there_are_puzzles_that_save_an_endless_game() -> None:
    solution = nl.solve(nl.book("reach-the-edge(reverse=true, skip=true)"))
    found = list(puzzles(solution, seeded(1)))
    assert {puzzle.value for puzzle in found} == {"win", "endless"}
    saving = next(puzzle for puzzle in found if puzzle.value == "endless")
    assert question(solution, saving).endswith("Only one move does not lose: which?")


def test_a_deeper_puzzle_is_rated_harder_where_the_lures_are_alike() -> None:
    solution = nl.solve(nl.book("number-reach"))
    near, far = (puzzle_at(solution, nl.Position(1, (number,))) for number in (17, 13))
    assert near
    assert far
    assert (near.plies, far.plies) == (3, 7)
    assert near.rating < far.rating


def test_the_rating_is_what_the_formula_says() -> None:
    solution = nl.solve(nl.book("number-reach"))
    puzzle = puzzle_at(solution, nl.Position(1, (15,)))
    assert puzzle
    # Depth 5: 200 log2(6) is 517. One lure: *2 goes further than +1 (a half), and loses at once (a tenth).
    assert puzzle.rating == 400 + 517 + 136


def test_a_puzzle_asks_and_explains_in_words() -> None:
    solution = nl.solve(nl.book("reach-the-edge"))
    puzzle = puzzle_at(solution, nl.Position(2, (8,), 2))
    assert puzzle
    assert question(solution, puzzle) == (
        "You are Player 2, and it is your turn. The marker is on position 8, and you may not move by 2. "
        "Only one move wins: which?"
    )
    assert explain_answer(solution, puzzle, puzzle.right).text.startswith(
        "With 3, you can force a win, in at most 9 turns"
    )
    assert explain_answer(solution, puzzle, "1").text.endswith("Only 3 wins.")


def test_a_book_too_large_to_look_through_has_puzzles_too() -> None:
    book = nl.book("line-runner(end=90)")
    solution = nl.solve(book)
    assert all_positions(solution) == ()
    assert len(reachable(book, MAX_LISTED_POSITIONS + 2)) > MAX_LISTED_POSITIONS
    found = list(islice(puzzles(solution, seeded(1)), 5))
    assert len(found) == len({puzzle.position for puzzle in found}) == 5
    assert all(puzzle_at(solution, puzzle.position) == puzzle for puzzle in found)


def test_a_book_without_puzzles_has_none() -> None:
    assert list(puzzles(nl.solve(nl.book("line-runner(steps=1, end=6)")), seeded(1))) == []


def test_puzzles_need_two_players() -> None:
    solution = nl.solve(nl.book("number-reach(players=3)"))
    with pytest.raises(AnalysisError, match=r"puzzles need two players; number-reach\(players=3\) has 3"):
        next(puzzles(solution, seeded(1)))


# Under changed rules


@cache
def two_hundred(name: str) -> list[SolvedPuzzle]:
    twists = VariantPuzzles(nl.book(name), seeded(11))
    return [drawn for _ in range(200) if (drawn := twists.draw())]


@pytest.mark.parametrize("name", nl.NAMES)
def test_the_answer_cannot_be_guessed(name: str) -> None:
    found = two_hundred(name)
    assert len({(drawn.solution.book, drawn.puzzle.position) for drawn in found}) == 200
    ((_, most),) = Counter(str(drawn.puzzle.right) for drawn in found).most_common(1)
    assert most <= 80
    assert sum(drawn.puzzle.plies == 1 for drawn in found) <= 40
    assert sum(is_tempting(*drawn) for drawn in found) >= 80


@pytest.mark.parametrize("name", nl.NAMES)
def test_changed_rules_are_said_in_a_sentence_of_their_own_and_have_one_right_move(name: str) -> None:
    said: dict[str, nl.Book] = {}
    for solution, puzzle in two_hundred(name):
        legal = solution.evaluate_moves(puzzle.position)
        assert [judged.move for judged in legal if judged.keeps_value] == [puzzle.right]
        assert said.setdefault(describe_changes(solution.book), solution.book) == solution.book
    assert "" not in said


def test_nothing_is_said_of_rules_that_were_not_changed() -> None:
    assert [describe_changes(nl.book(name)) for name in nl.NAMES] == [""] * 5


@pytest.mark.parametrize("name", nl.NAMES)
def test_what_is_said_of_a_wrong_move_is_true_and_its_answer_is_a_best_one(name: str) -> None:
    for solution, puzzle in two_hundred(name)[::4]:
        for move in solution.book.moves(puzzle.position):
            if move == puzzle.right:
                continue
            (played, why), *replies = refutation(solution, puzzle, move)
            after = solution.book.after(puzzle.position, move)
            assert played == move
            assert bool(replies) is not bool(solution.book.winner(after))
            assert all(answer in solution.best(after) for answer, _ in replies)
            claims = [*why.claims, *(claim for _, told in replies for claim in told.claims)]
            assert all(holds(solution, claim) for claim in claims)


def test_the_variants_of_each_book_are_many_and_every_one_has_puzzles() -> None:
    for name, texts in VARIANT_SETTINGS.items():
        lines = [line.strip() for line in texts.splitlines() if line.strip()]
        assert len(lines) == len(set(lines)) >= 20
        for line in lines:
            assert nl.book(f"{name}({line})").variant == f"{name}({line})"
