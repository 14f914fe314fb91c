"""Lists and numbers in words: `1, 2, or 3`, `1 and 3`, `two`, `5 turns`."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence

_SMALL = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def any_of(things: Sequence[object]) -> str:
    """The things as a choice in words.

    >>> any_of([1]), any_of([1, 3]), any_of(["1", "2", "3"])
    ('1', '1 or 3', '1, 2, or 3')
    """
    return _listed(things, "or")


def all_of(things: Sequence[object]) -> str:
    """The things as a list in words.

    >>> all_of([1]), all_of([1, 3]), all_of(["1", "2", "3"])
    ('1', '1 and 3', '1, 2, and 3')
    """
    return _listed(things, "and")


def _listed(things: Sequence[object], joint: str) -> str:
    *most, last = map(str, things)
    if len(most) < 2:
        return f" {joint} ".join([*most, last])
    return f"{', '.join(most)}, {joint} {last}"


def counted(count: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "turn"), counted(5000, "turn")
    ('1 turn', '5,000 turns')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def size_word(count: int) -> str:
    """A count that may be very large: its digits as long as they can be read, then only how many they are.

    >>> size_word(12_345), size_word(10**24 + 1)
    ('12,345', 'more than 10^24')
    """
    if count < READABLE:
        return f"{count:,}"
    power = int(math.log10(count))  # its digits can't be counted where they are too many to be written
    return f"more than 10^{power if 10**power < count else power - 1}"


READABLE = 10**21
"""From here on nobody reads a number digit by digit."""


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """The end of a sentence that asks whether one of the known words was meant; empty where none is like it.

    >>> did_you_mean("flg", ["end", "flag"]), did_you_mean("speed", ["end", "flag"])
    (' (did you mean flag?)', '')
    """
    near = difflib.get_close_matches(typed.strip().lower(), known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def number_word(number: int) -> str:
    """A number below a hundred in letters, so that nobody takes it for a move; a larger one is very many.

    >>> number_word(3), number_word(21), number_word(400)
    ('three', 'twenty-one', 'very many')
    """
    if number < len(_SMALL):
        return _SMALL[number]
    if number > 99:
        return "very many"
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")
