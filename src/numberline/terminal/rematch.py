"""After a game: the same again, the other side, a look back, a stronger or weaker opponent, or another game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from numberline.terminal.menu import Choice, pick
from numberline.terminal.prompt import QUIT, Quit, errors_told
from numberline.terminal.records import RecordFile, numbered
from numberline.terminal.saves import play_kept
from numberline.terminal.screen import EndOfInput, Screen
from numberline.terminal.sitting import Agreement, Sitting, TableGuest, guests_for
from numberline.terminal.strength import HIGHEST, LOWEST, follow, level

AGAIN, SWAP, LOOK, HARDER, EASIER, ANOTHER = "again", "swap", "look", "harder", "easier", "another"


def play_and_ask(sitting: Sitting, screen: Screen, record: RecordFile | None = None, path: Path | None = None) -> bool:
    """Plays a sitting and, at a terminal, those that are wanted after it; whether another game is wanted at the end."""
    while play_kept(sitting, screen, record, path):
        if sitting.agreed.fits:
            follow(sitting, screen)
        wanted = _wanted(sitting, screen) if screen.draws else QUIT
        if wanted in {QUIT, ANOTHER}:
            return wanted == ANOTHER
        agreed = changed(sitting.agreed, wanted)
        if record:
            record = RecordFile(numbered(record.path))
            agreed = replace(agreed, record=record.path)
            screen.say(f"This game is recorded in {record.path}.\n")
        sitting, path = Sitting(agreed), None
        screen.say("\n")
    return False


def _wanted(sitting: Sitting, screen: Screen) -> str:
    """What somebody wants after a sitting; to look back at the game is done here, and asked again."""
    choices = list(_choices(sitting.agreed))
    screen.say("\nWhat now?\n")
    while True:
        try:
            wanted = pick(screen, "Your choice", choices)
        except (Quit, EndOfInput):
            return QUIT
        if wanted != LOOK:
            return wanted
        with errors_told(screen):
            _look_back(sitting, screen)
        screen.say("\n")


def _look_back(sitting: Sitting, screen: Screen) -> None:
    from numberline.terminal.teacher import Teacher  # loaded when somebody asks

    screen.show(Teacher(sitting.finished[-1]).review(screen))


def _choices(agreed: Agreement) -> Iterator[Choice]:
    yield Choice(AGAIN, "Again", f"against level {level(agreed.book.name)}" if agreed.fits else "the same once more")
    if len(agreed.guests) > 1:
        begins = changed(agreed, SWAP)
        yield Choice(SWAP, "Swap sides", f"{begins.guests[begins.first - 1].name} begins")
    if agreed.book.rules.players == 2:
        yield Choice(LOOK, "Look back", "every move of this game, and what it was worth")
    for word, title in () if agreed.fits else ((HARDER, "Harder"), (EASIER, "Easier")):
        if other := _other_level(agreed, word):
            yield Choice(word, title, f"against level {other}")
    yield Choice(ANOTHER, "Another game")
    yield Choice(QUIT, "Quit")


def changed(agreed: Agreement, wanted: str) -> Agreement:
    """What is agreed for the next sitting: the same but for what is wanted, and for the dice of the programs."""
    guests = (*agreed.guests[1:], agreed.guests[0]) if wanted == SWAP else agreed.guests
    other = level(agreed.book.name) if agreed.fits else _other_level(agreed, wanted)
    seats = [f"level:{other}" if guest.bot and other else guest.bot for guest in guests]
    names = [_name(agreed, guest, seat) for seat, guest in enumerate(guests, 1) if not guest.bot]
    seated = guests_for(agreed.book, seats, names)
    # People without names of their own have nothing to swap but who begins.
    first = agreed.first % len(seated) + 1 if wanted == SWAP and seated == agreed.guests else agreed.first
    return replace(agreed, guests=seated, first=first, seed=agreed.seed + 1)


def _name(agreed: Agreement, guest: TableGuest, seat: int) -> str:
    """A person's own name, or what the book calls whoever sits there."""
    book = agreed.book
    unnamed = guest.name == book.player_name(agreed.guests.index(guest) + 1)
    return book.player_name(seat) if unnamed else guest.name


def _other_level(agreed: Agreement, wanted: str) -> int:
    """The level of a stronger or weaker opponent; 0 where the opponent has no level, or there is none beyond."""
    bots = {guest.bot for guest in agreed.guests if guest.bot}
    steps = {HARDER: 1, EASIER: -1}
    kind, _, number = bots.pop().partition(":") if len(bots) == 1 else ("", "", "")
    if kind == "perfect":
        number = str(HIGHEST)
    elif kind != "level":
        return 0
    other = int(number) + steps.get(wanted, 0)
    return other if wanted in steps and LOWEST <= other <= HIGHEST else 0
