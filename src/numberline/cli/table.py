"""Playing a sitting from the command line: it is kept while it goes on, and left in an orderly way."""

from __future__ import annotations

from pathlib import Path

import click

from numberline.cli import CUT_OFF
from numberline.terminal import auto, saves
from numberline.terminal.recorder import Recorder
from numberline.terminal.screen import EndOfInput, Screen
from numberline.terminal.session import Quit
from numberline.terminal.sitting import Sitting, won


def at_the_table(
    context: click.Context,
    sitting: Sitting,
    screen: Screen,
    recorder: Recorder | None = None,
    *,
    auto_seat: int | None = None,
    path: Path | None = None,
) -> None:
    """Plays a sitting to its end, or until it is left; at a terminal it is kept after every move, to be resumed."""
    kept = path or (saves.new_path() if screen.interactive else None)

    def keep() -> None:
        started = sitting.finished or (sitting.current and sitting.current.plies)
        if kept and started:
            saves.write(sitting, kept)

    try:
        sitting.play(screen, recorder, keep)
    except Quit:
        screen.say(f"The game is left unfinished{'; numberline resume goes on with it' if kept else ''}.\n")
        return
    except EndOfInput:
        click.echo("The input ended before the game did.", err=True)
        context.exit(CUT_OFF)
    if kept:
        kept.unlink(missing_ok=True)
    if auto_seat:
        _adjust(sitting, screen)


def _adjust(sitting: Sitting, screen: Screen) -> None:
    """Lets the opponent that fits follow the results."""
    name = sitting.plan.book.name
    people = {guest.name for guest in sitting.plan.guests if guest.person}
    for match in sitting.finished:
        before, after = auto.level(name), auto.played(name, won=won(match)[0] in people)
        if after != before:
            screen.say(f"Your next opponent in {sitting.plan.book.title} is level {after}.\n")
