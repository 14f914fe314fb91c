"""Validation of the server's bots, and execution of their turns without blocking the event loop."""

from __future__ import annotations

import logging
import math
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

from numberline.bots.bot import BotError, make_bot
from numberline.bots.levels import fallback_bot
from numberline.bots.mcts import MctsBot
from numberline.characters import CHARACTERS
from numberline.errors import MoveError, NumberlineError
from numberline.game.book import Book
from numberline.game.match import RESIGN, parse_legal_move
from numberline.game.position import Position
from numberline.web.ops.logging import log_event
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.events import BookEncoder
from numberline.web.rooms.match_state import MAX_EVENTS, NEXT, TIMEOUT, MatchState
from numberline.web.rooms.room import Room
from numberline.web.rooms.solver_pool import SolverPool

if TYPE_CHECKING:
    from numberline.web.rooms.registry import RoomRegistry

MAX_SIMULATIONS = 2_000
LEVEL_BOTS = frozenset({"level", *CHARACTERS})
SOLVER_BOTS = frozenset({"perfect", "slip", "sight", *LEVEL_BOTS})
# In a match between bots, the bot to move resigns after this many events.
MAX_BOT_MATCH_EVENTS = 500


class BotRunner:
    """Runner for bots: those that solve or search run in the `SolverPool`, all others on the event loop."""

    def __init__(self, solver_pool: SolverPool, rng: Random) -> None:
        self._pool = solver_pool
        self._rng = rng

    def validate_bot(self, text: str, encoder: BookEncoder) -> str:
        """Return the bot's canonical name; raise `ApiError` if it is unknown or can't play this variant."""
        kind, detail = _split_bot(text)
        if kind in SOLVER_BOTS - LEVEL_BOTS and not encoder.is_solvable:
            sentence = f"{kind} can't play this variant, because it has too many positions. Choose greedy or mcts."
            raise ApiError("too_many_positions", sentence)
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
            return await self.choose_move(room.encoder, bot, state.match.position, state.row.id)
        except NumberlineError:
            return RESIGN

    async def choose_move(self, encoder: BookEncoder, bot: str, position: Position, match: str = "") -> str:
        """Return a bot's move; raise `ApiError` for an `exec` bot, even if the bot comes from the database.

        If the solver is busy or takes too long, `mcts` chooses the move; if that fails too, `greedy` chooses it.
        """
        kind, _ = _split_bot(bot)
        if kind != "mcts" and len(legal := encoder.book.moves(position)) == 1:
            return str(legal[0])
        if kind in LEVEL_BOTS and not encoder.is_solvable:
            kind = bot = fallback_bot(bot, self._rng)
        book, seed = encoder.book, self._rng.getrandbits(32)
        if kind in SOLVER_BOTS:
            with suppress(ApiError):
                return await self._pool.solve(book, play_move, book, bot, position, seed, match=match, charge=False)
            kind = bot = "mcts"
        if kind == "mcts":
            with suppress(ApiError):
                return await self._pool.search(play_move, book, bot, position, seed, match=match)
            bot = "greedy"
        return play_move(book, bot, position, seed)


def next_bot_step(state: MatchState) -> str | None:
    """Return the bot to move, `NEXT` if bots must start the next round, or None if no bot has to act."""
    if state.outcome is None or state.ended:
        return state.bot
    return NEXT if len(state.taken_seats) == len(state.seats) and not state.human_seats else None


def _split_bot(text: str) -> tuple[str, str]:
    """Return a bot's kind and strength; raise `ApiError` for `exec` bots, because the server never runs commands."""
    kind, _, detail = text.strip().lower().partition(":")
    if kind == "exec":
        sentence = "The server does not run your programs; have them join with an invitation instead."
        raise ApiError("bad_message", sentence)
    return kind, detail


def play_move(book: Book, bot: str, position: Position, seed: int, limit_s: float = math.inf) -> str:
    """Return a bot's move; a search stops after `limit_s` seconds."""
    player = make_bot(bot, book, Random(seed))
    if isinstance(player, MctsBot):
        player.limit_s = limit_s
    return str(player.choose(position))
