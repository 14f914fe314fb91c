"""What is refused at the table in a browser: a code for the program, a sentence for the person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numberline.errors import NumberlineError
from numberline.web.ops.logging import log_event_throttled

if TYPE_CHECKING:
    from numberline.web.store.tables import StoreError

HTTP_STATUS: Final[dict[str, int]] = {
    "bad_message": 400,
    "no_token": 401,
    "wrong_origin": 403,
    "not_allowed": 403,
    "not_found": 404,
    "stale": 409,
    "busy": 409,
    "not_your_turn": 409,
    "over": 409,
    "seat_taken": 409,
    "damaged": 410,
    "too_large": 413,
    "unreadable_move": 422,
    "illegal_move": 422,
    "no_such_variant": 422,
    "bad_record": 422,
    "too_many_positions": 422,
    "slow_down": 429,
    "cannot_save": 503,
}
"""Every code, and the HTTP status that says the same."""


_STATES = ("sqlstate", "sqlite_errorname", "errno")
"""Where a database or a system says by a code of its own what went wrong."""


class ApiError(NumberlineError):
    """Something that is not done; `sentence` says what happened and what to do."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence

    @property
    def status(self) -> int:
        """The HTTP status that goes with it."""
        return HTTP_STATUS[self.code]


def not_found() -> ApiError:
    """What is said where there is no such match, and just the same where the token is not of it."""
    return ApiError("not_found", "There is no such game here. Perhaps it was deleted; ask for a new link.")


def stale() -> ApiError:
    """What is said to somebody who has not seen what has happened meanwhile."""
    return ApiError("stale", "The game has gone on meanwhile. Look at the board again.")


def cannot_save(error: StoreError) -> ApiError:
    """What is said where the store fails; it is noted, too, in the database's words, without what was to be stored."""
    cause = getattr(error.__cause__, "orig", error.__cause__) or error
    state = next((str(found) for name in _STATES if (found := getattr(cause, name, None))), "?")
    log_event_throttled("cannot_save", "the database failed", error=type(cause).__name__, state=state, why=error.why)
    return ApiError("cannot_save", f"{error.sentence.removesuffix('.')}.")
