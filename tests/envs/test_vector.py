"""Vector environments."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import example, given, settings

import numberline as nl
from numberline.bots import make_bot
from numberline.envs import VectorEnv, transition_table
from numberline.envs.gymnasium import BookEnv
from numberline.envs.observation import ObservationEncoder
from numberline.envs.transition_table import MAX_OUTCOMES, Transitions, load_arrays, make_reply_table
from numberline.envs.validation import EnvError
from numberline.game.moves import FORCED_MOVES
from numberline.solver.cache import cached_solution
from numberline.solver.index import TooManyPositions
from numberline.solver.solution import Solution
from support.mixtures import book_of, mixtures
from support.variants import EVERY

LARGER = ("line-runner(end=60)", "number-line-sprint(end=60)", "reach-the-edge(end=900, repeat=free)")
"""Variants whose table is filled on arrays."""


def dice(seed: int) -> Random:
    """Return a random generator with a fixed seed."""
    return Random(seed)


def legal_actions(observations: dict[str, Any], rng: np.random.Generator) -> Any:
    """Return a random legal action of each game, or 0 if it has none."""
    mask = observations["action_mask"]
    return (rng.random(mask.shape) * mask).argmax(axis=1)


def mostly_legal_actions(observations: dict[str, Any], rng: np.random.Generator) -> Any:
    """Return such actions, of which one in ten can be illegal."""
    actions = legal_actions(observations, rng)
    choices = observations["action_mask"].shape[1]
    return np.where(rng.random(len(actions)) < 0.1, rng.integers(choices, size=len(actions)), actions)


def settled(book: nl.Book, position: nl.Position) -> nl.Position:
    """Return the position after all lost turns that start here, at most a thousand."""
    for _ in range(1000):
        legal = book.moves(position)
        if not legal or legal[0] not in FORCED_MOVES:
            break
        position = book.after(position, legal[0])
    return position


@cache
def flow_of(variant: str) -> Transitions:
    return Transitions(load_arrays(nl.book(variant)), first=1, limit=1000)


class OneGame:
    """Reference for one game of self-play that uses only the engine and the solution."""

    def __init__(self, book: nl.Book) -> None:
        self.book, self.solution, self.observer = book, cached_solution(book), ObservationEncoder(book)
        self.begin()

    def begin(self) -> None:
        self.position = settled(self.book, self.book.start())
        self.reward, self.over, self.illegal, self.given = 0, False, False, (0, 0)

    def play(self, action: int) -> None:
        before, move = self.position, self.book.choices[action]
        judged = {judged.move: judged for judged in self.solution.evaluate_moves(before)}
        self.illegal = bool(judged) and move not in judged
        if self.illegal:
            self.reward, self.over, self.given = -1, True, (self.solution.worth(before).points + 1, 0)
            return
        self.given = (judged[move].regret, judged[move].delay) if judged else (0, 0)
        self.position = settled(self.book, self.book.after(before, move)) if judged else before
        outcome = self.book.outcome(self.position)
        self.over = outcome is not None
        self.reward = 0 if outcome is None else 1 if outcome.winner == before.turn else -1

    @property
    def seen(self) -> list[int]:
        row: list[int] = self.observer.row(self.position, self.position.turn).tolist()
        return row

    def mask(self, moves: tuple[str, ...]) -> list[int]:
        """Return which actions are among these moves; all if there is no move, or after an illegal action."""
        return [int(move in moves or self.over or not moves) for move in self.book.choices]

    @property
    def best(self) -> list[int]:
        best = () if self.over else self.solution.best(self.position)
        return [int(move in best) for move in self.book.choices]

    @property
    def truth(self) -> tuple[int, int]:
        """Return the value and the distance."""
        worth = self.solution.worth(self.position)
        return (-1, 0) if self.illegal else (worth.points, -1 if worth.plies is None else worth.plies)


def assert_goes_as_the_engine_plays_it(book: nl.Book, games: int = 4, steps: int = 20) -> None:
    """Reference for self-play."""
    rng = np.random.default_rng(2)
    envs = VectorEnv(games, book, opponent="self", oracle=True)
    shadows = [OneGame(book) for _ in range(games)]
    (observations, infos), rewards, over = envs.reset(seed=1), np.zeros(games, np.float32), np.zeros(games, np.bool_)
    for step in range(steps):
        if any(book.moves(shadow.position)[:1] in [(move,) for move in FORCED_MOVES] for shadow in shadows):
            return  # no player can ever move again, and the player to move at the limit does not matter
        assert observations["observation"].tolist() == [shadow.seen for shadow in shadows]
        assert observations["action_mask"].tolist() == [shadow.mask(book.moves(shadow.position)) for shadow in shadows]
        assert (rewards.tolist(), over.tolist()) == tuple(
            [getattr(shadow, field) for shadow in shadows] for field in ("reward", "over")
        )
        assert infos["best_actions"].tolist() == [shadow.best for shadow in shadows]
        assert list(zip(infos["value"], infos["distance"], strict=True)) == [shadow.truth for shadow in shadows]
        if step:
            assert list(zip(infos["regret"], infos["delay"], strict=True)) == [shadow.given for shadow in shadows]
        actions = mostly_legal_actions(observations, rng)
        observations, rewards, over, _, infos = envs.step(actions)
        for shadow, action in zip(shadows, actions.tolist(), strict=True):
            shadow.begin() if shadow.over else shadow.play(action)


def assert_goes_as_single_environments(book: nl.Book, games: int = 3, steps: int = 20, **seating: int) -> None:
    """Reference for an agent in one seat."""
    rng = np.random.default_rng(2)
    options: dict[str, Any] = {"opponent": "greedy", "oracle": True, "max_plies": 30, **seating}
    many, single = VectorEnv(games, book, **options), SyncVectorEnv([lambda: BookEnv(book, **options)] * games)
    ours: Any = many.reset(seed=1)
    theirs: Any = single.reset(seed=1)
    for _ in range(steps):
        assert ours[0]["action_mask"].tolist() == theirs[0]["action_mask"].tolist()
        assert [part.tolist() for part in ours[1:-1]] == [part.tolist() for part in theirs[1:-1]]
        # If the opponents leave the agent no choice forever, the two may stop some lost turns apart.
        same = ~ours[3] if len(ours) > 2 else np.ones(games, np.bool_)
        assert ours[0]["observation"][same].tolist() == theirs[0]["observation"][same].tolist()
        found, infos = ours[-1], theirs[-1]
        for key in ("value", "distance", "best_actions"):
            assert found[key][same].tolist() == infos[key][same].tolist()
        if len(ours) > 2:
            for key in ("regret", "delay"):
                assert found[key].tolist() == infos[key].tolist()
            assert found["illegal"].tolist() == [bool(why) for why in infos["illegal"]]
        actions = mostly_legal_actions(ours[0], rng)
        ours, theirs = many.step(actions), single.step(actions)


@pytest.mark.parametrize("variant", [*EVERY, *LARGER])
def test_self_play_agrees_with_the_engine(variant: str) -> None:
    assert_goes_as_the_engine_plays_it(nl.book(variant))


@pytest.mark.parametrize("variant", EVERY)
def test_games_against_bots_agree_with_single_env(variant: str) -> None:
    book = nl.book(variant)
    assert_goes_as_single_environments(book, seat=book.rules.players)


def assert_any_mixture_goes_as_it_should(text: str) -> None:
    book = book_of(text)
    assert_goes_as_the_engine_plays_it(book, games=2, steps=12)
    for seat in {1, book.rules.players}:
        assert_goes_as_single_environments(book, games=2, steps=12, seat=seat, first=2)


@settings(max_examples=60)
@given(mixtures())
@example("number-line-sprint(end=4, tokens=2, overshoot=counts)")
@example("number-reach(target=2, operations=+2, players=3, overshoot=refused, stuck=loses)")  # over before it begins
@example("line-runner(tokens=3, players=4, end=3, overshoot=loses, meeting=blocks, stuck=loses, steps=2-3)")
def test_any_rule_mixture_agrees_with_single_env(text: str) -> None:
    assert_any_mixture_goes_as_it_should(text)


@pytest.mark.soak
@settings(max_examples=600)
@given(mixtures())
def test_many_rule_mixtures_agree_with_single_env(text: str) -> None:
    assert_any_mixture_goes_as_it_should(text)


@pytest.mark.parametrize(
    ("bot", "error"), [("random", 0), ("greedy", 0), ("slip:30", 0), ("level:4", 1 / MAX_OUTCOMES), ("perfect", 0)]
)
@pytest.mark.parametrize("variant", nl.NAMES)
def test_reply_table_reproduces_bot_probabilities(bot: str, error: float, variant: str) -> None:
    flow = flow_of(variant)
    arrays = flow.arrays
    player = make_bot(bot, arrays.book, dice(1))
    asked = arrays.live & flow.has_choice[:-1]
    replies = make_reply_table(player, arrays, asked)
    for row in np.flatnonzero(asked)[::5].tolist():
        likely = player.probabilities(arrays.position(row))
        assert likely is not None
        shares = np.bincount(replies.moves[replies.policy_index[row]], minlength=arrays.choices) / replies.outcomes
        assert {arrays.moves[n]: share for n, share in enumerate(shares) if share} == pytest.approx(
            {move: float(chance) for move, chance in likely.items()}, abs=max(error, 1e-9)
        )


def test_win_rate_against_random_agrees_with_single_env() -> None:
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


def test_three_players_move_within_a_step() -> None:
    envs = VectorEnv(500, "line-runner(players=3, end=6)", opponent="random", seat="alternate")
    observations, _ = envs.reset(seed=1)
    assert set(observations["observation"][:, 0].tolist()) == {1, 2, 3}
    rng, ends = np.random.default_rng(1), 0
    for _ in range(50):
        actions = legal_actions(observations, rng)
        observations, rewards, over, truncations, infos = envs.step(actions)
        assert not infos["illegal"].any()
        assert observations["action_mask"].any(axis=1).all()
        assert not truncations.any()
        ends += int(over.sum())
        assert ((rewards != 0) == over).all()
    assert ends > 1000


def test_vector_oracle_evaluates_no_single_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked for one position")

    monkeypatch.setattr(Solution, "evaluate_moves", refuse)
    monkeypatch.setattr(Solution, "worth", refuse)
    _, infos = VectorEnv(3, "line-runner(end=17)", opponent="self", oracle=True).reset(seed=1)
    assert infos["value"].tolist() == [1, 1, 1]


def test_make_vec_returns_vector_env() -> None:
    envs = gymnasium.make_vec("numberline/FlagChase-v0", num_envs=7, opponent="perfect")
    assert isinstance(envs, VectorEnv)
    assert envs.num_envs == 7
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    assert infos["action_mask"].tolist() == observations["action_mask"].tolist()
    envs = gymnasium.make_vec("numberline/Book-v0", num_envs=2, book="line-runner(end=30)", opponent="self")
    assert envs.action_space.contains(envs.reset(seed=1)[0]["action_mask"].argmax(axis=1))


@pytest.mark.parametrize("mode", AutoresetMode)
def test_make_vec_passes_autoreset_mode(mode: AutoresetMode) -> None:
    envs = gymnasium.make_vec("numberline/FlagChase-v0", num_envs=2, autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] is mode
    assert VectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


def test_vector_spaces_equal_single_env_spaces() -> None:
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


def test_ended_game_is_reset_by_next_step() -> None:
    envs = VectorEnv(1, "flag-chase", opponent="self")
    envs.reset(seed=1)
    for action in (2, 2, 1):
        _, rewards, over, _, _ = envs.step(np.array([action]))
    assert (rewards.tolist(), over.tolist()) == ([1.0], [True])
    observations, rewards, over, _, infos = envs.step(np.array([2]))
    assert (observations["observation"].tolist(), rewards.tolist(), over.tolist()) == ([[1, 0, 10]], [0.0], [False])
    assert infos["illegal"].tolist() == [False]


def test_games_are_truncated_at_ply_limit_and_reset() -> None:
    envs = VectorEnv(2, "number-line-sprint", opponent="self", max_plies=4)
    envs.reset(seed=1)
    ends = []
    for step in range(12):
        result = envs.step(np.array([0, 0] if step % 5 % 2 == 0 else [2, 2]))  # away from each other, in turns
        ends.append(result[3].tolist())
    assert ends == [[step % 5 == 3] * 2 for step in range(12)]


def test_game_without_any_moves_left_is_truncated() -> None:
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


def test_illegal_action_raises_and_changes_nothing() -> None:
    envs = VectorEnv(3, "number-line-sprint", opponent="self", illegal="raise")
    envs.reset(seed=1)
    envs.step(np.array([0, 3, 3]))
    with pytest.raises(nl.IllegalMove, match="game 1: R2 is not legal"):
        envs.step(np.array([2, 3, 0]))
    observations, *_ = envs.step(np.array([2, 0, 0]))
    assert observations["observation"].tolist() == [[1, 5, 7], [1, 8, 5], [1, 8, 5]]


@pytest.mark.parametrize("actions", [[0, 1, 3], [0, -1, 1], [0, 1], [[0, 1, 1]]])
def test_unknown_actions_are_rejected(actions: Any) -> None:
    envs = VectorEnv(3, "flag-chase")
    envs.reset(seed=1)
    with pytest.raises(EnvError):
        envs.step(np.array(actions))


def test_bot_without_policy_cannot_be_vectorized() -> None:
    with pytest.raises(EnvError, match="mcts has no fixed policy and can't be vectorized"):
        VectorEnv(3, "flag-chase", opponent="mcts")


def test_variant_too_large_for_memory_is_rejected_early() -> None:
    with pytest.raises(
        TooManyPositions, match=r"the transition table of line-runner\(end=9000\) would need .* GiB of memory"
    ):
        VectorEnv(1, "line-runner(end=9000)", opponent="self")


@pytest.mark.parametrize("bot", ["random", "level:1", "level:4", "level:9", "perfect", "slip:30", "sight:3"])
@pytest.mark.parametrize("variant", EVERY)
def test_policy_agrees_with_probabilities(bot: str, variant: str) -> None:
    arrays = flow_of(variant).arrays
    player = make_bot(bot, arrays.book, dice(1))
    weights = player.policy(arrays)
    assert weights is not None
    rows = np.flatnonzero(arrays.live & arrays.legal[:, : arrays.choices].any(axis=1))
    for row in rows[:: max(1, len(rows) // 30)].tolist():
        total = int(weights[row].sum())
        odds = {move: Fraction(int(w), total) for move, w in zip(arrays.moves, weights[row], strict=False) if w}
        assert odds == player.probabilities(arrays.position(row))


MODES = ("NextStep", "SameStep", "Disabled")
SEATINGS: tuple[dict[str, Any], ...] = ({"opponent": "self"}, {"opponent": "greedy", "seat": 2})


def equal(ours: Any, theirs: Any, games: Any = slice(None)) -> bool:
    """Return whether both have the same infos in these games."""
    return all(
        np.asarray(one)[games].tolist() == np.asarray(other)[games].tolist()
        for one, other in [*((ours[0][key], theirs[0][key]) for key in ours[0]), *zip(ours[1:-1], theirs[1:-1])]  # noqa: B905 - as many
    )


def same_infos(found: Any, infos: Any, games: Any = slice(None)) -> bool:
    keys = ("action_mask", "value", "distance", "best_actions", "regret", "delay")
    alike = all(found[key][games].tolist() == infos[key][games].tolist() for key in keys)
    return alike and found["illegal"][games].tolist() == [bool(why) for why in infos["illegal"][games]]


@pytest.mark.parametrize("seating", SEATINGS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "variant", ["flag-chase", "number-line-sprint", "line-runner(end=9, repeat=banned)", "number-reach(players=3)"]
)
def test_autoreset_modes_agree_with_single_env(variant: str, mode: str, seating: dict[str, Any]) -> None:
    games, options = 5, {"oracle": True, "max_plies": 12, **seating}
    many = VectorEnv(games, variant, autoreset_mode=mode, **options)
    single = SyncVectorEnv([lambda: BookEnv(variant, **options)] * games, autoreset_mode=mode)
    assert many.metadata["autoreset_mode"] is single.metadata["autoreset_mode"]
    rng, ends = np.random.default_rng(3), 0
    ours: Any = many.reset(seed=1)
    theirs: Any = single.reset(seed=1)
    for _ in range(40):
        assert equal(ours, theirs)
        ended = ours[2] | ours[3] if len(ours) > 2 else np.zeros(games, np.bool_)
        assert same_infos(ours[-1], theirs[-1])
        if mode == "SameStep" and ended.any():
            for game in np.flatnonzero(ended):
                last, other = ours[-1]["final_obs"][game], theirs[-1]["final_obs"][game]
                assert {key: last[key].tolist() for key in last} == {key: other[key].tolist() for key in other}
            assert ours[-1]["_final_obs"].tolist() == theirs[-1]["_final_obs"].tolist() == ended.tolist()
            assert same_infos(ours[-1]["final_info"], theirs[-1]["final_info"], ended)
        if mode == "Disabled" and ended.any():
            ours = many.reset(options={"reset_mask": ended})
            theirs = single.reset(options={"reset_mask": ended})
            assert equal(ours, theirs)
        ends += int(ended.sum())
        actions = mostly_legal_actions(ours[0], rng)
        ours, theirs = many.step(actions), single.step(actions)
    assert ends > 10


def test_reset_mask_resets_only_masked_games() -> None:
    envs = VectorEnv(3, "line-runner", opponent="self")
    envs.reset(seed=1)
    envs.step(np.array([0, 1, 2]))
    observations, _ = envs.reset(options={"reset_mask": np.array([False, True, False])})
    assert observations["observation"].tolist() == [[2, 0, 1], [1, 0, 0], [2, 0, 3]]
    observations, *_ = envs.step(np.array([0, 0, 0]))
    assert observations["observation"].tolist() == [[1, 1, 0], [2, 0, 1], [1, 3, 1]]


def test_ended_game_without_reset_is_rejected() -> None:
    envs = VectorEnv(2, "flag-chase", opponent="self", autoreset_mode="Disabled")
    envs.reset(seed=1)
    for actions in ([2, 0], [2, 0], [1, 0]):
        envs.step(np.array(actions))
    with pytest.raises(EnvError, match="game 0 has ended: call reset"):
        envs.step(np.array([0, 0]))


@pytest.mark.parametrize("mask", [[True, False], np.array([1, 0, 0]), np.zeros(3, np.bool_)])
def test_invalid_reset_mask_is_rejected(mask: Any) -> None:
    with pytest.raises(EnvError, match=r"reset_mask: expected a boolean array of shape \(3,\)"):
        VectorEnv(3, "flag-chase").reset(options={"reset_mask": mask})


@pytest.mark.parametrize("seeds", [[1, 2, 3], [7, None, 7]])
def test_list_of_seeds_reproduces_every_game(seeds: list[int | None]) -> None:
    def trace(chosen: list[int | None]) -> list[Any]:
        envs = VectorEnv(3, "line-runner", opponent="random")
        envs.reset(seed=chosen)
        return [envs.step(envs.sample())[0]["observation"].tolist() for _ in range(30)]

    assert trace(seeds) == trace(seeds) != trace([5, 6, 7])


@pytest.mark.parametrize("seeds", [[1, 2], [1, 2, -3]])
def test_invalid_seeds_are_rejected(seeds: list[int]) -> None:
    with pytest.raises(EnvError):
        VectorEnv(3, "flag-chase").reset(seed=seeds)


@pytest.mark.parametrize("variant", EVERY)
def test_sampled_actions_are_legal(variant: str) -> None:
    envs = VectorEnv(50, variant, opponent="self", illegal="raise")
    observations, _ = envs.reset(seed=1)
    for _ in range(20):
        actions = envs.sample()
        assert observations["action_mask"][np.arange(50), actions].all()
        observations, *_ = envs.step(actions)


def test_legal_actions_are_sampled_uniformly() -> None:
    envs = VectorEnv(30_000, "reach-the-edge", opponent="self")
    envs.reset(seed=1)
    observations, *_ = envs.step(np.full(30_000, 1))
    assert observations["action_mask"][0].tolist() == [1, 0, 1]
    drawn = np.bincount(envs.sample(), minlength=3) / 30_000
    assert drawn == pytest.approx([0.5, 0, 0.5], abs=0.02)
    envs.reset(seed=2)
    assert np.bincount(envs.sample(), minlength=3) / 30_000 == pytest.approx([1 / 3] * 3, abs=0.02)


def test_mask_always_has_a_legal_action() -> None:
    envs = VectorEnv(200, "number-line-sprint(stuck=passes, steps=2)", opponent="random", max_plies=9, illegal="raise")
    observations, _ = envs.reset(seed=1)
    ends = 0
    for _ in range(60):
        assert observations["action_mask"].any(axis=1).all()
        observations, _, over, broken, _ = envs.step(envs.sample())
        assert observations["action_mask"][over].all()
        ends += int(over.sum() + broken.sum())
    assert ends > 100


@pytest.mark.parametrize("opponent", ["self", "random", "level:3"])
def test_lazily_filled_table_is_the_same(opponent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def trace() -> list[Any]:
        envs = VectorEnv(20, "line-runner(end=12)", opponent=opponent, seat="alternate", oracle=True)
        steps = [envs.reset(seed=4)]
        steps += [envs.step(envs.sample()) for _ in range(60)]  # type: ignore[misc]  # of another length
        return [[each[0]["observation"].tolist(), *(value.tolist() for value in each[-1].values())] for each in steps]

    at_once = trace()
    monkeypatch.setattr(transition_table, "MAX_EAGER_ROWS", 0)
    assert trace() == at_once


@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.parametrize("opponent", ["self", "random", "perfect"])
def test_vector_env_can_be_pickled_and_copied(opponent: str, mode: str) -> None:
    envs = VectorEnv(30, "line-runner(end=12)", opponent=opponent, oracle=True, autoreset_mode=mode)
    envs.reset(seed=1)
    for _ in range(7):
        envs.step(envs.sample())
    twins = [envs, pickle.loads(pickle.dumps(envs)), copy.deepcopy(envs)]  # noqa: S301 - our own
    for _ in range(20):
        actions = [twin.sample() for twin in twins]
        results = [twin.step(action) for twin, action in zip(twins, actions, strict=True)]
        assert all(equal(results[0], other) for other in results[1:])
    assert twins[2]._table is envs._table


def test_replies_too_large_for_memory_are_rejected_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transition_table, "DEFAULT_MEMORY_BYTES", 30 << 20)

    def refuse(*_: object) -> None:
        raise AssertionError("worked out in vain")

    monkeypatch.setattr(transition_table, "make_reply_table", refuse)
    with pytest.raises(TooManyPositions, match=r"the transition table of line-runner\(end=60\) would need"):
        VectorEnv(10, "line-runner(end=60)", opponent="level:5")


def test_ply_limit_that_stops_every_waiting_game_is_no_error() -> None:
    env = VectorEnv(4, "number-line-sprint(end=3)", opponent="random", max_plies=1)
    env.reset(seed=1)
    for _ in range(50):
        env.step(env.sample())
