"""Words for rule values and for moves without a token."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest

import numberline as nl
from numberline.explain import rule_words
from numberline.explain.rule_words import MOVES_WITHOUT_TOKEN, RULE_WORDS, RuleWords, past_phrase, rule_clause
from numberline.explain.rules_text import describe_changes, describe_rules, describe_setting
from numberline.game.match import RESIGN
from numberline.game.moves import FORCED_MOVES, SKIP
from numberline.game.rules import Rules
from numberline.game.settings import RULE_DEFAULTS
from numberline.views.form import form_view
from support.variants import EVERY

TYPES = get_type_hints(Rules)


def values_of(rule: str) -> set[str]:
    """Return the words that a rule can have as its value, none for numbers and lists."""
    if TYPES[rule] is bool:
        return {"true", "false"}
    return {value for value in get_args(TYPES[rule]) if isinstance(value, str)}


def test_every_rule_has_words() -> None:
    assert list(RULE_WORDS) == list(RULE_DEFAULTS)
    assert all(words.title and words.decides for words in RULE_WORDS.values())


@pytest.mark.parametrize("rule", RULE_DEFAULTS)
def test_every_rule_value_has_its_own_clause(rule: str) -> None:
    assert set(RULE_WORDS[rule].clauses) == values_of(rule)
    for variant in EVERY:
        clauses = [rule_clause(nl.book(variant), rule, value) for value in values_of(rule)]
        assert len(set(clauses)) == len(clauses)
        assert not [clause for clause in clauses if "{" in clause]


@pytest.mark.parametrize("rule", [rule for rule in RULE_DEFAULTS if values_of(rule)])
def test_rule_value_without_words_is_still_described(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = RULE_WORDS[rule]
    monkeypatch.setitem(rule_words.RULE_WORDS, rule, RuleWords(words.title, words.decides))
    for variant in EVERY:
        book = nl.book(variant)
        assert describe_setting(book, rule)
        assert describe_rules(book)
        assert describe_changes(book) or variant == book.name
        assert form_view(book)


def test_changed_values_are_described_by_their_clauses() -> None:
    book = nl.book("line-runner(overshoot=refused, meeting=blocks, repeat=banned)")
    assert describe_changes(book) == (
        "Here you can't go past the goal. You can't land on your opponent's token or jump over it. "
        "You can't repeat your opponent's step."
    )
    texts = " ".join(section.text for section in describe_rules(book))
    for sentence in ("You can't go past the goal.", "You can't land on your opponent's token or jump over it."):
        assert sentence in texts


def test_every_move_without_a_token_has_words() -> None:
    assert set(MOVES_WITHOUT_TOKEN) == {SKIP, RESIGN, *FORCED_MOVES}


@pytest.mark.parametrize(
    ("move", "phrase"),
    [
        ("3", "played 3"),
        ("back", "went back"),
        ("2:back", "went back"),
        ("skip", "skipped the turn"),
        ("pass", "had no move and lost the turn"),
        ("resign", "resigned"),
    ],
)
def test_past_phrase(move: str, phrase: str) -> None:
    assert past_phrase(move) == phrase
