"""A book for several learning programs that take turns: an AEC environment for PettingZoo.

PettingZoo is imported in this file and nowhere else.
"""

from __future__ import annotations

from os import PathLike
from typing import Any, SupportsInt

from numberline.envs.action_graph import FastMatch, position_graph
from numberline.envs.gymnasium import Observation, spaces_of
from numberline.envs.observation import render_position
from numberline.envs.seat_rotation import NOT_RESET, env_id
from numberline.envs.validation import (
    DEFAULT_MAX_PLIES,
    RENDER_MODES,
    EnvError,
    IllegalActionMode,
    parse_action,
    validate_illegal,
    validate_max_plies,
    validate_player,
    validate_render_mode,
    validate_reset_options,
    validate_seed,
)
from numberline.errors import IllegalMove, MissingExtra
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as book_of
from numberline.text import safe_repr

try:
    import pettingzoo
except ModuleNotFoundError as missing:
    raise MissingExtra("PettingZoo", "envs") from missing


class BookAEC(pettingzoo.AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A book, or any variant of it; the agents are `player_1`, `player_2`, and so on.

    The actions are the book's choices, then `pass`, the turn that is lost where nothing else is possible (and `out`,
    where a variant has that). Who is out stays an agent without turns until the game is over.
    """

    def __init__(
        self,
        book: str | PathLike[str] | Book,
        *,
        first: int = 1,
        illegal: IllegalActionMode = "lose",
        max_plies: int = DEFAULT_MAX_PLIES,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.book = book_of(book)
        self._limit = validate_max_plies(max_plies)
        self._raises = validate_illegal(illegal) == "raise"
        self.render_mode = validate_render_mode(render_mode)
        self.metadata = {
            "name": f"{self.book.name.replace('-', '_')}_v0",
            "render_modes": [*RENDER_MODES],
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self._junctions = position_graph(self.book)
        self.actions = self._junctions.actions
        """The move of every action."""
        self.possible_agents = [f"player_{number}" for number in self.book.players]
        self.agents = self.possible_agents[:]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents, 1)}
        self._spaces = [spaces_of(self.book, len(self.actions)) for _ in self.agents]
        self._start = self._junctions.node(self.book.start(validate_player(self.book, "first", first)))
        self._none = self._start.full_mask * 0
        self.reset()
        self._game = NOT_RESET

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent is shown."""
        return self._spaces[self._seat_of(agent) - 1][0]

    def action_space(self, agent: str) -> Any:
        """The space of what an agent does."""
        return self._spaces[self._seat_of(agent) - 1][1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game; nothing in it is left to chance, so that a seed changes nothing."""
        validate_seed(seed)
        validate_reset_options(options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"reason": "", "illegal": ""} for agent in self.agents}
        self._over = False
        self._game = FastMatch(self._start)
        self.agent_selection = self.possible_agents[self._start.position.turn - 1]

    def observe(self, agent: str) -> Observation:
        """What an agent sees; nothing is legal for an agent that is not to move."""
        junction = self._game.junction
        mask = junction.full_mask if agent == self.agent_selection and not self._over else self._none
        return {"observation": junction.rows[self._seat_of(agent) - 1].copy(), "action_mask": mask.copy()}

    def step(self, action: SupportsInt | None) -> None:
        """Makes the move of the agent whose turn it is; one whose game is over answers None."""
        if self._over:
            self._take_leave(action)
            return
        game, number = self._game, parse_action(action)
        reached = game.junction.after.get(self.actions[number]) if 0 <= number < len(self.actions) else None
        if reached is None:
            self._refuse(number)
            return
        game.advance(reached)
        self.agent_selection = self.possible_agents[reached.position.turn - 1]
        if outcome := reached.outcome:
            self._end([1.0 if seat == outcome.winner else -1.0 for seat in self.book.players], outcome.reason)
        elif game.length >= self._limit:
            self._over = True
            self.truncations = dict.fromkeys(self.agents, True)

    def render(self) -> Any:
        """The position: text where the render mode is `ansi`, an image where it is `rgb_array`."""
        return render_position(self.book, self._game.position, self.render_mode)

    def close(self) -> None:
        """Nothing has to be closed."""

    def _seat_of(self, agent: str) -> int:
        """Where an agent sits."""
        try:
            return self._seat[agent]
        except (KeyError, TypeError):
            raise EnvError(
                f"{safe_repr(agent)} is no agent; the agents are {', '.join(self.possible_agents)}"
            ) from None

    def _take_leave(self, action: object) -> None:
        """Lets an agent go whose game is over."""
        if not self.agents:
            raise EnvError("the game is over and every agent has left: call reset to begin another one")
        if action is not None:
            raise EnvError(f"the game is over: {self.agent_selection} can do nothing more, and answers None")
        self._was_dead_step(None)

    def _end(self, rewards: list[float], reason: str) -> None:
        """Ends the game with a reward for each seat."""
        self._over = True
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"reason": reason, "illegal": ""} for agent in self.agents}
        self._accumulate_rewards()

    def _refuse(self, number: int) -> None:
        """Ends the game that an illegal action has lost: -1 for its player, and with two players 1 for the other."""
        why = self._junctions.refusal(self._game.position, number, len(self.actions))
        if self._raises:
            raise IllegalMove(why)
        others = 1.0 if len(self.agents) == 2 else 0.0
        self._end([-1.0 if agent == self.agent_selection else others for agent in self.agents], why)
        self.infos[self.agent_selection]["illegal"] = why


def env(book: str | PathLike[str] | Book, **options: Any) -> BookAEC:
    """The environment of a book, as PettingZoo's modules make theirs."""
    return BookAEC(book, **options)


raw_env = BookAEC


def register() -> None:
    """Makes the five books, and `numberline/Book-v0` for any variant, known to PettingZoo."""
    for name in (*NAMES, "book"):
        if env_id(name) not in pettingzoo.aec_registry:
            kwargs = {} if name == "book" else {"book": name}
            pettingzoo.register("aec", env_id(name), entry_point="numberline.envs.pettingzoo:env", kwargs=kwargs)


register()
