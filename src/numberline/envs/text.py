"""A book for language models: the rules and the position as text in, a free answer out.

An answer without a legal move is counted, as unreadable or as illegal, and the player is told why and asked again.
Whoever fails `tries` times on one turn has lost the game. A model that ends with an error is asked again with the same
prompt, `retries` times; after that it has lost the game, too.
"""

from __future__ import annotations

from functools import partial
from os import PathLike
from random import Random
from typing import Any, NamedTuple

from numberline.bots import Bot, Forfeit, play_bot_turns
from numberline.envs.oracle import Oracle
from numberline.envs.prompts import read_answer, write_ending, write_prompt
from numberline.envs.seat_rotation import NOT_RESET, SeatRotation
from numberline.envs.transcript import Responder, describe_error
from numberline.envs.validation import (
    DEFAULT_MAX_PLIES,
    AgentSeat,
    validate_callable,
    validate_int,
    validate_max_plies,
    validate_opponent,
    validate_player,
    validate_seed,
)
from numberline.errors import IllegalMove, MoveError, NumberlineError, UnreadableMove
from numberline.game.book import Book
from numberline.game.loader import book as book_of
from numberline.game.match import Match
from numberline.game.position import Position
from numberline.text import pluralize, quote

DEFAULT_TRIES = 3
"""How many answers a player has for one turn, unless told otherwise."""
DEFAULT_RETRIES = 2
"""How often a model that ended with an error is asked again, unless told otherwise."""


class AnswerCounts(NamedTuple):
    """How many answers a game took, and how many of them were no legal move."""

    answers: int = 0
    unreadable: int = 0
    """Those without a move in brackets."""
    illegal: int = 0
    """Those with a move that the rules refuse."""

    def with_answer(self, mistake: MoveError | None) -> AnswerCounts:
        """The counts after one more answer."""
        unreadable, illegal = isinstance(mistake, UnreadableMove), isinstance(mistake, IllegalMove)
        return AnswerCounts(self.answers + 1, self.unreadable + unreadable, self.illegal + illegal)


class TextStep(NamedTuple):
    """What comes back for an answer."""

    prompt: str
    """What the agent is asked next; how the game ended, where it has."""
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class TextPlayer(Bot):
    """Whoever answers prompts, as a bot that can sit in any seat; `tally` counts the answers of all its games.

    It is shown the position, which has all that the rules look at, and not the moves before.
    """

    def __init__(
        self,
        ask: Responder,
        book: Book,
        *,
        name: str = "text",
        rules: bool = True,
        legal: bool = True,
        tries: int = DEFAULT_TRIES,
        retries: int = DEFAULT_RETRIES,
    ) -> None:
        super().__init__(name, book_of(book), Random(0))
        self.ask = validate_callable(ask)
        self.tally = AnswerCounts()
        self._write = partial(write_prompt, self.book, rules=rules, legal=legal)
        self._tries = validate_int("tries", tries)
        self._retries = validate_int("retries", retries, least=0)

    def choose(self, position: Position) -> str:
        """The move in the answer; raises `Forfeit` after too many without a legal one, or too many errors."""
        mistake = ""
        for _ in range(self._tries):
            try:
                answer = ask_with_retries(self.ask, self._write(position, None, mistake), self._retries)
            except ModelError as error:
                raise Forfeit(self.name, str(error)) from None
            try:
                move = read_answer(self.book, position, answer)
            except MoveError as error:
                self.tally = self.tally.with_answer(error)
                mistake = str(error)
                continue
            self.tally = self.tally.with_answer(None)
            return move
        raise Forfeit(self.name, f"gave no legal move in {self._tries} answers: {mistake}")


class TextEnv:
    """One seat of a book for a language model, with bots in the other seats; `match` is the game that is on.

    `rules`, `legal` and `history` say what a prompt has in it. The other options are those of `BookEnv`.
    """

    def __init__(
        self,
        book: str | PathLike[str] | Book,
        *,
        opponent: str | Bot = "random",
        seat: AgentSeat = 1,
        first: int = 1,
        rules: bool = True,
        legal: bool = True,
        history: bool = True,
        tries: int = DEFAULT_TRIES,
        retries: int = DEFAULT_RETRIES,
        oracle: bool = False,
        max_plies: int = DEFAULT_MAX_PLIES,
    ) -> None:
        self.book = book_of(book)
        self._limit = validate_max_plies(max_plies)
        self._tries = validate_int("tries", tries)
        self._retries = validate_int("retries", retries, least=0)
        self._first = validate_player(self.book, "first", first)
        self._rotation = SeatRotation(self.book, validate_opponent(opponent), seat)
        self._write = partial(write_prompt, self.book, rules=rules, legal=legal)
        self._history = history
        self._oracle = Oracle(self.book) if oracle else None
        self.match: Match = NOT_RESET
        self.seat = self._rotation.agent_seat
        self.tally = AnswerCounts()
        self._failed = 0
        self.forfeit_reason = ""
        """Why somebody was made to resign; nothing where nobody was."""

    @property
    def done(self) -> bool:
        """Whether the game is over, or broken off."""
        return not self.match.moves or self.match.length >= self._limit

    def reset(self, *, seed: int | None = None) -> str:
        """The first prompt of a new game; with a seed the agent takes its first seat again."""
        self._rotation.start_game(validate_seed(seed))
        self.seat = self._rotation.agent_seat
        self.match = Match(self.book, self._first)
        self.tally = AnswerCounts()
        self._failed = 0
        self.forfeit_reason = ""
        self._go_on()
        return self._prompt("")

    def step(self, answer: object) -> TextStep:
        """What comes back for an answer: the next prompt, the reward, and what was made of the answer.

        What is not text, such as None, is an unreadable answer.
        """
        if self.done:
            return self._turn("")
        before = self.match.position
        try:
            move = read_answer(self.book, before, answer)
        except MoveError as error:
            self.tally = self.tally.with_answer(error)
            self._failed += 1
            if self._failed >= self._tries:
                self._resign(f"no legal move in {self._tries} answers")
            return self._turn(f"{error}; tries left: {self._tries - self._failed}", mistake=str(error))
        self.tally = self.tally.with_answer(None)
        self._failed = 0
        self.match.play(move)
        self._go_on()
        return self._turn("", move=move, **(self._oracle.move_info(before, move) if self._oracle else {}))

    def play(self, ask: Responder, *, seed: int | None = None) -> TextStep:
        """A whole game with whoever answers prompts; how it ended."""
        validate_callable(ask)
        self.reset(seed=seed)
        turn = self._turn("")
        while not self.done:
            try:
                answer = ask_with_retries(ask, turn.prompt, self._retries)
            except ModelError as error:
                return self.forfeit(f"the model {error}")
            turn = self.step(answer)
        return turn

    def forfeit(self, reason: str) -> TextStep:
        """What comes back where the agent gives the game up, for a reason of its own, instead of answering."""
        if not self.done:
            self._resign(reason)
        return self._turn("")

    def close(self) -> None:
        """Ends the program of an opponent that has one."""
        self._rotation.close()

    def _go_on(self) -> None:
        """Lets the others play until the agent has a choice or the game is over; an endless game is broken off."""
        if forfeit := play_bot_turns(self.match, self._rotation.seats, limit=self.match.length + self._limit):
            self.forfeit_reason = str(forfeit)

    def _resign(self, why: str) -> None:
        """Puts the agent out of the game and lets the others play on."""
        self.forfeit_reason = why
        self.match.resign()
        self._go_on()

    def _turn(self, said: str, **found: Any) -> TextStep:
        """What comes back; the keys of `info` are always the same, and what is not there is empty."""
        outcome = self.match.outcome
        reward = 0.0 if outcome is None else 1.0 if outcome.winner == self.seat else -1.0
        nothing = {"move": "", "mistake": ""} | ({"regret": 0, "delay": 0} if self._oracle else {})
        info = nothing | found | {"forfeit": self.forfeit_reason, "tally": self.tally}
        return TextStep(self._prompt(said), reward, outcome is not None, outcome is None and self.done, info)

    def _prompt(self, mistake: str) -> str:
        if self.done:
            return write_ending(self.match, self.forfeit_reason)
        return self._write(self.match.position, self.match.plies if self._history else None, mistake)


class ModelError(Exception):
    """A model that ended with an error as often as it was asked; the text says how, after the model's name."""


def ask_with_retries(ask: Responder, prompt: str, retries: int = DEFAULT_RETRIES) -> object:
    """The answer to a prompt, for which a model that ends with an error is asked again; raises `ModelError`.

    What is wrong on our side, such as a recording that does not fit, is no error of the model and is raised at once.
    """
    failed = ""
    for _ in range(retries + 1):
        try:
            return ask(prompt)
        except NumberlineError:
            raise
        except Exception as error:  # noqa: BLE001 - a model can fail in any way
            failed = describe_error(error)
    times = pluralize(retries + 1, "time")
    raise ModelError(f"was asked {times} and failed: {quote(failed, width=200)}")
