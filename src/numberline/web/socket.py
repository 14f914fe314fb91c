"""One table over a WebSocket: what is said there goes to the service, and what happens there comes back, in order."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any

from numberline.rules.errors import NumberlineError
from numberline.web.frames import LARGEST_FRAME, BadFrame, Hello, error_frame, goodbye_frame, read_frame
from numberline.web.guard import headers_of, token_in
from numberline.web.limits import FRAMES, Bucket
from numberline.web.orders import Message
from numberline.web.refusals import Refusal
from numberline.web.service import Service
from numberline.web.wire import GONE, LINE, Wire

MOST_AT_A_TABLE = 3_000
SECONDS_TO_GREET = 10
SECONDS_TO_END = 5
SORRY = "Something went wrong here; nothing that was acknowledged is lost."
_PATH = re.compile(r"/api/matches/([A-Za-z0-9_-]{1,64})/socket")
_RUDE, _TOO_LONG, _RESTARTED, _LATER = 1008, 1009, 1012, 1013
_log = logging.getLogger("numberline.web")

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Sockets:
    """All open sockets."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._wires: set[Wire] = set()
        self._crowd: Counter[str] = Counter()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answers one WebSocket from its handshake to its end."""
        await receive()  # the handshake
        await send({"type": "websocket.accept"})
        wire = Wire(scope["extensions"][LINE])
        self._wires.add(wire)
        try:
            await self._seated(scope, wire, receive)
        except Refusal as refused:
            wire.send(error_frame(refused.code, refused.sentence))
            wire.close(_RUDE)
        except TimeoutError:
            wire.send(goodbye_frame("Nobody said hello; open the page again."))
            wire.close(_RUDE)
        except Exception as error:  # noqa: BLE001 - one table's trouble is not the others'
            note(error, "socket")
            wire.send(goodbye_frame(SORRY))
            wire.close(GONE)
        finally:
            self._wires.discard(wire)
            wire.flush()
            with suppress(OSError, RuntimeError):  # nobody is there any more, or nobody reads
                async with asyncio.timeout(SECONDS_TO_END):
                    await send({"type": "websocket.close", "code": wire.closing or 1000})

    @property
    def open(self) -> int:
        """How many are open."""
        return len(self._wires)

    async def farewell(self) -> None:
        """Closes all of them, once what waits there is sent."""
        for wire in self._wires:
            wire.close(_RESTARTED)
        await asyncio.sleep(0)

    async def _seated(self, scope: Mapping[str, Any], wire: Wire, receive: Receive) -> None:
        match = _match_in(scope["path"])
        async with asyncio.timeout(SECONDS_TO_GREET):
            hello = await self._greeting(wire, receive)
        if hello is None:
            return
        if self._crowd[match] >= MOST_AT_A_TABLE:
            wire.send(goodbye_frame("There are too many people at this table; try again later."))
            wire.close(_LATER)
            return
        self._crowd[match] += 1
        try:
            token = hello.token or token_in(headers_of(scope))
            scope["extensions"][LINE].forget_handshake()
            await self._service.join(match, wire, token, hello.since)
            await self._talk(match, wire, receive)
        finally:
            self._service.leave(match, wire)
            self._crowd[match] -= 1
            if not self._crowd[match]:
                del self._crowd[match]

    async def _greeting(self, wire: Wire, receive: Receive) -> Hello | None:
        """The first frame that is a greeting; None where the connection ended before."""
        while (text := await _text(wire, receive)) is not None:
            try:
                hello = read_frame(text)
            except BadFrame as bad:
                wire.send(error_frame(bad.code, bad.sentence, bad.request))
                continue
            if isinstance(hello, Hello):
                return hello
            wire.send(error_frame("bad_message", "Say hello first.", hello.request))
        return None

    async def _talk(self, match: str, wire: Wire, receive: Receive) -> None:
        bucket = Bucket(FRAMES, time.monotonic())
        while (text := await _text(wire, receive)) is not None:
            wait = bucket.take(1, time.monotonic())
            if wait:
                await asyncio.sleep(wait)  # whoever sends too fast is read more slowly
            try:
                message = read_frame(text)
            except BadFrame as bad:
                wire.send(error_frame(bad.code, bad.sentence, bad.request))
                continue
            if isinstance(message, Hello):
                wire.send(error_frame("bad_message", "You have said hello already."))
            else:
                await self._act(match, wire, message)

    async def _act(self, match: str, wire: Wire, message: Message) -> None:
        try:
            wire.send(await self._service.act(match, wire.you, message, wire))
        except Refusal as refused:
            wire.send(error_frame(refused.code, refused.sentence, message.request))
        except Exception as error:  # noqa: BLE001 - every request is answered
            note(error, message.kind)
            wire.send(error_frame("failed", SORRY, message.request))


async def _text(wire: Wire, receive: Receive) -> str | None:
    """The next text frame; None at the end. What is no text or too long is answered here."""
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if text is None:
            wire.send(error_frame("bad_message", "A message is text, never binary."))
        elif len(text) > LARGEST_FRAME or len(text.encode()) > LARGEST_FRAME:
            wire.send(error_frame("too_large", f"A message has at most {LARGEST_FRAME} bytes."))
            wire.close(_TOO_LONG)
            return None
        else:
            return str(text)


def _match_in(path: str) -> str:
    found = _PATH.fullmatch(path)
    if not found:
        raise Refusal("not_found", "There is no table at this address; use the link that you were given.")
    return found[1]


def note(error: BaseException, doing: str) -> None:
    """Writes down that something went wrong and where, but nothing that anybody typed."""
    trace, where = error.__traceback__, "?"
    while trace:
        where = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    kind = "" if isinstance(error, NumberlineError) else "a mistake of ours: "
    _log.error("%s%s at %s (%s)", kind, type(error).__name__, where, doing, extra={"event": "failed"})
