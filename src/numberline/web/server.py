"""The server: pages are there at once, while everything that a match needs is still being loaded."""

from __future__ import annotations

import asyncio
import errno
import logging
import math
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import uvicorn

from numberline.rules.errors import NumberlineError
from numberline.rules.wording import counted
from numberline.web.guard import AT_HOME, SAFE, Guard, headers_of, is_address, is_token, protection, token_in
from numberline.web.limits import Limits, cost_of
from numberline.web.pages import Reply, Send, Shelf, problem

if TYPE_CHECKING:
    from numberline.web.app import House

SECONDS_TO_LEAVE = 5
"""How long a stop waits for connections that don't close."""
SECONDS_TO_SEND = 20
"""How long the body of a request may take."""
LARGEST = {"/api/review": 4_000_000}
LARGEST_BODY = 400_000
"""Bytes; the body of no request is longer, but for those listed."""

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]


class WebError(NumberlineError):
    """A server that can't be opened; the text says why and what to do."""


class Setup(NamedTuple):
    """How the server was started."""

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str = ""
    keep: int = 90
    """So many days after its end a match is kept."""

    @property
    def local_only(self) -> bool:
        """Whether nobody but this machine can reach it."""
        return not self.public_url and self.host in {"127.0.0.1", "localhost", "::1"}

    @property
    def open_to_all(self) -> bool:
        """Whether it answers on every address of this machine."""
        return self.host in {"0.0.0.0", "::"}  # noqa: S104 - it is only compared

    def base(self, host: str, scheme: str) -> str:
        """What links begin with, for somebody who reached the server by this host; others must reach it too."""
        if self.public_url:
            return self.public_url
        if self.open_to_all and host.rpartition(":")[0] in AT_HOME:
            return f"http://{near_address()}:{self.port}"
        return f"{'https' if scheme in {'https', 'wss'} else 'http'}://{host}"

    def guard(self) -> Guard:
        """Who may ask this server."""
        names = (socket.gethostname(), f"{socket.gethostname()}.local") if self.open_to_all else (self.host,)
        return Guard(self.public_url, names, any_address=self.open_to_all or is_address(self.host))


class Front:
    """Answers for pages and files itself, turns strangers away, and passes on the rest once the house is open."""

    def __init__(self, setup: Setup, opened: Callable[[Setup], House]) -> None:
        self.setup = setup
        self.guard = setup.guard()
        self.limits = Limits(trusted=frozenset() if setup.public_url else frozenset(AT_HOME))
        self.shelf = Shelf()
        self.failed: BaseException | None = None
        self.stop: Callable[[], None] = lambda: None
        """What to call when the house can't be opened."""
        self._opened = opened
        self._opening: asyncio.Task[House] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, as ASGI has it."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def house(self) -> House:
        """What answers for matches, once it is open."""
        if self._opening is None:
            self.begin()
        return await asyncio.shield(cast("asyncio.Task[House]", self._opening))

    def begin(self) -> None:
        """Begins to open the house, beside everything else."""
        self._opening = asyncio.create_task(self._open())
        self._opening.add_done_callback(self._noticed)

    async def _open(self) -> House:
        house = await asyncio.to_thread(self._opened, self.setup)
        await house.start()
        return house

    def _noticed(self, opening: asyncio.Task[House]) -> None:
        if not opening.cancelled() and opening.exception():
            self.failed = opening.exception()
            self.stop()

    async def farewell(self) -> None:
        """Tells everybody at a table that the server stops."""
        if self._opening and self._opening.done() and not self.failed:
            await self._opening.result().farewell()

    async def close(self) -> None:
        """Finishes what is being written, and closes the database."""
        if self._opening is None:
            return
        await asyncio.wait([self._opening])
        if not self._opening.cancelled() and not self._opening.exception():
            await self._opening.result().stop()

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.begin()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = self._turned(scope, headers_of(scope))
        if reply is None:
            await (await self.house()).socket(scope, receive, send)
            return
        headers = [(b"content-type", reply.media.encode()), *reply.headers, *protection("/api")]
        await send({"type": "websocket.http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": reply.body})

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]

        async def protected(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *protection(path)]
            await send(message)

        head = scope["method"] == "HEAD"
        reply = self._own(scope, path)
        if reply is None:
            received = await _whole(receive, headers_of(scope), LARGEST.get(path, LARGEST_BODY))
            if received is not None:
                await (await self.house()).app(
                    dict(scope, method="GET" if head else scope["method"]), received, protected
                )
                return
            reply = problem(413, "too_large", "That is too long for this server; send less.", (b"connection", b"close"))
        await reply.send(protected, head=head)

    def _own(self, scope: Scope, path: str) -> Reply | None:
        """The answer to what needs no house: a stranger's request, a page, a file."""
        headers = headers_of(scope)
        turned = self._turned(scope, headers)
        if turned:
            return turned
        reply = self.shelf.reply(path, headers)
        if reply and scope["method"] not in SAFE:
            return problem(405, "bad_message", "A page can only be read.", (b"allow", b"GET, HEAD"))
        return reply

    def _turned(self, scope: Scope, headers: dict[bytes, bytes]) -> Reply | None:
        """The answer to somebody who may not ask, or asks too much."""
        turned = self.guard.turned(scope)
        if turned:
            return problem(*turned)
        path, token = scope["path"], token_in(headers)
        if not path.startswith("/api"):
            return None
        address = (scope.get("client") or ("",))[0]
        cost = cost_of(scope.get("method", "GET"), path)
        wait = math.ceil(self.limits.wait(address, token if is_token(token) else "", cost))
        if not wait:
            return None
        sentence = f"That was too much at once; try again in {counted(wait, 'second')}."
        return problem(429, "slow_down", sentence, (b"retry-after", str(wait).encode()))


def near_address() -> str:
    """The address of this machine in its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent; it only asks which way it would go
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


async def _whole(receive: Receive, headers: dict[bytes, bytes], largest: int) -> Receive | None:
    """Where the body of a request can be had, once all of it is here; None where it is too long or too slow."""
    told = headers.get(b"content-length", b"0")
    if not told.isdigit() or len(told) > 12 or int(told) > largest:
        return None
    body, more = b"", True
    try:
        async with asyncio.timeout(SECONDS_TO_SEND):
            while more and len(body) <= largest:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
    except TimeoutError:
        return None
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> dict[str, Any]:
        return waiting.pop() if waiting else await receive()

    return received if len(body) <= largest else None


class _Server(uvicorn.Server):
    """A server that says goodbye before it closes, and ends at once when it is told twice."""

    def __init__(self, config: uvicorn.Config, front: Front, started: Callable[[], None]) -> None:
        super().__init__(config)
        self.front = front
        self.interrupted = False
        self._tell = started
        front.stop = self._stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.front.farewell()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self._told) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self) -> None:
        self.should_exit = True

    def _told(self, number: int, _: FrameType | None) -> None:
        if self.should_exit:
            os._exit(128 + number)  # whatever was acknowledged is on the disk
        self.should_exit = True
        self.interrupted = number == signal.SIGINT


def listening(host: str, port: int) -> socket.socket:
    """A socket that people can connect to; raises one sentence where it can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    if os.name != "nt":
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
        opened.listen(2048)
    except OSError as error:
        opened.close()
        raise WebError(_why_not(error, host, port)) from None
    return opened


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is taken, perhaps by another numberline web; choose another, or let --port 0 find a free one"
        )
    if error.errno == errno.EACCES:
        return f"port {port} may not be used without more rights; choose one above 1023, such as --port 8000"
    return f"{host} is no address of this machine; leave --host out, or use --host 0.0.0.0 for all of them"


def serve(setup: Setup, at: socket.socket, started: Callable[[], None]) -> bool:
    """Serves until it is told to stop; whether that was by Ctrl-C. What keeps it from serving is raised."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    def opened(setup: Setup) -> House:
        from numberline.web.app import open_house  # it takes longer to load than everything here

        return open_house(setup)

    _allow_files()
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what goes wrong here is noted by ourselves
    front = Front(setup, opened)
    config = uvicorn.Config(
        front,
        http=HttpToolsProtocol,
        ws=_sansio,  # type: ignore[arg-type]  # it is only called
        ws_max_size=64_000,
        ws_per_message_deflate=False,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=SECONDS_TO_LEAVE,
    )
    server = _Server(config, front, started)
    server.run([at])
    if front.failed:
        raise front.failed
    return server.interrupted


def _allow_files() -> None:
    """Lets as many people connect as the system allows at all."""
    if os.name != "nt":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _sansio(**given: Any) -> asyncio.Protocol:
    """The protocol of a WebSocket, loaded with the first of them."""
    from numberline.web.wire import WireProtocol

    return WireProtocol(**given)
