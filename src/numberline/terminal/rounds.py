"""Several games in a row: who starts changes, and the score is told after each."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.match import Match
from numberline.rules.book import Book
from numberline.terminal.recorder import Recorder
from numberline.terminal.screen import Screen
from numberline.terminal.session import Session


class Rounds:
    """A sitting of one game or more.

    With `decides_early` it ends once somebody has won more than half of them; the players begin in turn, unless
    `alternates` is false.
    """

    def __init__(
        self, book: Book, *, names: Sequence[str], first: int, games: int, decides_early: bool, alternates: bool = True
    ) -> None:
        self._book = book
        self._names = names
        self._first = first
        self._games = games
        self._decides_early = decides_early
        self._alternates = alternates

    def play(self, screen: Screen, recorder: Recorder | None) -> None:
        """Plays the games, and tells the score where there are several."""
        wins: dict[str, int] = {}
        for number in range(1, self._games + 1):
            match = Match(self._book, self._starter(number), self._names)
            wins = wins or dict.fromkeys(match.names, 0)
            if self._games > 1:
                screen.say(f"\nGame {number} of {self._games}\n\n")
            winner = match.names[_one_game(match, screen, recorder) - 1]
            wins[winner] += 1
            if self._games > 1:
                screen.say(f"\nScore: {', '.join(f'{name}: {won}' for name, won in wins.items())}\n")
            if self._decides_early and wins[winner] > self._games // 2:
                break
        if self._games > 1:
            screen.say(_verdict(wins))

    def _starter(self, number: int) -> int:
        """Who begins that game."""
        if not self._alternates:
            return self._first
        return (self._first + number - 2) % self._book.rules.players + 1


def _one_game(match: Match, screen: Screen, recorder: Recorder | None) -> int:
    """Who has won it."""
    if not recorder:
        return Session(match, screen).play()
    winner = Session(match, screen, lambda: recorder.write(match)).play()
    recorder.close(match)
    return winner


def _verdict(wins: dict[str, int]) -> str:
    r"""Who has won the match.

    >>> _verdict({"Ann": 2, "Bob": 1})
    'Ann wins the match 2 to 1.\n'
    """
    ranked = sorted(wins.values(), reverse=True)
    best = [name for name, won in wins.items() if won == ranked[0]]
    score = " to ".join(map(str, ranked))
    return f"{best[0]} wins the match {score}.\n" if len(best) == 1 else f"The match is drawn {score}.\n"
