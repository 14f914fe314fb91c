"""What a screen shows of the rules of a variant: what the game is, what is changed in it, and every rule in prose."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.rules_text import Section, describe_changes, describe_rules, opening
from numberline.game.book import Book


class RulesView(NamedTuple):
    """The rules of one variant."""

    variant: str
    title: str
    opening: str
    """What the game is, in a paragraph."""
    sections: tuple[Section, ...]
    changes: str
    """What is different from the book's own rules; nothing where nothing is."""


def rules_view(book: Book) -> RulesView:
    """What is shown of the rules; players are called by the book's own names for them."""
    return RulesView(book.variant, book.title, opening(book), tuple(describe_rules(book)), describe_changes(book))
