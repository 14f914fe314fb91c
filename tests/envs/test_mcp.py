"""MCP server, called by the official client."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="needs the extra mcp")

import anyio
from mcp import Client, StdioServerParameters

import numberline as nl
from numberline.envs import mcp as games

Call = Callable[..., Awaitable[Any]]


def asked(talk: Callable[[Call], Awaitable[None]], where: Any = None) -> None:
    """Call a server's tools; by default, the server runs in this process."""

    async def main() -> None:
        async with Client(where or games.server()) as client:

            async def call(tool: str, **arguments: Any) -> Any:
                result = await client.call_tool(tool, arguments)
                if result.is_error:
                    return result.content[0].model_dump()["text"]
                found = result.structured_content or {}
                return found["result"] if list(found) == ["result"] else found

            await talk(call)

    anyio.run(main)


def test_client_starts_command_and_plays_a_game() -> None:
    async def talk(call: Call) -> None:
        game = await call("new_game", game="flag-chase", opponent="perfect")
        assert game["rules"].startswith("The line: The line runs from 0 to 10.")
        assert (game["you"], game["legal_moves"], game["over"]) == ("Player 1", ["1", "2", "3"], False)
        while not game["over"]:
            best = next(each["move"] for each in await call("values", game_id=game["game_id"]) if each["best"])
            game = await call("play", game_id=game["game_id"], move=best)
        assert (game["winner"], game["reason"], game["legal_moves"]) == ("Player 1", "Player 1 reached 5.", [])
        assert game["history"][0] in {"Player 1: 2", "Player 1: 3"}

    asked(talk, StdioServerParameters(command=sys.executable, args=["-m", "numberline", "mcp"]))


def test_every_tool_has_a_description() -> None:
    async def main() -> None:
        async with Client(games.server()) as client:
            tools = (await client.list_tools()).tools
            assert client.server_info
            assert client.server_info.version == nl.__version__
        played = ["list_games", "new_game", "legal_moves", "play", "values", "explain"]
        assert [tool.name for tool in tools] == [*played, "measure", "compare", "find"]
        assert all(tool.description and tool.output_schema for tool in tools)

    anyio.run(main)


def test_list_games_has_all_books_with_settings() -> None:
    async def talk(call: Call) -> None:
        listed = await call("list_games")
        assert [each["game"] for each in listed] == list(nl.NAMES)
        [runner] = [each for each in listed if each["game"] == "line-runner"]
        assert runner["settings"]["end"] == "20"

    asked(talk)


def test_measure_has_summary_and_metrics() -> None:
    async def talk(call: Call) -> None:
        found = await call("measure", game="flag-chase", players="slip:20")
        assert "slip in 20% of their turns, the first player wins 88 of 100 games" in found["summary"][1]
        assert found["gap"] == pytest.approx(nl.measure("flag-chase", "slip:20")["gap"])
        assert "no known move probabilities" in await call("measure", game="flag-chase", players="exec:date")

    asked(talk)


def test_compare_describes_differences() -> None:
    async def talk(call: Call) -> None:
        found = await call("compare", game="flag-chase", other="flag-chase(end=12)")
        assert found["differences"][0] == "Differences: end 10 becomes 12."
        assert [each["variant"] for each in found["variants"]] == ["flag-chase", "flag-chase(end=12)"]

    asked(talk)


def test_find_returns_hits_or_the_nearest_and_limits_its_work() -> None:
    async def talk(call: Call) -> None:
        found = await call("find", game="number-reach", change=["target=40..44"])
        assert found["hits"][0]["variant"] == "number-reach(target=43)"
        found = await call("find", game="number-reach", goals=["length=30.."], change=["target=43"])
        assert (found["hits"], found["nearest"][0]["variant"]) == ([], "number-reach(target=43)")
        refused = await call("find", game="number-reach", change=["target=2..20000"])
        assert refused.endswith("too many variants: 19,999; expected at most 10,000")

    asked(talk)


def test_game_without_opponent_plays_every_seat() -> None:
    async def talk(call: Call) -> None:
        game = await call("new_game", game="number-reach(target=4)")
        assert game["you"] == "everybody"
        await call("play", game_id="1", move="+1")
        game = await call("play", game_id="1", move="*2")
        assert (game["history"], game["winner"]) == (["Player 1: +1", "Player 2: *2"], "Player 2")

    asked(talk)


def test_opponent_starts_if_client_has_second_seat() -> None:
    async def talk(call: Call) -> None:
        game = await call("new_game", game="reach-the-edge", opponent="perfect", seat=2)
        assert (game["you"], game["history"]) == ("Player 2", ["Player 1: 3"])
        assert game["legal_moves"] == ["1", "2"]
        assert await call("legal_moves", game_id=game["game_id"]) == game | {"rules": None}

    asked(talk)


def test_values_and_explanations_agree_with_solution() -> None:
    async def talk(call: Call) -> None:
        await call("new_game", game="flag-chase")
        book = nl.book("flag-chase")
        judged = nl.solve(book).evaluate_moves(book.start())
        values = await call("values", game_id="1")
        assert [(each["move"], each["value"], each["best"]) for each in values] == [
            (each.move, each.worth.value, each.best) for each in judged
        ]
        assert values[0]["turns"] is not None
        assert "2" in await call("explain", game_id="1")
        assert await call("explain", game_id="1", move="1") != await call("explain", game_id="1", move="2")

    asked(talk)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("play", {"game_id": "1", "move": "9"}, "'9' is not a move in this game"),
        ("play", {"game_id": "1", "move": "hello"}, "'hello' can't be read as a move"),
        ("explain", {"game_id": "1", "move": "9"}, "'9' is not a move in this game"),
        ("play", {"game_id": "7", "move": "1"}, "unknown game '7'; start one with new_game"),
        ("new_game", {"game": "flag-chse"}, "unknown game 'flag-chse'; expected reach-the-edge"),
        ("new_game", {"game": "flag-chase(end=x)"}, "end=x"),
        ("new_game", {"game": "/etc/passwd.toml"}, "unknown game '/etc/passwd.toml'"),
        ("new_game", {"game": "flag-chase", "opponent": " Exec:touch x"}, "external programs can't be used here"),
        (
            "new_game",
            {"game": "flag-chase", "opponent": "mcts:1001"},
            "mcts is limited to 1,000 simulations per move",
        ),
        ("new_game", {"game": "flag-chase", "opponent": "unknown"}, "unknown bot 'unknown'"),
        ("new_game", {"game": "flag-chase", "seat": 3}, "Flag Chase has seats 1 to 2"),
        ("new_game", {"game": "flag-chase", "seed": -1}, "seed=-1: expected a whole number of at least 0"),
        ("new_game", {"game": "flag-chase", "seat": 1.5}, "seat\n  Input should be a valid integer"),
    ],
)
def test_tool_errors_are_messages(tool: str, arguments: dict[str, Any], said: str) -> None:
    async def talk(call: Call) -> None:
        await call("new_game", game="flag-chase")
        answer = await call(tool, **arguments)
        assert said in answer
        assert "Traceback" not in json.dumps(answer)

    asked(talk)


def test_endless_lost_turns_end_the_call() -> None:
    async def talk(call: Call) -> None:
        await call("new_game", game="flag-chase(steps=2,3)")
        for _ in range(4):
            game = await call("play", game_id="1", move="2")
        assert (game["over"], game["legal_moves"]) == (False, ["pass"])

    asked(talk)


def test_oldest_games_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MAX_OPEN_GAMES", 2)

    async def talk(call: Call) -> None:
        for _ in range(3):
            await call("new_game", game="flag-chase")
        assert "unknown game '1'" in await call("legal_moves", game_id="1")
        assert (await call("legal_moves", game_id="2"))["game_id"] == "2"

    asked(talk)
