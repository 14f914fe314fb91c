"""Write docs/patterns.md: the painted strip and the secret of the five books and of ten textbook games.

With `--print`, print the page and write nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numberline as nl
from numberline.explain.lesson import lesson
from numberline.explain.losing_patterns import explain_pattern, find_losing_pattern
from numberline.explain.phrases import Phrases
from numberline.explain.strip import Strip
from numberline.game.loader import book_from_toml

PAGE = Path(__file__).parents[1] / "docs" / "patterns.md"
MAX_COLUMNS = 100
BRIDGE = """
title = "Bridge"
about = "Two walkers meet on a bridge. If you can't move, you lose."
[settings]
end = 14
steps = "1-2"
[rules]
line = [0, "end"]
tokens = 1
start = [0, "end"]
goal = ["end", 0]
moves = "forward"
meeting = "blocks"
stuck = "loses"
overshoot = "refused"
"""
TEXTBOOK = {
    "Take 1 to 3, up to 21": 'number-reach(target=21, operations="+1 +2 +3")',
    "Race to 100, adding 1 to 10": 'number-reach(target=100, operations="+1 +2 +3 +4 +5 +6 +7 +8 +9 +10")',
    "Add 1 or 2, up to 20": 'number-reach(operations="+1 +2")',
    "Add 1, 3 or 4": 'number-reach(target=30, operations="+1 +3 +4")',
    "Add 2 or 5": 'number-reach(target=30, operations="+2 +5", overshoot=refused, stuck=loses)',
    "Add 1 or treble": 'number-reach(target=30, operations="+1 *3")',
    "Doubling up to 50": "number-reach(target=50)",
    "Two tokens that meet on a bridge": BRIDGE,
    "One step for both sides": "reach-the-edge(steps=2)",
    "A longer race for the flag": "flag-chase(end=24)",
}
HEAD = """# Patterns

The secret of a game, as its [lesson](review-puzzles-lessons.md#learn) teaches it: a strip that the learner paints
backwards from the goal, and one sentence. `tools/patterns.py` writes this page. Every strip and every sentence holds in
all reachable positions; [the families of patterns](learning.md#the-secret-of-a-game) are tried in a fixed order.

| sign | meaning for the player whose turn it is |
| --- | --- |
| `W★` | win now |
| `G▲` | good: you can win |
| `S●` | safe: you don't have to lose |
| `T▼` | trap: you lose |
| `3`, `│3`, `3│` | jumps you still need; the bar is a gate: once you get there, you need fewer jumps |
"""


def draw(strip: Strip) -> str:
    """Return the strip as text: rows of labels with their signs below."""
    size = max(len(text) for cell in strip.cells for text in (cell.label, cell.sign)) + 1
    per_row = MAX_COLUMNS // size
    rows = [strip.cells[start : start + per_row] for start in range(0, len(strip.cells), per_row)]
    lines = [
        "".join(text.ljust(size) for text in texts).rstrip()
        for row in rows
        for texts in ([cell.label for cell in row], [cell.sign for cell in row])
    ]
    return "\n".join([f"{strip.caption}:", *lines])


def entry(title: str, source: str) -> str:
    book = book_from_toml(source, "bridge") if "\n" in source else nl.book(source)
    solution = nl.solve(book)
    taught, pattern, words = lesson(solution), find_losing_pattern(solution), Phrases(book)
    strip = taught.steps[-1].strip
    if pattern is None or strip is None:
        raise ValueError(f"{title} has no picture")
    why = " ".join(claim.sentence(words) for claim in explain_pattern(solution, pattern))
    variant = "a custom book" if "\n" in source else f"`{book.variant}`"
    escaped = why.replace("*", r"\*")
    return f"\n### {title}\n\n{variant}\n\n```text\n{draw(strip)}\n```\n\n**{taught.secret}** {escaped}\n"


def page() -> str:
    books = "".join(entry(nl.book(name).title, name) for name in nl.NAMES)
    return (
        f"{HEAD}\n## The five books\n{books}\n## Textbook games\n{''.join(entry(*each) for each in TEXTBOOK.items())}"
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(page())
    else:
        PAGE.write_text(page())
