"""Value maps of games with a shared marker and with one token each."""

from __future__ import annotations

import pytest

import numberline as nl
from numberline.explain.queries import ValueMap, build_value_map


def value_map(variant: str) -> ValueMap:
    found = build_value_map(nl.solve(nl.book(variant)))
    assert found
    return found


def test_own_tokens_make_a_grid_of_reachable_positions() -> None:
    grid = value_map("flag-chase")
    assert grid.title == "Value on Player 1's turn: Player 1's place down, Player 2's across"
    assert (grid.rows, grid.columns) == (("0", "1", "2", "3", "4"), ("6", "7", "8", "9", "10"))
    assert [str(cell or "") for cell in grid.cells[1]] == ["L2", "L2", "L2", "W3", ""]


def test_shared_marker_makes_a_row_per_player_and_ban() -> None:
    strip = value_map("reach-the-edge")
    assert strip.title == "Value of each place for the player whose turn it is"
    assert strip.rows[:5] == (
        "Player 1, any move",
        "Player 1, not 1",
        "Player 1, not 2",
        "Player 1, not 3",
        "Player 2, any move",
    )
    solution = nl.solve(nl.book("reach-the-edge"))
    not_3 = {int(place): cell for place, cell in zip(strip.columns, strip.cells[3], strict=True)}
    assert not_3[1] is None
    assert not_3[9] == solution.worth(nl.Position(1, (9,), 3))


@pytest.mark.parametrize(
    ("variant", "letters"),
    [
        ("number-reach", {"W", "L"}),
        ("number-reach(overshoot=counts, skip=true)", {"W", "="}),
        ("number-reach(players=3)", {"W", "?"}),
    ],
)
def test_cell_has_the_letter_of_its_value(variant: str, letters: set[str]) -> None:
    assert {str(cell)[0] for row in value_map(variant).cells for cell in row if cell} == letters


@pytest.mark.parametrize(
    "variant",
    ["line-runner(tokens=2, end=3)", "line-runner(players=3)", "line-runner(repeat=banned)", "line-runner(end=300)"],
)
def test_large_or_complex_variant_has_no_map(variant: str) -> None:
    assert build_value_map(nl.solve(nl.book(variant))) is None
