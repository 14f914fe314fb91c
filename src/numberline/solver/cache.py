"""Solutions kept in files: saved by name, or for large variants in the user's cache; each is checked before it is used.

A file holds the variant, the version of the format, the columns and a checksum over all of it. It is put in place
whole, so that two programs that write at once leave one of the two, and a reader never sees half of one.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numberline.errors import BookError, NumberlineError
from numberline.files import open_for_reading, write_atomic
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.solver.index import (
    DEFAULT_MEMORY_BYTES,
    MAX_WALKED_POSITIONS,
    MixedRadixIndex,
    PositionIndex,
    Progress,
    ReachableIndex,
    build_reachable_table,
    max_positions,
)
from numberline.solver.npz import InvalidNpz, NpzReader
from numberline.solver.solution import Solution, solve

if TYPE_CHECKING:
    import numpy as np

FORMAT_VERSION = 2
"""The version of the file format and of the rules; a solution in another one is worked out again."""
MIN_CACHED_POSITIONS = 500_000
"""Smaller books are solved sooner than a file is read."""
MAX_SOLUTIONS_IN_MEMORY = 8
"""So many solutions are kept in memory; the one that nobody has asked for the longest goes first."""
MAX_POSITIONS_IN_MEMORY = 20_000_000
"""The same if they have more positions than this in all."""


MAX_TEXT_CHARS = 2_000_000
"""Characters; what a file says about itself is never longer, a book of one's own being in it."""
MAX_CHECKSUM_CHARS = 100


class SolutionFileError(NumberlineError, ValueError):
    """A file that holds no solution that can be trusted; the text says why."""


def save(solution: Solution, path: Path) -> None:
    """Writes a solution to a file, whole or not at all."""
    import numpy as np

    about = {
        "format": FORMAT_VERSION,
        "variant": solution.book.variant,
        "source": solution.book.source,
        "numbering": "walk" if isinstance(solution.position_index, ReachableIndex) else "box",
    }
    columns = [np.asarray(column, np.int32) if isinstance(column, list) else column for column in solution.entries]
    text = json.dumps(about)
    content = io.BytesIO()
    named: dict[str, Any] = {f"column{number}": column for number, column in enumerate(columns)}
    np.savez(content, about=np.array(text), checksum=np.array(_checksum(text, columns)), **named)
    write_atomic(path, content.getbuffer())


def load(path: Path) -> Solution:
    """The solution in a file; refuses, with one sentence, a file that is damaged or holds something else.

    How large everything is stands at the front: what does not fit the book is refused before it is read.
    """
    with open_for_reading(path) as stream:
        try:
            archive = NpzReader(stream)
            text, checksum = archive.text("about", MAX_TEXT_CHARS), archive.text("checksum", MAX_CHECKSUM_CHARS)
            solved, walked = _parse_header(path, text)
            most = MAX_WALKED_POSITIONS if walked else max_positions(solved)
            columns = [archive.column(f"column{number}", most) for number in range(_column_count(solved))]
        except InvalidNpz:
            raise SolutionFileError(f"{path} is not a solution, or it is damaged; solve the variant again") from None
    if checksum != _checksum(text, columns):
        raise SolutionFileError(f"{path} is damaged: its checksum is wrong; solve the variant again")
    numbering = _numbering(solved, len(columns[0]), walked=walked)
    if not numbering or any(len(column) != numbering.size for column in columns):
        raise SolutionFileError(f"{path}: it does not have as many positions as {solved.variant}")
    if any(abs(int(end)) > numbering.size + 1 for column in columns for end in (column.min(), column.max())):
        raise SolutionFileError(f"{path}: no game of {solved.variant} takes so long; solve the variant again")
    return Solution(solved, numbering, columns)


def _column_count(book: Book) -> int:
    """How many columns a solution has: one for two players, else one for each."""
    return 1 if book.rules.players == 2 else book.rules.players


def _numbering(book: Book, size: int, *, walked: bool) -> PositionIndex | None:
    """The positions of a book numbered again, as they were for a file; None where there are more of them than in it."""
    if not walked:
        return MixedRadixIndex(book)
    table = build_reachable_table(book, limit=size)
    return table.position_index if table else None


def _parse_header(path: Path, text: str) -> tuple[Book, bool]:
    """The book that a file says it is of, and whether its positions were walked to."""
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidNpz from None
    if not isinstance(about, dict):
        raise InvalidNpz
    if about.get("format") != FORMAT_VERSION:
        found = str(about.get("format"))[:20]
        raise SolutionFileError(f"{path} has format {found}, expected {FORMAT_VERSION}; solve the variant again")
    variant, source, numbering = (about.get(name) for name in ("variant", "source", "numbering"))
    if not isinstance(variant, str) or not isinstance(source, str | None) or numbering not in ("walk", "box"):
        raise InvalidNpz
    try:
        return restore_book(variant, source), numbering == "walk"
    except BookError as error:
        raise SolutionFileError(f"{path}: the book in it can't be used: {error}") from None


_KEPT: dict[Book, Solution] = {}
"""The solutions that were asked for last, the newest last."""


def cached_solution(book: Book, *, memory: int = DEFAULT_MEMORY_BYTES, progress: Progress = lambda _: None) -> Solution:
    """The solution of a book, the same for all who ask: it is worked out once, and a large one is kept on disk."""
    solution = _KEPT.pop(book, None) or _load_or_solve(book, memory, progress)
    _KEPT[book] = solution
    while len(_KEPT) > 1 and (
        len(_KEPT) > MAX_SOLUTIONS_IN_MEMORY
        or sum(kept.position_index.size for kept in _KEPT.values()) > MAX_POSITIONS_IN_MEMORY
    ):
        del _KEPT[next(iter(_KEPT))]
    return solution


def is_cached(book: Book) -> bool:
    """Whether the solution of a book is at hand, in memory or in the user's cache."""
    return book in _KEPT or _cache_path(book).exists()


def _cache_path(book: Book) -> Path:
    return cache_folder() / f"{_key(book)}.npz"


def _load_or_solve(book: Book, memory: int, progress: Progress) -> Solution:
    """The solution from the user's cache where a large book has been solved before, else worked out now."""
    if max_positions(book) < MIN_CACHED_POSITIONS:
        return solve(book, memory=memory, progress=progress)
    path = _cache_path(book)
    try:
        recalled = load(path)
        if recalled.book == book:
            return recalled
    except (SolutionFileError, OSError, ImportError):
        pass  # not there, damaged, of another format, or no NumPy: it is worked out again and put in its place
    solution = solve(book, memory=memory, progress=progress)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(solution, path)
    except (OSError, ImportError):
        pass  # a cache that can't be written is only slower
    return solution


def cache_folder() -> Path:
    """Where solutions of large variants are kept between runs."""
    from platformdirs import user_cache_path

    return user_cache_path("numberline")


def _checksum(text: str, columns: list[np.ndarray[Any, Any]]) -> str:
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    for column in columns:
        digest.update(column.dtype.str.encode())
        digest.update(column.data)
    return digest.hexdigest()


def _key(book: Book) -> str:
    """A file name for a variant, the same each time and different for different books."""
    return hashlib.blake2b(f"{FORMAT_VERSION}\n{book.variant}\n{book.source}".encode(), digest_size=16).hexdigest()
