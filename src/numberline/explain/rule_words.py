"""Wording for the values of rules and for moves that don't move a token.

Rules text, settings forms, descriptions of variants, boards and reviews share this wording.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from numberline.game.book import Book
from numberline.game.match import RESIGN
from numberline.game.moves import OUT, PASS, SKIP


class RuleWords(NamedTuple):
    """Wording for one rule: the title of its setting, what it decides, and a clause for each value."""

    title: str
    decides: str
    clauses: Mapping[str, str] = MappingProxyType({})


RULE_WORDS = {
    "steps": RuleWords("Steps", "how far a move can go"),
    "operations": RuleWords("Sums", "what you can do to the number"),
    "overshoot": RuleWords(
        "Past the goal",
        "what happens when you go past the goal",
        {
            "refused": "you can't go past {goal}",
            "loses": "you can go past {goal}, but then you {lose}",
            "counts": "going past {goal} counts as reaching it",
        },
    ),
    "meeting": RuleWords(
        "A token in the way",
        "what happens when a token is in the way",
        {
            "shares": "any number of {token}s can stand on one {place}",
            "blocks": "you can't land on {other_token}{or_jump}{even_own}",
            "stops": "a {token} that would land on another one stops just behind it",
        },
    ),
    "repeat": RuleWords(
        "Repeating",
        "whether you can repeat the move before yours",
        {"free": "you can repeat {last_choice}", "banned": "you can't repeat {last_choice}"},
    ),
    "stuck": RuleWords(
        "No move left",
        "what happens when you have no move",
        {"passes": "you only lose your turn if you have no move", "loses": "you {lose} if you have no move"},
    ),
    "finish": RuleWords(
        "Tokens at the goal",
        "how many of your tokens must reach the goal",
        {"all": "all your {token}s must reach {goal}", "one": "one {token} at {goal} is enough"},
    ),
    "tokens": RuleWords("Tokens each", "how many tokens each player has"),
    "players": RuleWords("Players", "how many players there are"),
    "reverse": RuleWords(
        "Going back",
        "whether you can go one step back instead",
        {"true": "you can also go one {place} back", "false": "you can't go back"},
    ),
    "skip": RuleWords(
        "Skipping",
        "whether you can skip a turn",
        {"true": "you can also skip a turn", "false": "you can't skip a turn"},
    ),
}


def rule_clause(book: Book, rule: str, value: str) -> str:
    """Return a clause that states what a value of a rule means in this book.

    >>> import numberline as nl
    >>> rule_clause(nl.book("line-runner"), "overshoot", "refused")
    "you can't go past the goal"
    """
    clause = RULE_WORDS[rule].clauses.get(value)
    return clause.format_map(_terms(book)) if clause else f"{rule} is {value}"


def goal_phrase(book: Book) -> str:
    return "the goal" if len(set(book.rules.goals)) == 1 else "your goal"


def opponent_phrase(book: Book) -> str:
    return "your opponent" if book.rules.players == 2 else "the player before you"


def _terms(book: Book) -> dict[str, str]:
    rules, token = book.rules, book.noun("token")
    choice = "operation" if rules.moves == "operations" else "step"
    opponents_token = f"{'your opponent' if rules.players == 2 else 'another player'}'s {token}"
    return {
        "goal": goal_phrase(book),
        "lose": "lose the game" if rules.players == 2 else "are out",
        "token": token,
        "place": book.noun("place"),
        "other_token": opponents_token if rules.tokens == 1 else f"another {token}",
        "even_own": "" if rules.tokens == 1 else ", not even your own",
        "or_jump": "" if rules.steps == (1,) else " or jump over it",
        "last_choice": f"your opponent's {choice}"
        if rules.players == 2
        else f"the {choice} of {opponent_phrase(book)}",
    }


class MoveWords(NamedTuple):
    """Verb phrases for a move: for `you`, for another player, and in the past tense."""

    you: str
    other: str
    past: str


MOVES_WITHOUT_TOKEN: dict[str, MoveWords] = {
    SKIP: MoveWords("skip the turn", "skips the turn", "skipped the turn"),
    PASS: MoveWords(
        "have no move and lose the turn", "has no move and loses the turn", "had no move and lost the turn"
    ),
    OUT: MoveWords("have no move left and are out", "has no move left and is out", "had no move left and is out"),
    RESIGN: MoveWords("resign", "resigns", "resigned"),
}


def past_phrase(move: str) -> str:
    """Return a past-tense predicate for a move: `played 3`, `skipped the turn`."""
    if move in MOVES_WITHOUT_TOKEN:
        return MOVES_WITHOUT_TOKEN[move].past
    return "went back" if move.endswith("back") else f"played {move}"
