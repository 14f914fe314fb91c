"""The tool that finds a browser for the tests takes what it is told, and says in a sentence what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tools" / "browser.py"


def looked_for(*arguments: str, folder: Path, path: str = "/usr/bin:/bin", named: str = "") -> tuple[int, str, str]:
    """How a search ended and what it printed; nothing is fetched where the sources are named."""
    ran = subprocess.run(
        [sys.executable, TOOL, "--folder", folder, *arguments],
        env={"PATH": path, "NUMBERLINE_BROWSER": named},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_browser_that_the_environment_names_comes_first(tmp_path: Path) -> None:
    mine = program(tmp_path / "mine", "echo Chromium 1")
    assert looked_for(folder=tmp_path, named=str(mine)) == (0, f"{mine}\n", "")


def test_a_named_browser_that_does_not_start_is_said_and_no_other_is_taken(tmp_path: Path) -> None:
    code, path, said = looked_for(folder=tmp_path, named=str(tmp_path / "none"))
    assert (code, path) == (1, "")
    assert (
        said
        == f"NUMBERLINE_BROWSER is {tmp_path / 'none'}, which is no browser that starts: set it to the path of one.\n"
    )


def test_an_installed_browser_is_found_by_its_name_where_it_starts(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "chromium", "exit 1")
    chrome = program(tmp_path / "bin" / "google-chrome", "echo Chrome 1")
    assert looked_for("--only", "installed", folder=tmp_path, path=str(tmp_path / "bin")) == (0, f"{chrome}\n", "")


def test_what_was_fetched_before_is_used_again(tmp_path: Path) -> None:
    before = program(tmp_path / "before", "echo Chromium 1")
    (tmp_path / "path").write_text(str(before), encoding="utf-8")
    assert looked_for("--only", "kept", folder=tmp_path) == (0, f"{before}\n", "")


@pytest.mark.parametrize("source", ["environment", "installed", "kept", "npm"])
def test_where_there_is_none_one_sentence_says_what_to_install(source: str, tmp_path: Path) -> None:
    code, path, said = looked_for("--only", source, folder=tmp_path, path=str(tmp_path))
    assert (code, path) == (1, "")
    assert said.splitlines()[-1].startswith("There is no browser for the tests: install Chromium or Google Chrome")


def test_a_package_with_another_content_is_not_used(tmp_path: Path) -> None:
    pytest.importorskip("brotli")
    program(tmp_path / "bin" / "npm", 'echo other > "$5/chromium.tgz"')
    code, path, said = looked_for("--only", "npm", folder=tmp_path, path=str(tmp_path / "bin"))
    assert (code, path) == (1, "")
    assert "is not the package that was tried (its sha512 differs)" in said
