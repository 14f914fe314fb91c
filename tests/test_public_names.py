"""A name means one thing: no two classes of the project are called the same."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import numberline as nl

SOURCE = Path(__file__).parent.parent / "src" / "numberline"


def test_the_face_of_the_package_is_what_is_public() -> None:
    assert dir(nl) == sorted([*nl.__all__, "__version__"])


def test_a_class_name_has_one_meaning_in_the_project() -> None:
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
