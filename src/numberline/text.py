"""Text utilities: joining lists, pluralizing, quoting, and escaping untrusted input."""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Iterable, Sequence

_SMALL = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def join_or(things: Sequence[object]) -> str:
    """Join items with commas and "or".

    >>> join_or([1]), join_or([1, 3]), join_or(["1", "2", "3"])
    ('1', '1 or 3', '1, 2, or 3')
    """
    return _join(things, "or")


def join_and(things: Sequence[object]) -> str:
    """Join items with commas and "and".

    >>> join_and([1]), join_and([1, 3]), join_and(["1", "2", "3"])
    ('1', '1 and 3', '1, 2, and 3')
    """
    return _join(things, "and")


def _join(things: Sequence[object], joint: str) -> str:
    *most, last = map(str, things)
    if len(most) < 2:
        return f" {joint} ".join([*most, last])
    return f"{', '.join(most)}, {joint} {last}"


def versus(names: Sequence[str]) -> str:
    """Join the names of a game's players: with "against" for two players, otherwise as a list.

    >>> versus(["Ann", "Bob"]), versus(["Ann", "Bob", "Cy"])
    ('Ann against Bob', 'Ann, Bob, and Cy')
    """
    return " against ".join(names) if len(names) == 2 else join_and(names)


def pluralize(count: int, noun: str) -> str:
    """Return a count and its noun, pluralized if needed.

    >>> pluralize(1, "turn"), pluralize(5000, "turn")
    ('1 turn', '5,000 turns')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def format_large_count(count: int) -> str:
    """Return a count with thousands separators, or only its order of magnitude if it is very large.

    >>> format_large_count(12_345), format_large_count(10**24 + 1)
    ('12,345', 'more than 10^24')
    """
    if count < MAX_READABLE_COUNT:
        return f"{count:,}"
    power = int(math.log10(count))  # str() rejects numbers with thousands of digits
    return f"more than 10^{power if 10**power < count else power - 1}"


MAX_READABLE_COUNT = 10**21


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """Return a suggestion to append to an error message, or an empty string if no known word is similar.

    >>> did_you_mean("flg", ["end", "flag"]), did_you_mean("speed", ["end", "flag"])
    (' (did you mean flag?)', '')
    """
    similar = find_similar(typed, known)
    return f" (did you mean {similar}?)" if similar else ""


def find_similar(typed: str, known: Iterable[str]) -> str | None:
    """Return the known word most similar to `typed` among those with the same first letter; None if none is similar.

    >>> find_similar("lerna", ["learn", "ladder"]), find_similar("clear", ["learn"])
    ('learn', None)
    """
    word = typed.strip().lower()
    same_start = [each for each in known if each.lstrip("-")[:1] == word.lstrip("-")[:1]]
    return next(iter(difflib.get_close_matches(word, same_start, n=1)), None)


def spell_number(number: int) -> str:
    """Spell out a number, so that readers can't mistake it for a move; return "very many" for 100 or more.

    >>> spell_number(3), spell_number(21), spell_number(400)
    ('three', 'twenty-one', 'very many')
    """
    if number < len(_SMALL):
        return _SMALL[number]
    if number > 99:
        return "very many"
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


def spell_ordinal(number: int) -> str:
    """Return the ordinal of a positive number, spelled out up to ten.

    >>> spell_ordinal(3), spell_ordinal(11), spell_ordinal(22), spell_ordinal(103)
    ('third', '11th', '22nd', '103rd')
    """
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    ending = "th" if number % 100 in range(11, 14) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def quote(typed: str, width: int = 40) -> str:
    r"""Return untrusted text in quotes, escaped and truncated.

    >>> quote("up\n3")
    "'up\\n3'"
    >>> quote("9" * 100, width=5)
    "'99999…'"
    """
    cut = typed if len(typed) <= width else typed[:width] + "…"
    return f"'{escape_controls(cut.translate(_BREAKS))}'"


def safe_repr(given: object) -> str:
    """Return the repr of an untrusted value, escaped and truncated.

    >>> safe_repr(1.5), safe_repr(10**5000)
    ('1.5', '<int>')
    """
    try:
        written = repr(given)
    except Exception:  # noqa: BLE001 - repr() fails on huge integers, and can fail on any other object
        written = f"<{type(given).__name__}>"
    return quote(written)[1:-1]


_BREAKS = {ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"}


_JOINERS = "\u200c\u200d"
"""Invisible but harmless characters that some scripts and many emoji need."""


def escape_controls(text: str) -> str:
    r"""Escape control characters as in JSON; line breaks and tabs are kept.

    All untrusted text passes through here before it is displayed, because control characters, bidirectional marks and
    lone surrogates can corrupt a terminal's output.

    >>> escape_controls("\x1b[2Jgone\u202e")
    '\\u001b[2Jgone\\u202e'
    """
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return "".join(c if _is_harmless(c) else _escape(c) for c in text)


MAX_NAME_CHARS = 40


def normalize_name(given: str) -> str:
    r"""Collapse whitespace in a player's name and escape control characters.

    >>> normalize_name(" Ann\tthe  1st\x1b ")
    'Ann the 1st\\u001b'
    """
    words = (word.strip(_JOINERS) for word in given.split())  # a joiner at either end of a word has no effect
    return escape_controls(" ".join(filter(None, words)))


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character in f"\n\t{_JOINERS}" or unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02x}{units[n + 1]:02x}" for n in range(0, len(units), 2))
