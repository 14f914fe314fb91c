"""A plain reading of the rule book of Line Runner, to hold the engine against."""

from typing import NamedTuple


class State(NamedTuple):
    """The tokens of each player (none: out), the player to move, the banned step, and the winner."""

    tokens: tuple[tuple[int, ...], ...]
    turn: int
    banned: int
    won: int


class LineRunner:
    """The line 0 to `end`; all tokens run from 0, and a token at or past `end` is home."""

    def __init__(
        self,
        *,
        end: int = 20,
        steps: tuple[int, ...] = (1, 2, 3),
        tokens: int = 1,
        finish: str = "all",
        meeting: str = "stops",
        overshoot: str = "counts",
        repeat: str = "free",
        reverse: bool = False,
        skip: bool = False,
        players: int = 2,
    ) -> None:
        self.end = end
        self.steps = sorted(steps)
        self.tokens = tokens
        self.finish = finish
        self.meeting = meeting
        self.overshoot = overshoot
        self.repeat = repeat
        self.reverse = reverse
        self.skip = skip
        self.players = players

    def start(self, first: int) -> State:
        return State(((0,) * self.tokens,) * self.players, first, 0, 0)

    def winner(self, state: State) -> int:
        return state.won

    def moves(self, state: State) -> tuple[str, ...]:
        if state.won != 0:
            return ()
        found = []
        somebody_moves = False
        for token, here in enumerate(state.tokens[state.turn - 1], 1):
            if here == self.end:
                continue
            for step in [*map(str, self.steps), *(["back"] if self.reverse else [])]:
                there = self.place(state, token, step)
                if self.stride(step) == state.banned or there is None:
                    continue
                found.append(f"{token}:{step}" if self.tokens > 1 else step)
                if there != here:
                    somebody_moves = True
        if self.skip:
            return (*found, "skip")
        if not somebody_moves:
            return ("pass",)
        return tuple(found)

    def stride(self, step: str) -> int:
        return 1 if step == "back" else int(step)

    def place(self, state: State, token: int, step: str) -> int | None:
        """Return where the step takes the token (maybe past the end), or None if it isn't allowed."""
        here = state.tokens[state.turn - 1][token - 1]
        there = here - 1 if step == "back" else here + int(step)
        if there < 0:
            return None
        if there > self.end and self.overshoot == "refused":
            return None
        others = self.others(state, token)
        if self.meeting == "blocks":
            on_the_way = [there] if step == "back" else range(here + 1, there + 1)
            if any(place in others for place in on_the_way):
                return None
        if self.meeting == "stops":
            if step == "back" and there in others and there != 0:
                there = here
            while there > here and there in others:
                there -= 1
        return there

    def others(self, state: State, token: int) -> list[int]:
        """Where all tokens on the line are but this one of the player to move; those that are home are off it."""
        found = []
        for player, places in enumerate(state.tokens, 1):
            for number, place in enumerate(places, 1):
                if place != self.end and (player, number) != (state.turn, token):
                    found.append(place)
        return found

    def after(self, state: State, move: str) -> State:
        following = self.next_player(state)
        if move in {"pass", "skip"}:
            return State(state.tokens, following, 0, 0)

        if self.tokens > 1:
            name, step = move.split(":")
            token = int(name)
        else:
            token = 1
            step = move
        there = self.place(state, token, step)
        assert there is not None
        banned = self.stride(step) if self.repeat == "banned" else 0

        if there > self.end and self.overshoot == "loses":
            left = self.with_tokens(state, ())
            last_one_left = following if sum(places != () for places in left) == 1 else 0
            return State(left, following, banned, last_one_left)

        own = list(state.tokens[state.turn - 1])
        own[token - 1] = min(there, self.end)
        home = own.count(self.end)
        needed = self.tokens if self.finish == "all" else 1
        won = state.turn if home >= needed else 0
        return State(self.with_tokens(state, tuple(own)), following, banned, won)

    def next_player(self, state: State) -> int:
        player = state.turn % self.players + 1
        while state.tokens[player - 1] == ():
            player = player % self.players + 1
        return player

    def with_tokens(self, state: State, own: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """All the tokens, with those of the player to move replaced."""
        return tuple(own if player == state.turn else old for player, old in enumerate(state.tokens, 1))
