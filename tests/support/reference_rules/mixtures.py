"""All five books and every mixture of their rules, read once more from the rule books and rulings alone.

Slow and obvious on purpose: a state keeps everything, the engine is never asked, and each rule is one function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

LOST = "pass"
LEAVES = "out"


class State(NamedTuple):
    """Where a game stands."""

    turn: int
    tokens: tuple[tuple[int, ...], ...]
    """Where each player's tokens are; a shared marker is the only token of the only row."""
    banned: str
    """The choice of the previous player, if repeating it is banned."""
    out: frozenset[int]
    won: int
    """The winner by the last move, 0 if none."""


class Try(NamedTuple):
    """A move that a player might make."""

    text: str
    choice: str
    """The step or operation that a ban on repeating compares."""
    token: int
    wanted: int
    """The target if no token is in the way."""


def start(rules: Any, first: int) -> State:
    row = rules.starts[:1] if rules.shared else rules.starts
    return State(first, tuple((place,) * rules.tokens for place in row), "", frozenset(), 0)


def winner(rules: Any, state: State) -> int:
    """Return the winner, 0 if none."""
    if state.won:
        return state.won
    # Being stuck where only two are left ends the game at once; where more are, it is a move (M4).
    two_left = rules.players - len(state.out) == 2
    if two_left and rules.stuck == "loses" and not legal(rules, state):
        return following(rules, state)
    return 0


def moves(rules: Any, state: State) -> list[str]:
    if winner(rules, state):
        return []
    possible = legal(rules, state)
    if not possible:
        return [LEAVES if rules.stuck == "loses" else LOST]
    # A turn in which every choice would leave the player in place is skipped without asking (L1).
    if not rules.skip and all(landing(rules, state, one) == standing(rules, state)[one.token] for one in possible):
        return [LOST]
    return [one.text for one in possible]


def after(rules: Any, state: State, text: str) -> State:
    if text in {LOST, "skip"}:
        return state._replace(turn=following(rules, state), banned="")
    if text == LEAVES:
        return leave(rules, state, "")
    [chosen] = [one for one in tries(rules, state) if one.text == text]
    banned = chosen.choice if rules.repeat == "banned" else ""
    place = landing(rules, state, chosen)
    if overshoots(rules, state, chosen) and rules.overshoot == "loses":
        return leave(rules, state, banned)
    row = 0 if rules.shared else state.turn - 1
    mine = list(state.tokens[row])
    mine[chosen.token] = place
    tokens = (*state.tokens[:row], tuple(mine), *state.tokens[row + 1 :])
    moved = state._replace(tokens=tokens, banned=banned)
    return moved._replace(turn=following(rules, state), won=arrived(rules, moved))


# Whose turn, who is left, who has arrived.


def in_order(rules: Any, state: State) -> list[int]:
    """The players still in, the one to move first, in the order in which they move."""
    in_turn = [(state.turn - 1 + ahead) % rules.players + 1 for ahead in range(rules.players)]
    return [player for player in in_turn if player not in state.out]


def following(rules: Any, state: State) -> int:
    """Return the player who moves next."""
    return next(player for player in in_order(rules, state) if player != state.turn)


def leave(rules: Any, state: State, banned: str) -> State:
    """Put the player to move out: a marker stays in place (N3), own tokens leave the line (M4)."""
    left = [player for player in in_order(rules, state) if player != state.turn]
    won = left[0] if len(left) == 1 else 0
    tokens = (
        state.tokens
        if rules.shared
        else tuple(() if player == state.turn else mine for player, mine in enumerate(state.tokens, 1))
    )
    return State(left[0], tokens, banned, state.out | {state.turn}, won)


def arrived(rules: Any, state: State) -> int:
    """Return the winner by the move just made, 0 if none."""
    if rules.shared:
        [[marker]] = state.tokens
        # The mover comes first; among others who share that goal it is the one with the lowest number.
        theirs = [player for player in (state.turn, *sorted(in_order(rules, state))) if is_home(rules, player, marker)]
        return theirs[0] if theirs else 0
    home = [is_home(rules, state.turn, place) for place in standing(rules, state)]
    enough = any(home) if rules.finish == "one" else all(home)
    return state.turn if enough else 0


# The line and the goals on it.


def side(rules: Any, player: int, goal: int) -> int:
    """1 if this goal lies to the right of where the player starts, -1 if to the left."""
    return 1 if goal > rules.starts[player - 1] else -1


def is_past(rules: Any, player: int, place: int) -> bool:
    return any(side(rules, player, goal) * (place - goal) > 0 for goal in rules.goals[player - 1])


def is_home(rules: Any, player: int, place: int) -> bool:
    return place in rules.goals[player - 1] or (rules.overshoot == "counts" and is_past(rules, player, place))


def on_the_line(rules: Any, place: int) -> bool:
    return bool(rules.line[0] <= place <= rules.line[1])


def standing(rules: Any, state: State) -> tuple[int, ...]:
    """Where the tokens are that the player to move may move."""
    return state.tokens[0 if rules.shared else state.turn - 1]


# What may be chosen.


def tries(rules: Any, state: State) -> Iterator[Try]:
    """Return all choices, as if the line were endless and empty."""
    for token, here in enumerate(standing(rules, state)):
        if not rules.shared and is_home(rules, state.turn, here):
            continue
        name = f"{token + 1}:" if rules.tokens > 1 else ""
        for text, choice, wanted in lone_tries(rules, state.turn, here):
            yield Try(name + text, choice, token, wanted)


def lone_tries(rules: Any, player: int, here: int) -> Iterator[tuple[str, str, int]]:
    if rules.moves == "operations":
        for operation in rules.operations:
            sign, k = operation.sign, operation.amount
            if sign != "/" or here % k == 0:
                result = {"+": here + k, "-": here - k, "*": here * k, "/": here // k}[sign]
                yield f"{sign}{k}", f"{sign}{k}", result
    elif rules.moves == "both ways":
        for step in rules.steps:
            yield f"L{step}", f"{step}", here - step
            yield f"R{step}", f"{step}", here + step
    # With two goals, forward is to the right.
    forward = side(rules, player, max(rules.goals[player - 1]))
    if rules.moves == "forward":
        for step in rules.steps:
            yield f"{step}", f"{step}", here + forward * step
    if rules.reverse:
        yield "back", "1", here - forward


def legal(rules: Any, state: State) -> list[Try]:
    found = [one for one in tries(rules, state) if is_legal(rules, state, one)]
    if rules.skip:
        found.append(Try("skip", "", 0, standing(rules, state)[0]))
    return found


def is_legal(rules: Any, state: State, one: Try) -> bool:
    if state.banned and one.choice == state.banned:
        return False
    if overshoots(rules, state, one):
        if rules.overshoot == "refused":
            return False
    elif not on_the_line(rules, one.wanted):
        return False
    return rules.meeting != "blocks" or not any(
        in_the_way(rules, state, one, place) for place in way(rules, state, one)
    )


def overshoots(rules: Any, state: State, one: Try) -> bool:
    """Whether the move goes past one of the mover's goals, seen from where the mover started."""
    here = standing(rules, state)[one.token]
    for goal in rules.goals[state.turn - 1]:
        ahead = side(rules, state.turn, goal)
        if ahead * (one.wanted - goal) > 0 and ahead * (one.wanted - here) > 0:
            return True
    return False


# Tokens in the way.


def way(rules: Any, state: State, one: Try) -> list[int]:
    """Return the places on the token's way; the last is the target."""
    here = standing(rules, state)[one.token]
    if one.wanted >= here:
        return list(range(here + 1, one.wanted + 1))
    return list(range(here - 1, one.wanted - 1, -1))


def in_the_way(rules: Any, state: State, one: Try, place: int) -> bool:
    """Whether a token there stands in this move's way: nothing does at or past one's own goal (M7)."""
    if rules.shared or place in rules.goals[state.turn - 1] or is_past(rules, state.turn, place):
        return False
    # Where several start together any number may stand, if tokens stop (L3); if they block, only at the start (S3).
    if rules.meeting == "stops" and rules.starts.count(place) * rules.tokens > 1:
        return False
    others = [
        (player, there)
        for player in in_order(rules, state)
        for token, there in enumerate(state.tokens[player - 1])
        if (player, token) != (state.turn, one.token)
    ]
    return any(there == place and not is_home(rules, player, there) for player, there in others)


def landing(rules: Any, state: State, one: Try) -> int:
    """Where the move really ends: on the nearest free place behind a token, where tokens stop (L1)."""
    if rules.meeting != "stops":
        return one.wanted
    places = way(rules, state, one)
    while places and in_the_way(rules, state, one, places[-1]):
        places.pop()
    return places[-1] if places else standing(rules, state)[one.token]
