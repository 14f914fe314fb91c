"""Registration of the environments with Gymnasium, without importing it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("gymnasium", reason="needs the extra envs")

MAKE = "print(gymnasium.make('numberline/FlagChase-v0').unwrapped.book.name)"


def run_python(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    "imports",
    [
        "import gymnasium; import numberline.envs",
        "import numberline.envs; import gymnasium",
        "import numberline.envs, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium",
        "import numberline.envs.text; from gymnasium import spaces; import gymnasium",
    ],
)
def test_books_are_registered_in_any_import_order(imports: str) -> None:
    assert run_python(f"{imports}; {MAKE}") == ["flag-chase"]


def test_gymnasium_imports_books_named_with_their_package() -> None:
    make = MAKE.replace("numberline/", "numberline.envs:numberline/")
    assert run_python(f"import gymnasium; {make}") == ["flag-chase"]


@pytest.mark.parametrize(
    "module", ["envs", "envs.observation", "envs.text", "envs.validation", "arena", "datasets.export"]
)
def test_module_loads_no_gymnasium(module: str) -> None:
    assert run_python(f"import sys, numberline.{module}; print('gymnasium' in sys.modules)") == ["False"]


def test_import_works_without_gymnasium() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import numberline.envs; print('done')"
    assert run_python(code) == ["done"]


def test_books_are_registered_once() -> None:
    code = (
        "import numberline.envs as r, gymnasium; before = dict(gymnasium.registry);"
        "r.register_with_gymnasium(); print(before == gymnasium.registry)"
    )
    assert run_python(code) == ["True"]
