"""A worksheet on one game: lines on which to find the winning move, and lines on which to mark the lost places."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from numberline.explain import claims
from numberline.explain.claims import (
    AllMovesLose,
    Claim,
    LostAfter,
    LostByPattern,
    LostForEitherSide,
    Refutations,
    TurnsNeeded,
    WinsNextMove,
    combine_claims,
)
from numberline.explain.explanation import MAX_LISTED_MOVES, explain_move, explain_position
from numberline.explain.hint import Hint, hint
from numberline.explain.pattern_search import find_losing_pattern
from numberline.explain.phrases import Phrases
from numberline.explain.puzzle import random_playout
from numberline.explain.queries import MAX_ANALYSED_POSITIONS, all_positions, best_replies, moves_of, value_preserving
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation

MAX_SAMPLED_POSITIONS = 100
"""So many positions of best play, and so many at each distance from the end, stand for all where those are too many."""
MAX_SAMPLED_DISTANCE_PLIES = 9
"""So far from the end they are looked for."""


class SecondPersonPhrases(Phrases):
    """How things are called to somebody who learns: `you` and `your opponent`."""

    def who(self, player: int) -> str:
        """The player as the one who does something."""
        return "you" if player == self.you else "your opponent"

    def whose(self, player: int) -> str:
        """What stands before something that is the player's."""
        return "your" if player == self.you else "your opponent's"


class Exercise(NamedTuple):
    """A position to find the right move in."""

    position: Position
    question: str
    right: tuple[str, ...]
    """Every move that is right."""
    answer: str
    """Why the first of them is."""


def practice_positions(solution: Solution) -> list[Position]:
    """The positions that are not lost but can be thrown away, those with one right move first, then by depth.

    Of a book with too many positions, only some of them.
    """
    found = []
    for number, position in enumerate(all_positions(solution, MAX_ANALYSED_POSITIONS) or sample_positions(solution)):
        legal = solution.evaluate_moves(position)
        kept = value_preserving(legal)
        if kept[0].value != LOSS and len(kept) < len(legal):
            found.append((len(kept) > 1, _depth(legal), number, position))
    return [position for *_, position in sorted(found)]


def sample_positions(solution: Solution) -> list[Position]:
    """The first positions of best play, whoever begins, and others that are near to the end."""
    met: dict[Position, None] = {}
    for first, start in enumerate(solution.book.starts(), 1):
        at = start
        while at not in met and len(met) < first * MAX_SAMPLED_POSITIONS and (legal := solution.evaluate_moves(at)):
            met[at] = None
            at = next(judged.after for judged in legal if judged.best)
    return [*met, *(at for at in _near_the_end(solution) if at not in met)]


def _near_the_end(solution: Solution) -> Iterator[Position]:
    """For each of the last turns some positions that can be thrown away and some that are lost."""
    columns = solution.columns
    thrown, lost = columns.regret.any(axis=1), columns.leader == 3 - columns.mover
    for plies in range(1, MAX_SAMPLED_DISTANCE_PLIES + 1):
        for wanted in (thrown, lost):
            rows = (columns.live & wanted & (columns.plies == plies)).nonzero()[0]
            yield from (columns.position(int(row)) for row in rows[:: len(rows) // MAX_SAMPLED_POSITIONS + 1])


def exercise(solution: Solution, position: Position, names: Sequence[str] = (), question: str = "") -> Exercise:
    """The exercise that a position makes; the question is what to play, unless another is given."""
    words = SecondPersonPhrases(solution.book, names, you=position.turn)
    legal = solution.evaluate_moves(position)
    at_once = tuple(judged for judged in legal if judged.worth.ends_game and judged.value == WIN)
    asked = "Which move wins at once?" if at_once else question or "What do you play?"
    name = words.names[position.turn - 1]
    named = hint(solution, position, 2, names)
    right = moves_of(at_once or value_preserving(legal))
    return Exercise(
        position,
        f"You are {name}, and it is your turn. {words.situation_sentence(position)} {asked}",
        tuple(sorted(right, key=lambda move: move != named.move)),
        combine_claims(words, _answer(solution, position, named)).text,
    )


def _answer(solution: Solution, position: Position, named: Hint) -> Iterator[Claim]:
    """What to play and why, and what comes after it where that can be said shortly."""
    yield from named.claims
    after = solution.book.after(position, named.move)
    next_wins = any(isinstance(getattr(claim, "reason", None), WinsNextMove) for claim in named.claims)
    if solution.value(position) == WIN and not next_wins:
        pairs = best_replies(solution, solution.evaluate_moves(after))
        if pairs and (len(pairs) <= MAX_LISTED_MOVES or len({answer for _, answer in pairs}) == 1):
            yield claims.RepliesToAll(after, pairs)


def reply(solution: Solution, asked: Exercise, move: str, names: Sequence[str] = ()) -> str:
    """What is said to somebody who has answered with a move: whether it is right, and what it leads to."""
    judged = next(each for each in solution.evaluate_moves(asked.position) if each.move == move)
    said = combine_claims(
        SecondPersonPhrases(solution.book, names, you=asked.position.turn),
        consequences(solution, asked.position, judged),
    )
    if move in asked.right:
        return f"Right! {said.text}"
    return (
        "That wins too, but there is a move that wins at once." if judged.keeps_value else f"Not this one. {said.text}"
    )


def consequences(solution: Solution, position: Position, judged: MoveEvaluation) -> Iterator[Claim]:
    """What a move leads to, with nothing of other moves and nothing of a rule that is still to be found."""
    left_out = [claims.CorrectMoves, claims.BestMoves, claims.LostByPattern]
    later = not judged.worth.ends_game and (judged.plies or 0) > 2
    if later:
        left_out.append(claims.MoveValueClaim)  # in how many turns it is over is no help to a learner
    said = explain_move(solution, position, judged.move).claims
    yield from (claim for claim in said if not isinstance(claim, tuple(left_out)))
    if later and judged.value == LOSS:
        answer = next(claim.move for claim in said if isinstance(claim, claims.BestReply))
        yield LostAfter(solution.book.after(judged.after, answer))


def _depth(legal: Sequence[MoveEvaluation]) -> int:
    """How far one has to look ahead: to the win, or to the latest of the losses to be avoided."""
    return value_preserving(legal)[0].plies or max(judged.plies or 0 for judged in legal)


MAX_EXERCISE_POSITIONS = 2_000
"""So many positions are looked at for exercises."""
RANDOM_GAME_COUNT, MAX_RANDOM_GAME_PLIES = 150, 200
"""Of a book with too many positions, those are looked at that come up in so many games at random, none longer."""
MAX_STRIP_POSITIONS = 300
"""Lines to mark places on are made from so many positions."""
MIN_ASKED_PLACES, MAX_ASKED_PLACES = 3, 30
"""So many places are asked about on one line; of more, those that are nearest to the goal."""
MAX_PATTERN_POSITIONS = 5_000
"""Of a book with no more positions than this the rule behind it all is looked for."""
ENDLESS_DEPTH_PLIES = 1_000
"""How many turns one would have to look ahead where nobody can force an end."""


class MoveTask(NamedTuple):
    """Find the winning moves."""

    position: Position
    moves: tuple[str, ...]
    """Those that are allowed."""
    right: tuple[str, ...]
    """Those that win; none where no move does."""
    turns: int
    """How far one has to look ahead."""
    reason: str
    """Why, to the player to move."""


class PlaceTask(NamedTuple):
    """Mark the places on which the player to move is lost (or, with more than two players, can force a win)."""

    position: Position
    slot: int
    """Which token of the position is to be imagined on one place after the other."""
    places: tuple[int, ...]
    """Those that are asked about."""
    value: str
    """What is to be marked: `loss` or `win`."""
    marked: tuple[int, ...]

    def at(self, place: int) -> Position:
        """The position with the token on this place."""
        return with_token_at(self.position, self.slot, place)


class Worksheet(NamedTuple):
    """The exercises of a sheet."""

    moves: tuple[MoveTask, ...]
    """The plain ones first."""
    places: tuple[PlaceTask, ...]
    secret: str
    """The rule that tells all lost positions, in words; nothing where none is known."""


def worksheet(solution: Solution, rng: random.Random, moves: int, places: int = 3) -> Worksheet:
    """At most so many exercises of each kind; which ones is drawn by `rng`, so that the answers vary."""
    pool = _pool(solution, rng)
    tasks = move_tasks(solution, pool, rng, moves)
    return Worksheet(tasks, tuple(place_tasks(solution, pool, rng, places)), _secret(solution))


def with_token_at(position: Position, slot: int, place: int) -> Position:
    """The position with one of its tokens elsewhere."""
    tokens = position.tokens
    return position._replace(tokens=(*tokens[:slot], place, *tokens[slot + 1 :]))


def _pool(solution: Solution, rng: random.Random) -> list[Position]:
    """Positions in which somebody has to move, each once, in an order that is drawn."""
    found = list(all_positions(solution)) or list(dict.fromkeys(_met_at_random(solution, rng)))
    rng.shuffle(found)
    return found[:MAX_EXERCISE_POSITIONS]


def _met_at_random(solution: Solution, rng: random.Random) -> Iterator[Position]:
    book = solution.book
    for _ in range(RANDOM_GAME_COUNT):
        yield from random_playout(book, rng.choice(book.starts()), rng, MAX_RANDOM_GAME_PLIES)


def _secret(solution: Solution) -> str:
    law = (
        find_losing_pattern(solution)
        if solution.book.rules.players == 2 and solution.size <= MAX_PATTERN_POSITIONS
        else None
    )
    return law.full_text(Phrases(solution.book)) if law else ""


# Find the winning move


def move_tasks(solution: Solution, pool: Sequence[Position], rng: random.Random, count: int) -> tuple[MoveTask, ...]:
    """Exercises from these positions, the plain ones first, their answers spread over the different moves.

    In a quarter of them no move wins, as far as the book has such; none at all where no move wins anywhere.
    """
    by_answer = _by_answer(solution, pool, rng)
    winning = [by_answer[right] for right in sorted(by_answer, key=lambda right: len(right) > 1) if right]
    if not winning:
        return ()
    chosen = [*_spread([by_answer.get((), [])], count // 4, rng)]
    chosen += _spread(winning, count - len(chosen), rng)
    lost_too = [each for each in by_answer.get((), []) if each not in chosen]  # where there is not enough to win
    chosen += _spread([lost_too], count - len(chosen), rng)
    tasks = [_move_task(solution, position) for position in chosen]
    return tuple(sorted(tasks, key=lambda task: task.turns))


def _by_answer(
    solution: Solution, pool: Sequence[Position], rng: random.Random
) -> dict[tuple[str, ...], list[Position]]:
    """The positions by the moves that win there, in an order that is drawn; those that look alike once."""
    found: dict[tuple[str, ...], list[Position]] = {}
    forced: dict[tuple[str, ...], list[Position]] = {}
    seen = set()
    for position in pool:
        legal, looks = solution.evaluate_moves(position), _looks(solution, position)
        if looks not in seen and legal[0].move not in FORCED_MOVES:
            seen.add(looks)
            right = tuple(str(judged.move) for judged in legal if judged.value == WIN)
            (found if len(legal) > 1 else forced).setdefault(right, []).append(position)
    # Where there is only one move, it is asked about only if nothing else has it for an answer.
    found = {**{right: alone for right, alone in forced.items() if right}, **found}
    keys = sorted(found)
    rng.shuffle(keys)
    return {key: _graded(solution, found[key]) for key in keys}


def _graded(solution: Solution, positions: Sequence[Position]) -> list[Position]:
    """The positions, the plain ones first; those that are won at once no more than others, if there are."""
    turns = {position: _turns(solution, position) for position in positions}
    later = [position for position in positions if turns[position] > 1]
    at_once = [position for position in positions if turns[position] == 1]
    return sorted([*(at_once[: len(later)] if later else at_once), *later], key=turns.__getitem__)


def _looks(solution: Solution, position: Position) -> Position:
    """The position; whose turn it is makes no difference where everybody moves one marker to one goal."""
    rules = solution.book.rules
    alike = rules.shared and len(set(rules.goals)) == 1 and not position.out
    return position._replace(turn=0) if alike else position


def _spread(buckets: Sequence[Sequence[Position]], count: int, rng: random.Random) -> Iterator[Position]:
    """So many positions, one bucket after the other; of each bucket plain ones and, if several are taken, deep ones."""
    taken = [0] * len(buckets)
    left = max(0, min(count, sum(map(len, buckets))))
    while left:
        for number, bucket in enumerate(buckets):
            if left and taken[number] < len(bucket):
                taken[number] += 1
                left -= 1
    for bucket, share in zip(buckets, taken, strict=True):
        cuts = [len(bucket) * part // share for part in range(share + 1)] if share else [0]
        for low, high in pairwise(cuts):
            yield bucket[rng.randrange(low, high)]


def _turns(solution: Solution, position: Position) -> int:
    """How far one has to look ahead."""
    return solution.distance(position) or ENDLESS_DEPTH_PLIES


def _move_task(solution: Solution, position: Position) -> MoveTask:
    legal = solution.evaluate_moves(position)
    right = tuple(str(judged.move) for judged in legal if judged.value == WIN)
    reason = hint(solution, position, level=2).text if right else _why_none(solution, position)
    return MoveTask(position, tuple(str(judged.move) for judged in legal), right, _turns(solution, position), reason)


_REASONS = (LostForEitherSide, TurnsNeeded, LostByPattern, AllMovesLose)


def _why_none(solution: Solution, position: Position) -> str:
    """Why no move wins, in a sentence or two."""
    claims = explain_position(solution, position).claims
    said: list[Claim] = [*[claim for claim in claims if isinstance(claim, _REASONS)][:1]]
    if solution.value(position) == LOSS:
        said += [claim for claim in claims if isinstance(claim, Refutations)]
    return combine_claims(Phrases(solution.book, you=position.turn), said or claims[:1]).text


# Mark the lost places


def place_tasks(solution: Solution, pool: Sequence[Position], rng: random.Random, count: int) -> Iterator[PlaceTask]:
    """At most so many lines to mark places on, no two with the same answer; such as have a mark and a gap first."""
    two = solution.book.rules.players == 2
    lost = two and any(solution.value(position) == LOSS for position in pool)
    made = _strips(solution, pool[:MAX_STRIP_POSITIONS], rng, LOSS if lost else WIN)
    told = sorted(made, key=lambda task: (not 0 < len(task.marked) < len(task.places), -min(len(task.places), 8)))
    answers: set[object] = set()
    for task in told:
        answer = "all" if task.marked == task.places else task.marked
        if answer not in answers and len(answers) < count:
            answers.add(answer)
            yield task


def _strips(solution: Solution, pool: Sequence[Position], rng: random.Random, value: str) -> Iterator[PlaceTask]:
    """The line of each position, with one token of the player to move imagined on place after place."""
    rules, seen = solution.book.rules, set()
    for position in pool:
        own = [0] if rules.shared else [(position.turn - 1) * rules.tokens + token for token in range(rules.tokens)]
        slot = rng.choice(own)
        looks = slot, _looks(solution, with_token_at(position, slot, rules.line[0]))
        if looks in seen:
            continue
        seen.add(looks)
        places = _asked(solution, position, slot)
        if len(places) >= MIN_ASKED_PLACES:
            marked = (place for place in places if solution.value(with_token_at(position, slot, place)) == value)
            yield PlaceTask(position, slot, places, value, tuple(marked))


def _asked(solution: Solution, position: Position, slot: int) -> tuple[int, ...]:
    """The places of the line on which the token can stand while the player to move has a choice."""
    book, (low, high) = solution.book, solution.book.rules.line
    able = []
    for place in range(low, high + 1):
        at = with_token_at(position, slot, place)
        moves = book.moves(at) if at in solution and not book.winner(at) else ()
        if moves and moves[0] not in FORCED_MOVES and not book.is_home(at, position.turn):
            able.append(place)
    nearest = sorted(able, key=lambda place: abs(book.distance_to_goal(position.turn, place)))[:MAX_ASKED_PLACES]
    return tuple(sorted(nearest))
