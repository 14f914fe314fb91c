"""How many ways a game can go: the move sequences of each length, counted again and held against the files in `perft/`.

A block is a line with the variant and who starts, then a length and a count a line. A game that is over is not counted
at greater lengths. A line that begins with `#` says by hand why the second count is what it is. The counts were made
with the reference rules in `support/reference_rules/`, not with the engine.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import numberline as nl

FOLDER = Path(__file__).parents[1] / "data" / "perft"


def blocks(name: str) -> list[tuple[str, int, list[int]]]:
    """The variants of a book's file: each with who starts and its counts, from length 1 on."""
    path = FOLDER / f"{name}.txt"
    assert path.is_file(), f"add tests/data/perft/{path.name}: move counts of the book and of two variants"
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        header, *lines = [line for line in block.splitlines() if not line.startswith("#")]
        variant, _, first = header.removesuffix(" starts").rpartition(", player ")
        lengths, counts = zip(*(map(int, line.split()) for line in lines), strict=True)
        assert lengths == tuple(range(1, len(lines) + 1)), header
        found.append((variant, int(first), list(counts)))
    return found


def counted(book: nl.Book, first: int, longest: int) -> list[int]:
    """How many sequences of moves there are of each length."""
    ways = Counter([book.start(first)])
    counts = []
    for _ in range(longest):
        longer: Counter[nl.Position] = Counter()
        for position, number in ways.items():
            for move in book.moves(position):
                longer[book.after(position, move)] += number
        ways = longer
        counts.append(ways.total())
    return counts


@pytest.mark.parametrize("name", nl.NAMES)
def test_every_book_has_a_file_that_begins_with_the_book_itself(name: str) -> None:
    assert blocks(name)[0][0] == name


@pytest.mark.parametrize("name", nl.NAMES)
def test_every_file_has_at_least_two_variants_of_its_book(name: str) -> None:
    variants = {variant for variant, _, _ in blocks(name)} - {name}
    assert len([variant for variant in variants if nl.book(variant).name == name]) >= 2


def test_every_file_is_about_a_book() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(nl.NAMES)


@pytest.mark.parametrize(
    ("variant", "first", "counts"), [block for path in sorted(FOLDER.iterdir()) for block in blocks(path.stem)]
)
def test_a_variant_has_as_many_move_sequences_as_were_counted(variant: str, first: int, counts: list[int]) -> None:
    assert counted(nl.book(variant), first, len(counts)) == counts
