"""Find the ladders of the books, or of the books named as arguments, and write `books/ladders` (about 15 minutes).

Then run `tools/opponents.py`, which calibrates the steps and lists their exact odds in docs/opponents.md.
"""

from __future__ import annotations

import sys

import numberline as nl
from numberline.game.loader import BUILTIN_DIR
from numberline.lab.grid import Axis, search_axes
from numberline.lab.ladder import choose_steps, find_candidates, make_ladder
from numberline.progress.ladder import LadderStep

DIRECTORY = BUILTIN_DIR / "ladders"
MAX_CHANGES = 3
MORE_STEPS = ("3,4,6", "3,5,6", "3-6", "1,3,6", "1,4,6")


def axes(book: nl.Book) -> list[Axis]:
    """Return the values that the lab's search tries, longer steps, and skipping."""
    found = {axis.name: axis for axis in search_axes(book)}
    if "steps" in found:
        found["steps"] = Axis("steps", (*found["steps"].values, *MORE_STEPS))
    return [*found.values(), *([Axis("skip", ("true",))] if book.accepts("skip=true") else [])]


def ladder_file(steps: list[LadderStep]) -> str:
    lines = ["# Written by tools/ladders.py."]
    for step in steps:
        lines += ["", "[[steps]]"]
        lines += [
            f"{name} = '{value}'" if '"' in value else f'{name} = "{value}"' for name, value in step._asdict().items()
        ]
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    for name in names or nl.NAMES:
        book = nl.book(name)
        chosen = choose_steps(book, list(find_candidates(book, axes(book), MAX_CHANGES)))
        (DIRECTORY / f"{name}.toml").write_text(ladder_file(make_ladder(book, chosen)))
        sys.stdout.write(f"{name}: {len(chosen)} steps\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
