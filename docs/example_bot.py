# ruff: noqa: INP001, T201 - an example to copy is not a package, and it prints
"""A bot in twenty lines: it plays the longest stride that is legal. docs/engines.md says what the lines mean."""

import re
import sys

legal: list[str] = []
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "numberline":
        print("id longest stride", flush=True)
    elif word == "isready":
        print("ready", flush=True)
    elif word == "legal":
        legal = rest.split()
    elif word == "go":
        print("move", max(legal, key=lambda move: int("0" + "".join(re.findall(r"\d+$", move)))), flush=True)
    elif word == "quit":
        break
