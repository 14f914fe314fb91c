"""Server metrics (counts and latencies only, no content or personal data).

With `--workers`, the supervisor sets PROMETHEUS_MULTIPROC_DIR, and every process reports the totals of all processes.
"""

from __future__ import annotations

import os
from functools import cache

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MULTIPROCESS_DIR_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
_REGISTRY = CollectorRegistry()

_MOVES = Counter("numberline_moves", "Moves by human players that were stored and acknowledged.", registry=_REGISTRY)
_ACKNOWLEDGED = Counter(
    "numberline_acknowledged", "Messages that were stored and acknowledged, by kind.", ["kind"], registry=_REGISTRY
)
_acknowledged = cache(_ACKNOWLEDGED.labels)
_REFUSED = Counter("numberline_refused", "Rejected requests and messages, by code.", ["code"], registry=_REGISTRY)
_ACKNOWLEDGEMENT_SECONDS = Histogram(
    "numberline_acknowledgement_seconds",
    "Time from receiving a message to acknowledging it.",
    registry=_REGISTRY,
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
BATCH_EVENTS = Histogram(
    "numberline_batch_events",
    "Events stored per transaction.",
    registry=_REGISTRY,
    buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
)
OPEN_SOCKETS = Gauge("numberline_open_sockets", "Open WebSockets.", registry=_REGISTRY, multiprocess_mode="livesum")
LIVE_TABLES = Gauge("numberline_live_tables", "Matches in memory.", registry=_REGISTRY, multiprocess_mode="livesum")


def record_ack(kind: str, seconds: float) -> None:
    _ACKNOWLEDGEMENT_SECONDS.observe(seconds)
    _acknowledged(kind).inc()
    if kind == "move":
        _MOVES.inc()


def record_rejection(code: str) -> None:
    _REFUSED.labels(code).inc()


def render_metrics() -> bytes:
    """Return all metrics in Prometheus text format."""
    registry = _REGISTRY
    if MULTIPROCESS_DIR_VARIABLE in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    processes = CollectorRegistry()
    prometheus_client.ProcessCollector(registry=processes)
    return prometheus_client.generate_latest(registry) + prometheus_client.generate_latest(processes)
