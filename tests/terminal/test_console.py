"""Console: progress."""

from __future__ import annotations

import sys
import time

import pytest

from numberline.terminal import console


def test_progress_is_shown_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("numberline.terminal.console._PROGRESS_DELAY_S", 0.0)
    with console.progress_bar("Measuring") as progress:
        time.sleep(0.2)
        progress(0.5)
    assert capsys.readouterr().err == ""


def test_progress_appears_without_a_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("numberline.terminal.console._PROGRESS_DELAY_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with console.progress_bar("Trying [1]", "Comparing") as progress:
        time.sleep(1)
        progress(1.0)
        time.sleep(0.5)
    shown = capsys.readouterr().err
    assert "Trying [1]" in shown
    assert "Comparing" in shown
