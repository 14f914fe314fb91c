"""Hints, explanations, move values, reviews and value maps based on the solved game."""

from __future__ import annotations

from functools import cached_property

import click
from rich.text import Text

from numberline.errors import install_command
from numberline.explain.explanation import explain_briefly, hint
from numberline.explain.phrases import VALUE_PHRASES
from numberline.explain.queries import ValueMap, require_two_players
from numberline.explain.review import Review, review
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.solver.cache import cached_solution, is_cached
from numberline.solver.index import DEFAULT_MEMORY_BYTES, TooManyPositions, benefits_from_jit, fits, max_positions
from numberline.solver.jit import has_numba, is_compiled, use_jit
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN
from numberline.terminal.console import progress_bar
from numberline.text import join_and
from numberline.views.review import values_view


def solve_with_progress(book: Book, memory: int | None = None) -> Solution:
    """Solve a book and show progress; for a large book, also explain the delay or how to speed it up.

    `memory` is the value of the command's `--memory` option, or None for a command without it. If it is None, the error
    for a book that is too large doesn't mention the option.
    """
    limit = memory or DEFAULT_MEMORY_BYTES
    if benefits_from_jit(book) and fits(book, limit) and not is_cached(book):
        size = f"{book.variant} has up to {max_positions(book):,} positions"
        if not has_numba():
            click.echo(f"{size}; to solve it much faster, run: {install_command('fast')}", err=True)
        else:
            _announce(f"{size}; compiling the solver, which takes a few seconds", max_positions(book))
    try:
        with progress_bar(f"Solving {book.variant}") as progress:
            return cached_solution(book, memory=limit, progress=progress)
    except TooManyPositions as error:
        raise error if memory else TooManyPositions(str(error).partition(" (--memory")[0]) from None


def announce_measuring(work: int) -> None:
    """Announce the one-time compilation of the measurement kernels, if `work` steps are enough to trigger it."""
    _announce("compiling the measurement code; this can take a minute", work, "win_rates")


def _announce(sentence: str, work: int, kernel: str = "") -> None:
    if use_jit(work) and not is_compiled(kernel):
        click.echo(f"{sentence} and is done only once", err=True)


class Coach:
    """Source of hints, explanations and reviews for one match."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.move_revealed_at = -1
        """Number of plies played when a hint last revealed the move; -1 if no hint has."""
        self.hinted_at = -1
        """Number of plies played when a hint was last given; -1 if none was."""

    @cached_property
    def solution(self) -> Solution:
        return solve_with_progress(self.match.book)

    def hint(self) -> str:
        """Return a hint; if asked again in the same position, reveal the move and explain it."""
        now = self.match.length
        again, self.hinted_at = self.hinted_at == now, now
        if again:
            self.move_revealed_at = now
        text = hint(self.solution, self.match.position, 2 if again else 1, self.match.names).text
        return text if again else f"{text} (Ask again to see the move.)"

    def why(self, *, of_best: bool = False) -> str:
        """Recommend a move and say what a wrong move leads to or, with `of_best`, why the recommended move is good."""
        facts = self.solution, self.match.position
        return hint(*facts, 2, self.match.names).text if of_best else explain_briefly(*facts, self.match.names)

    def values(self, *, plain: bool) -> list[Text]:
        """Return one line per legal move, with the value of the move, and a legend; if `plain`, omit the signs.

        If all moves have the same value, return one sentence instead.
        """
        lines, signs = [], {}
        moves = values_view(self.solution, self.match.position, self.match.names).moves
        counts = " Every player's turns are counted." * any("turn" in worth.said for _, worth, _ in moves)
        if len({worth for _, worth, _ in moves}) == 1 < len(moves):
            each = f"{'each ' * (moves[0].worth.value in {WIN, LOSS})}{moves[0].worth.said}"
            return [Text(f"All moves are equally good: {each}, if everyone plays their best.{counts}")]
        for move, worth, best in moves:
            signs[worth.value] = f"{worth.letter} {worth.shape} {VALUE_PHRASES[worth.value]}"
            line = Text(f"  {move:<6} ").append("" if plain else f"{worth.letter} {worth.shape}", worth.colour)
            praise = "  lasts longest" if worth.value == LOSS else "  best"
            lines.append(line.append(f"  {worth.said}{praise if best else ''}"))
        meanings = "This is what happens" if plain else f"{join_and([*signs.values()])},"
        return [*lines, Text(f"{meanings} if everyone plays their best.{counts}", "dim")]

    def review(self) -> Review:
        require_two_players(self.match.book, "reviews")
        return review(self.solution, self.match)

    @property
    def quick_solution(self) -> Solution | None:
        """The solution, or None with more than two players or if solving would take too long."""
        book = self.match.book
        solves = book.rules.players == 2 and (is_cached(book) or not benefits_from_jit(book))
        return self.solution if solves else None


# Value map

_FEW_ROWS = 12
_MIN_BLOCK_COLUMNS = 5


def render_value_map(values: ValueMap, width: int) -> list[Text]:
    """Return the map as lines of at most `width` columns, omitting the turn counts if they don't fit."""
    margin = max(len(row) for row in values.rows) + 1
    texts = [str(cell or "") for row in values.cells for cell in row]
    size = max(map(len, [*values.columns, *texts])) + 1
    per_block = (width - margin) // size
    if per_block >= _MIN_BLOCK_COLUMNS and (len(values.rows) <= _FEW_ROWS or per_block >= len(values.columns)):
        lines: list[Text] = []
        for start in range(0, len(values.columns), per_block):
            block = slice(start, start + per_block)
            head = " " * margin + "".join(column.rjust(size) for column in values.columns[block])
            lines += [Text(), Text(head, "dim"), *_render_rows(values, block, margin, size)]
        return lines[1:]
    needed = margin + len(values.columns)
    if needed > width:
        return [Text(f"(The value map needs {needed} columns; --plot FILE.svg writes it to a file.)", "dim")]
    scale = " " * margin
    for column in range(0, len(values.columns), 10):
        scale = scale.ljust(margin + column) + values.columns[column]
    return [Text(scale, "dim"), *_render_rows(values, slice(None), margin, 1)]


def _render_rows(values: ValueMap, block: slice, margin: int, size: int) -> list[Text]:
    """Return the rows of a block; one-column cells show only the letter of the value."""
    lines = []
    for name, row in zip(values.rows, values.cells, strict=True):
        line = Text(name.rjust(margin - 1) + " ", "dim")
        for cell in row[block]:
            text = str(cell or "") if size > 1 else cell.letter if cell else ""
            line.append(text.rjust(size), cell.colour if cell else "")
        line.rstrip()
        lines.append(line)
    return lines
