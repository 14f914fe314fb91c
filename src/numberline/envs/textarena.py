"""The books for TextArena, where language models play each other: `textarena.make("numberline/FlagChase-v0")`.

TextArena is imported in this file and nowhere else. Importing it makes the ids known, each with `-train` and `-raw`.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from numberline.bots import Seats, play_bot_turns
from numberline.envs.observation import describe_position
from numberline.envs.oracle import Oracle
from numberline.envs.prompts import read_answer, write_instruction, write_opening
from numberline.envs.seat_rotation import NOT_RESET, env_id
from numberline.envs.text import DEFAULT_TRIES
from numberline.envs.validation import DEFAULT_MAX_PLIES, EnvError, validate_int, validate_max_plies, validate_seed
from numberline.errors import MissingExtra, MoveError
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as book_of
from numberline.game.match import Match
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
    """A book, or any variant of it; TextArena's player 0 is the book's player 1, by whose name everybody is called.

    A turn that is lost is played inside. Who has given `tries` answers without a legal move on one turn is out.
    """

    def __init__(
        self,
        book: str | PathLike[str] | Book,
        *,
        rules: bool = True,
        legal: bool = True,
        tries: int = DEFAULT_TRIES,
        oracle: bool = False,
        max_turns: int = DEFAULT_MAX_PLIES,
    ) -> None:
        self.book = book_of(book)
        self._limit = validate_max_plies(max_turns, "max_turns")
        self._tries = validate_int("tries", tries)
        self._rules = rules
        self._legal = legal
        self._oracle = Oracle(self.book) if oracle else None
        self._people = Seats(self.book, [None for _ in self.book.players])
        self.match: Match = NOT_RESET
        self.state: Any = NOT_RESET

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begins a game; nothing in it is left to chance."""
        players = self.book.rules.players
        if validate_int("num_players", num_players) != players:
            raise EnvError(f"num_players={safe_repr(num_players)}: {self.book.title} is for {players} here")
        seed = validate_seed(seed)
        kind = ta.TwoPlayerState if players == 2 else ta.FFAMultiPlayerState
        self.match = Match(self.book)
        self.state = kind(num_players=players, seed=seed, max_turns=self._limit, error_allowance=self._tries - 1)
        names = {player - 1: self.book.player_name(player) for player in self.book.players}
        self.state.reset(game_state={}, player_prompt_function=self._prompt, role_mapping=names)
        self._go_on()

    def step(self, action: object) -> tuple[bool, dict[str, Any]]:
        """Whether the game is over now, and what was made of the answer."""
        state, before = self.state, self.match.position
        if state.done:
            raise EnvError("the game is over: call reset to begin another one")
        said = action if isinstance(action, str) else ""
        state.add_observation(from_id=state.current_player_id, message=said, observation_type=MessageType.PLAYER_ACTION)
        try:
            move = read_answer(self.book, before, action)
        except MoveError as error:
            self._refuse(str(error))
        else:
            self.match.play(move)
            self._broadcast(f"{self.book.player_name(before.turn)} plays {move}.", MessageType.GAME_ACTION_DESCRIPTION)
            state.step_info |= {"move": move} | (self._oracle.move_info(before, move) if self._oracle else {})
            self._go_on()
        done, info = state.step(rotate_player=False)
        return done, info

    def get_board_str(self) -> str:
        """The line in plain text, with whose turn it is."""
        return describe_position(self.book, self.match.position)

    def _prompt(self, player_id: int, game_state: object) -> str:
        return f"{write_opening(self.book, player_id + 1, rules=self._rules)}\n\n{write_instruction(self.book)}"

    def _refuse(self, reason: str) -> None:
        """Lets the player try again; after too many tries it has resigned."""
        state, player = self.state, self.state.current_player_id
        out = state.set_invalid_move(f"{reason[0].upper()}{reason[1:]}.")
        if out or state.done:
            self.match.resign()
            state.made_invalid_move = False
            if not state.done:  # with more than two the others play on
                self._go_on()
        else:
            source, text, kind = state.observations[player][-1]
            named = text.replace(f"Player {player} ", f"{self.book.player_name(player + 1)} ", 1)
            state.observations[player][-1] = source, named, kind

    def _go_on(self) -> None:
        """Plays lost turns, shows everybody the line, and says whose turn it is or how the game ended."""
        play_bot_turns(self.match, self._people, limit=self._limit)
        match, state = self.match, self.state
        if match.outcome and state.num_players == 2:
            state.set_winner(match.outcome.winner - 1, match.outcome.reason)
        elif match.outcome:
            state.set_winners([match.outcome.winner - 1], match.outcome.reason)
        elif match.length >= self._limit:
            state.set_draw(f"The game was broken off after {self._limit} turns.")
        else:
            state.manually_set_current_player_id(match.turn - 1)
        for player in range(state.num_players):
            asked = self._legal and not state.done and player == state.current_player_id
            board = self.get_board_str() + (f"\n\n{legal_moves_sentence(match.moves)}" if asked else "")
            state.add_observation(to_id=player, message=board, observation_type=MessageType.GAME_BOARD)

    def _broadcast(self, text: str, kind: Any) -> None:
        self.state.add_observation(message=text, observation_type=kind)


def register() -> None:
    """Makes the five books, and `numberline/Book-v0` for any variant, known to TextArena."""
    known = {env_id(name): {"book": name} for name in NAMES} | {env_id("book"): {}}
    for name, options in known.items():
        if name not in ENV_REGISTRY:
            wrappers = {"default": DEFAULT_WRAPPERS, "-train": BOARDGAME_WRAPPERS}
            register_with_versions(name, f"{__name__}:TextArenaEnv", wrappers, **options)


register()
