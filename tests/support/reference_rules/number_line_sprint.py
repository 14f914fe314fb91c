"""A plain reading of the rule book of Number Line Sprint, to hold the engine against."""

from typing import NamedTuple

GONE = 0  # where the token of a player is who is out: on no place of the line, which begins at 1


class State(NamedTuple):
    """Where each player's token is, who is to move, the step they may not choose (0: none), and who has won."""

    tokens: tuple[int, ...]
    turn: int
    banned: int
    won: int


class NumberLineSprint:
    """The line 1 to `end`, one token each, all from one place in the middle; either end wins."""

    def __init__(
        self,
        *,
        end: int = 11,
        start: int | None = None,
        steps: tuple[int, ...] = (1, 2),
        stuck: str = "loses",
        repeat: str = "free",
        overshoot: str = "refused",
        meeting: str = "blocks",
        skip: bool = False,
        players: int = 2,
    ) -> None:
        self.end = end
        self.begin = (1 + end + 1) // 2 if start is None else start
        self.steps = sorted(steps)
        self.stuck = stuck
        self.repeat = repeat
        self.overshoot = overshoot
        self.meeting = meeting
        self.skip = skip
        self.players = players

    def start(self, first: int) -> State:
        return State((self.begin,) * self.players, first, 0, 0)

    def moves(self, state: State) -> tuple[str, ...]:
        if self.winner(state) != 0:
            return ()
        choices = self.choices(state)
        if not choices:
            return ("out",) if self.stuck == "loses" else ("pass",)
        here = state.tokens[state.turn - 1]
        if not self.skip and all(self.place(state, move) == here for move in choices):
            return ("pass",)
        return tuple(choices)

    def winner(self, state: State) -> int:
        if state.won != 0:
            return state.won
        if self.stuck == "loses" and len(self.still_in(state)) == 2 and not self.choices(state):
            return self.next_player(state)
        return 0

    def choices(self, state: State) -> list[str]:
        """Return the choices of the player to move, including a step that is stopped at once."""
        found = []
        for direction in ("L", "R"):
            for step in self.steps:
                move = f"{direction}{step}"
                if step != state.banned and self.place(state, move) is not None:
                    found.append(move)
        if self.skip:
            found.append("skip")
        return found

    def place(self, state: State, move: str) -> int | None:
        """Return where the move takes the token (maybe off the line), or None if it isn't allowed."""
        here = state.tokens[state.turn - 1]
        if move == "skip":
            return here
        direction = -1 if move[0] == "L" else 1
        there = here + direction * int(move[1:])
        others = [place for number, place in enumerate(state.tokens, 1) if number != state.turn and place != GONE]

        off_the_line = there < 1 or there > self.end
        if off_the_line and self.overshoot == "refused":
            return None
        if self.meeting == "blocks":
            on_the_way = range(here + direction, there + direction, direction)
            if any(place in on_the_way for place in others):
                return None
        if self.meeting == "stops":
            while there != here and there in others and there != self.begin:
                there -= direction
        return there

    def still_in(self, state: State) -> list[int]:
        return [number for number, place in enumerate(state.tokens, 1) if place != GONE]

    def next_player(self, state: State) -> int:
        player = state.turn % self.players + 1
        while player not in self.still_in(state):
            player = player % self.players + 1
        return player

    def after(self, state: State, move: str) -> State:
        following = self.next_player(state)
        if move in {"pass", "skip"}:
            return State(state.tokens, following, 0, 0)
        if move == "out":
            return State(self.with_token(state, GONE), following, 0, 0)

        there = self.place(state, move)
        assert there is not None
        banned = int(move[1:]) if self.repeat == "banned" else 0
        if 1 < there < self.end:
            return State(self.with_token(state, there), following, banned, 0)
        if there in {1, self.end} or self.overshoot == "counts":
            return State(state.tokens, following, banned, state.turn)
        last_one_left = following if len(self.still_in(state)) == 2 else 0
        return State(self.with_token(state, GONE), following, banned, last_one_left)

    def with_token(self, state: State, place: int) -> tuple[int, ...]:
        """All the tokens, with that of the player to move put on another place."""
        return tuple(place if number == state.turn else old for number, old in enumerate(state.tokens, 1))
