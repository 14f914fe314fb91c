"""Loops compiled by numba, the extra `fast`; what was compiled is kept between runs, and checked before it is used.

Compiled code is trusted by numba as it lies on the disk: one wrong bit in it, and the program is lost. So it is kept in
a folder of our own with a list of checksums. A file that is not as it was written is removed before numba looks, and
compiled anew. Where there is nowhere to keep anything, everything is compiled anew each time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numberline.files import LOCK_TIMEOUT_S, locked, open_for_reading, read_text, write_atomic

CHECKSUM_FILE = "checksums.json"
MAX_CHECKSUM_FILE_BYTES = 1_000_000
Kernel = Callable[..., Any]


def has_numba() -> bool:
    """Whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


@cache
def jit_compiler() -> Callable[[Kernel], Kernel] | None:
    """What compiles a loop; None where numba is not installed."""
    if not has_numba():
        return None
    import numba

    folder = _checked_folder(f"{sys.implementation.cache_tag}-numba-{numba.__version__}")

    def compiled(loop: Kernel) -> Any:
        dispatcher: Any = (folder and _cached_dispatcher(loop, folder)) or numba.njit(loop)
        dispatcher.compile = _defer_signals(dispatcher.compile)
        return dispatcher

    return compiled


def _cached_dispatcher(loop: Kernel, folder: Path) -> Any:
    """A loop that is kept in a folder once it is compiled; None where nothing can be kept."""
    import numba

    config: Any = numba.config
    elsewhere, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        dispatcher: Any = numba.njit(cache=True)(loop)
    except (RuntimeError, OSError):
        return None
    finally:
        config.CACHE_DIR = elsewhere
    kept = dispatcher._cache  # noqa: SLF001 - the only way to keep what is wrong with a file from the person
    kept.load_overload = _suppress_errors(kept.load_overload)
    kept.save_overload = _suppress_errors(kept.save_overload, lambda: _write_checksums(folder))
    return dispatcher


def _defer_signals(act: Kernel) -> Kernel:
    """Does something that must not be broken off in the middle; a signal that comes meanwhile is heard afterwards.

    The compiler calls back into Python, and an error that is raised there is lost.
    """
    import threading

    def undisturbed(*arguments: Any, **named: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return act(*arguments, **named)  # signals are heard elsewhere
        came: list[int] = []
        before: dict[int, Any] = {}
        woken = signal.set_wakeup_fd(-1)  # an event loop would hear it now, and once more afterwards
        try:
            for number in _handled_signals():
                before[number] = signal.getsignal(number)
                signal.signal(number, lambda number, _: came.append(number))
            return act(*arguments, **named)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(woken)
            for number in came:
                signal.raise_signal(number)

    return undisturbed


def _handled_signals() -> list[int]:
    """The signals that end a program and that Python hears."""
    known = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in known if number is not None and callable(signal.getsignal(number))]


def _suppress_errors(act: Kernel, then: Callable[[], None] = lambda: None) -> Kernel:
    """Does something with a kept file; whatever goes wrong, the loop is compiled anew, and the work goes on."""

    def forgiving(*arguments: Any) -> Any:
        with suppress(Exception):
            found = act(*arguments)
            then()
            return found
        return None

    return forgiving


def _checked_folder(name: str) -> Path | None:
    """Where compiled loops are kept, without those that are not as they were written; None where none can be kept."""
    from platformdirs import user_cache_path

    folder = user_cache_path("numberline") / "compiled" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / CHECKSUM_FILE, LOCK_TIMEOUT_S):
            known = _read_checksums(folder)
            for path in _files(folder):
                sound = _checksum(path)
                if sound is None or known.get(_name(folder, path), [None])[-1] != sound:
                    path.unlink()
    except OSError:
        return None
    return folder


def _write_checksums(folder: Path) -> None:
    """Writes down how every file is that was written since it was last looked at."""
    with suppress(OSError), locked(folder / CHECKSUM_FILE, LOCK_TIMEOUT_S):
        known = _read_checksums(folder)
        sealed = {}
        for path in _files(folder):
            now, name = path.stat(), _name(folder, path)
            stamp = [now.st_size, now.st_mtime_ns]
            before = known.get(name, [])
            sealed[name] = before if before[:2] == stamp else [*stamp, _checksum(path)]
        write_atomic(folder / CHECKSUM_FILE, json.dumps(sealed, indent=1))


def _read_checksums(folder: Path) -> dict[str, list[Any]]:
    """The files that were written down, each with its size, its time and its checksum."""
    try:
        known = json.loads(read_text(folder / CHECKSUM_FILE, MAX_CHECKSUM_FILE_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(known, dict) or not all(isinstance(each, list) and len(each) == 3 for each in known.values()):
        return {}
    return known


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*.nb[ic]*") if path.is_symlink() or not path.is_dir()]


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _checksum(path: Path) -> str | None:
    """None for what is no file, or can't be read."""
    try:
        with open_for_reading(path) as file:
            return hashlib.blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return None
