"""A variant's rules in readable prose, made from its answers and from what can happen in it, and so always right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from numberline.game.book import Book
from numberline.game.moves import forward_directions
from numberline.game.validation import cannot_collide
from numberline.solver.explore import find_incidents
from numberline.text import join_and, join_or, spell_number

MAX_LISTED_STEPS = 5
"""More steps in a row than this are written `1 to 9`."""


class Section(NamedTuple):
    """One question that the book answers, and its answer in sentences."""

    heading: str
    text: str


def opening(book: Book) -> str:
    """What the game is, in a paragraph: in the book's own words while the variant leaves them true, else in ours."""
    changed = [setting.name for setting in book.settings if setting.value != setting.default]
    if book.about and all(_leaves_true(book, name) for name in changed):
        return book.about
    return " ".join(_RulesWriter(book).opening())


def _leaves_true(book: Book, name: str) -> bool:
    """Whether a paragraph on the book still holds with another value of this setting, as far as can be known."""
    if name == "operations":
        return all(operation.increases for operation in book.rules.operations)
    if name == "steps":
        return len(book.rules.steps) > 1
    roles = book.roles_of(name)
    return name in {"reverse", "skip", "stuck"} or ("start" not in roles and () in roles.values())


def describe_rules(book: Book) -> list[Section]:
    """The rules of this very variant; what can't happen in it is left out."""
    prose = _RulesWriter(book)
    sections = {
        "The line": prose.line(),
        "The goal": prose.goal(),
        "Your turn": prose.turn(),
        "Overshooting": prose.overshooting(),
        "Meeting": prose.meeting(),
        "Repeating": prose.repeating(),
        "No move left": prose.no_move(),
        "More than two": prose.being_out(),
    }
    texts = {heading: " ".join(sentences) for heading, sentences in sections.items()}
    return [Section(heading, text) for heading, text in texts.items() if text]


def describe_goal(book: Book, names: Sequence[str] = ()) -> str:
    """What is to be reached, and how; where each has a goal of their own, the players are called by these names."""
    return " ".join(_RulesWriter(book, names).goal())


def describe_setting(book: Book, name: str) -> str:
    """What a setting of this book decides."""
    roles = book.roles_of(name)
    if "goal" in roles and book.rules.moves == "operations":
        return "the number to reach"
    for role, players in roles.items():
        return _ROLES_OF[role].format(join_and([*map(book.player_name, players)])) if players else _ROLES[role]
    return _SETTINGS[name]


_ROLES = {"line": "where the line ends", "start": "where play begins", "goal": "where the goal is"}
_ROLES_OF = {"start": "where {} starts", "goal": "where the goal of {} is"}

_SETTINGS = {
    "steps": "how far a move may go",
    "operations": "what may be done to the number",
    "overshoot": "going past the goal is refused, loses, or counts as reaching it",
    "meeting": "a token in the way shares its place, blocks, or makes others stop behind it",
    "repeat": "choosing what the player before has just chosen is free or banned",
    "stuck": "a player without a move passes, or loses",
    "finish": "all of a player's tokens must reach the goal, or one is enough",
    "tokens": "how many tokens each player has",
    "players": "how many play",
    "reverse": "whether you may go one step back instead",
    "skip": "whether you may give up a turn",
}
_SUMS = {"+": "add {}", "-": "take away {}", "*": "multiply by {}", "/": "divide by {}"}


class _RulesWriter:
    """The answers of one book, question by question, a sentence at a time."""

    def __init__(self, book: Book, names: Sequence[str] = ()) -> None:
        self.book = book
        self.names = book.player_names(names)
        self.rules = book.rules
        self.place, self.token = book.noun("place"), book.noun("token")
        self.sums = book.rules.moves == "operations"
        self.happens = find_incidents(book)
        self.past = book.rules.overshoot if "past the goal" in self.happens else ""
        self.meets = not cannot_collide(book.rules)
        self.many = "" if book.rules.tokens == 1 else "s"
        self.one_goal = len(set(book.rules.goals)) == 1
        self.your_goal = "the goal" if self.one_goal else "your goal"
        own = f"one of your {self.token}s" if self.many else f"your {self.token}"
        self.moved = f"the {self.token}" if book.rules.shared else own

    def opening(self) -> Iterator[str]:
        """Who plays with what, for what, and what is in the way."""
        players = f"{spell_number(self.rules.players).capitalize()} players"
        if self.rules.shared:
            yield f"{players} {'change' if self.sums else 'move'} one {self.token}."
        else:
            yield f"{players} have {spell_number(self.rules.tokens)} {self.token}{self.many} each."
        yield from self.goal()
        for rule in (self.overshooting() if self.past == "loses" else (), self.meeting(), self.repeating()):
            yield from rule

    def line(self) -> Iterator[str]:
        rules, starts = self.rules, self.rules.starts
        if not (self.sums and rules.shared):
            yield f"The line runs from {rules.line[0]} to {rules.line[1]}."
        if rules.shared:
            at = f"at {starts[0]}" if self.sums else f"on {self.place} {starts[0]}"
            yield f"There is one {self.token}, which everybody {'changes' if self.sums else 'moves'}; it starts {at}."
            return
        each = f"Each player has {spell_number(rules.tokens)} {self.token}{self.many}"
        if len(set(starts)) == 1:
            both = "both" if rules.players * rules.tokens == 2 else "all of them"
            yield f"{each}, and {both} start on {self.place} {starts[0]}."
        else:
            start = "start on" if self.many else "starts on"
            yield f"{each}: {self._everybodys(start, 'on', [f'{self.place} {place}' for place in starts])}."

    def _everybodys(self, first: str, rest: str, things: Sequence[str]) -> str:
        """What is each player's: `Player 1's goal is 5 and Player 2's is 8`, the verb being shorter after the first."""
        named = enumerate(zip(self.names, things, strict=True))
        return join_and([f"{name}'s {rest if number else first} {thing}" for number, (name, thing) in named])

    def goal(self) -> Iterator[str]:
        goal = join_or(self.rules.goals[0])
        if not self.one_goal:
            yield from self._own_goals()
        elif self.rules.shared:
            bring = f"makes the {self.token}" if self.sums else f"brings the {self.token}"
            to = goal if self.sums else f"to {self.place} {goal}"
            yield f"Whoever {bring}{self._exactly} {to}{' or goes past it' if self.past == 'counts' else ''} wins."
        else:
            reach = "reach or pass" if self.past == "counts" else f"reach{self._exactly}"
            yield f"Be the first to {reach} {self.place} {goal}{self._with_tokens()}."
        if self.many and self.rules.finish == "all":
            if len(self.rules.goals[0]) > 1:
                yield "They need not all go to the same end."
            yield f"{self.token.capitalize()}s that are there move no more."

    def _own_goals(self) -> Iterator[str]:
        """Whose goal is where, and what is to be done about it."""
        rules = self.rules
        noun = "" if self.sums and rules.shared else f"{self.place} "
        yield f"{self._everybodys('goal is', 'is', [f'{noun}{own[0]}' for own in rules.goals])}."
        if not rules.shared:
            reach = "reach or pass yours" if self.past == "counts" else f"reach yours{self._exactly}"
            yield f"Be the first to {reach}{self._with_tokens()}."
            return
        lands = "reaches or passes" if self.past == "counts" else f"lands{self._exactly} on"
        back = ", whoever brought it there" if rules.reverse or rules.moves != "forward" else ""
        yield f"You win when the {self.token} {lands} your goal{back}."
        if len(set(rules.goals)) < rules.players:
            yield "Of several players with that goal the one who brought it there wins, or else the first of them."

    @property
    def _exactly(self) -> str:
        return " exactly" if self.past in ("refused", "loses") else ""

    def _with_tokens(self) -> str:
        return f" with {'all' if self.rules.finish == 'all' else 'one of'} your {self.token}s" if self.many else ""

    def turn(self) -> Iterator[str]:
        rules = self.rules
        order = f", in the order {', '.join(map(self.book.label, self.book.players))}" if rules.players > 2 else ""
        yield f"The {spell_number(rules.players)} players take turns{order}."
        if self.book.voice.get("begins") == "first":
            yield f"{self.book.player_name(1)} begins, unless you agree otherwise."
        else:
            yield "Agree on who begins, or toss for it."
        yield from self._sums() if self.sums else self._steps()
        if rules.reverse:
            but = ", but not off the line" if "off the line" in self.happens else ""
            yield f"Instead you may move {self.moved} one {self.place} back{but}."
        if rules.skip:
            yield "You may also skip: give up the turn on purpose."

    def _sums(self) -> Iterator[str]:
        operations = self.rules.operations
        move = "" if self.rules.shared else f" move {self.moved} by a sum: you"
        ways = [f"{_SUMS[operation.sign].format(operation.amount)} ({operation})" for operation in operations]
        yield f"On your turn you{move} {join_or(ways)}."
        if "off the line" in self.happens:
            low, high = self.rules.line
            ends = [
                end
                for end, way in ((f"below {low}", 1), (f"above {high}", -1))
                if way in forward_directions(self.rules)
            ]
            yield f"{'You' if len(ends) == 1 else 'Away from your goal you'} may not go {join_or(ends)}."
        if any(operation.sign == "/" for operation in operations):
            yield "A division must come out even."

    def _steps(self) -> Iterator[str]:
        steps = self.rules.steps
        in_a_row = len(steps) > MAX_LISTED_STEPS and steps[-1] - steps[0] == len(steps) - 1
        far = f"{steps[0]} to {steps[-1]}" if in_a_row else join_or(steps)
        far += f" {self.place}{'' if steps == (1,) else 's'}"
        if self.rules.moves == "both ways":
            yield f"On your turn you move {self.moved} left or right by {far}."
            if "off the line" in self.happens:
                yield f"Away from {self.your_goal} you may not go off the line."
        else:
            way = "to the right" if len(self.rules.goals[0]) > 1 else f"towards {self.your_goal}"
            yield f"On your turn you move {self.moved} {way} by {far}."

    def overshooting(self) -> Iterator[str]:
        rules, goal = self.rules, self.your_goal
        price = "loses the game at once" if rules.players == 2 else "whoever does it is out"
        if self.past:
            yield {
                "refused": f"A move that would go past {goal} is not allowed.",
                "counts": f"Going past {goal} counts as reaching it.",
                "loses": f"Going past {goal} is allowed, but {price}.",
            }[self.past]
        if self.past == "loses" and rules.players > 2 and rules.shared:
            yield f"The {self.token} stays {'what' if self.sums else 'where'} it was."

    def meeting(self) -> Iterator[str]:
        rules = self.rules
        if not self.meets:
            return
        jumps = rules.steps != (1,)
        together = rules.shared_starts
        if rules.meeting == "shares":
            yield f"Any number of {self.token}s may stand on one {self.place}."
        elif rules.meeting == "blocks":
            whose = "another player's" if rules.players > 2 else "your opponent's"
            other, own = ("another", ", not even your own") if self.many else (whose, "")
            yield f"You may not land on {other} {self.token}{' or pass over it' if jumps else ''}{own}."
            if together and jumps:
                yield f"Leaving the start, where {self.token}s stand together, passes over nobody."
        else:
            but = ", except on the start" if together else ""
            yield f"No two {self.token}s may stand on one {self.place}{but}."
            yield f"A move that would land on another {self.token} stops on the nearest free {self.place} behind it,"
            yield f"or stays where it is if there is none.{' Jumping over is allowed.' if jumps else ''}"
        if rules.meeting != "shares":
            yield from self._at_the_goal()

    def _at_the_goal(self) -> Iterator[str]:
        """Where the one-token rule ends."""
        rules = self.rules
        if self.many and rules.finish == "all":
            yield f"{self.token.capitalize()}s that have reached their goal are in nobody's way."
        if not self.one_goal or (self.past in ("counts", "loses") and len(set(forward_directions(rules)[1:])) > 1):
            past = " and past it" if self.past in ("counts", "loses") else ""
            yield f"On {self.your_goal}{past} nothing is in your way."

    def repeating(self) -> Iterator[str]:
        rules = self.rules
        if rules.repeat == "free":
            return
        before = "your opponent" if rules.players == 2 else "the player before you"
        what = "use the operation that {} has just used" if self.sums else "choose the distance that {} has just chosen"
        ways = {
            "whichever way it goes": rules.moves == "both ways",
            f"whichever {self.token} it moves": bool(self.many),
        }
        whichever = [way for way, matters in ways.items() if matters]
        yield f"You may not {what.format(before)}{f', {join_and(whichever)}' if whichever else ''}."
        if rules.meeting == "stops" and self.meets:
            yield "It counts even if the move was stopped short."
        if rules.reverse:
            yield "Going back counts as a step of 1."
        idle = {
            "skipped": rules.skip,
            "lost the turn": "lost turn" in self.happens,
            "had no move": "no move" in self.happens and rules.players > 2,
        }
        if any(idle.values()):
            yield f"If {before} {join_or([way for way, can in idle.items() if can])}, you may choose anything."

    def no_move(self) -> Iterator[str]:
        rules = self.rules
        if "lost turn" in self.happens:
            stopped = {"passes": "no move would get you anywhere", "loses": "every move would leave you where you are"}
            nothing = stopped[rules.stuck] if rules.meeting == "stops" else "you have no move"
            yield f"If {nothing}, you lose your turn."
        if "no move" in self.happens:
            yield f"If you have no move at all, you {'lose the game' if rules.players == 2 else 'are out'}."

    def being_out(self) -> Iterator[str]:
        rules = self.rules
        if rules.players > 2 and (self.past == "loses" or "no move" in self.happens):
            yield "The last player left wins."
            if not rules.shared:
                yield f"A player who is out takes their {self.token}{self.many} off the line."


def describe_changes(book: Book) -> str:
    """What was changed in the book's own rules; empty where nothing was.

    >>> import numberline as nl
    >>> describe_changes(nl.book("line-runner(end=14, repeat=banned)"))
    "Here the line ends at 14, and you may not repeat your opponent's step."
    """
    changed = [_change(book, setting.name) for setting in book.settings if setting.value != setting.default]
    if len(changed) < 3:
        return f"Here {', and '.join(changed)}." if changed else ""
    return f"Here {join_and(changed)}."


def _change(book: Book, name: str) -> str:
    """What a changed setting comes to, as part of a sentence."""
    roles = book.roles_of(name)
    if not roles:
        return _CHANGES[name](book)
    value = next(setting.value for setting in book.settings if setting.name == name)
    a_number = book.rules.shared and book.rules.moves == "operations"
    if "goal" in roles and a_number:
        return f"the number to reach is {value}"
    if "line" in roles:
        return f"the line {'ends' if int(value) == book.rules.line[1] else 'begins'} at {value}"
    place = value if a_number else f"{book.noun('place')} {value}"
    role, players = next(iter(roles.items()))
    if players:
        return f"the {role} of {join_and([*map(book.player_name, players)])} is {place}"
    return f"the {role} is {place}"


def _goal(book: Book) -> str:
    return "the goal" if len(set(book.rules.goals)) == 1 else "your goal"


def _overshoot(book: Book) -> str:
    price = "loses at once" if book.rules.players == 2 else "puts you out"
    return {
        "refused": f"you may not go past {_goal(book)}",
        "loses": f"going past {_goal(book)} {price}",
        "counts": f"going past {_goal(book)} counts as reaching it",
    }[book.rules.overshoot]


def _meeting(book: Book) -> str:
    token, place = book.noun("token"), book.noun("place")
    return {
        "shares": f"any number of {token}s may stand on one {place}",
        "blocks": f"you may not land on another {token} or pass over it",
        "stops": f"whoever would land on another {token} stops just behind it",
    }[book.rules.meeting]


def _repeat(book: Book) -> str:
    may = "may not" if book.rules.repeat == "banned" else "may"
    what = "operation" if book.rules.moves == "operations" else "step"
    whose = f"your opponent's {what}" if book.rules.players == 2 else f"the {what} of the player before you"
    return f"you {may} repeat {whose}"


def _stuck(book: Book) -> str:
    if book.rules.stuck == "passes":
        return "whoever has no move loses only the turn"
    return f"whoever has no move {'loses the game' if book.rules.players == 2 else 'is out'}"


def _finish(book: Book) -> str:
    token = book.noun("token")
    return f"one {token} at the goal is enough" if book.rules.finish == "one" else f"all your {token}s must get home"


def _tokens(book: Book) -> str:
    count = book.rules.tokens
    return f"each player has {spell_number(count)} {book.noun('token')}{'' if count == 1 else 's'}"


def _steps(book: Book) -> str:
    ways = "left or right by" if book.rules.moves == "both ways" else "by"
    return f"you move {ways} {join_or(book.rules.steps)}"


_CHANGES: dict[str, Callable[[Book], str]] = {
    "steps": _steps,
    "operations": lambda book: f"you can play {join_or(book.rules.operations)}",
    "overshoot": _overshoot,
    "meeting": _meeting,
    "repeat": _repeat,
    "stuck": _stuck,
    "finish": _finish,
    "tokens": _tokens,
    "players": lambda book: f"{spell_number(book.rules.players)} play",
    "reverse": lambda book: (
        f"{'you may also' if book.rules.reverse else 'nobody may'} go one {book.noun('place')} back"
    ),
    "skip": lambda book: f"{'you may also' if book.rules.skip else 'nobody may'} skip a turn",
}
