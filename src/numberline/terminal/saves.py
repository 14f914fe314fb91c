"""Games that were left: each in a file of its own, written after every move, and there again another day."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from numberline.book.loader import kept_book
from numberline.files import UnreadableText, failure, read_text, set_aside, write_whole
from numberline.notation import read_records, write_record
from numberline.rules.errors import NumberlineError
from numberline.rules.wording import counted
from numberline.terminal.prompt import Quit
from numberline.terminal.screen import Screen
from numberline.terminal.sitting import Agreement, RecordFile, Sitting, TableGuest
from numberline.terminal.strength import data_folder

FORMAT = 1
LARGEST_FILE = 50_000_000


@dataclass(frozen=True, slots=True)
class Saved:
    """A game that was left: the file, when it was, and the sitting to go on with."""

    path: Path
    when: datetime
    sitting: Sitting

    def __str__(self) -> str:
        agreed, match = self.sitting.agreed, self.sitting.current
        who = " against ".join(guest.name for guest in agreed.guests)
        when = self.when.astimezone().strftime("%Y-%m-%d %H:%M")
        game = f"game {len(self.sitting.finished) + 1} of {agreed.games}, " if agreed.games > 1 else ""
        turn = f", {match.names[match.turn - 1]} to move" if match else ""
        played = counted(match.length if match else 0, "turn")
        return f"{agreed.book.variant}, {who}, {when}: {game}{played} played{turn}."


def play_kept(sitting: Sitting, screen: Screen, record: RecordFile | None = None, path: Path | None = None) -> bool:
    """Whether a sitting was played to its end; at a terminal it is kept after every move, to be resumed."""
    kept = path or (_new_path() if screen.interactive else None)

    def changed() -> None:
        if kept and (sitting.finished or (sitting.current and sitting.current.length)):
            _write(sitting, kept)
        elif kept:
            kept.unlink(missing_ok=True)  # everything was taken back
        if record:
            record.write(sitting)

    try:
        sitting.play(screen, changed)
    except Quit:
        later = "; to go on with it, type: numberline resume" if kept else ""
        screen.say(f"The game is left unfinished{later}.\n")
        return False
    if kept:
        kept.unlink(missing_ok=True)
    return True


def folder() -> Path:
    """Where games that were left are kept."""
    return data_folder() / "games"


def _new_path() -> Path:
    """A file for a new sitting."""
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    number = next(n for n in range(1, 10_000) if not (place / f"{stamp}-{n}.json").exists())
    return place / f"{stamp}-{number}.json"


def _write(sitting: Sitting, path: Path) -> None:
    """Keeps a sitting as it is now."""
    agreed = sitting.agreed
    content = {
        "format": FORMAT,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "variant": agreed.book.variant,
        "source": agreed.book.source,
        "guests": [[guest.name, guest.bot] for guest in agreed.guests],
        **{name: getattr(agreed, name) for name in _PLAIN},
        "finished": [write_record(match) for match in sitting.finished],
        "current": write_record(sitting.current) if sitting.current else None,
    }
    write_whole(path, json.dumps(content, indent=1))


_PLAIN = ("first", "games", "decides_early", "alternates", "swaps", "seed", "assist", "reviews")
"""The parts of an agreement that are written unchanged."""


def saved_games() -> Iterator[Saved | str]:
    """The games that were left, newest first; a sentence for one that can't be read, set aside if it is damaged."""
    place = folder()
    for path in sorted(place.glob("*.json"), reverse=True) if place.is_dir() else []:
        try:
            yield _read(path)
        except OSError as error:
            yield f"{path} can't be read now: {failure(error)}."
        except (NumberlineError, UnreadableText, ValueError, KeyError, TypeError):
            yield f"{set_aside(path)}."


def _read(path: Path) -> Saved:
    content: dict[str, Any] = json.loads(read_text(path, LARGEST_FILE))
    if content["format"] != FORMAT:
        raise ValueError(content["format"])
    agreed = Agreement(
        book=kept_book(content["variant"], content["source"]),
        guests=tuple(TableGuest(str(name), bot) for name, bot in content["guests"]),
        **{name: content[name] for name in _PLAIN},
    )
    finished = [match for text in content["finished"] for match in read_records(text, path.name)]
    current = read_records(content["current"], path.name)[0] if content["current"] else None
    return Saved(path, datetime.fromisoformat(content["saved"]), Sitting(agreed, finished, current))
