"""The picture of a game: what each place is worth, in the letters that are used everywhere."""

from __future__ import annotations

import pytest

import numberline as nl
from numberline.explain.value_map import ValueMap, build_value_map


def picture(variant: str) -> ValueMap:
    found = build_value_map(nl.solve(nl.book(variant)))
    assert found
    return found


def test_a_token_each_makes_a_grid_of_what_can_be_reached() -> None:
    grid = picture("flag-chase")
    assert grid.title == "Player 1 to move: Player 1's place downwards, Player 2's to the right"
    assert (grid.rows, grid.columns) == (("0", "1", "2", "3", "4"), ("6", "7", "8", "9", "10"))
    assert [str(spot or "") for spot in grid.cells[1]] == ["L2", "L2", "L2", "W3", ""]


def test_a_shared_marker_makes_a_strip_for_each_player_and_each_ban() -> None:
    strip = picture("reach-the-edge")
    assert strip.title == "What each place is worth to the player to move"
    assert strip.rows[:5] == (
        "Player 1 moves, all allowed",
        "Player 1 moves, not 1",
        "Player 1 moves, not 2",
        "Player 1 moves, not 3",
        "Player 2 moves, all allowed",
    )
    solution = nl.solve(nl.book("reach-the-edge"))
    not_3 = {int(place): spot for place, spot in zip(strip.columns, strip.cells[3], strict=True)}
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
def test_a_spot_has_the_letter_of_its_value(variant: str, letters: set[str]) -> None:
    assert {str(spot)[0] for row in picture(variant).cells for spot in row if spot} == letters


@pytest.mark.parametrize(
    "variant",
    ["line-runner(tokens=2, end=3)", "line-runner(players=3)", "line-runner(repeat=banned)", "line-runner(end=300)"],
)
def test_what_does_not_fit_on_paper_has_no_picture(variant: str) -> None:
    assert build_value_map(nl.solve(nl.book(variant))) is None
