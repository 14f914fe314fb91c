"""The answers of a language model written down and given again, whatever becomes of the file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faults.test_full_disk import full
from numberline.envs import TextEnv, transcript
from numberline.envs.transcript import Exchange, Recorder, Replayer, ReplayError
from support.language_models import Chatter
from support.non_integers import refused


def test_recorded_answers_can_be_replayed(tmp_path: Path) -> None:
    env = TextEnv("line-runner", opponent="level:5")
    model = Recorder(Chatter(1))
    turn = env.play(model, seed=9)
    model.save(tmp_path / "answers.jsonl")
    assert env.play(Replayer.load(tmp_path / "answers.jsonl"), seed=9) == turn
    with pytest.raises(ReplayError, match="answer 1 of the recording was given to another prompt"):
        TextEnv("flag-chase").play(Replayer(model.exchanges), seed=9)
    with pytest.raises(ReplayError, match="the recording ends with answer 1, and one more is asked for"):
        env.play(Replayer(model.exchanges[:1]), seed=9)


ODD = "line\u2028and\u0085and\ud800\x1c[2]\r\n\0\U0001f600"


def test_an_exchange_is_in_the_file_as_soon_as_it_happened_whatever_its_characters(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    model = Recorder(lambda _: ODD, path)
    for exchanges in (1, 2):
        model(f"{ODD}{exchanges}")
        assert Replayer.load(path)._left == model.exchanges
    again = Recorder(lambda _: None, path)
    again("more")
    assert Replayer.load(path)._left == [*model.exchanges, Exchange("more", None)]


def test_what_was_half_written_is_left_out_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    Recorder(lambda _: "[1]", path)("a")
    with path.open("ab") as file:
        file.write(b'{"prompt": "b", "ans')
    assert len(Replayer.load(path)._left) == 1
    Recorder(lambda _: "[2]", path)("b")
    assert [exchange.answer for exchange in Replayer.load(path)._left] == ["[1]", "[2]"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_recording_that_cannot_be_written_is_said_at_once() -> None:
    with pytest.raises(ReplayError, match="/dev/full: is not a file"):
        Recorder(lambda _: "[1]", "/dev/full")


def test_an_exchange_for_which_there_is_no_room_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    model = Recorder(lambda _: "[1]", path)
    model("a")
    whole = path.read_bytes()
    with full(len(whole) + 9), pytest.raises(ReplayError, match=r"answers\.jsonl: file too large"):
        model("b")
    assert path.read_bytes() == whole
    model("c")
    assert [exchange.prompt for exchange in Replayer.load(path)._left] == ["a", "c"]


def circle(path: Path) -> None:
    path.symlink_to(path)


NO_EXCHANGE = "expected a prompt and an answer as JSON"
NO_FILES: dict[str, Callable[[Path], object]] = {
    "a directory": Path.mkdir,
    "a pipe": os.mkfifo,
    "a link to itself": circle,
    "in no folder": lambda path: path.parent.rename(path.parent.with_suffix(".gone")),
}


@pytest.mark.parametrize("made", NO_FILES.values(), ids=NO_FILES)
def test_a_recording_that_is_no_file_is_refused_at_once(made: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "folder" / "answers.jsonl"
    path.parent.mkdir()
    model = Recorder(str)
    made(path)
    for attempt in (lambda: Replayer.load(path), lambda: Recorder(str, path)):
        assert "answers.jsonl: " in refused(attempt)
    if made is not os.mkfifo:  # one may save to a pipe from which somebody reads
        assert "answers.jsonl: " in refused(model.save, path)


@pytest.mark.parametrize("path", [5, b"x", ["x"], "x" * 5000, ""])
def test_what_is_no_name_of_a_file_is_no_recording(path: Any) -> None:
    for attempt in (Replayer.load, Recorder(str).save, lambda path: Recorder(str, path)):
        refused(attempt, path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\n", "line 1: not UTF-8 text"),
        (b"[" * 100_000 + b"\n", f"line 1: {NO_EXCHANGE}"),
        (b'{"prompt": 1, "answer": "b"}\n', f"line 1: {NO_EXCHANGE}"),
        (b'{"prompt": "a", "answer": "b", "failure": []}\n', f"line 1: {NO_EXCHANGE}"),
        (b'{"prompt": "a", "answer": ' + b"9" * 5000 + b"}\n", f"line 1: {NO_EXCHANGE}"),
        (
            b'{"prompt": "a", "answer": "b"}\n{"prompt": "a"}\n',
            f"answers.jsonl, line 2: {NO_EXCHANGE}",
        ),
        (b"\n", f"line 1: {NO_EXCHANGE}"),
        (b"x" * 200_000, "longer than 150000 bytes"),
    ],
    ids=range(8),
)
def test_a_damaged_recording_is_one_sentence(
    content: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "MAX_TRANSCRIPT_BYTES", 150_000)
    path = tmp_path / "answers.jsonl"
    path.write_bytes(content)
    assert refused(Replayer.load, path).endswith(said)


def test_nothing_is_taken_away_from_a_file_that_is_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('{"won": 3}')
    assert "is no recording" in refused(Recorder, str, path)
    assert path.read_text() == '{"won": 3}'


def test_a_save_that_fails_leaves_the_old_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Recorder(lambda _: ODD)
    model("a")
    model.save(tmp_path / "answers.jsonl")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ReplayError, match="no space left"):
        Recorder(lambda _: "").save(tmp_path / "answers.jsonl")
    assert Replayer.load(tmp_path / "answers.jsonl")._left == model.exchanges
    assert list(tmp_path.iterdir()) == [tmp_path / "answers.jsonl"]
