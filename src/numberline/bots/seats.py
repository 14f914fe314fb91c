"""Who sits at the table, and the one loop that lets the programs among them play."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Protocol

from numberline.bots.bot import Bot, Forfeit
from numberline.errors import MoveError
from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position

if TYPE_CHECKING:
    from numberline.solver.solution import Solution


class Playable(Protocol):
    """What the loop needs of a game: a `Match`, or an environment's quick twin of one."""

    @property
    def position(self) -> Position:
        """Where the game stands."""

    @property
    def moves(self) -> Sequence[str]:
        """The legal moves; nothing when the game is over."""

    @property
    def length(self) -> int:
        """How many plies were played."""

    def play(self, typed: str, /) -> object:
        """Plays a legal move; raises `MoveError` for any other."""

    def resign(self) -> object:
        """Puts the player to move out of the game."""


class CopyableRandom(Random):
    """Chance that is copied quickly, as planners do at every node."""

    def __deepcopy__(self, memo: object) -> CopyableRandom:
        twin = CopyableRandom(0)
        twin.setstate(self.getstate())
        return twin


class Seats:
    """Who plays as player 1, 2, …: a bot, by its name or as it is, or None for whoever is asked for every move.

    All chance of the bots that are made here comes from `rng`. With a seed, a bot's choice depends on the seed and on
    how many plies were played, and on nothing else, so that a game that was left goes on as it would have.
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
        self.bots = tuple(_made(who, book, self.rng, solution) if isinstance(who, str) else who for who in players)
        self._programs = tuple(dict.fromkeys(filter(None, self.bots)))
        """Each bot once, in however many seats it sits."""

    @property
    def people(self) -> tuple[int, ...]:
        """The players that are asked for every move."""
        return tuple(player for player, bot in enumerate(self.bots, 1) if bot is None)

    def prepare(self, progress: Callable[[float], None] = lambda _: None) -> None:
        """Lets every bot do what takes long before the game begins."""
        for bot in self._programs:
            bot.prepare(progress)

    def new_game(self, seed: int | str | None = None) -> None:
        """Tells every bot that a game begins; a seed makes all that is left to chance come out the same again."""
        if seed is not None:
            self.rng.seed(seed)
        for bot in self._programs:
            bot.new_game(self.rng.getrandbits(32))

    def play(self, game: Playable, bot: Bot) -> Forfeit | None:
        """Lets the bot play whose turn it is; where it gives no legal move it resigns, and the `Forfeit` says why."""
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
        """Nobody is asked any more; a program that was started is ended."""
        for bot in self._programs:
            bot.close()


def play_bot_turns(game: Playable, seats: Seats, *, limit: float = math.inf) -> Forfeit | None:
    """Plays lost turns and the bots' moves until somebody must be asked, the game is over, or it has `limit` plies.

    What comes back is the last `Forfeit`, if there was any: a bot that gave no legal move has resigned.
    """
    last = None
    while (legal := game.moves) and game.length < limit:
        if legal[0] in FORCED_MOVES:
            game.play(legal[0])
        elif (bot := seats.bots[game.position.turn - 1]) is None:
            break
        else:
            last = seats.play(game, bot) or last
    return last


def iter_bot_turns(game: Playable, seats: Seats, *, limit: float = math.inf) -> Iterator[Forfeit | None]:
    """Does the same ply by ply; after each there is None, or the `Forfeit` for which a bot has just resigned."""
    while (length := game.length) < limit:
        forfeit = play_bot_turns(game, seats, limit=length + 1)
        if game.length == length:
            return
        yield forfeit


def _made(name: str, book: Book, rng: Random, solution: Solution | None) -> Bot:
    from numberline.bots.registry import make_bot  # loaded where a bot sits down

    return make_bot(name, book, rng, solution=solution)
