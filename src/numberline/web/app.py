"""The house: everything that answers for books and matches, opened together and closed together."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from numberline import __version__
from numberline.errors import BookError, IllegalMove, MoveError, NumberlineError, RecordError
from numberline.explain.queries import AnalysisError
from numberline.solver.index import TooManyPositions
from numberline.web.ops.config import ServerConfig
from numberline.web.ops.logging import log_event
from numberline.web.ops.metrics import record_ack
from numberline.web.ops.tallies import ERROR_COUNTS
from numberline.web.protocol.errors import HTTP_STATUS, ApiError, cannot_save, invalid_field_sentence
from numberline.web.rooms.service import MatchService
from numberline.web.routes.matches import match_routes, server_routes
from numberline.web.routes.ndjson import ndjson_routes
from numberline.web.routes.study import study_routes
from numberline.web.routes.websocket import INTERNAL_ERROR_MESSAGE, WebSocketRoutes, log_error
from numberline.web.store.store import Store, StoreError
from numberline.web.store.sync import ClusterSync
from numberline.web.store.tables import SCHEMA_VERSION, schema_version, version_mismatch_message
from numberline.web.store.write_queue import WriteQueue

ERROR_CODES: dict[type[NumberlineError], str] = {
    IllegalMove: "illegal_move",
    MoveError: "unreadable_move",
    RecordError: "bad_record",
    BookError: "no_such_variant",
    TooManyPositions: "too_many_positions",
    AnalysisError: "not_allowed",
}
"""What each error of the games is called on the wire; the first that fits."""


def create_fastapi() -> FastAPI:
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
    ERROR_COUNTS[code] += 1
    return JSONResponse({"code": code, "sentence": sentence}, status, headers)


async def _invalid(_: Request, error: Exception) -> Response:
    """One sentence that names the first field that won't do."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    if first.get("type") == "json_invalid":
        return _answer(400, "bad_message", "The request can't be read: its body is not JSON.")
    sentence = invalid_field_sentence(first.get("loc", ())[1:], str(first.get("msg", "it can't be read")))
    return _answer(400, "bad_message", sentence)


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
    if isinstance(error, ApiError):
        headers = {"Retry-After": "1"} if error.code == "slow_down" else None
        return _answer(HTTP_STATUS[error.code], error.code, error_sentence(error), headers)
    code = next((code for kind, code in ERROR_CODES.items() if isinstance(error, kind)), "not_allowed")
    return _answer(HTTP_STATUS[code], code, error_sentence(error))


async def _failed(_: Request, error: Exception) -> Response:
    log_error(error, "request")
    return _answer(500, "failed", INTERNAL_ERROR_MESSAGE)


def error_sentence(error: Exception) -> str:
    """The engine's own sentence, from a capital letter to a full stop; where it has several, one a line.

    >>> error_sentence(ValueError("there is no book 'x'"))
    "There is no book 'x'."
    """
    text = str(error).replace(", or a path to a .toml file", "")  # nobody has files here
    return (
        "\n".join(_finished(" ".join(line.split())) for line in text.splitlines() if line.strip())
        or INTERNAL_ERROR_MESSAGE
    )


def _finished(text: str) -> str:
    if text.partition(" ")[0].isalpha():
        text = f"{text[:1].upper()}{text[1:]}"
    return f"{text}{'' if text.endswith(('.', '?', '!')) else '.'}"


class WebApp:
    """The application and what it stands on: the database, its writer, and the service of all tables."""

    def __init__(self, setup: ServerConfig) -> None:
        self.store = Store(setup.database)
        self.writer = WriteQueue(self.store)
        offered_books = dict(setup.books)
        self.service = MatchService(
            self.store, self.writer, keep_days=setup.keep, offered_books=offered_books, on_ack=record_ack
        )
        self.cluster_sync = ClusterSync(self.service.registry, setup.database) if self.store.shared else None
        self.socket = WebSocketRoutes(self.service)
        """Answers a WebSocket."""
        self.app = create_fastapi()
        self.app.include_router(study_routes(self.service.run_in_solver, offered_books))
        self.app.include_router(match_routes(self.service, setup))
        self.app.include_router(server_routes(setup))
        self.app.include_router(ndjson_routes(self.service))

    def health_error(self) -> str:
        """Why the database can't be used, in a sentence; nothing where it can."""
        try:
            with self.store.read_transaction() as connection:
                version = schema_version(connection)
                return (
                    ""
                    if version == SCHEMA_VERSION
                    else f"{version_mismatch_message(connection.engine.url, version or 0)}."
                )
        except StoreError:
            return "The database can't be read."

    async def start(self) -> None:
        """Begins to answer."""
        await self.writer.start()
        await self.service.registry.start()
        if self.cluster_sync:
            await self.cluster_sync.start()
        log_event("opened", "the table is open", version=__version__)

    async def notify_shutdown(self) -> None:
        """Tells everybody that the server stops, once what they asked for is stored."""
        if self.cluster_sync:
            await self.cluster_sync.stop()
        await self.service.registry.stop()
        await self.socket.notify_shutdown()

    async def stop(self) -> None:
        """Comes after the farewell: finishes what is being written, and closes the database."""
        await self.writer.stop()
        self.store.close()
        log_event("closed", "the table is closed", batches=self.writer.batches, events=self.writer.written)


def open_app(setup: ServerConfig) -> WebApp:
    """The house, with its database; raises a sentence where that can't be opened."""
    return WebApp(setup)
