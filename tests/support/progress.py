"""Events for a player's progress."""

from __future__ import annotations

from datetime import date
from typing import Any

from numberline.progress.document import Game, Progress
from numberline.progress.events import Event, GameFinished, PuzzleAnswered, apply
from numberline.terminal.progress import progress_file, update_progress

DAY = date(2026, 1, 31)


def game(*, won: bool | None = True, bot: str = "auto:3", variant: str = "flag-chase", **facts: Any) -> GameFinished:
    """Return a finished game; `facts` are fields of the game or the event."""
    own = {name: facts.pop(name) for name in ("id", "day", "opponent", "record") if name in facts}
    return GameFinished(Game(**{"day": DAY, "opponent": "Fox", **own}, variant=variant, won=won), bot=bot, **facts)


def answer(*, right: bool = True, rating: int = 800, **facts: Any) -> PuzzleAnswered:
    return PuzzleAnswered(facts.pop("day", DAY), right, rating, **facts)


def store(*events: Event) -> Progress | None:
    """Apply events to the stored progress."""

    def change(progress: Progress) -> Progress:
        for event in events:
            progress = apply(progress, event)[0]
        return progress

    return update_progress(change)


def skip_name_question() -> None:
    """Store that the player was asked for a name, unless there is a file."""
    file = progress_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        file.write_text('{"version": 1, "name_asked": true}')
