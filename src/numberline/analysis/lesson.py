"""A lesson in five short steps that start at the goal and work backwards to the secret of a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from numberline.analysis import teaching
from numberline.analysis.claims import Claim, Explanation, LostForWhoever, MoveWorth, Refuted, Stands, explained
from numberline.analysis.exercise import Exercise, ToYou, exercise, on_the_line, to_practise
from numberline.analysis.explanation import FEW
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
from numberline.analysis.hint import hint
from numberline.analysis.laws import Numbers
from numberline.analysis.reasons import habit, reasons
from numberline.analysis.secret import law_of
from numberline.analysis.words import Words
from numberline.rules.moves import FORCED
from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, Judged
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
    position: Position | None = None
    """What is on the board while the text is read; None where the exercise shows all there is."""
    exercise: Exercise | None = None


class Lesson(NamedTuple):
    """The steps, in order."""

    variant: str
    steps: tuple[Step, ...]


def lesson(solution: Solution, names: Sequence[str] = ()) -> Lesson:
    """The lesson of a book; raises `AnalysisError` for more than two players."""
    need_two_players(solution.book, "lessons")
    maker = _LessonMaker(solution, names)
    steps = (maker.goal(), maker.one_turn_before(), maker.further_back(), maker.rule(), maker.whole_game())
    return Lesson(solution.book.variant, steps)


class _LessonMaker:
    """Everything that a lesson is made of."""

    def __init__(self, solution: Solution, names: Sequence[str]) -> None:
        self.solution = solution
        self.book = solution.book
        self.names = names
        self.words = Words(solution.book, names)
        self.beginning = solution.book.start()
        law = law_of(solution)
        self.law = law if law and law.in_full(self.words) else None
        live = all_positions(solution) or on_the_line(solution)
        lost = [at for at in live if solution.value(at) == LOSS and self.book.moves(at)[0] not in FORCED]
        self.lost = sorted(lost, key=lambda at: (solution.distance(at) or 0, len(solution.judged(at)) == 1))
        practise = to_practise(solution)
        self.at_once = [at for at in practise if solution.distance(at) == 1]
        self.deep = [at for at in practise if solution.distance(at) != 1]
        self.asked: set[Position] = set()
        """What is already an exercise."""
        self.shown: set[tuple[int, ...]] = set()
        """Where the tokens stand in what was already shown as lost."""

    # 1. What winning means

    def goal(self) -> Step:
        """What winning means, and from where it is near."""
        prose = next(section.text for section in rules_in_prose(self.book) if section.heading == "The goal")
        asked = self._exercise(self.at_once)
        example = next((at for at in reversed(self.at_once) if at not in self.asked), None)
        near, claims = explained(self.words, self._near())
        text = f"{prose} {near}".strip()
        if example:
            win = next(judged for judged in self.solution.judged(example) if judged.worth.ends and judged.value == WIN)
            said = self._to(example.turn, [MoveWorth(example, win.move, win.worth)])
            text = f"{prose} {self._scene(example, example.turn)} {said.text} {near}".strip()
            claims = (*said.claims, *claims)
        return Step("The goal", text, claims, example, asked)

    def _near(self) -> Iterator[Claim]:
        """The places from which one wins at once, given once where they are the same for both players."""
        first, second = (places_won_at_once(self.solution, player) for player in (1, 2))
        if first and first == second:
            yield teaching.WinsFrom((1, 2), first)
        else:
            yield from (teaching.WinsFrom((player,), places) for player, places in ((1, first), (2, second)) if places)

    # 2. One turn before: a position in which whatever is played loses

    def one_turn_before(self) -> Step:
        """A position that is lost because the other player wins with the next move."""
        if not self.lost:
            return self._nobody_is_lost()
        at = self.lost[0]
        text, claims = self._why_lost(at)
        text = f"Now go one turn back. {text} Whoever is in such a trap is lost, whatever they play."
        asked = self._exercise(self._before(at), "Leave your opponent in such a trap. What do you play?")
        return Step("One turn before", text, claims, at, asked)

    def _nobody_is_lost(self) -> Step:
        text = "In this game nobody is ever trapped: whoever is to move has a move that does not lose."
        claims = [teaching.Secret(self.law)] if self.law else []
        asked = self._exercise(self.deep, "Which move does not let your opponent win?")
        return Step("One turn before", text, tuple(claims), None, asked)

    def _why_lost(self, at: Position) -> Explanation:
        """How the position is lost for the player to move, said to the other one."""
        self.shown.add(at.tokens)
        pairs = best_answers(self.solution, self.solution.judged(at))
        few = len(pairs) <= FEW or len({answer for _, answer in pairs}) == 1
        claims: list[Claim] = [Refuted(at, pairs) if few else Stands(at, self.solution.worth(at))]
        if self.book.rules.shared and not at.last and lost_for_whoever(self.solution, at):
            claims.append(LostForWhoever(at))
        said = self._to(3 - at.turn, claims)
        return Explanation(f"{self._scene(at, 3 - at.turn)} {said.text}", said.claims)

    def _before(self, lost: Position) -> list[Position]:
        """Positions from which a right move leads to a position like this, as near to the end; first those to it."""
        plies = (self.solution.distance(lost) or 0) + 1
        near = [at for at in self.deep if self.solution.distance(at) == plies]
        return sorted(near, key=lambda at: all(judged.after.tokens != lost.tokens for judged in self._kept(at)))

    # 3. Further back, and the next one is for the learner to find

    def further_back(self) -> Step:
        """A position that is lost because every move of it leads back into the trap."""
        depth = self.solution.distance(self.lost[0]) or 0 if self.lost else 0
        at = next((at for at in self.lost if (self.solution.distance(at) or 0) > depth), None)
        at = at or next((at for at in self.lost if at.tokens not in self.shown), None)
        text, claims, question = "Before you move, ask yourself what your opponent would answer.", (), ""
        if at:
            text, claims = self._why_lost(at)
            again = " In the end you win." if (self.solution.distance(at) or 0) > depth else ""
            text = f"Go further back. {text}{again} So this is a trap too: your opponent is lost already."
            question = "Find the next trap yourself: after which move is your opponent lost?"
        return Step("Further back", text, claims, at, self._exercise(self._next_traps(), question))

    def _next_traps(self) -> list[Position]:
        """Positions whose one right move leads to a trap that was not shown yet; others after them."""
        fresh = [at for at in self._single() if all(judged.after.tokens not in self.shown for judged in self._kept(at))]
        deeper = [at for at in fresh if (self.solution.distance(at) or 0) > 3]
        return [*deeper, *fresh, *self.deep]

    # 4. The rule, and why it holds

    def rule(self) -> Step:
        """The rule that tells all traps, and why it holds."""
        text, claims = explained(self.words, self._rules())
        if not self.law:
            text = (
                f"No short rule is known for this game. {text} Before you move, look at every answer of your opponent; "
                "if one of them wins, take another move."
            ).replace("  ", " ")
        singles = self._single()
        asked = self._exercise([*singles[len(singles) // 2 :], *self.deep[len(self.deep) // 2 :], *self.deep])
        example = next((at for at in self._examples() if at not in self.asked), None)
        if example:
            told = self._to(example.turn, hint(self.solution, example, 2, self.names).claims)
            text += f" An example. {self._scene(example, example.turn)} {told.text}"
            claims = (*claims, *told.claims)
        return Step("The rule, and why", text, claims, example, asked)

    def _rules(self) -> Iterator[Claim]:
        """The rule and its reason, moves that always win, the ways to some of the lost places of a shared marker."""
        if self.law:
            yield teaching.Secret(self.law)
            yield from (teaching.AlwaysWins(move) for move in moves_that_always_win(self.solution))
            yield from reasons(self.solution, self.law)
        else:
            yield from self._lost_near_the_goal() or self._lost_examples()
            yield from (teaching.AlwaysWins(move) for move in moves_that_always_win(self.solution))
            yield from habit(self.solution)
        if isinstance(self.law, Numbers):
            one = sorted((at for at in self._single() if at.turn == 1), key=lambda at: at.tokens)
            few = [(at, self._kept(at)[0]) for at in one[:: max(1, -(-len(one) // EXAMPLES))]]
            ways = tuple((at, right.move) for at, right in few if lost_for_whoever(self.solution, right.after))
            if ways:
                yield teaching.WaysToLost(ways)

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

    def _examples(self) -> list[Position]:
        """Positions to show the rule in, neither too near to the end nor too far from it."""
        return sorted(self.deep, key=lambda at: abs((self.solution.distance(at) or 0) - 5))

    # 5. The whole game

    def whole_game(self) -> Step:
        """Who wins from the start and with which move, the rule once more, and a perfect game."""
        first, claims = explained(self.words, self._first_moves())
        short = self.law.in_short(self.words) if self.law else "Before you move, look for your opponent's best answer."
        rule = [teaching.Secret(self.law)] if self.law else []
        line = self.solution.line(self.beginning)
        ends = self.solution.distance(self.beginning) is not None and len(line) <= LONGEST_LINE
        game, more = explained(self.words, [teaching.PerfectGame(self.beginning, line)] if ends else [])
        text = f"{first} {game} In short: {short}".replace("  ", " ")
        asked = self._first_exercise() or self._exercise([*reversed(self._single()), *reversed(self.deep)])
        return Step("The whole game", text, (*claims, *more, *rule), self.beginning, asked)

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
        if best.value != LOSS or len(self._kept(best.after)) == len(self.solution.judged(best.after)):
            return None
        question = f"Your opponent has started with {best.move}. What do you answer?"
        return exercise(self.solution, best.after, self.names, question)

    # Pieces

    def _exercise(self, positions: Iterable[Position], question: str = "") -> Exercise | None:
        """The first of the positions that is not an exercise yet, any other to practise on where there is none."""
        at = next((at for at in [*positions, *self.deep, *self.at_once] if at not in self.asked), None)
        if at is None:
            return None
        self.asked.add(at)
        return exercise(self.solution, at, self.names, question)

    def _scene(self, position: Position, you: int) -> str:
        """Who you are, whose turn it is and how things stand."""
        words = ToYou(self.book, self.names, you=you)
        whose = words.whose(position.turn)
        return f"Say you are {words.names[you - 1]}, and it is {whose} turn. {words.situation(position)}"

    def _to(self, you: int, claims: Iterable[Claim]) -> Explanation:
        """The claims, said to this player."""
        return explained(ToYou(self.book, self.names, you=you), claims)

    def _kept(self, position: Position) -> tuple[Judged, ...]:
        return keeping(self.solution.judged(position))

    def _single(self) -> list[Position]:
        """The positions to practise on in which one move is right, and does not win at once."""
        return [at for at in self.deep if len(self._kept(at)) == 1]
