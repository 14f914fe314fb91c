"""What a player may choose on a turn, and where each choice would take a token if nothing were in the way.

Forward moves go towards one's own goal, left-or-right moves go either way, operations do a sum. `back` is one step away
from the goal, `skip` gives the turn up. `pass` and `out` are never chosen: they are what happens to a player who has no
move left.
"""

from __future__ import annotations

from typing import NamedTuple

from numberline.rules.answers import Operation, Rules
from numberline.rules.arithmetic import Number, Truth

NOTHING = 0
"""The stride of a move that bans nothing: a skipped or a lost turn."""


class Move(NamedTuple):
    """One choice: which of one's tokens goes, and how."""

    text: str
    """As it is written: `3`, `R2`, `*2`, `1:back`, `skip`."""
    stride: int
    """What a ban on repeating remembers: the length of a step, or the number of an operation, counted from 1."""
    token: int | None = None
    """Which of the mover's tokens, counted from 0; None where no token moves."""
    slot: tuple[int, ...] = ()
    """The same among all tokens of a position, for each player (`slot[0]` is nobody's, as in the next two)."""
    heading: tuple[int, ...] = ()
    """Which way the token goes, 1 for right and -1 for left, for each player."""
    shift: tuple[int, ...] = ()
    """How far to the right, for each player; empty where the move multiplies or divides."""
    factor: int = 0
    """What the move multiplies by, 0 where it does not."""
    divisor: int = 0
    """What the move divides by, 0 where it does not."""

    def wanted(self, place: Number, turn: int) -> Number:
        """Where the token would get to from this place."""
        if self.shift:
            return place + self.shift[turn]
        return place * self.factor if self.factor else place // self.divisor

    def comes_out_even(self, place: Number) -> Truth:
        """Whether the sum can be done: a division must leave no remainder."""
        return place % self.divisor == 0 if self.divisor else True


SKIP = Move("skip", NOTHING)
PASS = Move("pass", NOTHING)
OUT = Move("out", NOTHING)
FORCED = (PASS, OUT)
"""What happens to a player who has no move; nobody chooses it."""


def sides(rules: Rules) -> tuple[int, ...]:
    """Which way is forward for each player: 1 for right, -1 for left (`sides[0]` is nobody's)."""
    return (0, *(1 if goals[-1] > start else -1 for start, goals in zip(rules.starts, rules.goals, strict=True)))


def choices(rules: Rules) -> tuple[Move, ...]:
    """Every move of the book, in the order in which it is offered."""
    moves = [_of_token(rules, token, move) for token in range(rules.tokens) for move in _one_token(rules)]
    return (*moves, SKIP) if rules.skip else tuple(moves)


def _of_token(rules: Rules, token: int, move: Move) -> Move:
    """The move, made by this one of the mover's tokens."""
    text = f"{token + 1}:{move.text}" if rules.tokens > 1 else move.text
    first = [0 if rules.shared else player * rules.tokens for player in range(rules.players)]
    return move._replace(text=text, token=token, slot=(0, *(place + token for place in first)))


def _one_token(rules: Rules) -> list[Move]:
    forward = sides(rules)
    moves = _STRIDES[rules.moves](rules, forward)
    if rules.reverse:
        moves.append(_step("back", 1, tuple(-side for side in forward)))
    return moves


def _forward(rules: Rules, forward: tuple[int, ...]) -> list[Move]:
    return [_step(str(length), length, forward) for length in rules.steps]


def _both_ways(rules: Rules, forward: tuple[int, ...]) -> list[Move]:
    return [
        _step(f"{letter}{length}", length, (way,) * len(forward))
        for letter, way in (("L", -1), ("R", 1))
        for length in rules.steps
    ]


def _step(text: str, length: int, heading: tuple[int, ...]) -> Move:
    return Move(text, length, heading=heading, shift=tuple(way * length for way in heading))


def _operations(rules: Rules, forward: tuple[int, ...]) -> list[Move]:
    return [_sum(number, operation, len(forward)) for number, operation in enumerate(rules.operations, 1)]


def _sum(number: int, operation: Operation, players: int) -> Move:
    heading = (1 if operation.rises else -1,) * players
    return Move(
        text=str(operation),
        stride=number,
        heading=heading,
        shift=tuple(way * operation.amount for way in heading) if operation.sign in "+-" else (),
        factor=operation.amount if operation.sign == "*" else 0,
        divisor=operation.amount if operation.sign == "/" else 0,
    )


_STRIDES = {"forward": _forward, "both ways": _both_ways, "operations": _operations}
