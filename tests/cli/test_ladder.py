"""`numberline ladder`: lists of steps, and games that start from one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import numberline as nl
from cli.test_imports import CODE, loaded_modules, within
from numberline.explain.rule_words import key_rule
from numberline.explain.rules_text import describe_key_rules
from numberline.game.loader import builtin_text
from numberline.progress.document import Game
from numberline.progress.events import GameFinished
from numberline.progress.ladder import LadderStep, next_step, stored_ladder, stored_steps
from numberline.terminal.progress import record_event
from numberline.terminal.series import (
    HARDER,
    SeriesOptions,
    make_participants,
)
from support.commands import numberline, numberline_anew


def test_list_without_a_book_has_every_step_of_the_five() -> None:
    ran = numberline("ladder")
    assert (ran.code, ran.err) == (0, "")
    for name in nl.NAMES:
        assert all(f" {step.title.partition(': ')[2]} (" in ran.out for step in stored_ladder(nl.book(name)))
    assert ran.out.endswith("\nPlay a step with: numberline ladder reach-the-edge 1\n")


def test_json_has_all_fields_of_a_step() -> None:
    report = json.loads(numberline("ladder", "flag", "--json").out)
    assert report == {
        "book": "flag-chase",
        "steps": [{**step._asdict(), "stars": 0} for step in stored_ladder(nl.book("flag-chase"))],
    }
    assert [each["book"] for each in json.loads(numberline("ladder", "--json").out)] == list(nl.NAMES)


@pytest.mark.parametrize("number", [1, 2])
def test_step_is_played_like_any_other_game(number: int) -> None:
    step = stored_ladder(nl.book("number-reach"))[number - 1]
    out = numberline("ladder", "number-reach", str(number), typed="resign\n").out
    game = numberline("play", step.variant, "--vs", step.character, "--first", str(step.first), typed="resign\n").out
    assert out.startswith(f"{step.heading}\n{step.new} ")
    assert ("You start." in out) == (step.side == "first")
    assert game.partition("turn.")[0] in out


@pytest.mark.parametrize("number", ["0", "13"])
def test_unknown_step_is_an_error(number: str) -> None:
    ran = numberline("ladder", "flag-chase", number)
    assert ran.code == 2
    assert "expected a step from 1 to 1" in ran.err


def test_three_players_are_an_error() -> None:
    ran = numberline("ladder", "number-reach(players=3)")
    assert (ran.code, ran.out) == (1, "")
    assert "ladders need two players" in ran.err


def test_huge_book_is_rejected_at_once() -> None:
    ran = numberline("ladder", "line-runner(end=1000000000)")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "Error: no ladder found for line-runner(end=1000000000): it is too large\n"


def test_own_book_gets_a_ladder_that_can_be_played(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(builtin_text("number-reach"))
    out = numberline_anew("ladder", f"{file}(target=12)").out
    assert f"'{file}(target=12)' 1\n" in out
    out = numberline_anew("ladder", f"{file}(target=12)", "2").out
    assert out.startswith("Number Reach, step 2: ")
    assert "Target Number: " in out


def test_menu_offers_the_first_step_of_each_book() -> None:
    out = numberline(typed="ladder\nflag\nquit\n").out
    first = stored_ladder(nl.book("flag-chase"))[0]
    assert f"4. Flag Chase: step 1 of 12, {first.short_title}\n" in out
    assert f"\n{first.heading}\n{first.new} " in out


def test_menu_and_list_know_the_steps_already_won() -> None:
    won = GameFinished(Game(variant="flag-chase", won=True), bot="easy", step="flag-chase-1", mistakes=1)
    record_event(won)
    out = numberline(typed="ladder\nquit\n").out
    assert "4. Flag Chase: step 2 of 12, no copying, 2 stars so far\n" in out
    listed = numberline("ladder", "flag-chase").out
    assert " ★★☆\n" in listed
    assert listed.endswith(" numberline ladder flag-chase 2\n")


def test_after_a_step_comes_the_next_one_of_its_book() -> None:
    for name in nl.NAMES:
        steps = stored_ladder(nl.book(name))
        assert [next_step(step.id) for step in steps] == [*steps[1:], None]
    assert next_step("own-1") is None


def test_next_step_keeps_the_person_and_brings_its_own_opponent() -> None:
    one, two = stored_ladder(nl.book("flag-chase"))[:2]
    participants = make_participants(nl.book(one.variant), [None, one.character], ["Ada"])
    options = SeriesOptions(book=nl.book(one.variant), participants=participants, step=one.id)
    after = options.for_step(two)
    assert (after.book, after.step, after.first) == (nl.book(two.variant), two.id, two.first)
    assert [(each.name, each.bot) for each in after.participants] == [("Ada", None), ("Rabbit", "easy")]


@pytest.mark.parametrize("step", stored_steps().values(), ids=lambda step: step.id)
def test_key_rule_of_a_step_is_said_once(step: LadderStep) -> None:
    game = nl.book(step.variant)
    said = f"{step.new} {describe_key_rules(game, known=step.new)}".lower()
    assert said.count(key_rule(game).lower().rstrip(".")) == 1
    assert said.count(step.new.lower().removeprefix("new: ").rstrip(".")) == 1


def test_step_is_repeated_and_has_no_other_opponent() -> None:
    step = stored_ladder(nl.book("flag-chase"))[0]
    participants = make_participants(nl.book(step.variant), [None, step.character], ["Ada"])
    options = SeriesOptions(book=nl.book(step.variant), participants=participants, step=step.id)
    assert options.rematch("again").step == step.id
    assert options.other_bot(HARDER) == ""
    assert replace(options, step="").other_bot(HARDER)


def test_listing_a_stored_ladder_loads_no_numpy(tmp_path: Path) -> None:
    assert within(loaded_modules(CODE, ["ladder", "flag-chase"], tmp_path), ("numpy", "numba", "numberline.lab")) == []
