"""The engine gives the same results for arrays of positions as for single positions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import numberline as nl
from support.variants import EVERY, reachable


def columns(positions: Iterable[nl.Position], dtype: Any = np.int64) -> list[tuple[list[nl.Position], nl.Position]]:
    """Return the positions as arrays, one array per player to move."""
    by_turn = defaultdict(list)
    for position in positions:
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
    """Return the result of a rule as a list; it may be one value for all rows."""
    return np.broadcast_to(np.asarray(value), (length,)).tolist()  # type: ignore[no-any-return]  # NumPy says Any


def assert_columns_agree(book: nl.Book, positions: Iterable[nl.Position], dtype: Any = np.int64) -> None:
    for rows, block in columns(positions, dtype):
        winner, moves = book.successors_batch(block)
        assert column(winner, len(rows)) == [book.winner(row) for row in rows]
        found: list[dict[str, nl.Position]] = [{} for _ in rows]
        for move, legal, after in moves:
            turns, lasts, outs, *tokens = (
                column(field, len(rows)) for field in (after.turn, after.last, after.out, *after.tokens)
            )
            places = list(zip(*tokens, strict=True))
            for n, allowed in enumerate(column(legal, len(rows))):
                if allowed:
                    found[n][move] = nl.Position(turns[n], places[n], lasts[n], outs[n])
        assert found == [dict(book.successors(row)) for row in rows], book.variant


@pytest.mark.parametrize("variant", EVERY)
def test_ints_and_columns_agree_on_every_position_of(variant: str) -> None:
    assert_columns_agree(book := nl.book(variant), reachable(book))


@pytest.mark.parametrize("variant", nl.NAMES)
def test_small_columns_agree_too(variant: str) -> None:
    assert_columns_agree(book := nl.book(variant), reachable(book), np.int32)
