"""Text environment for language models, which receive prompts and answer in free text.

A move must be in square brackets, such as `[3]` or `[R2]`. The last bracketed text that can be read as a move of the
game counts; everything else is ignored. Inside the brackets, letter case and spaces don't matter. Only the last
100,000 characters of an answer are read.

    answer  = { anything } "[" move "]" { anything without a move in brackets }
    move    = [ token ":" ] stride
    stride  = number | ("L" | "R") number | ("+" | "-" | "*" | "/") number | "back" | "skip"

An answer without a legal move is counted as unreadable or illegal, and the next prompt says what was wrong with it.
After `tries` such answers in one turn, the player forfeits the game.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NamedTuple

from numberline.bots import Bot, Forfeit, play_bot_turns
from numberline.envs import validation
from numberline.envs.observation import Oracle, describe_position
from numberline.envs.validation import AgentSeat, BookLike, EnvOptions, SeatRotation
from numberline.errors import IllegalMove, MoveError, NumberlineError, UnreadableMove
from numberline.explain.rules_text import describe_rules
from numberline.game import Book, Match, Ply, Position
from numberline.game.loader import book as book_of
from numberline.game.move_text import legal_moves_sentence
from numberline.text import quote

Responder = Callable[[str], object]
"""A function that answers a prompt; an answer that is not a string counts as unreadable."""
MAX_ANSWER_CHARS = 100_000
DEFAULT_TRIES = 3


def read_answer(book: Book, position: Position, answer: object) -> str:
    """Return the move in an answer; raise `UnreadableMove` if there is none and `IllegalMove` if it is not legal.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> read_answer(book, book.start(), "Not [1], which loses. I play [ 2 ] [sure].")
    '2'
    """
    if not isinstance(answer, str):
        raise UnreadableMove("the answer is not text")
    bracketed = re.findall(r"\[([^\[\]]*)\]", answer[-MAX_ANSWER_CHARS:])
    for text in dict.fromkeys(reversed(bracketed)):
        try:
            move = book.read(text, position)
        except UnreadableMove:
            continue
        if move not in book.moves(position):
            raise IllegalMove(f"{quote(text)} is not allowed here: {book.why_not(position, move)}")
        return move
    raise UnreadableMove("there is no move in square brackets")


def write_prompt(
    book: Book, position: Position, plies: tuple[Ply, ...] | None, mistake: str, *, rules: bool, legal: bool
) -> str:
    """Return the prompt for the player to move, with the moves so far (unless `plies` is None) and any `mistake`."""
    parts = [write_introduction(book, position.turn, rules=rules)]
    if plies is not None:
        played = (f"{n}. {book.player_name(ply.player)}: {ply.move}" for n, ply in enumerate(plies, 1))
        parts.append("The moves so far\n" + ("\n".join(played) or "None."))
    parts.append("The position\n" + describe_position(book, position))
    if legal:
        parts.append(legal_moves_sentence(book.moves(position)))
    if mistake:
        parts.append(f"Your last answer does not count: {mistake}.")
    parts.append(write_instruction(book))
    return "\n\n".join(parts) + "\n"


def write_introduction(book: Book, player: int, *, rules: bool) -> str:
    """Return the first part of a prompt: the game, the player's name and, if `rules` is set, the rules."""
    parts = [f"You are playing {book.title}. You are {book.player_name(player)}."]
    if rules:
        parts.append("The rules\n" + "\n".join(f"{part.heading}: {part.text}" for part in describe_rules(book)))
    return "\n\n".join(parts)


def write_instruction(book: Book) -> str:
    """Return the sentence that specifies the answer format."""
    return f"Think if you like, then answer with your move in square brackets, written like [{book.choices[0]}]."


def _write_ending(match: Match, forfeit: str) -> str:
    ending = "The game was stopped."
    if outcome := match.outcome:
        ending = f"{outcome.reason} {match.book.player_name(outcome.winner)} wins."
    why = f" ({forfeit})" if forfeit else ""
    return f"The game is over.\n\n{describe_position(match.book, match.position)}\n{ending}{why}\n"


class AnswerCounts(NamedTuple):
    """The number of answers, and how many of them were unreadable or illegal."""

    answers: int = 0
    unreadable: int = 0
    illegal: int = 0

    def with_answer(self, mistake: MoveError | None) -> AnswerCounts:
        """Return the counts after one more answer; `mistake` is None if that answer was legal."""
        unreadable, illegal = isinstance(mistake, UnreadableMove), isinstance(mistake, IllegalMove)
        return AnswerCounts(self.answers + 1, self.unreadable + unreadable, self.illegal + illegal)


class TextStep(NamedTuple):
    """The result of one answer; `prompt` is the next prompt, or the final result if the game is over."""

    prompt: str
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def _ask(ask: Responder, prompt: str, name: str) -> object:
    """Ask the model named `name` and return its answer; raise `Forfeit` if the model raises an exception."""
    try:
        return ask(prompt)
    except NumberlineError:
        raise
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())
        raise Forfeit(name, f"failed: {quote(text, width=200)}") from error


class TextPlayer(Bot):
    """A bot that asks a language model for its moves; `tally` counts the answers across all games.

    Prompts contain no move history, because legal moves and values depend only on the position. If the model raises an
    exception, the player forfeits the game.
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
    ) -> None:
        super().__init__(name, book_of(book), Random(0))
        self.ask = validation.validate_callable(ask)
        self.tally = AnswerCounts()
        self._write_prompt = partial(write_prompt, self.book, rules=rules, legal=legal)
        self._tries = validation.validate_int("tries", tries)

    def choose(self, position: Position) -> str:
        """Ask for a move; raise `Forfeit` after `tries` answers without a legal move."""
        mistake = ""
        for _ in range(self._tries):
            answer = _ask(self.ask, self._write_prompt(position, None, mistake), self.name)
            try:
                move = read_answer(self.book, position, answer)
            except MoveError as error:
                self.tally = self.tally.with_answer(error)
                mistake = str(error)
            else:
                self.tally = self.tally.with_answer(None)
                return move
        raise Forfeit(self.name, f"gave no legal move in {self._tries} answers: {mistake}")


class TextEnv(EnvOptions):
    """Environment in which a language model plays one seat and bots play the others; `match` is the current game.

    `rules`, `legal` and `history` select the parts of the prompt; `tries` is the number of answers allowed per turn.
    The other options are those of `BookEnv`.
    """

    def __init__(
        self,
        book: BookLike,
        *,
        opponent: str | Bot = "random",
        seat: AgentSeat = 1,
        first: int = 1,
        rules: bool = True,
        legal: bool = True,
        history: bool = True,
        tries: int = DEFAULT_TRIES,
        oracle: bool = False,
        max_plies: int = validation.DEFAULT_MAX_PLIES,
    ) -> None:
        self._set_options(book, first, max_plies)
        self._tries = validation.validate_int("tries", tries)
        self._rotation = SeatRotation(self.book, validation.validate_opponent(opponent), seat)
        self._write_prompt = partial(write_prompt, self.book, rules=rules, legal=legal)
        self._history = history
        self._oracle = Oracle(self.book) if oracle else None
        self.match: Match = validation.NOT_RESET
        self.seat = self._rotation.agent_seat
        self.tally = AnswerCounts()
        self.forfeit_reason = ""

    @property
    def done(self) -> bool:
        """Whether the game has ended or been truncated."""
        return not self.match.moves or self.match.length >= self._max_plies

    def reset(self, *, seed: int | None = None) -> str:
        """Start a game and return the first prompt; passing a seed also restarts the seat rotation."""
        self._rotation.start_game(validation.validate_seed(seed))
        self.seat = self._rotation.agent_seat
        self.match = Match(self.book, self._first)
        self.tally = AnswerCounts()
        self._failed_tries = 0
        self.forfeit_reason = ""
        self._play_opponents()
        return self._prompt("")

    def step(self, answer: object) -> TextStep:
        """Play the move in an answer; anything that is not a string counts as unreadable."""
        if self.done:
            return self._result("")
        before = self.match.position
        try:
            move = read_answer(self.book, before, answer)
        except MoveError as error:
            self.tally = self.tally.with_answer(error)
            self._failed_tries += 1
            if self._failed_tries >= self._tries:
                self.forfeit(f"no legal move in {self._tries} answers")
            return self._result(f"{error}; tries left: {self._tries - self._failed_tries}", mistake=str(error))
        self.tally = self.tally.with_answer(None)
        self._failed_tries = 0
        self.match.play(move)
        self._play_opponents()
        return self._result("", move=move, **(self._oracle.move_info(before, move) if self._oracle else {}))

    def play(self, ask: Responder, *, seed: int | None = None) -> TextStep:
        """Play a whole game with a model and return the last step; if the model raises an exception, it forfeits."""
        validation.validate_callable(ask)
        prompt = self.reset(seed=seed)
        step = self._result("")
        while not self.done:
            try:
                answer = _ask(ask, prompt, "the model")
            except Forfeit as forfeit:
                return self.forfeit(f"the model {forfeit.reason}")
            step = self.step(answer)
            prompt = step.prompt
        return step

    def forfeit(self, reason: str) -> TextStep:
        """Resign on behalf of the agent and record `reason`."""
        if not self.done:
            self.forfeit_reason = reason
            self.match.resign()
            self._play_opponents()
        return self._result("")

    def close(self) -> None:
        """Stop the opponents' processes, if any."""
        self._rotation.seats.close()

    def _play_opponents(self) -> None:
        limit = self.match.length + self._max_plies
        if forfeit := play_bot_turns(self.match, self._rotation.seats, limit=limit):
            self.forfeit_reason = str(forfeit)

    def _result(self, remark: str, **details: Any) -> TextStep:
        outcome = self.match.outcome
        reward = 0.0 if outcome is None else 1.0 if outcome.winner == self.seat else -1.0
        info = {"move": "", "mistake": ""} | (Oracle.no_move_info if self._oracle else {}) | details
        info |= {"forfeit": self.forfeit_reason, "tally": self.tally}
        return TextStep(self._prompt(remark), reward, outcome is not None, outcome is None and self.done, info)

    def _prompt(self, remark: str) -> str:
        if self.done:
            return _write_ending(self.match, self.forfeit_reason)
        return self._write_prompt(self.match.position, self.match.plies if self._history else None, remark)
