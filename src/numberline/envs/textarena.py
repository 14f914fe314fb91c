"""TextArena environments, in which language models play each other: `textarena.make("numberline/FlagChase-v0")`.

Importing this module registers every environment id, along with its `-train` and `-raw` variants.
"""

from __future__ import annotations

from typing import Any

from numberline.bots import Seats, play_bot_turns
from numberline.envs import env_arguments, validation
from numberline.envs.observation import Oracle, describe_position
from numberline.envs.text import DEFAULT_TRIES, read_answer, write_instruction, write_introduction
from numberline.envs.validation import BookLike, EnvError
from numberline.errors import MissingExtra, MoveError
from numberline.game import Match
from numberline.game.loader import book as book_of
from numberline.game.move_text import legal_moves_sentence
from numberline.text import safe_repr

try:
    import textarena as ta
    from textarena.envs import BOARDGAME_WRAPPERS, DEFAULT_WRAPPERS
    from textarena.envs.registration import ENV_REGISTRY, register_with_versions
except ModuleNotFoundError as missing:
    raise MissingExtra("TextArena", "textarena") from missing

MessageType = ta.ObservationType


class TextArenaEnv(ta.Env):  # type: ignore[misc]  # TextArena has no types
    """A book or variant as a TextArena environment; TextArena's player 0 is player 1 of the book.

    Lost turns are played automatically. A player who gives `tries` answers without a legal move in one turn resigns.
    """

    def __init__(
        self,
        book: BookLike,
        *,
        rules: bool = True,
        legal: bool = True,
        tries: int = DEFAULT_TRIES,
        oracle: bool = False,
        max_turns: int = validation.DEFAULT_MAX_PLIES,
    ) -> None:
        self.book = book_of(book)
        self._max_turns = validation.validate_max_plies(max_turns, "max_turns")
        self._tries = validation.validate_int("tries", tries)
        self._rules = rules
        self._legal = legal
        self._oracle = Oracle(self.book) if oracle else None
        self._seats = Seats(self.book, [None for _ in self.book.players])
        self.match: Match = validation.NOT_RESET
        self.state: Any = validation.NOT_RESET

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Start a game; `seed` has no effect on the game, because games are deterministic."""
        players = self.book.rules.players
        if validation.validate_int("num_players", num_players) != players:
            raise EnvError(f"num_players={safe_repr(num_players)}: expected {players} for {self.book.title}")
        seed = validation.validate_seed(seed)
        state_type = ta.TwoPlayerState if players == 2 else ta.FFAMultiPlayerState
        self.match = Match(self.book)
        self.state = state_type(
            num_players=players, seed=seed, max_turns=self._max_turns, error_allowance=self._tries - 1
        )
        names = {player - 1: self.book.player_name(player) for player in self.book.players}
        self.state.reset(game_state={}, player_prompt_function=self._prompt, role_mapping=names)
        self._start_turn()

    def step(self, action: object) -> tuple[bool, dict[str, Any]]:
        """Play the move in an answer; return whether the game is over, and TextArena's step info."""
        state, before = self.state, self.match.position
        if state.done:
            raise EnvError("the game is over; call reset to start a new game")
        answer = action if isinstance(action, str) else ""
        state.add_observation(answer, MessageType.PLAYER_ACTION, from_id=state.current_player_id)
        try:
            move = read_answer(self.book, before, action)
        except MoveError as error:
            self._reject(str(error))
        else:
            self.match.play(move)
            played = f"{self.book.player_name(before.turn)} plays {move}."
            state.add_observation(played, MessageType.GAME_ACTION_DESCRIPTION)
            state.step_info |= {"move": move} | (self._oracle.move_info(before, move) if self._oracle else {})
            self._start_turn()
        done, info = state.step(rotate_player=False)
        return done, info

    def get_board_str(self) -> str:
        """Return the position as plain text."""
        return describe_position(self.book, self.match.position)

    def _prompt(self, player_id: int, game_state: object) -> str:
        return f"{write_introduction(self.book, player_id + 1, rules=self._rules)}\n\n{write_instruction(self.book)}"

    def _reject(self, reason: str) -> None:
        """Ask the player to try again or, after too many tries, resign on the player's behalf."""
        state, player = self.state, self.state.current_player_id
        out = state.set_invalid_move(f"{reason[0].upper()}{reason[1:]}.")
        if out or state.done:
            self.match.resign()
            state.made_invalid_move = False
            if not state.done:  # with more than two players, the others play on
                self._start_turn()
        else:
            source, text, message_type = state.observations[player][-1]
            named = text.replace(f"Player {player} ", f"{self.book.player_name(player + 1)} ", 1)
            state.observations[player][-1] = source, named, message_type

    def _start_turn(self) -> None:
        """Play lost turns, set the next player or end the game, and send the position to all players."""
        play_bot_turns(self.match, self._seats, limit=self._max_turns)
        match, state = self.match, self.state
        if match.outcome and state.num_players == 2:
            state.set_winner(match.outcome.winner - 1, match.outcome.reason)
        elif match.outcome:
            state.set_winners([match.outcome.winner - 1], match.outcome.reason)
        elif match.length >= self._max_turns:
            state.set_draw(f"The game was stopped after {self._max_turns} turns.")
        else:
            state.manually_set_current_player_id(match.turn - 1)
        for player in range(state.num_players):
            with_moves = self._legal and not state.done and player == state.current_player_id
            board = self.get_board_str() + (f"\n\n{legal_moves_sentence(match.moves)}" if with_moves else "")
            state.add_observation(board, MessageType.GAME_BOARD, to_id=player)


def register() -> None:
    for name, arguments in env_arguments().items():
        if name not in ENV_REGISTRY:
            wrappers = {"default": DEFAULT_WRAPPERS, "-train": BOARDGAME_WRAPPERS}
            register_with_versions(name, f"{__name__}:TextArenaEnv", wrappers, **arguments)


register()
