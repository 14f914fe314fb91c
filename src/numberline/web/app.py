"""The house: everything that answers for books and matches, opened together and closed together."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from numberline import __version__
from numberline.analysis.facts import AnalysisError
from numberline.rules.errors import BookError, IllegalMove, MoveError, NumberlineError, RecordError, shown
from numberline.solver.table import TooLarge
from numberline.web.api import about, matches
from numberline.web.following import Follower
from numberline.web.logbook import happened
from numberline.web.measures import MeasuredService
from numberline.web.refusals import STATUS, Refusal, cannot_save
from numberline.web.schema import VERSION, version_of, wrong_version
from numberline.web.setup import Setup
from numberline.web.socket import SORRY, Sockets, note
from numberline.web.store import Store, StoreError
from numberline.web.streams import streams
from numberline.web.study import study
from numberline.web.tallies import REFUSED
from numberline.web.writer import Writer

CODES: dict[type[NumberlineError], str] = {
    IllegalMove: "illegal_move",
    MoveError: "unreadable_move",
    RecordError: "bad_record",
    BookError: "no_such_variant",
    TooLarge: "too_many_positions",
    AnalysisError: "not_allowed",
}
"""What each error of the games is called on the wire; the first that fits."""


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
    REFUSED[code] += 1
    return JSONResponse({"code": code, "sentence": sentence}, status, headers)


async def _invalid(_: Request, error: Exception) -> Response:
    """One sentence that names the first field that won't do."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    if first.get("type") == "json_invalid":
        return _answer(400, "bad_message", "The request can't be read: its body is not JSON.")
    places = [str(part) for part in first.get("loc", ())[1:] if not str(part).endswith("Model")]
    field = shown(".".join(places), 80)[1:-1] or "The request"
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
    if isinstance(error, StoreError):
        error = cannot_save(error)
    if isinstance(error, Refusal):
        headers = {"Retry-After": "1"} if error.code == "slow_down" else None
        return _answer(STATUS[error.code], error.code, sentence_of(error), headers)
    code = next((code for kind, code in CODES.items() if isinstance(error, kind)), "not_allowed")
    return _answer(STATUS[code], code, sentence_of(error))


async def _failed(_: Request, error: Exception) -> Response:
    note(error, "request")
    return _answer(500, "failed", SORRY)


def sentence_of(error: Exception) -> str:
    """The engine's own sentence, from a capital letter to a full stop; where it has several, one a line.

    >>> sentence_of(ValueError("there is no book 'x'"))
    "There is no book 'x'."
    """
    text = str(error).replace(", or a path to a .toml file", "")  # nobody has files here
    return "\n".join(_finished(" ".join(line.split())) for line in text.splitlines() if line.strip()) or SORRY


def _finished(text: str) -> str:
    if text.partition(" ")[0].isalpha():
        text = f"{text[:1].upper()}{text[1:]}"
    return f"{text}{'' if text.endswith(('.', '?', '!')) else '.'}"


class House:
    """The application and what it stands on: the database, its writer, and the service of all tables."""

    def __init__(self, setup: Setup) -> None:
        self.store = Store(setup.database)
        self.writer = Writer(self.store)
        self.service = MeasuredService(self.store, self.writer, keep=setup.keep)
        self.follower = Follower(self.service.tables, setup.database) if self.store.shared else None
        self.socket = Sockets(self.service)
        """Answers a WebSocket."""
        self.app = application()
        self.app.include_router(study(self.service.think))
        self.app.include_router(matches(self.service, setup))
        self.app.include_router(about(setup))
        self.app.include_router(streams(self.service))

    def trouble(self) -> str:
        """Why the database can't be used, in a sentence; nothing where it can."""
        try:
            with self.store.reading() as connection:
                version = version_of(connection)
                return "" if version == VERSION else f"{wrong_version(connection.engine.url, version or 0)}."
        except StoreError:
            return "The database can't be read."

    async def start(self) -> None:
        """Begins to answer."""
        await self.writer.start()
        await self.service.start()
        if self.follower:
            await self.follower.start()
        happened("opened", "the table is open", version=__version__)

    async def farewell(self) -> None:
        """Tells everybody that the server stops, once what they asked for is stored."""
        if self.follower:
            await self.follower.stop()
        await self.service.stop()
        await self.socket.farewell()

    async def stop(self) -> None:
        """Comes after the farewell: finishes what is being written, and closes the database."""
        await self.writer.stop()
        self.store.close()
        happened("closed", "the table is closed", batches=self.writer.batches, events=self.writer.written)


def open_house(setup: Setup) -> House:
    """The house, with its database; raises a sentence where that can't be opened."""
    return House(setup)
