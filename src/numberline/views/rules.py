"""View of the rules of a variant: introduction, sections and differences."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.rules_text import Section, describe_changes, describe_rules, opening
from numberline.game.book import Book


class RulesView(NamedTuple):
    variant: str
    title: str
    opening: str
    """A paragraph about the game."""
    sections: tuple[Section, ...]
    changes: str
    """The differences from the book's own rules, or empty."""


def rules_view(book: Book) -> RulesView:
    return RulesView(book.variant, book.title, opening(book), tuple(describe_rules(book)), describe_changes(book))
