"""What can go wrong, each in one sentence that a person can act on."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Iterable, Mapping


class NumberlineError(Exception):
    """Something that a person can put right; the text is one sentence saying how."""


class BookError(NumberlineError, ValueError):
    """A book, a variant or a setting that makes no game."""


class BookFileError(BookError):
    """A book file that can't be used; `problems` has a sentence for each thing wrong with it."""

    def __init__(self, where: str, problems: list[str]) -> None:
        super().__init__("\n".join(f"{where}: {problem}" for problem in problems))
        self.where = where
        self.problems = problems


class MoveError(NumberlineError, ValueError):
    """A move that was not played; the position is unchanged."""


class UnreadableMove(MoveError):
    """Text that is not a move of this book in any position."""


class IllegalMove(MoveError):
    """A move of this book that is not allowed here."""


class RecordError(NumberlineError, ValueError):
    """A game record that can't be trusted; the text names the line."""


class OptionError(NumberlineError, ValueError):
    """An option that is of the wrong kind, or too small or too large; the text says what would do."""


def shown(typed: str, width: int = 40) -> str:
    r"""What was typed, in quotes, safe to print and never long.

    >>> shown("up\n3")
    "'up\\n3'"
    >>> shown("9" * 100, width=5)
    "'99999…'"
    """
    cut = typed if len(typed) <= width else typed[:width] + "…"
    return f"'{visible(cut.translate(_BREAKS))}'"


def said(given: object) -> str:
    """What a program was given, as Python writes it, in a line that is never long.

    >>> said(1.5), said(10**5000)
    ('1.5', '<int>')
    """
    try:
        written = repr(given)
    except Exception:  # noqa: BLE001 - a number of too many digits can't be written, nor what does not know how
        written = f"<{type(given).__name__}>"
    return shown(written)[1:-1]


def whole_number(given: object) -> int | None:
    """The whole number that a program was given, of whatever width; None for what is none, a truth among it.

    >>> whole_number(3), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    if isinstance(given, bool):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]  # whatever it is
    except TypeError:
        return None


def whole_option(
    name: str, given: object, least: int = 1, most: int | None = None, error: type[NumberlineError] = OptionError
) -> int:
    """An option that is a whole number, of whatever width.

    >>> whole_option("tries", 3)
    3
    """
    number = whole_number(given)
    if number is None or number < least or (most is not None and number > most):
        wanted = f"from {least} to {most}" if most is not None else f"from {least} on"
        raise error(f"{name}={said(given)}: expected a whole number {wanted}")
    return number


def text_options(name: str, given: object, such: str) -> list[str]:
    """An option that is texts; a single one is a list of itself, and `such` is an example.

    >>> text_options("goals", "length=10..20", "length=10..20")
    ['length=10..20']
    """
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping):
        raise OptionError(f"{name}={said(given)}: expected a list of texts such as {such!r}")
    several: list[str] = []
    for text in given:
        if not isinstance(text, str):
            raise OptionError(f"{name}: {said(text)} is no text; expected texts such as {such!r}")
        if len(several) == MOST_TEXTS:
            raise OptionError(f"{name}: expected at most {MOST_TEXTS:,} texts")
        several.append(text)
    return several


MOST_TEXTS = 10_000
"""Nobody gives more to one option."""


_BREAKS = {ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"}
_JOINERS = "\u200c\u200d"
"""Invisible, harmless, and needed: some scripts and many pictures of people are written with them."""


def visible(text: str) -> str:
    r"""The text with everything in it seen that a screen would obey instead of showing it; lines stay lines.

    What comes from outside goes through here before anybody sees it: control characters, marks that turn the direction
    of writing round, halves of characters. They are written as JSON writes them.

    >>> visible("\x1b[2Jgone\u202e")
    '\\u001b[2Jgone\\u202e'
    """
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return "".join(each if _harmless(each) else _escaped(each) for each in text)


LONGEST_NAME = 40
"""So many letters a person's name may have, as it is written."""


def plain_name(given: str) -> str:
    r"""A player's name as it is written everywhere: in one line, and every character of it seen.

    >>> plain_name(" Ann\tthe  1st\x1b ")
    'Ann the 1st\\u001b'
    """
    words = (word.strip(_JOINERS) for word in given.split())  # at the end of a word there is nothing to join
    return visible(" ".join(filter(None, words)))


def _harmless(character: str) -> bool:
    return character.isprintable() or character in f"\n\t{_JOINERS}" or unicodedata.category(character) == "Zs"


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02x}{units[n + 1]:02x}" for n in range(0, len(units), 2))
