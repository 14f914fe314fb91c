"""What requests and answers hold: strictly what is written here, of the right kind and no longer than it says."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

PlayerName = Annotated[str, StringConstraints(max_length=500)]
"""As it was typed; how it is written, and how long it may be then, is one rule for every door."""
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
MatchId = Annotated[str, Path(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$")]
VariantPath = Annotated[str, Path(min_length=1, max_length=500)]


class StrictModel(BaseModel):
    """Nothing is turned into something else, and nothing is left over."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ErrorResponse(StrictModel):
    """What went wrong: a code for programs, a sentence for people."""

    code: str
    sentence: str


class ServerInfo(StrictModel):
    """By which address others reach this server, and whether they can at all."""

    public_url: str
    local_only: bool
    sentence: str


class PersonModel(StrictModel):
    """Somebody who plays here, with whoever makes the match."""

    name: PlayerName


class BotModel(StrictModel):
    """A program that plays."""

    bot: BotName


class ClockRequest(StrictModel):
    """How much time each player has, and what is added after each turn."""

    seconds: int = Field(ge=1, le=86_400)
    increment: int = Field(default=0, ge=0, le=600)


class CreateMatchRequest(StrictModel):
    """A match that is wanted."""

    variant: VariantName
    source: BookSource | None = None
    first: Annotated[int, Field(ge=1, le=6)] | Literal["toss"] = 1
    rounds: int = Field(default=1, ge=1, le=99)
    seats: Annotated[list[PersonModel | BotModel | None], Field(min_length=2, max_length=6)]
    clock: ClockRequest | None = None
    assist: Literal["off", "after", "on"] = "on"
    start: PositionText | None = None


class InviteResponse(StrictModel):
    """The link that gives a free seat away."""

    seat: int
    url: str


class CreateMatchResponse(StrictModel):
    """A match that was made; a page gets no token, its cookie is one."""

    match: str
    seat: int
    token: str | None
    invites: list[InviteResponse]


class ClaimSeatRequest(StrictModel):
    """Somebody who comes with an invitation."""

    invite: Secret
    name: PlayerName = ""


class ClaimSeatResponse(StrictModel):
    """The seat that somebody has now."""

    seat: int
    token: str | None


class AckResponse(StrictModel):
    """How many events there are, the one that was asked for among them."""

    seq: int


class MoveRequest(StrictModel):
    """A move that is to be played."""

    move: MoveText
    seq: SeqNumber
    request: RequestId


class ActionRequest(StrictModel):
    """Anything else that a player does; `move` goes with a move, `what` with an offer and its answers."""

    kind: Literal["move", "offer", "accept", "decline", "withdraw", "resign", "next"]
    seq: SeqNumber
    request: RequestId
    move: MoveText | None = None
    what: Literal["takeback", "rematch"] | None = None


class QrCodeRequest(StrictModel):
    """A link to show as a code for cameras."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=500)]


class BookRequest(StrictModel):
    """A variant by its name, by settings, or by the text of a book of one's own."""

    variant: VariantName | None = None
    settings: dict[
        Annotated[str, StringConstraints(max_length=40)], Annotated[str, StringConstraints(max_length=200)]
    ] = {}
    source: BookSource | None = None


class PositionRequest(StrictModel):
    """A position of a book of one's own."""

    variant: VariantName
    source: BookSource
    position: PositionText
    values: bool = False


class ReviewRequest(StrictModel):
    """The text of a record file."""

    record: RecordText


class PuzzleAnswerRequest(StrictModel):
    """The move that somebody thinks is right; none for a puzzle that is skipped."""

    variant: VariantName
    position: PositionText
    move: MoveInput


class LessonAnswerRequest(StrictModel):
    """The answer to the exercise of a step, counted from 1."""

    variant: VariantName
    step: int = Field(ge=1, le=20)
    move: MoveInput


JsonObject = dict[str, Any]
"""A view, as the guide to the protocol has it."""


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers that a path may give besides the good one; these can come from any."""
    said = {
        status: {"model": ErrorResponse, "description": "A sentence says why"} for status in (400, 429, 500, *statuses)
    }
    return dict(sorted(said.items()))
