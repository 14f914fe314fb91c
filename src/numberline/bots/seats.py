"""Seats of a match, and the loop that plays the bots' turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Protocol

from numberline.bots.bot import Bot, Forfeit, make_bot
from numberline.errors import MoveError
from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position

if TYPE_CHECKING:
    from numberline.solver.solution import Solution


class Playable(Protocol):
    """The part of a `Match` that the loop needs."""

    @property
    def position(self) -> Position: ...

    @property
    def moves(self) -> Sequence[str]:
        """The legal moves; empty when the game is over."""

    @property
    def length(self) -> int:
        """The number of plies played."""

    def play(self, typed: str, /) -> object:
        """Play a legal move; raise `MoveError` for any other."""

    def resign(self) -> object:
        """Eliminate the player to move."""


class CopyableRandom(Random):
    """A `Random` that is cheap to copy."""

    def __deepcopy__(self, memo: object) -> CopyableRandom:
        twin = CopyableRandom(0)
        twin.setstate(self.getstate())
        return twin


class Seats:
    """Players of a match in order: bots, given by name or as objects, or None for a human.

    All random choices of bots given by name come from `rng`. With a `seed`, a bot's choice depends only on the seed and
    the number of plies, so a resumed game continues as it would have.
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
        """The players that are human."""
        return tuple(player for player, bot in enumerate(self.bots, 1) if bot is None)

    def prepare(self, progress: Callable[[float], None] = lambda _: None) -> None:
        """Let every bot do its slow work before the game."""
        for bot in self._unique_bots:
            bot.prepare(progress)

    def new_game(self, seed: int | str | None = None) -> None:
        """Start a game for every bot; with a seed, all random choices are reproducible."""
        if seed is not None:
            self.rng.seed(seed)
        for bot in self._unique_bots:
            bot.new_game(self.rng.getrandbits(32))

    def play(self, game: Playable, bot: Bot) -> Forfeit | None:
        """Let the bot move; if it gives no legal move, it resigns, and the `Forfeit` says why."""
        if self._seed is not None:
            self.rng.seed(f"{self._seed}/{game.length}")
        try:
            game.play(bot.choose(game.position))
        except Forfeit as forfeit:
            game.resign()
            return forfeit
        except MoveError as error:
            game.resign()
            return Forfeit(bot.name, f"made no legal move: {error}")
        return None

    def close(self) -> None:
        """Close all bots."""
        for bot in self._unique_bots:
            bot.close()


def play_bot_turns(game: Playable, seats: Seats, *, limit: float = math.inf) -> Forfeit | None:
    """Play forced moves and the bots' moves until a human must move, the game is over, or it has `limit` plies.

    Returns the last `Forfeit`, if any: a bot that gave no legal move has resigned.
    """
    last = None
    for forfeit in iter_bot_turns(game, seats, limit=limit):
        last = forfeit or last
    return last


def iter_bot_turns(game: Playable, seats: Seats, *, limit: float = math.inf) -> Iterator[Forfeit | None]:
    """Do the same ply by ply; yield after each None or the `Forfeit` of a bot that has just resigned."""
    while (legal := game.moves) and game.length < limit:
        if legal[0] in FORCED_MOVES:
            game.play(legal[0])
            yield None
        elif bot := seats.bots[game.position.turn - 1]:
            yield seats.play(game, bot)
        else:
            return
