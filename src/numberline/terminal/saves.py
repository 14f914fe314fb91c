"""Games that were left: each in a file of its own, written after every move, and there again another day."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from numberline.errors import NumberlineError
from numberline.files import (
    FileLocked,
    InvalidTextFile,
    locked,
    os_error_reason,
    quarantine_message,
    read_text,
    write_atomic,
)
from numberline.game.loader import restore_book
from numberline.game.notation import format_record, parse_records
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.progress import data_dir
from numberline.terminal.prompt import Quit
from numberline.terminal.records import RecordFile, create_unique_file, format_local_time, is_empty, save_finished_game
from numberline.terminal.series import Participant, Series, SeriesOptions
from numberline.text import normalize_name, pluralize

FORMAT_VERSION = 1
MAX_FILE_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A game that was left: the file, when it was, and the sitting to go on with."""

    path: Path
    saved_at: datetime
    series: Series

    def __str__(self) -> str:
        agreed, match = self.series.options, self.series.current
        who = " against ".join(guest.name for guest in agreed.participants)
        when = format_local_time(self.saved_at)
        game = f"game {len(self.series.finished) + 1} of {agreed.games}, " if agreed.games > 1 else ""
        turn = f", {match.names[match.turn - 1]} to move" if match else ""
        played = pluralize(match.length if match else 0, "turn")
        return f"{agreed.book.variant}, {who}, {when}: {game}{played} played{turn}."


def play_with_autosave(
    series: Series, screen: TextConsole, record: RecordFile | None = None, path: Path | None = None
) -> bool:
    """Whether a sitting was played to its end; at a terminal it is kept after every move, to be resumed."""
    keeper = _Autosave(series, screen, record, path)
    try:
        with keeper.file_lock:
            series.play(screen, keeper.changed)
            keeper.forget()
    except Quit:
        screen.say(f"{keeper.farewell or 'The game is left unfinished.'}\n")
        return False
    except EndOfInput:
        raise EndOfInput(keeper.farewell) from None
    except KeyboardInterrupt:
        if keeper.farewell:
            screen.say(f"\n{keeper.farewell}\n")
        raise
    return True


class _Autosave:
    """Writes down what happens in a sitting; where that can't be done, it says so once and the game goes on."""

    def __init__(self, sitting: Series, screen: TextConsole, record: RecordFile | None, path: Path | None) -> None:
        self._sitting = sitting
        self._screen = screen
        self._record = record
        self._path = path
        """The file in which the sitting is kept, once there is one."""
        self.file_lock = ExitStack()
        """Keeps the file for this program alone, as long as it is played here."""
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
            self._leave_nothing_empty()
            self._screen.say(
                f"{error.filename}: {os_error_reason(error)}; you can play on, but this game can't be kept.\n"
            )
        if record := self._record:
            try:
                record.write(self._sitting)
            except OSError as error:
                self._record = None
                self._screen.say(f"{record.path}: {os_error_reason(error)}; this game is recorded no further.\n")

    def _keep(self) -> None:
        sitting, match = self._sitting, self._sitting.current
        over = bool(match and match.outcome)
        if match and over and match is not self._finished:
            self._finished = match
            save_finished_game(match)
        if (over and len(sitting.finished) + 1 >= sitting.options.games) or not _has_begun(sitting):
            self.forget()
        else:
            if not self._path:
                path = create_unique_file(saved_games_dir(), ".json")
                self.file_lock.enter_context(locked(path))
                self._path = path
            _write(sitting, self._path)

    def _leave_nothing_empty(self) -> None:
        """Removes the file that was begun for the sitting, if nothing could be written to it."""
        with suppress(OSError):
            if self._path and is_empty(self._path):
                self.forget()

    def forget(self) -> None:
        """Nothing is left to go on with: everything was played, or everything was taken back."""
        if self._path:
            self._path.unlink(missing_ok=True)
        self._path = None
        self.file_lock.close()

    @property
    def farewell(self) -> str:
        """What is said to whoever leaves: how to go on; nothing where nothing is kept."""
        return "The game is kept; to go on with it, type: numberline resume." if self._keeps and self._path else ""


def _has_begun(sitting: Series) -> bool:
    return bool(sitting.finished or (sitting.current and sitting.current.length))


def saved_games_dir() -> Path:
    """Where games that were left are kept."""
    return data_dir() / "games"


def _write(sitting: Series, path: Path) -> None:
    """Keeps a sitting as it is now."""
    agreed = sitting.options
    content = {
        "format": FORMAT_VERSION,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "variant": agreed.book.variant,
        "source": agreed.book.source,
        "guests": [[guest.name, guest.bot] for guest in agreed.participants],
        **{name: getattr(agreed, name) for name in _SERIALIZED_FIELDS},
        "fits": agreed.adaptive,
        "record": str(agreed.record) if agreed.record else None,
        "finished": [format_record(match) for match in sitting.finished],
        "current": format_record(sitting.current) if sitting.current else None,
    }
    write_atomic(path, json.dumps(content, indent=1))


_SERIALIZED_FIELDS = {
    "first": int,
    "games": int,
    "decides_early": bool,
    "alternates": bool,
    "swaps": bool,
    "seed": int,
    "assist": bool,
    "reviews": bool,
}
"""The parts of an agreement that are written unchanged, and what each is."""


class _NewerFormat(Exception):
    """A game that a later version of Numberline has kept."""


def saved_games() -> Iterator[SavedGame | str]:
    """The games that were left, newest first; a sentence for one that can't be read, set aside if it is damaged."""
    place = saved_games_dir()
    found = [_found(path) for path in sorted(place.glob("*.json"), reverse=True)] if place.is_dir() else []
    yield from (each for each in found if isinstance(each, str))
    games = [each for each in found if isinstance(each, SavedGame)]
    yield from sorted(games, key=lambda game: game.saved_at, reverse=True)


def _found(path: Path) -> SavedGame | str | None:
    """The game in a file, or a sentence where there is none; nothing for one that is just being written."""
    try:
        return _cleared(path) if is_empty(path) else read_saved_game(path)
    except FileNotFoundError:
        return None  # it was played to its end meanwhile
    except OSError as error:
        return f"{path} can't be read now: {os_error_reason(error)}."
    except _NewerFormat:
        return f"{path} comes from a newer version of Numberline; that one can go on with it."
    except (NumberlineError, InvalidTextFile, ValueError, KeyError, TypeError, RecursionError):
        return quarantine_message(path)


def _cleared(path: Path) -> str | None:
    """Removes a file that was begun and never written, unless somebody is about to; a sentence that says so."""
    try:
        with locked(path):
            if not is_empty(path):
                return None
            path.unlink()
    except FileLocked:
        return None
    return f"{path} was empty and is removed."


class SaveInUse(NumberlineError):
    """A game that is being played in another place."""


@contextmanager
def lock_saved_game(saved: SavedGame) -> Iterator[SavedGame]:
    """The game as it stands now, for this program alone; raises `SaveInUse` where another one has it."""
    with ExitStack() as hold:
        try:
            hold.enter_context(locked(saved.path))
        except FileLocked:
            raise SaveInUse("this game is open elsewhere; numberline resume --list shows all that were left") from None
        now = _found(saved.path)
        if not isinstance(now, SavedGame):
            raise SaveInUse(now or "this game was played to its end elsewhere")
        yield now


def read_saved_game(path: Path) -> SavedGame:
    """The game that was kept in a file; raises where there is none that can be played on."""
    content: dict[str, Any] = json.loads(read_text(path, MAX_FILE_BYTES))
    version = content["format"]
    if type(version) is int and version > FORMAT_VERSION:
        raise _NewerFormat
    plain = {name: _checked(content[name], kind) for name, kind in _SERIALIZED_FIELDS.items()}
    if version != FORMAT_VERSION or plain["games"] < 1:
        raise ValueError(version)
    book = restore_book(_checked(content["variant"], str), _text_or_none(content["source"]))
    agreed = SeriesOptions(
        book=book,
        participants=tuple(
            Participant(normalize_name(_checked(name, str)), _text_or_none(bot)) for name, bot in content["guests"]
        ),
        **plain,
        adaptive=bool(content.get("fits")),
        record=Path(record) if (record := _text_or_none(content.get("record"))) else None,
    )
    if len(agreed.participants) != len(book.players) or agreed.first not in book.players:
        raise ValueError(agreed)
    finished = [match for text in content["finished"] for match in parse_records(_checked(text, str), path.name)]
    current = parse_records(text, path.name)[0] if (text := _text_or_none(content["current"])) else None
    if any(match.book != book for match in (*finished, *([current] if current else ()))):
        raise ValueError(content["variant"])
    when = datetime.fromisoformat(content["saved"])
    return SavedGame(path, when if when.tzinfo else when.replace(tzinfo=UTC), Series(agreed, finished, current))


def _checked(value: Any, kind: type) -> Any:
    """The value, if it is of this kind."""
    if type(value) is not kind:
        raise TypeError(value)
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(_checked(value, str))
