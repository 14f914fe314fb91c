"""The bots that sit in the other seats."""

from __future__ import annotations

from bisect import bisect
from itertools import accumulate
from random import Random

from numberline.book.book import Book
from numberline.bots import Bot, make_bot
from numberline.bots.odds import Odds, odds
from numberline.envs.spots import Spot, Spots


class Guest:
    """A bot in a seat, by its name or as it is, with where its chance comes from; a bot as it is keeps its own."""

    def __init__(self, bot: str | Bot, book: Book) -> None:
        self.rng = Random(0)  # noqa: S311 - a game, not a secret
        self.bot = make_bot(bot, book, self.rng) if isinstance(bot, str) else bot

    def begin(self, seed: int | None) -> None:
        """Tells the bot that a game begins; a seed makes all that is left to chance come out the same again."""
        if seed is not None:
            self.rng.seed(seed)
        if new_game := getattr(self.bot, "new_game", None):
            new_game(self.rng.getrandbits(32))

    def close(self) -> None:
        """Ends the program of a bot that has one."""
        if close := getattr(self.bot, "close", None):
            close()


class Opponent(Guest):
    """A bot at a table of spots."""

    def __init__(self, bot: str | Bot, spots: Spots) -> None:
        super().__init__(bot, spots.book)
        self._spots = spots
        self._known: dict[Spot, tuple[list[int], list[float]]] = {}

    def reply(self, spot: Spot) -> int:
        """The action that the bot plays on a spot; what it may play there is worked out once, where it can be."""
        known = self._known.get(spot)
        if known is None:
            likely = odds(self.bot, self._spots.book, spot.position)
            if likely is None:
                return self._spots.number[self.bot.choose(spot.position)]
            known = self._known[spot] = self._drawn_from(likely)
        actions, up_to = known
        return actions[bisect(up_to, self.rng.random())] if len(actions) > 1 else actions[0]

    def _drawn_from(self, likely: Odds) -> tuple[list[int], list[float]]:
        """The actions, and for each the chance that it or one before it is drawn."""
        sums = accumulate(likely.values())
        return [self._spots.number[move] for move in likely], [float(chance) for chance in sums]
