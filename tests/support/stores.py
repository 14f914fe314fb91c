"""What tests of the store need: matches, seats and events to put in it, and a process that does nothing else."""

from __future__ import annotations

import asyncio
import sys

from numberline.web.store.store import Event, MatchRow, SeatRow, Store, StoreError
from numberline.web.store.write_queue import WriteQueue


def an_event(match: str = "m", seq: int = 1, *, request: str = "", what: str = "R2") -> Event:
    """Return a move event, with a new request id unless one is given."""
    return Event(match, seq, 1, what, request or f"request-{seq}", 1500, 1_800_000_000.25 + seq)


def a_match(name: str = "m", *, created: float = 1.0, ended: float | None = None) -> MatchRow:
    """A match with everything in it."""
    settings = {"assist": "after", "clock": {"seconds": 60, "increment": 5}, "tossed": True, "start": None}
    return MatchRow(name, "flag-chase(end=30)", None, 2, 3, settings, None, created, ended, [0, 0])


def some_seats(invite: str = "invite") -> list[SeatRow]:
    """One seat that is taken and one that is free for the invitee."""
    return [SeatRow(1, "Ann", None, "token of Ann", None, 1.0), SeatRow(2, "", None, None, invite, None)]


async def _play_on(path: str, matches: int) -> None:
    """Goes on with every match from what is stored, and prints `match number` when that is acknowledged.

    The number is negative for an event that could not be saved; it is tried again.
    """
    store = Store(path)
    writer = WriteQueue(store)
    await writer.start()

    async def play(match: str, seq: int) -> int:
        try:
            await writer.append(an_event(match, seq))
        except StoreError:
            print(match, -seq, flush=True)  # noqa: T201  # whoever started this process reads it
            return seq
        print(match, seq, flush=True)  # noqa: T201  # as above
        return seq + 1

    async def play_all(match: str) -> None:
        seq = len(store.events_since(match, 0)) + 1
        while True:
            seq = await play(match, seq)

    await asyncio.gather(*(play_all(f"m{number}") for number in range(matches)))


if __name__ == "__main__":
    asyncio.run(_play_on(sys.argv[1], int(sys.argv[2])))
