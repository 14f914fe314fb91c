"""Strict pydantic models of client messages, HTTP requests and HTTP responses.

The same models decode WebSocket frames and HTTP bodies and generate the OpenAPI schema.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from numberline.web.protocol.errors import ApiError, invalid_field_sentence

MAX_FRAME_BYTES = 4096

# A name as typed by the user; `validate_name` normalizes it and limits its length.
PlayerName = Annotated[str, StringConstraints(max_length=500)]
VariantName = Annotated[str, StringConstraints(min_length=1, max_length=500)]
BookSource = Annotated[str, StringConstraints(min_length=1, max_length=50_000)]
RecordText = Annotated[str, StringConstraints(min_length=1, max_length=1_000_000)]
PositionText = Annotated[str, StringConstraints(min_length=1, max_length=500)]
MoveInput = Annotated[str, StringConstraints(max_length=64)]
MoveText = Annotated[str, StringConstraints(min_length=1, max_length=64)]
SeqNumber = Annotated[int, Field(ge=0, le=1_000_000_000)]
RequestId = Annotated[str, StringConstraints(pattern="^[!-~]{1,64}$")]
BotName = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Secret = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern="^[A-Za-z0-9_-]+$")]
Token = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9_-]{16,100}$")]
MatchId = Annotated[str, Path(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$")]
VariantPath = Annotated[str, Path(min_length=1, max_length=500)]
Assist = Literal["off", "after", "on"]
JsonObject = dict[str, Any]


class StrictModel(BaseModel):
    """Base model that allows neither type coercion nor extra fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


# Messages: WebSocket frames, and the bodies of the bot API


class Hello(StrictModel):
    """The first frame on a WebSocket."""

    kind: Literal["hello"]
    token: Token | None = None
    since: SeqNumber = 0  # ignored; older clients send it


class _Action(StrictModel):
    request: RequestId
    seq: SeqNumber


class MoveMessage(_Action):
    """A move to play."""

    kind: Literal["move"] = "move"
    move: MoveText


class OfferMessage(_Action):
    """An offer, a response to an offer, or the withdrawal of an offer."""

    kind: Literal["offer", "accept", "decline", "withdraw"]
    what: Literal["takeback", "rematch"]


class PlainMessage(_Action):
    """An action without additional fields."""

    kind: Literal["resign", "next"]


class AskMessage(_Action):
    """A question about the current position."""

    kind: Literal["ask"]
    what: Literal["hint", "move", "why"]


ActionMessage = MoveMessage | OfferMessage | PlainMessage
ClientMessage = ActionMessage | AskMessage
ActionBody = Annotated[ActionMessage, Field(discriminator="kind")]
MESSAGE_KINDS = ("hello", "move", "offer", "accept", "decline", "withdraw", "resign", "next", "ask")
_FRAME: TypeAdapter[Hello | ClientMessage] = TypeAdapter(Annotated[Hello | ClientMessage, Field(discriminator="kind")])


def decode_frame(text: str) -> Hello | ClientMessage:
    """Return the message in a WebSocket frame; raise `ApiError` if it is not valid."""
    try:
        message = _FRAME.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ApiError("bad_message", _invalid_frame_sentence(first), _find_request_id(text)) from None
    field_count = len(message.model_fields_set)
    # Every key is followed by a colon, so a duplicate key is possible only if there are more colons than fields.
    if text.count(":") > field_count and len(json.loads(text, object_pairs_hook=list)) > field_count:
        raise ApiError("bad_message", "The message contains a duplicate key.")
    return message


def _invalid_frame_sentence(error: Any) -> str:
    if error["type"].startswith("union_tag"):
        return f"kind: expected one of {', '.join(MESSAGE_KINDS)}."
    if not error["loc"]:
        return "A message must be a JSON object."
    return invalid_field_sentence(error["loc"][1:], error["msg"])


def _find_request_id(text: str) -> str | None:
    try:
        return TypeAdapter(RequestId).validate_python(json.loads(text)["request"], strict=True)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


# HTTP requests and responses


class ErrorResponse(StrictModel):
    """An error: a code for programs and a sentence for people."""

    code: str
    sentence: str


class ServerInfo(StrictModel):
    """The address of this server and whether it is reachable only from this machine."""

    public_url: str
    local_only: bool
    sentence: str


class PersonSeat(StrictModel):
    """A seat for a person who plays on the client that creates the match."""

    name: PlayerName


class BotSeat(StrictModel):
    """A seat for a bot run by the server."""

    bot: BotName


class ClockRequest(StrictModel):
    """A game clock: seconds per player and seconds added after each turn."""

    seconds: int = Field(ge=1, le=86_400)
    increment: int = Field(default=0, ge=0, le=600)


class CreateMatchRequest(StrictModel):
    """A match to create; an invitation is issued for each seat that is null."""

    variant: VariantName
    source: BookSource | None = None
    first: Annotated[int, Field(ge=1, le=6)] | Literal["toss"] = 1
    rounds: int = Field(default=1, ge=1, le=99)
    seats: Annotated[list[PersonSeat | BotSeat | None], Field(min_length=2, max_length=6)]
    clock: ClockRequest | None = None
    assist: Assist = "on"
    start: PositionText | None = None


class InviteResponse(StrictModel):
    """The invitation link for a free seat."""

    seat: int
    url: str


class CreateMatchResponse(StrictModel):
    """The new match; `token` is null for browsers, which receive a cookie instead."""

    match: str
    seat: int
    token: str | None
    invites: list[InviteResponse]


class ClaimSeatRequest(StrictModel):
    """A request to claim the seat that an invitation offers."""

    invite: Secret
    name: PlayerName = ""


class RetryRequest(StrictModel):
    """A move to try in place of the mistake that decided a match; `tried` is true on the second attempt."""

    move: MoveText
    tried: bool = False


class ClaimSeatResponse(StrictModel):
    """The claimed seat; `token` is null for browsers, which receive a cookie instead."""

    seat: int
    token: str | None


class AckResponse(StrictModel):
    """The number of the stored event."""

    seq: int


class QrCodeRequest(StrictModel):
    """A link to this server to encode as a QR code."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=500)]


class BookRequest(StrictModel):
    """A variant given by name or as the source of a custom book, and the settings to change."""

    variant: VariantName | None = None
    settings: dict[
        Annotated[str, StringConstraints(max_length=40)], Annotated[str, StringConstraints(max_length=200)]
    ] = {}
    source: BookSource | None = None


class PositionRequest(StrictModel):
    """A position in a custom book."""

    variant: VariantName
    source: BookSource
    position: PositionText
    values: bool = False


class ReviewRequest(StrictModel):
    """A request to review the games in a record file."""

    record: RecordText


class PuzzleAnswerRequest(StrictModel):
    """An answer to a puzzle; an empty move skips the puzzle."""

    variant: VariantName
    position: PositionText
    move: MoveInput
    rating: int | None = Field(None, ge=0, le=10_000)
    """The player's rating before the answer."""
    hinted: bool = False
    """Whether the player saw a hint, in which case a correct answer counts as wrong for the rating."""
    theme: Literal["", "win", "trap", "save", "colour"] = ""
    tries: int = Field(2, ge=1, le=2)
    """The number of this attempt, counted from 1; the solution is shown after the last one."""


class OwnPuzzlesRequest(StrictModel):
    """Records of games that a player lost, to make puzzles from the mistakes that decided them."""

    records: Annotated[list[RecordText], Field(max_length=20)]


class ProgressRequest(StrictModel):
    """A player's progress document (null for a new player), and an event or exported progress to add to it."""

    document: Any = None
    event: JsonObject | None = None
    text: Annotated[str, StringConstraints(max_length=100_000)] | None = None
    day: Annotated[str, StringConstraints(max_length=10)] | None = None
    """The player's local date; if given, the response includes a greeting and a line to share."""


class LessonAnswerRequest(StrictModel):
    """An answer to the exercise in a lesson step (counted from 1); an empty move asks for the solution."""

    variant: VariantName
    step: int = Field(ge=1, le=20)
    move: MoveInput


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI error responses for `statuses` and for the statuses that every path can return."""
    response = {"model": ErrorResponse, "description": "An error code and a sentence"}
    return dict.fromkeys(sorted({400, 429, 500, *statuses}), response)
