"""After a game: the same again, the other side, a look back, a stronger or weaker opponent, or another game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from numberline.progress.ladder import MAX_LEVEL, MIN_LEVEL
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.menu import MenuItem, pick
from numberline.terminal.progress import current_level, update_levels
from numberline.terminal.prompt import QUIT, Quit, report_errors
from numberline.terminal.records import RecordFile, next_free_path
from numberline.terminal.saves import play_with_autosave
from numberline.terminal.series import Participant, Series, SeriesOptions, make_participants

AGAIN, SWAP, REVIEW, HARDER, EASIER, ANOTHER = "again", "swap", "look", "harder", "easier", "another"


def play_with_rematches(
    series: Series, screen: TextConsole, record: RecordFile | None = None, path: Path | None = None
) -> bool:
    """Plays a sitting and, at a terminal, those that are wanted after it; whether another game is wanted at the end."""
    while play_with_autosave(series, screen, record, path):
        if series.options.adaptive:
            update_levels(series, screen)
        wanted = _wanted(series, screen) if screen.draws else QUIT
        if wanted in {QUIT, ANOTHER}:
            return wanted == ANOTHER
        agreed = rematch_options(series.options, wanted)
        if record:
            record = RecordFile(next_free_path(record.path))
            agreed = replace(agreed, record=record.path)
            screen.say(f"This game is recorded in {record.path}.\n")
        series, path = Series(agreed), None
        screen.say("\n")
    return False


def _wanted(sitting: Series, screen: TextConsole) -> str:
    """What somebody wants after a sitting; to look back at the game is done here, and asked again."""
    choices = list(_choices(sitting.options))
    screen.say("\nWhat now?\n")
    while True:
        try:
            wanted = pick(screen, "Your choice", choices)
        except (Quit, EndOfInput):
            return QUIT
        if wanted != REVIEW:
            return wanted
        with report_errors(screen):
            _look_back(sitting, screen)
        screen.say("\n")


def _look_back(sitting: Series, screen: TextConsole) -> None:
    from numberline.terminal.coach import Coach  # loaded when somebody asks

    screen.show(Coach(sitting.finished[-1]).review(screen))


def _choices(agreed: SeriesOptions) -> Iterator[MenuItem]:
    yield MenuItem(
        AGAIN, "Again", f"against level {current_level(agreed.book.name)}" if agreed.adaptive else "the same once more"
    )
    if len(agreed.participants) > 1:
        begins = rematch_options(agreed, SWAP)
        yield MenuItem(SWAP, "Swap sides", f"{begins.participants[begins.first - 1].name} begins")
    if agreed.book.rules.players == 2:
        yield MenuItem(REVIEW, "Look back", "every move of this game, and what it was worth")
    for word, title in () if agreed.adaptive else ((HARDER, "Harder"), (EASIER, "Easier")):
        if other := _other_level(agreed, word):
            yield MenuItem(word, title, f"against level {other}")
    yield MenuItem(ANOTHER, "Another game")
    yield MenuItem(QUIT, "Quit")


def rematch_options(options: SeriesOptions, wanted: str) -> SeriesOptions:
    """What is agreed for the next sitting: the same but for what is wanted, and for the dice of the programs."""
    guests = (*options.participants[1:], options.participants[0]) if wanted == SWAP else options.participants
    other = current_level(options.book.name) if options.adaptive else _other_level(options, wanted)
    seats = [f"level:{other}" if guest.bot and other else guest.bot for guest in guests]
    names = [_name(options, guest, seat) for seat, guest in enumerate(guests, 1) if not guest.bot]
    seated = make_participants(options.book, seats, names)
    # People without names of their own have nothing to swap but who begins.
    first = options.first % len(seated) + 1 if wanted == SWAP and seated == options.participants else options.first
    return replace(options, participants=seated, first=first, seed=options.seed + 1)


def _name(agreed: SeriesOptions, guest: Participant, seat: int) -> str:
    """A person's own name, or what the book calls whoever sits there."""
    book = agreed.book
    unnamed = guest.name == book.player_name(agreed.participants.index(guest) + 1)
    return book.player_name(seat) if unnamed else guest.name


def _other_level(agreed: SeriesOptions, wanted: str) -> int:
    """The level of a stronger or weaker opponent; 0 where the opponent has no level, or there is none beyond."""
    bots = {guest.bot for guest in agreed.participants if guest.bot}
    steps = {HARDER: 1, EASIER: -1}
    kind, _, number = bots.pop().partition(":") if len(bots) == 1 else ("", "", "")
    if kind == "perfect":
        number = str(MAX_LEVEL)
    elif kind != "level":
        return 0
    other = int(number) + steps.get(wanted, 0)
    return other if wanted in steps and MIN_LEVEL <= other <= MAX_LEVEL else 0
