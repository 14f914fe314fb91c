"""Invalid arguments of the public API are rejected with a clear message."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
import pytest

import numberline as nl
from numberline.errors import string_options
from numberline.text import format_large_count


@pytest.mark.parametrize("first", [1.0, True, "1", None, 0, 3, 10**5000], ids=lambda first: type(first).__name__)
def test_first_player_must_be_a_whole_number(first: Any) -> None:
    with pytest.raises(nl.BookError, match="expected a player from 1 to 2"):
        nl.Match(nl.book("flag-chase"), first=first)


@pytest.mark.parametrize("move", [3, 1.5, None, b"3", ["3"]])
def test_move_that_is_not_a_string_is_rejected(move: Any) -> None:
    match = nl.Match(nl.book("flag-chase"))
    with pytest.raises(nl.UnreadableMove, match=r"move must be a string such as '1', not .*\. You can play 1, 2, or 3"):
        match.play(move)
    assert match.position == match.book.start()


def test_a_book_is_the_book_that_it_names() -> None:
    book = nl.book("flag-chase(end=12)")
    assert nl.book(book) is book


@pytest.mark.parametrize("named", [5, None, b"flag-chase", 10**5000, [], 1.5], ids=lambda named: type(named).__name__)
def test_invalid_book_name_is_rejected(named: Any) -> None:
    with pytest.raises(nl.BookError, match="is not a book; expected a name such as line-runner, a variant, or a path"):
        nl.book(named)


def test_solve_accepts_a_name() -> None:
    assert nl.solve("flag-chase(end=12)").book.variant == "flag-chase(end=12)"


def test_solve_rejects_other_objects() -> None:
    with pytest.raises(nl.BookError, match="None is not a book"):
        nl.solve(None)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize(("power", "more"), [(23, 9 * 10**23), (24, 1), (23, 9 * 10**23 - 1), (5000, 1)])
def test_size_of_any_number_of_digits_is_reported(power: int, more: int) -> None:
    assert format_large_count(10**power + more) == f"more than 10^{power}"


@pytest.mark.parametrize("asked", [5, None, b"end", ["end"], 10**5000], ids=lambda asked: type(asked).__name__)
def test_setting_without_a_name_is_rejected(asked: Any) -> None:
    book = nl.book("flag-chase")
    for ask in (book.setting, book.can_vary):
        with pytest.raises(nl.BookError, match="Flag Chase has no such setting; it has end"):
            ask(asked)


def test_unknown_setting_is_quoted_escaped_and_shortened() -> None:
    for name in ("\x1b[2J", "9" * 5000):
        with pytest.raises(nl.BookError) as caught:
            nl.book("flag-chase").setting(name)
        assert "\x1b" not in str(caught.value)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"book": "flag-chase"}, "'flag-chase' is not a book; expected one such as"),
        ({"start": 5}, "start=5: expected a position such as Position"),
        ({"names": 5}, "names=5: expected a list of strings such as 'Ann'"),
        ({"names": [None]}, "names: expected strings such as 'Ann', got None"),
        ({"names": ["a", "b", "c"]}, "3 names for 2 players; give at most 2"),
    ],
)
def test_match_rejects_invalid_arguments(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(nl.NumberlineError, match=sentence):
        nl.Match(**{"book": nl.book("flag-chase"), **options})


@pytest.mark.parametrize(
    ("ask", "options", "sentence"),
    [
        (nl.solve, {"memory": 1.5}, "memory=1.5: expected a whole number of at least 1"),
        (nl.measure, {"memory": None}, "memory=None: expected a whole number of at least 1"),
        (nl.measure, {"players": 5}, "players=5: expected a list of strings such as 'slip:25'"),
        (nl.measure, {"players": range(10**9)}, "players: expected strings such as 'slip:25', got 0"),
        (nl.map, {"settings": 5}, "settings: expected strings such as 'end=8..24', got 5"),
        (nl.map, {"measures": 10**5000}, "measures=<int>: expected one of solution, metrics, all"),
        (nl.map, {"out": 5}, "out=5: expected the path of a directory"),
        (nl.map, {"workers": 1.5}, "workers=1.5: expected a whole number from 1 to 1000"),
        (nl.map, {"memory": "1GB"}, "memory='1GB': expected a whole number of at least 1"),
        (nl.find, {"goals": 5}, "goals=5: expected a list of strings such as 'length=10..20'"),
        (nl.find, {"change": [5]}, "change: expected strings such as 'end=10..40', got 5"),
        (nl.find, {"change": "\0"}, r"\\u0000: Flag Chase has no such setting"),
        (nl.find, {"change": "end=\0"}, r"end=\\u0000: expected a whole number"),
        (nl.find, {"most_changes": 10**5000}, "most_changes=<int>: expected a whole number from 1 to 1000"),
        (nl.find, {"top": 1.5}, "top=1.5: expected a whole number of at least 1"),
        (nl.find, {"memory": 0}, "memory=0: expected a whole number of at least 1"),
    ],
)
def test_option_of_the_wrong_type_is_rejected(ask: Any, options: dict[str, Any], sentence: str) -> None:
    settings = [options.pop("settings", "end=4..5")] if ask is nl.map else []
    with pytest.raises(nl.NumberlineError, match=sentence):
        ask("flag-chase", *settings, **options)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_invalid_directory_name_is_rejected(name: str) -> None:
    with pytest.raises(OSError, match="is not a valid file name"):
        nl.map("flag-chase", "end=4..5", out=name)


@pytest.mark.parametrize("goals", [{"length=10..20"}, iter(["length=10..20"]), np.array(["length=10..20"])])
def test_texts_may_come_in_any_collection(goals: Any) -> None:
    assert string_options("goals", goals, "x") == ["length=10..20"]


def test_endless_list_of_strings_is_rejected() -> None:
    with pytest.raises(nl.OptionError, match="goals: expected at most 10,000 strings"):
        string_options("goals", repeat("x"), "x")
