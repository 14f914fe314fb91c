from __future__ import annotations

import io
import json
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numberline.web.protocol.events import load_book
from numberline.web.rooms.match_state import JOIN, NEXT, TAKEBACK, MatchState
from numberline.web.rooms.service import hash_secret, new_match_rows
from numberline.web.store.store import Event, Store, StoredMatch, StoreError
from numberline.web.store.transfer import MATCHES_PER_BATCH, TransferStats, encode_match, export_matches, import_matches
from support.commands import numberline
from support.matches import bot, clock_request, match_request, person

NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "So"]), max_size=20)
VARIANTS = ["flag-chase", "line-runner", "flag-chase(end=30)"]


@st.composite
def matches(draw: st.DrawFn) -> StoredMatch:
    """A match that could have been played: of people, or against a program, with rounds, clocks and takebacks."""
    book = load_book(draw(st.sampled_from(VARIANTS)), None)
    other = draw(st.sampled_from([bot("random"), person("Ünal 🙂"), None]))
    clock = draw(st.sampled_from([None, clock_request(60, 5)]))
    order = match_request(book.variant, (person(draw(NAMES)), other), rounds=draw(st.integers(1, 3)), clock=clock)
    now = draw(st.floats(1.5e9, 2e9))
    row, seats = new_match_rows(order, book, draw(st.text(max_size=5)), now, Random(1))
    table = MatchState(book, row, seats)
    events: list[Event] = []

    def happens(seat: int, what: str, request: str = "") -> None:
        event = table.event(seat, what, request, now + len(events) / 7)
        events.append(event)
        table.apply(event)

    if other is None:
        seats[1] = seats[1]._replace(name="Bob", token_hash=hash_secret("b"), invite_hash=hash_secret("i"), claimed=now)
        happens(2, JOIN)
    for number in range(draw(st.integers(0, 12))):
        mover = table.match.turn
        if table.ended:
            row = row._replace(ended=table.updated_at, score=list(table.score))
            break
        if table.outcome:
            happens(mover, NEXT)
        elif table.match.length and draw(st.integers(0, 5)) == 0:
            happens(table.match.plies[-1].player, TAKEBACK)
        else:
            happens(mover, str(draw(st.sampled_from(table.match.moves))), f"{number} é")
    return StoredMatch(row, seats, events)


def one() -> StoredMatch:
    """A short match."""
    book = load_book("flag-chase", None)
    row, seats = new_match_rows(
        match_request("flag-chase", (person("Ann"), person("Bob"))), book, "t", 1.8e9, Random(1)
    )
    table = MatchState(book, row, seats)
    event = table.event(1, str(table.match.moves[0]), "first", 1.8e9 + 1)
    return StoredMatch(row, seats, [event])


def moved(lines: bytes, store: Store) -> TransferStats:
    return import_matches(store, io.BytesIO(lines), lambda _: None)


def all_of(store: Store) -> bytes:
    file = io.BytesIO()
    export_matches(store, file, lambda _: None)
    return file.getvalue()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(matches(), max_size=4))
def test_import_restores_an_export_in_either_database(address: str, made: list[StoredMatch]) -> None:
    with closing(Store("sqlite://")) as first, closing(Store(address)) as second, closing(Store("sqlite://")) as third:
        for name in [kept.match.id for kept in made]:
            second.delete(name)
        moved(b"".join(map(encode_match, made)), first)
        lines = all_of(first)
        assert moved(lines, second).matches == len(made)
        for kept in made:
            assert second.find(kept.match.id) == tuple(kept)
        moved(all_of(second), third)
        assert b"".join(sorted(map(encode_match, made))) == b"".join(sorted(all_of(third).splitlines(keepends=True)))
        for kept in made:
            second.delete(kept.match.id)


def test_import_handles_several_batches(address: str) -> None:
    made = [one() for _ in range(250)]
    reported: list[int] = []
    with closing(Store(address)) as store:
        lines = b"".join(map(encode_match, made))
        import_matches(store, io.BytesIO(lines), lambda moved: reported.append(moved.matches))
        assert reported == [100, 200, 250]
        assert sorted(all_of(store).splitlines()) == sorted(lines.splitlines())


def test_import_skips_identical_matches(address: str) -> None:
    kept = one()
    with closing(Store(address)) as store:
        assert moved(encode_match(kept) * 2, store) == TransferStats(2, 2, 1)
        assert moved(encode_match(kept), store) == TransferStats(1, 1, 1)


def test_import_rejects_a_different_stored_match(address: str) -> None:
    kept, other = one(), one()
    with closing(Store(address)) as store:
        moved(encode_match(kept), store)
        with pytest.raises(StoreError, match=r"^cannot import line 2: the match is already stored with different data"):
            moved(encode_match(other) + encode_match(kept._replace(events=[])), store)
        assert (store.find(other.match.id), store.find(kept.match.id)) == (None, tuple(kept))


def changed(**parts: Any) -> Callable[[dict[str, Any]], None]:
    """A change of a line: each part by its name, as in `match__rounds`."""

    def change(line: dict[str, Any]) -> None:
        for part, value in parts.items():
            *places, last = part.split("__")
            at: Any = line
            for place in places:
                at = at[int(place)] if place.isdigit() else at[place]
            at[last] = value

    return change


DAMAGE = {
    "a move that is not allowed": changed(events__0__what="R99"),
    "a move by the opponent": changed(events__0__seat=2),
    "a number that is left out": changed(events__0__seq=2),
    "an unknown variant": changed(match__variant="nothing"),
    "a book of the server's": changed(match__variant="/etc/book.toml"),
    "a program of one's own": changed(seats__1__bot="exec:rm -rf /"),
    "a name that can't be shown": changed(seats__0__name="a\nb"),
    "half a letter": changed(seats__0__name="\ud800"),
    "an endless time": changed(match__created=float("inf")),
    "no time": changed(match__created=float("nan")),
    "a seat too few": changed(seats=[]),
    "an invalid setting": changed(match__settings={"assist": "perhaps"}),
    "a clock that can't run": changed(match__settings={"assist": "on", "tossed": False, "clock": {"seconds": "x"}}),
    "an invalid start": changed(match__settings={"assist": "on", "tossed": False, "start": "?"}),
    "rounds without end": changed(match__rounds=10**30),
    "a score that was not played": changed(match__ended=1.8e9, match__score=[7, 0]),
    "a name for a match that is an address": changed(match__id="../x"),
    "a word for a number": changed(match__first="1"),
    "something more": changed(match__more=1),
    "too much time": changed(events__0__spent_ms=10**30),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_import_rejects_an_invalid_match(damage: Callable[[Any], None]) -> None:
    good = one()
    line = json.loads(encode_match(one()))
    damage(line)
    with closing(Store("sqlite://")) as store:
        with pytest.raises(StoreError, match=r"^cannot import line 3: .*; nothing was imported$"):
            moved(encode_match(good) + b"\n" + json.dumps(line).encode(), store)
        assert store.find(good.match.id) is None


def test_import_counts_lines_across_batches() -> None:
    lines = b"".join(encode_match(one()) for _ in range(MATCHES_PER_BATCH))
    with closing(Store("sqlite://")) as store, pytest.raises(StoreError, match=f"line {MATCHES_PER_BATCH + 2}: "):
        moved(lines + encode_match(one()) + b"{", store)


@pytest.mark.parametrize("line", [b"{", b"[]", b"7", b"\xff", b"[" * 100_000, b'{"match": {}}', b"null"])
def test_import_rejects_an_invalid_line(line: bytes) -> None:
    with closing(Store("sqlite://")) as store, pytest.raises(StoreError, match=r"^cannot import line 1: "):
        moved(line, store)


def test_export_and_import_commands_use_a_private_file(tmp_path: Path) -> None:
    first, second, file = tmp_path / "first.db", tmp_path / "second.db", tmp_path / "all.ndjson"
    kept = one()
    with closing(Store(str(first))) as store:
        moved(encode_match(kept), store)
    written = numberline("web", "--export", str(file), "--db", str(first))
    assert (written.code, written.out, written.err) == (0, "", "1 match with 1 event exported.\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    read = numberline("web", "--import", str(file), "--db", str(second))
    assert (read.code, read.out, read.err) == (0, "", "1 match with 1 event imported.\n")
    assert (
        numberline("web", "--export", "-", "--db", str(second)).out.encode() == encode_match(kept) == file.read_bytes()
    )


def test_export_does_not_create_a_database(tmp_path: Path) -> None:
    ran = numberline("web", "--export", "-", "--db", str(tmp_path / "none.db"))
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert not list(tmp_path.glob("none.db*"))


def test_maintenance_options_exclude_each_other() -> None:
    assert numberline("web", "--migrate", "--export", "-").code == 2
