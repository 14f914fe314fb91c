"""The moves of a book, and their targets if no token is in the way.

Forward moves go towards the player's goal, `both ways` moves go left or right, and operations do arithmetic. `back` is
one step away from the goal, and `skip` gives up the turn. `pass` and `out` are never chosen: a player who can't make
any other move is forced to play one of them.
"""

from __future__ import annotations

from typing import Any, Self

from numberline.game.elementwise import BoolOrArray, IntOrArray
from numberline.game.rules import Operation, Rules

NO_STRIDE = 0
"""Stride of a skipped or passed turn; it does not ban any move."""


class Move(str):
    """A move as text (`3`, `R2`, `*2`, `1:back`, `skip`), with the attributes that the engine needs to apply it."""

    __slots__ = ("divisor", "factor", "heading", "rules", "shift", "slot", "stride", "token")

    rules: Rules | None
    """Rules that define the move; None for `skip`, `pass` and `out`."""
    stride: int
    """The number that the `repeat` rule compares: a step's length, or an operation's number, counted from 1."""
    token: int | None
    """Index among the mover's tokens; None if no token moves."""
    slot: tuple[int, ...]
    """Index of the token in `Position.tokens`, by player (entry 0 is unused, as in `heading` and `shift`)."""
    heading: tuple[int, ...]
    """Direction of the move, by player: 1 for right, -1 for left."""
    shift: tuple[int, ...]
    """Signed distance of the move, by player; empty if the move multiplies or divides."""
    factor: int
    """Factor of a multiplication; 0 for other moves."""
    divisor: int
    """Divisor of a division; 0 for other moves."""

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
        move = super().__new__(cls, text)
        move.rules, move.stride, move.token, move.slot = rules, stride, token, slot
        move.heading, move.shift, move.factor, move.divisor = heading, shift, factor, divisor
        return move

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)  # the receiving process parses the text with its own book

    def target(self, place: IntOrArray, turn: int) -> IntOrArray:
        """Return where the move takes a token from `place` if no other token is in the way."""
        if self.shift:
            return place + self.shift[turn]
        return place * self.factor if self.factor else place // self.divisor

    def divides_evenly(self, place: IntOrArray) -> BoolOrArray:
        """Return whether dividing `place` leaves no remainder; true for moves that don't divide."""
        return place % self.divisor == 0 if self.divisor else True


SKIP = Move("skip")
PASS = Move("pass")
OUT = Move("out")
FORCED_MOVES = (PASS, OUT)
"""Moves that a player can't choose, but must play if no other move is possible."""


def forward_directions(rules: Rules) -> tuple[int, ...]:
    """Return each player's forward direction: 1 for right, -1 for left (entry 0 is unused)."""
    return (0, *(1 if goals[-1] > start else -1 for start, goals in zip(rules.starts, rules.goals, strict=True)))


def is_forward_only(rules: Rules) -> bool:
    """Return whether every move goes towards the mover's goal."""
    if rules.moves == "operations":
        ways = {operation.increases for operation in rules.operations}
        return len(ways) == 1 and ways == {side > 0 for side in forward_directions(rules)[1:]}
    return rules.moves == "forward" and not rules.reverse


def choices(rules: Rules) -> tuple[Move, ...]:
    """Return all moves that a player can choose under these rules, in display order."""
    moves = [move for token in range(rules.tokens) for move in _token_moves(rules, token)]
    return (*moves, SKIP) if rules.skip else tuple(moves)


def _token_moves(rules: Rules, token: int) -> list[Move]:
    """Return the moves of the mover's token with index `token`."""
    forward = forward_directions(rules)
    name = f"{token + 1}:" if rules.tokens > 1 else ""
    first = [0 if rules.shared else player * rules.tokens for player in range(rules.players)]
    whose: dict[str, Any] = {"rules": rules, "token": token, "slot": (0, *(place + token for place in first))}
    if rules.moves == "operations":
        numbered = enumerate(rules.operations, 1)
        return [_operation_move(name, n, operation, whose, len(forward)) for n, operation in numbered]
    ways = {"": forward} if rules.moves == "forward" else {"L": (-1,) * len(forward), "R": (1,) * len(forward)}
    steps = [(f"{letter}{length}", length, way) for letter, way in ways.items() for length in rules.steps]
    if rules.reverse:
        steps.append(("back", 1, tuple(-side for side in forward)))
    return [
        Move(name + text, length, heading=way, shift=tuple(side * length for side in way), **whose)
        for text, length, way in steps
    ]


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
