"""Where the server counts what it does: so cheap that every move can be counted."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter


class Histogram:
    """How many of something were at most so much, for each of a few steps."""

    __slots__ = ("counts", "steps", "sum")

    def __init__(self, *steps: float) -> None:
        self.steps = steps
        self.counts = [0] * (len(steps) + 1)
        """How many came between each step and the one before; the last is for all beyond."""
        self.sum = 0.0

    def count(self, amount: float) -> None:
        """Counts one more.

        >>> sizes = Histogram(1, 10)
        >>> for size in (1, 5, 11):
        ...     sizes.count(size)
        >>> sizes.counts, sizes.sum
        ([1, 1, 1], 17.0)
        """
        self.counts[bisect_left(self.steps, amount)] += 1
        self.sum += amount


ACK_SECONDS = Histogram(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""Seconds from a message to its acknowledgement."""
BATCH_SIZES = Histogram(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""How many events were stored together."""
ERROR_COUNTS: Counter[str] = Counter()
"""How often something was refused, by code."""
