"""The ASGI application and the lifecycle of its services."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from numberline import __version__
from numberline.errors import BookError, IllegalMove, MoveError, NumberlineError, RecordError
from numberline.explain.queries import AnalysisError
from numberline.progress.document import NewerFormat, ProgressError
from numberline.solver.index import TooManyPositions
from numberline.web.gateway import Gateway
from numberline.web.ops.config import ServerConfig
from numberline.web.ops.logging import log_event
from numberline.web.ops.metrics import LIVE_TABLES, MULTIPROCESS_DIR_VARIABLE, OPEN_SOCKETS, record_rejection
from numberline.web.protocol.errors import HTTP_STATUS, ApiError, cannot_save, invalid_field_sentence
from numberline.web.rooms.registry import RoomRegistry
from numberline.web.rooms.service import MatchService
from numberline.web.routes.matches import bot_routes, match_routes, server_routes
from numberline.web.routes.study import progress_routes, study_routes
from numberline.web.routes.websocket import INTERNAL_ERROR_MESSAGE, WebSocketRoutes, log_error
from numberline.web.store.store import Store, StoreError
from numberline.web.store.sync import ClusterSync
from numberline.web.store.tables import SCHEMA_VERSION, schema_version, version_mismatch_message
from numberline.web.store.write_queue import WriteQueue

GAUGE_INTERVAL_S = 5.0
# API error codes by exception type; if several types apply, the first is used.
ERROR_CODES: dict[type[NumberlineError], str] = {
    IllegalMove: "illegal_move",
    MoveError: "unreadable_move",
    RecordError: "bad_record",
    BookError: "no_such_variant",
    TooManyPositions: "too_many_positions",
    AnalysisError: "not_allowed",
    ProgressError: "bad_message",
    NewerFormat: "bad_message",
}


def create_app(config: ServerConfig) -> Gateway:
    """Return the web server as an ASGI application that any ASGI server can run or another application can mount.

    Its lifespan opens and closes all resources. An application that mounts it must run that lifespan:

        games = create_app(ServerConfig("games.db"))
        app = Starlette(routes=[Mount("/games", games)], lifespan=games.lifespan)
    """
    return Gateway(config)


def create_fastapi() -> FastAPI:
    """Return a FastAPI application with no routes; all its error responses contain a code and a sentence."""
    return FastAPI(
        title="Numberline",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        redirect_slashes=False,
        exception_handlers={
            RequestValidationError: _answer_invalid_request,
            HTTPException: _answer_http_error,
            NumberlineError: _answer_rejected,
            Exception: _answer_internal_error,
        },
    )


def _error_response(status: int, code: str, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    record_rejection(code)
    return JSONResponse({"code": code, "sentence": sentence}, status, headers)


async def _answer_invalid_request(_: Request, error: RequestValidationError) -> Response:
    """Return a 400 response that names the first invalid field."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _error_response(400, "bad_message", "The request can't be read: its body is not JSON.")
    return _error_response(400, "bad_message", invalid_field_sentence(first["loc"][1:], first["msg"]))


async def _answer_http_error(request: Request, error: HTTPException) -> Response:
    status = error.status_code
    if status == 404:
        return _error_response(404, "not_found", "There is nothing at this address.")
    if status == 405:
        sentence = f"The method {request.method[:10]} is not allowed here."
        return _error_response(405, "bad_message", sentence, error.headers)
    return _error_response(status, "bad_message", "The request can't be read: its body must be one JSON object.")


async def _answer_rejected(_: Request, error: NumberlineError) -> Response:
    if isinstance(error, StoreError):
        error = cannot_save(error)
    if isinstance(error, ApiError):
        headers = {"Retry-After": str(error.retry_after_s)} if error.code == "slow_down" else None
        return _error_response(HTTP_STATUS[error.code], error.code, error_sentence(error), headers)
    code = next((code for kind, code in ERROR_CODES.items() if isinstance(error, kind)), "not_allowed")
    return _error_response(HTTP_STATUS[code], code, error_sentence(error))


async def _answer_internal_error(_: Request, error: Exception) -> Response:
    log_error(error, "request")
    return _error_response(500, "failed", INTERNAL_ERROR_MESSAGE)


def error_sentence(error: Exception) -> str:
    """Return an error's message as complete sentences, one per line.

    >>> error_sentence(ValueError("unknown book 'x'"))
    "Unknown book 'x'."
    """
    text = str(error).replace(", or a path to a .toml file", "")  # the API does not accept paths
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return "\n".join(map(_as_sentence, lines)) or INTERNAL_ERROR_MESSAGE


def _as_sentence(text: str) -> str:
    if text.partition(" ")[0].isalpha():
        text = f"{text[:1].upper()}{text[1:]}"
    return text if text.endswith((".", "?", "!")) else f"{text}."


class WebApp:
    """The database and the services built on it: write queue, match service, WebSockets and HTTP routes."""

    def __init__(self, config: ServerConfig) -> None:
        self.store = Store(config.database)
        self.writer = WriteQueue(self.store)
        offered_books = dict(config.books)
        registry = RoomRegistry(
            self.store, self.writer, keep_days=config.keep, offered_books=offered_books, solvers=config.solvers
        )
        self.service = MatchService(registry)
        self.cluster_sync = ClusterSync(self.service.registry, config.database) if self.store.shared else None
        self.socket = WebSocketRoutes(self.service)
        self.app = create_fastapi()
        self.app.include_router(study_routes(registry.solver_pool, offered_books))
        self.app.include_router(match_routes(self.service, config))
        self.app.include_router(progress_routes(self.service))
        self.app.include_router(server_routes(self.service, config))
        self.app.include_router(bot_routes(self.service))
        self.compressed = GZipMiddleware(self.app)
        """`app` with gzip compression; not used for NDJSON streams, because compression would delay their lines."""

    def health_error(self) -> str:
        """Return the reason the database can't be used, or an empty string if it can."""
        if self.store.damaged:
            return "The database file is damaged; restore a backup."
        try:
            with self.store.read_transaction() as connection:
                version = schema_version(connection)
                if version == SCHEMA_VERSION:
                    return ""
                return _as_sentence(version_mismatch_message(connection.engine.url, version or 0))
        except StoreError:
            return "The database can't be read."

    def update_gauges(self) -> None:
        """Set the gauges to this process's current numbers of WebSockets and matches."""
        OPEN_SOCKETS.set(len(self.socket.subscribers))
        LIVE_TABLES.set(len(self.service.registry.rooms))

    async def start(self) -> None:
        """Start the background threads and tasks, and resume unfinished matches."""
        await self.writer.start()
        await self.service.registry.start()
        if self.cluster_sync:
            await self.cluster_sync.start()
        if MULTIPROCESS_DIR_VARIABLE in os.environ:  # a request for /metrics may reach another process
            self.service.registry.spawn(self._update_gauges())
        log_event("opened", "the server has started", version=__version__)

    async def notify_shutdown(self) -> None:
        """Wait briefly for pending writes, then tell clients to reconnect."""
        if self.cluster_sync:
            await self.cluster_sync.stop()
        await self.service.registry.stop()
        await self.socket.notify_shutdown()

    async def stop(self) -> None:
        """Finish pending writes and close the database. The caller must await `notify_shutdown` first."""
        try:
            await self.writer.stop()
        finally:
            self.store.close()
        log_event("closed", "the server has stopped", batches=self.writer.batches, events=self.writer.written)

    async def _update_gauges(self) -> None:
        while True:
            self.update_gauges()
            await asyncio.sleep(GAUGE_INTERVAL_S)
