"""TextArena environments, played with TextArena's own wrappers and agents."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

ta = pytest.importorskip("textarena", reason="needs the extra textarena")

import numberline as nl  # noqa: E402
from numberline.envs import env_id  # noqa: E402
from numberline.envs.textarena import TextArenaEnv, register  # noqa: E402
from numberline.envs.validation import EnvError  # noqa: E402
from support.language_models import Chatter, endpoint  # noqa: E402

GAME = ta.ObservationType


def played(env: Any, *agents: Callable[[str], object], players: int = 2) -> dict[int, int]:
    """Play a whole game and return the rewards."""
    env.reset(num_players=players, seed=1)
    done = False
    while not done:
        player, observation = env.get_observation()
        text = observation if isinstance(observation, str) else "\n".join(message for _, message, _ in observation)
        done, _ = env.step(action=agents[player % len(agents)](text))
    rewards: dict[int, int] = env.close()[0]
    return rewards


def again(env: Any) -> nl.Match:
    """Return the match that was played."""
    match = nl.Match(env.book)
    for ply in env.match.plies:
        match.play(ply.move)
    return match


@pytest.mark.parametrize("name", nl.NAMES)
@pytest.mark.parametrize("version", ["", "-train", "-raw"])
def test_games_agree_with_match(name: str, version: str) -> None:
    env = ta.make(env_id(name) + version, max_turns=100)
    rewards = played(env, Chatter(1), Chatter(2))
    outcome = again(env).outcome
    assert rewards == ({outcome.winner - 1: 1, 2 - outcome.winner: -1} if outcome else {0: 0, 1: 0})
    assert env.state.game_info[0]["reason"] == (outcome.reason if outcome else "The game was stopped after 100 turns.")


@pytest.mark.parametrize("variant", ["number-reach(players=3)", "line-runner(tokens=2, end=5)", "flag-chase(end=8)"])
def test_any_variant_can_be_played(variant: str) -> None:
    env, players = ta.make("numberline/Book-v0", book=variant), nl.book(variant).rules.players
    rewards = played(env, Chatter(1), players=players)
    outcome = again(env).outcome
    assert outcome
    assert rewards == {player: 1 if player == outcome.winner - 1 else -1 for player in range(players)}


def test_player_sees_rules_line_and_own_legal_moves() -> None:
    env = ta.make("numberline/ReachTheEdge-v0")
    env.reset(num_players=2)
    player, first = env.get_observation()
    assert player == 0
    assert first.startswith("\n[GAME] You are playing Reach the Edge. You are Player 1.\n\nThe rules\n")
    assert first.endswith("8(X) 9 10 11 12 13 14 15\nIt is Player 1's turn.\n\nYou can play 1, 2, or 3.")
    env.step(action="[3]")
    player, second = env.get_observation()
    assert player == 1
    assert "[Player 1] [3]\n[GAME] Player 1 plays 3.\n" in second
    assert second.count("You can play") == 1
    assert second.endswith("You can play 1 or 2.")


def test_illegal_answer_may_be_retried_and_then_loses() -> None:
    env = ta.make("numberline/FlagChase-v0-raw", tries=2)
    env.reset(num_players=2)
    env.get_observation()
    assert env.step("[7]") == (False, {})
    player, [(_, _, echoed), (_, message, kind)] = env.get_observation()
    assert (player, echoed, kind) == (0, GAME.PLAYER_ACTION, GAME.GAME_ADMIN)
    assert message.startswith("Player 1 attempted an invalid move. Reason: '7' is not a move in this game.")
    assert env.step(None)[0]
    rewards, info = env.close()
    assert (rewards, info[0]["invalid_move"]) == ({0: -1, 1: 1}, True)
    assert info[0]["reason"] == "The answer is not text."
    assert env.match.outcome.winner == 2


def test_legal_move_restores_all_tries() -> None:
    env = ta.make("numberline/FlagChase-v0-raw", tries=2)
    env.reset(num_players=2)
    assert [env.step(action)[0] for action in ("?", "[1]", "[1]", "?", "[1]")] == [False] * 5


def test_three_player_game_continues_after_a_loss() -> None:
    env = TextArenaEnv("number-reach(players=3)", tries=1)
    env.reset(num_players=3)
    assert env.step("?") == (False, {})
    assert env.get_observation()[0] == 1
    assert "Out: Player 1." in env.get_board_str()
    rewards = env.step("?") and env.close()[0]
    assert rewards == {0: -1, 1: -1, 2: 1}


def test_lost_turn_is_played_automatically() -> None:
    env = TextArenaEnv("flag-chase(steps=2,3)")
    env.reset(num_players=2)
    assert [env.step(f"[{steps}]")[0] for steps in (2, 3, 2, 2)] == [False, False, False, True]
    assert [ply.move for ply in env.match.plies] == ["2", "3", "2", "2"]
    env.reset(num_players=2)
    assert [env.step(f"[{steps}]")[0] for steps in (2, 2, 2, 2)] == [False, False, False, True]
    assert {ply.move for ply in env.match.plies[4:]} == {"pass"}
    assert env.close()[0] == {0: 0, 1: 0}


def test_player_with_lost_turn_is_not_asked() -> None:
    env = TextArenaEnv("flag-chase(steps=2,3)")
    env.reset(num_players=2)
    for steps in (2, 2, 2):
        env.step(f"[{steps}]")
    assert env.get_observation()[0] == 1
    env.step("[3]")
    assert env.close()[0] == {0: -1, 1: 1}


def test_oracle_reports_regret_of_a_move() -> None:
    env = ta.make("numberline/FlagChase-v0", oracle=True)
    env.reset(num_players=2)
    assert env.step(action="[1]")[1] == {"move": "1", "regret": 2, "delay": 0}


def test_games_can_be_copied_and_pickled() -> None:
    env = ta.make("numberline/LineRunner-v0-raw")
    env.reset(num_players=2)
    env.step("[2]")
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):  # noqa: S301 - our own
        assert twin.get_observation() == copy.deepcopy(env).get_observation()
        assert twin.step("[1]")[0] is False
    assert env.match.length == 1


def test_wrong_number_of_players_is_rejected() -> None:
    with pytest.raises(EnvError, match="num_players=3: expected 2 for Flag Chase"):
        TextArenaEnv("flag-chase").reset(num_players=3)


def test_answer_after_the_end_is_rejected() -> None:
    env = TextArenaEnv("flag-chase(end=2)")
    env.reset(2)
    assert env.step("[1]")[0]
    for answer in ("[1]", None):
        with pytest.raises(EnvError, match="the game is over; call reset to start a new game"):
            env.step(answer)


def test_registering_twice_changes_nothing() -> None:
    register()
    assert ta.make("numberline/FlagChase-v0").book == nl.book("flag-chase")


def test_textarena_agent_plays_through_an_endpoint() -> None:
    with endpoint(Chatter(5)) as address:
        agent = ta.agents.OpenAIAgent("chatter", base_url=address, api_key="none")
        env = ta.make("numberline/FlagChase-v0")
        rewards = played(env, agent, Chatter(6))
        agent.client.close()
    assert sorted(rewards.values()) == [-1, 1]
