"""PettingZoo AEC environment: an agent in every seat of a book."""

from __future__ import annotations

from typing import Any, SupportsInt

from numberline.envs import env_arguments, validation
from numberline.envs.gymnasium import BookEnv, Observation, spaces_of
from numberline.envs.observation import ActionNode, all_actions, render_position, why_illegal
from numberline.envs.validation import BookLike, EnvError, EnvOptions, IllegalActionMode
from numberline.errors import IllegalMove, MissingExtra
from numberline.game.graph import position_graph
from numberline.text import safe_repr

try:
    import pettingzoo
except ModuleNotFoundError as missing:
    raise MissingExtra("PettingZoo", "envs") from missing


class BookAEC(EnvOptions, pettingzoo.AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A book or variant as an AEC environment; the agents are `player_1`, `player_2`, and so on.

    The actions are the book's choices, followed by `pass` for a lost turn and, if players can be eliminated, `out`. A
    player who is out gets no more turns but stays in `agents` until the game ends.
    """

    def __init__(
        self,
        book: BookLike,
        *,
        first: int = 1,
        illegal: IllegalActionMode = "lose",
        max_plies: int = validation.DEFAULT_MAX_PLIES,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._set_options(book, first, max_plies, illegal, render_mode)
        name = f"{self.book.name.replace('-', '_')}_v0"
        self.metadata = BookEnv.metadata | {"name": name, "is_parallelizable": False}
        self.actions = all_actions(self.book)
        self.possible_agents = [f"player_{number}" for number in self.book.players]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents, 1)}
        self._spaces = [spaces_of(self.book, len(self.actions)) for _ in self.possible_agents]
        self._start = position_graph(self.book, ActionNode).node(self.book.start(self._first))
        self._no_action = self._start.all_mask * 0
        self.reset()
        self._node = validation.NOT_RESET

    def observation_space(self, agent: str) -> Any:
        return self._spaces[self._seat_of(agent) - 1][0]

    def action_space(self, agent: str) -> Any:
        return self._spaces[self._seat_of(agent) - 1][1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; `seed` is validated but has no effect, because the games are deterministic."""
        validation.validate_seed(seed)
        validation.validate_reset_options(options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"reason": "", "illegal": ""} for agent in self.agents}
        self._over = False
        self._node = self._start
        self._length = 0
        self.agent_selection = self.possible_agents[self._start.turn - 1]

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation; the action mask is all zeros unless it is that agent's turn."""
        node = self._node
        mask = node.all_mask if agent == self.agent_selection and not self._over else self._no_action
        return {"observation": node.copy_rows[self._seat_of(agent) - 1](), "action_mask": mask.copy()}

    def step(self, action: SupportsInt | None) -> None:
        """Play the selected agent's action; once the game is over, the only valid action is None."""
        if self._over:
            if not self.agents:
                raise EnvError("the game is over and no agents are left; call reset to start a new game")
            if action is not None:
                raise EnvError(f"the game is over: expected the action None for {self.agent_selection}")
            self._was_dead_step(None)
            return
        node, number = self._node, validation.parse_action(action)
        move = self.actions[number] if 0 <= number < len(self.actions) else ""
        if move not in node.successors:
            self._reject(number)
            return
        self._node = node = node.children.get(move) or node.after(move)
        self._length += 1
        self.agent_selection = self.possible_agents[node.turn - 1]
        if outcome := node.outcome:
            self._end([1.0 if seat == outcome.winner else -1.0 for seat in self.book.players], outcome.reason)
        elif self._length >= self._max_plies:
            self._over = True
            self.truncations = dict.fromkeys(self.agents, True)

    def render(self) -> Any:
        """Return the position as text or as an RGB array, depending on `render_mode`."""
        return render_position(self.book, self._node.position, self.render_mode)

    def close(self) -> None:
        """Do nothing; there are no resources to release."""

    def _seat_of(self, agent: str) -> int:
        try:
            return self._seat[agent]
        except (KeyError, TypeError):
            known = ", ".join(self.possible_agents)
            raise EnvError(f"unknown agent {safe_repr(agent)}; expected one of {known}") from None

    def _end(self, rewards: list[float], reason: str) -> None:
        self._over = True
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"reason": reason, "illegal": ""} for agent in self.agents}
        self._accumulate_rewards()

    def _reject(self, number: int) -> None:
        """End the game after an illegal action; the agent gets -1 and, with two players, the opponent gets +1."""
        reason = why_illegal(self.book, self._node.position, number, len(self.actions))
        if self._raises:
            raise IllegalMove(reason)
        others = 1.0 if len(self.agents) == 2 else 0.0
        self._end([-1.0 if agent == self.agent_selection else others for agent in self.agents], reason)
        self.infos[self.agent_selection]["illegal"] = reason


env = raw_env = BookAEC  # the names that PettingZoo expects


def register() -> None:
    for name, arguments in env_arguments().items():
        if name not in pettingzoo.aec_registry:
            pettingzoo.register("aec", name, entry_point="numberline.envs.pettingzoo:env", kwargs=arguments)


register()
