"""Each rule book was read twice, by different people: the engine and these plain readings must play the same game."""

from collections.abc import Hashable, Iterator
from typing import Any, Protocol, TypeVar

import pytest

import numberline as nl
from support.reference_rules.flag_chase import FlagChase
from support.reference_rules.line_runner import LineRunner
from support.reference_rules.number_line_sprint import NumberLineSprint
from support.reference_rules.number_reach import NumberReach
from support.reference_rules.reach_the_edge import ReachTheEdge

S = TypeVar("S", bound=Hashable)


class Reading(Protocol[S]):
    """Interface of the reference rules of one book."""

    def start(self, first: int) -> S: ...
    def moves(self, state: S) -> tuple[str, ...]: ...
    def after(self, state: S, move: str) -> S: ...
    def winner(self, state: S) -> int: ...


def agree(text: str, reading: Reading[Any], players: int = 2) -> int:
    """Compare the engine with the reference rules in all reachable positions; return how many there are."""
    book = nl.book(text)
    pairs = [(book.start(first=first), reading.start(first)) for first in range(1, players + 1)]
    seen = set(pairs)
    while pairs:
        position, state = pairs.pop()
        moves = reading.moves(state)
        outcome = book.outcome(position)
        assert book.moves(position) == moves, f"{text}: the moves at {position}, read as {state}"
        assert (0 if outcome is None else outcome.winner) == reading.winner(state), f"{text}: who has won at {position}"
        for move in moves:
            pair = (book.after(position, move), reading.after(state, move))
            if pair not in seen:
                seen.add(pair)
                pairs.append(pair)
    return len(seen)


REACH_THE_EDGE = {
    "reach-the-edge": ReachTheEdge(),
    "reach-the-edge(end=16)": ReachTheEdge(end=16),
    "reach-the-edge(end=2)": ReachTheEdge(end=2),
    "reach-the-edge(start=3)": ReachTheEdge(start=3),
    "reach-the-edge(end=40, steps=1-6)": ReachTheEdge(end=40, steps=(1, 2, 3, 4, 5, 6)),
    "reach-the-edge(steps=1,3)": ReachTheEdge(steps=(1, 3)),
    "reach-the-edge(steps=2)": ReachTheEdge(steps=(2,)),
    "reach-the-edge(steps=1,3, stuck=loses)": ReachTheEdge(steps=(1, 3), stuck="loses"),
    "reach-the-edge(steps=2, stuck=loses)": ReachTheEdge(steps=(2,), stuck="loses"),
    "reach-the-edge(repeat=free)": ReachTheEdge(repeat="free"),
    "reach-the-edge(repeat=free, steps=2,5, stuck=loses)": ReachTheEdge(repeat="free", steps=(2, 5), stuck="loses"),
    "reach-the-edge(reverse=true)": ReachTheEdge(reverse=True),
    "reach-the-edge(skip=true)": ReachTheEdge(skip=True),
    "reach-the-edge(reverse=true, skip=true, steps=2,3)": ReachTheEdge(reverse=True, skip=True, steps=(2, 3)),
    "reach-the-edge(reverse=true, repeat=free)": ReachTheEdge(reverse=True, repeat="free"),
    "reach-the-edge(reverse=true, steps=1, stuck=loses)": ReachTheEdge(reverse=True, steps=(1,), stuck="loses"),
    "reach-the-edge(reverse=true, steps=1)": ReachTheEdge(reverse=True, steps=(1,)),
    "reach-the-edge(overshoot=loses)": ReachTheEdge(overshoot="loses"),
    "reach-the-edge(overshoot=counts)": ReachTheEdge(overshoot="counts"),
    "reach-the-edge(overshoot=counts, reverse=true, steps=2,4)": ReachTheEdge(
        overshoot="counts", reverse=True, steps=(2, 4)
    ),
    "reach-the-edge(overshoot=loses, steps=3, stuck=loses)": ReachTheEdge(overshoot="loses", steps=(3,), stuck="loses"),
    "reach-the-edge(overshoot=loses, skip=true, steps=2-4, end=9)": ReachTheEdge(
        overshoot="loses", skip=True, steps=(2, 3, 4), end=9
    ),
}

NUMBER_REACH = {
    "number-reach": NumberReach(),
    "number-reach(target=50)": NumberReach(target=50),
    "number-reach(start=3, target=31)": NumberReach(start=3, target=31),
    'number-reach(operations="+1 *2 -1")': NumberReach(operations=("+1", "*2", "-1")),
    'number-reach(operations="/2 *3 -2 +4 +1")': NumberReach(operations=("/2", "*3", "-2", "+4", "+1")),
    'number-reach(operations="+2 *2 /2", target=21)': NumberReach(operations=("+2", "*2", "/2"), target=21),
    'number-reach(operations="+10 +9 *10 *2", target=100)': NumberReach(
        operations=("+10", "+9", "*10", "*2"), target=100
    ),
    "number-reach(overshoot=refused)": NumberReach(overshoot="refused"),
    "number-reach(overshoot=counts)": NumberReach(overshoot="counts"),
    "number-reach(repeat=banned)": NumberReach(repeat="banned"),
    "number-reach(repeat=banned, overshoot=refused)": NumberReach(repeat="banned", overshoot="refused"),
    "number-reach(repeat=banned, overshoot=refused, stuck=loses)": NumberReach(
        repeat="banned", overshoot="refused", stuck="loses"
    ),
    'number-reach(operations="+3 *2", overshoot=refused)': NumberReach(operations=("+3", "*2"), overshoot="refused"),
    'number-reach(operations="+3 *2", overshoot=refused, stuck=loses)': NumberReach(
        operations=("+3", "*2"), overshoot="refused", stuck="loses"
    ),
    'number-reach(operations="*3", start=2, repeat=banned, stuck=loses)': NumberReach(
        operations=("*3",), start=2, repeat="banned", stuck="loses"
    ),
    "number-reach(skip=true)": NumberReach(skip=True),
    "number-reach(skip=true, repeat=banned, overshoot=counts)": NumberReach(
        skip=True, repeat="banned", overshoot="counts"
    ),
    "number-reach(players=3)": NumberReach(players=3),
    "number-reach(players=6, target=12)": NumberReach(players=6, target=12),
    'number-reach(players=4, operations="+1 *2 /3 -2")': NumberReach(players=4, operations=("+1", "*2", "/3", "-2")),
    "number-reach(players=3, repeat=banned)": NumberReach(players=3, repeat="banned"),
    "number-reach(players=3, repeat=banned, stuck=loses)": NumberReach(players=3, repeat="banned", stuck="loses"),
    'number-reach(players=4, operations="+3 *2", overshoot=refused, stuck=loses)': NumberReach(
        players=4, operations=("+3", "*2"), overshoot="refused", stuck="loses"
    ),
    'number-reach(players=3, operations="*2 +4", repeat=banned, overshoot=refused, stuck=loses)': NumberReach(
        players=3, operations=("*2", "+4"), repeat="banned", overshoot="refused", stuck="loses"
    ),
    'number-reach(players=3, operations="*2", repeat=banned, stuck=loses)': NumberReach(
        players=3, operations=("*2",), repeat="banned", stuck="loses"
    ),
    'number-reach(players=3, operations="*2", repeat=banned)': NumberReach(
        players=3, operations=("*2",), repeat="banned"
    ),
    "number-reach(players=3, skip=true, repeat=banned)": NumberReach(players=3, skip=True, repeat="banned"),
    "number-reach(players=5, overshoot=counts)": NumberReach(players=5, overshoot="counts"),
}

NUMBER_LINE_SPRINT = {
    "number-line-sprint": NumberLineSprint(),
    "number-line-sprint(end=10)": NumberLineSprint(end=10),
    "number-line-sprint(end=3)": NumberLineSprint(end=3),
    "number-line-sprint(start=3)": NumberLineSprint(start=3),
    "number-line-sprint(steps=1-3)": NumberLineSprint(steps=(1, 2, 3)),
    "number-line-sprint(steps=3)": NumberLineSprint(steps=(3,)),
    "number-line-sprint(steps=3, stuck=passes)": NumberLineSprint(steps=(3,), stuck="passes"),
    "number-line-sprint(steps=2,5)": NumberLineSprint(steps=(2, 5)),
    "number-line-sprint(steps=4, end=9, start=3, stuck=passes)": NumberLineSprint(
        steps=(4,), end=9, start=3, stuck="passes"
    ),
    "number-line-sprint(repeat=banned)": NumberLineSprint(repeat="banned"),
    "number-line-sprint(repeat=banned, stuck=passes)": NumberLineSprint(repeat="banned", stuck="passes"),
    "number-line-sprint(repeat=banned, steps=2, stuck=passes)": NumberLineSprint(
        repeat="banned", steps=(2,), stuck="passes"
    ),
    "number-line-sprint(overshoot=counts, steps=2,3)": NumberLineSprint(overshoot="counts", steps=(2, 3)),
    "number-line-sprint(overshoot=loses)": NumberLineSprint(overshoot="loses"),
    "number-line-sprint(overshoot=loses, steps=2,4, stuck=passes)": NumberLineSprint(
        overshoot="loses", steps=(2, 4), stuck="passes"
    ),
    "number-line-sprint(meeting=shares)": NumberLineSprint(meeting="shares"),
    "number-line-sprint(meeting=stops)": NumberLineSprint(meeting="stops"),
    "number-line-sprint(meeting=stops, steps=1)": NumberLineSprint(meeting="stops", steps=(1,)),
    "number-line-sprint(meeting=stops, steps=2, end=9, start=4)": NumberLineSprint(
        meeting="stops", steps=(2,), end=9, start=4
    ),
    "number-line-sprint(meeting=stops, repeat=banned)": NumberLineSprint(meeting="stops", repeat="banned"),
    "number-line-sprint(meeting=stops, repeat=banned, steps=1-3, stuck=passes)": NumberLineSprint(
        meeting="stops", repeat="banned", steps=(1, 2, 3), stuck="passes"
    ),
    "number-line-sprint(meeting=shares, overshoot=loses, repeat=banned)": NumberLineSprint(
        meeting="shares", overshoot="loses", repeat="banned"
    ),
    "number-line-sprint(skip=true)": NumberLineSprint(skip=True),
    "number-line-sprint(skip=true, meeting=stops, repeat=banned)": NumberLineSprint(
        skip=True, meeting="stops", repeat="banned"
    ),
    "number-line-sprint(players=3, end=7)": NumberLineSprint(players=3, end=7),
    "number-line-sprint(players=3, end=8, stuck=passes)": NumberLineSprint(players=3, end=8, stuck="passes"),
    "number-line-sprint(players=3, end=7, meeting=stops)": NumberLineSprint(players=3, end=7, meeting="stops"),
    "number-line-sprint(players=3, end=7, steps=1-3, meeting=stops, overshoot=loses, repeat=banned)": NumberLineSprint(
        players=3, end=7, steps=(1, 2, 3), meeting="stops", overshoot="loses", repeat="banned"
    ),
    "number-line-sprint(players=3, end=6, steps=1, meeting=stops)": NumberLineSprint(
        players=3, end=6, steps=(1,), meeting="stops"
    ),
    "number-line-sprint(players=3, end=6, steps=1, meeting=stops, stuck=passes)": NumberLineSprint(
        players=3, end=6, steps=(1,), meeting="stops", stuck="passes"
    ),
    "number-line-sprint(players=3, end=7, overshoot=loses)": NumberLineSprint(players=3, end=7, overshoot="loses"),
    "number-line-sprint(players=3, end=7, overshoot=loses, repeat=banned, meeting=shares)": NumberLineSprint(
        players=3, end=7, overshoot="loses", repeat="banned", meeting="shares"
    ),
    "number-line-sprint(players=3, end=7, overshoot=counts, steps=1,3, skip=true)": NumberLineSprint(
        players=3, end=7, overshoot="counts", steps=(1, 3), skip=True
    ),
    "number-line-sprint(players=3, end=7, steps=2, start=3, repeat=banned)": NumberLineSprint(
        players=3, end=7, steps=(2,), start=3, repeat="banned"
    ),
    "number-line-sprint(players=3, end=7, repeat=banned)": NumberLineSprint(players=3, end=7, repeat="banned"),
}

FLAG_CHASE = {
    "flag-chase": FlagChase(),
    "flag-chase(end=11)": FlagChase(end=11),
    "flag-chase(end=30, steps=1-5)": FlagChase(end=30, steps=(1, 2, 3, 4, 5)),
    "flag-chase(flag=3)": FlagChase(flag=3),
    "flag-chase(flag=8, end=12, steps=2,3)": FlagChase(flag=8, end=12, steps=(2, 3)),
    "flag-chase(steps=2,3)": FlagChase(steps=(2, 3)),
    "flag-chase(steps=2, end=8)": FlagChase(steps=(2,), end=8),
    "flag-chase(reverse=true)": FlagChase(reverse=True),
    "flag-chase(skip=true)": FlagChase(skip=True),
    "flag-chase(reverse=true, skip=true)": FlagChase(reverse=True, skip=True),
    "flag-chase(reverse=true, steps=3,4)": FlagChase(reverse=True, steps=(3, 4)),
    "flag-chase(reverse=true, steps=7)": FlagChase(reverse=True, steps=(7,)),
    "flag-chase(overshoot=loses)": FlagChase(overshoot="loses"),
    "flag-chase(overshoot=counts)": FlagChase(overshoot="counts"),
    "flag-chase(overshoot=counts, steps=2,9, end=7)": FlagChase(overshoot="counts", steps=(2, 9), end=7),
    "flag-chase(overshoot=loses, steps=2,3, reverse=true, skip=true)": FlagChase(
        overshoot="loses", steps=(2, 3), reverse=True, skip=True
    ),
    "flag-chase(repeat=banned)": FlagChase(repeat="banned"),
    "flag-chase(repeat=banned, steps=2, end=8)": FlagChase(repeat="banned", steps=(2,), end=8),
    "flag-chase(repeat=banned, reverse=true, steps=1,3)": FlagChase(repeat="banned", reverse=True, steps=(1, 3)),
    "flag-chase(repeat=banned, reverse=true, skip=true, overshoot=counts)": FlagChase(
        repeat="banned", reverse=True, skip=True, overshoot="counts"
    ),
    "flag-chase(repeat=banned, overshoot=loses, steps=1,4, reverse=true, end=13, flag=5)": FlagChase(
        repeat="banned", overshoot="loses", steps=(1, 4), reverse=True, end=13, flag=5
    ),
}

LINE_RUNNER = {
    "line-runner": LineRunner(),
    "line-runner(end=30, steps=1-4)": LineRunner(end=30, steps=(1, 2, 3, 4)),
    "line-runner(end=9, steps=1)": LineRunner(end=9, steps=(1,)),
    "line-runner(end=12, steps=2,5)": LineRunner(end=12, steps=(2, 5)),
    "line-runner(meeting=blocks)": LineRunner(meeting="blocks"),
    "line-runner(meeting=shares)": LineRunner(meeting="shares"),
    "line-runner(overshoot=refused)": LineRunner(overshoot="refused"),
    "line-runner(overshoot=loses)": LineRunner(overshoot="loses"),
    "line-runner(overshoot=refused, steps=2,3, meeting=blocks)": LineRunner(
        overshoot="refused", steps=(2, 3), meeting="blocks"
    ),
    "line-runner(repeat=banned)": LineRunner(repeat="banned"),
    "line-runner(repeat=banned, steps=1,2, end=9)": LineRunner(repeat="banned", steps=(1, 2), end=9),
    "line-runner(repeat=banned, steps=2, end=9)": LineRunner(repeat="banned", steps=(2,), end=9),
    "line-runner(repeat=banned, meeting=blocks, overshoot=loses, end=12)": LineRunner(
        repeat="banned", meeting="blocks", overshoot="loses", end=12
    ),
    "line-runner(reverse=true)": LineRunner(reverse=True),
    "line-runner(reverse=true, meeting=blocks, end=10)": LineRunner(reverse=True, meeting="blocks", end=10),
    "line-runner(reverse=true, meeting=shares, end=10)": LineRunner(reverse=True, meeting="shares", end=10),
    "line-runner(reverse=true, repeat=banned, end=10, steps=1)": LineRunner(
        reverse=True, repeat="banned", end=10, steps=(1,)
    ),
    "line-runner(skip=true)": LineRunner(skip=True),
    "line-runner(reverse=true, skip=true, repeat=banned, end=10)": LineRunner(
        reverse=True, skip=True, repeat="banned", end=10
    ),
    "line-runner(reverse=true, skip=true, overshoot=refused, steps=2,3, end=9)": LineRunner(
        reverse=True, skip=True, overshoot="refused", steps=(2, 3), end=9
    ),
    "line-runner(tokens=2, end=6)": LineRunner(tokens=2, end=6),
    "line-runner(tokens=2, end=5, steps=1)": LineRunner(tokens=2, end=5, steps=(1,)),
    "line-runner(tokens=2, end=6, finish=one)": LineRunner(tokens=2, end=6, finish="one"),
    "line-runner(tokens=2, end=5, meeting=blocks)": LineRunner(tokens=2, end=5, meeting="blocks"),
    "line-runner(tokens=2, end=5, meeting=shares)": LineRunner(tokens=2, end=5, meeting="shares"),
    "line-runner(tokens=2, end=4, repeat=banned)": LineRunner(tokens=2, end=4, repeat="banned"),
    "line-runner(tokens=2, end=5, reverse=true, skip=true)": LineRunner(tokens=2, end=5, reverse=True, skip=True),
    "line-runner(tokens=2, end=5, steps=1,2, reverse=true)": LineRunner(tokens=2, end=5, steps=(1, 2), reverse=True),
    "line-runner(tokens=2, end=4, reverse=true, repeat=banned, meeting=blocks)": LineRunner(
        tokens=2, end=4, reverse=True, repeat="banned", meeting="blocks"
    ),
    "line-runner(tokens=2, end=5, overshoot=loses)": LineRunner(tokens=2, end=5, overshoot="loses"),
    "line-runner(tokens=2, end=5, overshoot=refused, steps=2,3)": LineRunner(
        tokens=2, end=5, overshoot="refused", steps=(2, 3)
    ),
    "line-runner(tokens=3, end=3, steps=1,2)": LineRunner(tokens=3, end=3, steps=(1, 2)),
    "line-runner(tokens=3, end=4, finish=one, meeting=blocks)": LineRunner(
        tokens=3, end=4, finish="one", meeting="blocks"
    ),
    "line-runner(players=3, end=8)": LineRunner(players=3, end=8),
    "line-runner(players=3, end=7, meeting=blocks)": LineRunner(players=3, end=7, meeting="blocks"),
    "line-runner(players=3, end=7, overshoot=loses)": LineRunner(players=3, end=7, overshoot="loses"),
    "line-runner(players=3, end=6, overshoot=loses, repeat=banned)": LineRunner(
        players=3, end=6, overshoot="loses", repeat="banned"
    ),
    "line-runner(players=3, end=6, overshoot=loses, repeat=banned, meeting=blocks, skip=true)": LineRunner(
        players=3, end=6, overshoot="loses", repeat="banned", meeting="blocks", skip=True
    ),
    "line-runner(players=3, end=5, reverse=true, repeat=banned)": LineRunner(
        players=3, end=5, reverse=True, repeat="banned"
    ),
    "line-runner(players=3, tokens=2, end=3, steps=1,2)": LineRunner(players=3, tokens=2, end=3, steps=(1, 2)),
    "line-runner(players=3, tokens=2, end=3, steps=1,2, overshoot=loses)": LineRunner(
        players=3, tokens=2, end=3, steps=(1, 2), overshoot="loses"
    ),
}


def cases(variants: dict[str, Any]) -> pytest.MarkDecorator:
    """A test for each variant, named by its text."""
    return pytest.mark.parametrize(("text", "reading"), list(variants.items()), ids=list(variants))


@cases(REACH_THE_EDGE)
def test_reach_the_edge_agrees_with_its_reference_rules(text: str, reading: ReachTheEdge) -> None:
    agree(text, reading)


@cases(NUMBER_REACH)
def test_number_reach_agrees_with_its_reference_rules(text: str, reading: NumberReach) -> None:
    agree(text, reading, reading.players)


@cases(NUMBER_LINE_SPRINT)
def test_number_line_sprint_agrees_with_its_reference_rules(text: str, reading: NumberLineSprint) -> None:
    agree(text, reading, reading.players)


@cases(FLAG_CHASE)
def test_flag_chase_agrees_with_its_reference_rules(text: str, reading: FlagChase) -> None:
    agree(text, reading)


@cases(LINE_RUNNER)
def test_line_runner_agrees_with_its_reference_rules(text: str, reading: LineRunner) -> None:
    agree(text, reading, reading.players)


def reachable(reading: Reading[S], first: int) -> Iterator[S]:
    """Every state that can come up, the finished ones too."""
    waiting = [reading.start(first)]
    seen = set(waiting)
    while waiting:
        state = waiting.pop()
        yield state
        for move in reading.moves(state):
            following = reading.after(state, move)
            if following not in seen:
                seen.add(following)
                waiting.append(following)


def solve(reading: Reading[S], first: int) -> dict[S, tuple[int, int]]:
    """Who wins each state that can come up, and in how many plies (the winner hurries, the loser holds out).

    One round of the loop for each number of plies; a state that is never found goes round for ever.
    """
    players = (1, 2)
    states = list(reachable(reading, first))
    to_move = {reading.start(first): first}
    for state in states:
        for move in reading.moves(state):
            to_move[reading.after(state, move)] = 3 - to_move[state]

    found = {state: (reading.winner(state), 0) for state in states if reading.winner(state) in players}
    plies = 0
    while True:
        plies += 1
        new = {}
        for state in states:
            if state in found:
                continue
            following = [reading.after(state, move) for move in reading.moves(state)]
            winners = [found[after][0] if after in found else 0 for after in following]
            mover = to_move[state]
            if mover in winners:
                new[state] = (mover, plies)
            elif 0 not in winners:
                new[state] = (3 - mover, plies)
        if not new:
            return found
        found |= new


BOOKS: list[tuple[str, Reading[Any]]] = [
    ("reach-the-edge", ReachTheEdge()),
    ("number-reach", NumberReach()),
    ("number-line-sprint", NumberLineSprint()),
    ("flag-chase", FlagChase()),
    ("line-runner", LineRunner()),
]


@pytest.mark.parametrize(
    ("reading", "count"),
    [(reading, count) for (_, reading), count in zip(BOOKS, (71, 35, 141, 29, 517), strict=True)],
    ids=[name for name, _ in BOOKS],
)
def test_as_many_live_positions_can_come_up_as_the_rulings_say(reading: Reading[Any], count: int) -> None:
    live = [state for state in reachable(reading, 1) if reading.winner(state) == 0]
    assert len(live) == count


@pytest.mark.parametrize(
    ("reading", "first", "winner", "plies", "best"),
    [
        (ReachTheEdge(), 1, 1, 11, ["3"]),
        (ReachTheEdge(), 2, 2, 9, None),
        (NumberReach(), 1, 2, 14, None),
        (NumberReach(), 2, 1, 14, None),
        (NumberLineSprint(), 1, 1, 5, None),
        (NumberLineSprint(), 2, 2, 5, None),
        (FlagChase(), 1, 1, 3, ["2", "3"]),
        (FlagChase(), 2, 2, 3, ["2", "3"]),
        (LineRunner(), 1, 1, 13, ["2", "3"]),
        (LineRunner(), 2, 2, 13, ["2", "3"]),
    ],
    ids=[f"{name}, player {first} first" for name, _ in BOOKS for first in (1, 2)],
)
def test_perfect_play_ends_as_the_rulings_say(
    reading: Reading[Any], first: int, winner: int, plies: int, best: list[str] | None
) -> None:
    start = reading.start(first)
    found = solve(reading, first)
    assert found[start] == (winner, plies)
    if best is not None:
        after = {move: found.get(reading.after(start, move), (0, 0)) for move in reading.moves(start)}
        assert [move for move, (who, _) in after.items() if who == first] == best
        assert [move for move, result in after.items() if result == (first, plies - 1)] == best
