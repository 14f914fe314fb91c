"""tools/browser.py finds a browser for the tests, or says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tools" / "browser.py"


def find(*arguments: str, folder: Path, path: str = "/usr/bin:/bin", named: str = "") -> tuple[int, str, str]:
    """Run the tool; return its exit code, standard output and standard error."""
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


def test_environment_variable_comes_first(tmp_path: Path) -> None:
    mine = program(tmp_path / "mine", "echo Chromium 1")
    assert find(folder=tmp_path, named=str(mine)) == (0, f"{mine}\n", "")


def test_broken_environment_variable_is_an_error(tmp_path: Path) -> None:
    code, path, said = find(folder=tmp_path, named=str(tmp_path / "none"))
    assert (code, path) == (1, "")
    assert (
        said == f"NUMBERLINE_BROWSER={tmp_path / 'none'} does not start; set it to the path of a Chromium or Chrome\n"
    )


def test_installed_browser_is_found_by_name(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "chromium", "exit 1")
    chrome = program(tmp_path / "bin" / "google-chrome", "echo Chrome 1")
    assert find("--only", "installed", folder=tmp_path, path=str(tmp_path / "bin")) == (0, f"{chrome}\n", "")


def test_downloaded_browser_is_reused(tmp_path: Path) -> None:
    before = program(tmp_path / "before", "echo Chromium 1")
    (tmp_path / "path").write_text(str(before), encoding="utf-8")
    assert find("--only", "cached", folder=tmp_path) == (0, f"{before}\n", "")


@pytest.mark.parametrize("source", ["environment", "installed", "cached", "npm"])
def test_missing_browser_names_what_to_install(source: str, tmp_path: Path) -> None:
    code, path, said = find("--only", source, folder=tmp_path, path=str(tmp_path))
    assert (code, path) == (1, "")
    assert said.splitlines()[-1].startswith("no browser for the tests: install Chromium or Google Chrome")


def test_package_with_wrong_checksum_is_not_used(tmp_path: Path) -> None:
    pytest.importorskip("brotli")
    program(tmp_path / "bin" / "npm", 'echo other > "$5/chromium.tgz"')
    code, path, said = find("--only", "npm", folder=tmp_path, path=str(tmp_path / "bin"))
    assert (code, path) == (1, "")
    assert "has an unexpected SHA-512 checksum" in said
