"""Console: progress that is not on a terminal."""

from __future__ import annotations

import pytest

from numberline.terminal import console


def test_progress_in_a_pipe_is_a_line_from_time_to_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter((0.0, 1.0, 6.0, 7.0, 12.0, 20.0))
    monkeypatch.setattr("numberline.terminal.console.time.monotonic", lambda: next(seconds))
    with console.progress_bar("Measuring") as progress:
        for share in (0.1, 0.5, 0.6, 0.9, 1.0):
            progress(share)
    assert capsys.readouterr().err == "Measuring: 50 %\nMeasuring: 90 %\n"
