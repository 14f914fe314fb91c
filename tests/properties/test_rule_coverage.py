"""Every value of every rule is implemented, documented and covered by the laws and mixtures."""

from __future__ import annotations

from pathlib import Path

import pytest

import numberline as nl
from numberline.game.legality import MEETING, OVERSHOOT
from numberline.game.settings import RULE_TYPES
from support.variants import EVERY

BOOK_FORMAT = Path(__file__).parents[2] / "docs" / "book-format.md"
WORDED = {rule: kind.samples for rule, kind in RULE_TYPES.items() if kind.samples and not kind.samples[0].isdigit()}


@pytest.mark.parametrize(("rule", "table"), [("meeting", MEETING), ("overshoot", OVERSHOOT)])
def test_rule_value_has_consequences(rule: str, table: dict[str, object]) -> None:
    missing = set(RULE_TYPES[rule].samples) - set(table)
    assert not missing, f"add {sorted(missing)} to {rule.upper()} in game/: what {rule} does to a move"


@pytest.mark.parametrize("rule", WORDED)
def test_rule_value_is_in_a_chosen_variant(rule: str) -> None:
    kind = RULE_TYPES[rule]
    tested = {kind.write(getattr(nl.book(variant).rules, rule)) for variant in EVERY}
    missing = set(kind.samples) - tested
    assert not missing, f"add a variant with {rule}={sorted(missing)} to CHOSEN in tests/support/variants.py"


@pytest.mark.parametrize("rule", WORDED)
def test_rule_value_is_in_the_book_format(rule: str) -> None:
    [row] = [line for line in BOOK_FORMAT.read_text().splitlines() if line.startswith(f"| `{rule}` | `")]
    missing = [value for value in WORDED[rule] if f"`{value}`" not in row.replace('"', "")]
    assert not missing, f"add {missing} to the row of {rule} in docs/book-format.md"
