"""A table fed from a pipe prints the transcripts of the rule books, to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

import numberline as nl
from support.commands import numberline
from support.variants import RULE_BOOKS

TRANSCRIPTS = Path(__file__).parents[1] / "data" / "transcripts"
SHARED = Path(__file__).parents[3] / "shared" / "transcripts"


def transcript(folder: Path, name: str) -> str:
    """The transcript of a book, without our remarks in it."""
    lines = (folder / f"{name}.txt").read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("#"))


@pytest.mark.parametrize("name", nl.NAMES)
def test_moves_from_a_pipe_print_the_transcript_of(name: str) -> None:
    moves = TRANSCRIPTS / "moves" / f"{name}.txt"
    assert moves.is_file(), f"add tests/data/transcripts/moves/{moves.name}: the moves of a game, one per line"
    ran = numberline("play", name, typed=moves.read_text())
    assert ran.out == transcript(TRANSCRIPTS, name)
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.skipif(not SHARED.exists(), reason="the agreed transcripts are not beside this checkout")
@pytest.mark.parametrize("name", RULE_BOOKS)
def test_transcripts_equal_the_agreed_ones(name: str) -> None:
    assert transcript(SHARED, name) == transcript(TRANSCRIPTS, name)
