"""A plain reading of the rule book of Flag Chase, to hold the engine against."""

from typing import NamedTuple


class State(NamedTuple):
    """The two markers, the player to move, the banned step (0: none), and the winner (0: none)."""

    first_marker: int
    second_marker: int
    turn: int
    banned: int
    won: int


class FlagChase:
    """Tiles 0 to `end`: player 1 comes up from 0 and player 2 down from `end` to the flag between them."""

    def __init__(
        self,
        *,
        end: int = 10,
        flag: int | None = None,
        steps: tuple[int, ...] = (1, 2, 3),
        reverse: bool = False,
        skip: bool = False,
        overshoot: str = "refused",
        repeat: str = "free",
    ) -> None:
        self.end = end
        self.flag = (end + 1) // 2 if flag is None else flag
        self.steps = sorted(steps)
        self.reverse = reverse
        self.skip = skip
        self.overshoot = overshoot
        self.repeat = repeat

    def start(self, first: int) -> State:
        return State(0, self.end, first, 0, 0)

    def winner(self, state: State) -> int:
        return state.won

    def moves(self, state: State) -> tuple[str, ...]:
        if state.won != 0:
            return ()
        if state.turn == 1:
            to_go = self.flag - state.first_marker
            at_the_back = state.first_marker == 0
        else:
            to_go = state.second_marker - self.flag
            at_the_back = state.second_marker == self.end

        found = []
        for step in self.steps:
            if step == state.banned:
                continue
            if step > to_go and self.overshoot == "refused":
                continue
            found.append(str(step))
        if self.reverse and not at_the_back and state.banned != 1:
            found.append("back")
        if self.skip:
            found.append("skip")
        if not found:
            found.append("pass")
        return tuple(found)

    def after(self, state: State, move: str) -> State:
        other = 3 - state.turn
        if move in {"pass", "skip"}:
            return State(state.first_marker, state.second_marker, other, 0, 0)

        forward = -1 if move == "back" else int(move)
        banned = abs(forward) if self.repeat == "banned" else 0
        if state.turn == 1:
            first_marker = state.first_marker + forward
            second_marker = state.second_marker
            to_go = self.flag - first_marker
        else:
            first_marker = state.first_marker
            second_marker = state.second_marker - forward
            to_go = second_marker - self.flag

        if to_go > 0:
            won = 0
        elif to_go == 0 or self.overshoot == "counts":
            won = state.turn
        else:
            won = other
        return State(first_marker, second_marker, other, banned, won)
