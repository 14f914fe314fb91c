"""Minimal hand-written versions of Line Runner and Reach the Edge for OpenSpiel."""

from __future__ import annotations

from typing import Any

import pyspiel

STEPS = (1, 2, 3)


def _type(name: str) -> pyspiel.GameType:
    return pyspiel.GameType(
        short_name=name,
        long_name=name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification={"end": 20},
    )


def _info(longest: int) -> pyspiel.GameInfo:
    return pyspiel.GameInfo(
        num_distinct_actions=4,
        max_chance_outcomes=0,
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=longest,
    )


class _State(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """The state that both games share: the player to move and the winner."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.end: int = game.end
        self.player = 0
        self.winner: int | None = None

    def current_player(self) -> int:
        """Return the player to move."""
        return int(pyspiel.PlayerId.TERMINAL) if self.winner is not None else self.player

    def is_terminal(self) -> bool:
        """Return whether the game has a winner."""
        return self.winner is not None

    def returns(self) -> list[float]:
        """Return the payoff of each player."""
        if self.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.winner == 0 else [-1.0, 1.0]

    def _action_to_string(self, player: int, action: int) -> str:
        return f"{player}:{action}"


class RunnerState(_State):
    """The places of both tokens in Line Runner."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.places = [0, 0]

    def _legal_actions(self, _player: int) -> list[int]:
        return [1, 2, 3]

    def _apply_action(self, action: int) -> None:
        player = self.player
        wanted = self.places[player] + action
        if wanted == self.places[1 - player] and 0 < wanted < self.end:
            wanted -= 1
        self.places[player] = wanted
        if wanted >= self.end:
            self.winner = player
        self.player = 1 - player

    def __str__(self) -> str:
        return f"{self.player} {self.places[0]} {self.places[1]}"


class EdgeState(_State):
    """The place of the marker in Reach the Edge, and the last step, which can't be repeated."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.place = (self.end + 1) // 2
        self.last = 0

    def _legal_actions(self, player: int) -> list[int]:
        room = self.place if player == 0 else self.end - self.place
        return [step for step in STEPS if step <= room and step != self.last] or [0]

    def _apply_action(self, action: int) -> None:
        self.place += -action if self.player == 0 else action
        self.last = action
        if self.place in (0, self.end):
            self.winner = 0 if self.place == 0 else 1
        self.player = 1 - self.player

    def __str__(self) -> str:
        return f"{self.player} {self.place} {self.last} {self.winner}"


def _game(name: str, state: type[_State], longest: int) -> type[Any]:
    class Game(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
        def __init__(self, params: Any = None) -> None:
            self.end = int((params or {}).get("end", 20))
            super().__init__(_type(name), _info(longest), params or {})

        def new_initial_state(self) -> _State:
            return state(self)

    pyspiel.register_game(_type(name), Game)
    return Game


LineRunner = _game("bench_line_runner", RunnerState, 4_000)
ReachTheEdge = _game("bench_reach_the_edge", EdgeState, 1_000_000)
