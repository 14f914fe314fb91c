"""Puzzles: themes, stars, no repetitions, ratings, true and short sentences, pools."""

from __future__ import annotations

import datetime as dt
import random
import re
import tomllib
from functools import cache
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import numberline as nl
from numberline.explain.explanation import hint
from numberline.explain.puzzle import (
    COLOUR_THEME,
    INTRO_THEMES,
    SAVE_THEME,
    THEME_TITLES,
    TRAP_THEME,
    TWIN_DISTANCE,
    WIN_THEME,
    Puzzle,
    PuzzlePool,
    SolvedPuzzle,
    daily_puzzles,
    next_question,
    offered_puzzles,
    own_puzzle,
    puzzle_at,
    puzzle_variants,
    puzzles,
)
from numberline.explain.queries import MAX_LISTED_POSITIONS, AnalysisError, all_positions
from numberline.explain.rules_text import announce_changes, describe_changes
from numberline.explain.worksheet import with_token_at
from numberline.game.loader import BUILTIN_DIR, book_from_toml
from numberline.game.match import Match
from numberline.solver.worth import WIN
from support.mixtures import book_of, mixtures
from support.sentences import long_sentences
from support.variants import CHOSEN, reachable

TWO = [*nl.NAMES, *(name for name in CHOSEN if nl.book(name).rules.players == 2 and "tokens=2" not in name)]
MAX_WORDS = 20


def seeded(seed: int) -> random.Random:
    return random.Random(seed)


def check(solution: nl.Solution, puzzle: Puzzle) -> None:
    """Compare a puzzle with the solution."""
    book, at = solution.book, puzzle.position
    worths = {move: solution.worth(book.after(at, move), at.turn) for move in book.moves(at)}
    assert 1 <= puzzle.stars <= 3
    assert puzzle.rating >= 400
    if puzzle.theme == COLOUR_THEME:
        slot = 0 if book.rules.shared else at.turn - 1
        lost = [place for place in puzzle.places if solution.value(with_token_at(at, slot, place)) == "loss"]
        assert puzzle.right.split() == [*map(str, lost)]
        assert 0 < len(lost) < len(puzzle.places)
        return
    winning = {move: worth.plies or 0 for move, worth in worths.items() if worth.winner == at.turn}
    saved = {move for move, worth in worths.items() if worth.winner != 3 - at.turn}
    soonest = {move for move, plies in winning.items() if plies == min(winning.values())}
    right = {
        WIN_THEME: {move for move, plies in winning.items() if plies == 0},
        TRAP_THEME: soonest,
        SAVE_THEME: {*winning} or saved,
    }
    assert {*puzzle.answers} == right[puzzle.theme]
    assert puzzle.right in puzzle.answers
    assert 0 < len(puzzle.answers) < puzzle.choices == len(worths)


@pytest.mark.parametrize("variant", TWO)
def test_answers_are_right_and_others_wrong(variant: str) -> None:
    solution = nl.solve(nl.book(variant))
    for puzzle in islice(puzzles(solution, seeded(1)), 200):
        check(solution, puzzle)


@given(mixtures(largest=400))
def test_puzzles_of_any_mixture_have_true_answers(text: str) -> None:
    book = book_of(text)
    assume(book.rules.players == 2)
    solution = nl.solve(book)
    for puzzle in islice(puzzles(solution, seeded(1)), 20):
        check(solution, puzzle)


@pytest.mark.parametrize("name", nl.NAMES)
def test_easy_puzzles_have_no_draws_and_hard_ones_no_two_choices(name: str) -> None:
    for book in (nl.book(name), *puzzle_variants(nl.book(name))[::8]):
        solution = nl.solve(book)
        for puzzle in offered_puzzles(solution):
            assert puzzle.stars == 1 or puzzle.choices > 2 or puzzle.own_moves > 1
            assert puzzle.stars > 1 or puzzle.value != "endless"


@pytest.mark.parametrize("name", nl.NAMES)
def test_trap_is_won_in_as_many_moves_as_announced(name: str) -> None:
    solution = nl.solve(nl.book(name))
    for puzzle in offered_puzzles(solution):
        at, left = puzzle, puzzle.own_moves
        while puzzle.theme == TRAP_THEME and left:
            after = at.position
            for move in at.played_moves(solution, at.right):
                after = solution.book.after(after, move)
            left -= 1
            if not left:
                assert solution.book.winner(after) == puzzle.position.turn
                break
            assert f" {('one', 'two')[left - 1]} more " in next_question(solution, after)
            found = puzzle_at(solution, after, TRAP_THEME)
            assert found
            at = found


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!]) ", text)


@pytest.mark.parametrize("name", nl.NAMES)
def test_sentences_are_short_and_a_reason_is_one_sentence(name: str) -> None:
    for book in (nl.book(name), *puzzle_variants(nl.book(name))[::6]):
        solution = nl.solve(book)
        said = [announce_changes(book)]
        for puzzle in offered_puzzles(solution):
            answers = [*map(str, book.moves(puzzle.position))]
            if puzzle.places:
                answers = [puzzle.right, "none", *(str(place) for place in puzzle.places)]
            replies = [puzzle.explain_answer(solution, each, done=done) for each in answers for done in (True, False)]
            assert {len(sentences(text)) for text in replies} == {1}
            said += [puzzle.question(solution), *replies]
        assert max(len(sentence.split()) for text in said for sentence in sentences(text)) <= MAX_WORDS


def test_wrong_colours_are_corrected_next_to_the_goal_first() -> None:
    solution = nl.solve(nl.book("number-reach"))
    puzzle = puzzle_at(solution, nl.Position(1, (14,)), COLOUR_THEME)
    assert puzzle
    assert (puzzle.right, puzzle.places) == ("14 16 18", (14, 15, 16, 17, 18, 19))
    assert puzzle.explain_answer(solution, "14 19", done=False) == "Look at 19: with +1, you win at once: it makes 20."
    assert puzzle.explain_answer(solution, "none") == "The traps are 14, 16, and 18."
    assert puzzle.parse_answer(solution, " 18,14  16 14") == puzzle.right
    with pytest.raises(nl.MoveError, match="'20' can't be marked; the places are 14, 15"):
        puzzle.parse_answer(solution, "14 20")
    with pytest.raises(nl.MoveError, match="',' can't be marked"):
        puzzle.parse_answer(solution, ",")


def test_own_mistake_becomes_a_puzzle() -> None:
    book = nl.book("number-reach")
    solution, match = nl.solve(book), Match(book, start=nl.Position(1, (8,)))
    for move in ("+1", "*2", "+1", "+1"):
        match.play(move)
    found = own_puzzle(solution, match)
    assert found
    assert found.intro == "From your own game. You played +1 here. Find something better."
    assert (found.puzzle.position.tokens, found.puzzle.right) == ((8,), "*2")
    match.undo()
    assert own_puzzle(solution, match) is None


@pytest.mark.parametrize("variant", nl.NAMES)
def test_every_puzzle_comes_exactly_once(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    alike = len(set(book.rules.goals)) == len(set(book.rules.starts)) == 1
    names = ("a player", "a player") if alike else ()
    shown = [puzzle.question(solution, names) for puzzle in puzzles(solution, seeded(2))]
    everywhere = [puzzle_at(solution, at, theme) for at in solution.live for theme in ("", COLOUR_THEME)]
    assert len(set(shown)) == len(shown)
    assert set(shown) == {puzzle.question(solution, names) for puzzle in everywhere if puzzle}


def test_seed_determines_the_order() -> None:
    solution = nl.solve(nl.book("reach-the-edge"))
    first, again, other = (list(puzzles(solution, seeded(seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert sorted(first) == sorted(other)


def test_symmetric_positions_are_one_puzzle() -> None:
    solution = nl.solve(nl.book("number-reach"))
    found = [(puzzle.theme == COLOUR_THEME, puzzle.position.tokens) for puzzle in puzzles(solution, seeded(3))]
    assert len(found) == len(set(found))
    assert sum(not is_strip for is_strip, _ in found) == 12


def test_puzzles_can_save_an_endless_game() -> None:
    solution = nl.solve(nl.book("reach-the-edge(reverse=true, skip=true)"))
    found = list(puzzles(solution, seeded(1)))
    assert {puzzle.value for puzzle in found if puzzle.theme != COLOUR_THEME} == {"win", "endless"}
    saving = next(puzzle for puzzle in found if puzzle.value == "endless")
    assert saving.question(solution).endswith("Some moves lose. What do you play?")


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
    assert puzzle.question(solution) == (
        "You are Player 2, and it's your turn. The marker is on position 8, and you can't move by 2. "
        "You can win, but some moves spoil it. What do you play?"
    )
    assert puzzle.explain_answer(solution, "3") == "Play 3: then your opponent can't move by 3 and is trapped."
    assert puzzle.explain_answer(solution, "1", done=False) == (
        "After 1, your opponent answers 3, and then every move loses."
    )


@settings(max_examples=30)
@given(mixtures(largest=300), st.randoms(use_true_random=False))
def test_question_accepts_exactly_the_moves_that_it_asks_for(text: str, rng: random.Random) -> None:
    book = book_of(text)
    if book.rules.players > 2:
        return
    solution = nl.solve(book)
    for puzzle in islice(puzzles(solution, rng), 20):
        question = puzzle.question(solution)
        assert long_sentences(question) == []
        if puzzle.theme == COLOUR_THEME:
            continue
        wins = {each.move: each.plies or 0 for each in solution.evaluate_moves(puzzle.position) if each.value == WIN}
        if puzzle.theme in {WIN_THEME, TRAP_THEME}:
            assert question.endswith(("Which move wins at once?", "Which move wins fastest?"))
            assert set(puzzle.answers) == {move for move, plies in wins.items() if plies == min(wins.values())}
            assert puzzle.theme == WIN_THEME or ("not equally fast" in hint(solution, puzzle.position).text) == (
                len(wins) > len(puzzle.answers)
            )
        elif puzzle.value == WIN:
            assert set(puzzle.answers) == set(wins)


def test_colour_question_is_simple() -> None:
    solution = nl.solve(nl.book("number-reach"))
    puzzle = puzzle_at(solution, nl.Position(1, (14,)), COLOUR_THEME)
    assert puzzle
    assert (
        puzzle.task(solution)
        == "Now try each number from 14 to 19. Mark it as a trap if you lose when it's your turn there."
    )


def test_large_book_has_puzzles() -> None:
    book = nl.book("line-runner(end=90)")
    solution = nl.solve(book)
    assert all_positions(solution) == ()
    assert len(reachable(book, MAX_LISTED_POSITIONS + 2)) > MAX_LISTED_POSITIONS
    found = list(islice(puzzles(solution, seeded(1)), 5))
    assert len(found) == len({(puzzle.position, puzzle.theme) for puzzle in found}) == 5
    assert all(puzzle_at(solution, puzzle.position, puzzle.theme) == puzzle for puzzle in found)


def test_book_without_puzzles_has_none() -> None:
    assert list(puzzles(nl.solve(nl.book("line-runner(steps=1, end=6)")), seeded(1))) == []


def test_puzzles_need_two_players() -> None:
    solution = nl.solve(nl.book("number-reach(players=3)"))
    with pytest.raises(AnalysisError, match=r"puzzles need two players; number-reach\(players=3\) has 3"):
        next(puzzles(solution, seeded(1)))


# Pools


@cache
def forty(name: str) -> list[SolvedPuzzle]:
    return list(islice(PuzzlePool([nl.book(name)], seeded(11), varied=True), 40))


@pytest.mark.parametrize("name", nl.NAMES)
def test_half_of_the_puzzles_use_the_own_rules_and_no_twins_are_near(name: str) -> None:
    keys = [drawn.puzzle.twin_key(drawn.solution) for drawn in forty(name)]
    assert sum(drawn.solution.book == nl.book(name) for drawn in forty(name)) >= 20
    assert all(key not in keys[max(0, n - TWIN_DISTANCE) : n] for n, key in enumerate(keys))


@pytest.mark.parametrize("name", nl.NAMES)
def test_first_puzzles_are_wins_in_one_or_two_moves_on_own_rules(name: str) -> None:
    for drawn in forty(name)[: len(INTRO_THEMES)]:
        assert drawn.solution.book == nl.book(name)
        assert drawn.puzzle.theme in {WIN_THEME, TRAP_THEME}
        assert drawn.puzzle.own_moves <= 2


@pytest.mark.parametrize("name", nl.NAMES)
def test_pool_has_all_themes_and_stars(name: str) -> None:
    assert {drawn.puzzle.theme for drawn in forty(name)} == {*THEME_TITLES}
    assert {drawn.puzzle.stars for drawn in forty(name)} == {1, 2, 3}


def test_mirror_images_are_twins() -> None:
    solution = nl.solve(nl.book("reach-the-edge"))
    left, right = (puzzle_at(solution, at) for at in (nl.Position(1, (3,), 1), nl.Position(2, (12,), 1)))
    assert left
    assert right
    assert left.twin_key(solution) == right.twin_key(solution)


def test_better_players_get_more_stars() -> None:
    def stars(near: int) -> int:
        pool = PuzzlePool([nl.book("line-runner")], seeded(1), varied=True, solved=50)
        return sum(found.puzzle.stars for _ in range(20) if (found := pool.draw(near)))

    assert stars(500) < stars(1000) < stars(1500)


def test_daily_five_are_mostly_on_own_rules() -> None:
    found = daily_puzzles(dt.date(2026, 11, 17))
    assert sum(drawn.solution.book.variant in nl.NAMES for drawn in found) >= 3
    assert len({drawn.puzzle.theme for drawn in found}) >= 3


@pytest.mark.parametrize("name", nl.NAMES)
def test_each_variant_has_its_own_description_of_changes(name: str) -> None:
    variants = puzzle_variants(nl.book(name))
    assert len({describe_changes(book) for book in variants} - {""}) == len(variants)


def test_unchanged_book_has_no_description_of_changes() -> None:
    assert {describe_changes(nl.book(name)) for name in nl.NAMES} == {""}


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


def test_question_states_lost_turns_and_bans_that_matter() -> None:
    solution = nl.solve(nl.book("reach-the-edge(end=10, steps=1,4)"))
    trap = puzzle_at(solution, nl.Position(1, (8,)))
    assert trap
    assert "A player who can't move misses a turn. You can win in three moves." in trap.question(solution)
    colour = puzzle_at(solution, nl.Position(1, (9,), 4), "colour")
    assert colour
    assert "Mark it as a trap if you lose when it's your turn there. You still can't move by 4." in colour.question(
        solution
    )
