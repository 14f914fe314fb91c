"""The house: everything that answers for books and matches, opened together and closed together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from numberline import __version__
from numberline.analysis.facts import AnalysisError
from numberline.rules.errors import BookError, IllegalMove, MoveError, NumberlineError, RecordError
from numberline.solver.table import TooLarge
from numberline.web.models import Health, Problem, ServerAbout
from numberline.web.refusals import STATUS, Refusal
from numberline.web.server import Setup
from numberline.web.socket import SORRY, Sockets, note
from numberline.web.store import StoreError
from numberline.web.study import study

CODES: dict[type[NumberlineError], str] = {
    IllegalMove: "illegal_move",
    MoveError: "unreadable_move",
    RecordError: "bad_record",
    BookError: "no_such_variant",
    TooLarge: "too_many_positions",
    AnalysisError: "not_allowed",
    StoreError: "cannot_save",
}
"""What each error of the games is called on the wire; the first that fits."""
LOCAL = "Links to a match reach only this machine. To let others in: numberline web --host 0.0.0.0"

T = TypeVar("T")


def application() -> FastAPI:
    """An application without paths, in which every error is a code and a sentence."""
    app = FastAPI(
        title="Numberline",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        redirect_slashes=False,
    )
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(NumberlineError, _refused)
    app.add_exception_handler(Exception, _failed)
    return app


def _answer(status: int, code: str, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"code": code, "sentence": sentence}, status, headers)


async def _invalid(_: Request, error: Exception) -> Response:
    """One sentence that names the first field that won't do."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    places = [str(part) for part in first.get("loc", ())[1:] if not str(part).endswith("Model")]
    field = ".".join(places) or "The request"
    said = str(first.get("msg", "it can't be read")).removeprefix("Value error, ")
    return _answer(400, "bad_message", f"{field}: {said[:1].lower()}{said[1:].rstrip('.')}.")


async def _unknown(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 400
    headers = error.headers if isinstance(error, HTTPException) else None
    if status == 404:
        return _answer(404, "not_found", "There is nothing at this address.")
    if status == 405:
        return _answer(405, "bad_message", f"{request.method[:10]} can't be done here.", headers)
    return _answer(status, "bad_message", "The request can't be read: its body is one JSON object.")


async def _refused(_: Request, error: Exception) -> Response:
    if isinstance(error, Refusal):
        headers = {"Retry-After": "1"} if error.code == "slow_down" else None
        return _answer(STATUS[error.code], error.code, error.sentence, headers)
    code = next((code for kind, code in CODES.items() if isinstance(error, kind)), "not_allowed")
    if code == "cannot_save":
        note(error, "request")
    return _answer(STATUS[code], code, sentence_of(error))


async def _failed(_: Request, error: Exception) -> Response:
    note(error, "request")
    return _answer(500, "failed", SORRY)


def sentence_of(error: Exception) -> str:
    """The engine's own sentence, from a capital letter to a full stop.

    >>> sentence_of(ValueError("there is no book 'x'"))
    "There is no book 'x'."
    """
    text = " ".join(str(error).split())
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}"


class House:
    """The application and what it stands on."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._solver = ThreadPoolExecutor(1, "solver")
        self.app = application()
        self.app.include_router(study(self.solving))

        @self.app.get("/healthz")
        async def healthz() -> Health:
            """Whether the server answers."""
            return Health(ok=True)

    async def solving(self, work: Callable[[], T]) -> T:
        """What comes of something that needs a solution, done in the one thread that solves."""
        return await asyncio.get_running_loop().run_in_executor(self._solver, work)

    async def start(self) -> None:
        """Begins to answer."""

    async def socket(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a WebSocket."""
        await self.app(scope, receive, send)

    async def farewell(self) -> None:
        """Tells everybody that the server stops."""

    async def stop(self) -> None:
        """Finishes what is being written."""
        self._solver.shutdown(cancel_futures=True)


def open_house(setup: Setup) -> House:
    """The house, with its database; raises a sentence where that can't be opened."""
    return House(setup)
