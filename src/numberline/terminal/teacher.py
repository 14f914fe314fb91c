"""The truth on demand: a hint, an explanation, and what every move is worth."""

from __future__ import annotations

from functools import cached_property

from rich.text import Text

from numberline.analysis.explanation import why
from numberline.analysis.hint import hint
from numberline.analysis.review import review
from numberline.analysis.turning import one_sentence
from numberline.analysis.values import values, worth_in_words
from numberline.analysis.words import Words
from numberline.bots.judging import solved
from numberline.match import Match
from numberline.solver.solution import Solution
from numberline.terminal.review import drawn_review, told_review
from numberline.terminal.screen import Screen


class Teacher:
    """Answers questions about one match, from the solution of its book."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._asked_at = -1
        """How many plies there were when a hint was last asked for."""

    @cached_property
    def solution(self) -> Solution:
        """The solution, worked out when it is first needed."""
        return solved(self.match.book)

    def hint(self) -> str:
        """A nudge; asked again in the same position, the move and why."""
        again = self._asked_at == len(self.match.plies)
        self._asked_at = len(self.match.plies)
        more = "" if again else " (Ask again for the move.)"
        return hint(self.solution, self.match.position, 2 if again else 1, self.match.names).text + more

    def why(self) -> str:
        """The position explained."""
        return why(self.solution, self.match.position, self.match.names).text

    def values(self) -> list[Text]:
        """Each legal move with what it is worth: letter, shape and words; the colour says nothing that they don't."""
        words = Words(self.match.book, self.match.names, self.match.turn)
        lines = []
        for value in values(self.solution, self.match.position):
            best = "  best" if value.best else ""
            line = Text(f"  {value.move:<6} ").append(f"{value.sign.letter} {value.sign.shape}", value.sign.colour)
            lines.append(line.append(f"  {worth_in_words(value, words)}{best}"))
        return lines

    def review(self, screen: Screen) -> list[Text]:
        """The whole game looked back at: every move, the chart, the turning point, how well each played."""
        looked_at = review(self.solution, self.match)
        if screen.plain:
            return [Text(line) for line in told_review(looked_at)]
        return drawn_review(looked_at, screen.width)

    def afterwards(self, you: int) -> str:
        """One sentence on where the game was won or lost, for this player."""
        return one_sentence(review(self.solution, self.match), you)
