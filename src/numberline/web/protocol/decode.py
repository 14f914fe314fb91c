"""What comes over a WebSocket, read strictly: a greeting or a message, and anything else is refused in a sentence."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple, NoReturn

from numberline.web.ops.metrics import record_rejection
from numberline.web.ops.security import is_token
from numberline.web.protocol.commands import ClientMessage
from numberline.web.protocol.errors import ApiError

MAX_FRAME_BYTES = 4096
"""Bytes; nothing that a page sends is longer."""
MAX_SEQ = 1_000_000_000
_OFFERS = ("takeback", "rematch")
_ASKED = ("hint", "move", "why")
MESSAGE_FIELDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "move": {"move": ()},
    "offer": {"what": _OFFERS},
    "accept": {"what": _OFFERS},
    "decline": {"what": _OFFERS},
    "withdraw": {"what": _OFFERS},
    "resign": {},
    "next": {},
    "ask": {"what": _ASKED},
}
"""Every kind of message, with the fields that it has besides `kind`, `request` and `seq`, and what these can be."""
_MARKS = re.compile(r"[!-~]{1,64}")


class Hello(NamedTuple):
    """How somebody comes to a table."""

    token: str
    """What gives a seat back; nothing where there is none."""
    since: int


class InvalidFrame(ApiError):
    """A frame that says nothing; `request` is what it calls itself, as far as that could be read."""

    def __init__(self, sentence: str, request: str | None = None) -> None:
        super().__init__("bad_message", sentence)
        self.request = request


def decode_frame(text: str) -> Hello | ClientMessage:
    """What a frame says; raises `InvalidFrame`."""
    frame = _loaded(text)
    kind = frame.pop("kind", None)
    if kind == "hello":
        return _hello(frame)
    request = frame.pop("request", None)
    if not isinstance(request, str) or not _MARKS.fullmatch(request):
        raise InvalidFrame("A message needs a request: 1 to 64 plain letters, digits or signs.")
    fields = MESSAGE_FIELDS.get(kind) if isinstance(kind, str) else None
    if fields is None:
        raise InvalidFrame(f"A message needs a kind: hello, {', '.join(MESSAGE_FIELDS)}.", request)
    seq = frame.pop("seq", None)
    if type(seq) is not int or not 0 <= seq <= MAX_SEQ:
        raise InvalidFrame("A message needs seq: the number of events that you have seen.", request)
    if frame.keys() != fields.keys():
        raise InvalidFrame(
            f"A message of the kind {kind} has {', '.join(('kind', 'request', 'seq', *fields))}.", request
        )
    for name, value in frame.items():
        if not isinstance(value, str) or not 0 < len(value) <= 64 or not value.isprintable():
            raise InvalidFrame(f"{name} is a short text.", request)
        if fields[name] and value not in fields[name]:
            raise InvalidFrame(f"{name} is one of {', '.join(fields[name])}.", request)
    return ClientMessage(kind, request, seq, **frame)


def _hello(frame: dict[str, Any]) -> Hello:
    token, since = frame.pop("token", None), frame.pop("since", 0)
    if frame:
        raise InvalidFrame("A hello has kind, token and since, and nothing else.")
    if token is not None and not (isinstance(token, str) and is_token(token)):
        raise InvalidFrame("The token of a hello is the text that came with the seat.")
    if type(since) is not int or not 0 <= since <= MAX_SEQ:
        raise InvalidFrame("The since of a hello is the number of events that you have seen, or 0.")
    return Hello(token or "", since)


def _loaded(text: str) -> dict[str, Any]:
    try:
        frame = _READER.decode(text)
    except (ValueError, RecursionError):
        raise InvalidFrame("A message is one JSON object.") from None
    if not isinstance(frame, dict):
        raise InvalidFrame("A message is one JSON object.")
    return frame


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _constant(_: str) -> NoReturn:
    raise ValueError("not a number")


_READER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_constant)


def encode_frame(frame: dict[str, Any]) -> bytes:
    """A frame as it goes over the wire."""
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode()


def error_frame(code: str, sentence: str, request: str | None = None, seq: int | None = None) -> bytes:
    """What is sent where something was refused."""
    record_rejection(code)
    return encode_frame({"kind": "error", "request": request, "code": code, "sentence": sentence, "seq": seq})


def goodbye_frame(sentence: str) -> bytes:
    """The last thing that is sent."""
    return encode_frame({"kind": "goodbye", "sentence": sentence})
