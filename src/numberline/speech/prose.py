"""A variant's rules in readable prose, made from its answers and so always right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from numberline.book.book import Book
from numberline.book.sense import always_a_move, nobody_meets
from numberline.book.voice import WORDS
from numberline.rules.answers import Rules
from numberline.rules.wording import any_of

COUNTS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


class Section(NamedTuple):
    """One question that the book answers, and its answer in sentences."""

    heading: str
    text: str


def rules_in_prose(book: Book) -> list[Section]:
    """The rules of this very variant."""
    teller = _Teller(book)
    sections = [
        ("The line", teller.line()),
        ("The goal", teller.goal()),
        ("Your turn", teller.turn()),
        ("Overshooting", teller.overshooting()),
        ("Meeting", teller.meeting()),
        ("Repeating", teller.repeating()),
        ("No move left", teller.no_move()),
        ("More than two", teller.many_players()),
    ]
    return [Section(heading, text) for heading, told in sections if (text := " ".join(filter(None, told)))]


def setting_in_prose(book: Book, name: str) -> str:
    """What a setting of this book decides."""
    roles = book.places_called(name)
    if "goal" in roles and book.rules.moves == "operations":
        return "the number to reach"
    for role, players in roles.items():
        whose = " and ".join(map(book.player_name, players))
        return _ROLES_OF[role].format(whose) if whose else _ROLES[role]
    return _SETTINGS[name]


_ROLES = {"line": "where the line ends", "start": "where the play begins", "goal": "where the goal is"}
_ROLES_OF = {"start": "where {} starts", "goal": "where the goal of {} is"}

_SETTINGS = {
    "steps": "how far a move may go",
    "operations": "what may be done to the number",
    "overshoot": "going past the goal is refused, loses, or counts as reaching it",
    "meeting": "on a taken place one shares it, is blocked, or stops just behind",
    "repeat": "choosing what the player before has just chosen is free or banned",
    "stuck": "who has no move passes, or loses",
    "finish": "all of one's tokens must be home, or one is enough",
    "tokens": "how many tokens each player has",
    "players": "how many play",
    "reverse": "whether one may go one step back instead",
    "skip": "whether one may give up a turn",
}


class _Teller:
    """The answers of one book, question by question."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.rules: Rules = book.rules
        self.place = book.voice.get("place", WORDS["place"])
        self.token = book.voice.get("token", WORDS["token"])
        self.sums = book.rules.moves == "operations"

    def line(self) -> Iterator[str]:
        rules = self.rules
        low, high = rules.line
        if not self.sums:
            yield f"The line runs from {low} to {high}."
        if rules.shared:
            what = "There is one number" if self.sums else f"There is one {self.token}"
            yield f"{what}, which everybody {'changes' if self.sums else 'moves'}; it starts at {rules.starts[0]}."
            return
        each = f"a {self.token} of their own" if rules.tokens == 1 else f"{COUNTS[rules.tokens]} {self.token}s"
        if len(set(rules.starts)) == 1:
            yield f"Each player has {each}, and all of them start on {self.place} {rules.starts[0]}."
        else:
            where = " and ".join(f"{self.name(n)}'s on {self.place} {s}" for n, s in enumerate(rules.starts, 1))
            start = "start" if rules.tokens > 1 else "starts"
            yield f"Each player has {each}: {where.replace(' on ', f' {start} on ', 1)}."

    def goal(self) -> Iterator[str]:
        rules = self.rules
        reach = "reach or pass" if rules.overshoot == "counts" else "reach exactly"
        if len(set(rules.goals)) == 1:
            goal = any_of([str(goal) for goal in rules.goals[0]])
            if rules.shared:
                made = "makes the number" if self.sums else f"brings the {self.token} to"
                more = " or more" if rules.overshoot == "counts" and self.sums else ""
                yield f"Whoever {made} {'exactly ' if not more and self.sums else ''}{goal}{more} wins."
            else:
                yield f"Be the first to {reach} {self.place} {goal}."
        else:
            whose = f"the {self.token} is" if rules.shared else "they are"
            for number, own_goal in enumerate(rules.goals, 1):
                yield f"{self.name(number)} wins when {whose} on {self.place} {own_goal[0]}."
        if rules.tokens > 1:
            enough = f"all your {self.token}s are" if rules.finish == "all" else f"one of your {self.token}s is"
            yield f"You have won as soon as {enough} there; a {self.token} that is there moves no more."

    def turn(self) -> Iterator[str]:
        rules = self.rules
        order = "take turns" if rules.players == 2 else f"move in order, 1 to {rules.players}"
        yield f"The {COUNTS[rules.players]} players {order}; who begins is agreed or tossed for."
        yield from self._sums() if self.sums else self._steps()
        if rules.reverse:
            yield f"Instead you may go one {self.place} back, but not off the line."
            if rules.shared and len(set(rules.goals)) > 1:
                yield f"Whoever's goal the {self.token} lands on wins, even if the other player moved it there."
        if rules.skip:
            yield "You may also skip: give up the turn on purpose."

    def _sums(self) -> Iterator[str]:
        operations = self.rules.operations
        yield f"On your turn you {any_of([_sum(str(operation)) for operation in operations])}."
        signs = {operation.sign for operation in operations}
        if "-" in signs:
            yield f"The number never goes below {self.rules.line[0]}."
        if "/" in signs:
            yield "A division must come out even."

    def _steps(self) -> Iterator[str]:
        rules = self.rules
        own = f"your {self.token}" if rules.tokens == 1 else f"one of your {self.token}s"
        which = f"the {self.token}" if rules.shared else own
        far = any_of([str(step) for step in rules.steps]) + f" {self.place}{'' if rules.steps == (1,) else 's'}"
        if rules.moves == "both ways":
            yield f"On your turn you move {which} left or right by {far}, never off the line."
        else:
            goal = "your goal" if len(set(rules.goals)) > 1 else "the goal"
            yield f"On your turn you move {which} towards {goal} by {far}."

    def overshooting(self) -> Iterator[str]:
        rules = self.rules
        if rules.steps == (1,):
            return
        if rules.overshoot == "refused":
            yield "A move that would go past the goal is not allowed."
        elif rules.overshoot == "counts":
            yield "Going past the goal counts as reaching it."
        elif rules.players == 2:
            yield "Going past the goal is allowed, and loses the game at once."
        else:
            yield "Going past the goal is allowed, but whoever does it is out."
            yield "The number stays what it was." if self.sums else ""

    def meeting(self) -> Iterator[str]:
        if nobody_meets(self.rules):
            return
        rules = self.rules
        if rules.meeting == "shares":
            yield f"Any number of {self.token}s may stand on one {self.place}."
        elif rules.meeting == "blocks":
            whose = f"a {self.token}, your own ones included" if rules.tokens > 1 else f"another player's {self.token}"
            yield f"You may not land on {whose}, nor pass over it."
            if self._starts_shared():
                yield f"Leaving the start, where {self.token}s stand together, passes over nobody."
        else:
            but = ", but for the shared start" if self._starts_shared() else ""
            yield f"No two {self.token}s stand on one {self.place}{but}."
            yield f"A move that would land on a {self.token} stops on the nearest free {self.place} behind it,"
            yield "or stays where it is if there is none. Jumping over is allowed."
        if self.rules.meeting != "shares" and self.rules.tokens > 1:
            yield f"A {self.token} that has reached the goal is in nobody's way."

    def repeating(self) -> Iterator[str]:
        if self.rules.repeat == "free":
            return
        before = "your opponent" if self.rules.players == 2 else "the player before you"
        if self.sums:
            yield f"You may not use the operation that {before} has just used."
        else:
            yield f"You may not choose the distance that {before} has just chosen."
        if self.rules.reverse:
            yield "Going back counts as a step of 1."
        others = [name for name, on in (("a skipped turn", self.rules.skip), ("a lost turn", True)) if on]
        yield f"After {any_of(others)} everything is allowed."

    def no_move(self) -> Iterator[str]:
        rules = self.rules
        if rules.meeting == "stops" and not rules.skip:
            yield "If every move would leave you where you are, you lose your turn."
        if always_a_move(rules):
            return
        loses = "lose the game" if rules.players == 2 else "are out"
        yield f"If you have no move at all, you {'lose your turn' if rules.stuck == 'passes' else loses}."

    def many_players(self) -> Iterator[str]:
        rules = self.rules
        if rules.players > 2:
            yield "The last player left wins."
            yield "" if rules.shared else f"Who is out leaves the line, and so do their {self.token}s."

    def name(self, player: int) -> str:
        return self.book.player_name(player)

    def _starts_shared(self) -> bool:
        return len(set(self.rules.starts)) < self.rules.players or self.rules.tokens > 1


def _sum(operation: str) -> str:
    sign, amount = operation[0], operation[1:]
    words = {"+": "add {}", "-": "take away {}", "*": "multiply by {}", "/": "divide by {}"}
    return f"{words[sign].format(amount)} ({operation})"
