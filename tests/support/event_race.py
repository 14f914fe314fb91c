"""A process that races others for the next event of every match, and tells which it has won."""

from __future__ import annotations

import asyncio
import sys

from numberline.web.store.store import Store
from numberline.web.store.write_queue import WriteQueue
from support.stores import an_event


async def _race(address: str, runner: str, matches: int, length: int) -> None:
    """Goes on with every match until it has its length; prints `match number request` for each event of its own."""
    store = Store(address)
    writer = WriteQueue(store)
    await writer.start()
    print("ready", flush=True)  # noqa: T201  # whoever started this process reads it
    sys.stdin.readline()

    async def run(match: str) -> None:
        for seq in range(1, length + 1):
            if await writer.append(an_event(match, seq, request=f"{runner}-{seq}")):
                print(match, seq, f"{runner}-{seq}", flush=True)  # noqa: T201  # as above

    await asyncio.gather(*(run(f"m{number}") for number in range(matches)))
    await writer.stop()
    store.close()


if __name__ == "__main__":
    asyncio.run(_race(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
