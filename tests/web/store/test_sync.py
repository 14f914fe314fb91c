from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import psycopg
import pytest

from numberline.web.store import sync
from numberline.web.store.store import Event, Store
from support.matches import ANN, BOB, Ear, Evening, match_request, person
from support.postgres_server import empty_database

pytestmark = pytest.mark.postgres

Scene = Callable[[Evening, Evening], Awaitable[None]]


@pytest.fixture
def address() -> str:
    return empty_database()


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "PRESENCE_INTERVAL_S", 0.02)


def play(scene: Scene, address: str) -> None:
    """Plays a scene with two servers that hear each other."""

    async def run() -> None:
        here, there = Evening(address), Evening(address)
        await here.begin()
        await there.begin()
        try:
            for evening in (here, there):
                assert evening.cluster_sync
                assert await asyncio.to_thread(evening.cluster_sync.listener.listening.wait, 20)
            await scene(here, there)
        finally:
            await there.end()
            await here.end()

    asyncio.run(run())


async def until(condition: Callable[[], object]) -> None:
    """Comes back when it is so."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - it is another server's doing
            await asyncio.sleep(0.01)


def deaf(evening: Evening) -> None:
    """It hears no hints from now on."""
    assert evening.cluster_sync
    evening.cluster_sync._handle_notification = lambda *_: None  # type: ignore[method-assign]  # it is deaf


def moves(ear: Ear) -> list[str]:
    return [frame["what"] for frame in ear.of("event")]


def test_move_is_broadcast_by_the_other_server(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        bob = await there.listening(match, BOB)
        assert bob.you == (2,)
        await here.moves(match, "2")
        await until(lambda: moves(bob) == ["2"])
        await there.moves(match, "1")
        await here.moves(match, "3")
        await until(lambda: moves(bob) == ["2", "1", "3"])
        assert [frame["seq"] for frame in bob.of("event")] == [2, 3, 4]

    play(scene, address)


def test_joined_player_appears_at_the_other_server(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        made = await here.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
        ann, bob = await here.listening(made.match, ANN), await here.listening(made.match, BOB)
        assert await there.service.claim(made.match, made.invites[2], "Bob", BOB) == 2
        await until(lambda: ann.match["seats"][1]["taken"])
        assert (ann.match["seats"][1]["name"], bob.you) == ("Bob", (2,))

    play(scene, address)


def test_lost_notification_is_made_up_by_polling(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "POLL_INTERVAL_S", 0.05)

    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        bob = await there.listening(match, BOB)
        deaf(there)
        await here.moves(match, "2")
        await until(lambda: moves(bob) == ["2"])

    play(scene, address)


def test_reconnected_listener_misses_nothing(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        bob = await there.listening(match, BOB)
        with psycopg.connect(address, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        await here.moves(match, "2")
        await until(lambda: moves(bob) == ["2"])

    play(scene, address)


def test_unknown_notifications_are_ignored(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        bob = await there.listening(match, BOB)
        here.store.notify([f"*{match}=nonsense", f"*{match}", "?", "*", f"*{match}=1=2=3"])
        await here.moves(match, "2")
        await until(lambda: moves(bob) == ["2"])

    play(scene, address)


def test_repeated_request_is_acknowledged_by_the_other_server(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        await there.listening(match, ANN)
        deaf(there)
        first = await here.say(match, 1, "move", "2", seq=1, request="mine")
        assert first == {"kind": "ack", "request": "mine", "seq": 2}
        for seq in (1, 2):
            assert await there.say(match, 1, "move", "2", seq=seq, request="mine") == first
        assert [event.what for event in here.store.events_since(match, 0)] == ["join", "2"]

    play(scene, address)


def test_one_of_two_concurrent_moves_is_stale(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        ears = [await evening.listening(match, ANN) for evening in (here, there)]
        answers = await asyncio.gather(
            *(each.say(match, 1, "move", "2", seq=1, request=f"{each}"[-9:-1]) for each in (here, there))
        )
        assert sorted(answer["kind"] for answer in answers) == ["ack", "error"]
        assert [answer["code"] for answer in answers if answer["kind"] == "error"] == ["stale"]
        await until(lambda: all(moves(ear) == ["2"] or ear.of("table")[-1]["seq"] == 2 for ear in ears))
        assert [event.seq for event in here.store.events_since(match, 0)] == [1, 2]

    play(scene, address)


def test_deleted_match_is_closed_at_the_other_server(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        bob = await there.listening(match, BOB)
        await here.service.delete(match, ANN)
        await until(lambda: bob.of("goodbye"))
        assert "deleted" in bob.of("goodbye")[0]["sentence"]
        assert there.service.registry.rooms.get(match) is None
        assert here.store.events_since(match, 0) == []

    play(scene, address)


def test_presence_includes_the_other_server(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        ann, bob = await here.listening(match, ANN), await there.listening(match, BOB)
        for ear in (ann, bob):
            await until(lambda ear=ear: ear.of("presence")[-1]["seats"] == [True, True])  # type: ignore[misc]  # bound now
        watcher = await there.listening(match)
        await until(lambda: ann.of("presence")[-1]["watching"] == 1)
        for ear in (bob, watcher):
            there.service.leave(match, ear)
        await until(lambda: ann.of("presence")[-1] == {"kind": "presence", "seats": [True, False], "watching": 0})

    play(scene, address)


def test_presence_of_a_silent_server_expires(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        ann = await here.listening(match, ANN)
        await there.listening(match, BOB)
        await until(lambda: ann.of("presence")[-1]["seats"] == [True, True])
        live, before = here.service.registry.rooms.get(match), len(ann.of("presence"))

        def alone() -> bool:
            assert live
            live.expire_remote_presence(float("inf"))  # again and again, since the other one says that it is there
            return any(told["seats"] == [True, False] for told in ann.of("presence")[before:])

        await until(alone)

    play(scene, address)


def test_bot_moves_at_the_server_of_the_previous_turn(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.alone("random")
        ear = await there.listening(match, ANN)

        async def never(*_: object) -> str:
            raise AssertionError("it was asked at the other server, too")

        monkeypatch.setattr(there.service.registry.bot_runner, "choose_move", never)
        await here.moves(match, "2")
        await until(lambda: len(moves(ear)) == 2)

    play(scene, address)


def test_bot_turn_of_a_dead_server_is_adopted(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "SWEEP_INTERVAL_S", 0.05)

    async def scene(here: Evening, there: Evening) -> None:
        match = await here.alone("random")
        here.clock.now = there.clock.now = 1_800_000_030.0
        for evening in (here, there):
            evening.service.registry.rooms.clear()
        left = Event(match, 1, 1, "2", "1:last", 0, 1_800_000_005.0)
        here.store.append([left])
        await until(lambda: len(here.store.events_since(match, 0)) == 2)
        assert [event.seat for event in here.store.events_since(match, 0)] == [1, 2]

    play(scene, address)


def test_score_is_stored_when_the_match_ends_anywhere(address: str) -> None:
    async def scene(here: Evening, there: Evening) -> None:
        match = await here.friends()
        bob = await there.listening(match, BOB)
        await here.say(match, 1, "resign")
        await until(lambda: bob.match["ended"])
        found = Store.find(there.store, match)
        assert found
        assert (found[0].score, found[0].ended is not None) == ([0, 1], True)

    play(scene, address)
