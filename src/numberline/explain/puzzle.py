"""Puzzles: positions in which exactly one move is right, and how hard each is."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from numberline.explain.claims import (
    BestReply,
    CorrectMoves,
    Explanation,
    MoveEffectClaim,
    PositionValueClaim,
    combine_claims,
)
from numberline.explain.explanation import explain_move
from numberline.explain.phrases import Phrases
from numberline.explain.queries import all_positions, move_distance, require_two_players, value_preserving
from numberline.game.book import Book
from numberline.game.loader import NAMES, book
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.game.variant_syntax import split_variant
from numberline.solver.cache import cached_solution
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation

BASE_RATING = 400
MAX_FRUITLESS_GAMES = 2_000
"""In a book too large to look through, so many games in a row without a new puzzle mean that there are no more."""
MAX_RANDOM_GAME_PLIES = 500
"""A game that is played at random to find puzzles is broken off after so many plies."""


class Puzzle(NamedTuple):
    """A position with exactly one right move."""

    position: Position
    right: str
    value: str
    """What the right move keeps: `win`, or `endless`."""
    plies: int
    """How many turns one has to look ahead: to the win, or to the latest of the losses to be avoided."""
    rating: int
    """How hard it is, from 400 up; see `rate_puzzle`."""

    @property
    def asked(self) -> str:
        """What only the right move does."""
        return "wins" if self.value == WIN else "does not lose"


def puzzle_at(solution: Solution, position: Position) -> Puzzle | None:
    """The puzzle that a position makes; None unless exactly one of several moves is right."""
    legal = solution.evaluate_moves(position)
    kept = value_preserving(legal)
    if len(legal) < 2 or len(kept) != 1 or kept[0].value == LOSS:
        return None
    right = kept[0]
    wrong = [judged for judged in legal if judged is not right]
    depth = right.plies or max(judged.plies or 0 for judged in wrong)
    return Puzzle(position, right.move, right.value, depth, rate_puzzle(solution.book, position, right, wrong, depth))


def rate_puzzle(
    book: Book, position: Position, right: MoveEvaluation, wrong: Sequence[MoveEvaluation], depth: int
) -> int:
    """How hard a puzzle is: 400 + 200 log2(1 + depth) + 200 log2(1 + lures), rounded.

    The depth is how many turns one has to look ahead. Each wrong move is a lure from 0 to 1: half of it for going
    further than the right move, half of it for being punished late, which is r / (r + 4) where it loses in r turns and
    1 where it does not lose.
    """
    far = move_distance(book, position, right.move)
    lures = sum(_lure(judged, further=move_distance(book, position, judged.move) > far) for judged in wrong)
    return round(BASE_RATING + 200 * math.log2(1 + depth) + 200 * math.log2(1 + lures))


def _lure(wrong: MoveEvaluation, *, further: bool) -> float:
    late = 1.0 if wrong.plies is None else wrong.plies / (wrong.plies + 4)
    return (further + late) / 2


def puzzles(solution: Solution, rng: random.Random) -> Iterator[Puzzle]:
    """The puzzles of a book in an order drawn by `rng`, each once, from all positions that can be reached.

    Two positions that differ only in what the players are called are one puzzle. Sort a list of them by `rating` for
    the easiest first. Raises `AnalysisError` for more than two players.
    """
    require_two_players(solution.book, "puzzles")
    live = list(all_positions(solution))
    rng.shuffle(live)
    seen: set[object] = set()
    for position in live or _random_positions(solution, rng, seen):
        looks = _looks(solution, position)
        puzzle = None if looks in seen else puzzle_at(solution, position)
        if puzzle:
            seen.add(looks)
            yield puzzle


def random_playout(
    book: Book, position: Position, rng: random.Random, max_plies: int = MAX_RANDOM_GAME_PLIES
) -> Iterator[Position]:
    """The positions of one game that is played at random from here, but for its end."""
    for _ in range(max_plies):
        followers = book.successors(position)
        if not followers:
            break
        yield position
        position = rng.choice(followers)[1]


def _random_positions(solution: Solution, rng: random.Random, seen: set[object]) -> Iterator[Position]:
    """Positions of games played at random, until no game adds anything new to `seen` for a long time."""
    book, fruitless = solution.book, 0
    while fruitless < MAX_FRUITLESS_GAMES:
        found = len(seen)
        yield from random_playout(book, book.start(rng.randint(1, 2)), rng)
        fruitless = 0 if len(seen) > found else fruitless + 1


def _looks(solution: Solution, position: Position) -> object:
    """What a position looks like to the player to move, the same for both where the rules are."""
    rules = solution.book.rules
    turn, tokens, last, out = position
    if len(set(rules.goals)) > 1 or len(set(rules.starts)) > 1:
        return position
    if rules.shared or turn == 1:
        return tokens, last, out
    return (*tokens[rules.tokens :], *tokens[: rules.tokens]), last, out


def question(solution: Solution, puzzle: Puzzle, names: Sequence[str] = ()) -> str:
    """What the puzzle asks the player to move."""
    words = Phrases(solution.book, names, you=puzzle.position.turn)
    name = words.names[words.you - 1]
    situation = words.situation_sentence(puzzle.position)
    return f"You are {name}, and it is your turn. {situation} Only one move {puzzle.asked}: which?"


def explain_answer(solution: Solution, puzzle: Puzzle, move: str, names: Sequence[str] = ()) -> Explanation:
    """The explanation after a legal move was tried: why it is right, or why it is wrong and which one is right."""
    return explain_move(solution, puzzle.position, move, names)


def refutation(
    solution: Solution, puzzle: Puzzle, move: str, names: Sequence[str] = ()
) -> tuple[tuple[str, Explanation], ...]:
    """What becomes of a wrong move: the move itself and, unless the game is over, the answer to it, each with why."""
    book, words = solution.book, Phrases(solution.book, names, you=puzzle.position.turn)
    after = book.after(puzzle.position, move)
    claims = explain_answer(solution, puzzle, move, names).claims
    claims = claims[: next(number for number, claim in enumerate(claims) if isinstance(claim, CorrectMoves))]
    if book.winner(after):
        return ((move, combine_claims(words, claims)),)
    cut = next((number for number, claim in enumerate(claims) if isinstance(claim, BestReply)), len(claims))
    first, then = list(claims[:cut]), list(claims[cut:])
    if not any(isinstance(claim, MoveEffectClaim) for claim in first):
        first.append(MoveEffectClaim(puzzle.position, move))
    answer = then[0].move if then and isinstance(then[0], BestReply) else solution.hardest_to_answer(after)[0].move
    told = combine_claims(words, then) if then else _saved(solution, words, after, answer)
    return (move, combine_claims(words, first)), (answer, told)


def _saved(solution: Solution, words: Phrases, position: Position, answer: str) -> Explanation:
    """What there is to say of an answer after which nobody can force a win."""
    after = solution.book.after(position, answer)
    stands = combine_claims(words, [PositionValueClaim(after, solution.worth(after))])
    does = words.move_clause(position.turn, answer, "answer")
    effect = "" if answer in FORCED_MOVES else f", which {words.effect_phrase(position, answer)}"
    return Explanation(f"{words.sentence(does + effect)} {stands.text}", stands.claims)


MAX_TRIVIAL_PLIES = 2
"""Nothing is asked that needs no more turns than these to look ahead: such a win is plain to see."""
INITIAL_VARIANT_COUNT = 6
"""The first puzzles are drawn from so many variants; each puzzle after them opens up one more."""

VARIANT_SETTINGS = {
    "reach-the-edge": """
        reverse=true
        end=10, steps=1,4
        end=14, steps=2,5
        end=16, steps=1,4
        end=17, steps=1,3,5
        end=19, steps=1,3,5
        end=19, steps=1,4
        steps=1,3,4, overshoot=loses
        steps=1-4, reverse=true
        steps=2-4, reverse=true
        end=10, steps=1,3,4, overshoot=loses
        end=11, steps=1,3,4, overshoot=loses
        end=12, steps=1,3,4, overshoot=loses
        end=12, steps=1-4, reverse=true
        end=12, steps=2-4, reverse=true
        end=13, steps=1-4, reverse=true
        end=13, steps=2-4, reverse=true
        end=14, steps=1,3,4, overshoot=loses
        end=14, steps=1-4, reverse=true
        end=14, steps=2-4, reverse=true
        end=16, steps=1-4, reverse=true
        end=16, steps=2-4, reverse=true
        end=17, steps=1,3,4, overshoot=loses
        end=17, steps=1,3,5, overshoot=loses
        end=17, steps=1-4, reverse=true
        end=17, steps=2-4, reverse=true
        end=18, steps=1-4, reverse=true
        end=18, steps=2-4, reverse=true
        end=19, steps=1,3,5, overshoot=loses
        end=19, steps=1-4, reverse=true
        end=19, steps=2-4, reverse=true
        steps=1,2,5, overshoot=loses, reverse=true
        steps=1-4, reverse=true, skip=true
        steps=2,3,5, overshoot=loses, reverse=true
        steps=2-3, overshoot=loses, reverse=true
    """,
    "number-reach": """
        operations="+1 *2 *3"
        operations="+1 +2 *3"
        operations="+2 +3 *2"
        operations="+3 -1 *2"
        target=14
        target=16
        target=24
        target=26
        operations="+2 +3 *2", repeat=banned
        target=15, operations="+1 +2 *3"
        target=19, operations="+2 +3 *2"
        target=21, operations="+4 -1 *2"
        target=22, operations="+2 +3 *2"
        target=23, operations="+4 -1 *2"
        target=24, operations="+1 +2 *3"
        target=24, operations="+2 +3 *2"
        target=27, operations="+1 +2 *3"
        target=30, operations="+1 +2 *3"
        operations="+1 +3 *2", overshoot=refused, repeat=banned
        operations="+2 +3 *2", overshoot=refused, repeat=banned
        target=15, operations="+1 +2 *3", repeat=banned
        target=16, operations="+3 -1 *2", overshoot=refused
        target=18, operations="+2 +3 *2", overshoot=refused
        target=21, operations="+1 +2 *3", overshoot=refused
        target=21, operations="+4 -1 *2", overshoot=refused
        target=23, operations="+2 +3 *2", overshoot=counts
        target=23, operations="+2 +3 *2", overshoot=refused
        target=24, operations="+1 +2 *3", overshoot=refused
        target=24, operations="+2 +3 *2", overshoot=counts
        target=25, operations="+2 +3 *2", repeat=banned
        target=27, operations="+1 +2 *3", overshoot=refused
        target=27, operations="+2 +3 *2", overshoot=refused
    """,
    "number-line-sprint": """
        end=14, steps=1,4
        end=15, steps=1,4
        end=15, steps=2-3
        end=16, steps=2-3
        repeat=banned, skip=true
        steps=1,2,4, repeat=banned
        steps=1,3, overshoot=loses
        steps=1,3,4, repeat=banned
        steps=1-4, repeat=banned
        stuck=passes, repeat=banned
        end=13, steps=1,2,5, repeat=banned
        end=14, steps=1,2,5, repeat=banned
        end=15, steps=1,2,5, repeat=banned
        end=15, steps=1,3,4, repeat=banned
        end=15, steps=1,3,5, overshoot=loses
        end=15, steps=1,3,5, repeat=banned
        steps=1,2,4, meeting=stops, repeat=banned
        steps=1,2,4, repeat=banned, skip=true
        steps=1,3,4, meeting=stops, repeat=banned
        steps=1-4, meeting=stops, repeat=banned
        steps=1-4, repeat=banned, skip=true
        steps=1-4, stuck=passes, repeat=banned
        steps=2-4, meeting=stops, repeat=banned
        steps=2-4, stuck=passes, repeat=banned
    """,
    "flag-chase": """
        repeat=banned
        end=14, repeat=banned
        end=15, repeat=banned
        end=15, steps=2-3
        end=16, repeat=banned
        end=17, repeat=banned
        end=17, steps=2-3
        reverse=true, repeat=banned
        skip=true, repeat=banned
        steps=1-4, repeat=banned
        steps=2-4, repeat=banned
        end=12, flag=5, repeat=banned
        end=14, reverse=true, repeat=banned
        end=14, skip=true, repeat=banned
        end=14, steps=1-4, repeat=banned
        end=15, reverse=true, repeat=banned
        end=15, skip=true, repeat=banned
        end=16, skip=true, repeat=banned
        end=17, reverse=true, repeat=banned
        end=17, skip=true, repeat=banned
        reverse=true, skip=true, repeat=banned
        skip=true, overshoot=loses, repeat=banned
        steps=1-4, overshoot=loses, repeat=banned
        steps=2-3, skip=true, repeat=banned
        steps=2-4, skip=true, repeat=banned
    """,
    "line-runner": """
        end=10, overshoot=refused, repeat=banned
        end=11, overshoot=refused, repeat=banned
        end=12, overshoot=refused, repeat=banned
        end=12, steps=1,3,5, overshoot=refused
        end=13, overshoot=refused, repeat=banned
        end=13, steps=2,3,5, overshoot=refused
        end=14, overshoot=refused, repeat=banned
        end=14, steps=2,3,5, overshoot=refused
        end=15, steps=2,3,5, overshoot=refused
        end=8, overshoot=refused, repeat=banned
        end=9, overshoot=refused, repeat=banned
        steps=2,3,5, overshoot=refused, meeting=shares
        end=10, steps=1,3,4, overshoot=refused
        end=11, steps=1,3,4, overshoot=refused
        end=12, steps=2-3, overshoot=refused
        end=13, steps=1,3,4, overshoot=refused
        end=13, steps=2,5, overshoot=refused
        end=14, steps=1,3,4, overshoot=refused
        end=14, steps=1,3,5, overshoot=refused
        end=14, steps=2,5, overshoot=refused
        end=14, steps=2-3, overshoot=refused
        end=15, steps=1,3,4, overshoot=refused
        end=9, steps=1,3,4, overshoot=refused
        end=9, steps=2-3, overshoot=refused
        steps=2,3,5, overshoot=refused, reverse=true
    """,
}
"""Settings of each book, small changes first, under which the right move is now this one and now that one."""


class SolvedPuzzle(NamedTuple):
    """A puzzle and the solution that it comes from."""

    solution: Solution
    puzzle: Puzzle


class VariantPuzzles:
    """The puzzles of one book under changed rules, drawn one at a time, each once."""

    def __init__(self, book: Book, rng: random.Random) -> None:
        self._rng = rng
        texts = filter(None, map(str.strip, VARIANT_SETTINGS.get(book.name, "").splitlines()))
        # A book that has no changes of its own is asked as it is.
        self._variants = [book.vary(*split_variant(f"{book.name}({text})")[1]) for text in texts] or [book]
        self._left: dict[Book, list[Puzzle]] = {}
        """Of each variant that was drawn from, the puzzles that are still to be asked."""
        self._open = INITIAL_VARIANT_COUNT
        self._right: Counter[str] = Counter()
        """How often each answer was right."""

    def draw(self) -> SolvedPuzzle | None:
        """The next puzzle; None where there are no more."""
        while self._variants:
            varied = self._rng.choice(self._variants[: self._open])
            solution = cached_solution(varied)
            if varied not in self._left:
                self._left[varied] = [
                    puzzle for puzzle in puzzles(solution, self._rng) if puzzle.plies > MAX_TRIVIAL_PLIES
                ]
            left = self._left[varied]
            if left:
                self._open += 1
                chosen = self._one_of(left, solution)
                self._right[chosen.right] += 1
                left.remove(chosen)
                return SolvedPuzzle(solution, chosen)
            self._variants.remove(varied)
        return None

    def _one_of(self, left: list[Puzzle], solution: Solution) -> Puzzle:
        """One of a variant's puzzles; half of the time a wrong move is to go further, where there is such a puzzle.

        Every answer is as likely, but for one that was right in more than a third of the puzzles so far.
        """
        rng, most = self._rng, 1 + self._right.total() // 3
        fresh = [puzzle for puzzle in left if self._right[puzzle.right] < most] or left
        tempting = [puzzle for puzzle in fresh if is_tempting(solution, puzzle)]
        among = rng.choice([fresh, tempting or fresh])
        right = rng.choice(sorted({puzzle.right for puzzle in among}))
        return rng.choice([puzzle for puzzle in among if puzzle.right == right])


def is_tempting(solution: Solution, puzzle: Puzzle) -> bool:
    """Whether a wrong move goes further than the right one."""
    book, position = solution.book, puzzle.position
    lengths = {str(move): move_distance(book, position, move) for move in book.moves(position)}
    return max(lengths.values()) > lengths[puzzle.right]


CANDIDATE_COUNT = 6
"""The puzzle that fits best is chosen from so many."""
EASY_RATING, RATING_STEP, PUZZLES_PER_ROUND = 850, 100, 5
"""How hard a puzzle should be where it is not chosen to fit somebody: each of a round is harder than the one before."""


class PuzzlePool:
    """The puzzles of some books, drawn one at a time, each once; `varied`: under rules that are changed a little."""

    def __init__(
        self,
        books: Sequence[Book],
        rng: random.Random,
        *,
        varied: bool = False,
        solve: Callable[[Book], Solution] = cached_solution,
    ) -> None:
        self.varied = varied
        self._solve = solve
        self._rng = rng
        self._sources = [self._twists(game) if varied else self._source(game) for game in books]
        self._waiting: list[SolvedPuzzle] = []

    def __iter__(self) -> Iterator[SolvedPuzzle]:
        number = 0
        while drawn := self.draw(EASY_RATING + RATING_STEP * (number % PUZZLES_PER_ROUND) if self.varied else None):
            number += 1
            yield drawn

    def draw(self, near: int | None = None) -> SolvedPuzzle | None:
        """The next puzzle, from a few the one with the nearest rating; None where there are no more."""
        while self._sources and len(self._waiting) < (1 if near is None else CANDIDATE_COUNT):
            source = self._rng.choice(self._sources)
            found = next(source, None)
            if found:
                self._waiting.append(found)
            else:
                self._sources.remove(source)
        if not self._waiting:
            return None
        ratings = [drawn.puzzle.rating for drawn in self._waiting]
        best = 0 if near is None else min(range(len(ratings)), key=lambda n: abs(ratings[n] - near))
        return self._waiting.pop(best)

    def _source(self, game: Book) -> Iterator[SolvedPuzzle]:
        """The puzzles of one book, which is solved when the first is asked for."""
        solution = self._solve(game)
        for puzzle in puzzles(solution, self._rng):
            yield SolvedPuzzle(solution, puzzle)

    def _twists(self, game: Book) -> Iterator[SolvedPuzzle]:
        """The puzzles of one book under changed rules."""
        twists = VariantPuzzles(game, self._rng)
        while drawn := twists.draw():
            yield drawn


def daily_puzzles(day: dt.date) -> list[SolvedPuzzle]:
    """The five puzzles of a day, the same for everybody: one of each game, the easiest first."""
    rng = random.Random(day.isoformat())
    names = rng.sample(NAMES, len(NAMES))
    pools = [PuzzlePool([book(name)], rng, varied=True) for name in names]
    drawn = [pool.draw(EASY_RATING + RATING_STEP * number) for number, pool in enumerate(pools)]
    return sorted(filter(None, drawn), key=lambda found: found.puzzle.rating)
