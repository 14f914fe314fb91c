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
from numberline.analysis.exercise import Exercise, ToYou, exercise, some_positions, to_practise
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
from numberline.analysis.laws import NEVER, Bans, Numbers, Race
from numberline.analysis.reasons import StaysAhead, habit, reasons
from numberline.analysis.secret import law_of
from numberline.analysis.words import Words
from numberline.rules.moves import FORCED
from numberline.rules.position import Position
from numberline.rules.wording import any_of
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
        self.reasons = tuple(reasons(solution, law)) if law else ()
        self.live = all_positions(solution) or some_positions(solution)
        lost = [at for at in self.live if solution.value(at) == LOSS and self.book.moves(at)[0] not in FORCED]
        self.lost = sorted(lost, key=lambda at: (self._depth(at), len(solution.judged(at)) == 1, self._apart(at)))
        practise = to_practise(solution)
        self.at_once = [at for at in practise if solution.distance(at) == 1]
        self.deep = [at for at in practise if solution.distance(at) != 1]
        self.opening = self._opening()
        self.asked = {self.opening.position} if self.opening else set()
        """What is an exercise; the opening is kept for the last step."""
        self.shown: set[tuple[int, ...]] = set()
        """Where the tokens stand in what was already shown as lost."""

    # 1. What winning means

    def goal(self) -> Step:
        """What winning means, and from where it is near."""
        prose = next(section.text for section in rules_in_prose(self.book) if section.heading == "The goal")
        wins = [at for at in self.live if self._wins_at_once(at)]
        to_ask = self.at_once or [at for at in wins if len(self.solution.judged(at)) == 1]
        asked = self._exercise(to_ask) if to_ask else None
        example = self._unused([*reversed(self.at_once), *wins])
        near, claims = explained(self.words, self._near())
        if not example:
            return Step("The goal", f"{prose} {near}".strip(), claims, self.beginning, asked)
        win = next(judged for judged in self.solution.judged(example) if judged.worth.ends and judged.value == WIN)
        scene = self._scene(example, [MoveWorth(example, win.move, win.worth)], you=example.turn)
        text = "\n\n".join(filter(None, (prose, scene.text, near)))
        return Step("The goal", text, (*scene.claims, *claims), example, asked)

    def _wins_at_once(self, position: Position) -> bool:
        return self.solution.distance(position) == 1 and self.solution.value(position) == WIN

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
        text, claims, _ = self._why_lost(at)
        text = f"Now go back by one turn. {text}\n\nThat is a trap: whoever is in it is lost, whatever they play."
        asked = self._exercise(self._before(at), "Leave your opponent in a trap. What do you play?")
        return Step("One turn before", text, claims, at, asked)

    def _nobody_is_lost(self) -> Step:
        """What there is to see where there are no traps."""
        text = "In this game there are no traps: whoever is to move has a move that does not lose."
        asked = self._exercise(self.deep)
        shown = self._danger()
        rule = (teaching.Secret(self.law),) if self.law else ()
        text = "\n\n".join(filter(None, (text, shown.text)))
        return Step("One turn before", text, (*rule, *shown.claims), shown.position, asked)

    def _danger(self) -> _Scene:
        """A position in which something can go wrong, and how."""
        at = self._unused(self.deep)
        if at is None:
            return _Scene("", (), self.beginning)
        kept = self._kept(at)
        losing = [judged for judged in self.solution.judged(at) if judged.value == LOSS]
        claims: list[Claim] = [RightMoves(at, kept[0].value, moves_of(kept))]
        if 0 < len(losing) <= FEW:
            claims.append(Refuted(at, best_answers(self.solution, losing)))
        self.asked.add(at)
        return self._scene(at, claims, you=at.turn)

    def _why_lost(self, at: Position) -> _Scene:
        """How the position is lost for the player to move, said to the other one."""
        self.shown.add(at.tokens)
        pairs = best_answers(self.solution, self.solution.judged(at))
        few = len(pairs) <= FEW or len({answer for _, answer in pairs}) == 1
        claims: list[Claim] = [Refuted(at, pairs) if few else Stands(at, self.solution.worth(at))]
        if self.book.rules.shared and not at.last and lost_for_whoever(self.solution, at):
            claims.append(LostForWhoever(at))
        return self._scene(at, claims, you=3 - at.turn)

    def _before(self, lost: Position) -> list[Position]:
        """Positions from which a right move leads to a position like this, as near to the end; first those to it."""
        plies = (self.solution.distance(lost) or 0) + 1
        near = [at for at in self.deep if self.solution.distance(at) == plies]
        return sorted(near, key=lambda at: all(judged.after.tokens != lost.tokens for judged in self._kept(at)))

    # 3. Further back, and the next one is for the learner to find

    def further_back(self) -> Step:
        """A position that is lost because whatever is played there leads back into a trap."""
        first = self._depth(self.lost[0]) if self.lost else 0
        deeper = next((at for at in self.lost if self._depth(at) > first), None)
        at = deeper or next((at for at in self.lost if at.tokens not in self.shown), None)
        if not at:
            asked, shown = self._exercise(self.deep), self._danger()
            text = f"{shown.text}\n\nBefore you move, ask yourself what your opponent would answer.".lstrip()
            return Step("Further back", text, shown.claims, shown.position, asked)
        text, claims, _ = self._why_lost(at)
        if deeper:
            text = f"Go back further. {text}\n\nSo this is a trap too: you win, or you can trap your opponent again."
        else:
            text = f"Here is another trap. {text}"
        question = "Find the next trap yourself: after which move is your opponent lost?"
        return Step("Further back", text, claims, at, self._exercise(self._next_traps(), question))

    def _next_traps(self) -> list[Position]:
        """Positions whose one right move leads to a trap that was not shown yet; others after them."""
        fresh = [at for at in self._single() if all(judged.after.tokens not in self.shown for judged in self._kept(at))]
        deeper = [at for at in fresh if self._depth(at) > 3]
        return [*deeper, *fresh, *self.deep]

    # 4. The rule, and why it holds

    def rule(self) -> Step:
        """An example, the rule that tells all traps, and why it holds."""
        singles = self._single()
        asked = self._exercise([*singles[len(singles) // 2 :], *self.deep[len(self.deep) // 2 :]])
        won = [at for at in self.live if self.solution.value(at) == WIN and self._depth(at) < NEVER]
        example = self._unused(sorted(self.deep, key=self._off_middle)) or self._unused(won)
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
            yield teaching.NoRule(too_large=not all_positions(self.solution))
            yield from self._lost_near_the_goal() or self._lost_examples()
        if not self.deep and not self.at_once and all_positions(self.solution):
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
        few = [by_depth[plies] for plies in sorted(by_depth)][: EXAMPLES - 1]
        return [teaching.LostExamples(tuple(few))] if few else []

    # 5. The whole game

    def whole_game(self) -> Step:
        """Who wins from the start and with which move, the rule once more, and a perfect game."""
        first, claims = explained(self.words, self._first_moves())
        line = self.solution.line(self.beginning)
        ends = self.solution.distance(self.beginning) is not None and len(line) <= LONGEST_LINE
        game, more = explained(self.words, [teaching.PerfectGame(self.beginning, line)] if ends else [])
        short, rule = self._in_short()
        text = "\n\n".join(filter(None, (first, game, f"In short: {short[:1].lower()}{short[1:]}")))
        asked = self.opening or self._exercise([*reversed(self._single()), *reversed(self.deep)])
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

    def _opening(self) -> Exercise | None:
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
        """The first of the positions that is new, any other to practise on where there is none."""
        at = self._unused([*positions, *self.deep]) or self._unused(self.at_once)
        if at is None:
            return None
        self.asked.add(at)
        return exercise(self.solution, at, self.names, question if self.solution.value(at) == WIN else "")

    def _unused(self, positions: Iterable[Position]) -> Position | None:
        """The first that is no exercise yet, if there is one with tokens elsewhere than in any exercise."""
        new = [at for at in positions if at not in self.asked]
        places = {tuple(sorted(at.tokens)) for at in self.asked}
        return next((at for at in new if tuple(sorted(at.tokens)) not in places), next(iter(new), None))

    def _depth(self, lost: Position) -> int:
        """How many turns are left; where the one who moves just loses at once, that comes last."""
        plies = self.solution.distance(lost) or 0
        return plies if plies > 1 else NEVER

    def _off_middle(self, position: Position) -> int:
        """How far a position is from one that is neither too plain nor too deep for an example."""
        return abs(self._depth(position) - 5)

    def _apart(self, position: Position) -> int:
        """How far apart the players are in what is left to go: a close race is a better example."""
        if self.book.rules.shared:
            return 0
        first, second = (sum(self.book.left_to_go(p, at) for at in self.book.own(position, p)) for p in (1, 2))
        return abs(first - second)

    def _scene(self, position: Position, claims: Iterable[Claim], *, you: int) -> _Scene:
        """Who you are, whose turn it is, how things stand, and what there is to say of it."""
        words = ToYou(self.book, self.names, you=you)
        said = explained(words, claims)
        whose = f"Say you are {words.names[you - 1]}, and it is {words.whose(position.turn)} turn."
        return _Scene(f"{whose} {words.situation(position)} {said.text}", said.claims, position)

    def _kept(self, position: Position) -> tuple[Judged, ...]:
        return keeping(self.solution.judged(position))

    def _single(self) -> list[Position]:
        """The positions to practise on in which one move is right, and does not win at once."""
        return [at for at in self.deep if len(self._kept(at)) == 1]
