"""Numberline: five games on a number line, and all their variants."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from numberline.game.loader import NAMES, book, book_from_toml
    from numberline.game.match import Match, Ply
    from numberline.game.position import Outcome, Position
    from numberline.lab.to_json import find_variants as find
    from numberline.lab.to_json import map_variants
    from numberline.lab.to_json import measure_variant as measure
    from numberline.solver.solution import Solution, solve

    map = map_variants  # noqa: A001 - public as `nl.map`

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
    "book_from_toml",
    "find",
    "measure",
    "solve",
]

# Imported on first use, so that the command line starts quickly and handles Ctrl-C before anything else is loaded.
_HOMES = {
    **dict.fromkeys([name for name in __all__ if name.endswith(("Error", "Move"))], "errors"),
    **dict.fromkeys(["NAMES", "book", "book_from_toml"], "game.loader"),
    **dict.fromkeys(["Match", "Ply"], "game.match"),
    **dict.fromkeys(["Outcome", "Position"], "game.position"),
    **dict.fromkeys(["Solution", "solve"], "solver.solution"),
    "Book": "game.book",
    "find": "lab.to_json:find_variants",
    "map": "lab.to_json:map_variants",  # not in `__all__`: `import *` must not shadow the built-in
    "measure": "lab.to_json:measure_variant",
}


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'numberline' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    globals()[name] = value = getattr(import_module(f"numberline.{module}"), attribute or name)
    return value
