"""Metrics of games between two players of a skill, in exact fractions and by the definitions in docs/lab.md alone.

Rules and forced wins come from `reference_rules`, the moves of a skill from its definition. Nothing of the lab, the
solver or the bots is used.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

from support.exact_outcomes import Moves, added_up
from support.reference_rules.brute_force_solver import Forcing
from support.reference_rules.mixtures import State, start, winner

Sums = dict[Any, Fraction]
HALF = Fraction(1, 2)


class ExactMetrics:
    """Games between two players who both slip at the given rate."""

    def __init__(self, rules: Any, slip_rate: Fraction = Fraction(1, 4)) -> None:
        self.rules = rules
        self.forcing = Forcing(rules)
        self.starts = [start(rules, player) for player in (1, 2)]
        self.moves = cache(partial(self._moves, partial(self.slip_policy, (slip_rate, slip_rate))))

    # Policies: the weight of every legal move

    def slip_policy(self, rates: tuple[Fraction, Fraction], state: State) -> dict[str, Fraction]:
        legal, best, rate = self.forcing.graph[state], self.forcing.best(state), rates[state.turn - 1]
        return {text: rate / len(legal) + (1 - rate) / len(best) * (text in best) for text in legal}

    def sight_policy(self, sights: tuple[int, int], state: State) -> dict[str, Fraction]:
        """Return the moves that look best to a player who sees only results at most `sight` turns away."""
        ranks = {text: self._rank_in_sight(sights[state.turn - 1], state, text) for text in self.forcing.graph[state]}
        best = [text for text, rank in ranks.items() if rank == max(ranks.values())]
        return dict.fromkeys(best, Fraction(1, len(best)))

    def _rank_in_sight(self, sight: int, state: State, text: str) -> tuple[int, int]:
        plies = self.forcing.forced(self.forcing.graph[state][text])[1]
        return (0, 0) if plies is None or plies + 1 > sight else self.forcing.rank(state, text)

    def _moves(self, policy: Callable[[State], dict[str, Fraction]], state: State) -> Moves:
        graph = self.forcing.graph
        if winner(self.rules, state) or not graph[state]:
            return []
        return [(chance, graph[state][text]) for text, chance in policy(state).items() if chance]

    # Chances

    def wins(self, player: int, moves: Callable[[State], Moves]) -> Sums:
        return added_up(self.starts, moves, lambda state: int(winner(self.rules, state) == player))

    def chances(self, moves: Callable[[State], Moves]) -> Sums:
        """Return player 1's chance of winning in every state; an endless game counts half."""
        one, two = (self.wins(player, moves) for player in (1, 2))
        return {state: (1 + one[state] - two[state]) * HALF for state in one}

    @property
    def always_ends(self) -> bool:
        one, two = (self.wins(player, self.moves) for player in (1, 2))
        return all(one[state] + two[state] == 1 for state in self.starts)

    # Metrics of games that player 1 starts

    def expected(self, adds: Callable[[State], Fraction | int]) -> Fraction:
        return added_up(self.starts[:1], self.moves, adds)[self.starts[0]]

    def is_decision(self, state: State) -> bool:
        return bool(self.forcing.graph[state]) and len(self.correct(state)) < len(self.forcing.graph[state])

    def correct(self, state: State) -> set[str]:
        """Return the moves that don't lose value: among win, endless and loss, none leads to a better result."""
        following = self.forcing.graph[state]
        worth = {
            text: ("loss", "endless", "win").index(self.forcing.value(to, state.turn)) for text, to in following.items()
        }
        return {text for text in following if worth[text] == max(worth.values())}

    def choice(self) -> Fraction:
        turns = self.expected(lambda state: int(bool(self.moves(state))))
        return (
            self.expected(lambda state: int(len(self.moves(state)) > 0 and len(self.forcing.graph[state]) > 1)) / turns
        )

    def surprise(self) -> Fraction:
        chance = self.chances(self.moves)

        def changes(state: State) -> Fraction:
            return sum((share * abs(chance[to] - chance[state]) for share, to in self.moves(state)), Fraction(0))

        return self.expected(changes)

    def felt_lead_changes(self) -> Fraction:
        """Count the changes of the last player who was ahead, which every state remembers."""
        chance = self.chances(self.moves)

        def remember(last: int, state: State) -> tuple[State, int, int]:
            """Return a state, who is now or was last ahead (0: nobody yet), and whether that has just changed."""
            ahead = 1 if chance[state] > Fraction(55, 100) else 2 if chance[state] < Fraction(45, 100) else last
            return state, ahead, int(0 != last != ahead)

        def moves(remembered: tuple[State, int, int]) -> Moves:
            return [(share, remember(remembered[1], to)) for share, to in self.moves(remembered[0])]

        first = remember(0, self.starts[0])
        return added_up([first], moves, lambda remembered: remembered[2])[first]

    def dominant_step(self) -> Fraction | None:
        """Return the greatest share of decisions in which one and the same step is correct; None without decisions."""
        steps = {text.rpartition(":")[2] for following in self.forcing.graph.values() for text in following}

        def is_correct(step: str, state: State) -> int:
            return int(self.is_decision(state) and step in {text.rpartition(":")[2] for text in self.correct(state)})

        decisions = self.expected(lambda state: int(self.is_decision(state)))
        return max(self.expected(partial(is_correct, step)) for step in steps) / decisions if decisions else None

    def shares_of_games(self, most_turns: int) -> tuple[Fraction, Fraction, Fraction]:
        """Return uncertainty and decisiveness of the games that end in time, and the share of all other games.

        Every game has its own uncertainty (the mean over its turns) and its own decisiveness, so games
        are kept separate by their length.
        """
        chance = self.chances(self.moves)
        decided = {state: max(share, 1 - share) > Fraction(9, 10) for state, share in chance.items()}
        # For each state: the probability of being there, the sum of uncertainties, the turns since it is decided.
        games = {self.starts[0]: (Fraction(1), Fraction(0), Fraction(0))}
        uncertainty, decisiveness = Fraction(0), Fraction(0)
        for turns in range(1, most_turns + 1):
            after: dict[State, tuple[Fraction, Fraction, Fraction]] = {}
            for state, (mass, unsure, since) in games.items():
                total = mass, unsure + mass * (1 - abs(2 * chance[state] - 1)), (since + mass) * decided[state]
                for share, to in self.moves(state):
                    old = after.get(to, (Fraction(0),) * 3)
                    after[to] = (old[0] + share * total[0], old[1] + share * total[1], old[2] + share * total[2])
            ended = [after.pop(state) for state in list(after) if not self.moves(state)]
            uncertainty += sum((each[1] for each in ended), Fraction(0)) / turns
            decisiveness += sum((each[2] for each in ended), Fraction(0)) / turns
            games = after
        return uncertainty, decisiveness, sum((each[0] for each in games.values()), Fraction(0))

    # Metrics of games between two skills, over both sides and both starting players

    def slip_score(self, better: Fraction, worse: Fraction) -> Fraction:
        return self._score(self.slip_policy, better, worse)

    def sight_score(self, better: int, worse: int) -> Fraction:
        return self._score(self.sight_policy, better, worse)

    def _score(self, policy: Callable[[Any, State], dict[str, Fraction]], better: Any, worse: Any) -> Fraction:
        """Return the share of games that the better player wins; an endless game counts half."""
        as_1 = self.chances(partial(self._moves, partial(policy, (better, worse))))
        as_2 = self.chances(partial(self._moves, partial(policy, (worse, better))))
        return sum((as_1[state] + 1 - as_2[state] for state in self.starts), Fraction(0)) / 4

    def skill_ladder(self) -> int:
        """Climb from random play: the next level is the smallest sight that wins at least 60 of 100 games."""
        levels = [0]
        for sight in range(1, self.sight_needed() + 1):
            if self.sight_score(sight, levels[-1]) >= Fraction(6, 10):
                levels.append(sight)
        return len(levels) - 1

    def sight_needed(self) -> int:
        """Return the smallest sight with which no player ever errs, in any state."""
        sight = 0
        while any(
            set(self.sight_policy((sight, sight), state)) - self.correct(state)
            for state in self.forcing.graph
            if self.is_decision(state)
        ):
            sight += 1
        return sight
