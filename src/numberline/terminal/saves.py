"""Saved games: each unfinished series has its own file, written after every move, and can be resumed later."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from numberline.characters import against
from numberline.errors import NumberlineError
from numberline.files.safe_read import os_error_reason, read_text
from numberline.files.safe_write import FileLocked, locked, write_atomic
from numberline.game.loader import restore_book
from numberline.game.match import Match
from numberline.game.notation import format_record, parse_records
from numberline.progress.document import Game, NewerFormat
from numberline.terminal import records
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.progress import data_dir, record_event, today
from numberline.terminal.prompt import Quit
from numberline.terminal.series import Participant, Series, SeriesOptions
from numberline.text import join_and, normalize_name, versus

FORMAT_VERSION = 1
MAX_FILE_BYTES = 50_000_000
FROM_MENU_KEY = "numberline in the menu"
"""Key in `click.Context.meta`, set if the command was run from the menu; at a terminal, the menu then reappears."""


@dataclass(frozen=True, slots=True)
class SavedGame:
    """Unfinished series and its save file."""

    path: Path
    saved_at: datetime
    series: Series

    def __str__(self) -> str:
        from numberline.explain.rules_text import title_in_words  # imports the solver

        options, number = self.series.options, len(self.series.finished)
        match = self.series.current or options.match(number)
        you, bots = options.you(number), [each.name for each in options.participants_in(number) if each.bot]
        players = f" {against(join_and(bots))}" if you else f", {versus(match.names)}"
        turn = "your turn" if match.turn == you else f"{match.names[match.turn - 1]}'s turn"
        game = f"game {number + 1} of {options.games}, " if options.games > 1 else ""
        return f"{title_in_words(options.book)}{players}, {game}{turn}, {records.format_local_date(self.saved_at)}"


def returns_to_menu(screen: TextConsole) -> bool:
    """Return whether the menu is shown after the game."""
    context = click.get_current_context(silent=True)
    return bool(context and screen.draws and context.meta.get(FROM_MENU_KEY))


def play_with_autosave(
    series: Series, screen: TextConsole, record: records.RecordFile | None = None, path: Path | None = None
) -> bool:
    """Play a series and, if it is interactive or resumed, save it after every move; return whether it was finished."""
    autosave = _Autosave(series, screen, record, path)
    try:
        with autosave.file_lock:
            series.play(screen, autosave.update, autosave.record_result)
            autosave.delete()
    except Quit:
        farewell = "Game saved. To resume it, choose Resume." if returns_to_menu(screen) else autosave.farewell
        unsaved = "Nothing is saved before the first move." if screen.draws else "The game is left unfinished."
        screen.say(f"{farewell if autosave.farewell else unsaved}\n")
        return False
    except EndOfInput:
        raise EndOfInput(autosave.farewell) from None
    except KeyboardInterrupt:
        if autosave.farewell:
            screen.say(f"\n{autosave.farewell}\n")
        raise
    return True


class _Autosave:
    """Automatic saving of a series, its finished games and its record; disk errors don't stop the game."""

    def __init__(
        self, series: Series, screen: TextConsole, record: records.RecordFile | None, path: Path | None
    ) -> None:
        self._series = series
        self._screen = screen
        self._record = record
        self._path = path
        """Save file, or None before the first save."""
        self.file_lock = ExitStack()
        """Exit stack that holds the lock on the save file while the series is played."""
        self._saves = screen.interactive or path is not None
        self._last_finished = series.current if series.current and series.current.outcome else None
        self._finished_id = ""

    def update(self) -> None:
        try:
            if self._saves:
                self._save()
        except OSError as error:
            self._saves = False
            with suppress(OSError):
                if self._path and records.is_empty(self._path):
                    self.delete()
            reason = os_error_reason(error)
            self._screen.say(f"{error.filename}: {reason}; you can keep playing, but this game can't be saved.\n")
        if record := self._record:
            try:
                record.write(self._series)
            except OSError as error:
                self._record = None
                self._screen.say(f"{record.path}: {os_error_reason(error)}; this game will no longer be recorded.\n")

    def _save(self) -> None:
        series, match = self._series, self._series.current
        over = bool(match and match.outcome)
        if match and over and match is not self._last_finished:
            self._last_finished = match
            self._finished_id = records.save_finished_game(match).stem
        started = bool(series.finished or (match and match.length))
        if not started or (over and len(series.finished) + 1 >= series.options.games):
            self.delete()
            return
        if not self._path:
            path = records.create_unique_file(saved_games_dir(), ".json")
            self.file_lock.enter_context(locked(path))
            self._path = path
        _write(series, self._path)

    def record_result(self, match: Match) -> None:
        """If one person played against bots, add the game to that person's progress and say what has changed."""
        options, number = self._series.options, len(self._series.finished)
        you, bots = options.you(number), [each for each in options.participants_in(number) if each.bot]
        if not you or not (self._saves or options.adaptive):
            return
        from numberline.terminal.coach import Coach  # imports the solver
        from numberline.views.game_over import game_finished

        names = join_and([bot.name for bot in bots])
        game = Game(self._finished_id, opponent=names, practice=options.practice, day=today())
        facts: dict[str, object] = {"helped": self._series.helped, "step": options.step}
        if not options.practice:
            facts |= {"bot": bots[0].bot, "first": match.first if options.takes_turns else 0}
        event = game_finished(match, you, Coach(match).quick_solution, game, **facts)
        self._screen.say("".join(f"{sentence}\n" for sentence in record_event(event).sentences))

    def delete(self) -> None:
        """Delete the save file, if there is one, and release its lock."""
        if self._path:
            self._path.unlink(missing_ok=True)
        self._path = None
        self.file_lock.close()

    @property
    def farewell(self) -> str:
        """Message for a player who quits; empty if the game was not saved."""
        command = os.environ.get("NUMBERLINE_RESUME", "numberline resume")
        return f"Game saved. To resume it, type: {command}" if self._saves and self._path else ""


def saved_games_dir() -> Path:
    return data_dir() / "games"


_FLAGS = ("decides_early", "alternates", "swaps", "assist", "reviews", "adaptive", "takes_turns", "practice")
_FIELD_TYPES = {**dict.fromkeys(("first", "games", "seed"), int), **dict.fromkeys(_FLAGS, bool), "step": str}
"""Types of the options that are stored without conversion."""
_KEYS = {name: name for name in _FIELD_TYPES} | {"adaptive": "fits"}
_OPTIONAL_FIELDS = {"adaptive", "takes_turns", "practice", "step"}  # missing from early save files


def _write(series: Series, path: Path) -> None:
    options = series.options
    content = {
        "format": FORMAT_VERSION,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "variant": options.book.variant,
        "source": options.book.source,
        "guests": [[participant.name, participant.bot] for participant in options.participants],
        **{key: getattr(options, name) for name, key in _KEYS.items()},
        "record": str(options.record) if options.record else None,
        "helped": series.helped,
        "finished": [format_record(match) for match in series.finished],
        "current": format_record(series.current) if series.current else None,
    }
    write_atomic(path, json.dumps(content, indent=1))


def saved_games() -> Iterator[SavedGame | str]:
    """Yield a message for each unreadable, empty or quarantined file, then the saved games, newest first."""
    paths = sorted(saved_games_dir().glob("*.json"), reverse=True)
    found = [records.explain_errors(path, read_saved_game, "resume") for path in paths]
    yield from (message for message in found if isinstance(message, str))
    games = [game for game in found if isinstance(game, SavedGame)]
    yield from sorted(games, key=lambda game: game.saved_at, reverse=True)


class SaveInUse(NumberlineError):
    """Error for a saved game that is open in another process, or that was finished or changed there."""


@contextmanager
def lock_saved_game(saved: SavedGame) -> Iterator[SavedGame]:
    """Lock a saved game and yield its current state; raise `SaveInUse` if another process has locked or finished it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(saved.path))
        except FileLocked:
            raise SaveInUse(
                "this game is open in another window; numberline resume --list shows all saved games"
            ) from None
        current = records.explain_errors(saved.path, read_saved_game, "resume")
        if not isinstance(current, SavedGame):
            raise SaveInUse(current or "this game was finished in another window")
        yield current


def read_saved_game(path: Path) -> SavedGame:
    """Read a save file; raise an error if its series can't be resumed."""
    content: dict[str, Any] = json.loads(read_text(path, MAX_FILE_BYTES))
    version = content["format"]
    if type(version) is int and version > FORMAT_VERSION:
        raise NewerFormat
    stored = (name for name, key in _KEYS.items() if key in content or name not in _OPTIONAL_FIELDS)
    fields = {name: _check_type(content[_KEYS[name]], _FIELD_TYPES[name]) for name in stored}
    if version != FORMAT_VERSION or fields["games"] < 1:
        raise ValueError(version)
    book = restore_book(_check_type(content["variant"], str), _text_or_none(content["source"]))
    guests = ((normalize_name(_check_type(name, str)), _text_or_none(bot)) for name, bot in content["guests"])
    participants = tuple(Participant(name, bot) for name, bot in guests)
    record = Path(text) if (text := _text_or_none(content.get("record"))) else None
    options = SeriesOptions(book=book, participants=participants, **fields, record=record)
    if len(options.participants) != len(book.players) or options.first not in book.players:
        raise ValueError(options)
    finished = [match for text in content["finished"] for match in parse_records(_check_type(text, str), path.name)]
    current = parse_records(text, path.name)[0] if (text := _text_or_none(content["current"])) else None
    if any(match.book != book for match in (*finished, *([current] if current else ()))):
        raise ValueError(content["variant"])
    saved_at = datetime.fromisoformat(content["saved"])
    saved_at = saved_at if saved_at.tzinfo else saved_at.replace(tzinfo=UTC)
    return SavedGame(path, saved_at, Series(options, finished, current, helped=bool(content.get("helped"))))


def _check_type(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(value)
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(_check_type(value, str))
