"""Numberline: five two-player games on a number line, and every variant of them."""

from numberline import startup  # noqa: F401 - before anything else that takes time

# isort: split

from importlib import import_module
from typing import TYPE_CHECKING, Any

from numberline.errors import (
    BookError,
    BookFileError,
    IllegalMove,
    MoveError,
    NumberlineError,
    OptionError,
    RecordError,
    UnreadableMove,
)
from numberline.game.book import Book
from numberline.game.loader import NAMES, book
from numberline.game.match import Match, Ply
from numberline.game.position import Outcome, Position

if TYPE_CHECKING:
    from numberline.lab.to_json import find_variants as find
    from numberline.lab.to_json import map_variants as map  # noqa: A004 - people write `nl.map`
    from numberline.lab.to_json import measure_variant as measure
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
    "OptionError",
    "Outcome",
    "Ply",
    "Position",
    "RecordError",
    "Solution",
    "UnreadableMove",
    "book",
    "find",
    "map",
    "measure",
    "solve",
]

_LATER = {
    "Solution": ("solver.solution", "Solution"),
    "solve": ("solver.solution", "solve"),
    "measure": ("lab.to_json", "measure_variant"),
    "map": ("lab.to_json", "map_variants"),
    "find": ("lab.to_json", "find_variants"),
}
"""The solver and the lab are loaded when they are first asked for; nobody who only plays waits for them."""


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        module, there = _LATER[name]
        return getattr(import_module(f"numberline.{module}"), there)
    raise AttributeError(f"module 'numberline' has no attribute {name!r}")
