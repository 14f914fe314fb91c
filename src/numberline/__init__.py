"""Numberline: five two-player games on a number line, and every variant of them."""

from numberline import starting  # noqa: F401 - before anything else that takes time

# isort: split

from importlib import import_module
from typing import TYPE_CHECKING, Any

from numberline.book.book import Book
from numberline.book.loader import NAMES, book
from numberline.match import Match, Ply
from numberline.rules.errors import (
    BookError,
    BookFileError,
    IllegalMove,
    MoveError,
    NumberlineError,
    RecordError,
    UnreadableMove,
)
from numberline.rules.position import Outcome, Position

if TYPE_CHECKING:
    from numberline.solver.solution import Solution, solve

__version__ = "0.1.0"

__all__ = [
    "NAMES",
    "Book",
    "BookError",
    "BookFileError",
    "IllegalMove",
    "Match",
    "MoveError",
    "NumberlineError",
    "Outcome",
    "Ply",
    "Position",
    "RecordError",
    "Solution",
    "UnreadableMove",
    "book",
    "solve",
]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    # The solver is loaded when it is first asked for; nobody who only plays waits for it.
    if name in {"Solution", "solve"}:
        return getattr(import_module("numberline.solver.solution"), name)
    raise AttributeError(f"module 'numberline' has no attribute {name!r}")
