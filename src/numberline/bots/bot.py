"""What an opponent is: somebody with a name who, asked in any position, answers with a move."""

from __future__ import annotations

from typing import Protocol

from numberline.rules.errors import MoveError, NumberlineError
from numberline.rules.position import Position


class Bot(Protocol):
    """A player that is a program. It remembers nothing of a game, so one bot can sit in any seats of any matches."""

    @property
    def name(self) -> str:
        """The text that the bot can be made from again, such as `level:3`."""

    def choose(self, position: Position) -> str:
        """A legal move for the player to move; raises `GameOver` where there is none."""


class BotError(NumberlineError, ValueError):
    """An opponent that there is not, or one that can't play this book."""


class GameOver(MoveError):
    """A bot was asked for a move after the end."""

    def __init__(self) -> None:
        super().__init__("there is nothing to choose: the game is over")
