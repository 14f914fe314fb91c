"""Random mixtures of rules and custom books, as a Hypothesis strategy that draws small games."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import numberline as nl
from numberline.game.loader import book_from_toml
from numberline.game.settings import RULE_TYPES
from numberline.solver.index import build_reachable_table

LARGEST = 1_500

STEPS = ("1", "1-2", "1-3", "2", "2,3", "1,3", "1-4", "2,5")
OPERATIONS = ("+1", "+2", "+3", "*2", "*3", "-1", "-2", "/2", "/3")
# Repeated values are drawn more often: most rules matter only when several tokens or players meet.
OVERSHOOT = (*RULE_TYPES["overshoot"].samples, "loses")
STUCK = (*RULE_TYPES["stuck"].samples, "loses")
MEETING = (*RULE_TYPES["meeting"].samples, *(value for value in RULE_TYPES["meeting"].samples if value != "shares"))
TOKENS = (1, 2, 2, 3)
PLAYERS = (2, 2, 3, 3, 4, 5, 6)

Draw = Any  # Hypothesis gives it to a composite strategy, and it draws a value of any type


def book_of(text: str) -> nl.Book:
    """Return the book of a drawn text: a variant, or the TOML text of a custom book."""
    return book_from_toml(text, "own", source_name="own") if "\n" in text else nl.book(text)


def mixtures(largest: int = LARGEST) -> st.SearchStrategy[str]:
    """Strategy of valid variants and custom books, as text for `load_book`, small enough to enumerate."""
    every = st.one_of(edge(), reach(), sprint(), flag(), runner(), runner(), own(), own(), own())
    return every.filter(lambda text: is_a_small_game(text, largest))


def is_a_small_game(text: str, largest: int) -> bool:
    """Whether the project takes it for a game, with no more positions than this."""
    try:
        return build_reachable_table(book_of(text), limit=largest) is not None
    except nl.BookError:
        return False


def variant(name: str, **settings: object) -> str:
    given = ", ".join(f'{setting}="{value}"' for setting, value in settings.items())
    return f"{name}({given})"


def manners(draw: Draw, *, shared: bool, moves: str = "forward", runs_apart: bool = False) -> dict[str, object]:
    """Rules that can be put on any book, leaving out what could not matter there.

    If players move apart, tokens meet only if a player has several.
    """
    rules: dict[str, object] = {
        "overshoot": draw(st.sampled_from(OVERSHOOT)),
        "repeat": draw(st.sampled_from(RULE_TYPES["repeat"].samples)),
        "skip": draw(st.sampled_from(("false", "false", "true"))),
    }
    if moves == "operations":
        signs = draw(st.lists(st.sampled_from(OPERATIONS), min_size=1, max_size=4, unique=True))
        rules["operations"] = " ".join(signs)
    else:
        rules["steps"] = draw(st.sampled_from(STEPS))
    if moves == "forward":
        rules["reverse"] = draw(st.sampled_from(("false", "true")))
    if rules["skip"] == "false":
        rules["stuck"] = draw(st.sampled_from(STUCK))
    if not shared:
        tokens = draw(st.sampled_from(TOKENS))
        rules["tokens"] = tokens
        if tokens > 1:
            rules["finish"] = draw(st.sampled_from(RULE_TYPES["finish"].samples))
        if tokens > 1 or not runs_apart:
            rules["meeting"] = draw(st.sampled_from(MEETING))
    return rules


def room(draw: Draw, rules: dict[str, object], players: int, least: int = 2) -> int:
    """A length for the line, the shorter the more tokens there are on it."""
    tokens = players * int(str(rules.get("tokens", 1)))
    return int(draw(st.integers(least, max(least, {1: 9, 2: 9, 3: 6, 4: 5}.get(tokens, 3)))))


@st.composite
def edge(draw: Draw) -> str:
    end = draw(st.integers(2, 9))
    return variant("reach-the-edge", end=end, start=draw(st.integers(1, end - 1)), **manners(draw, shared=True))


@st.composite
def reach(draw: Draw) -> str:
    target = draw(st.integers(2, 12))
    begin = draw(st.integers(1, target - 1))
    players = draw(st.integers(2, 6))
    rules = manners(draw, shared=True, moves="operations")
    return variant("number-reach", target=target, start=begin, players=players, **rules)


@st.composite
def sprint(draw: Draw) -> str:
    rules = manners(draw, shared=False, moves="both ways")
    players = draw(st.sampled_from(PLAYERS))
    end = room(draw, rules, players) + 1
    return variant("number-line-sprint", end=end, start=draw(st.integers(2, end - 1)), players=players, **rules)


@st.composite
def flag(draw: Draw) -> str:
    rules = manners(draw, shared=False, runs_apart=True)
    end = room(draw, rules, 2)
    return variant("flag-chase", end=end, flag=draw(st.integers(1, end - 1)), **rules)


@st.composite
def runner(draw: Draw) -> str:
    rules = manners(draw, shared=False)
    players = draw(st.sampled_from((*PLAYERS, 5, 6)))
    return variant("line-runner", end=room(draw, rules, players), players=players, **rules)


@st.composite
def own(draw: Draw) -> str:
    """Strategy of custom books anywhere on the line, with common or individual starts and goals."""
    moves = draw(st.sampled_from(("forward", "both ways", "operations")))
    shared = draw(st.booleans())
    players = draw(st.sampled_from(PLAYERS))
    rules = manners(draw, shared=shared, moves=moves)
    first = 1 if moves == "operations" else draw(st.integers(-4, 3))  # numbers are never below 1 (N2)
    last = first + room(draw, rules, players)
    places = list(range(first, last + 1))
    # Numbers start below their target (M5); a token may start on either side of its goal, but not on it.
    sums = moves == "operations"
    goals = draw(st.lists(st.sampled_from(places[sums:]), min_size=players, max_size=players))
    goal = draw(st.sampled_from((goals[0], goals) if sums else (goals[0], goals, "either end")))
    taken = [[first, last] if goal == "either end" else [one] if goal == goals else goals[:1] for one in goals]
    free = [[place for place in places if (place < min(mine) if sums else place not in mine)] for mine in taken]
    together = [place for place in places if all(place in mine for mine in free)]
    if shared or draw(st.booleans()):
        start = draw(st.sampled_from(together or places))
    else:
        start = [draw(st.sampled_from(mine)) for mine in free]
    answers = {"line": [first, last], "start": start, "goal": goal, "moves": moves, "players": players, **rules}
    if shared:
        answers["tokens"] = "shared"
    return "\n".join(('title = "Own"', "[rules]", *(f"{name} = {toml(value)}" for name, value in answers.items())))


def toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) and value not in {"true", "false"} else str(value)
