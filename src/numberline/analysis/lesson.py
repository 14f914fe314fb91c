"""A lesson in five short steps that teach the secret of a game, made from its solution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from numberline.analysis.claims import (
    Claim,
    Kind,
    best_answers,
    holds,
    lost_for_whoever,
    moves_that_always_win,
    places_won_at_once,
)
from numberline.analysis.exercise import Exercise, exercise, on_the_line, to_practise
from numberline.analysis.explanation import why_move
from numberline.analysis.laws import Numbers, Race
from numberline.analysis.pattern import in_words
from numberline.analysis.positions import live_positions
from numberline.analysis.secret import law_of
from numberline.analysis.telling import told
from numberline.analysis.values import keeping, need_two_players, recommended, standing, values
from numberline.analysis.words import Words
from numberline.rules.position import Position
from numberline.rules.wording import all_of
from numberline.solver.solution import Solution
from numberline.speech.prose import rules_in_prose

EXAMPLES = 4
"""So many examples are told in one sentence."""
NEAR = 40
"""Of a very long line so many places before the goal are looked at."""
LONGEST_LINE = 30
"""A longer game is not told move by move."""


class Step(NamedTuple):
    """One step of a lesson."""

    title: str
    text: str
    claims: tuple[Claim, ...]
    """What the text says of the game, to be held against the solution."""
    exercise: Exercise | None = None


class Lesson(NamedTuple):
    """The steps, in order."""

    variant: str
    steps: tuple[Step, ...]


def lesson(solution: Solution, names: Sequence[str] = ()) -> Lesson:
    """The lesson of a book; raises `AnalysisError` for more than two players."""
    need_two_players(solution, "lessons")
    teacher = _Teacher(solution, names)
    steps = (teacher.goal(), teacher.secret(), teacher.method(), teacher.first_move(), teacher.summary())
    return Lesson(solution.book.variant, steps)


class _Teacher:
    """Everything that a lesson is made of. What the solution does not bear out is left out."""

    def __init__(self, solution: Solution, names: Sequence[str]) -> None:
        self.solution = solution
        self.book = solution.book
        self.names = names
        self.words = Words(solution.book, names)
        self.beginning = solution.book.start()
        self.law = law_of(solution)
        self.live = live_positions(solution) or on_the_line(solution)
        practise = to_practise(solution)
        self.at_once = [at for at in practise if solution.distance(at) == 1]
        self.deep = [at for at in practise if solution.distance(at) != 1]

    def _true(self, claims: Iterable[Claim]) -> tuple[Claim, ...]:
        return tuple(claim for claim in claims if holds(self.solution, claim))

    def _tell(self, claims: Iterable[Claim]) -> str:
        return " ".join(filter(None, (told(self.words, claim) for claim in claims)))

    # 1. What winning means

    def goal(self) -> Step:
        """What winning means, and from where it is near."""
        prose = next(section.text for section in rules_in_prose(self.book) if section.heading == "The goal")
        places = [places_won_at_once(self.solution, player) for player in (1, 2)]
        claims = self._true(
            Claim(Kind.AT_ONCE, self.beginning, player=player, numbers=numbers)
            for player, numbers in enumerate(places, 1)
        )
        near = self._tell(claims)
        if claims and places[0] == places[1]:
            near = self.words.sentence(f"whoever is to move from {self.words.any_place(places[0])} wins at once")
        asked = exercise(self.solution, self.at_once[0], self.names) if self.at_once else None
        return Step("The goal", f"{prose} {near}".strip(), claims, asked)

    # 2. Which positions are lost

    def secret(self) -> Step:
        """Which positions are lost for the player to move."""
        title = "The secret"
        claims = self._true([Claim(Kind.RULE, self.beginning, law=self.law)])
        text = self._tell(claims)
        if not text:
            claims = self._true(self._lost_near_the_goal() or self._lost_examples())
            text = self._tell_examples(claims)
        if not text:
            return Step(title, "Before you move, ask yourself what your opponent would answer.", ())
        lost = [at for at in self.live if self.solution.value(at) == "loss"]
        leave = "Some positions are lost for the player to move: leave your opponent in one of them. " if lost else ""
        return Step(title, leave + text, claims)

    def _lost_near_the_goal(self) -> list[Claim]:
        """On a long line with a marker for all: the lost places nearest to the goal."""
        rules = self.book.rules
        if not rules.shared or rules.repeat == "banned" or len(set(rules.goals)) > 1:
            return []
        goal, way = rules.goals[0][-1], 1 if rules.goals[0][-1] > rules.starts[0] else -1
        near = [Position(1, (goal - way * back,)) for back in range(1, NEAR)]
        return [Claim(Kind.WHOEVER, at) for at in near if lost_for_whoever(self.solution, at)]

    def _lost_examples(self) -> list[Claim]:
        """A few lost positions, each of another depth, those nearest to the end first."""
        lost = {self.solution.distance(at): at for at in reversed(self.live) if self.solution.value(at) == "loss"}
        few = [lost[plies] for plies in sorted(plies for plies in lost if plies)][:EXAMPLES]
        return [Claim(Kind.STANDS, at, *standing(self.solution, at)) for at in few]

    def _tell_examples(self, claims: Sequence[Claim]) -> str:
        if not claims:
            return ""
        if claims[0].kind is Kind.WHOEVER:
            numbers = sorted(claim.position.tokens[0] for claim in claims)
            listed = in_words(numbers) or all_of([str(number) for number in numbers])
            return f"Those nearest to the goal: {listed}."
        scenes = "; ".join(
            f"{self.words.scene(claim.position)} with {self.words.names[claim.position.turn - 1]} to move"
            + (f", who {self.words.banned(claim.position)}" if claim.position.last else "")
            for claim in claims
        )
        return f"Here are some of them: {scenes}."

    # 3. How to bring the opponent there

    def method(self) -> Step:
        """How to find the right move."""
        always = [Claim(Kind.ALWAYS, self.beginning, move=move) for move in moves_that_always_win(self.solution)]
        claims = self._true([*always, *self._ways()])
        parts = [self._tell(claim for claim in claims if claim.kind is Kind.ALWAYS), self._tell_ways(claims)]
        if isinstance(self.law, Race) and not self.law.exceptions:
            parts.append("Look for a move after which your opponent needs more turns than you.")
            claims = (*claims, *self._true([Claim(Kind.RULE, self.beginning, law=self.law)]))
        if self.deep:
            at = next((at for at in self.deep if (self.solution.distance(at) or 0) > 3), self.deep[0])
            right = recommended(self.solution, at).move
            example = why_move(self.solution, at, right, self.names)
            you = Words(self.book, self.names, you=at.turn)
            parts.append(f"An example: you are {you.names[at.turn - 1]}. {you.situation(at)} {example.text}")
            claims = (*claims, *self._true(example.claims))
        text = " ".join(filter(None, parts)) or "Look for a move that leaves your opponent no good answer."
        asked = exercise(self.solution, self.deep[len(self.deep) // 2], self.names) if len(self.deep) > 1 else None
        return Step("The right move", text, claims, asked)

    def _ways(self) -> list[Claim]:
        """From some of the won places of a shared marker, the only move to a lost one."""
        if not isinstance(self.law, Numbers):
            return []
        single = [at for at in self.deep if at.turn == 1 and len(keeping(values(self.solution, at))) == 1]
        single.sort(key=lambda at: at.tokens)
        few = single[:: max(1, -(-len(single) // EXAMPLES))]
        return [
            Claim(Kind.MOVE, at, *value.standing, move=value.move)
            for at in few
            for value in keeping(values(self.solution, at))
            if lost_for_whoever(self.solution, value.after)
        ]

    def _tell_ways(self, claims: Sequence[Claim]) -> str:
        ways = [claim for claim in claims if claim.kind is Kind.MOVE]
        parts = [
            f"from {claim.position.tokens[0]}, {claim.move} {self.words.effect(claim.position, claim.move)}"
            for claim in ways
        ]
        return f"Leave your opponent one of them: {'; '.join(parts)}." if parts else ""

    # 4. The first move

    def first_move(self) -> Step:
        """Who wins from the start, and with which move."""
        starts = [self.book.start(first) for first in (1, 2)]
        stands = self._true(Claim(Kind.STANDS, at, *standing(self.solution, at)) for at in starts)
        moves = self._true(self._first_moves(starts))
        losing = self._true(self._refuted_first_moves()) if len({claim.moves for claim in moves}) == 1 else ()
        text = [self._who_wins(stands), self._tell_first_moves(moves), self._tell_refuted(losing, moves)]
        return Step("The first move", " ".join(filter(None, text)), (*stands, *moves, *losing), self._first_exercise())

    def _first_moves(self, starts: Sequence[Position]) -> Iterator[Claim]:
        for at in starts:
            kept = keeping(values(self.solution, at))
            yield Claim(Kind.KEEPS, at, kept[0].value, moves=tuple(value.move for value in kept))

    def _tell_first_moves(self, claims: Sequence[Claim]) -> str:
        """The right first moves, told once where they are the same for both players."""
        good = [claim for claim in claims if claim.value != "loss"]
        told = [self._right_first_moves(claim) for claim in good]
        if len(good) == 1 or len(set(told)) == 2:
            names = [self.words.names[claim.position.turn - 1] for claim in good]
            told = [f"if {name} starts, {text}" for name, text in zip(names, told, strict=True)]
        return " ".join(self.words.sentence(text) for text in dict.fromkeys(told))

    def _right_first_moves(self, claim: Claim) -> str:
        does, do = ("wins", "win") if claim.value == "win" else ("does not lose", "do not lose")
        if len(claim.moves) == len(self.book.moves(claim.position)):
            return "every first move wins" if claim.value == "win" else "no first move loses"
        if len(claim.moves) == 1:
            return f"the only first move that {does} is {claim.moves[0]}"
        return f"the first moves that {do} are {all_of(claim.moves)}"

    def _refuted_first_moves(self) -> Iterator[Claim]:
        losing = [value for value in values(self.solution, self.beginning) if value.value == "loss"]
        if 0 < len(losing) <= EXAMPLES:
            yield Claim(Kind.REFUTED, self.beginning, pairs=best_answers(self.solution, losing))

    def _tell_refuted(self, losing: Sequence[Claim], moves: Sequence[Claim]) -> str:
        """How the wrong first moves lose."""
        text = self._tell(losing)
        if not text or moves[0].value == "loss":
            return text
        wrong = len(self.book.moves(self.beginning)) - len(moves[0].moves)
        which = "The others lose" if wrong > 1 else "The other one loses"
        if len(losing[0].pairs) < wrong:
            which = "Some of the others lose"
        return f"{which}: {text[0].lower()}{text[1:]}"

    def _who_wins(self, stands: Sequence[Claim]) -> str:
        winners = [claim.player for claim in stands]
        told = {
            (1, 2): "Whoever starts can force a win.",
            (2, 1): "Whoever starts is lost if the other player makes no mistake.",
            (0, 0): "Nobody can force a win from the start: the game is decided by the first mistake, if at all.",
        }
        if tuple(winners) in told:
            return told[winners[0], winners[1]]
        if winners[0] == winners[1]:
            return f"{self.words.names[winners[0] - 1]} can force a win, whoever starts."
        names = ["nobody", *self.words.names]
        first, second = (f"where {names[n]} starts, {names[winners[n - 1]]} can force a win" for n in (1, 2))
        return self.words.sentence(f"{first}; {second}")

    def _first_exercise(self) -> Exercise | None:
        """The start itself, or where that is lost the position after the best first move of the other."""
        legal = values(self.solution, self.beginning)
        if legal[0].value == "loss" and len(keeping(legal)) == len(legal):
            move = recommended(self.solution, self.beginning)
            if not values(self.solution, move.after):
                return None
            question = f"{self.words.names[0]} has started with {move.move}. What do you answer?"
            return exercise(self.solution, move.after, self.names, question)
        if len(keeping(legal)) == len(legal):
            return None
        return exercise(self.solution, self.beginning, self.names, "It is the first move. What do you play?")

    # 5. The whole in short

    def summary(self) -> Step:
        """The rule once more, a perfect game, and the hardest exercise."""
        law, line = self.law, self.solution.line(self.beginning)
        rule = self._true([Claim(Kind.RULE, self.beginning, law=law)])
        short = law.in_short(self.words) if law and rule else "Before you move, look for your opponent's best answer."
        ends = self.solution.forced(self.beginning) is not None and len(line) <= LONGEST_LINE
        game = self._true([Claim(Kind.LINE, self.beginning, moves=line)]) if ends else ()
        begins = f"if {self.words.names[0]} starts and nobody makes a mistake, the game can go"
        perfect = self.words.sentence(f"{begins} {', '.join(line)}") if game else ""
        one = [at for at in self.deep if len(keeping(values(self.solution, at))) == 1]
        hardest = (one or self.deep or self.at_once)[-1:]
        asked = exercise(self.solution, hardest[0], self.names) if hardest else None
        return Step("In short", f"{short} {perfect}".strip(), (*rule, *game), asked)
