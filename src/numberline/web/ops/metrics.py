"""How much happens here, counted for whoever looks after the server; nothing of what, and nobody's."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from numberline.web.ops.tallies import ACK_SECONDS, BATCH_SIZES, ERROR_COUNTS, Histogram

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from numberline.web.app import WebApp

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_DONE: Counter[str] = Counter()
"""How often each kind of message was acknowledged."""


def record_ack(kind: str, seconds: float) -> None:
    """Count an acknowledged message and the time it took."""
    ACK_SECONDS.count(seconds)
    _DONE[kind] += 1


class MetricsCollector:
    """What is counted, as Prometheus asks for it; each process answers for itself, and says which it is."""

    def __init__(self, house: WebApp) -> None:
        self._house = house

    def collect(self) -> Iterator[Metric]:
        """All figures."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        worker = str(os.getpid())
        told = {
            "numberline_open_sockets": ("WebSockets that are open.", self._house.socket.open_count),
            "numberline_live_tables": ("Matches that are held in memory.", self._house.service.registry.room_count),
        }
        for name, (says, number) in told.items():
            gauge = GaugeMetricFamily(name, says, labels=["worker"])
            gauge.add_metric([worker], number)
            yield gauge
        counted = {
            "numberline_acknowledged": ("Messages that were stored and acknowledged, by kind.", "kind", _DONE),
            "numberline_refused": ("Requests and messages that were refused, by code.", "code", ERROR_COUNTS),
        }
        for name, (says, label, counts) in counted.items():
            counter = CounterMetricFamily(name, says, labels=["worker", label])
            for word, number in sorted(counts.copy().items()):
                counter.add_metric([worker, word], number)
            yield counter
        moves = CounterMetricFamily("numberline_moves", "Moves of people that were acknowledged.", labels=["worker"])
        moves.add_metric([worker], _DONE["move"])
        yield moves
        tallied = {
            "numberline_acknowledgement_seconds": ("From a message to its acknowledgement.", ACK_SECONDS),
            "numberline_batch_events": ("Events that were stored in one transaction.", BATCH_SIZES),
        }
        for name, (says, tally) in tallied.items():
            histogram = HistogramMetricFamily(name, says, labels=["worker"])
            histogram.add_metric([worker], *_buckets(tally))
            yield histogram


def _buckets(tally: Histogram) -> tuple[list[tuple[str, float]], float]:
    """How many were at most so much, for each step, and all of them together."""
    below = 0
    buckets: list[tuple[str, float]] = []
    for step, count in zip([*map(str, tally.steps), "+Inf"], tuple(tally.counts), strict=True):
        below += count
        buckets.append((step, below))
    return buckets, tally.sum


def render_metrics(house: WebApp) -> bytes:
    """All figures as Prometheus reads them."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(MetricsCollector(house))
    return generate_latest(registry)
