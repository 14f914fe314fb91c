"""A stand-in for the parts of pyspiel that the OpenSpiel adapter uses, to test its contract without OpenSpiel.

`install` puts it into sys.modules; use it in a subprocess only. `make soak` runs the adapter's tests with the real one.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

REGISTERED: dict[str, tuple[Any, type]] = {}


class GameType(SimpleNamespace):
    Dynamics = SimpleNamespace(SEQUENTIAL="sequential")
    ChanceMode = SimpleNamespace(DETERMINISTIC="deterministic")
    Information = SimpleNamespace(PERFECT_INFORMATION="perfect")
    Utility = SimpleNamespace(ZERO_SUM="zero sum")
    RewardModel = SimpleNamespace(TERMINAL="terminal")


class Game:
    def __init__(self, game_type: GameType, info: SimpleNamespace, parameters: dict[str, Any]) -> None:
        self.type, self.info, self.parameters = game_type, info, parameters

    def get_type(self) -> GameType:
        return self.type


class State:
    def __init__(self, game: Any) -> None:
        self._game, self._history = game, []  # type: ignore[var-annotated]  # actions

    def get_game(self) -> Any:
        return self._game

    def history(self) -> list[int]:
        return list(self._history)

    def move_number(self) -> int:
        return len(self._history)

    def legal_actions(self) -> list[int]:
        legal: list[int] = [] if self.is_terminal() else self._legal_actions(self.current_player())  # type: ignore[attr-defined]  # the adapter's
        return legal

    def apply_action(self, action: int) -> None:
        self._apply_action(action)  # type: ignore[attr-defined]  # the adapter's
        self._history.append(action)

    def clone(self) -> Any:
        copy = self._game.new_initial_state()
        for action in self._history:
            copy.apply_action(action)
        return copy


def register_game(game_type: GameType, game: type) -> None:
    REGISTERED[game_type.short_name] = (game_type, game)


def load_game(name: str, parameters: dict[str, Any] | None = None) -> Any:
    return REGISTERED[name][1](parameters)


def install() -> ModuleType:
    """Make `import pyspiel` return this stand-in."""
    module = ModuleType("pyspiel")
    module.__dict__.update(
        Game=Game,
        State=State,
        GameType=GameType,
        GameInfo=SimpleNamespace,
        PlayerId=SimpleNamespace(TERMINAL=-4),
        register_game=register_game,
        registered_names=lambda: list(REGISTERED),
        load_game=load_game,
    )
    observation = ModuleType("open_spiel.python.observation")
    observation.__dict__["IIGObserverForPublicInfoGame"] = SimpleNamespace
    sys.modules |= {
        "pyspiel": module,
        "open_spiel": ModuleType("open_spiel"),
        "open_spiel.python": ModuleType("open_spiel.python"),
        "open_spiel.python.observation": observation,
    }
    return module
