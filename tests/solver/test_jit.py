"""The folder of compiled kernels: reused, checked, and emptied if anything in it is damaged."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from numberline.solver import jit

pytest.importorskip("numba")

SOLVES = """
import numberline as nl
from numberline.solver import dense, index as table, jit, retrograde
table.JIT_MIN_WORK = jit.JIT_MIN_WORK = 1
book = nl.book("line-runner(end=60)")
solution = nl.solve(book)
print(solution.value(book.start()), solution.distance(book.start()), solution.counts().longest)
loaded = [jit.load_kernels(*group, compiled=True) for group in ([dense.sweep_cells], retrograde.KERNELS)]
kernels = [kernel for group in loaded for kernel in vars(group).values()]
print(sum(kernel.stats.cache_hits.total() for kernel in kernels if hasattr(kernel, "stats")))
"""


def solved(home: Path) -> tuple[str, int]:
    """Return the output of a process with this home folder, and how many compiled kernels it loaded."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(home), "HOME": str(home)}
    ran = subprocess.run(
        [sys.executable, "-c", SOLVES], capture_output=True, text=True, check=False, env=environment, timeout=120
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    answer, hits = ran.stdout.splitlines()
    return answer, int(hits)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder in which all kernels are compiled."""
    home = tmp_path_factory.mktemp("home")
    solved(home)
    return home


def cached_files(home: Path) -> list[Path]:
    return sorted(path for path in (home / "numberline").rglob("*.nb*") if path.is_file())


def test_compiled_kernels_are_reused_by_the_next_process(warm: Path) -> None:
    answer, hits = solved(warm)
    assert answer.startswith("win ")
    assert hits > 0


def damaged(content: bytes, how: str, rng: random.Random) -> bytes:
    """Return the content of a damaged file."""
    at = rng.randrange(len(content))
    flipped = content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
    return {"emptied": b"", "cut": content[:at], "flipped": flipped, "random": rng.randbytes(len(content))}[how]


def assert_recompiles(home: Path, how: str, seed: int = 0) -> None:
    rng = random.Random(seed)
    for path in cached_files(home):
        path.write_bytes(damaged(path.read_bytes(), how, rng))
    answer, hits = solved(home)
    assert answer.startswith("win ")
    assert hits == 0
    assert solved(home)[1] > 0


def test_damaged_files_are_compiled_again(warm: Path) -> None:
    assert_recompiles(warm, "flipped")


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("how", ["emptied", "cut", "flipped", "random"])
def test_any_damage_is_compiled_again(warm: Path, how: str, seed: int) -> None:
    assert_recompiles(warm, how, seed)


@pytest.mark.parametrize(
    "content", [pytest.param(None, marks=pytest.mark.soak), pytest.param("", marks=pytest.mark.soak), "0" * 32]
)
def test_wrong_checksum_empties_the_folder(warm: Path, content: str | None) -> None:
    [checksum] = (warm / "numberline").rglob("checksum")
    checksum.unlink() if content is None else checksum.write_text(content)
    assert solved(warm)[1] == 0
    assert solved(warm)[1] > 0


def test_unreadable_cache_with_a_valid_checksum_is_compiled_again(warm: Path) -> None:
    for path in cached_files(warm):
        path.write_bytes(b"not a pickle")
    [checksum] = (warm / "numberline").rglob("checksum")
    checksum.write_text(jit._checksum(checksum.parent))
    assert solved(warm)[0].startswith("win ")
    assert solved(warm)[1] > 0


def test_without_a_cache_folder_kernels_are_compiled_in_memory() -> None:
    assert solved(Path("/proc"))[0].startswith("win ")


def test_signal_during_compilation_is_raised_afterwards() -> None:
    done = []

    def compile_kernel() -> None:
        with jit._defer_signals():
            signal.raise_signal(signal.SIGINT)
            done.append("compiled")

    with pytest.raises(KeyboardInterrupt):
        compile_kernel()
    assert done == ["compiled"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_kernels_are_compiled_only_for_enough_work() -> None:
    code = "from numberline.solver.jit import JIT_MIN_WORK as least, use_jit, is_compiled;"
    checks = "print(use_jit(least - 1), use_jit(least) == is_compiled(), use_jit(8 * least)); import numba;"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}{checks}print(use_jit(1))"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["False", "True", "True", "True"]
