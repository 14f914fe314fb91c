"""Base classes and errors for bots, and the bot registry.

To add a bot, write a subclass of `Bot` and register it: built-in bots in `BUILTIN_BOTS`, bots from other packages as an
entry point in the package's `pyproject.toml`:

    [project.entry-points."numberline.bots"]
    cautious = "my_package.bots:CautiousBot"

The class defines `usage` and `from_text`, which receives the text after the colon in a bot's name.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from numberline.characters import ANIMALS, CHARACTERS, bot_key
from numberline.errors import MoveError, NumberlineError
from numberline.game import Book, Position
from numberline.text import MAX_NAME_CHARS, did_you_mean, join_or, normalize_name, quote

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from numberline.solver.arrays import IntArray, SolutionArrays
    from numberline.solver.solution import Solution

Probabilities = dict[str, Fraction]  # the moves a bot may play in a position, with their probabilities

MAX_CACHED_POSITIONS = 100_000

Key = TypeVar("Key")
Value = TypeVar("Value")


class SharedCache(dict[Key, Value]):
    """A dict that is shared between deep copies and pickled without its content."""

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


def _ignore_progress(_: float) -> None:
    """Do nothing; unlike a lambda, this function can be pickled with the bot."""


class Bot:
    """A computer player. It stores no game state, so one bot can take several seats and play in several matches.

    To add a bot, write a subclass with `usage`, `from_text` and `choose` (or a subclass of `PolicyBot` with
    `probabilities` instead of `choose`), and register it: see `BUILTIN_BOTS`.
    """

    usage: ClassVar[str]
    """The valid names of the bot, shown in error messages, such as `level:1 to level:10`."""

    def __init__(self, name: str, book: Book, rng: Random) -> None:
        self.name = name
        """The text from which `make_bot` can recreate the bot, such as `level:3`."""
        self.book = book
        self.rng = rng
        """Source of all random choices made by the bot."""
        self.progress: Callable[[float], None] = _ignore_progress
        """Called with the completed fraction by bots that may take a long time to choose a move."""

    @property
    def note(self) -> str:
        """A sentence that tells players about the bot's strength in this book; empty if there is nothing to tell."""
        return ""

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:  # noqa: ARG003
        """Create a bot from `detail`, the text after the colon (None without a colon); return None if it is invalid."""
        return cls(cls.usage, book, rng) if detail is None else None

    def choose(self, position: Position) -> str:
        """Return a legal move for the player to move; raise `GameOver` if there is none."""
        raise NotImplementedError

    def probabilities(self, position: Position) -> Probabilities | None:
        """Return the probability of each move; None if the bot has no fixed policy."""
        return None

    def policy(self, arrays: SolutionArrays) -> IntArray | None:
        """Return the policy for all reachable unfinished positions, or None if the bot has no fixed policy.

        The result has the rows of `arrays` and one column per move. Its entries are integer weights: the probability of
        a move is its weight divided by the sum of the row.
        """
        import numpy as np

        weights = np.zeros(arrays.legal.shape, np.int64)
        columns = {str(move): column for column, move in enumerate(arrays.moves)}
        for row in np.flatnonzero(arrays.live).tolist():
            probabilities = self.probabilities(arrays.position(row))
            if probabilities is None:
                return None
            denominator = math.lcm(*(probability.denominator for probability in probabilities.values()))
            for move, probability in probabilities.items():
                weights[row, columns[move]] = int(probability * denominator)
        return weights

    def prepare(self, progress: Callable[[float], None]) -> None:
        """Do slow work before the game; call `progress` with the completed fraction, from 0 to 1."""

    def new_game(self, seed: int) -> None:
        """Prepare for a new game; a bot with its own random number generator should seed it with `seed`."""

    def close(self) -> None:
        """Release the bot's resources."""


class PolicyBot(Bot):
    """A bot with a fixed policy, which draws each move at random according to its probability."""

    def __init__(self, name: str, book: Book, rng: Random) -> None:
        super().__init__(name, book, rng)
        self._draws: SharedCache[Position, tuple[list[str], list[float]]] = SharedCache()

    def probabilities(self, position: Position) -> Probabilities:
        """Return the probability of each move; raise `GameOver` if there is none."""
        raise NotImplementedError

    def choose(self, position: Position) -> str:
        draw = self._draws.get(position)
        if draw is None:
            probabilities = self.probabilities(position)
            draw = list(probabilities), cumulative_probabilities(probabilities)
            if len(self._draws) < MAX_CACHED_POSITIONS:
                self._draws[position] = draw
        moves, cumulative = draw
        return moves[bisect(cumulative, self.rng.random())] if cumulative else moves[0]


def cumulative_probabilities(probabilities: Probabilities) -> list[float]:
    """Return the cumulative probabilities of all moves except the last."""
    return [float(probability) for probability in accumulate(probabilities.values())][:-1]


def parse_int(text: str | None) -> int:
    """Parse a number of up to nine digits; return 0 for any other text."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


class BotError(NumberlineError, ValueError):
    """Error for an unknown bot or a bot that can't play the book."""


class Forfeit(NumberlineError):
    """A bot's forfeit for failing to make a legal move; `reason` completes a sentence that begins with "it"."""

    def __init__(self, player_name: str, reason: str) -> None:
        super().__init__(f"{player_name} forfeits: it {reason}")
        self.player_name = player_name
        self.reason = reason


class GameOver(MoveError):
    """Error raised when a bot is asked for a move after the game has ended."""

    def __init__(self) -> None:
        super().__init__("cannot choose a move: the game is over")


# Registry

ENTRY_POINT_GROUP = "numberline.bots"
_LEVEL_KINDS = (*CHARACTERS, "level")
# Classes are imported on first use, so that `random`, for example, doesn't load the code for engine processes.
BUILTIN_BOTS = {
    "random": "numberline.bots.policy_bots:RandomBot",
    "greedy": "numberline.bots.policy_bots:GreedyBot",
    **dict.fromkeys(_LEVEL_KINDS, "numberline.bots.levels:LevelBot"),
    "perfect": "numberline.bots.policy_bots:PerfectBot",
    "slip": "numberline.bots.policy_bots:SlipBot",
    "sight": "numberline.bots.policy_bots:SightBot",
    "mcts": "numberline.bots.mcts:MctsBot",
    "exec": "numberline.bots.external:ExternalBot",
}


def make_bot(text: str, book: Book, rng: Random, *, solution: Solution | None = None) -> Bot:
    """Create the bot named `text`, which can take any seat; `rng` is the source of all its random choices.

    Bots that need the book's solution use `solution` if given; otherwise they solve the book before their first move
    and share the result.

    >>> import numberline as nl
    >>> book = nl.book("reach-the-edge")
    >>> make_bot("perfect", book, Random(1)).choose(book.start())
    '3'
    """
    name, colon, detail = bot_key(text).partition(":")
    kind = name.strip().lower()
    bot_class = _bot_class(kind)
    given = detail.strip() if colon else None
    if kind in _LEVEL_KINDS:  # levels and characters receive their whole name
        given = f"{kind}{colon}{detail.strip()}"
    bot = bot_class.from_text(given, book, rng, solution) if bot_class else None
    if bot is None:
        usages = [bot_class.usage] if bot_class else list(dict.fromkeys(map(_usage, bot_names())))
        suggestion = "" if bot_class else did_you_mean(name, [*bot_names(), *ANIMALS])
        raise BotError(f"unknown bot {quote(text)}; expected {join_or(usages)}{suggestion}")
    return bot


def bot_display_name(bot: str) -> str:
    """Return the name of a bot as shown to players.

    >>> bot_display_name("level:4"), bot_display_name("easy"), bot_display_name("exec:python bots/mine.py")
    ('Level 4', 'Rabbit', 'mine.py')
    """
    kind, _, detail = bot.partition(":")
    if kind in CHARACTERS:
        return CHARACTERS[kind].name
    if kind == "exec":
        words = detail.strip("\"'/ ").split()
        return normalize_name(words[-1].rpartition("/")[2])[:MAX_NAME_CHARS] if words else "program"
    return f"{kind} {detail}".strip().capitalize()


def bot_names() -> tuple[str, ...]:
    """Return the names of all bots: built-in bots first, then those from other packages."""
    return tuple(dict.fromkeys([*BUILTIN_BOTS, *sorted(_installed())]))


@cache
def _installed() -> dict[str, EntryPoint]:
    """Return the entry point of each bot from another package, by name."""
    from importlib.metadata import entry_points  # slow to import, and slow to call

    return {entry_point.name: entry_point for entry_point in entry_points(group=ENTRY_POINT_GROUP)}


def _bot_class(name: str) -> type[Bot] | None:
    if name in BUILTIN_BOTS:
        module, _, class_name = BUILTIN_BOTS[name].partition(":")
        bot_class: type[Bot] = getattr(import_module(module), class_name)
        return bot_class
    if not (entry_point := _installed().get(name)):
        return None
    try:
        bot_class = entry_point.load()
    except Exception as error:  # noqa: BLE001 - another package's import can raise anything
        raise BotError(f"the bot {quote(name)} can't be loaded from {entry_point.value}: {error}") from None
    if not (isinstance(bot_class, type) and issubclass(bot_class, Bot) and hasattr(bot_class, "usage")):
        reason = f"{entry_point.value} is not a subclass of Bot that defines usage"
        raise BotError(f"the bot {quote(name)} can't be loaded: {reason}")
    return bot_class


def _usage(name: str) -> str:
    try:
        bot_class = _bot_class(name)
    except BotError:
        return name
    return bot_class.usage if bot_class else name
