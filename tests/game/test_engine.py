from __future__ import annotations

from typing import Any

import pytest

import numberline as nl
from numberline.game.engine import Engine


def test_winner_of_one_position_stops_at_the_first_legal_move(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[object] = []
    is_allowed = Engine.is_allowed

    def count(engine: Engine, attempt: Any) -> Any:
        checked.append(attempt)
        return is_allowed(engine, attempt)

    monkeypatch.setattr(Engine, "is_allowed", count)
    book = nl.book("number-line-sprint(end=1000, steps=1-100, tokens=3)")
    checked.clear()
    assert book.winner(book.start()) == 0
    assert len(checked) == 1
