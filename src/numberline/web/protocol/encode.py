"""What everybody at a table is sent: the whole table, what has just happened, and who is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from numberline.game.match import RESIGN, Ply
from numberline.game.notation import format_position
from numberline.game.position import Outcome, Position
from numberline.views.match import to_json
from numberline.web.protocol.book_encoder import MARK, POINT, VALUES, BookEncoder, EvaluationKey
from numberline.web.protocol.decode import encode_frame
from numberline.web.rooms.match_state import MatchState, timeout_reason
from numberline.web.store.store import Event


class MovePlayed(NamedTuple):
    """A move as it is told, kept until its turn to be sent comes."""

    event: Event
    number: int
    """The number of the first ply."""
    plies: tuple[Ply, ...]
    outcome: Outcome | None
    clock: dict[str, object] | None
    values_visible: bool
    """Whether the worth of moves may be seen."""


class Snapshot(NamedTuple):
    """The whole table at one moment."""

    seq: int
    match: dict[str, Any]
    """All but the log and what comes of it."""
    log: bytes
    start: Position
    plies: tuple[Ply, ...]
    position: Position
    values_visible: bool


def snapshot(table: MatchState, shown: BookEncoder, now: float, present: Sequence[bool], watching: int) -> Snapshot:
    """The table as it stands now."""
    match, row = table.match, table.row
    plies = match.plies
    log = b",".join(
        shown.ply(number, ply, timeout_reason(ply.player) if number - 1 in table.timeouts else "")
        for number, ply in enumerate(plies, 1)
    )
    start = plies[0].before if plies else match.position
    about = {
        "id": row.id,
        "variant": table.book.variant,
        "own_book": row.source is not None,
        "seats": [
            {
                "player": seat.seat,
                "name": seat.name,
                "bot": seat.bot,
                "taken": seat.seat in table.taken_seats,
                "present": there,
            }
            for seat, there in zip(table.seats, present, strict=True)
        ],
        "first": match.first,
        "start": format_position(start),
        "tossed": bool(row.settings.get("tossed")),
        "round": table.round,
        "rounds": row.rounds,
        "score": table.score,
        "outcome": to_json(table.outcome),
        "undo": table.outcome is None and any(ply.chosen for ply in plies),
        "resign": table.outcome is None,
        "offers": [{"what": offer.what, "seat": offer.seat} for offer in table.offers],
        "clock": table.clock(now),
        "assist": table.assist,
        "rematch": table.rematch,
        "ended": table.ended,
        "watching": watching,
    }
    return Snapshot(table.seq, about, log, start, plies, match.position, table.values_visible)


def snapshot_evaluation_keys(seen: Snapshot) -> Iterator[EvaluationKey]:
    """What has to be known to tell the whole table where the worth of moves may be seen."""
    yield VALUES, seen.position, ""
    yield POINT, seen.start, ""
    for ply in seen.plies:
        yield POINT, ply.after, ""
        yield MARK, ply.before, ply.move


def move_evaluation_keys(happened: MovePlayed) -> Iterator[EvaluationKey]:
    """What has to be known to tell of a move where the worth of moves may be seen."""
    yield VALUES, happened.plies[-1].after, ""
    for ply in happened.plies:
        yield POINT, ply.after, ""
        yield MARK, ply.before, ply.move


def encode_snapshot(
    seen: Snapshot, shown: BookEncoder, truths: dict[EvaluationKey, bytes] | None, turning: bytes
) -> bytes:
    """The frame of the whole table but for its beginning, which says whose it is (`address_snapshot`)."""
    match = encode_frame(seen.match)[:-1] + b',"log":[%s]' % seen.log
    values = b"null"
    if truths:
        values = truths[VALUES, seen.position, ""]
        if shown.supports_review:
            marks = b",".join(truths[MARK, ply.before, ply.move] for ply in seen.plies)
            points = b",".join(truths[POINT, at, ""] for at in (seen.start, *(ply.after for ply in seen.plies)))
            match += b',"marks":[%s],"series":[%s]' % (marks, points)
    if turning:
        match += b',"turning":' + turning
    return b',"book":%s,"match":%s},"position":%s,"values":%s}' % (
        shown.whole,
        match,
        shown.position(seen.position),
        values,
    )


def address_snapshot(seq: int, you: Sequence[int], told: bytes) -> bytes:
    """The frame of the table for somebody in these seats."""
    return b'{"kind":"table","seq":%d,"you":[%s]' % (seq, b",".join(b"%d" % seat for seat in you)) + told


def encode_move(
    happened: MovePlayed, shown: BookEncoder, truths: dict[EvaluationKey, bytes] | None, turning: bytes
) -> bytes:
    """The frame of a move."""
    event, plies = happened.event, happened.plies
    said = "" if event.what in {RESIGN, plies[0].move} else timeout_reason(plies[0].player)
    texts = [
        shown.ply(number, ply, said if number == happened.number else "")
        for number, ply in enumerate(plies, happened.number)
    ]
    after = plies[-1].after
    frame = (
        b'{"kind":"event","seq":%d,"seat":%d,"what":"%s","ply":%s,"position":%s,"values":%s,"outcome":%s,"clock":%s'
        % (
            event.seq,
            event.seat,
            event.what.encode(),
            texts[0],
            shown.position(after),
            truths[VALUES, after, ""] if truths else b"null",
            encode_frame(to_json(happened.outcome)) if happened.outcome else b"null",
            encode_frame(happened.clock) if happened.clock else b"null",
        )
    )
    if len(plies) > 1:
        frame += b',"plies":[%s]' % b",".join(texts)
    if truths and shown.supports_review:
        marks = [truths[MARK, ply.before, ply.move] for ply in plies]
        points = [truths[POINT, ply.after, ""] for ply in plies]
        frame += b',"mark":%s,"point":%s' % (marks[0], points[0])
        if len(plies) > 1:
            frame += b',"marks":[%s],"points":[%s]' % (b",".join(marks), b",".join(points))
    if turning:
        frame += b',"turning":' + turning
    return frame + b"}"


def encode_presence(present: Sequence[bool], watching: int) -> bytes:
    """The frame that says who is there."""
    return encode_frame({"kind": "presence", "seats": list(present), "watching": watching})
