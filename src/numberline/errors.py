"""Exceptions, and checks of arguments that raise them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from numberline.text import safe_repr


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


def as_int(given: object) -> int | None:
    """The whole number that a program was given, of whatever width; None for what is none, a truth among it.

    >>> as_int(3), as_int(3.0), as_int(True)
    (3, None, None)
    """
    if isinstance(given, bool):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]  # whatever it is
    except TypeError:
        return None


def int_option(
    name: str, given: object, minimum: int = 1, maximum: int | None = None, error: type[NumberlineError] = OptionError
) -> int:
    """An option that is a whole number, of whatever width.

    >>> int_option("tries", 3)
    3
    """
    number = as_int(given)
    if number is None or number < minimum or (maximum is not None and number > maximum):
        wanted = f"from {minimum} to {maximum}" if maximum is not None else f"from {minimum} on"
        raise error(f"{name}={safe_repr(given)}: expected a whole number {wanted}")
    return number


def string_options(name: str, given: object, example: str) -> list[str]:
    """An option that is texts; a single one is a list of itself, and `such` is an example.

    >>> string_options("goals", "length=10..20", "length=10..20")
    ['length=10..20']
    """
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping):
        raise OptionError(f"{name}={safe_repr(given)}: expected a list of texts such as {example!r}")
    several: list[str] = []
    for text in given:
        if not isinstance(text, str):
            raise OptionError(f"{name}: {safe_repr(text)} is no text; expected texts such as {example!r}")
        if len(several) == MAX_OPTION_VALUES:
            raise OptionError(f"{name}: expected at most {MAX_OPTION_VALUES:,} texts")
        several.append(text)
    return several


MAX_OPTION_VALUES = 10_000
"""Nobody gives more to one option."""
