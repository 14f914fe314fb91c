"""Lessons: five short steps that work backwards from the goal to the secret of a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from numberline.explain import claims, losing_patterns, queries
from numberline.explain.claims import Claim, Explanation, combine_claims
from numberline.explain.explanation import hint
from numberline.explain.phrases import Phrases, SecondPersonPhrases
from numberline.explain.rules_text import describe_goal
from numberline.explain.worksheet import Exercise, exercise, practice_positions, sample_positions
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation
from numberline.text import join_or

EXAMPLE_DEPTH_PLIES = 5
"""Preferred depth of the example that illustrates the rule."""
MAX_EXAMPLES = 4
MAX_PLACES_FROM_GOAL = 40
MAX_SHOWN_GAME_PLIES = 30


class LessonStep(NamedTuple):
    """One step of a lesson."""

    title: str
    text: str
    claims: tuple[Claim, ...]
    position: Position
    """Position shown next to the text."""
    exercise: Exercise | None = None


class Lesson(NamedTuple):
    variant: str
    steps: tuple[LessonStep, ...]


def lesson(solution: Solution, names: Sequence[str] = ()) -> Lesson:
    """Return the lesson for a book; raise `AnalysisError` if it has more than two players."""
    queries.require_two_players(solution.book, "lessons")
    builder = _LessonBuilder(solution, names)
    steps = (builder.goal(), builder.one_turn_before(), builder.further_back(), builder.rule(), builder.whole_game())
    return Lesson(solution.book.variant, steps)


class _Material:
    """Positions available for examples and exercises, and those already used."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.book = solution.book
        self.positions = queries.analysed_positions(solution) or sample_positions(solution)
        practice = practice_positions(solution)
        self.immediate_wins = [position for position in practice if solution.distance(position) == 1]
        self.deeper_exercises = [position for position in practice if solution.distance(position) != 1]
        self.used: set[Position] = set()
        """Positions already used in exercises or examples."""
        self.shown: set[tuple[int, ...]] = set()
        """Token places of the losing positions shown so far."""

    @cached_property
    def lost(self) -> list[Position]:
        """Losing positions with moves to choose from, sorted by depth, then by how close the race is."""
        lost = [at for at in self.positions if self.solution.value(at) == LOSS]
        lost = [at for at in lost if self.book.moves(at)[0] not in FORCED_MOVES]
        return sorted(lost, key=lambda at: (self.depth(at), len(self.book.moves(at)) == 1, self._distance_gap(at)))

    @cached_property
    def one_right_move(self) -> list[Position]:
        """Positions whose only right move doesn't win at once."""
        return [at for at in self.deeper_exercises if len(self.correct_moves(at)) == 1]

    def first_unused(self, positions: Iterable[Position]) -> Position | None:
        """Return the first unused position, preferring one whose token places have not been used yet either."""
        unused = [at for at in positions if at not in self.used]
        places = {tuple(sorted(at.tokens)) for at in self.used}
        fresh = (at for at in unused if tuple(sorted(at.tokens)) not in places)
        return next(fresh, next(iter(unused), None))

    def before(self, lost: Position) -> list[Position]:
        """Return positions one turn further from the end than `lost`, starting with those that lead to its places."""
        plies = (self.solution.distance(lost) or 0) + 1
        near = [at for at in self.deeper_exercises if self.solution.distance(at) == plies]
        return sorted(near, key=lambda at: lost.tokens not in self._tokens_after(at))

    def next_trap_candidates(self) -> list[Position]:
        """Return positions whose only right move leads to a trap not shown yet, followed by all other exercises."""
        fresh = [at for at in self.one_right_move if self.shown.isdisjoint(self._tokens_after(at))]
        deeper = [at for at in fresh if self.depth(at) > 3]
        return [*deeper, *fresh, *self.deeper_exercises]

    def _tokens_after(self, position: Position) -> set[tuple[int, ...]]:
        """Return the possible token places after a right move."""
        return {option.after.tokens for option in self.correct_moves(position)}

    def correct_moves(self, position: Position) -> tuple[MoveEvaluation, ...]:
        return queries.value_preserving(self.solution.evaluate_moves(position))

    def has_wrong_moves(self, position: Position) -> bool:
        return len(self.correct_moves(position)) < len(self.solution.evaluate_moves(position))

    def depth(self, position: Position) -> int:
        """Return the number of turns left, or `UNREACHABLE_TURNS` if at most one is left.

        Positions that are about to end therefore come last when sorted by depth.
        """
        plies = self.solution.distance(position) or 0
        return plies if plies > 1 else losing_patterns.UNREACHABLE_TURNS

    def _distance_gap(self, position: Position) -> int:
        """Return the difference between the players' remaining distances; closer races make better examples."""
        if self.book.rules.shared:
            return 0
        first, second = (
            sum(self.book.distance_to_goal(player, place) for place in self.book.tokens_of(position, player))
            for player in (1, 2)
        )
        return abs(first - second)


class _LessonBuilder:
    def __init__(self, solution: Solution, names: Sequence[str]) -> None:
        self.solution = solution
        self.book = solution.book
        self.names = names
        self.words = Phrases(solution.book, names)
        self.start_position = solution.book.start()
        pattern = losing_patterns.find_losing_pattern(solution)
        self.pattern = pattern if pattern and pattern.full_text(self.words) else None
        self.reasons = tuple(losing_patterns.explain_pattern(solution, self.pattern)) if self.pattern else ()
        self.material = _Material(solution)
        self.opening = self._opening_exercise()
        if self.opening:
            self.material.used.add(self.opening.position)

    # Step 1: the goal

    def goal(self) -> LessonStep:
        solution, material = self.solution, self.material
        wins = [at for at in material.positions if solution.worth(at).value == WIN and solution.distance(at) == 1]
        to_ask = material.immediate_wins or [at for at in wins if len(solution.evaluate_moves(at)) == 1]
        asked = self._exercise(to_ask) if to_ask else None
        example, scene = material.first_unused([*reversed(material.immediate_wins), *wins]), Explanation()
        if example:
            legal = solution.evaluate_moves(example)
            win = next(option for option in legal if option.worth.ends_game and option.value == WIN)
            scene = self._scene(example, [Claim(claims.move_value, example, win.move, win.worth)], you=example.turn)
        near = combine_claims(self.words, _immediate_win_claims(solution))
        goal = Explanation(describe_goal(self.book))
        return _step("The goal", [goal, scene, near], example or self.start_position, asked)

    # Step 2: a position that loses because the opponent wins with the next move

    def one_turn_before(self) -> LessonStep:
        if not self.material.lost:
            intro = Explanation("Now go back by one turn, and look at what can go wrong.")
            if isinstance(self.pattern, losing_patterns.NoLosingPositions):
                text = "This game has no traps: on your turn, you always have a move that doesn't lose."
                intro = Explanation(text, (Claim(claims.pattern_statement, self.pattern),))
            return self._danger("One turn before", intro, Explanation())
        trap = self.material.lost[0]
        scene = self._losing_scene(trap)
        text = f"Now go back by one turn. {scene.text}\n\nThat's a trap: a player in it loses, whatever they play."
        asked = self._exercise(self.material.before(trap), "Leave your opponent in a trap. What do you play?")
        return LessonStep("One turn before", text, scene.claims, trap, asked)

    def _danger(self, title: str, intro: Explanation, advice: Explanation) -> LessonStep:
        """Return a step that shows a position with wrong moves, if there is one, and how these moves lose."""
        asked = self._exercise(self.material.deeper_exercises)
        at = self.material.first_unused(self.material.deeper_exercises)
        if at is None:
            return _step(title, [intro, advice], self.start_position, asked)
        self.material.used.add(at)
        correct = self.material.correct_moves(at)
        losing = [option for option in self.solution.evaluate_moves(at) if option.value == LOSS]
        made: list[Claim] = [Claim(claims.correct_moves, at, correct[0].value, queries.moves_of(correct))]
        if 0 < len(losing) <= queries.MAX_LISTED_MOVES:
            made.append(Claim(claims.refutations, at, queries.best_replies(self.solution, losing)))
        return _step(title, [intro, self._scene(at, made, you=at.turn), advice], at, asked)

    def _losing_scene(self, at: Position) -> Explanation:
        """Return a scene that shows, from the opponent's side, how the player to move loses."""
        self.material.shown.add(at.tokens)
        pairs = queries.best_replies(self.solution, self.solution.evaluate_moves(at))
        value = Claim(claims.position_value, at, self.solution.worth(at))
        made: list[Claim] = [Claim(claims.refutations, at, pairs) if queries.is_short(pairs) else value]
        if self.book.rules.shared and not at.last and queries.is_lost_for_either_side(self.solution, at):
            made.append(Claim(claims.lost_for_either_side, at))
        return self._scene(at, made, you=3 - at.turn)

    # Step 3: another losing position, if possible one that is further from the end

    def further_back(self) -> LessonStep:
        material = self.material
        first = material.depth(material.lost[0]) if material.lost else 0
        deeper = next((at for at in material.lost if material.depth(at) > first), None)
        trap = deeper or next((at for at in material.lost if at.tokens not in material.shown), None)
        if not trap:
            advice = Explanation("Before you move, ask yourself what your opponent would answer.")
            return self._danger("Further back", Explanation(), advice)
        scene = self._losing_scene(trap)
        text = f"Here is another trap. {scene.text}"
        if deeper:
            text = f"Go back further. {scene.text}\n\nSo this is a trap too: you win, or you trap your opponent again."
        question = "Find the next trap yourself: after which move does your opponent lose?"
        asked = self._exercise(material.next_trap_candidates(), question)
        return LessonStep("Further back", text, scene.claims, trap, asked)

    # Step 4: the rule and why it holds

    def rule(self) -> LessonStep:
        material = self.material
        singles, deeper = material.one_right_move, material.deeper_exercises
        asked = self._exercise([*singles[len(singles) // 2 :], *deeper[len(deeper) // 2 :]])
        won = [at for at in material.positions if self.solution.value(at) == WIN and self.solution.distance(at) != 1]
        by_depth = sorted(deeper, key=lambda at: abs(material.depth(at) - EXAMPLE_DEPTH_PLIES))
        example = material.first_unused(by_depth) or material.first_unused(won)
        parts = [combine_claims(self.words, made) for made in (self._rules(), self._reasons(), self._routes())]
        if example:
            parts.insert(0, self._example(example))
        return _step("The rule, and why", parts, example or self.start_position, asked)

    def _example(self, at: Position) -> Explanation:
        advice = hint(self.solution, at, 2, self.names)
        made = advice.claims
        if isinstance(self.pattern, losing_patterns.RaceCount) and not self.pattern.exceptions:
            after = self.book.after(at, advice.move)
            mine, theirs = (self.pattern.count(after, player) for player in (after.turn, at.turn))
            if (
                not self.book.winner(after)
                and mine < losing_patterns.UNREACHABLE_TURNS > theirs
                and not self.pattern.ignores_bans
            ):
                made = (Claim(claims.move_effect, at, advice.move), Claim(claims.turns_needed, after, mine, theirs))
        return self._scene(at, made, you=at.turn)

    def _rules(self) -> Iterator[Claim]:
        """Yield claims that state the rule, or list a few losing positions if there is no rule."""
        small = bool(queries.analysed_positions(self.solution))
        if self.pattern:
            yield Claim(claims.pattern_statement, self.pattern)
        else:
            yield Claim(claims.no_pattern_found, too_large=not small)
            yield from self._losing_places() or self._losing_examples()
        if small and not self.material.deeper_exercises and not self.material.immediate_wins:
            yield Claim(claims.no_decisions)
        yield from (Claim(claims.always_wins, move) for move in queries.always_winning_moves(self.solution))

    def _reasons(self) -> Iterator[Claim]:
        """Yield claims that explain why the rule holds or, if there is none, explain traps and give a rule of thumb."""
        if self.pattern:
            yield from self.reasons
        else:
            yield Claim(claims.traps_explained)
            yield from losing_patterns.rule_of_thumb(self.solution)

    def _routes(self) -> Iterator[Claim]:
        """Yield a claim with examples of moves that leave a shared marker on a losing place."""
        if isinstance(self.pattern, losing_patterns.LosingNumbers):
            singles = sorted((at for at in self.material.one_right_move if at.turn == 1), key=lambda at: at.tokens)
            sample = singles[:: max(1, -(-len(singles) // MAX_EXAMPLES))]
            rights = [(at, self.material.correct_moves(at)[0]) for at in sample]
            lost = partial(queries.is_lost_for_either_side, self.solution)
            if routes := tuple((at, right.move) for at, right in rights if lost(right.after)):
                yield Claim(claims.winning_routes, routes)

    def _losing_places(self) -> list[Claim]:
        """Return a claim with the losing places nearest to the goal, if the marker and the goal are shared."""
        rules = self.book.rules
        if not rules.shared or rules.repeat == "banned" or len(set(rules.goals)) > 1:
            return []
        goal, way = rules.goals[0][-1], 1 if rules.goals[0][-1] > rules.starts[0] else -1
        near = [goal - way * back for back in range(1, MAX_PLACES_FROM_GOAL)]
        lost = [place for place in near if queries.is_lost_for_either_side(self.solution, Position(1, (place,)))]
        return [Claim(claims.losing_places, tuple(sorted(lost)))] if lost else []

    def _losing_examples(self) -> list[Claim]:
        """Return a claim with a few losing positions of increasing depth, if there are any."""
        by_depth = {self.solution.distance(at) or 0: at for at in reversed(self.material.lost)}
        few = [by_depth[plies] for plies in sorted(by_depth)][: MAX_EXAMPLES - 1]
        return [Claim(claims.lost_examples, tuple(few))] if few else []

    # Step 5: the whole game

    def whole_game(self) -> LessonStep:
        material, start = self.material, self.start_position
        line = self.solution.line(start)
        ends = self.solution.distance(start) is not None and len(line) <= MAX_SHOWN_GAME_PLIES
        perfect = [Claim(claims.perfect_game, start, line)] if ends else []
        parts = [combine_claims(self.words, made) for made in (_opening_claims(self.solution), perfect)]
        text, made = self._summary()
        parts.append(Explanation(f"In short: {text[:1].lower()}{text[1:]}", made))
        others = [*reversed(material.one_right_move), *reversed(material.deeper_exercises)]
        return _step("The whole game", parts, start, self.opening or self._exercise(others))

    def _summary(self) -> Explanation:
        always = queries.always_winning_moves(self.solution)
        if not self.pattern:
            return Explanation("Before you move, look for your opponent's best answer.")
        if isinstance(self.pattern, losing_patterns.BannedSteps) and always:
            text = f"Play {join_or(always)} whenever you can."
            return Explanation(text, tuple(Claim(claims.always_wins, move) for move in always))
        text = self.pattern.summary(self.words)
        if any(reason.kind is claims.stays_ahead for reason in self.reasons):
            text += " Each turn, make your own count smaller."
        return Explanation(text, (Claim(claims.pattern_statement, self.pattern), *self.reasons))

    def _opening_exercise(self) -> Exercise | None:
        """Return the start as an exercise or, if it loses, the position after the opponent's best first move."""
        if self.material.has_wrong_moves(self.start_position):
            return exercise(self.solution, self.start_position, self.names, "It's the first move. What do you play?")
        best = queries.recommended_move(self.solution, self.start_position)
        if best.value != LOSS or not self.material.has_wrong_moves(best.after):
            return None
        question = f"Your opponent started with {best.move}. What do you answer?"
        return exercise(self.solution, best.after, self.names, question)

    # Parts of steps

    def _exercise(self, positions: Iterable[Position], question: str = "") -> Exercise | None:
        """Return an exercise on the first unused position, falling back to other practice positions."""
        material = self.material
        at = material.first_unused([*positions, *material.deeper_exercises])
        at = at or material.first_unused(material.immediate_wins)
        if at is None:
            return None
        material.used.add(at)
        return exercise(self.solution, at, self.names, question if self.solution.value(at) == WIN else "")

    def _scene(self, position: Position, made: Iterable[Claim], *, you: int) -> Explanation:
        words = SecondPersonPhrases(self.book, self.names, you=you)
        text, made = combine_claims(words, made)
        intro = f"Say you are {words.names[you - 1]}, and it's {words.whose(position.turn)} turn."
        return Explanation(f"{intro} {words.situation_sentence(position)} {text}", made)


def _step(title: str, parts: Sequence[Explanation], position: Position, asked: Exercise | None) -> LessonStep:
    """Return a step with a paragraph for each part whose text isn't empty."""
    text = "\n\n".join(part.text for part in parts if part.text)
    return LessonStep(title, text, tuple(claim for part in parts for claim in part.claims), position, asked)


def _immediate_win_claims(solution: Solution) -> Iterator[Claim]:
    first, second = (queries.immediate_win_places(solution, player) for player in (1, 2))
    if first and first == second:
        yield Claim(claims.immediate_wins, (1, 2), first)
    else:
        sides = ((1, first), (2, second))
        yield from (Claim(claims.immediate_wins, (player,), places) for player, places in sides if places)


def _opening_claims(solution: Solution) -> Iterator[Claim]:
    """Yield claims about who wins from the start, which first moves are right, and how the others lose."""
    starts = solution.book.starts()
    first, second = (solution.worth(start).winner for start in starts)
    yield Claim(claims.game_value, (first, second))
    right: dict[tuple[str, tuple[str, ...]], list[Position]] = {}
    for start in starts:
        correct = queries.value_preserving(solution.evaluate_moves(start))
        right.setdefault((correct[0].value, queries.moves_of(correct)), []).append(start)
    yield from (
        Claim(claims.opening_moves, tuple(at), value, moves) for (value, moves), at in right.items() if value != LOSS
    )
    if len({moves for _, moves in right}) == 1:
        legal = solution.evaluate_moves(starts[0])
        losing = [option for option in legal if option.value == LOSS]
        if 0 < len(losing) <= queries.MAX_LISTED_MOVES:
            pairs, correct = queries.best_replies(solution, losing), queries.value_preserving(legal)
            yield Claim(claims.losing_openings, starts[0], pairs, correct[0].value, len(correct))
