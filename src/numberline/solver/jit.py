"""Compilation of kernels with numba (extra `fast`), and the folder that caches compiled code between runs.

Numba executes cached machine code without checking it, so a single flipped bit can crash the program. The folder
therefore has a checksum; if the checksum is wrong, the folder is emptied before numba reads it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from numberline.files.safe_read import open_for_reading, read_text
from numberline.files.safe_write import LOCK_TIMEOUT_S, locked, write_atomic

CHECKSUM_FILE = "checksum"
MAX_CHECKSUM_BYTES = 100
JIT_MIN_WORK = 300_000  # interpreted kernels do less work than this in the time it takes to import numba
FIRST_USE_FACTOR = 8  # compiling takes several times as long as loading code that is already compiled
Kernel = Callable[..., Any]


def has_numba() -> bool:
    return importlib.util.find_spec("numba") is not None


def use_jit(work: int) -> bool:
    """Return whether compiled kernels pay off for `work` steps.

    `work` is the number of positions times the number of repetitions, such as sweeps or skills. If numba is already
    imported, compiled kernels always pay off; if it is not installed, they are not available.
    """
    if sys.modules.get("numba") is not None:
        return True
    return work >= JIT_MIN_WORK and has_numba() and (work >= FIRST_USE_FACTOR * JIT_MIN_WORK or is_compiled())


def is_compiled(kernel: str = "") -> bool:
    """Return whether `kernel`, or any kernel if none is given, has already been compiled on this machine."""
    return next(_cache_folder().rglob(f"*{kernel}-*.nbi"), None) is not None


@cache
def jit_compiler() -> Callable[[Kernel], Kernel] | None:
    """Return a function that compiles a kernel, or None if numba is not installed."""
    if not has_numba():
        return None
    import numba

    folder = _checked_folder()

    def compile_kernel(kernel: Kernel) -> Any:
        dispatcher: Any = (folder and _cached_dispatcher(kernel, folder)) or numba.njit(kernel, nogil=True)
        dispatcher.compile = _guarded(dispatcher, folder)
        return dispatcher

    return compile_kernel


@cache
def load_kernels(*kernels: Kernel, compiled: bool) -> SimpleNamespace:
    """Return the kernels by name, compiled if requested and numba is installed."""
    compile_kernel = jit_compiler() if compiled else None
    named = {kernel.__name__: compile_kernel(kernel) if compile_kernel else kernel for kernel in kernels}
    return SimpleNamespace(compiled=compile_kernel is not None, **named)


def load_kernel(kernel: Kernel, *, work: int) -> Kernel:
    """Return a kernel that accepts NumPy arrays; if interpreted, it runs on memory views, which are faster."""
    kernels = load_kernels(kernel, compiled=use_jit(work))
    loaded: Kernel = getattr(kernels, kernel.__name__)
    return loaded if kernels.compiled else lambda *arguments: kernel(*map(_as_memoryview, arguments))


def _as_memoryview(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return tuple(map(_as_memoryview, argument))
    return memoryview(argument) if hasattr(argument, "__array__") else argument


def _cached_dispatcher(kernel: Kernel, folder: Path) -> Any:
    """Return a dispatcher that caches compiled code in `folder`, or None if numba can't write there."""
    import numba

    config: Any = numba.config
    previous, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=True, nogil=True)(kernel)  # without the GIL, other threads can draw progress
    except (RuntimeError, OSError):
        return None
    finally:
        config.CACHE_DIR = previous


def _guarded(dispatcher: Any, folder: Path | None) -> Kernel:
    """Wrap the dispatcher's `compile` to defer signals and, if the cache is unusable, to empty it and retry."""
    compile_signature = dispatcher.compile

    def compile_guarded(signature: Any) -> Any:
        with _defer_signals():
            misses = dispatcher.stats.cache_misses.total()
            try:
                compiled = compile_signature(signature)
            except Exception:  # a damaged cache can raise nearly anything
                if not folder:
                    raise
                _empty(folder)
                with suppress(OSError):  # if the cache can't be written, the compiled code stays in memory
                    compile_signature(signature)
                compiled = compile_signature(signature)
            if folder and dispatcher.stats.cache_misses.total() > misses:
                _write_checksum(folder)
            return compiled

    return compile_guarded


@contextmanager
def _defer_signals() -> Iterator[None]:
    """Defer signals, because an exception raised while the compiler calls back into Python would be lost."""
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled in the main thread only
        return
    received: list[int] = []
    handlers: dict[int, Any] = {}
    wakeup_fd = signal.set_wakeup_fd(-1)  # otherwise an event loop would see each signal twice
    try:
        for number in _handled_signals():
            handlers[number] = signal.signal(number, lambda number, _: received.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup_fd)
        for number in received:
            signal.raise_signal(number)


def _handled_signals() -> list[int]:
    """Return the termination signals that have a Python handler."""
    numbers = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in numbers if number is not None and callable(signal.getsignal(number))]


# The cache folder


def _cache_folder() -> Path:
    from importlib.metadata import version  # slow to import and only needed with numba

    from platformdirs import user_cache_path

    name = f"{version('numberline')}-{_source_digest()}-{sys.implementation.cache_tag}-numba-{version('numba')}"
    return user_cache_path("numberline") / "compiled" / name


@cache
def _source_digest() -> str:
    """Return a digest of all kernels, because numba doesn't notice that a called kernel in another file has changed."""
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _checked_folder() -> Path | None:
    """Return the cache folder, emptied if its checksum is wrong; None if the folder can't be used."""
    folder = _cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / CHECKSUM_FILE, LOCK_TIMEOUT_S):
            if not _is_intact(folder):
                _empty(folder)
    except OSError:
        return None
    return folder


def _is_intact(folder: Path) -> bool:
    try:
        return read_text(folder / CHECKSUM_FILE, MAX_CHECKSUM_BYTES) == _checksum(folder)
    except (OSError, ValueError):
        return False


def _empty(folder: Path) -> None:
    for path in _files(folder):
        with suppress(OSError):
            path.unlink()


def _write_checksum(folder: Path) -> None:
    with suppress(OSError), locked(folder / CHECKSUM_FILE, LOCK_TIMEOUT_S):
        write_atomic(folder / CHECKSUM_FILE, _checksum(folder))


def _checksum(folder: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(_files(folder)):
        with open_for_reading(path) as file:
            content = file.read()
        digest.update(f"{path.relative_to(folder).as_posix()}\n{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*.nb[ic]*") if path.is_symlink() or not path.is_dir()]
