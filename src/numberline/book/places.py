"""Places on a line: numbers, words for numbers, and the middle."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Ref: TypeAlias = int | str
"""A place as a book names it: a number, one of its own words, or `middle`."""


class Places(NamedTuple):
    """Where everything is, once every word has its number."""

    low: int
    high: int
    starts: tuple[int, ...]
    goals: tuple[tuple[int, ...], ...]


def middle(low: int, high: int) -> int:
    """The middle of a line, rounded up.

    >>> middle(0, 15)
    8
    """
    return (low + high + 1) // 2
