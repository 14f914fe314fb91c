"""What requests and answers hold: strictly what is written here, of the right kind and no longer than it says."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(max_length=500)]
"""As it was typed; how it is written, and how long it may be then, is one rule for every door."""
Variant = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Source = Annotated[str, StringConstraints(min_length=1, max_length=50_000)]
Record = Annotated[str, StringConstraints(min_length=1, max_length=1_000_000)]
PositionText = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Typed = Annotated[str, StringConstraints(max_length=64)]
Played = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Seen = Annotated[int, Field(ge=0, le=1_000_000_000)]
RequestId = Annotated[str, StringConstraints(pattern="^[!-~]{1,64}$")]
Bot = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Secret = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern="^[A-Za-z0-9_-]+$")]
MatchId = Annotated[str, Path(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$")]
VariantPath = Annotated[str, Path(min_length=1, max_length=500)]


class Strict(BaseModel):
    """Nothing is turned into something else, and nothing is left over."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Problem(Strict):
    """What went wrong: a code for programs, a sentence for people."""

    code: str
    sentence: str


class ServerAbout(Strict):
    """By which address others reach this server, and whether they can at all."""

    public_url: str
    local_only: bool
    sentence: str


class PersonModel(Strict):
    """Somebody who plays here, with whoever makes the match."""

    name: Name


class BotModel(Strict):
    """A program that plays."""

    bot: Bot


class ClockModel(Strict):
    """How much time each player has, and what is added after each turn."""

    seconds: int = Field(ge=1, le=86_400)
    increment: int = Field(default=0, ge=0, le=600)


class MatchModel(Strict):
    """A match that is wanted."""

    variant: Variant
    source: Source | None = None
    first: Annotated[int, Field(ge=1, le=6)] | Literal["toss"] = 1
    rounds: int = Field(default=1, ge=1, le=99)
    seats: Annotated[list[PersonModel | BotModel | None], Field(min_length=2, max_length=6)]
    clock: ClockModel | None = None
    assist: Literal["off", "after", "on"] = "on"
    start: PositionText | None = None


class InviteModel(Strict):
    """The link that gives a free seat away."""

    seat: int
    url: str


class CreatedModel(Strict):
    """A match that was made; a page gets no token, its cookie is one."""

    match: str
    seat: int
    token: str | None
    invites: list[InviteModel]


class ClaimModel(Strict):
    """Somebody who comes with an invitation."""

    invite: Secret
    name: Name = ""


class SeatModel(Strict):
    """The seat that somebody has now."""

    seat: int
    token: str | None


class SeqModel(Strict):
    """How many events there are, the one that was asked for among them."""

    seq: int


class MoveModel(Strict):
    """A move that is to be played."""

    move: Played
    seq: Seen
    request: RequestId


class ActModel(Strict):
    """Anything else that a player does; `move` goes with a move, `what` with an offer and its answers."""

    kind: Literal["move", "offer", "accept", "decline", "withdraw", "resign", "next"]
    seq: Seen
    request: RequestId
    move: Played | None = None
    what: Literal["takeback", "rematch"] | None = None


class LinkModel(Strict):
    """A link to show as a code for cameras."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=500)]


class BookModel(Strict):
    """A variant by its name, by settings, or by the text of a book of one's own."""

    variant: Variant | None = None
    settings: dict[
        Annotated[str, StringConstraints(max_length=40)], Annotated[str, StringConstraints(max_length=200)]
    ] = {}
    source: Source | None = None


class PositionModel(Strict):
    """A position of a book of one's own."""

    variant: Variant
    source: Source
    position: PositionText
    values: bool = False


class RecordModel(Strict):
    """The text of a record file."""

    record: Record


class PuzzleAnswerModel(Strict):
    """The move that somebody thinks is right; none for a puzzle that is skipped."""

    variant: Variant
    position: PositionText
    move: Typed


class LessonAnswerModel(Strict):
    """The answer to the exercise of a step, counted from 1."""

    variant: Variant
    step: int = Field(ge=1, le=20)
    move: Typed


Part = dict[str, Any]
"""A view, as the guide to the protocol has it."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers that a path may give besides the good one; these can come from any."""
    said = {status: {"model": Problem, "description": "A sentence says why"} for status in (400, 429, 500, *statuses)}
    return dict(sorted(said.items()))
