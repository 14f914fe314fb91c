"""The books as games of OpenSpiel: `python_flag_chase` and so on, and `python_numberline` for any variant.

Importing this file makes them known to OpenSpiel, which is imported in this file and nowhere else.
"""

from __future__ import annotations

from typing import Any, SupportsIndex
from urllib.parse import quote, unquote

import numpy as np

from numberline.envs.action_graph import GraphNode, PositionGraph, position_graph
from numberline.envs.observation import describe_position
from numberline.envs.transition_table import longest_game_plies
from numberline.envs.validation import DEFAULT_MAX_PLIES, EnvError, parse_action, validate_max_plies
from numberline.errors import IllegalMove, MissingExtra
from numberline.game.loader import NAMES, book
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.game.rules import PLAYER_COUNTS
from numberline.text import safe_repr

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError as missing:
    raise MissingExtra("OpenSpiel", "openspiel") from missing

ANY_BOOK = "python_numberline"


class BookGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A book, or any variant of it. Actions are numbered as in `PositionGraph.actions`: a lost turn is one of them.

    The winner gets 1, which the others lose in equal parts; a game that is broken off is worth 0 to everybody.
    """

    game_type: Any
    variant = ""
    """The book of a game that has but one."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        variant = unquote(self.variant or params.get("book", NAMES[0]))
        self.book = book(variant)
        self.junctions = position_graph(self.book)
        self.max_plies = validate_max_plies(params.get("max_plies", DEFAULT_MAX_PLIES))
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.junctions.actions),
            max_chance_outcomes=0,
            num_players=self.book.rules.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=min(self.max_plies, longest_game_plies(self.book) or self.max_plies),
        )
        # Brackets and commas have a meaning of their own in OpenSpiel's names of games.
        written = params if self.variant else params | {"book": quote(variant, safe="/")}
        super().__init__(self.game_type, info, written)

    def __reduce__(self) -> tuple[Any, ...]:
        return load_game, (str(self),)  # whoever gets it in another process makes the books known there, too

    def __deepcopy__(self, memo: object) -> BookGame:
        return self

    def new_initial_state(self) -> BookState:
        """The state before the first move."""
        return BookState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Who turns states into tensors and texts."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return BookObserver(self)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class BookState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """One play of a book. OpenSpiel copies and saves what stands in it, so that it holds no more than it must."""

    def __init__(self, game: BookGame) -> None:
        super().__init__(game)
        self.position: Position = game.book.start()
        """Where the game stands."""
        self._left = game.max_plies

    def __reduce__(self) -> tuple[Any, ...]:
        return load_state, (self.get_game(), self.history())

    def __deepcopy__(self, memo: object) -> BookState:
        copy: BookState = self.clone()
        return copy

    @property
    def junction(self) -> GraphNode:
        """What can be done where the game stands."""
        junctions: PositionGraph = self.get_game().junctions
        return junctions.node(self.position)

    def current_player(self) -> int:
        """The player to move, counted from 0, or that the game is over."""
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.position.turn - 1

    def is_terminal(self) -> bool:
        """Whether the game is over, or was broken off."""
        return self._left <= 0 or not self.junction.after

    def returns(self) -> list[float]:
        """What each player has got."""
        junction = self.junction
        players, outcome = junction.junctions.book.players, junction.outcome
        if not outcome:
            return [0.0 for _ in players]
        return [1.0 if player == outcome.winner else -1.0 / (len(players) - 1) for player in players]

    def _legal_actions(self, player: int) -> list[int]:
        actions: list[int] = np.flatnonzero(self.junction.full_mask).tolist()
        return actions

    # OpenSpiel takes 1.9 for 1 where it is narrow, and has no sentence for what it refuses: we look before it does.

    def apply_action(self, action: SupportsIndex) -> None:
        """Makes the move of the player whose turn it is."""
        number = parse_action(action)
        if not 0 <= number < len(self.get_game().junctions.actions):
            raise self._refused(number)
        super().apply_action(number)

    apply_action_with_legality_check = apply_action

    def child(self, action: SupportsIndex) -> BookState:
        """The state after an action; this one stays as it is."""
        reached: BookState = self.clone()
        reached.apply_action(action)
        return reached

    def action_to_string(self, *given: SupportsIndex) -> str:
        """The move of an action; the player may be named before it, and does not matter."""
        return self._action_to_string(0, parse_action(given[-1] if given else None))

    def _apply_action(self, action: int) -> None:
        junction = self.junction
        actions = junction.junctions.actions
        reached = junction.after.get(actions[action]) if self._left > 0 and 0 <= action < len(actions) else None
        if reached is None:
            raise self._refused(action)
        self.position = reached.position
        self._left -= 1

    def _refused(self, action: int) -> IllegalMove:
        """Why an action is not legal."""
        if self._left <= 0 and self.junction.after:
            return IllegalMove(f"nothing can be played: the game was broken off at ply {self.move_number()}")
        junctions: PositionGraph = self.get_game().junctions
        return IllegalMove(junctions.refusal(self.position, action, len(junctions.actions)))

    def _action_to_string(self, player: int, action: int) -> str:
        actions = self.get_game().junctions.actions
        if not 0 <= action < len(actions):
            raise EnvError(f"{safe_repr(action)} is not an action; the actions are 0 to {len(actions) - 1}")
        return str(actions[action])

    def __str__(self) -> str:
        return format_position(self.position)


def load_game(name: str) -> BookGame:
    """The game of a name as OpenSpiel writes it."""
    game: BookGame = pyspiel.load_game(name)
    return game


def load_state(game: BookGame, history: list[int]) -> BookState:
    """The state that these actions lead to."""
    if not isinstance(history, list | tuple):
        raise EnvError(f"history={safe_repr(history)}: expected a list of actions")
    state = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


class BookObserver:
    """What a player sees of a state: the same row of numbers as in every other environment, and a few lines of text."""

    def __init__(self, game: BookGame) -> None:
        self._book = game.book
        self.tensor = np.zeros(len(game.junctions.encoder.names), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: BookState, player: int) -> None:
        """Takes in a state as a player sees it."""
        self.tensor[:] = state.junction.rows[player]

    def string_from(self, state: BookState, player: int) -> str:
        """The state in words."""
        return describe_position(self._book, state.position)


def _register(short_name: str, title: str, players: int, parameters: dict[str, Any], variant: str = "") -> None:
    if short_name in pyspiel.registered_names():
        return
    game_type = pyspiel.GameType(
        short_name=short_name,
        long_name=title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=players,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )
    # A class for each: OpenSpiel lets go of what it holds after Python has ended, and only a class survives that.
    pyspiel.register_game(game_type, type(short_name, (BookGame,), {"game_type": game_type, "variant": variant}))


def register() -> None:
    """Makes the books known to OpenSpiel."""
    for name in NAMES:
        plain = book(name)
        _register(
            f"python_{name.replace('-', '_')}", plain.title, plain.rules.players, {"max_plies": DEFAULT_MAX_PLIES}, name
        )
    _register(ANY_BOOK, "Numberline", PLAYER_COUNTS[-1], {"book": NAMES[0], "max_plies": DEFAULT_MAX_PLIES})


register()
