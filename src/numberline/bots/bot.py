"""What an opponent is: somebody with a name who, asked in any position, answers with a move."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from numberline.rules.errors import MoveError, NumberlineError
from numberline.rules.position import Position


class Bot(Protocol):
    """A player that is a program. It remembers nothing of a game, so one bot can sit in any seats of any matches."""

    @property
    def name(self) -> str:
        """The text that the bot can be made from again, such as `level:3`."""

    def choose(self, position: Position) -> str:
        """A legal move for the player to move; raises `GameOver` where there is none."""


@runtime_checkable
class Lasting(Protocol):
    """A bot that is kept from game to game, since making it takes long: it is told when another game begins."""

    def new_game(self, seed: int) -> None:
        """Another game begins; all that the bot leaves to chance should come from this number."""

    def close(self) -> None:
        """Nobody will ask any more."""


class BotError(NumberlineError, ValueError):
    """An opponent that there is not, or one that can't play this book."""


class Forfeit(NumberlineError):
    """A player that gave the game away by not playing by the rules of the table; `reason` says how."""

    def __init__(self, who: str, reason: str) -> None:
        super().__init__(f"{who} forfeits: it {reason}")
        self.who = who
        self.reason = reason
        """To be read after the player's name, such as `played 9, which is not allowed here`."""


class GameOver(MoveError):
    """A bot was asked for a move after the end."""

    def __init__(self) -> None:
        super().__init__("there is nothing to choose: the game is over")
