"""A plain reading of the rule book of Reach the Edge, to hold the engine against."""

from typing import NamedTuple


class State(NamedTuple):
    """The marker, the player to move, the banned distance (0: none), and the winner (0: none)."""

    marker: int
    turn: int
    banned: int
    won: int


class ReachTheEdge:
    """One marker on the line 0 to `end`: player 1 pulls it down to 0, player 2 up to `end`."""

    def __init__(
        self,
        *,
        end: int = 15,
        start: int | None = None,
        steps: tuple[int, ...] = (1, 2, 3),
        repeat: str = "banned",
        stuck: str = "passes",
        reverse: bool = False,
        skip: bool = False,
        overshoot: str = "refused",
    ) -> None:
        self.end = end
        self.begin = (end + 1) // 2 if start is None else start
        self.steps = sorted(steps)
        self.repeat = repeat
        self.stuck = stuck
        self.reverse = reverse
        self.skip = skip
        self.overshoot = overshoot

    def start(self, first: int) -> State:
        return State(self.begin, first, 0, 0)

    def moves(self, state: State) -> tuple[str, ...]:
        if self.winner(state) != 0:
            return ()
        choices = self.choices(state)
        if not choices:
            return ("pass",)
        return tuple(choices)

    def winner(self, state: State) -> int:
        if state.won != 0:
            return state.won
        if self.stuck == "loses" and not self.choices(state):
            return 3 - state.turn
        return 0

    def choices(self, state: State) -> list[str]:
        """Return the choices of the player to move."""
        to_go = state.marker if state.turn == 1 else self.end - state.marker
        found = []
        for step in self.steps:
            if step == state.banned:
                continue
            if step > to_go and self.overshoot == "refused":
                continue
            found.append(str(step))
        # The marker is never on an end of the line while the game goes on: there is always one place to go back to.
        if self.reverse and state.banned != 1:
            found.append("back")
        if self.skip:
            found.append("skip")
        return found

    def after(self, state: State, move: str) -> State:
        other = 3 - state.turn
        if move in {"pass", "skip"}:
            return State(state.marker, other, 0, 0)

        towards_goal = -1 if state.turn == 1 else 1
        if move == "back":
            distance = 1
            marker = state.marker - towards_goal
        else:
            distance = int(move)
            marker = state.marker + towards_goal * distance
        banned = distance if self.repeat == "banned" else 0

        if marker == 0:
            won = 1
        elif marker == self.end:
            won = 2
        elif 0 < marker < self.end:
            won = 0
        elif self.overshoot == "counts":
            won = state.turn
        else:
            won = other
        return State(marker, other, banned, won)
