"""docs/architecture.md lists the packages in the order that import-linter enforces."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_architecture_page_lists_packages_in_layer_order() -> None:
    [contract] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = re.findall(r"^\| `([a-z]+)(?:/|\.py)` \|", page, flags=re.MULTILINE)
    assert [package for package in table if package != "books"] == contract["layers"][::-1]
