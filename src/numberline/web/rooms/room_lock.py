"""A table that one at a time has: whatever is asked for there is done before the next one is heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numberline.web.protocol.errors import not_found
from numberline.web.rooms.room import Room

if TYPE_CHECKING:
    from numberline.web.rooms.registry import RoomRegistry


class RoomLock:
    """The table of a match while a block runs, with everything that is stored of it.

    Every move is made in one of these, and `asynccontextmanager` would take three times as long.
    """

    __slots__ = ("_live", "_match", "_tables")

    def __init__(self, tables: RoomRegistry, match: str) -> None:
        self._tables = tables
        self._match = match

    async def __aenter__(self) -> Room:
        """The table, once nobody else has it; one that has left the memory meanwhile is read again."""
        while True:
            live = self._live = await self._tables.get_room(self._match)
            await live.lock.acquire()
            try:
                if not live.in_sync:
                    await self._tables.catch_up(live)
            except BaseException:
                live.lock.release()
                raise
            if self._tables.get_cached(self._match) is live:
                return live
            live.lock.release()
            if live.deleted:
                raise not_found()

    async def __aexit__(self, *_: object) -> None:
        """Lets the next one have it."""
        self._live.lock.release()
