"""Random variants: solvable games that no agent has been trained on.

The same seed must always draw the same variants. That is why they are drawn from versioned tables in a file rather than
from the current rules. Never add a new rule, value or book to an existing file; create a new version of it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from numberline.errors import BookError
from numberline.game import Book
from numberline.game.loader import NAMES, book
from numberline.game.settings import split_variants
from numberline.solver.index import max_positions
from numberline.solver.solution import Solution, solve

TABLES_V1: dict[str, Any] = tomllib.loads(Path(__file__).with_name("random_variants_v1.toml").read_text("utf-8"))
MAX_CHANGED_RULES = 3
MAX_POSITIONS = 5_000
MIN_PLIES = 3
MAX_ATTEMPTS = 10_000


def select_books(texts: Iterable[str], drawn: int, seed: int) -> list[str]:
    """Return the comma-separated variants in `texts` and `drawn` random ones, each once; by default, all books."""
    variants = [part for text in texts for part in split_variants(text)] or ([] if drawn else ["all"])
    names = [name for text in variants for name in (NAMES if text.lower() == "all" else (text,))]
    return list(dict.fromkeys([*names, *(game.variant for game in draw(drawn, seed))]))


def draw(count: int, seed: int) -> tuple[Book, ...]:
    """Return `count` different random variants; the same seed always draws the same ones."""
    rng = Random(f"draw/{seed}")
    drawn: dict[str, Book] = {}
    for _ in range(MAX_ATTEMPTS):
        if len(drawn) >= count:
            break
        game = _random_variant(rng)
        if game and game.variant not in NAMES and game.variant not in drawn and _is_interesting(game):
            drawn[game.variant] = game
    return tuple(drawn.values())


def _random_variant(rng: Random) -> Book | None:
    """Return a random variant, or None if the drawn settings are not a valid game."""
    tables = TABLES_V1
    plain = book(rng.choice(tables["books"]))
    ends = [word for word in ("end", "target") if word in plain.main_settings]
    settings = [f"{word}={rng.randint(*tables['line_ends'])}" for word in ends]
    strides = "operations" if plain.rules.moves == "operations" else "steps"
    settings.append(f"{strides}={rng.choice(tables[strides])}")
    rules = rng.sample(list(tables["rules"]), rng.randint(0, MAX_CHANGED_RULES))
    settings += [f"{name}={rng.choice(tables['rules'][name])}" for name in rules]
    try:
        return plain.vary(*settings)
    except BookError:
        return None


def _is_interesting(game: Book) -> bool:
    """Return whether the variant is small enough, lasts long enough, and has real decisions."""
    if max_positions(game) > MAX_POSITIONS:
        return False
    solution = solve(game)
    counts = solution.counts()
    plies = solution.distance(game.start())
    return counts.win > 0 and counts.loss > 0 and (plies is None or plies >= MIN_PLIES) and _has_wrong_move(solution)


def _has_wrong_move(solution: Solution) -> bool:
    """Return whether a player can make a mistake somewhere along the line of best play."""
    position = solution.book.start()
    for move in solution.line():
        if not all(evaluated.best for evaluated in solution.evaluate_moves(position)):
            return True
        position = solution.book.after(position, move)
    return False
