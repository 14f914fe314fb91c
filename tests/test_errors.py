"""Install commands that fit how the program was installed."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from numberline.errors import install_command

CLONE = {"url": "file:///home/ann/number%20line", "dir_info": {"editable": True}}


def install(monkeypatch: pytest.MonkeyPatch, prefix: str, origin: dict[str, Any] | None = None, tool: str = "") -> None:
    """Pretend that the program runs from an environment below `prefix`, installed from `origin` with `tool`."""
    files = {"INSTALLER": f"{tool or 'pip'}\n", "direct_url.json": json.dumps(origin) if origin else None}

    class Installed:
        read_text = staticmethod(files.get)

    monkeypatch.setattr(metadata, "distribution", lambda _: Installed)
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr(sys, "executable", f"{prefix}/bin/python")


@pytest.mark.parametrize(
    ("prefix", "origin", "tool", "command"),
    [
        ("/usr", None, "pip", 'pip install "numberline[web]"'),
        ("/venv", None, "pip", '/venv/bin/python -m pip install "numberline[web]"'),
        ("/venv", CLONE, "pip", '/venv/bin/python -m pip install -e "/home/ann/number line[web]"'),
        ("/venv", None, "uv", 'uv pip install --python /venv/bin/python "numberline[web]"'),
        ("/home/ann/.local/pipx/venvs/numberline", None, "pip", 'pipx install --force "numberline[web]"'),
        ("/home/ann/.local/share/uv/tools/numberline", CLONE, "uv",
         'uv tool install --force "/home/ann/number line[web]"'),
        ("/usr", {"url": "https://example.org/games.git", "vcs_info": {"vcs": "git"}}, "pip",
         'pip install "numberline[web] @ git+https://example.org/games.git"'),
        ("/usr", {"url": "https://example.org/numberline.whl", "archive_info": {}}, "pip",
         'pip install "numberline[web] @ https://example.org/numberline.whl"'),
    ],
)  # fmt: skip
def test_install_command_fits_the_installation(
    prefix: str, origin: dict[str, Any] | None, tool: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, prefix, origin, tool)
    assert install_command("web") == command


def test_install_command_in_the_clone_names_a_dot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    install(monkeypatch, "/venv", {"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert install_command("fast") == '/venv/bin/python -m pip install -e ".[fast]"'


def test_install_command_without_an_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    assert install_command("web").endswith('install "numberline[web]"')
