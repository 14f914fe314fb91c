"""Rate limits: one token bucket per client token, or per address for clients without a token."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import NamedTuple


class Rate(NamedTuple):
    """Burst size and refill rate of a token bucket."""

    burst: float
    per_second: float


SEAT_RATE = Rate(120, 10)
ADDRESS_RATE = Rate(2_000, 100)  # enough for a whole class opening pages at once
ADDRESS_TOTAL_RATE = Rate(8_000, 800)  # limits clients that make up tokens to get more buckets
FRAME_RATE = Rate(300, 100)
# Cost, by path prefix, of requests that modify data or need the solver; all other requests cost 1.
PATH_COSTS = {
    "/api/matches": 5,
    "/api/review": 20,
    "/api/books": 3,
    "/api/positions": 3,
    "/api/lessons": 3,
    "/api/puzzles": 2,
    "/api/progress": 2,
}
# GET requests that need the solver.
SOLVING_PATHS = re.compile(r"/api/(puzzles|lessons/|books/.*/positions$)")


class TokenBucket:
    """Token bucket for one client."""

    __slots__ = ("at", "left", "rate")

    def __init__(self, rate: Rate, now: float) -> None:
        self.rate = rate
        self.left = rate.burst
        self.at = now

    def take(self, cost: float, now: float) -> float:
        """Take `cost` tokens and return 0, or return the number of seconds until enough tokens are available."""
        burst, per_second = self.rate
        self.left = min(burst, self.left + (now - self.at) * per_second)
        self.at = now
        if self.left < cost:
            return (cost - self.left) / per_second
        self.left -= cost
        return 0.0


class RateLimiter:
    """Token buckets of all clients; the least recently used are evicted."""

    MAX_BUCKETS = 20_000

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, trusted: Collection[str] = ()) -> None:
        self._clock = clock
        self._trusted = trusted
        self._bucket = lru_cache(self.MAX_BUCKETS)(lambda _key, rate: TokenBucket(rate, clock()))

    def wait(self, address: str, token: str, cost: float) -> float:
        """Charge the client for a request and return 0, or return the number of seconds until it is allowed."""
        if address in self._trusted:
            return 0.0
        total_wait = self._take(f"all {address}", ADDRESS_TOTAL_RATE, cost)
        if token:
            return max(total_wait, self._take(f"seat {token}", SEAT_RATE, cost))
        return max(total_wait, self._take(f"address {address}", ADDRESS_RATE, cost))

    def _take(self, key: str, rate: Rate, cost: float) -> float:
        return self._bucket(key, rate).take(cost, self._clock())


def request_cost(method: str, path: str) -> float:
    if method in {"GET", "HEAD"} and not SOLVING_PATHS.match(path):
        return 1
    return max((cost for start, cost in PATH_COSTS.items() if path.startswith(start)), default=1)
