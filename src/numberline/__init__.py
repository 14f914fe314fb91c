"""Numberline: five two-player games on a number line, and every variant of them."""

from numberline.match import Match, Ply, Record
from numberline.rules.book import Book
from numberline.rules.errors import (
    BookError,
    BookFileError,
    IllegalMove,
    MoveError,
    NumberlineError,
    RecordError,
    UnreadableMove,
)
from numberline.rules.loader import NAMES, book
from numberline.rules.position import Outcome, Position

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
    "Record",
    "RecordError",
    "UnreadableMove",
    "book",
]
