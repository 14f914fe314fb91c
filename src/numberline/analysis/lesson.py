"""A lesson in five short steps that start at the goal and work backwards to the secret of a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from numberline.analysis import teaching
from numberline.analysis.claims import (
    Claim,
    Explanation,
    LeadsTo,
    LostForWhoever,
    MoveWorth,
    Refuted,
    RightMoves,
    Stands,
    TurnsNeeded,
    explained,
)
from numberline.analysis.exercise import Exercise, ToYou, exercise
from numberline.analysis.explanation import FEW
from numberline.analysis.facts import (
    WHOLE,
    all_positions,
    best_answers,
    lost_for_whoever,
    moves_of,
    moves_that_always_win,
    need_two_players,
)
from numberline.analysis.hint import hint
from numberline.analysis.laws import NEVER, Bans, Nowhere, Numbers, Race
from numberline.analysis.reasons import StaysAhead, habit, reasons
from numberline.analysis.secret import law_of
from numberline.analysis.stock import Stock
from numberline.analysis.words import Words
from numberline.rules.position import Position
from numberline.rules.wording import any_of
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN
from numberline.speech.prose import goal_in_prose

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
    position: Position
    """What is on the board while the text is read."""
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


class _Scene(NamedTuple):
    """What is said of a position, and what that is made from."""

    text: str
    claims: tuple[Claim, ...]
    position: Position


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
        self.reasons = tuple(reasons(solution, self.law)) if self.law else ()
        self.stock = Stock(solution)
        self.opening = self._opening()
        if self.opening:
            self.stock.used.add(self.opening.position)

    # 1. What winning means

    def goal(self) -> Step:
        """What winning means, and from where it is near."""
        prose = goal_in_prose(self.book)
        wins = [
            at for at in self.stock.live if self.solution.worth(at).value == WIN and self.solution.distance(at) == 1
        ]
        to_ask = self.stock.at_once or [at for at in wins if len(self.solution.judged(at)) == 1]
        asked = self._exercise(to_ask) if to_ask else None
        example = self.stock.unused([*reversed(self.stock.at_once), *wins])
        near, claims = explained(self.words, teaching.near_wins(self.solution))
        if not example:
            return Step("The goal", f"{prose} {near}".strip(), claims, self.beginning, asked)
        win = next(judged for judged in self.solution.judged(example) if judged.worth.ends and judged.value == WIN)
        scene = self._scene(example, [MoveWorth(example, win.move, win.worth)], you=example.turn)
        text = "\n\n".join(filter(None, (prose, scene.text, near)))
        return Step("The goal", text, (*scene.claims, *claims), example, asked)

    # 2. One turn before: a position in which whatever is played loses

    def one_turn_before(self) -> Step:
        """A position that is lost because the other player wins with the next move."""
        if not self.stock.lost:
            return self._no_trap_to_show()
        at = self.stock.lost[0]
        text, claims, _ = self._why_lost(at)
        text = f"Now go back by one turn. {text}\n\nThat is a trap: whoever is in it is lost, whatever they play."
        asked = self._exercise(self.stock.before(at), "Leave your opponent in a trap. What do you play?")
        return Step("One turn before", text, claims, at, asked)

    def _no_trap_to_show(self) -> Step:
        """What there is to see where there are no traps, or none with a move to choose in it."""
        text = "Now go back by one turn, and look at what can go wrong."
        rule: list[Claim] = []
        if isinstance(self.law, Nowhere):
            text = "In this game there are no traps: whoever is to move has a move that does not lose."
            rule.append(teaching.Secret(self.law))
        asked, shown = self._exercise(self.stock.deep), self._danger()
        text = "\n\n".join(filter(None, (text, shown.text)))
        return Step("One turn before", text, (*rule, *shown.claims), shown.position, asked)

    def _danger(self) -> _Scene:
        """A position in which something can go wrong, and how."""
        at = self.stock.unused(self.stock.deep)
        if at is None:
            return _Scene("", (), self.beginning)
        kept = self.stock.kept(at)
        losing = [judged for judged in self.solution.judged(at) if judged.value == LOSS]
        claims: list[Claim] = [RightMoves(at, kept[0].value, moves_of(kept))]
        if 0 < len(losing) <= FEW:
            claims.append(Refuted(at, best_answers(self.solution, losing)))
        self.stock.used.add(at)
        return self._scene(at, claims, you=at.turn)

    def _why_lost(self, at: Position) -> _Scene:
        """How the position is lost for the player to move, said to the other one."""
        self.stock.shown.add(at.tokens)
        pairs = best_answers(self.solution, self.solution.judged(at))
        few = len(pairs) <= FEW or len({answer for _, answer in pairs}) == 1
        claims: list[Claim] = [Refuted(at, pairs) if few else Stands(at, self.solution.worth(at))]
        if self.book.rules.shared and not at.last and lost_for_whoever(self.solution, at):
            claims.append(LostForWhoever(at))
        return self._scene(at, claims, you=3 - at.turn)

    # 3. Further back, and the next one is for the learner to find

    def further_back(self) -> Step:
        """A position that is lost because whatever is played there leads back into a trap."""
        first = self.stock.depth(self.stock.lost[0]) if self.stock.lost else 0
        deeper = next((at for at in self.stock.lost if self.stock.depth(at) > first), None)
        at = deeper or next((at for at in self.stock.lost if at.tokens not in self.stock.shown), None)
        if not at:
            asked, shown = self._exercise(self.stock.deep), self._danger()
            text = f"{shown.text}\n\nBefore you move, ask yourself what your opponent would answer.".lstrip()
            return Step("Further back", text, shown.claims, shown.position, asked)
        text, claims, _ = self._why_lost(at)
        if deeper:
            text = f"Go back further. {text}\n\nSo this is a trap too: you win, or you can trap your opponent again."
        else:
            text = f"Here is another trap. {text}"
        question = "Find the next trap yourself: after which move is your opponent lost?"
        return Step("Further back", text, claims, at, self._exercise(self.stock.next_traps(), question))

    # 4. The rule, and why it holds

    def rule(self) -> Step:
        """An example, the rule that tells all traps, and why it holds."""
        singles = self.stock.single
        asked = self._exercise([*singles[len(singles) // 2 :], *self.stock.deep[len(self.stock.deep) // 2 :]])
        won = [at for at in self.stock.live if self.solution.value(at) == WIN and self.stock.depth(at) < NEVER]
        example = self.stock.unused(sorted(self.stock.deep, key=self.stock.off_middle)) or self.stock.unused(won)
        parts = [explained(self.words, claims) for claims in (self._rules(), self._reasons(), self._ways())]
        if example:
            parts.insert(0, Explanation(*self._example(example)[:2]))
        texts = [part.text for part in parts if part.text]
        claims = tuple(claim for part in parts for claim in part.claims)
        return Step("The rule, and why", "\n\n".join(texts), claims, example or self.beginning, asked)

    def _example(self, at: Position) -> _Scene:
        """A right move, and what there is to see in it."""
        move = hint(self.solution, at, 2, self.names)
        claims = move.claims
        if isinstance(self.law, Race) and not self.law.exceptions:
            after = self.book.after(at, move.move)
            mine, theirs = (self.law.count(after, player) for player in (after.turn, at.turn))
            if not self.book.winner(after) and mine < NEVER > theirs and not self.law.forgets_bans:
                claims = (LeadsTo(at, move.move), TurnsNeeded(after, mine, theirs))
        return self._scene(at, claims, you=at.turn)

    def _rules(self) -> Iterator[Claim]:
        """The rule; where none is known a few lost positions."""
        if self.law:
            yield teaching.Secret(self.law)
        else:
            yield teaching.NoRule(too_large=not all_positions(self.solution, WHOLE))
            yield from self._lost_near_the_goal() or self._lost_examples()
        if not self.stock.deep and not self.stock.at_once and all_positions(self.solution, WHOLE):
            yield teaching.NothingToChoose()
        yield from (teaching.AlwaysWins(move) for move in moves_that_always_win(self.solution))

    def _reasons(self) -> Iterator[Claim]:
        """Why the rule holds; where none is known what all traps have in common, and a good habit."""
        if self.law:
            yield from self.reasons
        else:
            yield teaching.EveryTrap()
            yield from habit(self.solution)

    def _ways(self) -> Iterator[Claim]:
        """The ways to some of the lost places of a shared marker."""
        if isinstance(self.law, Numbers):
            one = sorted((at for at in self.stock.single if at.turn == 1), key=lambda at: at.tokens)
            few = [(at, self.stock.kept(at)[0]) for at in one[:: max(1, -(-len(one) // EXAMPLES))]]
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
        by_depth = {self.solution.distance(at) or 0: at for at in reversed(self.stock.lost)}
        few = [by_depth[plies] for plies in sorted(by_depth)][: EXAMPLES - 1]
        return [teaching.LostExamples(tuple(few))] if few else []

    # 5. The whole game

    def whole_game(self) -> Step:
        """Who wins from the start and with which move, the rule once more, and a perfect game."""
        first, claims = explained(self.words, teaching.first_moves(self.solution))
        line = self.solution.line(self.beginning)
        ends = self.solution.distance(self.beginning) is not None and len(line) <= LONGEST_LINE
        game, more = explained(self.words, [teaching.PerfectGame(self.beginning, line)] if ends else [])
        short, rule = self._in_short()
        text = "\n\n".join(filter(None, (first, game, f"In short: {short[:1].lower()}{short[1:]}")))
        asked = self.opening or self._exercise([*reversed(self.stock.single), *reversed(self.stock.deep)])
        return Step("The whole game", text, (*claims, *more, *rule), self.beginning, asked)

    def _in_short(self) -> Explanation:
        """What is best remembered."""
        always = moves_that_always_win(self.solution)
        if not self.law:
            return Explanation("Before you move, look for your opponent's best answer.", ())
        if isinstance(self.law, Bans) and always:
            return Explanation(f"Play {any_of(always)} whenever you may.", tuple(map(teaching.AlwaysWins, always)))
        short = self.law.in_short(self.words)
        if any(isinstance(reason, StaysAhead) for reason in self.reasons):
            short += " Each turn, make your own count smaller."
        return Explanation(short, (teaching.Secret(self.law), *self.reasons))

    def _opening(self) -> Exercise | None:
        """The start itself, or where that is lost the position after the best first move of the other."""
        if len(self.stock.kept(self.beginning)) < len(self.solution.judged(self.beginning)):
            return exercise(self.solution, self.beginning, self.names, "It is the first move. What do you play?")
        best = self.solution.trickiest(self.beginning)[0]
        if best.value != LOSS or len(self.stock.kept(best.after)) == len(self.solution.judged(best.after)):
            return None
        question = f"Your opponent has started with {best.move}. What do you answer?"
        return exercise(self.solution, best.after, self.names, question)

    # Pieces

    def _exercise(self, positions: Iterable[Position], question: str = "") -> Exercise | None:
        """The first of the positions that is new, any other to practise on where there is none."""
        at = self.stock.unused([*positions, *self.stock.deep]) or self.stock.unused(self.stock.at_once)
        if at is None:
            return None
        self.stock.used.add(at)
        return exercise(self.solution, at, self.names, question if self.solution.value(at) == WIN else "")

    def _scene(self, position: Position, claims: Iterable[Claim], *, you: int) -> _Scene:
        """Who you are, whose turn it is, how things stand, and what there is to say of it."""
        words = ToYou(self.book, self.names, you=you)
        said = explained(words, claims)
        whose = f"Say you are {words.names[you - 1]}, and it is {words.whose(position.turn)} turn."
        return _Scene(f"{whose} {words.situation(position)} {said.text}", said.claims, position)
