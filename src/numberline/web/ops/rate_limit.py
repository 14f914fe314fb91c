"""How much one asker may ask: buckets that fill up again, by seat where there is one, else by address."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple


class Rate(NamedTuple):
    """So many at once, and so many more each second."""

    burst: float
    per_second: float


SEAT_RATE = Rate(120, 10)
ADDRESS_RATE = Rate(2_000, 100)
"""Without a seat: enough for a whole class behind one address that opens its pages at once."""
ADDRESS_TOTAL_RATE = Rate(8_000, 800)
"""With and without: a token that somebody made up opens no new bucket of its own for long."""
FRAME_RATE = Rate(300, 100)
"""Over one WebSocket."""
PATH_COSTS = {
    "/api/matches": 5,
    "/api/review": 20,
    "/api/books": 3,
    "/api/positions": 3,
    "/api/lessons": 3,
    "/api/puzzles": 2,
}
"""What a request costs that begins so and changes or works out something; any other costs 1."""
SOLVING_PATHS = re.compile(r"/api/(puzzles|lessons/|books/.*/positions$)")
"""What has something worked out although it only asks."""


class TokenBucket:
    """One asker's allowance."""

    __slots__ = ("allowance", "at", "left")

    def __init__(self, allowance: Rate, now: float) -> None:
        self.allowance = allowance
        self.left = allowance.burst
        self.at = now

    def take(self, cost: float, now: float) -> float:
        """Takes it out; otherwise after how many seconds it can be had."""
        most, each_second = self.allowance
        self.left = min(most, self.left + (now - self.at) * each_second)
        self.at = now
        if self.left < cost:
            return (cost - self.left) / each_second
        self.left -= cost
        return 0.0


class RateLimiter:
    """The buckets of all askers; of those who asked longest ago the oldest is forgotten first."""

    MAX_BUCKETS = 20_000

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, trusted: frozenset[str] = frozenset()) -> None:
        self._clock = clock
        self._trusted = trusted
        """Addresses that are not counted: this machine itself."""
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def wait(self, address: str, token: str, cost: float) -> float:
        """After how many seconds an asker may ask this; 0 for at once, and then it is counted."""
        if address in self._trusted:
            return 0.0
        asked = self._take(f"all {address}", ADDRESS_TOTAL_RATE, cost)
        if token:
            return max(asked, self._take(f"seat {token}", SEAT_RATE, cost))
        return max(asked, self._take(f"address {address}", ADDRESS_RATE, cost))

    def _take(self, key: str, allowance: Rate, cost: float) -> float:
        now = self._clock()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = TokenBucket(allowance, now)
            if len(self._buckets) > self.MAX_BUCKETS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(key)
        return bucket.take(cost, now)


def request_cost(method: str, path: str) -> float:
    """What a request costs."""
    if method in {"GET", "HEAD"} and not SOLVING_PATHS.match(path):
        return 1
    return max((cost for start, cost in PATH_COSTS.items() if path.startswith(start)), default=1)
