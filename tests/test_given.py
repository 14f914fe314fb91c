"""What a program gives: a book, a player, a move; what is none of these is refused in a sentence."""

from __future__ import annotations

from typing import Any

import pytest

import numberline as nl
from numberline.rules.wording import size_word


@pytest.mark.parametrize("first", [1.0, True, "1", None, 0, 3, 10**5000], ids=lambda first: type(first).__name__)
def test_who_begins_is_a_whole_number(first: Any) -> None:
    with pytest.raises(nl.BookError, match="Flag Chase has the players 1 to 2"):
        nl.Match(nl.book("flag-chase"), first=first)


@pytest.mark.parametrize("move", [3, 1.5, None, b"3", ["3"]])
def test_a_move_that_is_no_text_is_refused_and_changes_nothing(move: Any) -> None:
    match = nl.Match(nl.book("flag-chase"))
    with pytest.raises(nl.UnreadableMove, match=r"is no text; a move is text, such as '1'\. You can play 1, 2, or 3"):
        match.play(move)
    assert match.position == match.book.start()


def test_a_book_is_the_book_that_it_names() -> None:
    book = nl.book("flag-chase(end=12)")
    assert nl.book(book) is book


@pytest.mark.parametrize("named", [5, None, b"flag-chase", 10**5000, [], 1.5], ids=lambda named: type(named).__name__)
def test_what_is_no_name_of_a_book_is_refused_in_a_sentence(named: Any) -> None:
    with pytest.raises(nl.BookError, match="is not a book; expected a name such as line-runner, a variant, or a path"):
        nl.book(named)


def test_what_is_solved_can_be_named() -> None:
    assert nl.solve("flag-chase(end=12)").book.variant == "flag-chase(end=12)"


def test_what_is_no_book_is_not_solved() -> None:
    with pytest.raises(nl.BookError, match="None is not a book"):
        nl.solve(None)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize(("power", "more"), [(23, 9 * 10**23), (24, 1), (23, 9 * 10**23 - 1), (5000, 1)])
def test_a_size_is_told_however_many_digits_it_has(power: int, more: int) -> None:
    assert size_word(10**power + more) == f"more than 10^{power}"
