"""The public names of the package: documented with examples, and one version everywhere."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

import pytest

import numberline as nl

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "numberline"


def test_public_names_are_what_dir_lists() -> None:
    assert dir(nl) == sorted([*nl.__all__, "__version__"])


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in nl.__all__ if getattr(nl, name, None) is None] == []


def test_map_is_public_but_not_imported_by_a_star() -> None:
    names: dict[str, object] = {}
    exec("from numberline import *", names)  # noqa: S102 - what a user would type
    assert "map" not in names
    assert callable(nl.map)


@pytest.mark.parametrize("name", [name for name in [*nl.__all__, "map"] if name != "NAMES"])
def test_public_name_has_a_docstring_with_an_example(name: str) -> None:
    docstring = getattr(nl, name).__doc__ or ""
    assert len(docstring.split()) > 3
    assert ">>>" in docstring


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'numberline' has no attribute 'bok'"):
        nl.bok  # noqa: B018 - only looked up


def test_version_has_one_source() -> None:
    assert version("numberline") == nl.__version__
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited
    assert cited[1] == nl.__version__


def test_class_name_has_one_meaning_in_the_project() -> None:
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
