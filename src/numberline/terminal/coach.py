"""Somebody at the table who knows the truth: gives hints, explains, looks back at a game, and asks questions."""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec

import click
from rich.text import Text

from numberline.explain.explanation import explain_position
from numberline.explain.hint import hint
from numberline.explain.queries import require_two_players
from numberline.explain.review import review, turning_point, turning_sentence
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.game.position import Position
from numberline.solver.cache import cached_solution, is_cached
from numberline.solver.index import DEFAULT_MEMORY_BYTES, benefits_from_jit, max_positions
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, VALUE_STYLES
from numberline.terminal.console import TextConsole, can_encode, progress_bar
from numberline.terminal.prompt import Command, MatchPrompt
from numberline.terminal.review import render_review, review_in_sentences
from numberline.views.values import values_view


def solve_with_progress(book: Book, memory: int = DEFAULT_MEMORY_BYTES) -> Solution:
    """The solution of a book; where it takes long to find, a bar is shown, and what would make it quick is said."""
    if benefits_from_jit(book) and not find_spec("numba") and not is_cached(book):
        size = f"{book.variant} has up to {max_positions(book):,} positions"
        click.echo(f'{size}; it takes far less time after: pip install "numberline[fast]"', err=True)
    with progress_bar(f"Solving {book.variant}") as progress:
        return cached_solution(book, memory=memory, progress=progress)


class Coach:
    """Answers questions about one match."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.move_revealed_at = -1
        """How many turns were played when a hint last named the move."""
        self._nudged_at = -1

    @cached_property
    def solution(self) -> Solution:
        """The solution, worked out when it is first needed."""
        return solve_with_progress(self.match.book)

    def hint(self) -> str:
        """A nudge; asked again in the same position, the move and why."""
        now = self.match.length
        again = self._nudged_at == now
        self._nudged_at = now
        if again:
            self.move_revealed_at = now
        found = hint(self.solution, self.match.position, 2 if again else 1, self.match.names).text
        return found if again else f"{found} (Ask again for the move.)"

    def why(self) -> str:
        """The position explained."""
        return explain_position(self.solution, self.match.position, self.match.names).text

    def values(self) -> list[Text]:
        """Each legal move with what it is worth: letter, shape and words; the colour says nothing that they don't."""
        lines, fine = [], can_encode("".join(sign.shape for sign in VALUE_STYLES.values()))
        for move, worth, best in values_view(self.solution, self.match.position, self.match.names).moves:
            shape = worth.shape if fine else VALUE_STYLES[worth.value].plain
            line = Text(f"  {move:<6} ").append(f"{worth.letter} {shape}", worth.colour)
            praise = "  holds out longest" if worth.value == LOSS else "  best"
            lines.append(line.append(f"  {worth.said}{praise if best else ''}"))
        return lines

    def review(self, screen: TextConsole) -> list[Text]:
        """The whole game looked back at: every move, the chart, the turning point, how well each played."""
        require_two_players(self.match.book, "reviews")
        reviewed = review(self.solution, self.match)
        return [*map(Text, review_in_sentences(reviewed))] if screen.plain else render_review(reviewed, screen.width)

    def summarize_for(self, you: int) -> tuple[str, Match | None, str]:
        """Where the game was won or lost, for this player; the match as it stood before that, and why, if it turned."""
        reviewed = review(self.solution, self.match)
        said, point = turning_sentence(reviewed, you), turning_point(reviewed)
        lost = bool(self.match.outcome and self.match.outcome.winner != you)
        if not point:
            forced = bool(lost and reviewed.series[0].winner)
            return f"{said}{' You could not have stopped it: swap sides, and you can win.' * forced}", None, ""
        before = self.match.plies[point.ply.number - 1].before
        earlier = Match(self.match.book, names=self.match.names, start=before)
        reason = explain_position(self.solution, before, self.match.names, you).text
        if lost and point.winner_before == you:
            return f"Good try! {said}", earlier, f"{reason} Next time you can win it!"
        return f"{'Well fought! ' * lost}{said}", earlier, reason


SKIPPED = ""
"""What comes back instead of a move where somebody goes on without one."""


class PositionPrompt(MatchPrompt):
    """One position in which somebody is asked for a move."""

    def __init__(self, screen: TextConsole, book: Book, position: Position) -> None:
        super().__init__(Match(book, start=position), screen)
        self._skip = "next" if "skip" in self.match.moves else "skip"  # in some variants `skip` is a move
        go_on = Command("go on without an answer", lambda: SKIPPED)
        self.commands |= {
            "hint": Command("a nudge; asked again, the move", self.hint),
            "rules": Command("the rules of this game", self.rules),
            self._skip: go_on,
        }

    @property
    def move_revealed(self) -> bool:
        """Whether a hint has named the move."""
        return self.coach.move_revealed_at == 0

    def answer(self, question: str) -> str:
        """The legal move that is answered, or `SKIPPED`; raises `Quit`, or `EndOfInput` where nothing comes."""
        self.show(question)
        return self.ask(f"Your move (or hint, {self._skip}, quit): ", self._move)

    def show(self, question: str) -> None:
        """Shows the position and puts the question, without asking for an answer."""
        self.board()
        if self.screen.draws and not self.screen.plain:
            self.screen.say("\n")
        self.screen.say(f"{question}\n")

    def _move(self, typed: str) -> str:
        """The move that was typed, which is not played; raises `MoveError` for anything else."""
        move = self.match.play(typed).move
        self.match.undo()
        return move
