"""Games that were left: each in a file of its own, written after every move, and there again another day."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from numberline.book.loader import kept_book
from numberline.files import OpenElsewhere, UnreadableText, failure, held, read_text, said_aside, write_whole
from numberline.notation import read_records, write_record
from numberline.rules.errors import NumberlineError, plain_name
from numberline.rules.wording import counted
from numberline.terminal.prompt import Quit
from numberline.terminal.records import RecordFile, fresh, is_empty, keep, local_time
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
        when = local_time(self.when)
        game = f"game {len(self.sitting.finished) + 1} of {agreed.games}, " if agreed.games > 1 else ""
        turn = f", {match.names[match.turn - 1]} to move" if match else ""
        played = counted(match.length if match else 0, "turn")
        return f"{agreed.book.variant}, {who}, {when}: {game}{played} played{turn}."


def play_kept(sitting: Sitting, screen: Screen, record: RecordFile | None = None, path: Path | None = None) -> bool:
    """Whether a sitting was played to its end; at a terminal it is kept after every move, to be resumed."""
    keeper = _Keeper(sitting, screen, record, path)
    try:
        with keeper.hold:
            sitting.play(screen, keeper.changed)
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


class _Keeper:
    """Writes down what happens in a sitting; where that can't be done, it says so once and the game goes on."""

    def __init__(self, sitting: Sitting, screen: Screen, record: RecordFile | None, path: Path | None) -> None:
        self._sitting = sitting
        self._screen = screen
        self._record = record
        self._path = path
        """The file in which the sitting is kept, once there is one."""
        self.hold = ExitStack()
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
            if not self._path:
                path = fresh(folder(), ".json")
                self.hold.enter_context(held(path))
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
        self.hold.close()

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


_PLAIN = {
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


class _Newer(Exception):
    """A game that a later version of Numberline has kept."""


def saved_games() -> Iterator[Saved | str]:
    """The games that were left, newest first; a sentence for one that can't be read, set aside if it is damaged."""
    place = folder()
    found = [_found(path) for path in sorted(place.glob("*.json"), reverse=True)] if place.is_dir() else []
    yield from (each for each in found if isinstance(each, str))
    games = [each for each in found if isinstance(each, Saved)]
    yield from sorted(games, key=lambda game: game.when, reverse=True)


def _found(path: Path) -> Saved | str | None:
    """The game in a file, or a sentence where there is none; nothing for one that is just being written."""
    try:
        return _cleared(path) if is_empty(path) else read_saved(path)
    except FileNotFoundError:
        return None  # it was played to its end meanwhile
    except OSError as error:
        return f"{path} can't be read now: {failure(error)}."
    except _Newer:
        return f"{path} comes from a newer version of Numberline; that one can go on with it."
    except (NumberlineError, UnreadableText, ValueError, KeyError, TypeError, RecursionError):
        return said_aside(path)


def _cleared(path: Path) -> str | None:
    """Removes a file that was begun and never written, unless somebody is about to; a sentence that says so."""
    try:
        with held(path):
            if not is_empty(path):
                return None
            path.unlink()
    except OpenElsewhere:
        return None
    return f"{path} was empty and is removed."


class SaveInUse(NumberlineError):
    """A game that is being played in another place."""


@contextmanager
def taken(saved: Saved) -> Iterator[Saved]:
    """The game as it stands now, for this program alone; raises `SaveInUse` where another one has it."""
    with ExitStack() as hold:
        try:
            hold.enter_context(held(saved.path))
        except OpenElsewhere:
            raise SaveInUse("this game is open elsewhere; numberline resume --list shows all that were left") from None
        now = _found(saved.path)
        if not isinstance(now, Saved):
            raise SaveInUse(now or "this game was played to its end elsewhere")
        yield now


def read_saved(path: Path) -> Saved:
    """The game that was kept in a file; raises where there is none that can be played on."""
    content: dict[str, Any] = json.loads(read_text(path, LARGEST_FILE))
    version = content["format"]
    if type(version) is int and version > FORMAT:
        raise _Newer
    plain = {name: _checked(content[name], kind) for name, kind in _PLAIN.items()}
    if version != FORMAT or plain["games"] < 1:
        raise ValueError(version)
    book = kept_book(_checked(content["variant"], str), _text_or_none(content["source"]))
    agreed = Agreement(
        book=book,
        guests=tuple(
            TableGuest(plain_name(_checked(name, str)), _text_or_none(bot)) for name, bot in content["guests"]
        ),
        **plain,
        fits=bool(content.get("fits")),
        record=Path(record) if (record := _text_or_none(content.get("record"))) else None,
    )
    if len(agreed.guests) != len(book.players) or agreed.first not in book.players:
        raise ValueError(agreed)
    finished = [match for text in content["finished"] for match in read_records(_checked(text, str), path.name)]
    current = read_records(text, path.name)[0] if (text := _text_or_none(content["current"])) else None
    if any(match.book != book for match in (*finished, *([current] if current else ()))):
        raise ValueError(content["variant"])
    when = datetime.fromisoformat(content["saved"])
    return Saved(path, when if when.tzinfo else when.replace(tzinfo=UTC), Sitting(agreed, finished, current))


def _checked(value: Any, kind: type) -> Any:
    """The value, if it is of this kind."""
    if type(value) is not kind:
        raise TypeError(value)
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(_checked(value, str))
