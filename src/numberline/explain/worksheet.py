"""Exercises for lessons, and worksheets with three kinds of tasks: winning moves, losing places, strips to paint."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise, zip_longest
from typing import NamedTuple, TypeAlias

from numberline.explain import claims, queries
from numberline.explain.claims import Claim, combine_claims
from numberline.explain.explanation import briefly, explain_move, explain_position, hint
from numberline.explain.losing_patterns import LosingPattern, find_losing_pattern
from numberline.explain.phrases import Phrases, SecondPersonPhrases
from numberline.explain.strip import TRAP, Painting, Strip
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation

MAX_SAMPLED_POSITIONS = 100
"""Maximum number of positions in each sample, if a book has too many positions to analyse all of them."""
MAX_SAMPLED_DISTANCE_PLIES = 9


class Exercise(NamedTuple):
    """Position in which the learner has to find a right move."""

    position: Position
    question: str
    right: tuple[str, ...]
    """All right moves."""
    answer: str
    """Explanation of a right move."""


def practice_positions(solution: Solution) -> list[Position]:
    """Return positions with both right and wrong moves, those with a single right move first, then sorted by depth.

    If the book has too many positions to analyse, use a sample of them.
    """
    found = []
    for number, position in enumerate(queries.analysed_positions(solution) or sample_positions(solution)):
        legal = solution.evaluate_moves(position)
        correct = queries.value_preserving(legal)
        if correct[0].value != LOSS and len(correct) < len(legal):
            found.append((len(correct) > 1, queries.look_ahead_plies(legal), number, position))
    return [position for *_, position in sorted(found)]


def sample_positions(solution: Solution) -> list[Position]:
    """Return the first positions of a perfectly played game from each start, then positions near the end."""
    sample: dict[Position, None] = {}
    for first, start in enumerate(solution.book.starts(), 1):
        at, limit = start, first * MAX_SAMPLED_POSITIONS
        while at not in sample and len(sample) < limit and (legal := solution.evaluate_moves(at)):
            sample[at] = None
            at = next(option.after for option in legal if option.best)
    return [*sample, *(at for at in _near_the_end(solution) if at not in sample)]


def _near_the_end(solution: Solution) -> Iterator[Position]:
    """Yield some positions with wrong moves and some losing positions for each small distance from the end."""
    columns = solution.arrays
    critical, lost = columns.regret.any(axis=1), columns.leader == 3 - columns.mover
    for plies in range(1, MAX_SAMPLED_DISTANCE_PLIES + 1):
        for wanted in (critical, lost):
            rows = (columns.live & wanted & (columns.plies == plies)).nonzero()[0]
            yield from (columns.position(int(row)) for row in rows[:: len(rows) // MAX_SAMPLED_POSITIONS + 1])


def exercise(solution: Solution, position: Position, question: str) -> Exercise:
    """Return the exercise for a position; if the player can win at once, the question asks for a winning move."""
    words = SecondPersonPhrases(solution.book, you=position.turn)
    legal = solution.evaluate_moves(position)
    at_once = tuple(option for option in legal if option.worth.ends_game and option.value == WIN)
    question = "Which move wins at once?" if at_once else question or "What do you play?"
    best = queries.recommended_move(solution, position).move
    right = queries.moves_of(at_once or queries.value_preserving(legal))
    return Exercise(
        position,
        f"{words.your_turn(position)} {question}",
        tuple(sorted(right, key=lambda move: move != best)),
        briefly(solution, position).sentence(words),
    )


def feedback(solution: Solution, asked: Exercise, move: str) -> str:
    """Return feedback that says whether a move is right and what it leads to."""
    option = next(option for option in solution.evaluate_moves(asked.position) if option.move == move)
    words = SecondPersonPhrases(solution.book, you=asked.position.turn)
    if option.keeps_value and move not in asked.right:
        return "That wins too, but another move wins sooner."
    made = [claim for claim in consequences(solution, asked.position, option) if claim.is_short(words)]
    return f"{'Right!' if move in asked.right else 'Not this one.'} {combine_claims(words, made).text}"


def consequences(solution: Solution, position: Position, option: MoveEvaluation) -> Iterator[Claim]:
    """Yield claims about what a move leads to, without revealing other moves or the rule to be discovered."""
    if option.value == LOSS:
        yield Claim(claims.refutations, position, queries.best_replies(solution, [option]), trapped=True)
    elif option.worth.ends_game or not option.keeps_value:
        yield Claim(claims.move_value, position, option.move, option.worth)
    else:
        excluded = claims.correct_moves, claims.best_moves, claims.lost_by_pattern, claims.move_value
        yield from (c for c in explain_move(solution, position, option.move).claims if c.kind not in excluded)


MAX_EXERCISE_POSITIONS = 2_000
RANDOM_GAME_COUNT, MAX_RANDOM_GAME_PLIES = 150, 200
"""Number and maximum length of the random games from which positions are taken if a book has too many to list."""
MAX_PLACE_TASK_POSITIONS = 300
MIN_ASKED_PLACES, MAX_ASKED_PLACES = 3, 30
MAX_PATTERN_POSITIONS = 5_000
ENDLESS_DEPTH_PLIES = 1_000
"""Depth assigned to a position in which no player has a sure win."""


PositionsByAnswer: TypeAlias = dict[tuple[str, ...], list[Position]]


class MoveTask(NamedTuple):
    """Task to find the winning moves in a position."""

    position: Position
    right: tuple[str, ...]
    """The winning moves; may be empty."""
    reason: str


class PlaceTask(NamedTuple):
    """Task to mark the places from which the player to move loses, or has a sure win, depending on `value`."""

    position: Position
    slot: int
    """Index of the token to imagine on each of the places in turn."""
    places: tuple[int, ...]
    value: str
    """The value to mark: `loss` or `win`."""
    marked: tuple[int, ...]


class Worksheet(NamedTuple):
    moves: tuple[MoveTask, ...]
    """Move tasks, sorted from easiest to hardest."""
    places: tuple[PlaceTask, ...]


def worksheets(solution: Solution, rng: random.Random, copies: int, moves: int, places: int = 3) -> list[Worksheet]:
    """Return random worksheets with up to `moves` move tasks and `places` place tasks each.

    Answers and positions vary within each worksheet and from one to the next. If the game's strip shows all traps
    on the line, there are no place tasks, because they would ask the same question.
    """
    pool, strip = _pool(solution, rng), paintable_strip(solution)
    by_answer = _by_answer(solution, pool)
    painted = strip and strip.on_line and any(cell.mark == TRAP for cell in strip.cells)
    lines = [] if painted else place_tasks(solution, pool, rng)[: 3 * places]
    used: Counter[tuple[int, ...]] = Counter()
    found = []
    for _ in range(copies):
        chosen = [rng.choice(group) for group in rng.sample(lines, min(places, len(lines)))]
        found.append(Worksheet(move_tasks(solution, by_answer, rng, moves, used), tuple(chosen)))
    return found


def paintable_strip(solution: Solution) -> Strip | None:
    """Return the strip of the game's losing pattern, if any, cut to the cells nearest to the end of the game."""
    pattern = _pattern(solution)
    painting = Painting(solution, pattern) if pattern else None
    if not painting or not painting.strip:
        return None
    nearest = painting.order[:MAX_ASKED_PLACES]
    return painting.strip._replace(cells=tuple(cell for cell in painting.strip.cells if cell in nearest))


def secret_rule(solution: Solution) -> str:
    """Return the rule for the losing positions, first as advice and then in full; empty if no rule is known."""
    pattern, words = _pattern(solution), Phrases(solution.book)
    return " ".join(dict.fromkeys([pattern.sentence(words), pattern.full_text(words)])) if pattern else ""


def _pattern(solution: Solution) -> LosingPattern | None:
    return find_losing_pattern(solution) if solution.size <= MAX_PATTERN_POSITIONS else None


def with_token_at(position: Position, slot: int, place: int) -> Position:
    tokens = position.tokens
    return position._replace(tokens=(*tokens[:slot], place, *tokens[slot + 1 :]))


def _pool(solution: Solution, rng: random.Random) -> list[Position]:
    """Return distinct positions in random order."""
    book, positions = solution.book, list(queries.all_positions(solution))
    if not positions:
        starts = (rng.choice(book.starts()) for _ in range(RANDOM_GAME_COUNT))
        games = (queries.random_playout(book, start, rng, MAX_RANDOM_GAME_PLIES) for start in starts)
        positions = list(dict.fromkeys(chain.from_iterable(games)))
    rng.shuffle(positions)
    return positions[:MAX_EXERCISE_POSITIONS]


# Find the winning move


def move_tasks(
    solution: Solution, by_answer: PositionsByAnswer, rng: random.Random, count: int, used: Counter[tuple[int, ...]]
) -> tuple[MoveTask, ...]:
    """Choose up to `count` tasks with varied answers, easiest first.

    `used` counts how often each arrangement of the tokens has been used. If possible, a quarter of the tasks have no
    winning move. If no position has a winning move, return no tasks.
    """
    answers = [right for right in by_answer if right]
    rng.shuffle(answers)
    winning = [by_answer[right] for right in sorted(answers, key=lambda right: len(right) > 1)]
    if not winning:
        return ()
    chosen = [*_spread([by_answer.get((), [])], count // 4, rng, used)]
    chosen += _spread(winning, count - len(chosen), rng, used)
    unwinnable = [position for position in by_answer.get((), []) if position not in chosen]
    chosen += _spread([unwinnable], count - len(chosen), rng, used)
    return tuple(_move_task(solution, position) for position in sorted(chosen, key=lambda at: _turns(solution, at)))


def _by_answer(solution: Solution, pool: Sequence[Position]) -> PositionsByAnswer:
    """Group positions by their winning moves; equivalent positions appear once."""
    found: PositionsByAnswer = {}
    forced: PositionsByAnswer = {}
    seen = set()
    for position in pool:
        legal, key = solution.evaluate_moves(position), queries.symmetry_key(solution.book, position)
        if key not in seen and legal[0].move not in FORCED_MOVES:
            seen.add(key)
            right = _winning_moves(solution, position)
            (found if len(legal) > 1 else forced).setdefault(right, []).append(position)
    # Positions with a single legal move are used only if no other position has the same answer.
    found = {**{right: positions for right, positions in forced.items() if right}, **found}
    return {key: _graded(solution, found[key]) for key in sorted(found)}


def _graded(solution: Solution, positions: Sequence[Position]) -> list[Position]:
    """Sort positions by depth, keeping no more immediate wins than deeper positions, unless all are immediate wins."""
    turns = {position: _turns(solution, position) for position in positions}
    later = [position for position in positions if turns[position] > 1]
    at_once = [position for position in positions if turns[position] == 1]
    return sorted([*(at_once[: len(later)] if later else at_once), *later], key=turns.__getitem__)


def _spread(
    buckets: Sequence[Sequence[Position]], count: int, rng: random.Random, used: Counter[tuple[int, ...]]
) -> Iterator[Position]:
    """Draw `count` positions evenly from the buckets, and evenly across the depths within each bucket.

    Prefer the arrangements of tokens that were used least often, and count the chosen ones in `used`.
    """
    rounds = zip_longest(*([number] * len(bucket) for number, bucket in enumerate(buckets)))
    turns = (number for each in rounds for number in each if number is not None)
    taken = Counter(islice(turns, max(0, count)))
    for number, share in sorted(taken.items()):
        bucket = buckets[number]
        cuts = [len(bucket) * part // share for part in range(share + 1)]
        for low, high in pairwise(cuts):
            chosen = min(bucket[low:high], key=lambda at: (used[at.tokens], rng.random()))
            used[chosen.tokens] += 1
            yield chosen


def _turns(solution: Solution, position: Position) -> int:
    return solution.distance(position) or ENDLESS_DEPTH_PLIES


def _move_task(solution: Solution, position: Position) -> MoveTask:
    book, right = solution.book, _winning_moves(solution, position)
    if book.rules.players == 2:
        words = SecondPersonPhrases(book, you=position.turn)
        return MoveTask(position, right, briefly(solution, position).sentence(words))
    reason = (hint(solution, position, 2) if right else explain_position(solution, position)).claims[0]
    return MoveTask(position, right, reason.sentence(Phrases(book, you=position.turn)))


def _winning_moves(solution: Solution, position: Position) -> tuple[str, ...]:
    return tuple(str(option.move) for option in solution.evaluate_moves(position) if option.value == WIN)


# Mark the losing places


def place_tasks(solution: Solution, pool: Sequence[Position], rng: random.Random) -> list[list[PlaceTask]]:
    """Return tasks grouped by answer, those with more places first.

    If possible, every task has both marked and unmarked places.
    """
    lost = solution.book.rules.players == 2 and any(solution.value(position) == LOSS for position in pool)
    tasks = [*_all_place_tasks(solution, pool[:MAX_PLACE_TASK_POSITIONS], rng, LOSS if lost else WIN)]
    mixed = [task for task in tasks if 0 < len(task.marked) < len(task.places)]
    by_answer: dict[object, list[PlaceTask]] = {}
    for task in sorted(mixed or tasks, key=lambda task: -min(len(task.places), 8)):
        by_answer.setdefault("all" if task.marked == task.places else task.marked, []).append(task)
    return [*by_answer.values()]


def _all_place_tasks(
    solution: Solution, pool: Sequence[Position], rng: random.Random, value: str
) -> Iterator[PlaceTask]:
    """Yield a task for each distinct position in `pool`, about a randomly chosen token that the player can move."""
    rules, seen = solution.book.rules, set()
    for position in pool:
        own = [0] if rules.shared else [(position.turn - 1) * rules.tokens + token for token in range(rules.tokens)]
        slot = rng.choice(own)
        key = slot, queries.symmetry_key(solution.book, with_token_at(position, slot, rules.line[0]))
        if key in seen:
            continue
        seen.add(key)
        places = asked_places(solution, position, slot)
        if len(places) >= MIN_ASKED_PLACES:
            marked = (place for place in places if solution.value(with_token_at(position, slot, place)) == value)
            yield PlaceTask(position, slot, places, value, tuple(marked))


def asked_places(
    solution: Solution, position: Position, slot: int, ends: tuple[int, int] | None = None
) -> tuple[int, ...]:
    """Return the places from which the player has a legal move; if there are too many, those nearest to the goal.

    `ends` are the first and the last place to look at, by default the ends of the line.
    """
    book, (low, high) = solution.book, ends or solution.book.rules.line
    found = []
    for place in range(low, high + 1):
        at = with_token_at(position, slot, place)
        moves = book.moves(at) if at in solution and not book.winner(at) else ()
        if moves and moves[0] not in FORCED_MOVES and not book.is_home(at, position.turn):
            found.append(place)
    nearest = sorted(found, key=lambda place: abs(book.distance_to_goal(position.turn, place)))[:MAX_ASKED_PLACES]
    return tuple(sorted(nearest))
