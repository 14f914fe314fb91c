"""The seats of a match, and the loop that plays the bots' turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from random import Random
from typing import TYPE_CHECKING

from numberline.bots.bot import Bot, Forfeit, make_bot
from numberline.errors import MoveError
from numberline.game import FORCED_MOVES, Book, Match

if TYPE_CHECKING:
    from numberline.solver.solution import Solution


class CopyableRandom(Random):
    """A `Random` that is cheap to copy."""

    def __deepcopy__(self, memo: object) -> CopyableRandom:
        return copy(self)


class Seats:
    """The players of a match in seat order: each is a bot, given by name or as an object, or None for a human.

    Bots given by name make all their random choices with `rng`. With a `seed`, these choices depend only on the seed
    and the number of plies, so a resumed game continues exactly as it would have without the interruption.
    """

    def __init__(
        self,
        book: Book,
        players: Sequence[str | Bot | None],
        *,
        seed: str | None = None,
        solution: Solution | None = None,
    ) -> None:
        self.rng: Random = CopyableRandom()
        self._seed = seed
        self.bots = tuple(
            make_bot(player, book, self.rng, solution=solution) if isinstance(player, str) else player
            for player in players
        )
        self._unique_bots = tuple(dict.fromkeys(filter(None, self.bots)))

    @property
    def people(self) -> tuple[int, ...]:
        """The numbers of the human players."""
        return tuple(player for player, bot in enumerate(self.bots, 1) if bot is None)

    def prepare(self, progress: Callable[[float], None] = lambda _: None) -> None:
        """Prepare every bot for the game, which may take a long time."""
        for bot in self._unique_bots:
            bot.prepare(progress)

    def new_game(self, seed: int | str | None = None) -> None:
        """Start a new game for every bot; with a `seed`, all random choices are reproducible."""
        if seed is not None:
            self.rng.seed(seed)
        for bot in self._unique_bots:
            bot.new_game(self.rng.getrandbits(32))

    def play(self, match: Match, bot: Bot) -> Forfeit | None:
        """Let the bot move; if it makes no legal move, resign for it and return a `Forfeit` with the reason."""
        if self._seed is not None:
            self.rng.seed(f"{self._seed}/{match.length}")
        try:
            match.play(bot.choose(match.position))
        except (Forfeit, MoveError) as error:
            match.resign()
            return error if isinstance(error, Forfeit) else Forfeit(bot.name, f"made no legal move: {error}")
        return None

    def close(self) -> None:
        """Close every bot exactly once, even if it plays several seats."""
        for bot in self._unique_bots:
            bot.close()


def play_bot_turns(match: Match, seats: Seats, *, limit: float = math.inf) -> Forfeit | None:
    """Play forced moves and bot moves until it is a human's turn, the game is over, or `limit` plies are reached.

    Return the last `Forfeit`, or None if no bot had to resign for failing to make a legal move.
    """
    last = None
    for forfeit in iter_bot_turns(match, seats, limit=limit):
        last = forfeit or last
    return last


def iter_bot_turns(match: Match, seats: Seats, *, limit: float = math.inf) -> Iterator[Forfeit | None]:
    """Play like `play_bot_turns`, one ply at a time; yield the `Forfeit` if the bot had to resign, otherwise None."""
    while (legal := match.moves) and match.length < limit:
        if legal[0] in FORCED_MOVES:
            match.play(legal[0])
            yield None
        elif bot := seats.bots[match.turn - 1]:
            yield seats.play(match, bot)
        else:
            return
