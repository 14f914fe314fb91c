"""What the server notes of what happens: an event and numbers, and never a name, a token, a link or what was typed."""

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

LOGGER_NAME = "numberline.web"
"""Only what is noted under this name is said in its own words; of others it is not known what is in them."""
_LOG = logging.getLogger(LOGGER_NAME)
_THROTTLED: dict[str, tuple[float, int]] = {}
"""When each event was noted last, and how often it has happened since."""


def log_event(event: str, sentence: str, *, level: int = logging.INFO, **numbers: float | str) -> None:
    """Notes an event; its numbers and words are ours, never somebody's."""
    _LOG.log(level, sentence, extra={"event": event, "numbers": numbers})


def log_event_throttled(event: str, sentence: str, *, level: int = logging.ERROR, **numbers: float | str) -> None:
    """Notes what may happen a thousand times a second, once in a second, with how often it was not noted before."""
    at, unsaid = _THROTTLED.get(event, (0.0, 0))
    now = time.monotonic()
    if at and now - at < 1:
        _THROTTLED[event] = at, unsaid + 1
        return
    _THROTTLED[event] = now, 0
    log_event(event, sentence, level=level, **numbers, **({"before": unsaid} if unsaid else {}))


def error_location(trace: TracebackType | None) -> str:
    """The file and line where something went wrong.

    >>> error_location(None)
    '?'
    """
    where = "?"
    while trace:
        where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"  # noqa: PTH119 - no path is needed
        trace = trace.tb_next
    return where


class TextFormatter(logging.Formatter):
    """A sentence a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The sentence, and of an error its kind and place."""
        said = record.getMessage() if _is_ours(record) else f"{record.name} has noted something"
        numbers = getattr(record, "numbers", {})
        told = [f"{name} {number}" for name, number in numbers.items()]
        if record.exc_info and record.exc_info[0]:
            told.append(f"{record.exc_info[0].__name__} at {error_location(record.exc_info[2])}")
        return f"{said} ({', '.join(told)})" if told else said


class JsonFormatter(logging.Formatter):
    """A JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """When, how grave, what, and its numbers."""
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
    """From now on everything that is noted goes to the standard error: what went wrong, or, as JSON, everything."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if kind == "json" else TextFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger(LOGGER_NAME).setLevel(logging.INFO if kind == "json" else logging.WARNING)
    logging.raiseExceptions = False  # what can't be noted is not printed with all that was in it
    threading.excepthook = _fell


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name == LOGGER_NAME or record.name.startswith(f"{LOGGER_NAME}.")


def _fell(fallen: threading.ExceptHookArgs) -> None:
    """Notes a thread that ended with an error."""
    if fallen.exc_value:
        _LOG.error("a thread has ended", exc_info=fallen.exc_value, extra={"event": "thread_ended"})
