"""What a player may choose on a turn, and where each choice would take a token if nothing were in the way.

Forward moves go towards one's own goal, left-or-right moves go either way, operations do a sum. `back` is one step away
from the goal, `skip` gives the turn up. `pass` and `out` are never chosen: they are what happens to a player who has no
move left.
"""

from __future__ import annotations

from typing import Any, Self

from numberline.game.elementwise import BoolOrArray, IntOrArray
from numberline.game.rules import Operation, Rules

NO_STRIDE = 0
"""The stride of a move that bans nothing: a skipped or a lost turn."""


class Move(str):
    """One choice as it is written (`3`, `R2`, `*2`, `1:back`, `skip`), with all that the engine needs to play it."""

    __slots__ = ("divisor", "factor", "heading", "rules", "shift", "slot", "stride", "token")

    rules: Rules | None
    """The rules that it is a move of; None for what happens in any game."""
    stride: int
    """What a ban on repeating remembers: the length of a step, or the number of an operation, counted from 1."""
    token: int | None
    """Which of the mover's tokens, counted from 0; None where no token moves."""
    slot: tuple[int, ...]
    """The same among all tokens of a position, for each player (`slot[0]` is nobody's, as in the next two)."""
    heading: tuple[int, ...]
    """Which way the token goes, 1 for right and -1 for left, for each player."""
    shift: tuple[int, ...]
    """How far to the right, for each player; empty where the move multiplies or divides."""
    factor: int
    """What the move multiplies by, 0 where it does not."""
    divisor: int
    """What the move divides by, 0 where it does not."""

    def __new__(
        cls,
        text: str,
        stride: int = NO_STRIDE,
        *,
        rules: Rules | None = None,
        token: int | None = None,
        slot: tuple[int, ...] = (),
        heading: tuple[int, ...] = (),
        shift: tuple[int, ...] = (),
        factor: int = 0,
        divisor: int = 0,
    ) -> Self:
        """The move of this text."""
        move = super().__new__(cls, text)
        move.rules, move.stride, move.token, move.slot = rules, stride, token, slot
        move.heading, move.shift, move.factor, move.divisor = heading, shift, factor, divisor
        return move

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)  # whoever gets it in another process reads it there

    def target(self, place: IntOrArray, turn: int) -> IntOrArray:
        """Where the token would get to from this place."""
        if self.shift:
            return place + self.shift[turn]
        return place * self.factor if self.factor else place // self.divisor

    def divides_evenly(self, place: IntOrArray) -> BoolOrArray:
        """Whether the sum can be done: a division must leave no remainder."""
        return place % self.divisor == 0 if self.divisor else True


SKIP = Move("skip")
PASS = Move("pass")
OUT = Move("out")
FORCED_MOVES = (PASS, OUT)
"""What happens to a player who has no move; nobody chooses it."""


def forward_directions(rules: Rules) -> tuple[int, ...]:
    """Which way is forward for each player: 1 for right, -1 for left (`sides[0]` is nobody's)."""
    return (0, *(1 if goals[-1] > start else -1 for start, goals in zip(rules.starts, rules.goals, strict=True)))


def is_forward_only(rules: Rules) -> bool:
    """Whether every move goes towards the one goal of whoever makes it."""
    if rules.moves == "operations":
        ways = {operation.increases for operation in rules.operations}
        return len(ways) == 1 and ways == {side > 0 for side in forward_directions(rules)[1:]}
    return rules.moves == "forward" and not rules.reverse


def choices(rules: Rules) -> tuple[Move, ...]:
    """Every move of the book, in the order in which it is offered."""
    moves = [move for token in range(rules.tokens) for move in _token_moves(rules, token)]
    return (*moves, SKIP) if rules.skip else tuple(moves)


def _token_moves(rules: Rules, token: int) -> list[Move]:
    """The moves that this one of the mover's tokens can make."""
    forward = forward_directions(rules)
    name = f"{token + 1}:" if rules.tokens > 1 else ""
    first = [0 if rules.shared else player * rules.tokens for player in range(rules.players)]
    whose = {"rules": rules, "token": token, "slot": (0, *(place + token for place in first))}
    if rules.moves == "operations":
        return [
            _operation_move(name, n, operation, whose, len(forward)) for n, operation in enumerate(rules.operations, 1)
        ]
    ways = {"": forward} if rules.moves == "forward" else {"L": (-1,) * len(forward), "R": (1,) * len(forward)}
    steps = [(f"{letter}{length}", length, way) for letter, way in ways.items() for length in rules.steps]
    if rules.reverse:
        steps.append(("back", 1, tuple(-side for side in forward)))
    return [_step_move(name + text, length, way, whose) for text, length, way in steps]


def _step_move(text: str, length: int, heading: tuple[int, ...], whose: dict[str, Any]) -> Move:
    return Move(text, length, heading=heading, shift=tuple(way * length for way in heading), **whose)


def _operation_move(name: str, number: int, operation: Operation, whose: dict[str, Any], players: int) -> Move:
    heading = (1 if operation.increases else -1,) * players
    return Move(
        f"{name}{operation}",
        number,
        heading=heading,
        shift=tuple(way * operation.amount for way in heading) if operation.sign in "+-" else (),
        factor=operation.amount if operation.sign == "*" else 0,
        divisor=operation.amount if operation.sign == "/" else 0,
        **whose,
    )
