"""The rules on columns of positions say what they say of each position by itself."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import numberline as nl
from variants import EVERY, books, reachable


def columns(book: nl.Book, dtype: Any = np.int64) -> list[tuple[list[nl.Position], nl.Position]]:
    """Every position of a book, one column of positions for each player to move."""
    by_turn = defaultdict(list)
    for position in reachable(book):
        by_turn[position.turn].append(position)
    return [
        (
            rows,
            nl.Position(
                turn=turn,
                tokens=tuple(np.array(places, dtype) for places in zip(*(row.tokens for row in rows), strict=True)),
                last=np.array([row.last for row in rows], dtype),
                out=np.array([row.out for row in rows], dtype),
            ),
        )
        for turn, rows in sorted(by_turn.items())
    ]


def column(value: Any, length: int) -> list[Any]:
    """A rule's answer as a list, where it may be one value for all rows."""
    return np.broadcast_to(np.asarray(value), (length,)).tolist()  # type: ignore[no-any-return]  # NumPy says Any


def assert_columns_agree(book: nl.Book, dtype: Any = np.int64) -> None:
    engine = book.engine
    for rows, block in columns(book, dtype):
        assert column(engine.winner(block), len(rows)) == [engine.winner(row) for row in rows]
        live = [number for number, row in enumerate(rows) if not engine.winner(row)]
        survey, surveys = engine.survey(block), {n: engine.survey(rows[n]) for n in live}
        assert [column(survey.stuck, len(rows))[n] for n in live] == [surveys[n].stuck for n in live]
        assert [column(survey.idle, len(rows))[n] for n in live] == [surveys[n].idle for n in live]
        for choice, move in enumerate(engine.choices):
            legal = column(survey.legal[choice], len(rows))
            assert [legal[n] for n in live] == [surveys[n].legal[choice] for n in live]
            after = engine.after(block, move)
            fields = [after.turn, after.last, after.out, *after.tokens]
            found = list(zip(*(column(field, len(rows)) for field in fields), strict=True))
            for n in live:
                if legal[n]:
                    turn, tokens, last, out = engine.after(rows[n], move)
                    assert found[n] == (turn, last, out, *tokens), (book.variant, rows[n], move.text)


@pytest.mark.parametrize("variant", EVERY)
def test_ints_and_columns_agree_on_every_position_of(variant: str) -> None:
    assert_columns_agree(nl.book(variant))


@pytest.mark.parametrize("variant", nl.NAMES)
def test_small_columns_agree_too(variant: str) -> None:
    assert_columns_agree(nl.book(variant), np.int32)


@settings(max_examples=40, deadline=None)
@given(books())
def test_ints_and_columns_agree_on_every_position_of_any_variant(book: nl.Book) -> None:
    assert_columns_agree(book)
