"""Strips: marks that are true in every position, and questions with true answers."""

from __future__ import annotations

import pytest
from hypothesis import given

import numberline as nl
from numberline.explain.lesson import lesson
from numberline.explain.losing_patterns import BannedSteps, LosingPattern, RaceCount, find_losing_pattern
from numberline.explain.strip import GOOD, JUMPS, SAFE, TRAP, WIN_NOW, Cell, Painting, Strip
from numberline.explain.worksheet import feedback
from properties.test_claims import false_claims, turns_alone
from support.mixtures import book_of, mixtures
from support.sentences import long_sentences
from support.variants import CHOSEN, reachable


def holds(solution: nl.Solution, pattern: LosingPattern, live: list[nl.Position], cell: Cell) -> bool:
    """Return whether the mark is true in every position of the cell, by an independent reading of what it means."""
    book = solution.book
    there = [at for at in live if pattern.key(at) == cell.key]
    if cell.mark == JUMPS:
        return cell.jumps in {
            min(turns_alone(book, at, player) or 1_000 for at in live if book.tokens_of(at, player) == (cell.key,))
            for player in {at.turn for at in there}
        }
    values = {solution.value(at) for at in there}
    at_once = all(solution.distance(at) == 1 for at in there)
    return {
        TRAP: values == {"loss"},
        WIN_NOW: values == {"win"} and at_once,
        GOOD: values == {"win"} and not at_once,
        SAFE: values in ({"endless"}, {"endless", "win"}),
    }[cell.mark]


@given(mixtures(largest=150))
def test_strip_of_any_mixture_is_true(text: str) -> None:
    book = book_of(text)
    solution = nl.solve(book)
    pattern = find_losing_pattern(solution)
    painting = Painting(solution, pattern) if pattern else None
    if pattern is None or painting is None or painting.strip is None:
        return
    live = [at for at in reachable(book) if book.moves(at)]
    assert [cell for cell in painting.strip.cells if not holds(solution, pattern, live, cell)] == []
    asked = [question for questions, _ in painting.rounds for question in questions]
    assert false_claims(solution, tuple(painting.claim(question.cell) for question in asked)) == []
    for question in asked:
        assert pattern.key(question.position) == question.cell.key
        assert question.paint in question.options
        won = solution.value(question.position) == "win"
        assert isinstance(pattern, RaceCount) or won == (question.paint == "yes")
        assert long_sentences(question.question) + long_sentences(question.text) == []
    assert [strip for _, strip in painting.rounds][-2:] == [painting.strip] * 2


@pytest.mark.parametrize("name", ["number-reach", "number-reach(target=30)"])
def test_painting_goes_backwards_so_that_moves_lead_to_painted_cells(name: str) -> None:
    solution = nl.solve(nl.book(name))
    pattern = find_losing_pattern(solution)
    assert pattern
    keys = [cell.key for cell in Painting(solution, pattern).order]
    assert keys == sorted(keys, reverse=True)


def test_line_runner_is_painted_with_jumps_and_gates() -> None:
    strip = lesson(nl.solve(nl.book("line-runner"))).steps[-1].strip
    assert strip
    assert [cell.key for cell in strip.cells if cell.gate] == [2, 5, 8, 11, 14, 17]
    assert [cell.jumps for cell in strip.cells][-7:] == [3, 2, 2, 2, 1, 1, 1]
    assert str(strip).endswith("16: 2 jumps; 17: 1 jump (gate); 18: 1 jump; 19: 1 jump.")


def test_bar_of_a_gate_is_on_the_side_further_from_the_goal() -> None:
    strip = lesson(nl.solve(nl.book("flag-chase"))).steps[-1].strip
    assert strip
    assert [cell.sign for cell in strip.cells] == ["2", "2", "│1", "1", "1", "1", "1", "1│", "2", "2"]


def test_marks_have_letter_and_shape() -> None:
    strip = lesson(nl.solve(nl.book("number-reach"))).steps[-1].strip
    assert strip
    assert [cell.sign for cell in strip.cells][-3:] == ["G▲", "T▼", "W★"]
    assert strip.legend == "W★ you win now, G▲ you can win, T▼ you lose"


def test_painting_a_cell_leaves_the_others() -> None:
    strip = Strip("The number", on_line=True, cells=(Cell(1, "1", TRAP), Cell(2, "2")))
    assert strip.paint(Cell(2, "2", GOOD)).cells == (Cell(1, "1", TRAP), Cell(2, "2", GOOD))
    assert strip.painted(()).cells == (Cell(1, "1"), Cell(2, "2"))


def test_strip_of_bans_has_a_cell_for_each_step() -> None:
    solution = nl.solve(nl.book("reach-the-edge"))
    pattern = find_losing_pattern(solution)
    assert isinstance(pattern, BannedSteps)
    strip = Painting(solution, pattern).strip
    assert strip
    assert (strip.caption, [str(cell) for cell in strip.cells]) == (
        "Your opponent just played",
        ["1: good", "2: good", "3: trap"],
    )


@pytest.mark.parametrize("variant", [*nl.NAMES, *[name for name in CHOSEN if nl.book(name).rules.players == 2]])
def test_every_sentence_of_a_lesson_is_short(variant: str) -> None:
    solution = nl.solve(nl.book(variant))
    taught = lesson(solution)
    said = [taught.secret, *(step.text for step in taught.steps)]
    for step in taught.steps:
        said += [text for question in step.questions for text in (question.question, question.text)]
        if step.exercise:
            moves = solution.book.moves(step.exercise.position)
            said += [step.exercise.question, step.exercise.answer]
            said += [feedback(solution, step.exercise, move) for move in moves]
    assert [text for each in said for text in long_sentences(each)] == []
