"""What `numberline solve --sweep` prints: a row a variant, or a field a variant for two settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from numberline.book.book import Book
from numberline.cli.options import print_json, say
from numberline.lab.sweep import Period, Swept, Verdict, pattern, read_sweep, sweep, variants
from numberline.rules.wording import any_of
from numberline.terminal.progress import bar

NONE = "-"
"""Stands for a variant that there is not."""


def run_sweep(game: Book, texts: Sequence[str], *, memory: int, as_json: bool) -> None:
    """Sweeps one or two settings and prints what became of the variants."""
    if len(texts) > 2:
        raise click.UsageError("--sweep can be given once or twice.")
    swept = [read_sweep(text) for text in texts]
    total, known = variants(game, swept), 0
    with bar(f"Solving {total:,} variants of {game.name}") as progress:

        def done(_: Verdict) -> None:
            nonlocal known
            known += 1
            progress(known / total)

        cells = sweep(game, swept, memory=memory, done=done)
    found = pattern(swept[0], cells) if len(swept) == 1 else None
    if as_json:
        print_json({"cells": [asdict(cell) for cell in cells], "pattern": asdict(found) if found else None})
        return
    lines = _rows(game, swept[0], cells) if len(swept) == 1 else _grid(swept, cells)
    click.echo("\n".join(lines))
    if found:
        say(f"\n{_told(game, found)}")
    for reason in {cell.refused for cell in cells if cell.refused}:
        say(f"{NONE}: {reason}")


def _rows(game: Book, swept: Swept, cells: Sequence[Verdict]) -> list[str]:
    size = max(len(swept.name), *(len(value) for value in swept.values)) + 2
    lines = [f"{swept.name:<{size}}winner    plies  best first moves"]
    for cell in cells:
        winner = game.player_name(cell.winner) if cell.winner else NONE if cell.refused else "nobody"
        plies = "" if cell.plies is None else f"{cell.plies:,}"
        best = any_of(cell.best) if cell.best else ""
        lines.append(f"{cell.values[0]:<{size}}{winner:<10}{plies:>5}  {best}".rstrip())
    return lines


def _grid(swept: Sequence[Swept], cells: Sequence[Verdict]) -> list[str]:
    """Rows for the first setting, columns for the second; a field is who wins and in how many plies."""
    fields = {cell.values: _field(cell) for cell in cells}
    margin = max(len(swept[0].name), *(len(value) for value in swept[0].values)) + 2
    size = max(*(len(field) for field in fields.values()), *(len(value) for value in swept[1].values)) + 2
    lines = [
        " " * margin + swept[1].name,
        f"{swept[0].name:<{margin}}" + "".join(value.ljust(size) for value in swept[1].values).rstrip(),
    ]
    for row in swept[0].values:
        line = f"{row:<{margin}}" + "".join(fields[row, column].ljust(size) for column in swept[1].values)
        lines.append(line.rstrip())
    return [*lines, "", "A field says who wins when player 1 starts, and in how many plies."]


def _field(cell: Verdict) -> str:
    if cell.refused:
        return NONE
    return f"{cell.winner} in {cell.plies}" if cell.winner else "nobody"


def _told(game: Book, found: Period) -> str:
    names = [game.player_name(winner) if winner else "nobody" for winner in found.winners]
    if found.period == 1:
        return f"From {found.name}={found.since} to the end of the sweep the winner is always {names[0]}."
    return (
        f"From {found.name}={found.since} to the end of the sweep the winner comes again every {found.period} values: "
        f"{', '.join(names)}, and so on."
    )
