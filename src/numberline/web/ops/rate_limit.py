"""Rate limits: one token bucket per seat, or per address for clients without a seat."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from contextvars import ContextVar
from functools import lru_cache
from ipaddress import IPv6Network
from typing import NamedTuple

from numberline.web.ops.security import parse_ip
from numberline.web.protocol.errors import slow_down


class Rate(NamedTuple):
    """Burst size and refill rate of a token bucket."""

    burst: float
    per_second: float


SEAT_RATE = Rate(120, 10)
ADDRESS_RATE = Rate(2_000, 100)  # enough for a whole class that opens pages at the same time
ADDRESS_TOTAL_RATE = Rate(8_000, 800)  # limits clients that create many seats to get more buckets
FRAME_RATE = Rate(300, 100)
BOOK_BYTES_RATE = Rate(5_000_000, 5_000_000 / 86_400)  # bytes of custom books that an address can store per day
IPV6_CLIENT_PREFIX = 64  # one household or server usually has a whole network
# Cost, by path prefix, of requests that are not GET; all other requests cost 1. `SolverPool` charges for solving.
PATH_COSTS = {"/api/matches": 5, "/api/review": 20, "/api/books": 3, "/api/progress": 2}


class TokenBucket:
    """Tokens that a client can spend on requests; they are replenished at a constant rate."""

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


class Quota:
    """Limits on concurrent use, per client and in total; the client `""` counts only towards the total."""

    def __init__(self, per_client: int, total: int) -> None:
        self._per_client, self._free = per_client, total
        self._used: Counter[str] = Counter()

    def take(self, client: str, amount: int = 1) -> bool:
        """Reserve an amount and return True, or return False if that would exceed a limit."""
        if amount > self._free or (client and self._used[client] + amount > self._per_client):
            return False
        self._used[client] += amount
        self._free -= amount
        return True

    def release(self, client: str, amount: int = 1) -> None:
        self._free += amount
        self._used[client] -= amount
        if not self._used[client]:
            del self._used[client]


class RateLimiter:
    """Token buckets of all clients; the least recently used are evicted."""

    MAX_BUCKETS = 20_000

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, trusted: Collection[str] = ()) -> None:
        self._clock = clock
        self.trusted = trusted
        self._bucket = lru_cache(self.MAX_BUCKETS)(lambda _key, rate: TokenBucket(rate, clock()))
        self._seats: dict[str, None] = {}

    def add_seat(self, token: str) -> None:
        """Give a token that owns a seat its own bucket; requests with any other token are counted by address."""
        self._seats.pop(token, None)
        self._seats[token] = None
        if len(self._seats) > self.MAX_BUCKETS:
            del self._seats[next(iter(self._seats))]

    def wait(self, address: str, token: str, cost: float, book_bytes: int = 0) -> float:
        """Charge the client for a request and return 0, or return the number of seconds until it is allowed."""
        if address in self.trusted:
            return 0.0
        total_wait = self._take(f"all {address}", ADDRESS_TOTAL_RATE, cost)
        if book_bytes:
            total_wait = max(total_wait, self._take(f"bytes {address}", BOOK_BYTES_RATE, book_bytes))
        own = (f"seat {token}", SEAT_RATE) if token in self._seats else (f"address {address}", ADDRESS_RATE)
        return max(total_wait, self._take(*own, cost))

    def _take(self, key: str, rate: Rate, cost: float) -> float:
        return self._bucket(key, rate).take(cost, self._clock())


def request_cost(method: str, path: str) -> float:
    if method in {"GET", "HEAD"}:
        return 1
    return max((cost for start, cost in PATH_COSTS.items() if path.startswith(start)), default=1)


class Client(NamedTuple):
    """Client of the current request or WebSocket; empty for work that the server starts itself."""

    address: str = ""
    token: str = ""
    limiter: RateLimiter | None = None

    def charge(self, cost: float, book_bytes: int = 0) -> None:
        """Charge the client for work and stored bytes; raise `ApiError` if it must wait."""
        if self.limiter and (wait_s := self.limiter.wait(self.address, self.token, cost, book_bytes)):
            raise slow_down(wait_s)

    def add_seat(self, token: str) -> None:
        if self.limiter:
            self.limiter.add_seat(token)

    @property
    def limited_address(self) -> str:
        """The address, or an empty string if it is not rate-limited."""
        return "" if self.limiter and self.address in self.limiter.trusted else self.address


CURRENT_CLIENT: ContextVar[Client] = ContextVar("client", default=Client())  # noqa: B039 - immutable


def client_address(address: str) -> str:
    """Return the part of an address that identifies a client.

    >>> client_address("192.0.2.7"), client_address("2001:db8::1:2:3:4")
    ('192.0.2.7', '2001:db8::/64')
    """
    ip = parse_ip(address)
    if ip is None or ip.version == 4 or ip.is_loopback:
        return address
    return str(ip.ipv4_mapped or IPv6Network((ip, IPV6_CLIENT_PREFIX), strict=False))
