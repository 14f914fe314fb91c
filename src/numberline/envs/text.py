"""A book for language models: the rules and the position as text in, a free answer out.

What becomes of an answer that is no legal move: it is counted, as unreadable or as illegal, and the player is asked
again and told why. Who fails `tries` times on one turn has lost the game.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, NamedTuple

from numberline.book.book import Book
from numberline.bots import Bot, Forfeit
from numberline.envs.opponents import Guest
from numberline.envs.oracle import oracle_of
from numberline.envs.prompts import Style, read_answer, write_ending, write_prompt
from numberline.envs.seating import MAX_PLIES, EnvError, Seat, as_book, check, seats_of
from numberline.match import FORCED_TEXTS, Match
from numberline.rules.errors import IllegalMove, MoveError, UnreadableMove
from numberline.rules.position import Position

Ask = Callable[[str], str]
"""Whoever answers a prompt: a language model, a person, a recording."""
TRIES = 3
"""How many answers a player has for one turn, unless told otherwise."""


class Tally(NamedTuple):
    """How the answers of a game were."""

    answers: int = 0
    unreadable: int = 0
    """Those without a move in brackets."""
    illegal: int = 0
    """Those with a move that the rules refuse."""

    def with_one(self, mistake: MoveError | None) -> Tally:
        """The tally after one more answer."""
        unreadable, illegal = isinstance(mistake, UnreadableMove), isinstance(mistake, IllegalMove)
        return Tally(self.answers + 1, self.unreadable + unreadable, self.illegal + illegal)


class Turn(NamedTuple):
    """What comes back for an answer."""

    prompt: str
    """What the agent is asked next; how the game ended, where it has."""
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class TextPlayer:
    """Whoever answers prompts, as a bot that can sit in any seat; `tally` counts the answers of all its games.

    It is shown the position, which has all that the rules look at, and not the moves before.
    """

    def __init__(
        self, ask: Ask, book: Book, *, name: str = "text", rules: bool = True, legal: bool = True, tries: int = TRIES
    ) -> None:
        self.ask = ask
        self.book = book
        self.name = name
        self.tally = Tally()
        self._style = Style(rules=rules, legal=legal, history=False)
        self._tries = tries

    def choose(self, position: Position) -> str:
        """The move in the answer; raises `Forfeit` after too many without a legal one."""
        mistake = ""
        for _ in range(self._tries):
            answer = self.ask(write_prompt(self.book, position, self._style, mistake=mistake))
            try:
                move = read_answer(self.book, position, answer)
            except MoveError as error:
                self.tally = self.tally.with_one(error)
                mistake = str(error)
            else:
                self.tally = self.tally.with_one(None)
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
        seat: Seat = 1,
        first: int = 1,
        rules: bool = True,
        legal: bool = True,
        history: bool = True,
        tries: int = TRIES,
        oracle: bool = False,
        max_plies: int = MAX_PLIES,
    ) -> None:
        self.book = as_book(book)
        check(illegal="lose", max_plies=max_plies)
        if tries < 1:
            raise EnvError(f"tries={tries}: expected 1 or more")
        self._seats = seats_of(self.book, seat)
        self._guest = Guest(opponent, self.book)
        self._style = Style(rules=rules, legal=legal, history=history)
        self._tries = tries
        self._oracle = oracle_of(self.book) if oracle else None
        self._limit = max_plies
        self._first = first
        self._games = 0
        self.reset()
        self._games = 0

    def reset(self, *, seed: int | None = None) -> str:
        """The first prompt of a new game; a seed also begins the seats anew."""
        self._guest.begin(seed)
        self._games = 0 if seed is not None else self._games
        self.seat = self._seats[self._games % len(self._seats)]
        self._games += 1
        self.match = Match(self.book, self._first)
        self.tally = Tally()
        self._failed = 0
        self._forfeit = ""
        self._go_on()
        return self._prompt("")

    def step(self, answer: str) -> Turn:
        """What comes back for an answer: the next prompt, the reward, and what was made of the answer."""
        if self._done():
            return self._turn("", {})
        before = self.match.position
        try:
            move = read_answer(self.book, before, answer)
        except MoveError as error:
            return self._mistaken(error)
        self.tally = self.tally.with_one(None)
        self._failed = 0
        self.match.play(move)
        self._go_on()
        lost = self._oracle.losses(before)[move]._asdict() if self._oracle else {}
        return self._turn("", {"move": move, **lost})

    def play(self, ask: Ask, *, seed: int | None = None) -> Turn:
        """A whole game with whoever answers prompts; how it ended."""
        prompt = self.reset(seed=seed)
        while True:
            turn = self.step("" if self._done() else ask(prompt))
            if turn.terminated or turn.truncated:
                return turn
            prompt = turn.prompt

    def close(self) -> None:
        """Ends the program of an opponent that has one."""
        self._guest.close()

    def _mistaken(self, error: MoveError) -> Turn:
        """What comes back for an answer that is no legal move."""
        self.tally = self.tally.with_one(error)
        self._failed += 1
        if self._failed >= self._tries:
            self._forfeit = f"no legal move in {self._tries} answers"
            self.match.resign()
            self._go_on()
        left = self._tries - self._failed
        return self._turn(f"{error}; tries left: {left}", {"mistake": str(error)})

    def _go_on(self) -> None:
        """Plays lost turns and the bots' moves until the agent has a choice, or nobody ever will."""
        match = self.match
        far = len(match.plies) + self._limit
        while (legal := match.moves) and len(match.plies) < far:
            if legal[0] in FORCED_TEXTS:
                match.play(legal[0])
            elif match.turn == self.seat:
                return
            else:
                self._reply()

    def _reply(self) -> None:
        """The move of the bot whose turn it is; one that can't give any has lost."""
        try:
            self.match.play(self._guest.bot.choose(self.match.position))
        except Forfeit as error:
            self._forfeit = str(error)
            self.match.resign()

    def _done(self) -> bool:
        return self.match.outcome is not None or len(self.match.plies) >= self._limit

    def _turn(self, mistake: str, info: dict[str, Any]) -> Turn:
        outcome = self.match.outcome
        reward = 0.0 if outcome is None else 1.0 if outcome.winner == self.seat else -1.0
        info |= {"tally": self.tally} | ({"forfeit": self._forfeit} if self._forfeit else {})
        return Turn(self._prompt(mistake), reward, outcome is not None, outcome is None and self._done(), info)

    def _prompt(self, mistake: str) -> str:
        if self._done():
            return write_ending(self.match, self._forfeit)
        return write_prompt(self.book, self.match.position, self._style, self.match.plies, mistake)
