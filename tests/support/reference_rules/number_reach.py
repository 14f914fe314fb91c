"""A plain reading of the rule book of Number Reach, to hold the engine against."""

from typing import NamedTuple


class State(NamedTuple):
    """The number, who is to move, who is still in, the operation they may not choose ("": none), and who has won."""

    number: int
    turn: int
    still_in: tuple[int, ...]
    banned: str
    won: int


class NumberReach:
    """One shared number; the player who makes it exactly `target` wins."""

    def __init__(
        self,
        *,
        start: int = 1,
        target: int = 20,
        operations: tuple[str, ...] = ("+1", "*2"),
        players: int = 2,
        overshoot: str = "loses",
        repeat: str = "free",
        skip: bool = False,
        stuck: str = "passes",
    ) -> None:
        self.begin = start
        self.target = target
        self.operations = sorted(operations, key=lambda operation: ("+-*/".index(operation[0]), int(operation[1:])))
        self.players = players
        self.overshoot = overshoot
        self.repeat = repeat
        self.skip = skip
        self.stuck = stuck

    def start(self, first: int) -> State:
        return State(self.begin, first, tuple(range(1, self.players + 1)), "", 0)

    def moves(self, state: State) -> tuple[str, ...]:
        if self.winner(state) != 0:
            return ()
        choices = self.choices(state)
        if choices:
            return tuple(choices)
        if self.stuck == "loses":
            return ("out",)
        return ("pass",)

    def winner(self, state: State) -> int:
        if state.won != 0:
            return state.won
        if self.stuck == "loses" and len(state.still_in) == 2 and not self.choices(state):
            return self.next_player(state)
        return 0

    def choices(self, state: State) -> list[str]:
        """Return the choices of the player to move."""
        found = []
        for operation in self.operations:
            if operation == state.banned:
                continue
            number = self.result(state.number, operation)
            if number is None:
                continue
            if number > self.target and self.overshoot == "refused":
                continue
            found.append(operation)
        if self.skip:
            found.append("skip")
        return found

    def result(self, number: int, operation: str) -> int | None:
        """Return the result of the operation, or None if it is impossible."""
        sign = operation[0]
        k = int(operation[1:])
        if sign == "+":
            return number + k
        if sign == "*":
            return number * k
        if sign == "-":
            return number - k if number - k >= 1 else None
        return number // k if number % k == 0 else None

    def next_player(self, state: State) -> int:
        player = state.turn % self.players + 1
        while player not in state.still_in:
            player = player % self.players + 1
        return player

    def after(self, state: State, move: str) -> State:
        following = self.next_player(state)
        others = tuple(player for player in state.still_in if player != state.turn)
        if move in {"pass", "skip"}:
            return State(state.number, following, state.still_in, "", 0)
        if move == "out":
            return State(state.number, following, others, "", 0)

        number = self.result(state.number, move)
        assert number is not None
        banned = move if self.repeat == "banned" else ""
        if number < self.target:
            return State(number, following, state.still_in, banned, 0)
        if number == self.target or self.overshoot == "counts":
            return State(number, following, state.still_in, banned, state.turn)
        last_one_left = others[0] if len(others) == 1 else 0
        return State(state.number, following, others, banned, last_one_left)
