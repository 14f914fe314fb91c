"""Cache of solutions, in memory and, for large books, in the user's cache folder.

A cache file is a NumPy array (`.npy`) followed by a checksum. If the file size, the array's shape or type, or the
checksum is wrong, the file is deleted and the book is solved again.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from numberline.files.safe_read import open_for_reading
from numberline.files.safe_write import open_atomic
from numberline.game.book import Book
from numberline.solver.index import DEFAULT_MEMORY_BYTES, MixedRadixIndex, Progress, max_positions
from numberline.solver.solution import Solution, solve

FORMAT_VERSION = 3  # increase when the file format or the rules change
MIN_CACHED_POSITIONS = 500_000  # solving a smaller book is faster than reading a file
MAX_SOLUTIONS_IN_MEMORY = 8
MAX_POSITIONS_IN_MEMORY = 20_000_000
CHECKSUM_BYTES = 16

_SOLUTIONS: dict[Book, Solution] = {}  # least recently used first


def cached_solution(book: Book, *, memory: int = DEFAULT_MEMORY_BYTES, progress: Progress = lambda _: None) -> Solution:
    """Return the cached solution of a book, solving it if necessary; all callers share the same object."""
    solution = _SOLUTIONS.pop(book, None) or _load_or_solve(book, memory, progress)
    _SOLUTIONS[book] = solution
    while len(_SOLUTIONS) > 1 and (
        len(_SOLUTIONS) > MAX_SOLUTIONS_IN_MEMORY
        or sum(cached.position_index.size for cached in _SOLUTIONS.values()) > MAX_POSITIONS_IN_MEMORY
    ):
        del _SOLUTIONS[next(iter(_SOLUTIONS))]
    return solution


def is_cached(book: Book) -> bool:
    """Return whether a book's solution is cached in memory or on disk."""
    return book in _SOLUTIONS or _cache_path(book).exists()


def cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("numberline")


def _cache_path(book: Book) -> Path:
    key = f"{FORMAT_VERSION}\n{book.variant}\n{book.source}".encode()
    return cache_folder() / f"{hashlib.blake2b(key, digest_size=16).hexdigest()}.npy"


def _load_or_solve(book: Book, memory: int, progress: Progress) -> Solution:
    if max_positions(book) < MIN_CACHED_POSITIONS:
        return solve(book, memory=memory, progress=progress)
    path = _cache_path(book)
    try:
        return _load(book, path)
    except ImportError:
        pass  # NumPy is not installed
    except Exception:  # noqa: BLE001 - a damaged header can raise nearly anything
        with suppress(OSError):
            path.unlink()
    solution = solve(book, memory=memory, progress=progress)
    if isinstance(solution.position_index, MixedRadixIndex):  # a sparse book is quick to explore again
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _save(solution, path)
    return solution


def _save(solution: Solution, path: Path) -> None:
    import numpy as np

    entries = np.stack(solution.entries)
    with open_atomic(path) as file:
        np.save(file, entries)
        file.write(_checksum(entries))


def _load(book: Book, path: Path) -> Solution:
    """Load the solution of `book` from a file; raise ValueError if the file is invalid.

    The file size and the array's shape and type are checked before any memory is allocated for the array.
    """
    import numpy as np

    index = MixedRadixIndex(book)
    columns = 1 if book.rules.players == 2 else book.rules.players
    with open_for_reading(path) as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("unknown file version")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
        file_size = file.tell() + columns * index.size * dtype.itemsize + CHECKSUM_BYTES
        if (shape, is_fortran) != ((columns, index.size), False) or dtype not in (np.int16, np.int32):
            raise ValueError("wrong array shape or type")
        if file.seek(0, 2) != file_size:
            raise ValueError("wrong file size")
        file.seek(0)
        entries = np.load(file, allow_pickle=False)
        if file.read() != _checksum(entries):
            raise ValueError("wrong checksum")
    if max(-int(entries.min()), int(entries.max())) > index.size + 1:
        raise ValueError("a distance exceeds the longest possible game")
    return Solution(book, index, list(entries))


def _checksum(entries: Any) -> bytes:
    return hashlib.blake2b(entries, digest_size=CHECKSUM_BYTES).digest()
