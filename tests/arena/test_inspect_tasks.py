"""Inspect tasks evaluated with mock models, and standings from their logs."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra inspect")

from click.testing import CliRunner
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model

import numberline as nl
from numberline.arena import Standings, inspect_tasks
from numberline.arena.inspect_tasks import (
    BOOK_TASKS,
    STORE_KEY,
    UNFINISHED,
    LoggedGame,
    TaskError,
    build_standings,
    flag_chase,
    games,
    line_runner,
    read_logged_games,
)
from numberline.bots import BotError
from numberline.cli.arena import command
from numberline.envs.validation import EnvError
from numberline.errors import RecordError
from support.language_models import Chatter, endpoint

pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),  # Inspect's own
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # streams that Inspect leaves open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def model(answer: Callable[[str], str]) -> Model:
    """Return Inspect's mock model, which gives these answers."""

    def said(messages: list[ChatMessage], *_: object) -> ModelOutput:
        output = ModelOutput.from_content("mock", answer(messages[-1].text))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else Inspect counts, by a download
        return output

    return get_model("mockllm/model", custom_outputs=said, memoize=False)


def evaluated(task: Any, who: Model, folder: Path, **options: Any) -> EvalLog:
    """Evaluate a task and return the log of the successful run."""
    [log] = evaluate(task, model=who, display="none", log_dir=str(folder), **options)
    assert log.status == "success", log.error
    gc.collect()  # what Inspect leaves open goes here, where warnings of that are ignored
    return log


def metrics(log: EvalLog, scorer: str) -> dict[str, float]:
    """Return the value of a scorer."""
    assert log.results
    [found] = [each for each in log.results.scores if each.name == scorer]
    return {name: metric.value for name, metric in found.metrics.items()}


def became(log: EvalLog) -> Iterator[dict[str, Any]]:
    """Return the stored summary of each game."""
    for sample in log.samples or ():
        yield sample.store[STORE_KEY]


def perfect(prompt: str) -> str:
    """A model that plays Flag Chase perfectly and reads the move history."""
    match = nl.Match(nl.book("flag-chase"))
    for move in re.findall(r"^\d+\. Player \d: (\w+)$", prompt, re.MULTILINE):
        match.play(move)
    return f"[{nl.solve(match.book).best(match.position)[0]}]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def log(folder: Path) -> EvalLog:
    books = ["flag-chase", "number-line-sprint", "line-runner(end=12", " steps=1-2)"]  # as Inspect takes it apart
    given = {"books": books, "draw": 1, "games": 4, "opponent": "level:3"}
    return evaluated("numberline/games", model(Chatter(1)), folder, task_args=given, epochs=2)


def test_inspect_finds_tasks_by_package_name() -> None:
    [found] = [entry for entry in entry_points(group="inspect_ai") if entry.name == "numberline"]
    assert callable(found.load().line_runner)


def test_every_built_in_book_has_a_task() -> None:
    assert list(BOOK_TASKS) == [name.replace("-", "_") for name in nl.NAMES]
    assert inspect_tasks.line_runner is BOOK_TASKS["line_runner"]
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        _ = inspect_tasks.chess


def test_games_agree_with_match(log: EvalLog) -> None:
    for sample in log.samples or ():
        game = sample.store[STORE_KEY]
        match = nl.Match(nl.book(sample.metadata["book"]))
        for move in game["moves"].split():
            match.play(move)
        assert (match.outcome.winner if match.outcome else 0) == game["winner"]
        assert len(sample.messages) == 2 * game["answers"]
    assert len(log.samples or ()) == 4 * 4 * 2


def test_seats_are_swapped_with_the_same_random_numbers(log: EvalLog) -> None:
    about = [sample.metadata for sample in log.samples or () if sample.epoch == 1]
    assert [each["seat"] for each in about] == [1, 2] * 8
    assert all(one["dice"] == other["dice"] for one, other in zip(about[::2], about[1::2], strict=True))
    assert len({each["dice"] for each in about}) == 8


def test_metrics_agree_with_standings(log: EvalLog, folder: Path) -> None:
    standings: Standings = build_standings(read_logged_games(folder), ["random"])
    [row] = [row for row in standings.players() if row["player"] == "mockllm/model"]
    score, lost = metrics(log, "win"), metrics(log, "regret")
    assert row["games"] == 32
    assert row["score"] == pytest.approx(score["mean"])
    assert [seat["score"] for seat in row["seats"]] == pytest.approx([score["seat_1"], score["seat_2"]])
    assert row["regret"] == pytest.approx(lost["all_books"])
    cells = [cell for cell in standings.cells() if cell["player"] == "mockllm/model" and cell["book"] == "flag-chase"]
    points = sum(cell["regret"] * cell["choices"] for cell in cells)
    assert lost["flag-chase"] == pytest.approx(points / sum(cell["choices"] for cell in cells))


@pytest.mark.usefixtures("log")
def test_bots_play_each_other_beside_the_model(folder: Path) -> None:
    pairs = {
        (row["player"], row["opponent"]): row["games"]
        for row in build_standings(read_logged_games(folder), ["random"]).pairs()
    }
    assert pairs["mockllm/model", "level:3"] == pairs["level:3", "mockllm/model"] == 32
    assert pairs["random", "level:3"] == 32
    assert ("mockllm/model", "random") not in pairs


@pytest.mark.usefixtures("log")
def test_command_shows_logs_beside_bots(folder: Path) -> None:
    ran = CliRunner().invoke(command, ["random", "--logs", str(folder)])
    assert ran.exit_code == 0
    assert re.search(r"^mockllm/model +\d+/16 +\d+/16 ", ran.output, re.MULTILINE)
    assert re.search(r"^random +\d+/16 +\d+/16 ", ran.output, re.MULTILINE)
    refused = CliRunner().invoke(command, ["random", "--logs", str(folder), "--books", "flag-chase"])
    assert "--books can't be used with --logs: the logs determine the games." in refused.output


def test_perfect_model_has_no_regret(tmp_path: Path) -> None:
    log = evaluated(flag_chase(opponent="perfect", games=4), model(perfect), tmp_path)
    assert metrics(log, "regret") == {"all_books": 0, "flag-chase": 0}
    assert {key: metrics(log, "win")[key] for key in ("mean", "seat_1", "seat_2")} == {
        "mean": 0.5,
        "seat_1": 1,
        "seat_2": 0,
    }


@pytest.mark.parametrize(("answer", "counted"), [("hm", "unreadable"), ("[9]", "illegal")])
def test_answers_without_legal_move_are_counted_and_lose(answer: str, counted: str, tmp_path: Path) -> None:
    log = evaluated(flag_chase(games=2, tries=2), model(lambda _: answer), tmp_path)
    assert {name: metrics(log, name)["share"] for name in ("illegal", "unreadable")} == {
        "illegal": counted == "illegal",
        "unreadable": counted == "unreadable",
    }
    assert metrics(log, "win")["mean"] == 0
    standings = build_standings(read_logged_games(tmp_path))
    assert standings.reasons == {"mockllm/model": {"gave no legal move in 2 answers": 2}}


def test_game_stopped_by_inspect_limit_is_lost(tmp_path: Path) -> None:
    log = evaluated(line_runner(games=2), model(Chatter(3)), tmp_path, token_limit=3)
    assert {game["end"] for game in became(log)} == {UNFINISHED}
    assert metrics(log, "win")["mean"] == 0
    [row] = [row for row in build_standings(read_logged_games(tmp_path)).players() if row["player"] == "mockllm/model"]
    assert (row["losses"], row["forfeits"]) == (2, 2)


def test_game_with_provider_error_is_left_out(tmp_path: Path) -> None:
    def failing(prompt: str) -> str:
        if "You are Player 2." in prompt:
            raise ValueError("no such model")
        return perfect(prompt)

    log = evaluated(flag_chase(games=2), model(failing), tmp_path, fail_on_error=False)
    assert [bool(sample.error) for sample in log.samples or ()] == [False, True]
    assert [game.seat for game in read_logged_games(tmp_path)] == [1]


def test_model_plays_through_an_endpoint(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    with endpoint(Chatter(2)) as address:
        local = get_model("openai-api/local/chatter", base_url=address, api_key="none", memoize=False)
        log = evaluated("numberline/flag_chase", local, tmp_path, task_args={"games": 2})
    assert {game["end"] for game in became(log)} == {"won"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"games": 3}, "games=3: expected a multiple of 2"),
        ({"games": 0}, "games=0: expected a multiple of 2"),
        ({"opponent": "banana"}, "unknown bot 'banana'"),
        ({"books": "x"}, "'x'"),
        ({"plies": 0}, "max_plies=0"),
        ({"tries": 0}, "tries=0"),
    ],
)
def test_invalid_task_options_are_rejected_early(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TaskError, match=said):
        games(**options)


def test_all_books_are_played_by_default() -> None:
    samples = games(games=2).dataset
    assert list(dict.fromkeys((sample.metadata or {})["book"] for sample in samples)) == list(nl.NAMES)
    assert len(games(draw=3, games=2).dataset) == 6
    assert len(games("all", draw=3, games=2).dataset) == 2 * len(nl.NAMES) + 6


def test_invalid_log_is_reported(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(EnvError, match=r"broken\.json: not a valid Inspect log"):
        list(read_logged_games(tmp_path / "broken.json"))
    with pytest.raises(BotError, match="these logs contain no Numberline games"):
        build_standings([])


def test_standings_of_logs_need_two_seats() -> None:
    with pytest.raises(BotError, match="has 3 seats; standings from logs support only two"):
        build_standings([LoggedGame("me", "random", "number-reach(players=3)", 1, 1, "won", "", "")])


def test_logged_game_against_the_rules_is_rejected() -> None:
    with pytest.raises(RecordError, match="a game of flag-chase played by me can't be replayed"):
        build_standings([LoggedGame("me", "random", "flag-chase", 1, 1, "won", "Player 1 reached 5.", "3 9")])
