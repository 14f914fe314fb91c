"""The page that shows how to embed a board keeps up with what the board draws."""

from __future__ import annotations

import json
import re
from pathlib import Path

from numberline.book.loader import book
from numberline.notation import read_position
from numberline.solver.store import solution_of
from numberline.views.board import book_view, position_view
from numberline.views.table import plain
from numberline.views.values import values_view

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "docs" / "embed-example.html"


def test_the_data_in_the_example_is_what_the_views_make() -> None:
    written = re.search(r'<script id="view" type="application/json">(.*?)</script>', EXAMPLE.read_text(), re.DOTALL)
    game, position = book("line-runner"), read_position("1 5,7")
    made = {
        "book": plain(book_view(game)),
        "position": plain(position_view(game, position)),
        "values": plain(values_view(solution_of(game), position)),
        "ply": None,
    }
    assert written
    assert json.loads(written[1]) == json.loads(json.dumps(made))


def test_the_files_that_the_example_loads_are_there() -> None:
    named = re.findall(r'"(\.\./src/[^"]+)"', EXAMPLE.read_text())
    assert named
    assert [name for name in named if not (EXAMPLE.parent / name).exists()] == []
