"""Events for clients: typed in the rooms, encoded last, once for all subscribers of a room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from numberline.game.match import Ply
from numberline.game.position import Outcome, Position
from numberline.views.match import to_json
from numberline.web.protocol.book_encoder import MARK, POINT, VALUES, BookEncoder, EvaluationKey, encode_json

Evaluations = dict[EvaluationKey, bytes]


class Frame(bytes):
    """An encoded event."""

    kind: str

    def __new__(cls, kind: str, data: bytes) -> Self:
        frame = super().__new__(cls, data)
        frame.kind = kind
        return frame


class Ack(NamedTuple):
    """A message was stored as event `seq`."""

    request: str
    seq: int


class Answer(NamedTuple):
    """The answer to a question."""

    request: str
    what: str
    text: str
    move: str


class Rejected(NamedTuple):
    """A message was rejected."""

    request: str | None
    code: str
    sentence: str
    seq: int | None


class Presence(NamedTuple):
    """Whether each seat is connected, and the number of watchers."""

    seats: Sequence[bool]
    watching: int


class Goodbye(NamedTuple):
    """The last event of a connection."""

    sentence: str


_KINDS: dict[type, str] = {
    Ack: "ack",
    Answer: "answer",
    Rejected: "error",
    Presence: "presence",
    Goodbye: "goodbye",
}


class MovePlayed(NamedTuple):
    """A move, the forced turns after it, and the state of the match then."""

    seq: int
    seat: int
    number: int
    """The number of the first ply, from 1."""
    plies: tuple[Ply, ...]
    outcome: Outcome | None
    clock: Mapping[str, object] | None
    values_visible: bool

    @property
    def evaluation_keys(self) -> Iterator[EvaluationKey]:
        yield VALUES, self.plies[-1].after, ""
        for ply in self.plies:
            yield POINT, ply.after, ""
            yield MARK, ply.before, ply.move


class Snapshot(NamedTuple):
    """The whole match at one moment."""

    seq: int
    match: Mapping[str, Any]
    """The JSON of the match without its log and evaluations."""
    start: Position
    plies: tuple[Ply, ...]
    reasons: Mapping[int, str]
    """Sentences that replace the book's own, by the number of the ply."""
    position: Position
    over: bool
    values_visible: bool

    @property
    def evaluation_keys(self) -> Iterator[EvaluationKey]:
        yield VALUES, self.position, ""
        yield POINT, self.start, ""
        for ply in self.plies:
            yield POINT, ply.after, ""
            yield MARK, ply.before, ply.move


def encode_event(event: Ack | Answer | Rejected | Presence | Goodbye) -> Frame:
    kind = _KINDS[type(event)]
    return Frame(kind, encode_json({"kind": kind, **event._asdict()}))


def encode_snapshot(
    snapshot: Snapshot, encoder: BookEncoder, evaluations: Evaluations | None, turning_point: bytes
) -> bytes:
    """Return the part of a snapshot that is the same for every subscriber; `address_snapshot` completes it."""
    log = b",".join(
        encoder.ply(number, ply, snapshot.reasons.get(number, "")) for number, ply in enumerate(snapshot.plies, 1)
    )
    match = encode_json(snapshot.match)[:-1] + b',"log":[%s]' % log
    values = b"null"
    if evaluations:
        values = evaluations[VALUES, snapshot.position, ""]
        if encoder.supports_review:
            positions = (snapshot.start, *(ply.after for ply in snapshot.plies))
            marks = b",".join(evaluations[MARK, ply.before, ply.move] for ply in snapshot.plies)
            points = b",".join(evaluations[POINT, position, ""] for position in positions)
            match += b',"marks":[%s],"series":[%s]' % (marks, points)
    return b',"book":%s,"match":%s},"position":%s,"values":%s}' % (
        encoder.book_json,
        match + turning_point,
        encoder.position(snapshot.position),
        values,
    )


def address_snapshot(seq: int, you: Sequence[int], body: bytes) -> Frame:
    """Return the snapshot for the subscriber in these seats."""
    seats = b",".join(b"%d" % seat for seat in you)
    return Frame("table", b'{"kind":"table","seq":%d,"you":[%s]' % (seq, seats) + body)


def encode_move(move: MovePlayed, encoder: BookEncoder, evaluations: Evaluations | None, turning_point: bytes) -> Frame:
    plies = move.plies
    logged = [encoder.ply(number, ply) for number, ply in enumerate(plies, move.number)]
    after = plies[-1].after
    data = (
        b'{"kind":"event","seq":%d,"seat":%d,"what":"%s","ply":%s,"position":%s,"values":%s,"outcome":%s,"clock":%s'
        % (
            move.seq,
            move.seat,
            plies[0].move.encode(),
            logged[0],
            encoder.position(after),
            evaluations[VALUES, after, ""] if evaluations else b"null",
            encode_json(to_json(move.outcome)),
            encode_json(move.clock),
        )
    )
    if len(plies) > 1:
        data += b',"plies":[%s]' % b",".join(logged)
    if evaluations and encoder.supports_review:
        marks = [evaluations[MARK, ply.before, ply.move] for ply in plies]
        points = [evaluations[POINT, ply.after, ""] for ply in plies]
        data += b',"mark":%s,"point":%s' % (marks[0], points[0])
        if len(plies) > 1:
            data += b',"marks":[%s],"points":[%s]' % (b",".join(marks), b",".join(points))
    return Frame("event", data + turning_point + b"}")
