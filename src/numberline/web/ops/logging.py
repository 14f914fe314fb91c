"""Logging of events and numbers, never of names, tokens, links or user input."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

# The text of messages from other loggers is omitted because it may contain personal data.
LOGGER_NAME = "numberline.web"
_LOG = logging.getLogger(LOGGER_NAME)
# For each event, the time it was last logged and how often it has been skipped since.
_THROTTLED: dict[str, tuple[float, int]] = {}


def log_event(event: str, sentence: str, *, level: int = logging.INFO, **numbers: float | str) -> None:
    """Log an event; neither `sentence` nor `numbers` may contain user input."""
    _LOG.log(level, sentence, extra={"event": event, "numbers": numbers})


def log_event_throttled(event: str, sentence: str, *, level: int = logging.ERROR, **numbers: float | str) -> None:
    """Log an event at most once per second, along with how often it has been skipped since the last time."""
    at, skipped = _THROTTLED.get(event, (0.0, 0))
    now = time.monotonic()
    if at and now - at < 1:
        _THROTTLED[event] = at, skipped + 1
        return
    _THROTTLED[event] = now, 0
    log_event(event, sentence, level=level, **numbers, **({"before": skipped} if skipped else {}))


def error_location(trace: TracebackType | None) -> str:
    """Return the file and line where an error was raised.

    >>> error_location(None)
    '?'
    """
    location = "?"
    while trace:
        location = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"  # noqa: PTH119 - faster than a Path
        trace = trace.tb_next
    return location


class TextFormatter(logging.Formatter):
    """Formatter that writes one sentence per line."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage() if _is_ours(record) else f"{record.name} logged a message"
        details = [f"{name} {number}" for name, number in getattr(record, "numbers", {}).items()]
        if record.exc_info and record.exc_info[0]:
            details.append(f"{record.exc_info[0].__name__} at {error_location(record.exc_info[2])}")
        return f"{message} ({', '.join(details)})" if details else message


class JsonFormatter(logging.Formatter):
    """Formatter that writes one JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", "noted"),
            "by": record.name,
            "process": record.process,
        }
        if _is_ours(record):
            line["sentence"] = record.getMessage()
        if record.exc_info and record.exc_info[0]:
            line |= {"error": record.exc_info[0].__name__, "place": error_location(record.exc_info[2])}
        return json.dumps(line | getattr(record, "numbers", {}))


def configure_logging(kind: str) -> None:
    """Log to standard error: warnings and errors as text, or everything as JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if kind == "json" else TextFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger(LOGGER_NAME).setLevel(logging.INFO if kind == "json" else logging.WARNING)
    logging.raiseExceptions = False  # otherwise a failing handler would print the record's data
    threading.excepthook = _log_thread_error


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name == LOGGER_NAME or record.name.startswith(f"{LOGGER_NAME}.")


def _log_thread_error(args: threading.ExceptHookArgs) -> None:
    if args.exc_value:
        _LOG.error("a thread crashed", exc_info=args.exc_value, extra={"event": "thread_ended"})
