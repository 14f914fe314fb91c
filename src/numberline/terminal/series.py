"""A sitting: one game or several, who sits where in each, the score, and the record of them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from numberline.bots.registry import bot_display_name
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.terminal.console import TextConsole
from numberline.terminal.session import Session
from numberline.text import join_and


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who has come to play: by name, and for a program by how it is written."""

    name: str
    bot: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesOptions:
    """What was agreed before the first game."""

    book: Book
    participants: tuple[Participant, ...]
    """Who plays, in the order of the seats of the first game."""
    first: int = 1
    """Who begins the first game."""
    games: int = 1
    decides_early: bool = False
    """Whether it ends once somebody has won more than half of the games."""
    alternates: bool = True
    """Whether the players begin in turn."""
    swaps: bool = False
    """Whether everybody moves one seat on after each game."""
    seed: int = 0
    assist: bool = False
    """Whether the worth of every move is shown at every turn."""
    reviews: bool = False
    """Whether each game is looked back at when it is over."""
    adaptive: bool = False
    """Whether the programs are those that fit, whose level follows the results."""
    record: Path | None = None
    """The file that the games are written to, if any."""

    def participants_in(self, game: int) -> tuple[Participant, ...]:
        """Who plays as player 1, 2, … in that game, counted from 0."""
        shift = game % len(self.participants) if self.swaps else 0
        return (*self.participants[-shift:], *self.participants[:-shift]) if shift else self.participants

    def starting_player(self, game: int) -> int:
        """Who begins that game, counted from 0."""
        if not self.alternates:
            return self.first
        return (self.first - 1 + game) % len(self.participants) + 1

    def match(self, game: int) -> Match:
        """A new match for that game."""
        return Match(self.book, self.starting_player(game), [guest.name for guest in self.participants_in(game)])


@dataclass(slots=True)
class Series:
    """The games that were agreed on, those that are over and the one that is being played."""

    options: SeriesOptions
    finished: list[Match] = field(default_factory=list)
    current: Match | None = None

    def play(self, screen: TextConsole, changed: Callable[[], None] = lambda: None) -> None:
        """Plays the games that are left, and tells the score where there are several."""
        several = self.options.games > 1
        while not self.over:
            number = len(self.finished)
            if several:
                screen.say(f"\nGame {number + 1} of {self.options.games}\n\n")
            self.current = self.current or self.options.match(number)
            self._play_one(self.current, number, screen, changed)
            self.finished.append(self.current)
            self.current = None
            if several:
                screen.say(f"\nScore: {', '.join(f'{name}: {won}' for name, won in self.wins.items())}\n")
        if several:
            screen.say(format_series_result(self.wins) + self._card())

    def _play_one(self, match: Match, number: int, screen: TextConsole, changed: Callable[[], None]) -> None:
        agreed, bots = self.options, [guest.bot for guest in self.options.participants_in(number)]
        if not any(bots):
            Session(match, screen, changed, assist=agreed.assist, reviews=agreed.reviews).play()
            return
        from numberline.bots.seats import Seats  # nobody who plays with people waits for it

        seats = Seats(agreed.book, bots, seed=f"{agreed.seed}/{number}")
        try:
            seats.new_game(f"{agreed.seed}/{number}")
            Session(match, screen, changed, seats=seats, assist=agreed.assist, reviews=agreed.reviews).play()
        finally:
            seats.close()

    @property
    def wins(self) -> dict[str, int]:
        """How many games each guest has won."""
        winners = [winner_of(match)[0] for match in self.finished]
        return {guest.name: winners.count(guest.name) for guest in self.options.participants}

    @property
    def over(self) -> bool:
        """Whether all games are played, or it is decided."""
        decided = self.options.decides_early and max(self.wins.values()) > self.options.games // 2
        return decided or len(self.finished) >= self.options.games

    def _card(self) -> str:
        """Who has won how often as which player; only where the seats were swapped."""
        if not self.options.swaps:
            return ""
        book, winners = self.options.book, [winner_of(match) for match in self.finished]
        return "".join(
            f"{guest.name} won "
            f"{join_and([f'{winners.count((guest.name, n))} as {book.player_name(n)}' for n in book.players])}.\n"
            for guest in self.options.participants
        )


def winner_of(match: Match) -> tuple[str, int]:
    """The name of a match's winner, and as which player; nobody where it was stopped."""
    return (match.names[match.outcome.winner - 1], match.outcome.winner) if match.outcome else ("", 0)


def format_series_result(wins: dict[str, int]) -> str:
    r"""Who has won the match.

    >>> format_series_result({"Ann": 2, "Bob": 1})
    'Ann wins the match 2 to 1.\n'
    """
    ranked = sorted(wins.values(), reverse=True)
    best = [name for name, count in wins.items() if count == ranked[0]]
    score = " to ".join(map(str, ranked))
    return f"{best[0]} wins the match {score}.\n" if len(best) == 1 else f"The match is drawn {score}.\n"


def make_participants(book: Book, seats: Sequence[str | None], names: Sequence[str]) -> tuple[Participant, ...]:
    """The guests for some seats: a person where there is no program, each by the name given or the book's own."""
    given = list(names)
    called: list[str] = []
    for player, bot in enumerate(seats, 1):
        usual = bot_display_name(bot) if bot else book.player_name(player)
        name = given.pop(0) if given and not bot else usual
        called.append(name if name not in called else f"{name} ({book.label(player)})")
    return tuple(Participant(name, bot) for name, bot in zip(called, seats, strict=True))
