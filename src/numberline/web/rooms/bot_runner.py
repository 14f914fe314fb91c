"""The programs at a server's tables: which may sit down, and how they find their moves without holding others up."""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from random import Random

from numberline.bots.bot import Bot, BotError
from numberline.bots.registry import make_bot
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.game.position import Position
from numberline.web.protocol.book_encoder import BookEncoder
from numberline.web.protocol.errors import ApiError

MAX_SIMULATIONS = 2_000
SOLVER_BOTS = frozenset({"level", "perfect", "slip", "sight"})
"""The bots that play by the solution."""
MAX_BOTS_PER_BOOK = 64
"""So many bots are kept for each book."""
MAX_CACHED_BOT_POSITIONS = 50_000
"""A bot that knows a book with more positions is not kept, since the whole solution would stay with it."""


class BotRunner:
    """Finds the moves of all bots: those that know the solution in the thread that solves, `mcts` in a process."""

    def __init__(self, solver: Executor, rng: Random) -> None:
        self._solver = solver
        self._rng = rng
        self._pool: ProcessPoolExecutor | None = None
        """Made when somebody first plays against `mcts`."""

    def checked(self, text: str, shown: BookEncoder, most_positions: int) -> str:
        """The bot's name as it is written; raises `ApiError` for one that may not sit down here."""
        kind, detail = _kind(text)
        if kind in SOLVER_BOTS and shown.size > most_positions:
            raise ApiError(
                "too_many_positions",
                f"{kind} can't play this variant: it has too many positions to work out. Choose greedy or mcts.",
            )
        if kind == "mcts" and detail.isascii() and detail.isdigit() and int(detail[:9]) > MAX_SIMULATIONS:
            raise ApiError("bad_message", f"mcts has at most {MAX_SIMULATIONS} simulations a move here.")
        try:
            return make_bot(f"{kind}:{detail}" if detail else kind, shown.book, self._rng).name
        except BotError as error:
            raise ApiError("bad_message", str(error)) from None

    async def choose(self, shown: BookEncoder, text: str, position: Position) -> str:
        """The move of a bot; raises `ApiError` for one that may not sit here, whoever wrote it into the database."""
        kind, _ = _kind(text)
        if len(legal := shown.book.moves(position)) == 1:
            return str(legal[0])
        loop = asyncio.get_running_loop()
        if kind == "mcts":
            return await self._searched(shown.book, text, position)
        if kind in SOLVER_BOTS:
            return str(await loop.run_in_executor(self._solver, self._asked, shown, text, position))
        return self._asked(shown, text, position)

    def _asked(self, shown: BookEncoder, text: str, position: Position) -> str:
        bot = shown.bots.get(text)
        if bot is None:
            bot = make_bot(text, shown.book, self._rng)
            if shown.size <= MAX_CACHED_BOT_POSITIONS:
                if len(shown.bots) >= MAX_BOTS_PER_BOOK:
                    shown.bots.clear()
                shown.bots[text] = bot
        return str(bot.choose(position))

    async def _searched(self, book: Book, text: str, position: Position) -> str:
        loop = asyncio.get_running_loop()
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        question = (book.variant, book.source, text, position, self._rng.getrandbits(32))
        try:
            return await loop.run_in_executor(self._pool, search_move, *question)
        except BrokenExecutor:
            self._pool = None  # the process was ended; the next move gets another, this one can wait
            return await loop.run_in_executor(self._solver, search_move, *question)

    def close(self) -> None:
        """Nobody is asked any more."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def _kind(text: str) -> tuple[str, str]:
    """The kind of a bot, and how strong it is; raises `ApiError` for a command, which a server never runs."""
    kind, _, detail = text.strip().lower().partition(":")
    if kind == "exec":
        raise ApiError("bad_message", "Programs of your own can't be started here; they join by an invitation.")
    return kind, detail


def search_move(variant: str, source: str | None, text: str, position: Position, seed: int) -> str:
    """The move that a searching bot finds; run in another process."""
    bot: Bot = make_bot(text, restore_book(variant, source), Random(seed))
    return str(bot.choose(Position(*position)))
