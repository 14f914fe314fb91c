"""Lessons: five short steps that work backwards from the goal to the rule that describes the losing positions.

Lessons call this rule the secret of the game. If the rule can be drawn as a strip of cells, the first step introduces
the strip, and the learner paints it in the next three.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from numberline.characters import CHARACTERS, EASY, NAMED
from numberline.explain import claims, losing_patterns, queries
from numberline.explain.claims import Claim, Explanation, combine_claims
from numberline.explain.phrases import Phrases, SecondPersonPhrases
from numberline.explain.rules_text import announce_changes, describe_goal, describe_play
from numberline.explain.strip import TRAP, Painting, PaintQuestion, Strip
from numberline.explain.worksheet import Exercise, exercise, practice_positions, sample_positions
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation

MAX_PLACES_FROM_GOAL = 40
_STRIP_ADVICE = "Look where each move leads. If one wins or leads to a trap, you can win. If not, you're in a trap."


class LessonStep(NamedTuple):
    """One step of a lesson."""

    title: str
    text: str
    claims: tuple[Claim, ...]
    position: Position
    """Position shown next to the text."""
    exercise: Exercise | None = None
    questions: tuple[PaintQuestion[Position], ...] = ()
    """Questions to answer before the text is shown."""
    strip: Strip | None = None
    """The strip as painted by the end of the step; None if the lesson has no strip."""


class LessonGame(NamedTuple):
    """Game to play after a lesson, in which the learner can use what they have learned."""

    bot: str
    """The strongest character if a learner who knows the secret can always win; otherwise, the easiest one."""
    seat: int
    """The learner's player number."""
    first: int
    """The player who starts."""

    @property
    def invitation(self) -> str:
        name = CHARACTERS[self.bot].name.lower()
        return f"Try it against the {name}? {'You start' if self.first == self.seat else f'The {name} starts'}."


class Lesson(NamedTuple):
    variant: str
    steps: tuple[LessonStep, ...]
    secret: str
    """The secret as advice on how to win; empty if no rule is known or no position is losing."""
    game: LessonGame


def lesson(solution: Solution) -> Lesson:
    """Return the lesson for a book; raise `AnalysisError` if it has more than two players."""
    queries.require_two_players(solution.book, "lessons")
    builder = _LessonBuilder(solution)
    steps = (builder.goal(), builder.one_turn_before(), builder.further_back(), builder.rule(), builder.whole_game())
    return Lesson(solution.book.variant, builder.with_strip(steps), builder.secret, builder.game())


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

    @cached_property
    def lost(self) -> list[Position]:
        """Losing positions with a legal move, sorted by depth.

        At equal depth, those with several moves come first, then those nearest to the goals.
        """
        lost = [at for at in self.positions if self.solution.value(at) == LOSS]
        lost = [at for at in lost if self.book.moves(at)[0] not in FORCED_MOVES]
        return sorted(lost, key=lambda at: (self.depth(at), len(self.book.moves(at)) == 1, self._distance(at)))

    def _distance(self, position: Position) -> int:
        """Return the total distance of all tokens from their goals."""
        tokens = ((player, place) for player in (1, 2) for place in self.book.tokens_of(position, player))
        return sum(self.book.distance_to_goal(player, int(place)) for player, place in tokens)

    @cached_property
    def one_right_move(self) -> list[Position]:
        """Positions with wrong moves and a single right move, which doesn't win at once."""
        return [at for at in self.deeper_exercises if len(self.correct_moves(at)) == 1]

    def first_unused(self, positions: Iterable[Position]) -> Position | None:
        """Return the first unused position, if possible with a new arrangement of tokens; None if all are used."""
        unused = [at for at in positions if at not in self.used]
        places = {tuple(sorted(at.tokens)) for at in self.used}
        fresh = (at for at in unused if tuple(sorted(at.tokens)) not in places)
        return next(fresh, next(iter(unused), None))

    def correct_moves(self, position: Position) -> tuple[MoveEvaluation, ...]:
        return queries.value_preserving(self.solution.evaluate_moves(position))

    def has_wrong_moves(self, position: Position) -> bool:
        return len(self.correct_moves(position)) < len(self.solution.evaluate_moves(position))

    def depth(self, position: Position) -> int:
        """Return the number of turns left, or `UNREACHABLE_TURNS` if at most one is left or play is endless.

        Positions in which the game is about to end therefore come last when sorted by depth.
        """
        plies = self.solution.distance(position) or 0
        return plies if plies > 1 else losing_patterns.UNREACHABLE_TURNS


class _LessonBuilder:
    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.book = solution.book
        self.words = Phrases(solution.book)
        self.start_position = solution.book.start()
        self.pattern = losing_patterns.find_losing_pattern(solution)
        self.secret = self.pattern.sentence(self.words) if self.pattern and self.pattern.has_traps else ""
        self.material = _Material(solution)
        self.painting = Painting(solution, self.pattern) if self.pattern else None
        asked = [question for questions, _ in (self.painting.rounds if self.painting else ()) for question in questions]
        self.material.used |= {question.position for question in asked if question.cell.mark == TRAP}
        self.opening = self._opening_exercise()
        if self.opening:
            self.material.used.add(self.opening.position)

    def with_strip(self, steps: Sequence[LessonStep]) -> tuple[LessonStep, ...]:
        """Return the steps; if the lesson has a strip, each step gets its questions and the strip as painted so far."""
        painting = self.painting
        if painting is None or not painting.strip:
            return tuple(steps)
        pairs = zip(steps, painting.rounds, strict=True)
        goal, before, further, *others = (step._replace(questions=asked, strip=strip) for step, (asked, strip) in pairs)
        goal = goal._replace(text=f"{goal.text}\n\n{painting.introduction}")
        if gate := painting.gate_sentence(before.questions):
            before = before._replace(text=f"{gate}\n\n{before.text}")
        if painting.strip.on_line and painting.pattern.all_else_wins and not painting.race:
            further = further._replace(text=f"{further.text}\n\n{_STRIP_ADVICE}")
        return goal, _without_known_trap(before), _without_known_trap(further), *others

    def game(self) -> LessonGame:
        winners = [self.solution.worth(start).winner for start in self.book.starts()]
        seat = next((player for player in (1, 2) if player in winners), 0)
        if not self.secret or not seat:
            return LessonGame(EASY, 1, 1)
        return LessonGame(NAMED[-1], seat, winners.index(seat) + 1)

    # Step 1: the goal

    def goal(self) -> LessonStep:
        solution, material = self.solution, self.material
        wins = [at for at in material.positions if solution.worth(at).value == WIN and solution.distance(at) == 1]
        to_ask = material.immediate_wins or [at for at in wins if len(solution.evaluate_moves(at)) == 1]
        asked = self._exercise(to_ask) if to_ask else None
        example = material.first_unused([*reversed(material.immediate_wins), *wins]) or self.start_position
        goal, rules = describe_goal(self.book), announce_changes(self.book)
        rules += describe_play(self.book).removeprefix(goal)
        return LessonStep("The goal", f"{goal}\n\n{rules.strip()}", (), example, asked)

    # Steps 2 and 3: two losing positions, the second one further from the end if possible

    def one_turn_before(self) -> LessonStep:
        trap, title = next(iter(self.material.lost), None), "One turn before"
        if not trap and self.pattern:
            text = "This game has no traps: on your turn, you always have a move that doesn't lose."
            return self._danger(title, Explanation(text, (Claim(claims.pattern_statement, self.pattern),)))
        if not trap:
            return self._danger(title, Explanation("Now go back one turn, and look at what can go wrong."))
        text, made = self._losing_scene(trap)
        text = f"Now go back one turn. {text}\n\nThat's a trap: a player in it loses, whatever they play."
        asked = self._exercise(self.material.deeper_exercises, "Leave your opponent in a trap. What do you play?")
        return LessonStep(title, text, made, trap, asked)

    def further_back(self) -> LessonStep:
        material, title = self.material, "Further back"
        first = material.depth(material.lost[0]) if material.lost else 0
        deeper = next((at for at in material.lost if material.depth(at) > first), None)
        trap = deeper or next((at for at in material.lost if at.tokens != material.lost[0].tokens), None)
        if not trap:
            return self._danger(title, Explanation("Before you move, think about what your opponent will play next."))
        text, made = self._losing_scene(trap)
        intro = "Go back further." if deeper else "Here is another trap."
        again = "\n\nThat's a trap too: a player in it loses, or is trapped again, whatever they play."
        question = "Find the next trap yourself: after which move does your opponent lose?"
        asked = self._exercise([at for at in material.one_right_move if material.depth(at) > 3], question)
        return LessonStep(title, f"{intro} {text}{again}", made, trap, asked)

    def _danger(self, title: str, intro: Explanation) -> LessonStep:
        """Return a step for a game without traps, or with only one."""
        return _step(title, [intro], self.start_position, self._exercise(self.material.deeper_exercises))

    def _losing_scene(self, at: Position) -> Explanation:
        """Return a scene that shows, from the opponent's side, how the player to move loses."""
        self.material.used.add(at)
        pairs = queries.best_replies(self.solution, self.solution.evaluate_moves(at))
        made = Claim(claims.position_value, at, self.solution.worth(at))
        if queries.is_short(pairs):
            made = Claim(claims.refutations, at, pairs)
        words = SecondPersonPhrases(self.book, you=3 - at.turn)
        intro = f"Imagine that you are {words.names[words.you - 1]}, and it's {words.whose(at.turn)} turn."
        return Explanation(f"{intro} {words.situation_sentence(at)} {made.sentence(words)}", (made,))

    # Step 4: the rule and why it holds

    def rule(self) -> LessonStep:
        material = self.material
        singles, deeper = material.one_right_move, material.deeper_exercises
        asked = self._exercise([*singles[len(singles) // 2 :], *deeper[len(deeper) // 2 :]])
        ideas = [self._rules(), *([reason] for reason in self._reasons())]
        parts = [combine_claims(self.words, made) for made in ideas]
        if self.secret:
            parts.insert(0, Explanation(self.secret))
        example = material.first_unused([*material.lost, *material.positions]) or self.start_position
        return _step("The rule, and why", parts, example, asked)

    def _rules(self) -> Iterator[Claim]:
        """Yield claims that state the rule or, if there is no rule, list the losing places nearest to the goal."""
        small = bool(queries.analysed_positions(self.solution))
        if self.pattern:
            yield Claim(claims.pattern_statement, self.pattern)
        else:
            yield Claim(claims.no_pattern_found, too_large=not small)
            yield from self._losing_places()
        if small and not self.material.deeper_exercises and not self.material.immediate_wins:
            yield Claim(claims.no_decisions)
        yield from (Claim(claims.always_wins, move) for move in queries.always_winning_moves(self.solution))

    def _reasons(self) -> Iterator[Claim]:
        """Yield claims that explain why the rule holds or, if there is no rule, how traps work."""
        if self.pattern:
            yield from losing_patterns.explain_pattern(self.solution, self.pattern)
        else:
            yield Claim(claims.traps_explained)

    def _losing_places(self) -> list[Claim]:
        """Return one claim about the losing places nearest to the goal; none unless the marker and goal are shared."""
        rules = self.book.rules
        if not rules.shared or rules.repeat == "banned" or len(set(rules.goals)) > 1:
            return []
        goal, way = rules.goals[0][-1], 1 if rules.goals[0][-1] > rules.starts[0] else -1
        near = [goal - way * back for back in range(1, MAX_PLACES_FROM_GOAL)]
        lost = [place for place in near if queries.is_lost_for_either_side(self.solution, Position(1, (place,)))]
        return [Claim(claims.losing_places, tuple(sorted(lost)))] if lost else []

    # Step 5: the whole game

    def whole_game(self) -> LessonStep:
        material, start = self.material, self.start_position
        parts = [combine_claims(self.words, _opening_claims(self.solution))]
        parts.append(Explanation(self.secret or "Before you move, look for your opponent's best answer."))
        others = [*reversed(material.one_right_move), *reversed(material.deeper_exercises)]
        return _step("The whole game", parts, start, self.opening or self._exercise(others))

    def _opening_exercise(self) -> Exercise | None:
        """Return an exercise on the first move or, if every first move loses, on the answer to the best of them.

        Return None if no move would be a mistake in that exercise.
        """
        if self.material.has_wrong_moves(self.start_position):
            return exercise(self.solution, self.start_position, "It's the first move. What do you play?")
        best = queries.recommended_move(self.solution, self.start_position)
        if best.value != LOSS or not self.material.has_wrong_moves(best.after):
            return None
        return exercise(self.solution, best.after, f"Your opponent started with {best.move}. What do you play?")

    # Parts of steps

    def _exercise(self, positions: Iterable[Position], question: str = "") -> Exercise | None:
        """Return an exercise on the first unused position, falling back to other practice positions."""
        material = self.material
        at = material.first_unused([*positions, *material.deeper_exercises])
        at = at or material.first_unused(material.immediate_wins)
        if at is None:
            return None
        material.used.add(at)
        return exercise(self.solution, at, question if self.solution.value(at) == WIN else "")


def _step(title: str, parts: Sequence[Explanation], position: Position, asked: Exercise | None) -> LessonStep:
    """Return a step with a paragraph for each part whose text isn't empty."""
    text = "\n\n".join(part.text for part in parts if part.text)
    return LessonStep(title, text, tuple(claim for part in parts for claim in part.claims), position, asked)


def _without_known_trap(step: LessonStep) -> LessonStep:
    """If a question in the step has explained a trap, drop the first paragraph and show the position of that trap."""
    trap = next((asked for asked in step.questions if asked.cell.mark == TRAP), None)
    return step._replace(position=trap.position, text=step.text.partition("\n\n")[2] or step.text) if trap else step


def _opening_claims(solution: Solution) -> Iterator[Claim]:
    """Yield claims about who wins from the start, and which first moves are right."""
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
