"""Jobs for the tests of `SolverPool`, in a module that its worker processes can import."""

from __future__ import annotations

import os
from pathlib import Path

from numberline.errors import IllegalMove


def spin(path: Path) -> None:
    """Write the id of this process to a file, then run forever."""
    path.write_text(str(os.getpid()))
    while True:
        pass


def search_forever(path: Path, _limit_s: float) -> None:
    spin(path)


def raise_illegal(move: str) -> None:
    raise IllegalMove(f"you can't play {move}")


def limit(limit_s: float) -> float:
    return limit_s
