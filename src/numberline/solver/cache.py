"""Solutions cached in memory and, for large books, in the user's cache folder.

A file is a NumPy array (`.npy`) followed by a checksum. It is read only if its size, shape and type are those of the
book; otherwise it is removed, and the book is solved again.
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

FORMAT_VERSION = 3  # of the files and of the rules
MIN_CACHED_POSITIONS = 500_000  # smaller books are solved faster than a file is read
MAX_SOLUTIONS_IN_MEMORY = 8
MAX_POSITIONS_IN_MEMORY = 20_000_000
CHECKSUM_BYTES = 16

_SOLUTIONS: dict[Book, Solution] = {}  # least recently used first


def cached_solution(book: Book, *, memory: int = DEFAULT_MEMORY_BYTES, progress: Progress = lambda _: None) -> Solution:
    """Return the solution of a book, the same object for all callers; solve it only if it is not cached."""
    solution = _SOLUTIONS.pop(book, None) or _load_or_solve(book, memory, progress)
    _SOLUTIONS[book] = solution
    while len(_SOLUTIONS) > 1 and (
        len(_SOLUTIONS) > MAX_SOLUTIONS_IN_MEMORY
        or sum(cached.position_index.size for cached in _SOLUTIONS.values()) > MAX_POSITIONS_IN_MEMORY
    ):
        del _SOLUTIONS[next(iter(_SOLUTIONS))]
    return solution


def is_cached(book: Book) -> bool:
    """Return whether the solution of a book is in memory or in the cache folder."""
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
        pass  # without NumPy
    except Exception:  # noqa: BLE001 - a damaged header can raise nearly anything
        with suppress(OSError):
            path.unlink()
    solution = solve(book, memory=memory, progress=progress)
    if isinstance(solution.position_index, MixedRadixIndex):  # few reachable positions are explored faster
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
    """Return the solution in a file; raise ValueError before allocating anything if the file can't be one of `book`."""
    import numpy as np

    index = MixedRadixIndex(book)
    columns = 1 if book.rules.players == 2 else book.rules.players
    with open_for_reading(path) as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("unknown version")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
        file_size = file.tell() + columns * index.size * dtype.itemsize + CHECKSUM_BYTES
        if (shape, is_fortran) != ((columns, index.size), False) or dtype not in (np.int16, np.int32):
            raise ValueError("wrong shape or type")
        if file.seek(0, 2) != file_size:
            raise ValueError("wrong size")
        file.seek(0)
        entries = np.load(file, allow_pickle=False)
        if file.read() != _checksum(entries):
            raise ValueError("wrong checksum")
    if max(-int(entries.min()), int(entries.max())) > index.size + 1:
        raise ValueError("distances longer than any game")
    return Solution(book, index, list(entries))


def _checksum(entries: Any) -> bytes:
    return hashlib.blake2b(entries, digest_size=CHECKSUM_BYTES).digest()
