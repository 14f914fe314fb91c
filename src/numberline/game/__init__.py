"""Rules, positions, moves and the engine; books, settings and variants; matches and notation."""

from numberline.game.book import Book
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.notation import format_position
from numberline.game.position import Outcome, Position

__all__ = ["FORCED_MOVES", "RESIGN", "Book", "Match", "Move", "Outcome", "Ply", "Position", "format_position"]
