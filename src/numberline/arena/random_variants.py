"""Variants drawn by chance: new games that can be solved, and that nobody can have trained on."""

from __future__ import annotations

from random import Random

from numberline.errors import BookError
from numberline.game.book import Book
from numberline.game.loader import NAMES, book
from numberline.game.setting_types import RULE_TYPES
from numberline.solver.index import max_positions
from numberline.solver.solution import Solution, solve

MAX_POSITIONS = 5_000
"""How many positions a drawn variant may have."""
MIN_PLIES = 3
"""A variant in which somebody can force a win in fewer plies than this is not drawn."""
MAX_CHANGED_RULES = 3
"""How many rules are changed besides the length of the line and the strides, at the most."""
STEP_CHOICES = ("1-2", "1-3", "1-4", "2,3", "1,3", "1,4", "2-4", "1,2,5", "1,3,4")
OPERATION_CHOICES = ("+1 *2", "+1 *3", "+2 *2", "+1 +2 *2", "+1 *2 -1", "+2 *3 -1", "+1 +3", "+3 *2 /2", "+1 +2 *3")
LINE_ENDS = range(6, 41)
MAX_ATTEMPTS = 10_000


def draw(count: int, seed: int) -> tuple[Book, ...]:
    """So many different variants; the same seed draws the same ones."""
    rng = Random(f"draw/{seed}")
    drawn: dict[str, Book] = {}
    for _ in range(MAX_ATTEMPTS):
        if len(drawn) >= count:
            break
        game = _random_variant(rng)
        if game and game.variant not in NAMES and game.variant not in drawn and _worth_playing(game):
            drawn[game.variant] = game
    return tuple(drawn.values())


def _random_variant(rng: Random) -> Book | None:
    """Some variant; None where the settings that came up make no game."""
    plain = book(rng.choice(NAMES))
    settings = [f"{word}={rng.choice(LINE_ENDS)}" for word in ("end", "target") if word in plain.main_settings]
    strides = ("operations", OPERATION_CHOICES) if plain.rules.moves == "operations" else ("steps", STEP_CHOICES)
    settings.append(f"{strides[0]}={rng.choice(strides[1])}")
    rules = [name for name, kind in RULE_TYPES.items() if kind.samples and name not in {"players", "tokens"}]
    settings += [
        f"{name}={rng.choice(RULE_TYPES[name].samples)}"
        for name in rng.sample(rules, rng.randint(0, MAX_CHANGED_RULES))
    ]
    try:
        return plain.vary(*settings)
    except BookError:
        return None


def _worth_playing(game: Book) -> bool:
    """Whether it can be solved quickly, takes a while, and leaves something to decide."""
    if max_positions(game) > MAX_POSITIONS:
        return False
    solution = solve(game)
    counts = solution.counts()
    plies = solution.distance(game.start())
    return counts.win > 0 and counts.loss > 0 and (plies is None or plies >= MIN_PLIES) and _undecided(solution)


def _undecided(solution: Solution) -> bool:
    """Whether somebody can still go wrong on the line of best play."""
    position = solution.book.start()
    for move in solution.line():
        if not all(judged.best for judged in solution.evaluate_moves(position)):
            return True
        position = solution.book.after(position, move)
    return False
