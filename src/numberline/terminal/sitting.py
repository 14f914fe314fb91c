"""A sitting: one game or several, who sits where in each, the score, and what is needed to go on another day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from numberline.book.book import Book
from numberline.match import Match
from numberline.terminal.recorder import Recorder
from numberline.terminal.screen import Screen
from numberline.terminal.seats import Guest, Seats, title
from numberline.terminal.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What was agreed before the first game."""

    book: Book
    guests: tuple[Guest, ...]
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
    """Whether what every move is worth is shown at every turn."""
    reviews: bool = False
    """Whether each game is looked back at when it is over."""

    def seated(self, game: int) -> tuple[Guest, ...]:
        """Who plays as player 1, 2, … in that game, counted from 0."""
        shift = game % len(self.guests) if self.swaps else 0
        return (*self.guests[-shift:], *self.guests[:-shift]) if shift else self.guests

    def starter(self, game: int) -> int:
        """Who begins that game, counted from 0."""
        if not self.alternates:
            return self.first
        return (self.first - 1 + game) % len(self.guests) + 1

    def match(self, game: int) -> Match:
        """A new match for that game."""
        return Match(self.book, self.starter(game), [guest.name for guest in self.seated(game)])


@dataclass(slots=True)
class Sitting:
    """The games of a plan, those that are over and the one that is being played."""

    plan: Plan
    finished: list[Match] = field(default_factory=list)
    current: Match | None = None

    def play(
        self, screen: Screen, recorder: Recorder | None = None, changed: Callable[[], None] = lambda: None
    ) -> None:
        """Plays the games that are left, and tells the score where there are several."""
        plan = self.plan
        while not self.over:
            number = len(self.finished)
            if plan.games > 1:
                screen.say(f"\nGame {number + 1} of {plan.games}\n\n")
            match = self.current = self.current or plan.match(number)
            seats = Seats(plan.book, plan.seated(number), f"{plan.seed}/{number}")
            told = partial(_all_told, changed, recorder, match)
            try:
                Session(match, screen, told, seats=seats, assist=plan.assist, reviews=plan.reviews).play()
            finally:
                seats.close()
            if recorder:
                recorder.close(match)
            self.finished.append(match)
            self.current = None
            if plan.games > 1:
                screen.say(f"\nScore: {', '.join(f'{name}: {won}' for name, won in self.wins.items())}\n")
        if plan.games > 1:
            screen.say(verdict(self.wins) + self._card())

    @property
    def wins(self) -> dict[str, int]:
        """How many games each guest has won."""
        wins = {guest.name: 0 for guest in self.plan.guests}
        for match in self.finished:
            wins[winner_of(match)] += 1
        return wins

    @property
    def over(self) -> bool:
        """Whether all games are played, or it is decided."""
        decided = self.plan.decides_early and max(self.wins.values()) > self.plan.games // 2
        return decided or len(self.finished) >= self.plan.games

    def _card(self) -> str:
        """Who has won how often as which player; only where the seats were swapped."""
        if not self.plan.swaps:
            return ""
        lines = []
        for guest in self.plan.guests:
            as_player = [
                f"{sum(won(match) == (guest.name, player) for match in self.finished)} as "
                f"{self.plan.book.player_name(player)}"
                for player in range(1, len(self.plan.guests) + 1)
            ]
            lines.append(f"{guest.name} won {' and '.join(as_player)}.\n")
        return "".join(lines)


def won(match: Match) -> tuple[str, int]:
    """Who has won a finished match, and as which player."""
    winner = match.outcome.winner if match.outcome else 0
    return match.names[winner - 1], winner


def winner_of(match: Match) -> str:
    """The name of who has won a finished match."""
    return won(match)[0]


def verdict(wins: dict[str, int]) -> str:
    r"""Who has won the match.

    >>> verdict({"Ann": 2, "Bob": 1})
    'Ann wins the match 2 to 1.\n'
    """
    ranked = sorted(wins.values(), reverse=True)
    best = [name for name, count in wins.items() if count == ranked[0]]
    score = " to ".join(map(str, ranked))
    return f"{best[0]} wins the match {score}.\n" if len(best) == 1 else f"The match is drawn {score}.\n"


def _all_told(changed: Callable[[], None], recorder: Recorder | None, match: Match) -> None:
    """Lets everybody know who keeps what has happened."""
    changed()
    if recorder:
        recorder.write(match)


def guests_for(book: Book, seats: Sequence[str | None], names: Sequence[str]) -> tuple[Guest, ...]:
    """The guests for some seats: a person where there is no program, each by the name given or the book's own."""
    given = list(names)
    called: list[str] = []
    for player, bot in enumerate(seats, 1):
        usual = title(bot) if bot else book.player_name(player)
        name = given.pop(0) if given and not bot else usual
        called.append(name if name not in called else f"{name} ({book.label(player)})")
    return tuple(Guest(name, bot) for name, bot in zip(called, seats, strict=True))
