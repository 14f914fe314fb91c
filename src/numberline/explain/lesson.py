"""A lesson in five short steps that start at the goal and work backwards to the secret of a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from numberline.explain import claims
from numberline.explain.claims import (
    Claim,
    CorrectMoves,
    Explanation,
    LostForEitherSide,
    MoveEffectClaim,
    MoveValueClaim,
    PositionValueClaim,
    Refutations,
    StaysAhead,
    TurnsNeeded,
    combine_claims,
)
from numberline.explain.explanation import MAX_LISTED_MOVES
from numberline.explain.hint import hint
from numberline.explain.losing_patterns import (
    UNREACHABLE_TURNS,
    BannedSteps,
    LosingNumbers,
    NoLosingPositions,
    RaceCount,
)
from numberline.explain.pattern_search import explain_pattern, find_losing_pattern, rule_of_thumb
from numberline.explain.phrases import Phrases
from numberline.explain.queries import (
    MAX_ANALYSED_POSITIONS,
    all_positions,
    always_winning_moves,
    best_replies,
    immediate_win_places,
    is_lost_for_either_side,
    moves_of,
    require_two_players,
    value_preserving,
)
from numberline.explain.rules_text import describe_goal
from numberline.explain.worksheet import Exercise, SecondPersonPhrases, exercise, practice_positions, sample_positions
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation
from numberline.text import join_or

EXAMPLE_DEPTH_PLIES = 5
"""An example of the rule is best so many turns before the end."""


class LessonMaterial:
    """What there is to choose from in one book."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.book = solution.book
        self.live = all_positions(solution, MAX_ANALYSED_POSITIONS) or sample_positions(solution)
        practise = practice_positions(solution)
        self.immediate_wins = [at for at in practise if solution.distance(at) == 1]
        """Where one move, or some, win at once, and others do not."""
        self.deeper_exercises = [at for at in practise if solution.distance(at) != 1]
        """The other positions in which something can be thrown away."""
        self.used: set[Position] = set()
        """What is an exercise already."""
        self.shown: set[tuple[int, ...]] = set()
        """Where the tokens stand in what was already shown as lost."""

    @cached_property
    def lost(self) -> list[Position]:
        """The positions that are lost although there is a move: those near to the end first, then the closest races."""
        lost = [
            at for at in self.live if self.solution.value(at) == LOSS and self.book.moves(at)[0] not in FORCED_MOVES
        ]
        return sorted(lost, key=lambda at: (self.depth(at), len(self.book.moves(at)) == 1, self._apart(at)))

    @cached_property
    def one_right_move(self) -> list[Position]:
        """The positions in which one move is right, and does not win at once."""
        return [at for at in self.deeper_exercises if len(self.correct_moves(at)) == 1]

    def first_unused(self, positions: Iterable[Position]) -> Position | None:
        """The first that is no exercise yet, if there is one with tokens elsewhere than in any exercise."""
        new = [at for at in positions if at not in self.used]
        places = {tuple(sorted(at.tokens)) for at in self.used}
        return next((at for at in new if tuple(sorted(at.tokens)) not in places), next(iter(new), None))

    def before(self, lost: Position) -> list[Position]:
        """Positions from which a right move leads to one that is lost as soon as this; first those that lead to it."""
        plies = (self.solution.distance(lost) or 0) + 1
        near = [at for at in self.deeper_exercises if self.solution.distance(at) == plies]
        return sorted(near, key=lambda at: all(judged.after.tokens != lost.tokens for judged in self.correct_moves(at)))

    def next_trap_candidates(self) -> list[Position]:
        """Positions whose one right move leads to a trap that was not shown yet; others after them."""
        fresh = [
            at
            for at in self.one_right_move
            if all(judged.after.tokens not in self.shown for judged in self.correct_moves(at))
        ]
        deeper = [at for at in fresh if self.depth(at) > 3]
        return [*deeper, *fresh, *self.deeper_exercises]

    def correct_moves(self, position: Position) -> tuple[MoveEvaluation, ...]:
        """The right moves."""
        return value_preserving(self.solution.evaluate_moves(position))

    def depth(self, position: Position) -> int:
        """How many turns are left; where whoever moves just loses at once, that comes last."""
        plies = self.solution.distance(position) or 0
        return plies if plies > 1 else UNREACHABLE_TURNS

    def example_depth_error(self, position: Position) -> int:
        """How far a position is from one that is neither too plain nor too deep for an example."""
        return abs(self.depth(position) - EXAMPLE_DEPTH_PLIES)

    def _apart(self, position: Position) -> int:
        """How far apart the players are in what is left to go: a close race is a better example."""
        if self.book.rules.shared:
            return 0
        first, second = (
            sum(self.book.distance_to_goal(p, at) for at in self.book.tokens_of(position, p)) for p in (1, 2)
        )
        return abs(first - second)


MAX_EXAMPLES = 4
"""So many examples are given in one sentence."""
MAX_PLACES_FROM_GOAL = 40
"""Of a very long line so many places before the goal are looked at."""
MAX_SHOWN_GAME_PLIES = 30
"""A longer game is not shown move by move."""


class LessonStep(NamedTuple):
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
    steps: tuple[LessonStep, ...]


def lesson(solution: Solution, names: Sequence[str] = ()) -> Lesson:
    """The lesson of a book; raises `AnalysisError` for more than two players."""
    require_two_players(solution.book, "lessons")
    maker = _LessonBuilder(solution, names)
    steps = (maker.goal(), maker.one_turn_before(), maker.further_back(), maker.rule(), maker.whole_game())
    return Lesson(solution.book.variant, steps)


class _Scene(NamedTuple):
    """What is said of a position, and what that is made from."""

    text: str
    claims: tuple[Claim, ...]
    position: Position


class _LessonBuilder:
    """Everything that a lesson is made of."""

    def __init__(self, solution: Solution, names: Sequence[str]) -> None:
        self.solution = solution
        self.book = solution.book
        self.names = names
        self.words = Phrases(solution.book, names)
        self.start_position = solution.book.start()
        law = find_losing_pattern(solution)
        self.pattern = law if law and law.full_text(self.words) else None
        self.reasons = tuple(explain_pattern(solution, self.pattern)) if self.pattern else ()
        self.material = LessonMaterial(solution)
        self.opening = self._opening()
        if self.opening:
            self.material.used.add(self.opening.position)

    # 1. What winning means

    def goal(self) -> LessonStep:
        """What winning means, and from where it is near."""
        prose = describe_goal(self.book)
        wins = [
            at for at in self.material.live if self.solution.worth(at).value == WIN and self.solution.distance(at) == 1
        ]
        to_ask = self.material.immediate_wins or [at for at in wins if len(self.solution.evaluate_moves(at)) == 1]
        asked = self._exercise(to_ask) if to_ask else None
        example = self.material.first_unused([*reversed(self.material.immediate_wins), *wins])
        near, near_claims = combine_claims(self.words, immediate_win_claims(self.solution))
        if not example:
            return LessonStep("The goal", f"{prose} {near}".strip(), near_claims, self.start_position, asked)
        win = next(
            judged for judged in self.solution.evaluate_moves(example) if judged.worth.ends_game and judged.value == WIN
        )
        scene = self._scene(example, [MoveValueClaim(example, win.move, win.worth)], you=example.turn)
        text = "\n\n".join(filter(None, (prose, scene.text, near)))
        return LessonStep("The goal", text, (*scene.claims, *near_claims), example, asked)

    # 2. One turn before: a position in which whatever is played loses

    def one_turn_before(self) -> LessonStep:
        """A position that is lost because the other player wins with the next move."""
        if not self.material.lost:
            return self._no_trap_to_show()
        at = self.material.lost[0]
        text, claims, _ = self._why_lost(at)
        text = f"Now go back by one turn. {text}\n\nThat is a trap: whoever is in it is lost, whatever they play."
        asked = self._exercise(self.material.before(at), "Leave your opponent in a trap. What do you play?")
        return LessonStep("One turn before", text, claims, at, asked)

    def _no_trap_to_show(self) -> LessonStep:
        """What there is to see where there are no traps, or none with a move to choose in it."""
        text = "Now go back by one turn, and look at what can go wrong."
        rule: list[Claim] = []
        if isinstance(self.pattern, NoLosingPositions):
            text = "In this game there are no traps: whoever is to move has a move that does not lose."
            rule.append(claims.PatternStatement(self.pattern))
        asked, shown = self._exercise(self.material.deeper_exercises), self._danger()
        text = "\n\n".join(filter(None, (text, shown.text)))
        return LessonStep("One turn before", text, (*rule, *shown.claims), shown.position, asked)

    def _danger(self) -> _Scene:
        """A position in which something can go wrong, and how."""
        at = self.material.first_unused(self.material.deeper_exercises)
        if at is None:
            return _Scene("", (), self.start_position)
        kept = self.material.correct_moves(at)
        losing = [judged for judged in self.solution.evaluate_moves(at) if judged.value == LOSS]
        claims: list[Claim] = [CorrectMoves(at, kept[0].value, moves_of(kept))]
        if 0 < len(losing) <= MAX_LISTED_MOVES:
            claims.append(Refutations(at, best_replies(self.solution, losing)))
        self.material.used.add(at)
        return self._scene(at, claims, you=at.turn)

    def _why_lost(self, at: Position) -> _Scene:
        """How the position is lost for the player to move, said to the other one."""
        self.material.shown.add(at.tokens)
        pairs = best_replies(self.solution, self.solution.evaluate_moves(at))
        few = len(pairs) <= MAX_LISTED_MOVES or len({answer for _, answer in pairs}) == 1
        claims: list[Claim] = [Refutations(at, pairs) if few else PositionValueClaim(at, self.solution.worth(at))]
        if self.book.rules.shared and not at.last and is_lost_for_either_side(self.solution, at):
            claims.append(LostForEitherSide(at))
        return self._scene(at, claims, you=3 - at.turn)

    # 3. Further back, and the next one is for the learner to find

    def further_back(self) -> LessonStep:
        """A position that is lost because whatever is played there leads back into a trap."""
        first = self.material.depth(self.material.lost[0]) if self.material.lost else 0
        deeper = next((at for at in self.material.lost if self.material.depth(at) > first), None)
        at = deeper or next((at for at in self.material.lost if at.tokens not in self.material.shown), None)
        if not at:
            asked, shown = self._exercise(self.material.deeper_exercises), self._danger()
            text = f"{shown.text}\n\nBefore you move, ask yourself what your opponent would answer.".lstrip()
            return LessonStep("Further back", text, shown.claims, shown.position, asked)
        text, claims, _ = self._why_lost(at)
        if deeper:
            text = f"Go back further. {text}\n\nSo this is a trap too: you win, or you can trap your opponent again."
        else:
            text = f"Here is another trap. {text}"
        question = "Find the next trap yourself: after which move is your opponent lost?"
        return LessonStep(
            "Further back", text, claims, at, self._exercise(self.material.next_trap_candidates(), question)
        )

    # 4. The rule, and why it holds

    def rule(self) -> LessonStep:
        """An example, the rule that tells all traps, and why it holds."""
        singles = self.material.one_right_move
        asked = self._exercise(
            [*singles[len(singles) // 2 :], *self.material.deeper_exercises[len(self.material.deeper_exercises) // 2 :]]
        )
        won = [
            at
            for at in self.material.live
            if self.solution.value(at) == WIN and self.material.depth(at) < UNREACHABLE_TURNS
        ]
        example = self.material.first_unused(
            sorted(self.material.deeper_exercises, key=self.material.example_depth_error)
        ) or self.material.first_unused(won)
        parts = [combine_claims(self.words, claims) for claims in (self._rules(), self._reasons(), self._ways())]
        if example:
            parts.insert(0, Explanation(*self._example(example)[:2]))
        texts = [part.text for part in parts if part.text]
        claims = tuple(claim for part in parts for claim in part.claims)
        return LessonStep("The rule, and why", "\n\n".join(texts), claims, example or self.start_position, asked)

    def _example(self, at: Position) -> _Scene:
        """A right move, and what there is to see in it."""
        move = hint(self.solution, at, 2, self.names)
        claims = move.claims
        if isinstance(self.pattern, RaceCount) and not self.pattern.exceptions:
            after = self.book.after(at, move.move)
            mine, theirs = (self.pattern.count(after, player) for player in (after.turn, at.turn))
            if not self.book.winner(after) and mine < UNREACHABLE_TURNS > theirs and not self.pattern.ignores_bans:
                claims = (MoveEffectClaim(at, move.move), TurnsNeeded(after, mine, theirs))
        return self._scene(at, claims, you=at.turn)

    def _rules(self) -> Iterator[Claim]:
        """The rule; where none is known a few lost positions."""
        if self.pattern:
            yield claims.PatternStatement(self.pattern)
        else:
            yield claims.NoPatternFound(too_large=not all_positions(self.solution, MAX_ANALYSED_POSITIONS))
            yield from self._lost_near_the_goal() or self._lost_examples()
        if (
            not self.material.deeper_exercises
            and not self.material.immediate_wins
            and all_positions(self.solution, MAX_ANALYSED_POSITIONS)
        ):
            yield claims.NoDecisions()
        yield from (claims.AlwaysWins(move) for move in always_winning_moves(self.solution))

    def _reasons(self) -> Iterator[Claim]:
        """Why the rule holds; where none is known what all traps have in common, and a good habit."""
        if self.pattern:
            yield from self.reasons
        else:
            yield claims.TrapsExplained()
            yield from rule_of_thumb(self.solution)

    def _ways(self) -> Iterator[Claim]:
        """The ways to some of the lost places of a shared marker."""
        if isinstance(self.pattern, LosingNumbers):
            one = sorted((at for at in self.material.one_right_move if at.turn == 1), key=lambda at: at.tokens)
            few = [(at, self.material.correct_moves(at)[0]) for at in one[:: max(1, -(-len(one) // MAX_EXAMPLES))]]
            ways = tuple((at, right.move) for at, right in few if is_lost_for_either_side(self.solution, right.after))
            if ways:
                yield claims.WinningRoutes(ways)

    def _lost_near_the_goal(self) -> list[Claim]:
        """On a long line with a marker for all: the lost places nearest to the goal."""
        rules = self.book.rules
        if not rules.shared or rules.repeat == "banned" or len(set(rules.goals)) > 1:
            return []
        goal, way = rules.goals[0][-1], 1 if rules.goals[0][-1] > rules.starts[0] else -1
        near = [goal - way * back for back in range(1, MAX_PLACES_FROM_GOAL)]
        lost = [place for place in near if is_lost_for_either_side(self.solution, Position(1, (place,)))]
        return [claims.LosingPlaces(tuple(sorted(lost)))] if lost else []

    def _lost_examples(self) -> list[Claim]:
        """A few lost positions, each of another depth, those nearest to the end first."""
        by_depth = {self.solution.distance(at) or 0: at for at in reversed(self.material.lost)}
        few = [by_depth[plies] for plies in sorted(by_depth)][: MAX_EXAMPLES - 1]
        return [claims.LostExamples(tuple(few))] if few else []

    # 5. The whole game

    def whole_game(self) -> LessonStep:
        """Who wins from the start and with which move, the rule once more, and a perfect game."""
        first, opening = combine_claims(self.words, opening_claims(self.solution))
        line = self.solution.line(self.start_position)
        ends = self.solution.distance(self.start_position) is not None and len(line) <= MAX_SHOWN_GAME_PLIES
        game, more = combine_claims(self.words, [claims.PerfectGame(self.start_position, line)] if ends else [])
        short, rule = self._in_short()
        text = "\n\n".join(filter(None, (first, game, f"In short: {short[:1].lower()}{short[1:]}")))
        asked = self.opening or self._exercise(
            [*reversed(self.material.one_right_move), *reversed(self.material.deeper_exercises)]
        )
        return LessonStep("The whole game", text, (*opening, *more, *rule), self.start_position, asked)

    def _in_short(self) -> Explanation:
        """What is best remembered."""
        always = always_winning_moves(self.solution)
        if not self.pattern:
            return Explanation("Before you move, look for your opponent's best answer.", ())
        if isinstance(self.pattern, BannedSteps) and always:
            return Explanation(f"Play {join_or(always)} whenever you may.", tuple(map(claims.AlwaysWins, always)))
        short = self.pattern.summary(self.words)
        if any(isinstance(reason, StaysAhead) for reason in self.reasons):
            short += " Each turn, make your own count smaller."
        return Explanation(short, (claims.PatternStatement(self.pattern), *self.reasons))

    def _opening(self) -> Exercise | None:
        """The start itself, or where that is lost the position after the best first move of the other."""
        if len(self.material.correct_moves(self.start_position)) < len(
            self.solution.evaluate_moves(self.start_position)
        ):
            return exercise(self.solution, self.start_position, self.names, "It is the first move. What do you play?")
        best = self.solution.hardest_to_answer(self.start_position)[0]
        if best.value != LOSS or len(self.material.correct_moves(best.after)) == len(
            self.solution.evaluate_moves(best.after)
        ):
            return None
        question = f"Your opponent has started with {best.move}. What do you answer?"
        return exercise(self.solution, best.after, self.names, question)

    # Pieces

    def _exercise(self, positions: Iterable[Position], question: str = "") -> Exercise | None:
        """The first of the positions that is new, any other to practise on where there is none."""
        at = self.material.first_unused([*positions, *self.material.deeper_exercises]) or self.material.first_unused(
            self.material.immediate_wins
        )
        if at is None:
            return None
        self.material.used.add(at)
        return exercise(self.solution, at, self.names, question if self.solution.value(at) == WIN else "")

    def _scene(self, position: Position, claims: Iterable[Claim], *, you: int) -> _Scene:
        """Who you are, whose turn it is, how things stand, and what there is to say of it."""
        words = SecondPersonPhrases(self.book, self.names, you=you)
        said = combine_claims(words, claims)
        whose = f"Say you are {words.names[you - 1]}, and it is {words.whose(position.turn)} turn."
        return _Scene(f"{whose} {words.situation_sentence(position)} {said.text}", said.claims, position)


def immediate_win_claims(solution: Solution) -> Iterator[claims.ImmediateWins]:
    """The places from which one wins at once, given once where they are the same for both players."""
    first, second = (immediate_win_places(solution, player) for player in (1, 2))
    if first and first == second:
        yield claims.ImmediateWins((1, 2), first)
    else:
        yield from (claims.ImmediateWins((player,), places) for player, places in ((1, first), (2, second)) if places)


def opening_claims(solution: Solution) -> Iterator[Claim]:
    """Who wins from the start, with which first moves, and how the others lose."""
    starts = solution.book.starts()
    first, second = (solution.worth(start).winner for start in starts)
    yield claims.GameValue((first, second))
    right: dict[tuple[str, tuple[str, ...]], list[Position]] = {}
    for start in starts:
        kept = value_preserving(solution.evaluate_moves(start))
        right.setdefault((kept[0].value, moves_of(kept)), []).append(start)
    yield from (claims.OpeningMoves(tuple(at), value, moves) for (value, moves), at in right.items() if value != LOSS)
    if len({moves for _, moves in right}) == 1:
        legal = solution.evaluate_moves(starts[0])
        losing = [judged for judged in legal if judged.value == LOSS]
        if 0 < len(losing) <= MAX_LISTED_MOVES:
            kept = value_preserving(legal)
            yield claims.LosingOpenings(starts[0], best_replies(solution, losing), kept[0].value, len(kept))
