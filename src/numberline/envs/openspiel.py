"""OpenSpiel games: one per book, such as `python_flag_chase`, and `python_numberline` for any variant.

Importing this module registers the games.
"""

from __future__ import annotations

from typing import Any, SupportsIndex
from urllib.parse import quote, unquote

import numpy as np

from numberline.envs.observation import ActionNode, all_actions, describe_position, why_illegal
from numberline.envs.transition_table import longest_game_plies
from numberline.envs.validation import DEFAULT_MAX_PLIES, EnvError, parse_action, validate_max_plies
from numberline.errors import IllegalMove, MissingExtra
from numberline.game import Position, format_position
from numberline.game.graph import position_graph
from numberline.game.loader import NAMES, book
from numberline.game.rules import PLAYER_COUNTS
from numberline.text import safe_repr

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError as missing:
    raise MissingExtra("OpenSpiel", "openspiel") from missing

ANY_BOOK = "python_numberline"


class BookGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A book or variant as an OpenSpiel game; a player who loses a turn takes the explicit action `pass`.

    The winner scores 1, and the other players share a loss of 1 equally; in a truncated game, everyone scores 0.
    """

    game_type: Any
    variant = ""
    """The variant of a game registered for a single book; empty if the `book` parameter selects the variant."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        variant = unquote(self.variant or params.get("book", NAMES[0]))
        self.book = book(variant)
        self.graph = position_graph(self.book, ActionNode)
        self.actions = all_actions(self.book)
        self.max_plies = validate_max_plies(params.get("max_plies", DEFAULT_MAX_PLIES))
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.actions),
            max_chance_outcomes=0,
            num_players=self.book.rules.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=min(self.max_plies, longest_game_plies(self.book) or self.max_plies),
        )
        # Quoted because OpenSpiel parses parentheses and commas in game names.
        quoted = params if self.variant else params | {"book": quote(variant, safe="/")}
        super().__init__(self.game_type, info, quoted)

    def __reduce__(self) -> tuple[Any, ...]:
        return load_game, (str(self),)  # unpickling imports this module, which registers the games

    def __deepcopy__(self, memo: object) -> BookGame:
        return self

    def new_initial_state(self) -> BookState:
        return BookState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return the observer that produces tensors and strings for OpenSpiel."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return BookObserver(self)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class BookState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """The state of one game; it has few attributes, because OpenSpiel often copies and serializes states."""

    def __init__(self, game: BookGame) -> None:
        super().__init__(game)
        self.position: Position = game.book.start()
        self._plies_left = game.max_plies

    def __reduce__(self) -> tuple[Any, ...]:
        return load_state, (self.get_game(), self.history())

    def __deepcopy__(self, memo: object) -> Any:
        return self.clone()

    @property
    def node(self) -> ActionNode:
        """The node of the current position."""
        node: ActionNode = self.get_game().graph.node(self.position)
        return node

    def current_player(self) -> int:
        """Return the player to move, counted from 0, or OpenSpiel's code for a terminal state."""
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.position.turn - 1

    def is_terminal(self) -> bool:
        """Return whether the game has ended or been truncated."""
        return self._plies_left <= 0 or not self.node.moves

    def returns(self) -> list[float]:
        """Return each player's payoff."""
        players, outcome = self.get_game().book.players, self.node.outcome
        if not outcome:
            return [0.0 for _ in players]
        return [1.0 if player == outcome.winner else -1.0 / (len(players) - 1) for player in players]

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(self.node.all_mask).tolist()

    # These methods validate the action first: OpenSpiel truncates 1.9 to 1 and doesn't say why it rejects an action.

    def apply_action(self, action: SupportsIndex) -> None:
        """Play an action for the player to move."""
        number = parse_action(action)
        if not 0 <= number < len(self.get_game().actions):
            raise self._illegal_move(number)
        super().apply_action(number)

    apply_action_with_legality_check = apply_action

    def child(self, action: SupportsIndex) -> BookState:
        """Return the state after an action."""
        successor: BookState = self.clone()
        successor.apply_action(action)
        return successor

    def action_to_string(self, *arguments: SupportsIndex) -> str:
        """Return the move for the action in the last argument; OpenSpiel may pass a player first, which is ignored."""
        return self._action_to_string(0, parse_action(arguments[-1] if arguments else None))

    def _apply_action(self, action: int) -> None:
        actions = self.get_game().actions
        move = actions[action] if self._plies_left > 0 and 0 <= action < len(actions) else ""
        if move not in self.node.successors:
            raise self._illegal_move(action)
        self.position = self.node.successors[move]
        self._plies_left -= 1

    def _illegal_move(self, action: int) -> IllegalMove:
        if self._plies_left <= 0 and self.node.moves:
            return IllegalMove(f"no action is possible: the game was truncated at ply {self.move_number()}")
        game = self.get_game()
        return IllegalMove(why_illegal(game.book, self.position, action, len(game.actions)))

    def _action_to_string(self, player: int, action: int) -> str:
        actions = self.get_game().actions
        if not 0 <= action < len(actions):
            raise EnvError(f"{safe_repr(action)} is not a valid action; expected 0 to {len(actions) - 1}")
        return str(actions[action])

    def __str__(self) -> str:
        return format_position(self.position)


def load_game(name: str) -> Any:
    """Load a game from its OpenSpiel string; used for unpickling."""
    return pyspiel.load_game(name)


def load_state(game: BookGame, history: list[int]) -> BookState:
    """Return the state of `game` after the actions in `history`."""
    if not isinstance(history, list | tuple):
        raise EnvError(f"history={safe_repr(history)}: expected a list of actions")
    state = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


class BookObserver:
    """Observer that provides the same integer row as the other environments, and a description in plain text."""

    def __init__(self, game: BookGame) -> None:
        self._book = game.book
        self.tensor = np.zeros(len(game.graph.node(game.book.start()).rows[0]), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: BookState, player: int) -> None:
        """Fill the tensor with `player`'s observation of `state`."""
        self.tensor[:] = state.node.rows[player]

    def string_from(self, state: BookState, player: int) -> str:
        """Return the state as text."""
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
    # A class instead of a closure, because OpenSpiel releases it only after the Python interpreter has shut down.
    pyspiel.register_game(game_type, type(short_name, (BookGame,), {"game_type": game_type, "variant": variant}))


def register() -> None:
    plies = {"max_plies": DEFAULT_MAX_PLIES}
    for game in map(book, NAMES):
        _register(f"python_{game.name.replace('-', '_')}", game.title, game.rules.players, plies, game.name)
    _register(ANY_BOOK, "Numberline", PLAYER_COUNTS[-1], {"book": NAMES[0], **plies})


register()
