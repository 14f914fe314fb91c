"""Calibrate the opponents of the books and of their ladders, and write the calibrations and docs/opponents.md.

With `--print`, print the page and write nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Any

import numberline as nl
from numberline.bots.bot import make_bot
from numberline.bots.levels import MAX_LEVEL, VERSION, Calibration, calibrate, stored_calibrations
from numberline.characters import CHARACTERS, NAMED
from numberline.game.loader import BUILTIN_DIR
from numberline.lab.ladder import person_scores
from numberline.lab.measure import DEFAULT_SKILL, measure_many
from numberline.lab.metrics import format_figure
from numberline.progress.ladder import stored_ladder
from numberline.solver.policy_scores import PolicyScores

PAGE = Path(__file__).parents[1] / "docs" / "opponents.md"
DATA = BUILTIN_DIR / "levels" / "calibrations.toml"
BROUGHT = {"random": "random", "sight:1": "win in one", "greedy": "longest"}
HEAD = """# Opponents

The four characters and ten levels in numbers, by exact odds. `tools/opponents.py` writes this page and
`books/levels/calibrations.toml`; how the levels work is described in [Bots](bots.md#levels-and-characters).

## Characters

"""
LEVELS_HEAD = """
## Levels

How often each level slips, in percent of its turns, and how much it scores against the level below. The more a game
depends on who starts, the less room it leaves for levels.

"""
RESULTS_HEAD = """
## Results

Points in 100 games (a win counts 1) if the character starts / if the other player starts. The other players are those
that people bring: random moves; a win in one move if there is one, otherwise random moves (`sight:1`); always the
longest move (`greedy`); and the character itself.

"""
LADDERS_HEAD = """
## Ladders

The person's points in 100 games in each step of `numberline ladder`, with the side and against the opponent of the
step, if the person plays at random, wins in one move if possible, always plays the longest move, or slips in a quarter
of the turns (`slip:25`). The person can win every step. From the third step on, `choice` is at least 0.5 and
`decisions` at least 0.25 (see [the lab](lab.md)).

"""
LADDER_FIGURES = ("choice", "decisions", "gap")


def calibrations_file(found: dict[str, Calibration]) -> str:
    lines = [
        "# Written by tools/opponents.py: slips in 10,000 turns, from level 1 to level 10.",
        f"version = {VERSION}",
    ]
    for variant, (slips, step, characters) in found.items():
        names = ", ".join(f'"{key}"' for key in characters)
        lines += [
            "",
            f"['{variant}']" if '"' in variant else f'["{variant}"]',
            f"slips = {list(slips)}",
            f"step = {step}",
            f"characters = [{names}]",
        ]
    return "\n".join(lines) + "\n"


def table(rows: list[list[str]]) -> str:
    head, *body = rows
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *body))


def page(found: dict[str, Calibration]) -> str:
    characters = [CHARACTERS[key] for key in NAMED]
    text = HEAD + table(
        [["bot", "name", "about", "level"]]
        + [[f"`{each.key}`", each.name, each.about, str(each.level)] for each in characters]
    )
    levels = [["game", *map(str, range(1, MAX_LEVEL + 1)), "score"]]
    levels += [
        [f"`{variant}`", *(f"{slips / 100:.1f}" for slips in each.slips), f"{100 * (each.step or 0):.1f}%"]
        for variant, each in found.items()
        if variant in nl.NAMES
    ]
    text += LEVELS_HEAD + table(levels) + RESULTS_HEAD
    for name in nl.NAMES:
        rows = [["against", *BROUGHT.values(), "itself"]]
        rows += [[each.name, *results(name, each.key)] for each in characters]
        text += f"### {nl.book(name).title}\n\n{table(rows)}\n"
    text += LADDERS_HEAD.lstrip("\n")
    for name in nl.NAMES:
        text += f"### Ladder of {nl.book(name).title}\n\n{table(ladder_rows(name))}\n"
    return text.rstrip("\n") + "\n"


def results(name: str, key: str) -> list[str]:
    """Return a character's points as first and as second player, against policies that stand for people."""
    solution = nl.solve(name)

    def weights(bot: str) -> Any:
        return make_bot(bot, solution.book, Random(0), solution=solution).policy(solution.arrays)

    scores = PolicyScores(solution.arrays, weights("perfect"))
    own = scores.policy(weights(key))
    cells = []
    for opponent in (*BROUGHT, key):
        other = scores.policy(weights(opponent))
        as_one, as_two = scores.seat_scores(own, other)[:, 0], 1 - scores.seat_scores(other, own)[:, 0]
        cells.append(f"{50 * (as_one[0] + as_two[1]):.0f} / {50 * (as_one[1] + as_two[0]):.0f}")
    return cells


def ladder_rows(name: str) -> list[list[str]]:
    """Return the table of a ladder: its steps, and the person's points with each policy."""
    steps = stored_ladder(nl.book(name))
    policies = (*BROUGHT, DEFAULT_SKILL)
    rows = [["", "new", "variant", "opponent", "side", *BROUGHT.values(), DEFAULT_SKILL, *LADDER_FIGURES]]
    every = measure_many([nl.book(step.variant) for step in steps], curve=False)
    for number, (step, measured) in enumerate(zip(steps, every, strict=True), 1):
        scores = person_scores(nl.solve(step.variant), policies, [step.character])[:, step.first - 1, 0]
        new, opponent = step.title.partition(": ")[2], CHARACTERS[step.character].name
        figures = [format_figure(figure, getattr(measured, figure)) for figure in LADDER_FIGURES]
        points = [f"{100 * score:.0f}" for score in scores]
        rows.append([str(number), new, f"`{step.variant}`", opponent, step.side, *points, *figures])
    return rows


def main(arguments: list[str]) -> None:
    if arguments == ["--print"]:
        sys.stdout.write(page(stored_calibrations()))
        return
    ladders = (step.variant for name in nl.NAMES for step in stored_ladder(nl.book(name)))
    variants = dict.fromkeys([*nl.NAMES, *ladders])
    found = {variant: calibrate(nl.solve(variant)) for variant in variants}
    DATA.write_text(calibrations_file(found))
    stored_calibrations.cache_clear()
    PAGE.write_text(page(found))


if __name__ == "__main__":
    main(sys.argv[1:])
