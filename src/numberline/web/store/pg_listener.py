"""What other servers say of what they have stored: a hint to look, never something to rely on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event as Signal
from threading import Thread
from typing import TYPE_CHECKING

from numberline.web.store.postgres import CHANNEL, postgres_url

if TYPE_CHECKING:
    from psycopg import Connection as Line

MAX_RECONNECT_DELAY_S = 8.0
"""Seconds at most between two tries to listen again."""
_POLL_TIMEOUT_S = 0.5
"""So often, in seconds, it is seen whether to stop, and whether the line still holds."""


class NotificationListener:
    """Listens to all who share a PostgreSQL, on a line and in a thread of its own.

    `heard` is called in that thread with the sender and its words; without any when hints may have been missed.
    """

    def __init__(self, address: str, heard: Callable[[str, Sequence[str]], None]) -> None:
        self._address = postgres_url(address).set(drivername="postgresql").render_as_string(hide_password=False)
        self._heard = heard
        self._stopping = Signal()
        self._thread = Thread(target=self._listen, name="hints", daemon=True)
        self.listening = Signal()
        """Set while there is a line."""

    def start(self) -> None:
        """Begins to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Hears no more; the thread ends by itself in a moment."""
        self._stopping.set()

    def _listen(self) -> None:
        import psycopg

        wait = _POLL_TIMEOUT_S
        while not self._stopping.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True) as line:
                    line.execute(f"LISTEN {CHANNEL}")
                    wait = _POLL_TIMEOUT_S
                    self.listening.set()
                    self._heard("", ())
                    while not self._stopping.is_set():
                        self._hear(line)
            except (psycopg.Error, OSError):
                self.listening.clear()
                self._stopping.wait(wait)
                wait = min(wait * 2, MAX_RECONNECT_DELAY_S)

    def _hear(self, line: Line) -> None:
        for notice in line.notifies(timeout=_POLL_TIMEOUT_S):
            sender, _, words = notice.payload.partition(" ")
            self._heard(sender, words.split())
            if self._stopping.is_set():
                return
