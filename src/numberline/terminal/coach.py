"""Hints, explanations, move values and reviews based on the solved game."""

from __future__ import annotations

from functools import cached_property

import click
from rich.text import Text

from numberline.errors import install_command
from numberline.explain.explanation import explain_position, hint
from numberline.explain.queries import require_two_players
from numberline.explain.review import review, turning_point, turning_sentence
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.solver.cache import cached_solution, is_cached
from numberline.solver.index import DEFAULT_MEMORY_BYTES, benefits_from_jit, fits, max_positions
from numberline.solver.jit import has_numba, is_compiled, use_jit
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.review import show_review
from numberline.views.values import values_view


def solve_with_progress(book: Book, memory: int = DEFAULT_MEMORY_BYTES) -> Solution:
    """Solve a book and show progress; for a large book, also say why it takes a while or how to speed it up."""
    if benefits_from_jit(book) and not is_cached(book):
        size = f"{book.variant} has up to {max_positions(book):,} positions"
        if not has_numba():
            click.echo(f"{size}; to solve it much faster, run: {install_command('fast')}", err=True)
        elif fits(book, memory):
            _announce(f"{size}; compiling the solver, which takes a few seconds", max_positions(book))
    with progress_bar(f"Solving {book.variant}") as progress:
        return cached_solution(book, memory=memory, progress=progress)


def announce_measuring(work: int) -> None:
    """Say that the kernels for measuring are compiled, if `work` steps are about to do so for the first time."""
    _announce("compiling the kernels for measuring, which can take a minute", work, "win_rates")


def _announce(sentence: str, work: int, kernel: str = "") -> None:
    if use_jit(work) and not is_compiled(kernel):
        click.echo(f"{sentence} and is done only once", err=True)


class Coach:
    """Source of hints, explanations and reviews for one match."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.move_revealed_at = -1
        """Number of plies played when a hint last revealed the move."""
        self._hinted_at = -1

    @cached_property
    def solution(self) -> Solution:
        return solve_with_progress(self.match.book)

    def hint(self) -> str:
        """Return a hint; if asked again in the same position, reveal the move and explain it."""
        now = self.match.length
        again = self._hinted_at == now
        self._hinted_at = now
        if again:
            self.move_revealed_at = now
        text = hint(self.solution, self.match.position, 2 if again else 1, self.match.names).text
        return text if again else f"{text} (Ask again for the move.)"

    def why(self) -> str:
        return explain_position(self.solution, self.match.position, self.match.names).text

    def values(self) -> list[Text]:
        """Return a line for each legal move, showing its value as a letter, a shape and words."""
        lines = []
        for move, worth, best in values_view(self.solution, self.match.position, self.match.names).moves:
            line = Text(f"  {move:<6} ").append(f"{worth.letter} {worth.shape}", worth.colour)
            praise = "  lasts longest" if worth.value == LOSS else "  best"
            lines.append(line.append(f"  {worth.said}{praise if best else ''}"))
        return lines

    def show_review(self, screen: TextConsole) -> None:
        require_two_players(self.match.book, "reviews")
        show_review(review(self.solution, self.match), screen)

    def summarize_for(self, you: int) -> tuple[str, Match | None, str]:
        """Return a sentence for player `you` about the turning point, the match as it stood before, and the reason.

        If there is no turning point, the match is None and the reason is empty.
        """
        reviewed = review(self.solution, self.match)
        sentence, point = turning_sentence(reviewed, you), turning_point(reviewed)
        lost = bool(self.match.outcome and self.match.outcome.winner != you)
        if not point:
            comfort = " You couldn't have stopped it. Swap sides, and you can win!"
            return f"{sentence}{comfort * bool(lost and reviewed.series[0].winner)}", None, ""
        before = self.match.plies[point.number - 1].before
        earlier = Match(self.match.book, names=self.match.names, start=before)
        reason = explain_position(self.solution, before, self.match.names, you).text
        if lost and point.before.winner == you:
            return f"Good try! {sentence}", earlier, f"{reason} Next time you can win it!"
        return f"{'Well fought! ' * lost}{sentence}", earlier, reason
