"""Plain text: joining, pluralising, quoting, and escaping of untrusted input."""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Iterable, Sequence

_SMALL = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)


_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def join_or(things: Sequence[object]) -> str:
    """The things as a choice in words.

    >>> join_or([1]), join_or([1, 3]), join_or(["1", "2", "3"])
    ('1', '1 or 3', '1, 2, or 3')
    """
    return _join(things, "or")


def join_and(things: Sequence[object]) -> str:
    """The things as a list in words.

    >>> join_and([1]), join_and([1, 3]), join_and(["1", "2", "3"])
    ('1', '1 and 3', '1, 2, and 3')
    """
    return _join(things, "and")


def _join(things: Sequence[object], joint: str) -> str:
    *most, last = map(str, things)
    if len(most) < 2:
        return f" {joint} ".join([*most, last])
    return f"{', '.join(most)}, {joint} {last}"


def pluralize(count: int, noun: str) -> str:
    """So many of something.

    >>> pluralize(1, "turn"), pluralize(5000, "turn")
    ('1 turn', '5,000 turns')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def format_large_count(count: int) -> str:
    """A count that may be very large: its digits as long as they can be read, then only how many they are.

    >>> format_large_count(12_345), format_large_count(10**24 + 1)
    ('12,345', 'more than 10^24')
    """
    if count < MAX_READABLE_COUNT:
        return f"{count:,}"
    power = int(math.log10(count))  # its digits can't be counted where they are too many to be written
    return f"more than 10^{power if 10**power < count else power - 1}"


MAX_READABLE_COUNT = 10**21
"""From here on nobody reads a number digit by digit."""


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """The end of a sentence that asks whether one of the known words was meant; empty where none is like it.

    >>> did_you_mean("flg", ["end", "flag"]), did_you_mean("speed", ["end", "flag"])
    (' (did you mean flag?)', '')
    """
    near = difflib.get_close_matches(typed.strip().lower(), known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def spell_number(number: int) -> str:
    """A number below a hundred in letters, so that nobody takes it for a move; a larger one is very many.

    >>> spell_number(3), spell_number(21), spell_number(400)
    ('three', 'twenty-one', 'very many')
    """
    if number < len(_SMALL):
        return _SMALL[number]
    if number > 99:
        return "very many"
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


def quote(typed: str, width: int = 40) -> str:
    r"""What was typed, in quotes, safe to print and never long.

    >>> quote("up\n3")
    "'up\\n3'"
    >>> quote("9" * 100, width=5)
    "'99999…'"
    """
    cut = typed if len(typed) <= width else typed[:width] + "…"
    return f"'{escape_controls(cut.translate(_BREAKS))}'"


def safe_repr(given: object) -> str:
    """What a program was given, as Python writes it, in a line that is never long.

    >>> safe_repr(1.5), safe_repr(10**5000)
    ('1.5', '<int>')
    """
    try:
        written = repr(given)
    except Exception:  # noqa: BLE001 - a number of too many digits can't be written, nor what does not know how
        written = f"<{type(given).__name__}>"
    return quote(written)[1:-1]


_BREAKS = {ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"}


_JOINERS = "\u200c\u200d"
"""Invisible, harmless, and needed: some scripts and many pictures of people are written with them."""


def escape_controls(text: str) -> str:
    r"""The text with everything in it seen that a screen would obey instead of showing it; lines stay lines.

    What comes from outside goes through here before anybody sees it: control characters, marks that turn the direction
    of writing round, halves of characters. They are written as JSON writes them.

    >>> escape_controls("\x1b[2Jgone\u202e")
    '\\u001b[2Jgone\\u202e'
    """
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return "".join(each if _harmless(each) else _escaped(each) for each in text)


MAX_NAME_CHARS = 40
"""So many letters a person's name may have, as it is written."""


def normalize_name(given: str) -> str:
    r"""A player's name as it is written everywhere: in one line, and every character of it seen.

    >>> normalize_name(" Ann\tthe  1st\x1b ")
    'Ann the 1st\\u001b'
    """
    words = (word.strip(_JOINERS) for word in given.split())  # at the end of a word there is nothing to join
    return escape_controls(" ".join(filter(None, words)))


def _harmless(character: str) -> bool:
    return character.isprintable() or character in f"\n\t{_JOINERS}" or unicodedata.category(character) == "Zs"


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02x}{units[n + 1]:02x}" for n in range(0, len(units), 2))
