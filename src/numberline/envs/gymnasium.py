"""Gymnasium environment: an agent in one seat of a book, with bots in the other seats."""

from __future__ import annotations

from bisect import bisect
from typing import Any, SupportsInt

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot, play_bot_turns
from numberline.bots.bot import SharedCache, cumulative_probabilities
from numberline.envs import validation
from numberline.envs.observation import ActionNode, ObservationEncoder, Oracle, render_position, why_illegal
from numberline.envs.validation import AgentSeat, BookLike, EnvOptions, IllegalActionMode, SeatRotation
from numberline.errors import IllegalMove, MissingExtra
from numberline.game import RESIGN, Book, Match, Position
from numberline.game.graph import position_graph

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as VectorBase
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as missing:
    raise MissingExtra("Gymnasium", "envs") from missing

__all__ = ["AutoresetMode", "BookEnv", "VectorBase", "batch_space", "spaces_of"]

Observation = dict[str, NDArray[Any]]
Info = dict[str, Any]
Replies = tuple[list[ActionNode], list[float]]
"""The nodes that a bot's moves lead to, and the cumulative probabilities of all moves but the last."""
MAX_CACHED_REPLIES = 50_000
NO_ACTION = -1
StepResult = tuple[Observation, float, bool, bool, Info]


def spaces_of(book: Book, actions: int) -> tuple[spaces.Dict, spaces.Discrete]:
    """Return the observation and action spaces of an agent in `book`; `actions` is the number of actions."""
    low, high = ObservationEncoder(book).bounds
    numbers = spaces.Box(low, high, dtype=low.dtype.type)
    mask = spaces.Box(0, 1, (actions,), np.int8)
    return spaces.Dict({"observation": numbers, "action_mask": mask}), spaces.Discrete(actions)


class BookEnv(EnvOptions, gymnasium.Env[Observation, SupportsInt]):
    """A book or variant, with the agent in one seat and bots in all the others.

    `seat` is the agent's seat; "alternate" changes it after every game. If `opponent` is "self", the agent plays every
    seat: observations are from the perspective of the player to move, rewards from that of the player who just moved.
    `illegal` decides whether an illegal action loses the game or raises an error. `oracle` adds exact values to `info`:
    the value of the position, the distance to the end, the best actions, and the regret and delay of the agent's last
    action.
    """

    metadata = {"render_modes": [*validation.RENDER_MODES], "render_fps": 2}  # noqa: RUF012 - as Gymnasium declares it
    observation_space: spaces.Dict  # type: ignore[assignment]  # Gymnasium's Dict does not declare its value types
    action_space: spaces.Discrete

    def __init__(
        self,
        book: BookLike,
        *,
        opponent: str | Bot = "random",
        seat: AgentSeat = 1,
        first: int = 1,
        illegal: IllegalActionMode = "lose",
        oracle: bool = False,
        max_plies: int = validation.DEFAULT_MAX_PLIES,
        render_mode: str | None = None,
    ) -> None:
        self._set_options(book, first, max_plies, illegal, render_mode)
        self._choices = self.book.choices
        self.observation_space, self.action_space = spaces_of(self.book, len(self._choices))
        self._graph = position_graph(self.book, ActionNode)
        self._start = self._graph.node(self.book.start(self._first))
        self._node: ActionNode = validation.NOT_RESET
        self._length = 0
        self._self_play = validation.validate_opponent(opponent) == validation.SELF_PLAY
        self._rotation = SeatRotation(self.book, None if self._self_play else opponent, seat)
        self._bots = self._rotation.seats.bots
        self._replies: SharedCache[ActionNode, Replies] = SharedCache()
        self._oracle = Oracle(self.book) if oracle else None
        self._any_action = np.ones(len(self._choices), np.int8)
        self.seat = self._last_seat = self._rotation.agent_seat
        self._illegal = ""
        """The reason why the agent's last action was illegal and lost the game; empty if it was legal."""
        self._forfeit = ""
        self._resigned = False

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observation, Info]:
        """Start a game and return the first observation and info; passing a seed also restarts the seat rotation."""
        validation.validate_reset_options(options)
        if seed is not None:
            super().reset(seed=validation.validate_seed(seed))
        restart = seed is not None or not self._rotation.games
        self._rotation.start_game(int(self.np_random.integers(1 << 62)) if restart else None)
        self._node = self._start
        self._length = 0
        self._bots = self._rotation.seats.bots
        self.seat = self._last_seat = self._rotation.agent_seat
        self._illegal = self._forfeit = ""
        observation, _, _, _, info = self._play_opponents(None, NO_ACTION)
        return observation, info

    def step(self, action: SupportsInt) -> StepResult:
        """Play the agent's action, then the opponents' moves until the agent has a choice again or the game ends."""
        number = action if action.__class__ is int else validation.parse_action(action)
        before, seat = self._node, self.seat
        in_play = before.player_with_choice == seat and not self._illegal and self._length < self._max_plies
        if in_play and 0 <= number < len(self._choices):
            move = self._choices[number]
            if move in before.successors:
                self._last_seat = seat
                self._node = before.children.get(move) or before.after(move)
                self._length += 1
                return self._play_opponents(before, number)
        if self._illegal or before.outcome or self._length >= self._max_plies:
            return self._result(None, NO_ACTION)
        reason = why_illegal(self.book, before.position, number, len(self._choices))
        if self._raises:
            raise IllegalMove(reason)
        self._last_seat = seat
        self._illegal = reason
        return self._result(before, NO_ACTION)

    def action_masks(self) -> NDArray[np.int8]:
        """Return the action mask: 1 for each legal action, and all ones once the game is over."""
        node = self._node
        return (node.mask if node.player_with_choice == self.seat and not self._illegal else self._any_action).copy()

    @property
    def position(self) -> Position:
        """The current position."""
        return self._node.position

    def render(self) -> Any:
        """Return the position as text or as an RGB array, depending on `render_mode`."""
        return render_position(self.book, self._node.position, self.render_mode)

    def close(self) -> None:
        """Stop the opponents' processes, if any."""
        self._rotation.seats.close()

    def _play_opponents(self, before: ActionNode | None, action: int) -> StepResult:
        """Play until the agent has a choice, the game ends or the ply limit is reached; return the step result."""
        node, seat, limit = self._node, self.seat, self._length + self._max_plies
        self._resigned = False
        while (player := node.player_with_choice) != seat and node.moves and self._length < limit:
            if not player:
                node = node.after(node.moves[0])
            elif (bot := self._bots[player - 1]) is None:
                break
            else:
                replies, cumulative = self._replies.get(node) or self._find_replies(node, bot)
                if not replies:
                    node = self._ask_bots(node, limit)
                    break
                node = replies[bisect(cumulative, bot.rng.random())] if cumulative else replies[0]
            self._length += 1
        self._node = node
        if self._self_play:
            self.seat = seat = node.turn
        if node.player_with_choice != seat or self._oracle:
            return self._result(before, action)
        mask = node.copy_mask()  # fast path: same result as `_result`
        info = {"action_mask": mask, "reason": "", "illegal": "", "forfeit": self._forfeit}
        observation = {"observation": node.copy_rows[seat - 1](), "action_mask": mask}
        return observation, 0.0, False, self._length >= self._max_plies, info

    def _find_replies(self, node: ActionNode, bot: Bot) -> Replies:
        """Compute, cache and return the bot's replies at `node`, or two empty lists if the bot has no policy."""
        probabilities = bot.probabilities(node.position) or {}
        replies = [node.after(move) for move in probabilities], cumulative_probabilities(probabilities)
        if len(self._replies) < MAX_CACHED_REPLIES:
            self._replies[node] = replies
        return replies

    def _ask_bots(self, node: ActionNode, limit: int) -> ActionNode:
        match = Match(self.book, start=node.position)
        if forfeit := play_bot_turns(match, self._rotation.seats, limit=limit - self._length):
            self._forfeit = str(forfeit)
        self._resigned = match.plies[-1].move == RESIGN
        self._length += match.length
        return self._graph.node(match.position)

    def _result(self, before: ActionNode | None, action: int) -> StepResult:
        """Return the step result; `before` is the node at which the agent took `action`."""
        node, seat, illegal = self._node, self.seat, self._illegal
        mask = node.copy_mask() if node.player_with_choice == seat and not illegal else self._any_action.copy()
        observation = {"observation": node.copy_rows[seat - 1](), "action_mask": mask}
        info: Info = {"action_mask": mask, "reason": "", "illegal": illegal, "forfeit": self._forfeit}
        if self._oracle:
            info |= self._oracle.position_info(node.position, seat, lost=bool(illegal))
            move = self._choices[action] if action != NO_ACTION else ""
            info |= self._oracle.move_info(before.position, move) if before else Oracle.no_move_info
        if illegal:
            return observation, -1.0, True, False, info
        if node.outcome is None:
            return observation, 0.0, False, self._length >= self._max_plies, info
        info["reason"] = self._forfeit if self._resigned else node.outcome.reason
        return observation, 1.0 if node.outcome.winner == self._last_seat else -1.0, True, False, info
