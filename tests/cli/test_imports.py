"""Imports: a command loads only what it needs, proved in a new process after the command has run on a real book."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import json, sys
from numberline.cli import run
try:
    run()
finally:
    names = sorted(name for name, module in sys.modules.items() if module is not None)
    with open(MODULES, "w") as file:
        json.dump(names, file)
"""
FRAMEWORKS = ("gymnasium", "pettingzoo", "pyspiel", "textarena", "inspect_ai", "mcp")
PLOTTING = ("matplotlib", "plotly")
COMMANDS = {
    "solve": ["solve", "flag-chase"],
    "measure": ["measure", "flag-chase"],
    "measure, compared": ["measure", "flag-chase", "flag-chase(end=12)"],
    "find": ["find", "number-reach", "--change", "target=40..43", "--top", "1"],
    "map": ["map", "flag-chase", "end=4..6", "steps=1-2;1-3"],
    "arena": ["arena", "random", "greedy", "level:5", "--games", "4", "--books", "flag-chase"],
    "export": ["export", "flag-chase", "--numbers", "--prompts"],
    "export of games": ["export", "flag-chase", "--games", "2"],
}


def loaded_modules(code: str, arguments: list[str], folder: Path) -> list[str]:
    """Run Python code in a new process and return the names of the modules that it has loaded at its end."""
    target = folder / "modules.json"
    command = [sys.executable, "-c", f"MODULES = {str(target)!r}\n{code}", *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    names: list[str] = json.loads(target.read_text())
    return names


def within(names: list[str], packages: tuple[str, ...]) -> list[str]:
    return [name for name in names if name.startswith(tuple(f"{package}." for package in packages)) or name in packages]


@pytest.mark.parametrize("command", COMMANDS)
def test_command_loads_no_framework_no_plotting_and_no_web(command: str, tmp_path: Path) -> None:
    names = loaded_modules(CODE, COMMANDS[command], tmp_path)
    assert f"numberline.cli.{COMMANDS[command][0]}" in names
    assert within(names, (*FRAMEWORKS, *PLOTTING, "numberline.web", "uvicorn", "starlette")) == []


def test_web_loads_nothing_of_the_terminal(tmp_path: Path) -> None:
    code = """
import importlib, json, pkgutil, sys
import numberline.web
for module in pkgutil.walk_packages(numberline.web.__path__, "numberline.web."):
    importlib.import_module(module.name)
with open(MODULES, "w") as file:
    json.dump(sorted(sys.modules), file)
"""
    names = loaded_modules(code, [], tmp_path)
    assert "numberline.web.app" in names
    assert within(names, ("numberline.terminal", "numberline.cli", *FRAMEWORKS, *PLOTTING)) == []


def test_measure_solves_once(tmp_path: Path) -> None:
    code = """
import json
from numberline.cli import run
from numberline.solver import retrograde, solution
calls = []
solve_table = retrograde.solve_table
def counted(*arguments, **options):
    calls.append("solved")
    return solve_table(*arguments, **options)
solution.solve_table = counted
try:
    run()
finally:
    with open(MODULES, "w") as file:
        json.dump(calls, file)
"""
    assert loaded_modules(code, ["measure", "flag-chase"], tmp_path) == ["solved"]
    assert loaded_modules(code, ["measure", "flag-chase", "--players", "perfect,greedy"], tmp_path) == ["solved"]
