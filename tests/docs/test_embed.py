"""The page that shows how to embed a board keeps up with what the board draws."""

from __future__ import annotations

import json
import re
from pathlib import Path

from numberline.game.loader import book
from numberline.game.notation import parse_position
from numberline.solver.cache import cached_solution
from numberline.views.board import book_view, position_view
from numberline.views.match import to_json
from numberline.views.review import values_view

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "embed-example.html"


def test_the_data_in_the_example_is_what_the_views_make() -> None:
    written = re.search(r'<script id="view" type="application/json">(.*?)</script>', EXAMPLE.read_text(), re.DOTALL)
    game, position = book("line-runner"), parse_position("1 5,7")
    made = {
        "book": to_json(book_view(game)),
        "position": to_json(position_view(game, position)),
        "values": to_json(values_view(cached_solution(game), position)),
        "ply": None,
    }
    assert written
    assert json.loads(written[1]) == json.loads(json.dumps(made))


def test_the_files_that_the_example_loads_are_there() -> None:
    named = re.findall(r'"(\.\./src/[^"]+)"', EXAMPLE.read_text())
    assert named
    assert [name for name in named if not (EXAMPLE.parent / name).exists()] == []
