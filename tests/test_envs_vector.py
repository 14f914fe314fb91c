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
from hypothesis import example, given, settings

import numberline as nl
from mixtures import book_of, mixtures
from numberline.bots import make_bot
from numberline.envs import VectorEnv
from numberline.envs.gymnasium import BookEnv
from numberline.envs.observation import Observer
from numberline.envs.seating import EnvError
from numberline.envs.steps import Flow, columns_of, replies_of
from numberline.rules.moves import FORCED
from numberline.solver.solution import Solution
from numberline.solver.store import solution_of
from numberline.solver.table import TooLarge
from variants import EVERY

LARGER = ("line-runner(end=60)", "number-line-sprint(end=60)", "reach-the-edge(end=900, repeat=free)")
"""Variants whose table is filled on columns."""


def dice(seed: int) -> Random:
    """Chance that comes out the same every time."""
    return Random(seed)


def legal_actions(observations: dict[str, Any], rng: np.random.Generator) -> Any:
    """Some legal action of each game; 0 where there is none."""
    mask = observations["action_mask"]
    return (rng.random(mask.shape) * mask).argmax(axis=1)


def mostly_legal_actions(observations: dict[str, Any], rng: np.random.Generator) -> Any:
    """The same, but one action in ten may be illegal."""
    actions = legal_actions(observations, rng)
    choices = observations["action_mask"].shape[1]
    return np.where(rng.random(len(actions)) < 0.1, rng.integers(choices, size=len(actions)), actions)


def settled(book: nl.Book, position: nl.Position) -> nl.Position:
    """The position once the turns that are lost there are played; at most a thousand of them."""
    for _ in range(1000):
        legal = book.moves(position)
        if not legal or legal[0] not in FORCED:
            break
        position = book.after(position, legal[0])
    return position


@cache
def flow_of(variant: str) -> Flow:
    return Flow(columns_of(nl.book(variant)), first=1, limit=1000)


class OneGame:
    """One game of many that an agent plays for all seats, by the engine's verbs and the solution alone."""

    def __init__(self, book: nl.Book) -> None:
        self.book, self.solution, self.observer = book, solution_of(book), Observer(book)
        self.begin()

    def begin(self) -> None:
        self.position = settled(self.book, self.book.start())
        self.reward, self.over, self.illegal, self.given = 0, False, False, (0, 0)

    def play(self, action: int) -> None:
        before, move = self.position, self.book.choices[action]
        judged = {judged.move: judged for judged in self.solution.judged(before)}
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
        """For each action, whether it is among these moves, while the game goes on."""
        return [int(move in moves and not self.over) for move in self.book.choices]

    @property
    def truth(self) -> tuple[int, int]:
        """Value and distance."""
        worth = self.solution.worth(self.position)
        return (-1, 0) if self.illegal else (worth.points, -1 if worth.plies is None else worth.plies)


def assert_goes_as_the_engine_plays_it(book: nl.Book, games: int = 4, steps: int = 20) -> None:
    """For an agent that plays for all seats."""
    rng = np.random.default_rng(2)
    envs = VectorEnv(games, book, opponent="self", oracle=True)
    shadows = [OneGame(book) for _ in range(games)]
    (observations, infos), rewards, over = envs.reset(seed=1), np.zeros(games, np.float32), np.zeros(games, np.bool_)
    for step in range(steps):
        if any(book.moves(shadow.position)[:1] in [(move,) for move in FORCED] for shadow in shadows):
            return  # nobody can ever move again, and whose turn it is when that is given up does not matter
        assert observations["observation"].tolist() == [shadow.seen for shadow in shadows]
        assert observations["action_mask"].tolist() == [shadow.mask(book.moves(shadow.position)) for shadow in shadows]
        assert (rewards.tolist(), over.tolist()) == tuple(
            [getattr(shadow, field) for shadow in shadows] for field in ("reward", "over")
        )
        best = [shadow.mask(shadow.solution.best(shadow.position)) for shadow in shadows]
        assert infos["best_actions"].tolist() == best
        assert list(zip(infos["value"], infos["distance"], strict=True)) == [shadow.truth for shadow in shadows]
        if step:
            assert list(zip(infos["regret"], infos["delay"], strict=True)) == [shadow.given for shadow in shadows]
        actions = mostly_legal_actions(observations, rng)
        observations, rewards, over, _, infos = envs.step(actions)
        for shadow, action in zip(shadows, actions.tolist(), strict=True):
            shadow.begin() if shadow.over else shadow.play(action)


def assert_goes_as_single_environments(book: nl.Book, games: int = 3, steps: int = 20, **seating: int) -> None:
    """For an agent in one seat."""
    rng = np.random.default_rng(2)
    options: dict[str, Any] = {"opponent": "greedy", "oracle": True, "max_plies": 30, **seating}
    many, single = VectorEnv(games, book, **options), SyncVectorEnv([lambda: BookEnv(book, **options)] * games)
    ours: Any = many.reset(seed=1)
    theirs: Any = single.reset(seed=1)
    for _ in range(steps):
        assert ours[0]["action_mask"].tolist() == theirs[0]["action_mask"].tolist()
        assert [part.tolist() for part in ours[1:-1]] == [part.tolist() for part in theirs[1:-1]]
        # Where the others leave the agent no choice for ever, the two may give up some lost turns apart.
        same = ours[0]["action_mask"].any(axis=1) | (ours[2] if len(ours) > 2 else False)
        assert ours[0]["observation"][same].tolist() == theirs[0]["observation"][same].tolist()
        told, infos = ours[-1], theirs[-1]
        for key in ("value", "distance", "best_actions"):
            assert told[key][same].tolist() == infos[key][same].tolist()
        if len(ours) > 2:
            acted = infos.get("_regret", np.zeros(games, np.bool_))
            for key in ("regret", "delay"):
                assert told[key].tolist() == np.where(acted, infos.get(key, 0), 0).tolist()
            refused = infos.get("_illegal", np.zeros(games, np.bool_))
            assert told.get("illegal", np.zeros(games, np.bool_)).tolist() == refused.tolist()
        actions = mostly_legal_actions(ours[0], rng)
        ours, theirs = many.step(actions), single.step(actions)


@pytest.mark.parametrize("variant", [*EVERY, *LARGER])
def test_games_against_oneself_go_as_the_engine_plays_them(variant: str) -> None:
    assert_goes_as_the_engine_plays_it(nl.book(variant))


@pytest.mark.parametrize("variant", EVERY)
def test_games_against_a_bot_go_as_in_single_environments(variant: str) -> None:
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
@example("line-runner(tokens=3, players=4, end=3, overshoot=loses, meeting=blocks, stuck=loses, steps=2-3)")
def test_any_mixture_of_rules_goes_as_it_should(text: str) -> None:
    assert_any_mixture_goes_as_it_should(text)


@pytest.mark.soak
@settings(max_examples=600)
@given(mixtures())
def test_many_mixtures_of_rules_go_as_they_should(text: str) -> None:
    assert_any_mixture_goes_as_it_should(text)


@pytest.mark.parametrize("bot", ["random", "greedy", "level:4", "perfect"])
@pytest.mark.parametrize("variant", nl.NAMES)
def test_a_throw_makes_each_reply_exactly_as_likely_as_it_is(bot: str, variant: str) -> None:
    flow = flow_of(variant)
    columns = flow.columns
    player = make_bot(bot, columns.book, dice(1))
    replies = replies_of(player, flow, (1, 2))
    for row in np.flatnonzero(columns.live & flow.choice[:-1])[::5].tolist():
        likely = player.odds(columns.position(row))
        assert likely is not None
        shares = np.bincount(replies[row], minlength=columns.choices) / replies.shape[1]
        assert {columns.moves[n]: share for n, share in enumerate(shares) if share} == pytest.approx(
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


def test_the_truth_of_many_games_is_not_worked_out_position_by_position(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked for one position")

    monkeypatch.setattr(Solution, "judged", refuse)
    monkeypatch.setattr(Solution, "worth", refuse)
    _, infos = VectorEnv(3, "line-runner(end=17)", opponent="self", oracle=True).reset(seed=1)
    assert infos["value"].tolist() == [1, 1, 1]


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
def test_actions_that_do_not_exist_are_refused(actions: Any) -> None:
    envs = VectorEnv(3, "flag-chase")
    envs.reset(seed=1)
    with pytest.raises(EnvError):
        envs.step(np.array(actions))


def test_a_bot_that_thinks_anew_on_every_move_cannot_play_many_games() -> None:
    with pytest.raises(EnvError, match="mcts thinks anew on every move"):
        VectorEnv(3, "flag-chase", opponent="mcts")


def test_a_variant_that_would_not_fit_into_memory_is_refused_before_it_is_made() -> None:
    with pytest.raises(TooLarge, match=r"many games of line-runner\(end=9000\) at once would need .* GiB of memory"):
        VectorEnv(1, "line-runner(end=9000)", opponent="self")
