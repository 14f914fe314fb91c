"""Generator of docs/baselines.md: a round robin of the bots, as a reference for new players.

Run by `make baselines`. All pairs of bots play all books and random variants. The page states the command, the seed and
the version, so that it can be reproduced.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np

import numberline as nl
from numberline.arena import Entrant, Standings, Tournament, draw, run
from numberline.files.safe_write import write_atomic
from numberline.game.book import Book
from numberline.parallel import parse_workers
from numberline.reports.arena import format_percent
from numberline.terminal.console import progress_bar

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))
from examples import q_learning  # noqa: E402 - examples are not installed

PLAYERS = (
    "random", "greedy", "slip:50", "slip:25", "slip:10", "sight:2", "sight:4", "sight:8",
    "easy", "medium", "hard", "mcts:100", "mcts", "perfect",
)  # fmt: skip
DRAWN = 20
EPISODES, STEPS = 2_000, 20_000
SEED = 1
PLIES = 100  # lower than the arena's default: MCTS is slow, and longer games add no information

PAGE = """# Baselines

Results to compare your own player with: every bot against every other bot, in the five books and in {drawn} random
variants. `make baselines` writes this page (numberline {version}, seed {seed}); the same seed gives the same page.
[The arena](arena.md) explains the figures, [bots](bots.md) the players, and [opponents](opponents.md) has the exact
scores of the characters. `master` is left out, since it plays like `perfect`.

Compare a player's regret only with players who met **the same opponents**, because opponents determine which choices
come up. A high score in a weak field means little: look at the rating, the regret, and the score against `perfect`,
where half of the points is the most that any player can expect in the long run.

## The five books

{games} games per pair of players in each book; a game of more than {plies} turns is a draw.

{books}

Regret by book:

{each}

## {drawn} drawn variants

{drawn_games} games per pair of players in each variant of `--draw {drawn} --seed {seed}`.

{variants}

## Two learners

Tabular Q-learning (`examples/q_learning.py`, {episodes} games of self-play) and masked PPO (`examples/masked_ppo.py`,
{steps} steps against `random`), each trained separately for every book. The table has the share of games won against
`random`, with alternating seats, and the regret of their preferred moves over **all** positions of the book. This
regret does not depend on an opponent and can't be compared with the tables above; compare it with the rows of
`random` and `greedy`. **A zero means little in four of the five books**: there `greedy`, which always plays the
longest step, has no regret either, so a learner that has only learnt that gets zero as well. Only Number Reach
separates learners from `greedy`.

{learners}

## Adding a player

Run the same players, books and seed together with your own player, a [program](engines.md) in any language:

```text
players="{players}"
numberline arena $players "exec:python my_bot.py" --games {games} --seed {seed} --plies {plies} --workers 2
numberline arena $players "exec:python my_bot.py" --draw {drawn} --games {drawn_games} --seed {seed} --plies {plies}
```

In Python, [any `Bot`](arena.md#in-python) can be an `Entrant`: a table, a network, a language model.
"""


def played(books: tuple[Book, ...], games: int, workers: int | str) -> Standings:
    """Return the standings of a round robin in these books."""
    tournament = Tournament(tuple(map(Entrant.from_text, PLAYERS)), books, games, SEED, PLIES)
    with progress_bar(f"Playing {tournament.total:,} games") as progress:
        return run(tournament, progress=progress, workers=workers)


def overall(standings: Standings) -> str:
    """Return a table with one row per player, best first."""
    rows = standings.players()
    against = {(row["player"], row["opponent"]): row["score"] for row in standings.pairs()}
    lines = [_line(row, against.get((row["player"], "perfect"))) for row in rows]
    return _table(("player", "rating", "95% CI", "score", "against perfect", "regret per move", "optimal"), lines)


def _line(row: dict[str, Any], against: float | None) -> list[str]:
    rated = row["rating"]
    rating = [f"{rated['mean']:.0f}", f"{rated['low']:.0f}-{rated['high']:.0f}"]
    regret = f"{row['regret']:.3f} ± {row['regret_error']:.3f}"
    return [
        f"`{row['player']}`",
        *rating,
        format_percent(row["score"]),
        format_percent(against),
        regret,
        format_percent(row["optimal"]),
    ]


def book_by_book(standings: Standings) -> str:
    """Return a table with the regret of each player in each book."""
    tournament = standings.tournament
    lines = []
    for number, entrant in enumerate(tournament.players):
        regrets = [_regret(standings, number, book) for book in range(len(tournament.books))]
        lines.append([f"`{entrant.name}`", *regrets])
    return _table(("player", *(book.title for book in tournament.books)), lines)


def _regret(standings: Standings, player: int, book: int) -> str:
    found = standings.stats(lambda block, who, _: who == player and block.book == book)
    return f"{found.regret:.3f}"


def learners(rl: Path | None) -> str:
    """Return a table of the learners by book; `rl` is a Python interpreter that has sb3-contrib."""
    lines = []
    for name in nl.NAMES:
        arrays = nl.solve(nl.book(name)).arrays
        guessed = arrays.regret.sum(axis=1) / np.maximum(1, arrays.legal.sum(axis=1))
        game = q_learning.Game(name)
        worth, measures = q_learning.train(game, EPISODES, SEED, every=EPISODES)
        won = q_learning.win_rate(game, worth, "random")
        lines.append([game.book.title, "`random`", "50.0%", f"{guessed[arrays.live].mean():.3f}"])
        lines.append([game.book.title, "`greedy`", "-", f"{_greedy(nl.book(name)):.3f}"])
        lines.append([game.book.title, "Q-learning", format_percent(won), f"{measures[-1].regret:.3f}"])
        if rl:
            lines.append([game.book.title, "masked PPO", *_ppo(rl, name)])
    return _table(("book", "player", "won against random", "regret over all positions"), lines)


def _greedy(book: Book) -> float:
    """Return the regret of the greedy bot over all positions of a book."""
    solution = nl.solve(book)
    bot = Entrant.from_text("greedy").make(book, Random(SEED), solution)
    made = ((at, bot.choose(at)) for at in solution.live)
    return fmean(next(one.regret for one in solution.evaluate_moves(at) if one.move == move) for at, move in made)


def _ppo(rl: Path, name: str) -> tuple[str, str]:
    """Run the PPO example and return the win rate and regret that it prints."""
    script = ROOT / "examples" / "masked_ppo.py"
    options = ["--book", name, "--steps", str(STEPS), "--seed", str(SEED)]
    ran = subprocess.run([rl, "-W", "ignore", script, *options], capture_output=True, check=True, text=True)  # noqa: S603 - our own
    won, regret = re.findall(r"([0-9.]+)% won.* ([0-9.]+) over all", ran.stdout)[0]
    return f"{won}%", regret


def _table(titles: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [titles, ["---"] * len(titles), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    options = argparse.ArgumentParser(description="Play the bots against each other and write the baselines page.")
    options.add_argument("page", type=Path)
    options.add_argument("--games", type=int, default=40, help="games per pair of players in each of the five books")
    options.add_argument("--drawn-games", type=int, default=10, help="games per pair of players in each drawn variant")
    options.add_argument("--rl", type=Path, help="Python interpreter with sb3-contrib; if omitted, PPO is skipped")
    options.add_argument("--workers", type=parse_workers, default=1)
    given = options.parse_args()
    books = played(tuple(map(nl.book, nl.NAMES)), given.games, given.workers)
    variants = played(draw(DRAWN, SEED), given.drawn_games, given.workers)
    page = PAGE.format(
        drawn=DRAWN,
        version=nl.__version__,
        seed=SEED,
        plies=PLIES,
        games=given.games,
        drawn_games=given.drawn_games,
        players=" ".join(PLAYERS),
        books=overall(books),
        each=book_by_book(books),
        variants=overall(variants),
        learners=learners(given.rl),
        episodes=f"{EPISODES:,}",
        steps=f"{STEPS:,}",
    )
    write_atomic(given.page, page)


if __name__ == "__main__":
    main()
