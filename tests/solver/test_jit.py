"""What was compiled is kept between runs; whatever becomes of it there, it is compiled anew, and that is all."""

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
from numberline.solver import index as table, retrograde
table.JIT_MIN_POSITIONS = retrograde.JIT_MIN_POSITIONS = 1
book = nl.book("line-runner(end=60)")
solution = nl.solve(book)
print(solution.value(book.start()), solution.distance(book.start()), solution.counts().longest)
kernels = vars(retrograde._load_kernels(compiled=True)).values()
print(sum(f.stats.cache_hits.total() for f in kernels if hasattr(f, "stats")))
"""


def solved(home: Path) -> tuple[str, int]:
    """What a run says that keeps its files there, and how many loops it found compiled."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(home), "HOME": str(home)}
    ran = subprocess.run(
        [sys.executable, "-c", SOLVES], capture_output=True, text=True, check=False, env=environment, timeout=120
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    said, hits = ran.stdout.splitlines()
    return said, int(hits)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which everything is compiled."""
    home = tmp_path_factory.mktemp("home")
    solved(home)
    return home


def kept(home: Path) -> list[Path]:
    return sorted(path for path in (home / "numberline").rglob("*.nb*") if path.is_file())


def test_what_was_compiled_is_used_in_the_next_run(warm: Path) -> None:
    said, hits = solved(warm)
    assert said.startswith("win ")
    assert hits > 0


def damaged(content: bytes, how: str, rng: random.Random) -> bytes:
    """The content of a file after something happened to it."""
    at = rng.randrange(len(content))
    flipped = content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
    return {"emptied": b"", "cut": content[:at], "flipped": flipped, "random": rng.randbytes(len(content))}[how]


def assert_is_compiled_anew(home: Path, how: str, seed: int = 0) -> None:
    rng = random.Random(seed)
    for path in kept(home):
        path.write_bytes(damaged(path.read_bytes(), how, rng))
    said, hits = solved(home)
    assert said.startswith("win ")
    assert hits == 0
    assert solved(home)[1] > 0


def test_a_damaged_file_is_compiled_anew(warm: Path) -> None:
    assert_is_compiled_anew(warm, "flipped")


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("how", ["emptied", "cut", "flipped", "random"])
def test_whatever_the_damage_is_it_is_compiled_anew(warm: Path, how: str, seed: int) -> None:
    assert_is_compiled_anew(warm, how, seed)


@pytest.mark.soak
def test_a_damaged_list_of_checksums_means_that_everything_is_compiled_anew(warm: Path) -> None:
    [listed] = (warm / "numberline").rglob("checksums.json")
    listed.write_text("{")
    assert solved(warm)[1] == 0
    assert solved(warm)[1] > 0


def test_where_nothing_can_be_kept_it_works_all_the_same() -> None:
    assert solved(Path("/proc"))[0].startswith("win ")


def test_a_signal_that_comes_while_a_loop_is_compiled_is_heard_when_that_is_done() -> None:
    done = []

    def compiled() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append("compiled")

    with pytest.raises(KeyboardInterrupt):
        jit._defer_signals(compiled)()
    assert done == ["compiled"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
