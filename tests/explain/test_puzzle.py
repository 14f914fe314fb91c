"""Puzzles: exactly one right move, no repetitions, ratings, variants."""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from functools import cache
from itertools import islice

import pytest

import numberline as nl
from numberline.explain.explanation import explain_move
from numberline.explain.puzzle import (
    SolvedPuzzle,
    is_tempting,
    puzzle_at,
    puzzle_variants,
    puzzles,
    question,
    refutation,
    variant_puzzles,
)
from numberline.explain.queries import MAX_LISTED_POSITIONS, AnalysisError, all_positions
from numberline.explain.rules_text import describe_changes
from numberline.game.loader import BUILTIN_DIR, book_from_toml
from properties.test_claims import holds
from support.variants import CHOSEN, reachable

TWO = [*nl.NAMES, *(name for name in CHOSEN if nl.book(name).rules.players == 2 and "tokens=2" not in name)]


def seeded(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.mark.parametrize("variant", TWO)
def test_puzzle_has_one_right_move_that_does_not_lose(variant: str) -> None:
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
def test_every_puzzle_comes_exactly_once(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    alike = len(set(book.rules.goals)) == len(set(book.rules.starts)) == 1
    names = ("a player", "a player") if alike else ()
    shown = [question(solution, puzzle, names) for puzzle in puzzles(solution, seeded(2))]
    everywhere = [puzzle_at(solution, position) for position in solution.live]
    assert len(set(shown)) == len(shown)
    assert set(shown) == {question(solution, puzzle, names) for puzzle in everywhere if puzzle}


def test_seed_determines_the_order() -> None:
    solution = nl.solve(nl.book("reach-the-edge"))
    first, again, other = (list(puzzles(solution, seeded(seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert sorted(first) == sorted(other)


def test_symmetric_positions_are_one_puzzle() -> None:
    solution = nl.solve(nl.book("number-reach"))
    numbers = [puzzle.position.tokens for puzzle in puzzles(solution, seeded(3))]
    assert len(numbers) == len(set(numbers)) == 12


def test_puzzles_can_save_an_endless_game() -> None:
    solution = nl.solve(nl.book("reach-the-edge(reverse=true, skip=true)"))
    found = list(puzzles(solution, seeded(1)))
    assert {puzzle.value for puzzle in found} == {"win", "endless"}
    saving = next(puzzle for puzzle in found if puzzle.value == "endless")
    assert question(solution, saving).endswith("Only one move doesn't lose. Which one?")


def test_deeper_puzzle_is_rated_higher() -> None:
    solution = nl.solve(nl.book("number-reach"))
    near, far = (puzzle_at(solution, nl.Position(1, (number,))) for number in (17, 13))
    assert near
    assert far
    assert (near.plies, far.plies) == (3, 7)
    assert near.rating < far.rating


def test_rating_follows_its_formula() -> None:
    solution = nl.solve(nl.book("number-reach"))
    puzzle = puzzle_at(solution, nl.Position(1, (15,)))
    assert puzzle
    # Depth 5: 200 log2(6) is 517. One tempting move: *2 goes further than +1 (1/2) and loses at once (1/10).
    assert puzzle.rating == 400 + 517 + 136


def test_question_and_explanation_of_a_puzzle() -> None:
    solution = nl.solve(nl.book("reach-the-edge"))
    puzzle = puzzle_at(solution, nl.Position(2, (8,), 2))
    assert puzzle
    assert question(solution, puzzle) == (
        "You are Player 2, and it's your turn. The marker is on position 8, and you can't move by 2. "
        "Only one move wins. Which one?"
    )
    right = explain_move(solution, puzzle.position, puzzle.right).text
    assert right.startswith("With 3, you have a sure win, within 9 turns")
    assert explain_move(solution, puzzle.position, "1").text.endswith("Only 3 wins.")


def test_large_book_has_puzzles() -> None:
    book = nl.book("line-runner(end=90)")
    solution = nl.solve(book)
    assert all_positions(solution) == ()
    assert len(reachable(book, MAX_LISTED_POSITIONS + 2)) > MAX_LISTED_POSITIONS
    found = list(islice(puzzles(solution, seeded(1)), 5))
    assert len(found) == len({puzzle.position for puzzle in found}) == 5
    assert all(puzzle_at(solution, puzzle.position) == puzzle for puzzle in found)


def test_book_without_puzzles_has_none() -> None:
    assert list(puzzles(nl.solve(nl.book("line-runner(steps=1, end=6)")), seeded(1))) == []


def test_puzzles_need_two_players() -> None:
    solution = nl.solve(nl.book("number-reach(players=3)"))
    with pytest.raises(AnalysisError, match=r"puzzles need two players; number-reach\(players=3\) has 3"):
        next(puzzles(solution, seeded(1)))


# Variants


@cache
def two_hundred(name: str) -> list[SolvedPuzzle]:
    return list(islice(variant_puzzles(nl.book(name), seeded(11)), 200))


@pytest.mark.parametrize("name", nl.NAMES)
def test_answers_cannot_be_guessed(name: str) -> None:
    found = two_hundred(name)
    assert len({(drawn.solution.book, drawn.puzzle.position) for drawn in found}) == 200
    ((_, most),) = Counter(str(drawn.puzzle.right) for drawn in found).most_common(1)
    assert most <= 80
    assert sum(drawn.puzzle.plies == 1 for drawn in found) <= 40
    assert sum(is_tempting(*drawn) for drawn in found) >= 80


@pytest.mark.parametrize("name", nl.NAMES)
def test_each_variant_has_its_own_description_of_changes(name: str) -> None:
    sentences: dict[str, nl.Book] = {}
    for solution, puzzle in two_hundred(name):
        legal = solution.evaluate_moves(puzzle.position)
        assert [option.move for option in legal if option.keeps_value] == [puzzle.right]
        assert sentences.setdefault(describe_changes(solution.book), solution.book) == solution.book
    assert "" not in sentences


def test_unchanged_book_has_no_description_of_changes() -> None:
    assert {describe_changes(nl.book(name)) for name in nl.NAMES} == {""}


@pytest.mark.parametrize("name", nl.NAMES)
def test_refutation_is_true_and_its_reply_is_best(name: str) -> None:
    for solution, puzzle in two_hundred(name)[::4]:
        for move in solution.book.moves(puzzle.position):
            if move == puzzle.right:
                continue
            (played, why), *replies = refutation(solution, puzzle, move)
            after = solution.book.after(puzzle.position, move)
            assert played == move
            assert bool(replies) is not bool(solution.book.winner(after))
            assert all(answer in solution.best(after) for answer, _ in replies)
            claims = [*why.claims, *(claim for _, explanation in replies for claim in explanation.claims)]
            assert all(holds(solution, claim) for claim in claims)


@pytest.mark.parametrize("name", nl.NAMES)
def test_each_book_has_many_distinct_puzzle_variants(name: str) -> None:
    path = BUILTIN_DIR / "puzzles" / f"{name}.toml"
    assert path.is_file(), f"add books/puzzles/{path.name}: at least 20 variants for puzzles on changed rules"
    settings = tomllib.loads(path.read_text("utf-8"))["variants"]
    assert len(settings) == len(set(settings)) >= 20
    assert [variant.variant for variant in puzzle_variants(nl.book(name))] == [f"{name}({text})" for text in settings]


def test_book_without_variants_is_its_own_only_variant() -> None:
    text = 'title = "Own"\n[rules]\nline = [0, 9]\nstart = 0\ngoal = 9\nmoves = "forward"\nsteps = "1-2"\n'
    for name in ("own", "line-runner"):
        book = book_from_toml(text, name, source_name="own")
        assert puzzle_variants(book) == [book]
