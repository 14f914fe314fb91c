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
from numberline.terminal.records import RecordFile, fresh, keep
from numberline.terminal.screen import EndOfInput, Screen
from numberline.terminal.sitting import Agreement, Sitting, TableGuest
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
    keeper = _Keeper(sitting, screen, record, path)
    try:
        sitting.play(screen, keeper.changed)
    except Quit:
        screen.say(f"{keeper.farewell or 'The game is left unfinished.'}\n")
        return False
    except EndOfInput:
        raise EndOfInput(keeper.farewell) from None
    except KeyboardInterrupt:
        if keeper.farewell:
            screen.say(f"\n{keeper.farewell}\n")
        raise
    keeper.forget()
    return True


class _Keeper:
    """Writes down what happens in a sitting; where that can't be done, it says so once and the game goes on."""

    def __init__(self, sitting: Sitting, screen: Screen, record: RecordFile | None, path: Path | None) -> None:
        self._sitting = sitting
        self._screen = screen
        self._record = record
        self._path = path
        """The file in which the sitting is kept, once there is one."""
        self._keeps = screen.interactive or path is not None
        self._finished = sitting.current if sitting.current and sitting.current.outcome else None
        """The finished game that was kept last."""

    def changed(self) -> None:
        """Something has happened: the sitting is kept as it is now, and a finished game for good."""
        try:
            if self._keeps:
                self._keep()
        except OSError as error:
            self._keeps = False
            self._screen.say(f"{error.filename}: {failure(error)}; you can play on, but this game can't be kept.\n")
        if record := self._record:
            try:
                record.write(self._sitting)
            except OSError as error:
                self._record = None
                self._screen.say(f"{record.path}: {failure(error)}; this game is recorded no further.\n")

    def _keep(self) -> None:
        sitting, match = self._sitting, self._sitting.current
        over = bool(match and match.outcome)
        if match and over and match is not self._finished:
            self._finished = match
            keep(match)
        if (over and len(sitting.finished) + 1 >= sitting.agreed.games) or not _has_begun(sitting):
            self.forget()
        else:
            self._path = self._path or fresh(folder(), ".json")
            _write(sitting, self._path)

    def forget(self) -> None:
        """Nothing is left to go on with: everything was played, or everything was taken back."""
        if self._path:
            self._path.unlink(missing_ok=True)
        self._path = None

    @property
    def farewell(self) -> str:
        """What is said to whoever leaves: how to go on; nothing where nothing is kept."""
        return "The game is kept; to go on with it, type: numberline resume." if self._keeps and self._path else ""


def _has_begun(sitting: Sitting) -> bool:
    return bool(sitting.finished or (sitting.current and sitting.current.length))


def folder() -> Path:
    """Where games that were left are kept."""
    return data_folder() / "games"


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
        "fits": agreed.fits,
        "record": str(agreed.record) if agreed.record else None,
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
            if path.stat().st_size:  # an empty one is just being written
                yield _read(path)
        except OSError as error:
            yield f"{path} can't be read now: {failure(error)}."
        except (NumberlineError, UnreadableText, ValueError, KeyError, TypeError, RecursionError):
            yield f"{set_aside(path)}."


def _read(path: Path) -> Saved:
    content: dict[str, Any] = json.loads(read_text(path, LARGEST_FILE))
    if content["format"] != FORMAT:
        raise ValueError(content["format"])
    agreed = Agreement(
        book=kept_book(content["variant"], content["source"]),
        guests=tuple(TableGuest(str(name), bot) for name, bot in content["guests"]),
        **{name: content[name] for name in _PLAIN},
        fits=bool(content.get("fits")),
        record=Path(content["record"]) if content.get("record") else None,
    )
    finished = [match for text in content["finished"] for match in read_records(text, path.name)]
    current = read_records(content["current"], path.name)[0] if content["current"] else None
    return Saved(path, datetime.fromisoformat(content["saved"]), Sitting(agreed, finished, current))
