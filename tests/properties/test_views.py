"""Properties of all views for any mixture of rules: they are JSON and name only the players."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import numberline as nl
import numberline.views
from numberline.game.moves import OUT
from numberline.views.board import PLACEHOLDERS, book_view, placeholders, position_view
from numberline.views.match import match_view, to_json
from numberline.views.review import values_view
from support.mixtures import book_of, mixtures
from support.variants import reachable

VIEWS = sorted(path.stem for path in Path(numberline.views.__file__).parent.glob("[a-z]*.py"))


def holds(view: Any, players: int) -> None:
    """Whether a view is JSON as it stands, and its sentences have placeholders for these players only."""
    shown = to_json(view)
    written = json.dumps(shown)
    assert json.loads(written) == shown
    assert types(shown) <= {dict, list, str, int, float, bool, type(None)}
    assert {int(number) for number in re.findall(r"\{(\d+)\}", written)} <= set(range(1, players + 1))
    assert not re.search(r"\{[^\"}0-9]*\}", "".join(texts(shown)))


def types(shown: Any) -> set[type]:
    """The types of all that a view holds."""
    inner = list(shown.values()) if isinstance(shown, dict) else shown if isinstance(shown, list) else []
    return {type(shown)}.union(*map(types, inner))


def texts(shown: Any) -> list[str]:
    """Every text in a view."""
    inner = list(shown.values()) if isinstance(shown, dict) else shown if isinstance(shown, list) else []
    return [shown] if isinstance(shown, str) else [text for value in inner for text in texts(value)]


@given(mixtures(), st.randoms(use_true_random=False))
def test_match_view_is_json_and_names_only_its_players(text: str, rng: Any) -> None:
    book = book_of(text)
    match = nl.Match(book, first=rng.choice(book.players), names=placeholders(book))
    while match.moves and match.length < 12:
        match.play(rng.choice(match.moves))
    if match.moves and rng.random() < 0.3:
        match.resign()
    view = match_view(match)
    for part in (view, book_view(book), position_view(book, match.position, match.names)):
        holds(part, book.rules.players)
    assert all(ply.told.startswith(placeholders(book)[ply.player - 1]) for ply in view.log)


@given(mixtures(largest=400))
def test_move_has_a_note_exactly_if_it_is_stopped_or_costs(text: str) -> None:
    book = book_of(text)
    for position in reachable(book):
        for choice in position_view(book, position, PLACEHOLDERS).choices:
            out = choice.legal and bool(book.after(position, choice.move).is_out(position.turn))
            assert bool(choice.note) == (choice.legal and (out or choice.lands != choice.wanted))
            assert choice.move == OUT or ("out" in choice.note) == (out and book.rules.players > 2)
            assert choice.spoken.count(choice.why_not) or choice.legal
            assert choice.note.replace(":", ",") in choice.spoken or choice.move == OUT


@given(mixtures(largest=300))
def test_values_view_is_json_for_any_number_of_names(text: str) -> None:
    book = book_of(text)
    solution = nl.solve(book)
    for position in reachable(book)[::7]:
        shown = values_view(solution, position, PLACEHOLDERS)
        holds(shown, book.rules.players)
        assert shown == values_view(solution, position, placeholders(book))


def test_views_load_no_numpy_threads_or_network() -> None:
    code = f"import importlib, sys\nfor name in {VIEWS}: importlib.import_module('numberline.views.' + name)\n"
    code += "print(sorted({'numpy', 'socket', 'asyncio', 'rich', 'click'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "[]\n"
