"""The same is said of a game in every process, whether NumPy is loaded, not yet loaded, or not installed."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator

VARIANTS = (
    "number-reach(players=3)",
    "line-runner",
    "reach-the-edge(reverse=true, skip=true)",
    "number-line-sprint(tokens=2, end=5)",
    "line-runner(players=3, end=6)",
    "line-runner(end=30)",
)
"""The last two are large enough to be numbered in another way where NumPy is there."""
WAYS = ("loaded first", "not loaded", "not installed")


def everything_said(variant: str) -> Iterator[tuple[str, object]]:
    """Outputs by what produced them."""
    import numberline as nl
    from numberline.explain.explanation import explain_move, explain_position, hint
    from numberline.explain.lesson import lesson
    from numberline.explain.puzzle import puzzles
    from numberline.explain.queries import build_value_map
    from numberline.explain.review import review

    book = nl.book(variant)
    solution = nl.solve(book)
    live = solution.live
    rng = random.Random(variant)
    yield "live", live
    yield "counts", (solution.counts(), solution.size)
    yield "worth", [str(solution.worth(at)) for at in live]
    yield "why", [explain_position(solution, at) for at in live]
    yield "hints", [(hint(solution, at), hint(solution, at, 2)) for at in live]
    few = rng.sample(live, min(len(live), 100))
    yield "moves", [explain_move(solution, at, move) for at in few for move in book.moves(at)]
    yield "landscape", build_value_map(solution)
    if book.rules.players == 2:
        yield "lesson", lesson(solution)
        drawn = list(puzzles(solution, rng))
        yield "puzzles", [(puzzle, puzzle.question(solution)) for puzzle in drawn]
    match = nl.Match(book)
    while match.moves and len(match.plies) < 40:
        match.play(rng.choice(match.moves))
    found = review(solution, match)
    yield "review", (found[1:], found.turning_sentence(), [ply.comment for ply in found.plies])


def said(way: str) -> Iterator[str]:
    """A line for each thing that is said, with its fingerprint."""
    if way == "loaded first":
        import numpy as np  # noqa: F401 - that it is loaded is all that is wanted
    elif way == "not installed":
        sys.modules["numpy"] = None  # type: ignore[assignment] # whoever imports it now fails
    for variant in VARIANTS:
        for topic, something in everything_said(variant):
            yield f"{variant} {topic} {hashlib.blake2b(repr(something).encode(), digest_size=16).hexdigest()}"


def test_output_is_the_same_with_and_without_numpy() -> None:
    # The three run at once, and put things into sets in three different orders.
    running = [
        subprocess.Popen(
            [sys.executable, __file__, way],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        )
        for seed, way in enumerate(WAYS)
    ]
    first, *others = (process.communicate()[0].splitlines() for process in running)
    assert len(first) == 8 * len(VARIANTS) + 2 * sum("players" not in variant for variant in VARIANTS)
    assert others == [first, first]


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in said(sys.argv[1]))
