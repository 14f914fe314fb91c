"""Thousands of games at once."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import numberline as nl
from numberline.bots import make_bot
from numberline.bots.odds import odds
from numberline.envs import VectorEnv
from numberline.envs.columns import Columns, replies_of
from numberline.envs.gymnasium import BookEnv
from numberline.envs.seating import EnvError
from numberline.envs.views import View
from numberline.match import FORCED_TEXTS
from numberline.solver.table import TooLarge, Walk
from variants import EVERY

BOXED = ("line-runner(end=60)", "number-line-sprint(end=60)", "reach-the-edge(end=900, repeat=free)")
"""Variants too large to be walked, whose positions are numbered by their digits."""
LARGE = ("line-runner(tokens=2, end=5)", "line-runner(tokens=2, end=4, finish=one, repeat=banned)")
"""Variants for which the truth of every position takes a second."""


def dice(seed: int) -> Random:
    """Chance that comes out the same every time."""
    return Random(seed)  # noqa: S311 - a game, not a secret


def legal_actions(observations: dict[str, Any], rng: np.random.Generator) -> Any:
    """Some legal action of each game; 0 where there is none."""
    mask = observations["action_mask"]
    return (rng.random(mask.shape) * mask).argmax(axis=1)


def settled(book: nl.Book, position: nl.Position) -> nl.Position:
    """The position once the turns that are lost there are played; at most a thousand of them."""
    for _ in range(1000):
        legal = book.moves(position)
        if not legal or legal[0] not in FORCED_TEXTS:
            break
        position = book.after(position, legal[0])
    return position


@cache
def table_of(variant: str) -> Columns:
    return Columns(nl.book(variant), 1000)


@pytest.mark.parametrize("variant", [*EVERY, *BOXED])
def test_games_against_oneself_go_as_the_engine_plays_them(variant: str) -> None:
    book, rng = nl.book(variant), np.random.default_rng(2)
    view, games = View(book), 5
    envs = VectorEnv(games, book, opponent="self")
    observations, _ = envs.reset(seed=1)
    positions = [settled(book, book.start())] * games
    fresh = [True] * games
    over = np.zeros(games, np.bool_)
    for _ in range(30):
        for game, position in enumerate(positions):
            legal = () if over[game] else book.moves(position)
            assert observations["observation"][game].tolist() == view.row(position, position.turn).tolist()
            assert observations["action_mask"][game].tolist() == [int(text in legal) for text in book.choices]
        actions = legal_actions(observations, rng)
        observations, rewards, over_now, truncations, _ = envs.step(actions)
        for game, action in enumerate(actions):
            fresh[game] = bool(over[game])
            before = positions[game]
            if fresh[game]:
                positions[game] = settled(book, book.start())
                assert (rewards[game], over_now[game]) == (0, False)
            else:
                positions[game] = settled(book, book.after(before, book.choices[action]))
                outcome = book.outcome(positions[game])
                assert over_now[game] == (outcome is not None)
                assert rewards[game] == (0 if outcome is None else 1 if outcome.winner == before.turn else -1)
        over = over_now | truncations


@pytest.mark.parametrize(
    "variant", [pytest.param(text, marks=[pytest.mark.soak] if text in LARGE else []) for text in EVERY]
)
def test_games_against_a_bot_go_as_in_single_environments(variant: str) -> None:
    book, rng = nl.book(variant), np.random.default_rng(2)
    options: dict[str, Any] = {"opponent": "greedy", "seat": book.rules.players, "max_plies": 30, "oracle": True}
    many = VectorEnv(5, book, **options)
    single = SyncVectorEnv([lambda: BookEnv(book, **options)] * 5)
    results: list[Any] = [many.reset(seed=1), single.reset(seed=1)]
    for _ in range(30):
        (ours, *ours_rest), (theirs, *theirs_rest) = results
        assert ours["observation"].tolist() == theirs["observation"].tolist()
        assert ours["action_mask"].tolist() == theirs["action_mask"].tolist()
        assert [part.tolist() for part in ours_rest[:-1]] == [part.tolist() for part in theirs_rest[:-1]]
        told = {key for key in theirs_rest[-1] if not key.startswith("_")} - {"reason"}
        assert all(ours_rest[-1][key].tolist() == theirs_rest[-1][key].tolist() for key in told)
        actions = legal_actions(ours, rng)
        results = [many.step(actions), single.step(actions)]


@pytest.mark.parametrize("variant", nl.NAMES)
def test_illegal_actions_go_as_in_single_environments(variant: str) -> None:
    rng = np.random.default_rng(2)
    options: dict[str, Any] = {"opponent": "greedy", "seat": 2, "oracle": True}
    many, single = VectorEnv(9, variant, **options), SyncVectorEnv([lambda: BookEnv(variant, **options)] * 9)
    many.reset(seed=1)
    single.reset(seed=1)
    for _ in range(40):
        actions = rng.integers(len(many.book.choices), size=9)
        ours, theirs = many.step(actions), single.step(actions)
        assert ours[0]["observation"].tolist() == theirs[0]["observation"].tolist()
        assert [part.tolist() for part in ours[1:4]] == [part.tolist() for part in theirs[1:4]]
        assert ("illegal" in ours[4]) == ("illegal" in theirs[4])
        if "illegal" in ours[4]:
            assert ours[4]["illegal"].tolist() == theirs[4]["_illegal"].tolist()
        assert all(ours[4][key].tolist() == theirs[4][key].tolist() for key in ("value", "distance"))
        acted = theirs[4].get("_regret", np.zeros(9, np.bool_))
        assert ours[4]["regret"][acted].tolist() == theirs[4].get("regret", np.zeros(9))[acted].tolist()


@pytest.mark.parametrize("bot", ["random", "greedy", "level:4", "perfect"])
@pytest.mark.parametrize("variant", nl.NAMES)
def test_a_throw_makes_each_reply_exactly_as_likely_as_it_is(bot: str, variant: str) -> None:
    columns = table_of(variant)
    player = make_bot(bot, columns.book, dice(1))
    replies = replies_of(player, columns)
    for number in columns.reachable()[::5].tolist():
        if columns.choice[number]:
            likely = odds(player, columns.book, columns.table.numbering.position(number))
            assert likely is not None
            shares = np.bincount(replies[number], minlength=columns.choices) / replies.shape[1]
            assert {columns.book.choices[n]: share for n, share in enumerate(shares) if share} == pytest.approx(
                {move: float(chance) for move, chance in likely.items()}
            )


def test_games_against_chance_are_won_as_often_as_in_single_environments() -> None:
    def share(envs: Any, steps: int) -> float:
        observations, _ = envs.reset(seed=3)
        rng, won, lost = np.random.default_rng(4), 0, 0
        for _ in range(steps):
            observations, rewards, *_ = envs.step(legal_actions(observations, rng))
            won, lost = won + int((rewards > 0).sum()), lost + int((rewards < 0).sum())
        return won / (won + lost)

    options: dict[str, Any] = {"opponent": "level:3", "seat": "alternate"}
    many = share(VectorEnv(4000, "line-runner", **options), 60)
    single = share(SyncVectorEnv([lambda: BookEnv("line-runner", **options)] * 40), 200)
    assert many == pytest.approx(single, abs=0.04)


def test_three_players_take_their_turns_inside_a_step() -> None:
    envs = VectorEnv(500, "line-runner(players=3, end=6)", opponent="random", seat="alternate")
    observations, _ = envs.reset(seed=1)
    assert set(observations["observation"][:, 0].tolist()) == {1, 2, 3}
    rng, ends = np.random.default_rng(1), 0
    for _ in range(50):
        actions = legal_actions(observations, rng)
        observations, rewards, over, truncations, infos = envs.step(actions)
        assert "illegal" not in infos
        assert (observations["action_mask"].any(axis=1) | over).all()
        assert not truncations.any()
        ends += int(over.sum())
        assert ((rewards != 0) == over).all()
    assert ends > 1000


def test_the_large_variants_are_really_numbered_by_digits() -> None:
    assert not any(isinstance(table_of(variant).table.numbering, Walk) for variant in BOXED)


def test_it_is_what_make_vec_makes() -> None:
    envs = gymnasium.make_vec("numberline/FlagChase-v0", num_envs=7, opponent="perfect")
    assert isinstance(envs, VectorEnv)
    assert envs.num_envs == 7
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    assert infos["action_mask"].tolist() == observations["action_mask"].tolist()
    envs = gymnasium.make_vec("numberline/Book-v0", num_envs=2, book="line-runner(end=30)", opponent="self")
    assert envs.action_space.contains(envs.reset(seed=1)[0]["action_mask"].argmax(axis=1))


def test_its_spaces_are_those_of_single_environments() -> None:
    many, single = VectorEnv(3, "line-runner(repeat=banned)"), BookEnv("line-runner(repeat=banned)")
    assert many.single_observation_space == single.observation_space
    assert many.single_action_space == single.action_space


def test_every_step_returns_new_arrays() -> None:
    envs = VectorEnv(4, "line-runner", opponent="self")
    first, _ = envs.reset(seed=1)
    kept = first["observation"].copy()
    results = [envs.step(np.array([0, 1, 2, 0])) for _ in range(3)]
    assert first["observation"].tolist() == kept.tolist()
    for one, other in pairwise(results):
        for ours, theirs in zip([*one[0].values(), *one[1:4]], [*other[0].values(), *other[1:4]], strict=True):
            assert not np.shares_memory(ours, theirs)


def test_a_game_that_is_over_begins_anew_with_the_next_step_whatever_its_action_is() -> None:
    envs = VectorEnv(1, "flag-chase", opponent="self")
    envs.reset(seed=1)
    for action in (2, 2, 1):
        _, rewards, over, _, _ = envs.step(np.array([action]))
    assert (rewards.tolist(), over.tolist()) == ([1.0], [True])
    observations, rewards, over, _, infos = envs.step(np.array([2]))
    assert (observations["observation"].tolist(), rewards.tolist(), over.tolist()) == ([[1, 0, 10]], [0.0], [False])
    assert "illegal" not in infos


def test_a_step_before_any_reset_begins_the_games() -> None:
    observations, rewards, *_ = VectorEnv(2, "flag-chase", opponent="self").step(np.array([1, 2]))
    assert (observations["observation"].tolist(), rewards.tolist()) == ([[1, 0, 10]] * 2, [0.0, 0.0])


def test_games_are_broken_off_at_the_ply_limit_and_begin_anew() -> None:
    envs = VectorEnv(2, "number-line-sprint", opponent="self", max_plies=4)
    envs.reset(seed=1)
    ends = []
    for step in range(12):
        result = envs.step(np.array([0, 0] if step % 5 % 2 == 0 else [2, 2]))  # away from each other, in turns
        ends.append(result[3].tolist())
    assert ends == [[step % 5 == 3] * 2 for step in range(12)]


def test_a_game_in_which_nobody_can_ever_move_again_is_broken_off() -> None:
    envs = VectorEnv(3, "number-line-sprint(stuck=passes, steps=2)", opponent="random", max_plies=40)
    observations, _ = envs.reset(seed=1)
    rng, broken = np.random.default_rng(1), 0
    for _ in range(60):
        observations, _, _, truncations, _ = envs.step(legal_actions(observations, rng))
        broken += int(truncations.sum())
    assert broken > 3


def test_alternating_seats_change_from_game_to_game() -> None:
    envs = VectorEnv(2, "flag-chase", opponent="greedy", seat="alternate")
    observations, _ = envs.reset(seed=1)
    seats = [observations["observation"][:, 0].tolist()]
    rng = np.random.default_rng(1)
    for _ in range(30):
        observations, *_ = envs.step(legal_actions(observations, rng))
        seats.append(observations["observation"][:, 0].tolist())
    assert seats[0] == [1, 2]
    assert {1, 2} == {one for one, _ in seats} == {other for _, other in seats}


def test_seeds_reproduce_every_game() -> None:
    def trace() -> list[Any]:
        envs, rng = VectorEnv(20, "line-runner", opponent="random", seat="alternate"), np.random.default_rng(9)
        observations, _ = envs.reset(seed=5)
        seen = []
        for _ in range(40):
            observations, rewards, *_ = envs.step(legal_actions(observations, rng))
            seen.append((observations["observation"].tobytes(), rewards.tobytes()))
        return seen

    assert trace() == trace()


def test_an_illegal_action_raises_where_that_is_asked_for_and_changes_nothing() -> None:
    envs = VectorEnv(3, "number-line-sprint", opponent="self", illegal="raise")
    envs.reset(seed=1)
    envs.step(np.array([0, 3, 3]))
    with pytest.raises(nl.IllegalMove, match="game 1: R2 is not allowed there"):
        envs.step(np.array([2, 3, 0]))
    observations, *_ = envs.step(np.array([2, 0, 0]))
    assert observations["observation"].tolist() == [[1, 5, 7], [1, 8, 5], [1, 8, 5]]


@pytest.mark.parametrize("actions", [[0, 1, 3], [0, -1, 1], [0, 1], [[0, 1, 1]]])
def test_actions_that_there_are_not_are_refused(actions: Any) -> None:
    envs = VectorEnv(3, "flag-chase")
    envs.reset(seed=1)
    with pytest.raises(EnvError):
        envs.step(np.array(actions))


def test_a_bot_that_thinks_anew_on_every_move_can_not_play_many_games() -> None:
    with pytest.raises(EnvError, match="mcts thinks anew on every move"):
        VectorEnv(3, "flag-chase", opponent="mcts")


def test_a_variant_that_would_not_fit_into_memory_is_refused_before_it_is_made() -> None:
    with pytest.raises(TooLarge, match=r"many games of line-runner\(end=9000\) at once would need .* GiB of memory"):
        VectorEnv(1, "line-runner(end=9000)", opponent="self")
