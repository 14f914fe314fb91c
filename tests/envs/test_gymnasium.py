"""Gymnasium environments for one agent."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import numberline as nl
import numberline.envs
from numberline.bots import Bot, Forfeit, make_bot
from numberline.envs import TextEnv, env_id
from numberline.envs.gymnasium import BookEnv
from numberline.envs.observation import ObservationEncoder, render_image
from numberline.envs.validation import EnvError
from numberline.game.moves import FORCED_MOVES
from support.variants import EVERY

ENVS = Path(numberline.envs.__file__).parent


def dice(seed: int) -> Random:
    """Return a random generator with a fixed seed."""
    return Random(seed)


def played(env: BookEnv, rng: Random, games: int = 2) -> Iterator[tuple[int, Any]]:
    """Yield each action of some random games with its result; a reset counts as action -1."""
    for _ in range(games):
        observation, info = env.reset()
        yield -1, (observation, 0.0, False, False, info)
        over = False
        while not over:
            action = rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
            result = env.step(action)
            yield action, result
            observation, over = result[0], result[2] or result[3]


class Shadow:
    """Reference game that uses only the engine, with `greedy` in the other seats."""

    def __init__(self, book: nl.Book, seat: int) -> None:
        self.book, self.seat = book, seat
        self.bot = make_bot("greedy", book, dice(1))
        self.position = book.start()
        self.plies = 0
        self._go_on()

    def play(self, move: str) -> None:
        self.position = self.book.after(self.position, move)
        self.plies += 1
        self._go_on()

    def _go_on(self) -> None:
        far = self.plies + 1000
        while (legal := self.book.moves(self.position)) and self.plies < far:
            if legal[0] in FORCED_MOVES:
                move: str = legal[0]
            elif self.position.turn == self.seat:
                return
            else:
                move = self.bot.choose(self.position)
            self.position = self.book.after(self.position, move)
            self.plies += 1

    @property
    def legal(self) -> tuple[str, ...]:
        """Return the legal actions; all of them if the agent has no choice."""
        legal = self.book.moves(self.position) if self.position.turn == self.seat else ()
        return legal if legal and legal[0] not in FORCED_MOVES else self.book.choices

    @property
    def asked(self) -> bool:
        return self.position.turn == self.seat and bool(self.book.moves(self.position))

    @property
    def mask(self) -> list[int]:
        return [int(text in self.legal) for text in self.book.choices]


@pytest.mark.parametrize("name", nl.NAMES)
@pytest.mark.parametrize(
    "options", [{}, {"seat": "alternate", "oracle": True, "opponent": "perfect"}, {"seat": 2, "opponent": "level:4"}]
)
def test_gymnasium_checker_reports_nothing(name: str, options: dict[str, Any]) -> None:
    check_env(gymnasium.make(env_id(name), **options).unwrapped)


@pytest.mark.parametrize("variant", EVERY)
def test_any_variant_passes_gymnasium_checker(variant: str) -> None:
    check_env(gymnasium.make("numberline/Book-v0", book=variant, oracle=True).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("variant", EVERY)
def test_games_agree_with_the_engine(variant: str) -> None:
    book, rng = nl.book(variant), dice(7)
    for seat in range(1, book.rules.players + 1):
        env = BookEnv(book, opponent="greedy", seat=seat)
        for action, (observation, reward, terminated, truncated, info) in played(env, rng):
            if action < 0:
                shadow = Shadow(book, seat)
            elif shadow.asked:
                shadow.play(book.choices[action])
            outcome = book.outcome(shadow.position)
            assert observation["observation"].tolist() == ObservationEncoder(book).row(shadow.position, seat).tolist()
            assert observation["action_mask"].tolist() == info["action_mask"].tolist() == shadow.mask
            if action >= 0:
                assert terminated == (outcome is not None)
                assert truncated == (outcome is None and shadow.plies >= 1000)
                assert reward == (0 if outcome is None else 1 if outcome.winner == seat else -1)


def test_make_accepts_ids_with_package_prefix() -> None:
    env = gymnasium.make("numberline.envs:numberline/LineRunner-v0", opponent="level:2")
    assert env.observation_space.contains(env.reset(seed=1)[0])
    gymnasium.register_envs(numberline.envs)


def test_custom_book_is_an_environment() -> None:
    env = BookEnv(Path(__file__).parents[2] / "docs" / "example-book.toml")
    assert env.reset(seed=1)[0]["action_mask"].any()


def test_action_masks_equal_the_observed_mask() -> None:
    env = BookEnv("flag-chase")
    observation, _ = env.reset(seed=1)
    assert env.action_masks().tolist() == observation["action_mask"].tolist() == [1, 1, 1]
    assert env.action_masks().dtype == np.int8


@pytest.mark.parametrize("oracle", [False, True])
def test_infos_always_have_the_same_keys(oracle: bool) -> None:  # noqa: FBT001 - pytest's way
    env = BookEnv("line-runner", oracle=oracle)
    keys = {tuple(info) for _, (*_, info) in played(env, dice(1), games=5)}
    env.reset(seed=1)
    assert keys == {tuple(env.step(7)[-1])}
    assert {"reason", "illegal", "forfeit"} < set(*keys)


@pytest.mark.parametrize("name", nl.NAMES)
def test_images_of_a_book_have_the_same_size(name: str) -> None:
    book = nl.book(name)
    sizes = {render_image(book, after).shape for at in nl.solve(book).live for _, after in book.successors(at)}
    assert len(sizes) == 1
    assert all(length % 2 == 0 for length in next(iter(sizes))[:2])  # what writes videos wants that


@pytest.mark.parametrize(
    "variant", ["line-runner(end=900)", "number-reach(target=5000)", "line-runner(end=43, tokens=2)"]
)
def test_images_of_a_long_line_have_the_same_size(variant: str) -> None:
    env = BookEnv(variant, opponent="greedy", render_mode="rgb_array")
    assert len({env.render().shape for _ in played(env, dice(2), games=2)}) == 1


def test_self_play_observes_mover_and_rewards_last_mover() -> None:
    env = BookEnv("flag-chase", opponent="self", oracle=True)
    observation, _ = env.reset(seed=1)
    seen, rewards = [observation["observation"].tolist()], []
    for action in (2, 2, 1):
        observation, reward, terminated, _, info = env.step(action)
        seen.append(observation["observation"].tolist())
        rewards.append(reward)
    assert seen == [[1, 0, 10], [2, 10, 3], [1, 3, 7], [2, 7, 5]]
    assert (rewards, terminated, info["reason"]) == ([0.0, 0.0, 1.0], True, "Player 1 reached 5.")
    env.reset()
    assert [env.step(action)[1] for action in (2, 1, 7)] == [0.0, 0.0, -1.0]


@pytest.mark.parametrize("action", [2, np.int8(2), np.uint64(2), np.array(2), True + 1])
def test_actions_accept_all_integer_types(action: Any) -> None:
    env = BookEnv("flag-chase", opponent="greedy")
    env.reset(seed=1)
    assert env.step(action)[0]["observation"].tolist() == [1, 3, 7]


def test_lost_turn_is_played_automatically() -> None:
    """With `steps=2` the reply is always banned, so that only one player ever moves."""
    env = BookEnv("reach-the-edge(steps=2)", seat=1)
    env.reset(seed=1)
    observation, reward, terminated, _, _ = env.step(0)
    assert (observation["observation"].tolist(), reward, terminated) == ([1, 6, 0], 0.0, False)
    for _ in range(3):
        observation, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["reason"]) == (1.0, True, "Player 1 reached 0.")


def test_illegal_action_loses_with_reason_in_info() -> None:
    env = BookEnv("reach-the-edge", opponent="greedy", oracle=True)
    env.reset(seed=1)
    env.step(2)
    observation, reward, terminated, truncated, info = env.step(1)
    assert observation["observation"].tolist() == [1, 7, 2]
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal"] == "2 is not allowed here: Player 2 just did. You can play 1 or 3."
    assert info["action_mask"].all()
    assert not info["best_actions"].any()
    assert (info["value"], info["distance"], info["regret"], info["delay"]) == (-1, 0, 2, 0)


@pytest.mark.parametrize("action", [-1, 3, 99])
def test_unknown_action_is_illegal(action: int) -> None:
    env = BookEnv("flag-chase")
    env.reset(seed=1)
    assert "is not a valid action" in env.step(action)[-1]["illegal"]


def test_illegal_action_raises_and_changes_nothing() -> None:
    env = BookEnv("flag-chase", illegal="raise", opponent="greedy")
    env.reset(seed=1)
    env.step(2)
    before = env.action_masks().tolist()
    with pytest.raises(nl.IllegalMove, match="3 is not allowed here: it would take you past the flag"):
        env.step(2)
    assert env.action_masks().tolist() == before


def test_game_is_truncated_exactly_at_ply_limit() -> None:
    env = BookEnv("number-line-sprint", opponent="random", max_plies=10)
    plies = 0
    for action, (_, reward, terminated, truncated, _) in played(env, dice(3), games=60):
        plies = 0 if action < 0 else plies + 2
        assert truncated == (plies >= 10 and not terminated)
        assert reward == 0 or terminated


def test_truncated_game_accepts_no_more_actions() -> None:
    env = BookEnv("line-runner", opponent="self", max_plies=2)
    env.reset(seed=1)
    assert [env.step(0)[3] for _ in range(2)] == [False, True]
    position = env.position
    assert env.step(0)[1:4] == (0.0, False, True)
    assert env.position == position


def test_game_without_any_moves_left_is_truncated() -> None:
    env = BookEnv("line-runner(meeting=blocks, overshoot=refused, steps=2, end=3)", max_plies=50)
    env.reset(seed=1)
    results = [env.step(0)[2:4] for _ in range(3)]
    assert (False, True) in results


class Quitter(Bot):
    """A bot that forfeits, and records its calls."""

    def __init__(self, book: nl.Book) -> None:
        super().__init__("quitter", book, dice(1))
        self.games = 0
        self.closed = False

    def new_game(self, seed: int) -> None:
        self.games += 1

    def choose(self, position: nl.Position) -> str:
        raise Forfeit(self.name, "has had enough")

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("variant", ["flag-chase", "number-reach(players=3)"])
def test_bot_that_forfeits_loses(variant: str) -> None:
    bot = Quitter(nl.book(variant))
    env = BookEnv(variant, opponent=bot)
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["reason"]) == (1.0, True, "quitter forfeits: it has had enough")
    env.reset()
    env.close()
    assert (bot.games, bot.closed) == (2, True)


class Says(Bot):
    """A bot that always chooses the same move."""

    def __init__(self, answer: str, book: nl.Book) -> None:
        super().__init__("parrot", book, dice(1))
        self.answer = answer

    def choose(self, position: nl.Position) -> str:
        return self.answer


def test_bot_that_forfeits_among_three_is_out() -> None:
    book = nl.book("number-reach(players=3)")
    env = BookEnv(book, opponent=Says("+9", book), first=3)
    _, info = env.reset(seed=1)
    assert info["action_mask"].any()
    observation, _, terminated, _, info = env.step(0)
    assert terminated
    assert observation["observation"].tolist()[-3:] == [0, 1, 1]
    assert info["forfeit"].startswith("parrot forfeits: it made no legal move: '+9' is not a move in this game")


def test_forfeit_is_the_same_in_text_env() -> None:
    book = nl.book("flag-chase")
    env, text = BookEnv(book, opponent=Says("9", book)), TextEnv(book, opponent=Says("9", book))
    env.reset(seed=1)
    *_, info = env.step(0)
    assert info["reason"] == info["forfeit"] == text.play(lambda _: "[1]").info["forfeit"]


def test_bot_moves_are_parsed_as_in_a_match() -> None:
    book = nl.book("number-line-sprint")
    env = BookEnv(book, opponent=Says(" r 2", book))
    env.reset(seed=1)
    assert env.step(0)[0]["observation"].tolist() == [1, 5, 8]


def test_alternating_seats_restart_with_a_seed() -> None:
    env = BookEnv("number-reach(players=3)", seat="alternate")
    seats = [env.reset(seed=seed)[0]["observation"][0] for seed in (1, None, None, None, 1)]
    assert seats == [1, 2, 3, 1, 1]


def test_seeds_reproduce_every_game() -> None:
    def trace() -> list[Any]:
        env = BookEnv("line-runner", opponent="level:3", seat="alternate")
        env.reset(seed=11)
        return [(a, r[0]["observation"].tolist(), *r[1:4]) for a, r in played(env, dice(5), games=20)]

    assert trace() == trace()


def test_oracle_has_value_distance_and_best_actions() -> None:
    env = BookEnv("flag-chase", opponent="perfect", oracle=True)
    _, info = env.reset(seed=1)
    assert (info["value"], info["distance"], info["best_actions"].tolist()) == (1, 3, [0, 1, 1])
    assert (info["regret"], info["delay"]) == (0, 0)
    *_, info = env.step(0)
    assert (info["value"], info["regret"], info["delay"]) == (-1, 2, 0)


def test_images_and_texts_show_the_position() -> None:
    env = BookEnv("line-runner(end=6)", opponent="greedy", render_mode="ansi")
    env.reset(seed=1)
    env.step(1)
    assert env.render() == "0 1 2(A) 3(B) 4 5 6\nIt is Player A's turn."
    env = BookEnv("line-runner(end=900)", render_mode="rgb_array")
    env.reset(seed=1)
    image = env.render()
    assert image.dtype == np.uint8
    assert image.shape[2] == 3
    assert len({tuple(colour) for colour in image.reshape(-1, 3)}) == 5
    env = BookEnv("flag-chase")
    env.reset(seed=1)
    assert env.render() is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seat": 3}, "seat=3: Flag Chase has seats 1 to 2 (or use 'alternate')"),
        ({"illegal": "shrug"}, "illegal='shrug': expected 'lose' (the game) or 'raise' (an error)"),
        ({"max_plies": 0}, "max_plies=0: expected a whole number from 1 to 1000000"),
    ],
)
def test_invalid_environment_is_rejected(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(EnvError) as refused:
        BookEnv("flag-chase", **options)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("framework", "ask", "extra"),
    [
        ("gymnasium", "numberline.envs.VectorEnv", "envs"),
        ("gymnasium", "numberline.envs.BookEnv", "envs"),
        ("pettingzoo", "__import__('numberline.envs.pettingzoo')", "envs"),
        ("pyspiel", "__import__('numberline.envs.openspiel')", "openspiel"),
    ],
)
def test_missing_framework_names_install_command(framework: str, ask: str, extra: str) -> None:
    program = f"""
import sys
sys.modules[{framework!r}] = None
import numberline.envs
from numberline.envs.text import TextEnv
assert TextEnv("flag-chase").reset()
try:
    {ask}
except numberline.envs.MissingExtra as missing:
    print(missing)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith(f'[{extra}]"\n')
    assert " is not installed; run: " in done.stdout


def test_each_framework_is_imported_in_one_file() -> None:
    where: dict[str, set[str]] = {}
    for path in ENVS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                where.setdefault(name.partition(".")[0], set()).add(path.name)
    assert where["gymnasium"] == {"gymnasium.py"}
    assert where["pettingzoo"] == {"pettingzoo.py"}
    assert where["pyspiel"] == where["open_spiel"] == {"openspiel.py"}
