"""A lesson in five short steps that teach the secret of a game, made from its solution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from numberline.analysis import teaching
from numberline.analysis.claims import Claim, explained
from numberline.analysis.exercise import Exercise, exercise, on_the_line, to_practise
from numberline.analysis.explanation import why_move
from numberline.analysis.facts import (
    all_positions,
    best_answers,
    keeping,
    lost_for_whoever,
    moves_of,
    moves_that_always_win,
    need_two_players,
    places_won_at_once,
)
from numberline.analysis.laws import Numbers, Race
from numberline.analysis.secret import law_of
from numberline.analysis.words import Words
from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, Judged
from numberline.speech.prose import rules_in_prose

EXAMPLES = 4
"""So many examples are given in one sentence."""
NEAR = 40
"""Of a very long line so many places before the goal are looked at."""
LONGEST_LINE = 30
"""A longer game is not shown move by move."""


class Step(NamedTuple):
    """One step of a lesson."""

    title: str
    text: str
    claims: tuple[Claim, ...]
    """What the text says of the game."""
    exercise: Exercise | None = None


class Lesson(NamedTuple):
    """The steps, in order."""

    variant: str
    steps: tuple[Step, ...]


def lesson(solution: Solution, names: Sequence[str] = ()) -> Lesson:
    """The lesson of a book; raises `AnalysisError` for more than two players."""
    need_two_players(solution.book, "lessons")
    teacher = _LessonMaker(solution, names)
    steps = (teacher.goal(), teacher.secret(), teacher.method(), teacher.first_move(), teacher.summary())
    return Lesson(solution.book.variant, steps)


class _LessonMaker:
    """Everything that a lesson is made of."""

    def __init__(self, solution: Solution, names: Sequence[str]) -> None:
        self.solution = solution
        self.book = solution.book
        self.names = names
        self.words = Words(solution.book, names)
        self.beginning = solution.book.start()
        self.law = law_of(solution)
        live = all_positions(solution) or on_the_line(solution)
        self.lost = [at for at in live if solution.value(at) == LOSS]
        practise = to_practise(solution)
        self.at_once = [at for at in practise if solution.distance(at) == 1]
        self.deep = [at for at in practise if solution.distance(at) != 1]

    # 1. What winning means

    def goal(self) -> Step:
        """What winning means, and from where it is near."""
        prose = next(section.text for section in rules_in_prose(self.book) if section.heading == "The goal")
        near, claims = explained(self.words, self._near())
        asked = exercise(self.solution, self.at_once[0], self.names) if self.at_once else None
        return Step("The goal", f"{prose} {near}".strip(), claims, asked)

    def _near(self) -> Iterator[Claim]:
        """The places from which one wins at once, given once where they are the same for both players."""
        first, second = (places_won_at_once(self.solution, player) for player in (1, 2))
        if first and first == second:
            yield teaching.WinsFrom((1, 2), first)
        else:
            yield from (teaching.WinsFrom((player,), places) for player, places in ((1, first), (2, second)) if places)

    # 2. Which positions are lost

    def secret(self) -> Step:
        """Which positions are lost for the player to move."""
        text, claims = explained(self.words, [teaching.Secret(self.law)] if self.law else [])
        if not text:
            text, claims = explained(self.words, self._lost_near_the_goal() or self._lost_examples())
        if not text:
            text = "Before you move, ask yourself what your opponent would answer."
        elif self.lost:
            text = f"Some positions are lost for the player to move: leave your opponent in one of them. {text}"
        return Step("The secret", text, claims)

    def _lost_near_the_goal(self) -> list[Claim]:
        """On a long line with a marker for all: the lost places nearest to the goal."""
        rules = self.book.rules
        if not rules.shared or rules.repeat == "banned" or len(set(rules.goals)) > 1:
            return []
        goal, way = rules.goals[0][-1], 1 if rules.goals[0][-1] > rules.starts[0] else -1
        near = [goal - way * back for back in range(1, NEAR)]
        lost = [place for place in near if lost_for_whoever(self.solution, Position(1, (place,)))]
        return [teaching.LostPlaces(tuple(sorted(lost)))] if lost else []

    def _lost_examples(self) -> list[Claim]:
        """A few lost positions, each of another depth, those nearest to the end first."""
        by_depth = {self.solution.distance(at) or 0: at for at in reversed(self.lost)}
        few = [by_depth[plies] for plies in sorted(by_depth)][:EXAMPLES]
        return [teaching.LostExamples(tuple(few))] if few else []

    # 3. How to bring the opponent there

    def method(self) -> Step:
        """How to find the right move."""
        text, claims = explained(self.words, self._methods())
        if isinstance(self.law, Race) and not self.law.exceptions:
            text += " Look for a move after which your opponent needs more turns than you."
            claims = (*claims, teaching.Secret(self.law))
        if self.deep:
            example = next((at for at in self.deep if (self.solution.distance(at) or 0) > 3), self.deep[0])
            you = Words(self.book, self.names, you=example.turn)
            right = self.solution.trickiest(example)[0].move
            why, more = why_move(self.solution, example, right, self.names)
            text += f" An example: you are {you.names[example.turn - 1]}. {you.situation(example)} {why}"
            claims = (*claims, *more)
        asked = exercise(self.solution, self.deep[len(self.deep) // 2], self.names) if len(self.deep) > 1 else None
        advice = text.strip() or "Look for a move that leaves your opponent no good answer."
        return Step("The right move", advice, claims, asked)

    def _methods(self) -> Iterator[Claim]:
        """Moves that always win, and the ways to some of the lost places of a shared marker."""
        yield from (teaching.AlwaysWins(move) for move in moves_that_always_win(self.solution))
        if isinstance(self.law, Numbers):
            one = sorted((at for at in self._single() if at.turn == 1), key=lambda at: at.tokens)
            few = [(at, self._kept(at)[0]) for at in one[:: max(1, -(-len(one) // EXAMPLES))]]
            ways = tuple((at, right.move) for at, right in few if lost_for_whoever(self.solution, right.after))
            if ways:
                yield teaching.WaysToLost(ways)

    # 4. The first move

    def first_move(self) -> Step:
        """Who wins from the start, and with which move."""
        text, claims = explained(self.words, self._first_moves())
        return Step("The first move", text, claims, self._first_exercise())

    def _first_moves(self) -> Iterator[Claim]:
        starts = self.book.starts()
        first, second = (self.solution.worth(start).winner for start in starts)
        yield teaching.WhoWins((first, second))
        right: dict[tuple[str, tuple[str, ...]], list[Position]] = {}
        for start in starts:
            kept = self._kept(start)
            right.setdefault((kept[0].value, moves_of(kept)), []).append(start)
        yield from (
            teaching.FirstMoves(tuple(at), value, moves) for (value, moves), at in right.items() if value != LOSS
        )
        if len({moves for _, moves in right}) == 1:
            yield from self._wrong_first_moves()

    def _wrong_first_moves(self) -> Iterator[Claim]:
        legal, kept = self.solution.judged(self.beginning), self._kept(self.beginning)
        losing = [judged for judged in legal if judged.value == LOSS]
        if 0 < len(losing) <= EXAMPLES:
            yield teaching.WrongFirstMoves(
                self.beginning, best_answers(self.solution, losing), kept[0].value, len(kept)
            )

    def _first_exercise(self) -> Exercise | None:
        """The start itself, or where that is lost the position after the best first move of the other."""
        if len(self._kept(self.beginning)) < len(self.solution.judged(self.beginning)):
            return exercise(self.solution, self.beginning, self.names, "It is the first move. What do you play?")
        best = self.solution.trickiest(self.beginning)[0]
        if best.value != LOSS or not self.solution.judged(best.after):
            return None
        question = f"{self.words.names[0]} has started with {best.move}. What do you answer?"
        return exercise(self.solution, best.after, self.names, question)

    # 5. The whole in short

    def summary(self) -> Step:
        """The rule once more, a perfect game, and the hardest exercise."""
        short = self.law.in_short(self.words) if self.law else "Before you move, look for your opponent's best answer."
        rule = [teaching.Secret(self.law)] if self.law else []
        line = self.solution.line(self.beginning)
        ends = self.solution.distance(self.beginning) is not None and len(line) <= LONGEST_LINE
        game, claims = explained(self.words, [teaching.PerfectGame(self.beginning, line)] if ends else [])
        hardest = (self._single() or self.deep or self.at_once)[-1:]
        asked = exercise(self.solution, hardest[0], self.names) if hardest else None
        return Step("In short", f"{short} {game}".strip(), (*rule, *claims), asked)

    def _kept(self, position: Position) -> tuple[Judged, ...]:
        return keeping(self.solution.judged(position))

    def _single(self) -> list[Position]:
        """The positions to practise on in which one move is right, and does not win at once."""
        return [at for at in self.deep if len(self._kept(at)) == 1]
