"""The page that follows one move quotes the code as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "one-move.md").read_text()
SOURCE = "\n".join(path.read_text() for path in sorted((ROOT / "src").rglob("*.py")))
LINES = [line.strip() for line in SOURCE.splitlines()]
QUOTES = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("quote", QUOTES)
def test_every_quote_is_in_the_code(quote: str) -> None:
    wanted = [line.strip() for line in quote.strip().splitlines()]
    assert any(LINES[n : n + len(wanted)] == wanted for n in range(len(LINES)))


def test_every_file_that_is_named_is_there() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.(?:py|toml))`", PAGE))
    assert named
    assert [name for name in sorted(named) if not (ROOT / "src" / "numberline" / name).exists()] == []


def test_every_name_that_is_spoken_of_is_there() -> None:
    named = set(re.findall(r"`([A-Z][A-Za-z]+)\.([a-z_]+)`", PAGE))
    assert [name for _, name in sorted(named) if f"def {name}(" not in SOURCE] == []
