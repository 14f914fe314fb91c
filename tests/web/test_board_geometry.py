"""The board as its layout module computes it: no arc is torn and no hop clipped, in any position and width."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import numberline as nl
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.views.board import book_view, position_view
from numberline.views.match import PlyView, to_json

CHECKER = Path(__file__).parents[1] / "js" / "board-geometry.js"
BOOKS = ("flag-chase", "line-runner", "number-line-sprint", "number-reach", "reach-the-edge")
CROWDS = (
    "number-line-sprint(tokens=2)",
    "number-line-sprint(tokens=3, players=3)",
    "line-runner(tokens=3, players=3)",
    "line-runner(end=60)",
)
MAX_CROWDS = 80
"""Positions checked of the variants with many tokens, which have too many."""


def reachable(book: Book, limit: int) -> list[dict[str, Any]]:
    """Positions of a book, breadth first, each with the move that led there."""
    found: dict[Position, dict[str, Any] | None] = {book.start(): None}
    views: list[dict[str, Any]] = []
    queue = [book.start()]
    for position in queue:
        view = position_view(book, position)
        views.append({"position": to_json(view), "ply": found[position]})
        for choice, (_, successor) in zip(view.legal, book.successors(position), strict=True):
            if successor not in found and len(found) < limit:
                step = (choice.move, choice.place, None, choice.lands)
                found[successor] = PlyView(1, view.turn, *step, "", "", "{1} just played")._asdict()
                queue.append(successor)
    return views


NODE = shutil.which("node") or ""


@pytest.mark.skipif(not NODE, reason="Node.js is not installed")
@pytest.mark.parametrize("variant", [*BOOKS, *CROWDS])
def test_no_arc_is_torn_and_no_hop_clipped(variant: str) -> None:
    book = nl.book(variant)
    views = reachable(book, 1000 if variant in BOOKS else MAX_CROWDS)
    text = json.dumps({"book": to_json(book_view(book)), "positions": views})
    ran = subprocess.run([NODE, CHECKER], input=text, capture_output=True, text=True, timeout=60, check=True)
    result = json.loads(ran.stdout)
    assert result["problems"] == []
    assert result["checked"] >= 4 * len(views), "in each of four widths"
