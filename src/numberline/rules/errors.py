"""What can go wrong, each in one sentence that a person can act on."""

from __future__ import annotations


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


def shown(typed: str, width: int = 40) -> str:
    r"""What was typed, in quotes, safe to print and never long.

    >>> shown("up\n3")
    "'up\\n3'"
    >>> shown("9" * 100, width=5)
    "'99999…'"
    """
    cut = typed if len(typed) <= width else typed[:width] + "…"
    return f"'{''.join(c if c.isprintable() else c.encode('unicode_escape').decode() for c in cut)}'"
