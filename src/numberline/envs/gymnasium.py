"""One seat of a book for a learning program, with bots in the other seats: an environment for Gymnasium.

Gymnasium is imported in this file and nowhere else.
"""

from __future__ import annotations

from bisect import bisect
from os import PathLike
from typing import Any, SupportsInt

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot, play_bot_turns
from numberline.bots.bot import SharedCache, cumulative_probabilities
from numberline.envs.action_graph import FastMatch, GraphNode, position_graph
from numberline.envs.observation import ObservationEncoder, render_position
from numberline.envs.oracle import NO_MOVE_INFO, Oracle
from numberline.envs.seat_rotation import NOT_RESET, SELF_PLAY, SeatRotation, env_id
from numberline.envs.validation import (
    DEFAULT_MAX_PLIES,
    RENDER_MODES,
    AgentSeat,
    IllegalActionMode,
    parse_action,
    validate_illegal,
    validate_max_plies,
    validate_opponent,
    validate_player,
    validate_render_mode,
    validate_reset_options,
    validate_seed,
)
from numberline.errors import IllegalMove, MissingExtra
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as book_of
from numberline.game.position import Position

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as VectorBase
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as missing:
    raise MissingExtra("Gymnasium", "envs") from missing

__all__ = ["AutoresetMode", "BookEnv", "VectorBase", "batch_space", "register", "spaces_of"]

Observation = dict[str, NDArray[Any]]
"""What an agent is shown: `observation`, a row of numbers, and `action_mask`."""
Info = dict[str, Any]
ReplyBranches = tuple[list[GraphNode], list[float]]
"""Where each reply of a bot leads, and the chance of it or one before it (but for the last)."""
NO_ACTION = -1
"""The number of an action that was not taken, or could not be."""
StepResult = tuple[Observation, float, bool, bool, Info]


def spaces_of(book: Book, actions: int) -> tuple[spaces.Dict, spaces.Discrete]:
    """The spaces of what an agent with so many actions is shown, and of what it does."""
    low, high = ObservationEncoder(book).bounds
    numbers = spaces.Box(low, high, dtype=low.dtype.type)
    shown = spaces.Dict({"observation": numbers, "action_mask": spaces.Box(0, 1, (actions,), np.int8)})
    return shown, spaces.Discrete(actions)


class BookEnv(gymnasium.Env[Observation, SupportsInt]):
    """A book, or any variant of it, with one seat for the agent and a bot in every other.

    `seat` is the agent's; "alternate" changes it from game to game. With "self" for an opponent the agent plays for
    every seat, is shown what the player to move sees, and is rewarded as the player who has just moved. `illegal` says
    whether an illegal action loses the game or raises an error. `oracle` adds to `info` what the position is worth and
    what the action gave away.
    """

    metadata = {"render_modes": [*RENDER_MODES], "render_fps": 2}  # noqa: RUF012 - Gymnasium's own form
    observation_space: spaces.Dict  # type: ignore[assignment]  # Gymnasium's Dict does not say what its values are
    action_space: spaces.Discrete

    def __init__(
        self,
        book: str | PathLike[str] | Book,
        *,
        opponent: str | Bot = "random",
        seat: AgentSeat = 1,
        first: int = 1,
        illegal: IllegalActionMode = "lose",
        oracle: bool = False,
        max_plies: int = DEFAULT_MAX_PLIES,
        render_mode: str | None = None,
    ) -> None:
        self.book = book_of(book)
        self._limit = validate_max_plies(max_plies)
        self._raises = validate_illegal(illegal) == "raise"
        self.render_mode = validate_render_mode(render_mode)
        self._choices = self.book.choices
        self.observation_space, self.action_space = spaces_of(self.book, len(self._choices))
        self._junctions = position_graph(self.book)
        self._start = self._junctions.node(self.book.start(validate_player(self.book, "first", first)))
        self._game: FastMatch = NOT_RESET
        self._alone = validate_opponent(opponent) == SELF_PLAY
        self._rotation = SeatRotation(self.book, None if self._alone else opponent, seat)
        self._bots = self._rotation.seats.bots
        self._ways: SharedCache[GraphNode, ReplyBranches] = SharedCache()
        self._oracle = Oracle(self.book) if oracle else None
        self._any = np.ones(len(self._choices), np.int8)
        self.seat = self._acted = self._rotation.agent_seat
        """Whose moves the agent makes; where it makes everybody's, who is to move, and who has just moved."""
        self._lost = ""
        """Why the agent has lost by an illegal action."""
        self._forfeit = ""
        """Why a bot has resigned."""

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observation, Info]:
        """What the agent is shown on its first turn; with a seed the agent takes its first seat again."""
        if options is not None:
            validate_reset_options(options)
        if seed is not None:
            super().reset(seed=validate_seed(seed))
        if seed is not None or not self._rotation.games:
            self._rotation.start_game(int(self.np_random.integers(1 << 62)))
            self._game = FastMatch(self._start)
        else:
            self._rotation.start_game(None)
            self._game.start_game(self._start)
        self._bots = self._rotation.seats.bots
        self.seat = self._acted = self._rotation.agent_seat
        self._lost = self._forfeit = ""
        observation, _, _, _, info = self._go_on(None, NO_ACTION)
        return observation, info

    def step(self, action: SupportsInt) -> StepResult:
        """What the agent is shown on its next turn, the reward, and whether the game is over or was broken off."""
        number = action if action.__class__ is int else parse_action(action)
        game = self._game
        before, seat = game.junction, self.seat
        if before.player_with_choice == seat and not self._lost and 0 <= number < len(before.by_action):
            reached = before.by_action[number]
            if reached is not None:
                self._acted = seat
                if not reached.expanded:  # this is `game.go`, but for the time that a call takes
                    reached.expand()
                game.junction = reached
                game.length += 1
                return self._go_on(before, number)
        if self._lost or before.outcome or game.length >= self._limit:  # there is nothing left to do
            return self._result(None, NO_ACTION)
        why = self._junctions.refusal(before.position, number, len(self._choices))
        if self._raises:
            raise IllegalMove(why)
        self._acted = seat
        self._lost = why
        return self._result(before, NO_ACTION)

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each action that is legal now; for all of them where the game is over."""
        junction = self._game.junction
        return (junction.mask if junction.player_with_choice == self.seat and not self._lost else self._any).copy()

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self._game.position

    def render(self) -> Any:
        """The position: text where the render mode is `ansi`, an image where it is `rgb_array`."""
        return render_position(self.book, self._game.position, self.render_mode)

    def close(self) -> None:
        """Ends the program of an opponent that has one."""
        self._rotation.close()

    def _go_on(self, before: GraphNode | None, action: int) -> StepResult:
        """What the agent is shown once the others have played; if that takes for ever, it is broken off."""
        game, seat = self._game, self.seat
        junction = game.junction
        if junction.player_with_choice != seat and junction.after:
            replies, up_to = self._ways.get(junction) or self._looked_up(junction)
            if replies:  # a bot whose odds are known need not be asked, which is quicker
                bot: Any = self._bots[junction.player_with_choice - 1]
                junction = replies[bisect(up_to, bot.rng.random())] if up_to else replies[0]
                game.junction = junction
                game.length += 1
            if junction.player_with_choice != seat and junction.after:
                far = game.length + self._limit - bool(replies)
                if forfeit := play_bot_turns(game, self._rotation.seats, limit=far):
                    self._forfeit = str(forfeit)
                junction = game.junction
        if self._alone:
            self.seat = seat = junction.position.turn
        if junction.player_with_choice != seat or self._oracle:
            return self._result(before, action)
        mask = junction.copy_mask()  # what follows is the same, where there is the least to say
        info = {"action_mask": mask, "reason": "", "illegal": "", "forfeit": self._forfeit}
        shown = {"observation": junction.copy_rows[seat - 1](), "action_mask": mask}
        return shown, 0.0, False, game.length >= self._limit, info

    def _looked_up(self, junction: GraphNode) -> ReplyBranches:
        """Where a bot's replies lead from here, and how likely each is; nothing where only the bot can say."""
        bot = self._bots[junction.player_with_choice - 1] if junction.player_with_choice else None
        odds = (bot.probabilities(junction.position) if bot else None) or {}
        replies = [self._junctions.node(junction.after[move].position) for move in odds]
        self._ways[junction] = replies, cumulative_probabilities(odds)
        return self._ways[junction]

    def _result(self, before: GraphNode | None, action: int) -> StepResult:
        """What comes back; `before` is where the agent has just taken that action."""
        game, seat = self._game, self.seat
        junction = game.junction
        outcome = junction.outcome
        lost = self._lost
        mask = junction.copy_mask() if junction.player_with_choice == seat and not lost else self._any.copy()
        observation = {"observation": junction.copy_rows[seat - 1](), "action_mask": mask}
        info: Info = {"action_mask": mask, "reason": "", "illegal": lost, "forfeit": self._forfeit}
        if self._oracle:
            info |= self._oracle.position_info(junction.position, seat, lost=bool(self._lost))
            move = self._choices[action] if action != NO_ACTION else ""
            info |= self._oracle.move_info(before.position, move) if before else NO_MOVE_INFO
        if lost:
            return observation, -1.0, True, False, info
        if outcome is None:
            return observation, 0.0, False, game.length >= self._limit, info
        info["reason"] = self._forfeit if game.resigned else outcome.reason
        return observation, 1.0 if outcome.winner == self._acted else -1.0, True, False, info


def register() -> None:
    """Makes the five books, and `numberline/Book-v0` for any variant, known to Gymnasium."""
    for name in (*NAMES, "book"):
        if env_id(name) not in gymnasium.registry:
            gymnasium.register(
                env_id(name),
                entry_point="numberline.envs.gymnasium:BookEnv",
                vector_entry_point="numberline.envs.vector:VectorEnv",
                kwargs={} if name == "book" else {"book": name},
            )
