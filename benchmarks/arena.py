"""Games per second in the arena: in batches for bots with a known policy, and one game at a time.

Times include computing policies, playing, evaluating every move and, in one row, writing every game to a file. The
books are solved in advance. The report with its ratings is timed separately.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rich.table import Table

import numberline as nl
from numberline.arena import Entrant, Standings, Tournament, run
from numberline.bots import Bot
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.solution import Solution
from tables import show

PLAYERS = ("perfect", "level:5", "greedy", "random")
GAMES = 4_000
SLOW_GAMES = 400


class Plain(Bot):
    """A bot that hides its policy, so that the arena has to ask it for every move."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot.name, bot.book, bot.rng)
        self.bot = bot

    def choose(self, position: Position) -> str:
        return self.bot.choose(position)


@dataclass(frozen=True)
class PlainFactory:
    """Factory of a bot with a hidden policy; unlike a local function, it can be pickled."""

    name: str

    def __call__(self, book: Book, rng: Random, solution: Solution | None) -> Bot:
        """Make the bot."""
        return Plain(Entrant.from_text(self.name).make(book, rng, solution))


def hidden(text: str) -> Entrant:
    """Return the entrant of a bot with a hidden policy."""
    return Entrant(text, PlainFactory(text))


def timed(tournament: Tournament, out: Path | None = None, workers: int = 1) -> tuple[float, Standings]:
    """Return the games per second and the standings."""
    began = time.perf_counter()
    standings = run(tournament, out, workers=workers)
    return tournament.total / (time.perf_counter() - began), standings


def tournament(books: tuple[str, ...], games: int, *, open_odds: bool = True) -> Tournament:
    """Return a round robin of all players in these books."""
    players = tuple(Entrant.from_text(text) if open_odds else hidden(text) for text in PLAYERS)
    return Tournament(players, tuple(map(nl.book, books)), games, seed=1)


def main() -> None:
    table = Table("books", "how", "games", "games per second", title=f"Arena: {', '.join(PLAYERS)}")
    timed(tournament(nl.NAMES, 2))
    quick, slow = tournament(nl.NAMES, GAMES), tournament(nl.NAMES, SLOW_GAMES, open_odds=False)
    rows: list[tuple[str, str, Tournament, bool, int]] = [
        *((name, "batches", tournament((name,), GAMES), False, 1) for name in nl.NAMES),
        ("all five", "batches", quick, False, 1),
        ("all five", "batches, with a results file", quick, True, 1),
        ("all five", "one at a time", slow, False, 1),
        ("all five", "one at a time, two workers", slow, False, 2),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for books, how, played, kept, workers in rows:
            speed, standings = timed(played, Path(folder) / "games.jsonl" if kept else None, workers)
            table.add_row(books, how, f"{played.total:,}", f"{speed:,.0f}")
    began = time.perf_counter()
    standings.report()
    show(table)
    print(f"The last report, including ratings, took {time.perf_counter() - began:.2f} s.")


if __name__ == "__main__":
    main()
