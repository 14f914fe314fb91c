"""Write docs/puzzles.md: statistics over 1,000 puzzles of each book.

With `--print`, print the page and write nothing; with a number, draw that many puzzles of each book.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from fractions import Fraction
from itertools import islice
from pathlib import Path
from statistics import mean

import numberline as nl
from numberline.bots import make_bot
from numberline.explain.puzzle import (
    COLOUR_THEME,
    THEME_TITLES,
    TRAP_THEME,
    TWIN_DISTANCE,
    Puzzle,
    PuzzlePool,
    SolvedPuzzle,
    offered_puzzles,
    puzzle_at,
)
from numberline.explain.worksheet import with_token_at
from numberline.views.exercises import puzzle_view

PAGE = Path(__file__).parents[1] / "docs" / "puzzles.md"
COUNT, SEED = 1_000, 1
SIGHT_TURNS, SLIP_PERCENT = 3, 25
STARS = (1, 2, 3)
HEAD = """# Statistics of the puzzles

[Puzzles](review-puzzles-lessons.md#puzzle) drawn in a row from each book, with seed {seed}.
`tools/puzzles.py` writes this page.

The five books are small, so a book has few different puzzles under its own rules. Half of the puzzles use these rules
all the same, so they come again, but never within ten puzzles. No book has {count:,} different puzzles: the table
counts how many of the {count:,} differ.

"""


def solve_rate(bot: str, solution: nl.Solution, puzzle: Puzzle) -> Fraction:
    """Return the probability that a bot solves a puzzle at the first try; a trap is solved if every move is right.

    On a strip, a `sight` bot marks the places from which it sees a loss, and a `slip` bot slips, guessing at random, at
    each place separately.
    """
    if puzzle.theme == COLOUR_THEME:
        slip = Fraction(SLIP_PERCENT, 100)
        if bot.startswith("slip"):
            return (1 - slip / 2) ** len(puzzle.places)
        return Fraction(puzzle.plies <= SIGHT_TURNS)
    player = make_bot(bot, solution.book, random.Random(SEED), solution=solution)
    odds = player.probabilities(puzzle.position) or {}
    rate = Fraction(0)
    for move, probability in odds.items():
        if move not in puzzle.answers or puzzle.theme != TRAP_THEME:
            rate += probability * (move in puzzle.answers)
            continue
        after = puzzle.position
        for each in puzzle.played_moves(solution, str(move)):
            after = solution.book.after(after, each)
        following = None if solution.book.winner(after) else puzzle_at(solution, after, TRAP_THEME)
        rate += probability * (solve_rate(bot, solution, following._replace(theme=TRAP_THEME)) if following else 1)
    return rate


def gives_away(solution: nl.Solution, puzzle: Puzzle) -> bool:
    """Return whether the label of a legal move gives away its result."""
    choices = puzzle_view(solution, puzzle).position.choices
    return any(choice.result or "lose" in choice.note + choice.spoken for choice in choices if choice.legal)


def count_twins(drawn: list[SolvedPuzzle]) -> int:
    keys = [each.puzzle.twin_key(each.solution) for each in drawn]
    return sum(key in keys[max(0, number - TWIN_DISTANCE) : number] for number, key in enumerate(keys))


def has_draw(solution: nl.Solution, puzzle: Puzzle) -> bool:
    """Return whether there is a position, or a place on the strip, from which neither player can force a win."""
    slot = 0 if solution.book.rules.shared else puzzle.position.turn - 1
    positions = [with_token_at(puzzle.position, slot, place) for place in puzzle.places] or [puzzle.position]
    return any(solution.value(at) == "endless" for at in positions)


def percent(part: float, whole: float = 1) -> str:
    return f"{round(100 * part / whole)}%" if whole else "none"


def statistics(count: int) -> dict[str, list[SolvedPuzzle]]:
    """Return the puzzles drawn from each book."""
    return {
        name: list(islice(PuzzlePool([nl.book(name)], random.Random(SEED), varied=True), count)) for name in nl.NAMES
    }


def rates(drawn: list[SolvedPuzzle], bot: str) -> list[float]:
    """Return the mean solve rate of a bot for each number of stars."""
    known: dict[SolvedPuzzle, float] = {}
    for each in drawn:
        if each not in known:
            known[each] = float(solve_rate(bot, *each))
    return [mean([known[each] for each in drawn if each.puzzle.stars == stars] or [0]) for stars in STARS]


def table(title: str, columns: list[str], rows: dict[str, list[str]]) -> str:
    lines = [f"| {title} | {' | '.join(columns)} |", "| --- |" + " --- |" * len(columns)]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())]) + "\n"


def page(count: int = COUNT) -> str:
    found = statistics(count)
    facts, themes, stars, solved = {}, {}, {}, {}
    bots = f"sight:{SIGHT_TURNS}", f"slip:{SLIP_PERCENT}"
    for name, drawn in found.items():
        title = nl.book(name).title
        own = [each for each in drawn if each.solution.book == nl.book(name)]
        facts[title] = [
            percent(len(own), len(drawn)),
            str(len(offered_puzzles(nl.solve(nl.book(name))))),
            str(len(set(drawn))),
            str(sum(each.puzzle.is_warm_up for each in drawn)),
            str(sum(each.puzzle.is_warm_up and each.puzzle.stars > 1 for each in drawn)),
            str(sum(gives_away(*each) for each in set(drawn))),
            str(count_twins(drawn)),
            str(sum(has_draw(*each) and each.puzzle.stars == 1 for each in drawn)),
        ]
        counts = Counter(each.puzzle.theme for each in drawn)
        themes[title] = [str(counts[theme]) for theme in THEME_TITLES]
        by_stars = Counter(each.puzzle.stars for each in drawn)
        stars[title] = [str(by_stars[each]) for each in STARS]
        solved[title] = [percent(rate) for bot in bots for rate in rates(drawn, bot)]
    headings = ["own rules", "different under own rules", "different drawn", "choices between two moves"]
    headings += ["of these, not easy", "give-aways", "twins within ten", "easy with a draw"]
    rating_columns = [f"`{bot}` {'★' * each}" for bot in bots for each in STARS]
    return "\n".join(
        [
            HEAD.format(seed=SEED, count=count) + table(f"{count:,} puzzles", headings, facts),
            table("theme", [*THEME_TITLES.values()], themes),
            table("stars", ["★", "★★", "★★★"], stars),
            "How often two bots find the answer on the first try, and every move of a trap. On a strip, `sight` marks",
            "the places where it sees a loss, and `slip` marks a quarter of the places at random.\n",
            table("solved", rating_columns, solved),
        ]
    )


if __name__ == "__main__":
    arguments = sys.argv[1:]
    text = page(next((int(each) for each in arguments if each.isdecimal()), COUNT))
    if "--print" in arguments:
        sys.stdout.write(text)
    else:
        PAGE.write_text(text)
