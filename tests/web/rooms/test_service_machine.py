"""State machine of the match service: no acknowledged event is lost, and no client sees hidden values."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from numberline.game.loader import book
from numberline.game.match import RESIGN, Match
from numberline.game.moves import FORCED_MOVES
from numberline.game.notation import format_position
from numberline.web.store.store import Event
from support.matches import ANN, BOB, FrameRecorder, ServiceHarness, bot, match_request, person

T = TypeVar("T")
VARIANTS = ("flag-chase", "line-runner", "number-reach(target=12)", "reach-the-edge", "line-runner(players=3, end=9)")


ORDERS: dict[str, Any] = {
    "variant": st.sampled_from(VARIANTS),
    "who": st.lists(st.sampled_from(["here", "link", "link", "bot"]), min_size=3, max_size=3),
    "rounds": st.integers(1, 2),
    "assist": st.sampled_from(["off", "after", "on"]),
    "first": st.integers(1, 2),
}


class Model:
    """A match followed by hand, from nothing but what is stored of it."""

    def __init__(self, variant: str, first: int) -> None:
        self.book = book(variant)
        self.first = first
        self.round = 0
        self.score = [0] * self.book.rules.players
        self.offerer = 0
        self.next()

    def next(self) -> None:
        players = self.book.rules.players
        self.match = Match(self.book, (self.first - 1 + self.round) % players + 1)
        self.round += 1
        self.settle()

    def settle(self) -> None:
        while self.match.moves and self.match.moves[0] in FORCED_MOVES:
            self.match.play(self.match.moves[0])
        if self.match.outcome:
            self.score[self.match.outcome.winner - 1] += 1

    def take_back(self, seat: int) -> None:
        last = max(n for n, ply in enumerate(self.match.plies) if ply.player == seat and ply.chosen)
        while self.match.length > last:
            self.match.undo()

    def follow(self, event: Event) -> None:
        if event.what == "next":
            self.next()
        elif event.what == "takeback":
            self.take_back(event.seat)
        elif event.what == "offer:takeback":
            self.offerer = event.seat
        elif event.what == "accept:takeback":
            self.take_back(self.offerer)
        elif event.what == RESIGN:
            self.match.resign()
            self.settle()
        elif ":" not in event.what.strip("0123456789:") and event.what != "join":
            assert self.match.turn == event.seat
            self.match.play(event.what)
            self.settle()


class Tables(RuleBasedStateMachine):
    """Ann, Bob, bots and a watcher in one match after another."""

    def __init__(self, address: str = "") -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.loop = asyncio.new_event_loop()
        self.harness = ServiceHarness(address or Path(self.folder.name))
        self.run(self.harness.start())
        self.match = ""
        self.acknowledged: dict[str, int] = {}
        self.messages: list[tuple[tuple[int, ...], str, str, int, str]] = []
        self.asked = 0

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        self.run(self.harness.stop())
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        self.folder.cleanup()

    @initialize(**ORDERS)
    def begin(self, **order: Any) -> None:
        self.create_one(**order)

    @precondition(lambda self: not self.playing or self.model.match.outcome)
    @rule(**ORDERS)
    def create(self, **order: Any) -> None:
        self.create_one(**order)

    def create_one(self, variant: str, who: list[str], rounds: int, assist: Any, first: int) -> None:
        kinds = {"here": person("Ann"), "link": None, "bot": bot("random")}
        seats = tuple(kinds[each] for each in ["here", *who[1:]][: book(variant).rules.players])
        order = match_request(variant, seats, first=first, rounds=rounds, assist=assist)
        made = self.run(self.harness.service.create(order, ANN))
        for invite in made.invites.values():
            self.run(self.harness.service.claim(made.match, invite, "Bob", BOB))
        self.match, self.assist = made.match, assist
        self.model, self.followed, self.acknowledged = Model(variant, first), 0, {}
        self.messages = []
        self.watcher = self.run(self.harness.subscribe(self.match))
        self.seats = {token: self.run(self.harness.service.seats_of(self.match, token)) for token in (ANN, BOB)}

    @property
    def playing(self) -> bool:
        return bool(self.match)

    def send(self, who: str, kind: str, text: str = "", *, behind: int = 0) -> dict[str, Any]:
        self.asked += 1
        request = f"r{self.asked}"
        current = self.run(self.harness.seq(self.match))
        seq = current - behind if behind <= current else current + behind  # a message with a negative seq is invalid
        you = self.seats[who]
        answer = self.run(self.harness.send(self.match, you, kind, text, seq=seq, request=request))
        assert answer["request"] == request
        assert answer["kind"] in {"ack", "error", "answer"}
        if answer["kind"] == "ack":
            self.acknowledged[f"{request}"] = answer["seq"]
            self.messages.append((you, kind, text, seq, request))
        return answer

    @precondition(lambda self: self.playing)
    @rule(numbers=st.lists(st.integers(0, 9), min_size=1, max_size=3))
    def move(self, numbers: list[int]) -> None:
        for number in numbers:
            self.state_matches_stored_events()
            legal = self.model.match.moves
            turn = self.model.match.turn
            who = next((token for token, seats in self.seats.items() if turn in seats), None)
            if legal and who:
                assert self.send(who, "move", legal[number % len(legal)])["kind"] == "ack"

    @precondition(lambda self: self.playing)
    @rule(who=st.sampled_from([ANN, BOB]), text=st.sampled_from(["99", "up", "1", "*2", "pass", "resign", "join"]))
    def move_anything(self, who: str, text: str) -> None:
        self.send(who, "move", text)

    @precondition(lambda self: self.playing)
    @rule(who=st.sampled_from([ANN, BOB]), behind=st.integers(1, 2))
    def move_late(self, who: str, behind: int) -> None:
        if self.seats[who]:
            assert self.send(who, "move", "1", behind=behind)["code"] == "stale"

    @precondition(lambda self: self.messages)
    @rule(number=st.integers(0, 20))
    def repeat(self, number: int) -> None:
        you, kind, text, seq, request = self.messages[number % len(self.messages)]
        answer = self.run(self.harness.send(self.match, you, kind, text, seq=seq, request=request))
        assert answer == {"kind": "ack", "request": request, "seq": self.acknowledged[request]}

    @precondition(lambda self: self.playing)
    @rule(
        who=st.sampled_from([ANN, BOB]),
        kind=st.sampled_from(["offer", "offer", "accept", "accept", "decline", "withdraw"]),
        what=st.sampled_from(["takeback", "takeback", "rematch"]),
    )
    def propose(self, who: str, kind: str, what: str) -> None:
        self.send(who, kind, what)

    @precondition(lambda self: self.playing)
    @rule(who=st.sampled_from([ANN, BOB]), what=st.sampled_from(["takeback", "takeback", "rematch"]))
    def agree(self, who: str, what: str) -> None:
        self.send(who, "offer", what)
        self.send(BOB if who == ANN else ANN, "accept", what)

    @precondition(lambda self: self.playing)
    @rule(who=st.sampled_from([ANN, BOB]), kind=st.sampled_from(["resign", "next", "next"]))
    def go_on(self, who: str, kind: str) -> None:
        self.send(who, kind)

    @precondition(lambda self: self.playing)
    @rule(who=st.sampled_from([ANN, BOB]), what=st.sampled_from(["hint", "move", "why"]))
    def ask(self, who: str, what: str) -> None:
        answer = self.send(who, "ask", what)
        over = self.model.match.outcome is not None
        if self.assist == "off" or (self.assist == "after" and not over):
            assert answer["code"] == "not_allowed"

    @precondition(lambda self: self.playing)
    @rule()
    def restart(self) -> None:
        frames = self.watcher
        self.run(self.harness.restart())
        assert frames.frames[-1]["kind"] == "goodbye"
        self.watcher = self.run(self.harness.subscribe(self.match))

    @precondition(lambda self: self.playing and self.model.match.outcome)
    @rule()
    def delete(self) -> None:
        self.run(self.harness.service.delete(self.match, ANN))
        assert self.harness.store.find(self.match) is None
        self.match, self.messages = "", []

    @precondition(lambda self: self.playing)
    @invariant()
    def state_matches_stored_events(self) -> None:
        for event in self.harness.store.events_since(self.match, self.followed):
            self.model.follow(event)
            self.followed = event.seq
        table = self.run(self.harness.state(self.match))
        model, match = self.model, table["match"]
        assert table["seq"] == self.followed
        assert table["position"]["position"] == format_position(model.match.position)
        assert [ply["move"] for ply in match["log"]] == [str(ply.move) for ply in model.match.plies]
        assert (match["score"], match["round"]) == (model.score, model.round)
        assert (match["outcome"] is None) == (model.match.outcome is None)

    @precondition(lambda self: self.playing)
    @invariant()
    def acknowledged_events_are_stored(self) -> None:
        stored = {
            event.request.partition(":")[2]: event.seq for event in self.harness.store.events_since(self.match, 0)
        }
        assert self.acknowledged.items() <= stored.items()

    @precondition(lambda self: self.playing)
    @invariant()
    def watcher_sees_no_hidden_values(self) -> None:
        assert _revealing_frames(self.watcher, self.assist) == []
        self.watcher.raw.clear()


def _revealing_frames(recorder: FrameRecorder, assist: str) -> list[dict[str, Any]]:
    """Return the frames that reveal hidden values."""
    found = []
    for frame in recorder.of("table") + recorder.of("event"):
        match = frame.get("match", frame)
        may = assist == "on" or (assist == "after" and match["outcome"] is not None)
        worth = frame["values"] or {"marks", "series", "mark", "point", "turning"} & match.keys()
        if worth and not may:
            found.append(frame)
    return found


TestTables = Tables.TestCase
TestTables.settings = SETTINGS = settings(
    max_examples=10,
    stateful_step_count=25,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.postgres
def test_state_machine_holds_on_a_shared_database() -> None:
    from support.postgres_server import empty_database

    class Shared(Tables):
        def __init__(self) -> None:
            super().__init__(empty_database())

    run_state_machine_as_test(Shared, settings=settings(SETTINGS, max_examples=4))
