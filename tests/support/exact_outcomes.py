"""Outcomes of games between two bots in exact fractions: the plainest implementation of the lab's formulas."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from random import Random
from typing import Any

import numberline as nl
from numberline.bots.bot import Bot
from numberline.bots.policy_bots import Skill, SkilledBot
from numberline.solver.solution import Solution

Moves = list[tuple[Fraction, Any]]
Stood = tuple[nl.Position, frozenset[int]]
"""A position, and who has stood lost on the way to it."""


def added_up(
    starts: Iterable[Hashable],
    moves: Callable[[Any], Moves],
    adds: Callable[[Any], Fraction | int],
) -> dict[Any, Fraction]:
    """For each state, what is added up on the way from it, by eliminating one state after the other.

    Where play stays for ever among states that add nothing, nothing is added up.
    """
    rows: dict[Any, dict[Any, Fraction]] = {}
    todo = list(starts)
    while todo:
        state = todo.pop()
        if state not in rows:
            rows[state] = {}
            for chance, after in moves(state):
                rows[state][after] = rows[state].get(after, Fraction(0)) + chance
                todo.append(after)
    total = {state: Fraction(adds(state)) for state in rows}
    users: dict[Any, set[Any]] = {state: set() for state in rows}
    for state, row in rows.items():
        for after in row:
            users[after].add(state)
    order, left = [], set(rows)
    while left:
        state = min(left, key=lambda each: len(users[each] & left) * len(rows[each]))
        left.remove(state)
        order.append(state)
        _eliminate(state, rows, users, total, left)
    for state in reversed(order):
        total[state] += sum((share * total[after] for after, share in rows[state].items()), Fraction(0))
    return total


def _eliminate(
    state: Any,
    rows: dict[Any, dict[Any, Fraction]],
    users: dict[Any, set[Any]],
    total: dict[Any, Fraction],
    left: set[Any],
) -> None:
    """Writes a state as a sum over those that are left, and puts that sum in its place everywhere else."""
    row = rows[state]
    stays = row.pop(state, Fraction(0))
    if stays == 1:
        assert total[state] == 0, "something is added up for ever"
        row.clear()
    else:
        for after in row:
            row[after] /= 1 - stays
        total[state] /= 1 - stays
    for user in users[state] & left:
        share = rows[user].pop(state)
        total[user] += share * total[state]
        for after, part in row.items():
            rows[user][after] = rows[user].get(after, Fraction(0)) + share * part
            users[after].add(user)


class Played:
    """A game between two bots."""

    def __init__(self, solution: Solution, one: Bot, two: Bot) -> None:
        self.solution = solution
        self.book = solution.book
        self.bots = (one, two)
        self.starts = list(self.book.starts())

    def moves(self, position: nl.Position) -> Moves:
        """Return the possible successors with their probabilities."""
        if self.book.winner(position):
            return []
        odds = self.bots[position.turn - 1].probabilities(position) or {}
        followers = dict(self.book.successors(position))
        return [(chance, followers[move]) for move, chance in odds.items() if chance]  # type: ignore[index] # a Move is a str

    def lead(self, position: nl.Position) -> int:
        """Who can force the win; the winner at an ending."""
        return self.book.winner(position) or self.solution.worth(position).winner

    def decides(self, position: nl.Position) -> bool:
        """Whether some legal move gives value away."""
        return any(judged.regret for judged in self.solution.evaluate_moves(position))

    def expected(self, adds: Callable[[nl.Position], Fraction | int]) -> Fraction:
        """Return the expected total of a game that player 1 starts."""
        return added_up(self.starts[:1], self.moves, adds)[self.starts[0]]

    def wins(self, player: int) -> list[Fraction]:
        """Return the probability that a player wins, for each first player."""
        found = added_up(self.starts, self.moves, lambda position: int(self.book.winner(position) == player))
        return [found[start] for start in self.starts]

    def comeback(self) -> Fraction:
        """How likely the winner once stood lost: every state remembers who has."""

        def state(position: nl.Position, lost: frozenset[int]) -> Stood:
            lead = self.lead(position)
            return position, lost | {3 - lead} if lead else lost

        def moves(stood: Stood) -> Moves:
            return [(chance, state(after, stood[1])) for chance, after in self.moves(stood[0])]

        start = state(self.starts[0], frozenset())
        return added_up([start], moves, lambda stood: int(self.book.winner(stood[0]) in stood[1]))[start]

    def figures(self) -> dict[str, Fraction]:
        """Every metric of a game that always ends, player 1 beginning."""
        turns = self.expected(lambda position: int(not self.book.winner(position)))
        decided = self.expected(lambda position: int(self.decides(position)))
        found = {
            "length": turns,
            "choice": self.expected(lambda position: int(len(self.book.moves(position)) > 1)) / turns,
            "decisions": decided / turns,
            "lead_changes": self.expected(self._changes),
            "comeback": self.comeback(),
            "open": 1 - self._settled() / turns,
        }
        if decided:
            found["good_moves"] = self.expected(self._good) / decided
            found["hidden"] = self.expected(lambda position: int(self.needed(position) > 2)) / decided
        return found

    def _changes(self, position: nl.Position) -> Fraction:
        changed = (chance for chance, after in self.moves(position) if self.lead(after) != self.lead(position))
        return sum(changed, Fraction(0))

    def _good(self, position: nl.Position) -> Fraction:
        judged = self.solution.evaluate_moves(position)
        return (
            Fraction(sum(each.keeps_value for each in judged), len(judged)) if self.decides(position) else Fraction(0)
        )

    def _settled(self) -> Fraction:
        """In how many turns the lead changes no more."""

        def moves(position: nl.Position) -> Moves:
            return [move for move in self.moves(position) if self.lead(move[1]) == self.lead(position)]

        positions = added_up(self.starts, self.moves, lambda _: 0)
        calm = added_up(positions, moves, lambda position: int(bool(self.book.winner(position))))
        return self.expected(lambda position: 0 if self.book.winner(position) else calm[position])

    def needed(self, position: nl.Position) -> int:
        """Return the smallest sight with perfect play, by trying each."""
        judged = {str(each.move): each for each in self.solution.evaluate_moves(position)}
        furthest = max((each.plies or 0 for each in judged.values()), default=0)
        for turns in range(furthest, 0, -1):
            bot = SkilledBot("sight", Skill(turns - 1), self.book, Random(0), self.solution)
            if any(judged[move].regret for move in bot.probabilities(position)):
                return turns
        return 0
