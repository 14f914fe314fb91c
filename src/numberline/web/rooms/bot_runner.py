"""Validation of the server's bots, and execution of their turns without blocking the event loop."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from random import Random
from typing import TYPE_CHECKING

from numberline.bots.bot import BotError, make_bot
from numberline.bots.levels import fallback_bot
from numberline.characters import CHARACTERS
from numberline.errors import MoveError, NumberlineError
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.game.match import RESIGN, parse_legal_move
from numberline.game.position import Position
from numberline.parallel import init_worker
from numberline.web.ops.logging import log_event
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.events import MAX_POSITIONS, BookEncoder
from numberline.web.rooms.match_state import MAX_EVENTS, NEXT, TIMEOUT, MatchState
from numberline.web.rooms.room import Room

if TYPE_CHECKING:
    from numberline.web.rooms.registry import RoomRegistry

MAX_SIMULATIONS = 2_000
LEVEL_BOTS = frozenset({"level", *CHARACTERS})
SOLVER_BOTS = frozenset({"perfect", "slip", "sight", *LEVEL_BOTS})
MAX_BOTS_PER_BOOK = 64
# In a match between bots, the bot to move resigns after this many events.
MAX_BOT_MATCH_EVENTS = 500
# Bots for larger books are not cached, because each one keeps the whole solution in memory.
MAX_CACHED_BOT_POSITIONS = 50_000


class BotRunner:
    """Runner for bots: those that need the solution run in the solver's thread, `mcts` in a separate process."""

    def __init__(self, solver: Executor, rng: Random) -> None:
        self._solver = solver
        self._rng = rng
        self._pool: ProcessPoolExecutor | None = None

    def validate_bot(self, text: str, encoder: BookEncoder, max_positions: int) -> str:
        """Return the bot's canonical name; raise `ApiError` if it is unknown or can't play this variant."""
        kind, detail = _split_bot(text)
        if kind in SOLVER_BOTS - LEVEL_BOTS and encoder.max_positions > max_positions:
            raise ApiError(
                "too_many_positions",
                f"{kind} can't play this variant, because it has too many positions. Choose greedy or mcts.",
            )
        if kind == "mcts" and detail.isascii() and detail.isdigit() and int(detail[:9]) > MAX_SIMULATIONS:
            raise ApiError("bad_message", f"mcts can use up to {MAX_SIMULATIONS} simulations per move here.")
        try:
            return make_bot(f"{kind}:{detail}" if detail else kind, encoder.book, self._rng).name
        except BotError as error:
            raise ApiError("bad_message", str(error)) from None

    async def play_turns(self, room: Room, registry: RoomRegistry) -> None:
        """Play bot turns until it is a person's turn or the match ends."""
        try:
            while not (room.deleted or registry.stopping) and (step := next_bot_step(room.state)):
                await self._play_turn(room, step, registry)
        except ApiError:
            log_event("bot_waits", "a bot's move could not be stored; it will be retried", level=logging.WARNING)
        finally:
            room.bot_task = None

    async def _play_turn(self, room: Room, step: str, registry: RoomRegistry) -> None:
        state = room.state
        seq, turn, position = state.seq, state.match.turn, state.match.position
        what = step if step == NEXT else await self._move_or_resign(room, step)
        async with room.lock:
            await registry.catch_up(room)
            if state.seq != seq or room.deleted:
                return
            now = registry.clock()
            if state.is_out_of_time(now):
                what = TIMEOUT
            elif what not in {NEXT, RESIGN}:
                try:
                    what = str(parse_legal_move(state.book, position, what))
                except MoveError:
                    what = RESIGN
            await registry.commit(room, state.event(turn, what, "", now))

    async def _move_or_resign(self, room: Room, bot: str) -> str:
        """Return a bot's move, or `RESIGN` if the bot fails or the match has too many events."""
        state = room.state
        if state.seq >= (MAX_EVENTS if state.human_seats else MAX_BOT_MATCH_EVENTS):
            return RESIGN
        try:
            return await self.choose_move(room.encoder, bot, state.match.position)
        except NumberlineError:
            return RESIGN

    async def choose_move(self, encoder: BookEncoder, bot: str, position: Position) -> str:
        """Return a bot's move; raise `ApiError` for a bot that must never run, even if the database contains it."""
        kind, _ = _split_bot(bot)
        if len(legal := encoder.book.moves(position)) == 1:
            return str(legal[0])
        if kind in LEVEL_BOTS and encoder.max_positions > MAX_POSITIONS:
            kind = bot = fallback_bot(bot, self._rng)
        if kind == "mcts":
            return await self._search(encoder.book, bot, position)
        if kind in SOLVER_BOTS:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._solver, self._choose, encoder, bot, position)
        return self._choose(encoder, bot, position)

    def _choose(self, encoder: BookEncoder, name: str, position: Position) -> str:
        bot = encoder.bots.get(name)
        if bot is None:
            bot = make_bot(name, encoder.book, self._rng)
            if encoder.max_positions <= MAX_CACHED_BOT_POSITIONS:
                if len(encoder.bots) >= MAX_BOTS_PER_BOOK:
                    encoder.bots.clear()
                encoder.bots[name] = bot
        return str(bot.choose(position))

    async def _search(self, book: Book, bot: str, position: Position) -> str:
        loop = asyncio.get_running_loop()
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), init_worker)
        arguments = (book.variant, book.source, bot, position, self._rng.getrandbits(32))
        try:
            return await loop.run_in_executor(self._pool, search_move, *arguments)
        except BrokenExecutor:
            self._pool = None  # the process was killed; the next search starts a new one
            return await loop.run_in_executor(self._solver, search_move, *arguments)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def next_bot_step(state: MatchState) -> str | None:
    """Return the bot to move, `NEXT` if a round between bots is over, or None if a person must act."""
    if state.outcome is None or state.ended:
        return state.bot
    return NEXT if len(state.taken_seats) == len(state.seats) and not state.human_seats else None


def _split_bot(text: str) -> tuple[str, str]:
    """Return a bot's kind and strength; raise `ApiError` for `exec` bots, because the server never runs commands."""
    kind, _, detail = text.strip().lower().partition(":")
    if kind == "exec":
        raise ApiError(
            "bad_message", "The server does not run your programs; have them join with an invitation instead."
        )
    return kind, detail


def search_move(variant: str, source: str | None, bot: str, position: Position, seed: int) -> str:
    """Return the move of a search bot; runs in a separate process."""
    return str(make_bot(bot, restore_book(variant, source), Random(seed)).choose(Position(*position)))
