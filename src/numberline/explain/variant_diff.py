"""What is different in a variant: one short sentence for somebody who knows the game."""

from __future__ import annotations

from collections.abc import Callable

from numberline.game.book import Book
from numberline.text import join_and, join_or, spell_number


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
