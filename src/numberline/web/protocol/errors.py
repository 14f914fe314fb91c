"""Errors reported to clients: a code for programs and a sentence for people."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from numberline.errors import NumberlineError
from numberline.text import pluralize, quote
from numberline.web.ops.logging import log_event_throttled

if TYPE_CHECKING:
    from numberline.web.store.tables import StoreError

_CODES_BY_HTTP_STATUS = {
    400: ("bad_message",),
    401: ("no_token",),
    403: ("wrong_origin", "not_allowed"),
    404: ("not_found",),
    409: ("stale", "busy", "not_your_turn", "over", "seat_taken"),
    410: ("damaged",),
    413: ("too_large",),
    422: ("unreadable_move", "illegal_move", "no_such_variant", "bad_record", "too_many_positions"),
    429: ("slow_down",),
    503: ("cannot_save",),
}
HTTP_STATUS: Final = {code: status for status, codes in _CODES_BY_HTTP_STATUS.items() for code in codes}

# Exception attributes that hold the error codes of database drivers and the operating system.
_ERROR_CODE_ATTRIBUTES = ("sqlstate", "sqlite_errorname", "errno")


class ApiError(NumberlineError):
    """Rejection of a request or message; `request` is the message's id, if it could be read."""

    seq: int | None = None
    """The number of the match's latest event, if known."""
    retry_after_s = 1
    """Seconds to wait before retrying, for the code `slow_down`."""

    def __init__(self, code: str, sentence: str, request: str | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.request = request


def not_found() -> ApiError:
    """Return the error for an unknown match or a wrong token, without revealing which of the two it is."""
    return ApiError("not_found", "This game doesn't exist. It may have been deleted; ask for a new link.")


def stale() -> ApiError:
    return ApiError("stale", "The game has moved on. Check the board and try again.")


def slow_down(wait_s: float) -> ApiError:
    seconds = math.ceil(wait_s)
    error = ApiError("slow_down", f"Too many requests; try again in {pluralize(seconds, 'second')}.")
    error.retry_after_s = seconds
    return error


def cannot_save(error: StoreError) -> ApiError:
    """Return the API error for a failed read or write; log the database's error code and message, but no data."""
    cause = getattr(error.__cause__, "orig", error.__cause__) or error
    kind = type(cause).__name__
    state = next((str(code) for name in _ERROR_CODE_ATTRIBUTES if (code := getattr(cause, name, None))), "?")
    log_event_throttled("cannot_save", "a database operation failed", error=kind, state=state, why=error.why)
    return ApiError("cannot_save", f"{error.sentence.removesuffix('.')}.")


def invalid_field_sentence(location: Iterable[int | str], message: str) -> str:
    """Return a sentence about a field that pydantic rejected.

    >>> invalid_field_sentence(("seats", 0, "PersonSeat", "name"), "Input should be a valid string")
    'seats.0.name: input should be a valid string.'
    """
    # Pydantic adds model names, which clients don't know; only these start with a capital letter.
    parts = [str(part) for part in location if not str(part)[:1].isupper()]
    field = quote(".".join(parts), 80)[1:-1] or "The message"
    message = message.removeprefix("Value error, ")
    return f"{field}: {message[:1].lower()}{message[1:].rstrip('.')}."
