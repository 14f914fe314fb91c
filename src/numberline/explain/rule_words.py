"""Wording for rule values and for moves that don't move a token.

Rules text, settings forms, descriptions of variants, boards and reviews share this wording.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from numberline.game.book import Book
from numberline.game.move_text import letter_tokens
from numberline.game.validation import cannot_collide


class RuleWords(NamedTuple):
    """Wording for one rule: the title of its setting, what it decides, a clause and a short name for each value."""

    title: str
    decides: str
    clauses: Mapping[str, str] = MappingProxyType({})
    short: Mapping[str, str] = MappingProxyType({})


class MoveWords(NamedTuple):
    """Verb phrases for a move: for `you`, for another player, and in the past tense."""

    you: str
    other: str
    past: str


_WORDS = tomllib.loads(Path(__file__).with_name("rule_words.toml").read_text("utf-8"))
MOVES_WITHOUT_TOKEN = {move: MoveWords(**words) for move, words in _WORDS.pop("moves_without_token").items()}
RULE_WORDS = {rule: RuleWords(**words) for rule, words in _WORDS.items()}


def rule_clause(book: Book, rule: str, value: str) -> str:
    """Return a clause that states what a value of a rule means in this book.

    >>> import numberline as nl
    >>> rule_clause(nl.book("line-runner"), "overshoot", "refused")
    "you can't go past the goal"
    """
    clause = RULE_WORDS[rule].clauses.get(value)
    return clause.format_map(_terms(book)) if clause else f"{rule} is {value}"


def key_rule(book: Book) -> str:
    """Return the game's key rule as a sentence or, for a custom book, all its key rules as sentences.

    >>> import numberline as nl
    >>> key_rule(nl.book("reach-the-edge")), key_rule(nl.book("flag-chase"))
    ("You can't repeat your opponent's step.", "You can't go past the goal.")
    """
    return " ".join(key_rules(book))


def key_rules(book: Book, announced: str = "") -> list[str]:
    """Return the most important rule that `announced` doesn't state, as a sentence; for a custom book, all such rules.

    These rules, in order of importance, are about repeating, meeting, going past the goal, and having no move.
    """
    rules = book.rules
    meets = rules.meeting != "shares" and not cannot_collide(rules)
    stuck = ["stuck"] * (book.source is not None and rules.stuck == "loses")
    names = [*["repeat"] * (rules.repeat == "banned"), *["meeting"] * meets, "overshoot", *stuck]
    clauses = [rule_clause(book, name, getattr(rules, name)) for name in names]
    new = [f"{clause[:1].upper()}{clause[1:]}." for clause in clauses if f"{clause}.".lower() not in announced.lower()]
    return new if book.source is not None else new[:1]


def goal_phrase(book: Book) -> str:
    return "the goal" if len(set(book.rules.goals)) == 1 else "your goal"


def opponent_phrase(book: Book) -> str:
    return "your opponent" if book.rules.players == 2 else "the player before you"


def _terms(book: Book) -> dict[str, str]:
    rules, token, two = book.rules, book.noun("token"), book.rules.players == 2
    choice = "operation" if rules.moves == "operations" else "step"
    opponents_token = f"{'your opponent' if two else 'another player'}'s {token}"
    return {
        "goal": goal_phrase(book),
        "lose": "lose the game" if two else "are out",
        "token": token,
        "place": book.noun("place"),
        "other_token": opponents_token if rules.tokens == 1 else f"another {token}",
        "even_own": "" if rules.tokens == 1 else ", not even one of your own",
        "or_jump": "" if rules.steps == (1,) else " or jump over it",
        "last_choice": f"your opponent's {choice}" if two else f"the {choice} of {opponent_phrase(book)}",
    }


def past_phrase(move: str) -> str:
    """Return a past-tense predicate for a move: `played 3`, `skipped the turn`."""
    if move in MOVES_WITHOUT_TOKEN:
        return MOVES_WITHOUT_TOKEN[move].past
    return "went back" if move.endswith("back") else f"played {letter_tokens(move)}"
