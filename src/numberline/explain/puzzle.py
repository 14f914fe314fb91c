"""Puzzles (positions with exactly one right move), their ratings, and pools to draw them from."""

from __future__ import annotations

import datetime as dt
import math
import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from numberline.explain import claims
from numberline.explain.claims import Claim, Explanation, combine_claims
from numberline.explain.explanation import explain_move
from numberline.explain.phrases import Phrases
from numberline.explain.queries import (
    all_positions,
    look_ahead_plies,
    move_distance,
    require_two_players,
    value_preserving,
)
from numberline.game.book import Book
from numberline.game.loader import BUILTIN_DIR, NAMES, book
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.game.settings import split_variant
from numberline.solver.cache import cached_solution
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation

BASE_RATING = 400
DAILY_PUZZLE_COUNT = 5
MAX_FRUITLESS_GAMES = 2_000
"""In a book with too many positions to list, stop after this many random games without a new puzzle."""
MAX_RANDOM_GAME_PLIES = 500
MAX_TRIVIAL_PLIES = 2
"""Puzzles on variants must require looking more than this many turns ahead."""
INITIAL_VARIANT_COUNT = 6
"""Number of variants from which the first puzzle is drawn; after each puzzle, one more variant is added."""
CANDIDATE_COUNT = 6
EASY_RATING, RATING_STEP, PUZZLES_PER_ROUND = 850, 100, 5
"""First target rating, increase per puzzle and number of puzzles in a round of increasing difficulty."""


class Puzzle(NamedTuple):
    """Position with exactly one right move."""

    position: Position
    right: str
    value: str
    """Value preserved by the right move: `win` or `endless`."""
    plies: int
    """Number of turns to look ahead: to the win or, if there is none, to the latest loss after a wrong move."""
    rating: int
    """Difficulty, at least 400; see `rate_puzzle`."""

    @property
    def asked(self) -> str:
        """Verb phrase for what only the right move does."""
        return "wins" if self.value == WIN else "doesn't lose"


class SolvedPuzzle(NamedTuple):
    """Puzzle with the solution of its book."""

    solution: Solution
    puzzle: Puzzle


def puzzle_at(solution: Solution, position: Position) -> Puzzle | None:
    """Return the puzzle at a position; None unless exactly one of several moves is right."""
    legal = solution.evaluate_moves(position)
    correct = value_preserving(legal)
    if len(legal) < 2 or len(correct) != 1 or correct[0].value == LOSS:
        return None
    right = correct[0]
    rating = rate_puzzle(solution.book, position, right, legal)
    return Puzzle(position, right.move, right.value, look_ahead_plies(legal), rating)


def rate_puzzle(book: Book, position: Position, right: MoveEvaluation, legal: Sequence[MoveEvaluation]) -> int:
    """Return the difficulty of a puzzle: 400 + 200 log2(1 + depth) + 200 log2(1 + temptation), rounded.

    The depth is the number of turns to look ahead. Each wrong move adds up to 1 to the temptation: 1/2 if it moves
    further than the right move, plus half its lateness, which is r / (r + 4) if it loses in r turns and 1 if it doesn't
    lose.
    """
    length, temptation = move_distance(book, position, right.move), 0.0
    for wrong in (option for option in legal if option is not right):
        late = 1.0 if wrong.plies is None else wrong.plies / (wrong.plies + 4)
        temptation += ((move_distance(book, position, wrong.move) > length) + late) / 2
    return round(BASE_RATING + 200 * math.log2(1 + look_ahead_plies(legal)) + 200 * math.log2(1 + temptation))


def puzzles(solution: Solution, rng: random.Random) -> Iterator[Puzzle]:
    """Yield each puzzle of a book once, in random order.

    Positions that match once the players are swapped count as one puzzle. Sort by `rating` to get the easiest first.
    Raises `AnalysisError` for more than two players.
    """
    require_two_players(solution.book, "puzzles")
    positions = list(all_positions(solution))
    rng.shuffle(positions)
    seen: set[object] = set()
    for position in positions or _random_positions(solution, rng, seen):
        key = _symmetry_key(solution, position)
        puzzle = None if key in seen else puzzle_at(solution, position)
        if puzzle:
            seen.add(key)
            yield puzzle


def random_playout(book: Book, position: Position, rng: random.Random, max_plies: int) -> Iterator[Position]:
    """Yield the positions of one random game, except the final one."""
    for _ in range(max_plies):
        successors = book.successors(position)
        if not successors:
            break
        yield position
        position = rng.choice(successors)[1]


def _random_positions(solution: Solution, rng: random.Random, seen: set[object]) -> Iterator[Position]:
    """Yield positions from random games until `MAX_FRUITLESS_GAMES` games in a row add nothing to `seen`."""
    book, fruitless = solution.book, 0
    while fruitless < MAX_FRUITLESS_GAMES:
        count = len(seen)
        yield from random_playout(book, book.start(rng.randint(1, 2)), rng, MAX_RANDOM_GAME_PLIES)
        fruitless = 0 if len(seen) > count else fruitless + 1


def _symmetry_key(solution: Solution, position: Position) -> object:
    """Return a key that, in a symmetric game, stays the same if the players are swapped."""
    rules = solution.book.rules
    turn, tokens, last, out = position
    if len(set(rules.goals)) > 1 or len(set(rules.starts)) > 1:
        return position
    if rules.shared or turn == 1:
        return tokens, last, out
    return (*tokens[rules.tokens :], *tokens[: rules.tokens]), last, out


def question(solution: Solution, puzzle: Puzzle, names: Sequence[str] = ()) -> str:
    words = Phrases(solution.book, names, you=puzzle.position.turn)
    return f"{words.your_turn(puzzle.position)} Only one move {puzzle.asked}. Which one?"


def refutation(solution: Solution, puzzle: Puzzle, move: str) -> tuple[tuple[str, Explanation], ...]:
    """Return a wrong move and, unless it ends the game, the reply that refutes it, each with an explanation."""
    book, position = solution.book, puzzle.position
    words, after = Phrases(book, you=position.turn), book.after(position, move)
    explained = explain_move(solution, position, move).claims
    kinds = [claim.kind for claim in explained]
    end = kinds.index(claims.correct_moves)
    if book.winner(after):
        return ((move, combine_claims(words, explained[:end])),)
    cut = kinds.index(claims.best_reply) if claims.best_reply in kinds else end
    on_move = explained[:cut]
    if claims.move_effect not in kinds[:cut]:
        on_move += (Claim(claims.move_effect, position, move),)
    if cut < end:
        reply, why = explained[cut].facts.move, combine_claims(words, explained[cut:end])
    else:
        reply = solution.hardest_to_answer(after)[0].move
        why = _explain_open_reply(solution, words, after, reply)
    return (move, combine_claims(words, on_move)), (reply, why)


def _explain_open_reply(solution: Solution, words: Phrases, position: Position, reply: str) -> Explanation:
    """Explain a reply after which neither player has a sure win."""
    after = solution.book.after(position, reply)
    value = combine_claims(words, [Claim(claims.position_value, after, solution.worth(after))])
    clause = words.move_clause(position.turn, reply, "answer")
    effect = "" if reply in FORCED_MOVES else f", which {words.effect_phrase(position, reply)}"
    return Explanation(f"{words.sentence(clause + effect)} {value.text}", value.claims)


# Puzzles on variants, which can't be solved from memory


def puzzle_variants(game: Book) -> list[Book]:
    """Return the variants of a book that are used for puzzles, smallest changes first, or the book if it has none."""
    path = BUILTIN_DIR / "puzzles" / f"{game.name}.toml"
    if game.source is not None or not path.is_file():
        return [game]
    settings = tomllib.loads(path.read_text("utf-8"))["variants"]
    return [game.vary(*split_variant(f"{game.name}({text})")[1]) for text in settings]


def variant_puzzles(game: Book, rng: random.Random) -> Iterator[SolvedPuzzle]:
    """Yield each puzzle on the variants of one book once."""
    variants, open_count = puzzle_variants(game), INITIAL_VARIANT_COUNT
    remaining: dict[Book, list[Puzzle]] = {}
    answer_counts: Counter[str] = Counter()
    while variants:
        variant = rng.choice(variants[:open_count])
        solution = cached_solution(variant)
        if variant not in remaining:
            remaining[variant] = [found for found in puzzles(solution, rng) if found.plies > MAX_TRIVIAL_PLIES]
        if not remaining[variant]:
            variants.remove(variant)
            continue
        open_count += 1
        chosen = _choose(remaining[variant], solution, answer_counts, rng)
        answer_counts[chosen.right] += 1
        remaining[variant].remove(chosen)
        yield SolvedPuzzle(solution, chosen)


def _choose(remaining: list[Puzzle], solution: Solution, counts: Counter[str], rng: random.Random) -> Puzzle:
    """Choose a puzzle; half the time, one with a tempting wrong move if possible.

    All answers are equally likely, but an answer that was right in over a third of the puzzles so far is avoided.
    """
    most = 1 + counts.total() // 3
    fresh = [puzzle for puzzle in remaining if counts[puzzle.right] < most] or remaining
    tempting = [puzzle for puzzle in fresh if is_tempting(solution, puzzle)]
    among = rng.choice([fresh, tempting or fresh])
    right = rng.choice(sorted({puzzle.right for puzzle in among}))
    return rng.choice([puzzle for puzzle in among if puzzle.right == right])


def is_tempting(solution: Solution, puzzle: Puzzle) -> bool:
    """Return whether a wrong move goes further than the right move."""
    book, position = solution.book, puzzle.position
    lengths = {str(move): move_distance(book, position, move) for move in book.moves(position)}
    return max(lengths.values()) > lengths[puzzle.right]


# Pools


class PuzzlePool:
    """Pool of puzzles from several books or, with `varied`, from their variants; each puzzle is drawn only once."""

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
        self._sources = [variant_puzzles(game, rng) if varied else self._from_book(game) for game in books]
        self._candidates: list[SolvedPuzzle] = []

    def __iter__(self) -> Iterator[SolvedPuzzle]:
        number = 0
        while drawn := self.draw(EASY_RATING + RATING_STEP * (number % PUZZLES_PER_ROUND) if self.varied else None):
            number += 1
            yield drawn

    def draw(self, near: int | None = None) -> SolvedPuzzle | None:
        """Return the next puzzle or, given `near`, the candidate with the closest rating; None if there are no more."""
        while self._sources and len(self._candidates) < (1 if near is None else CANDIDATE_COUNT):
            source = self._rng.choice(self._sources)
            found = next(source, None)
            if found:
                self._candidates.append(found)
            else:
                self._sources.remove(source)
        if not self._candidates:
            return None
        ratings = [drawn.puzzle.rating for drawn in self._candidates]
        best = 0 if near is None else min(range(len(ratings)), key=lambda n: abs(ratings[n] - near))
        return self._candidates.pop(best)

    def _from_book(self, game: Book) -> Iterator[SolvedPuzzle]:
        solution = self._solve(game)
        for puzzle in puzzles(solution, self._rng):
            yield SolvedPuzzle(solution, puzzle)


def daily_puzzles(day: dt.date) -> list[SolvedPuzzle]:
    """Return the puzzles for a day, each from a different game, easiest first; they are the same for everyone."""
    rng = random.Random(day.isoformat())
    names = rng.sample(NAMES, DAILY_PUZZLE_COUNT)
    pools = [PuzzlePool([book(name)], rng, varied=True) for name in names]
    drawn = [pool.draw(EASY_RATING + RATING_STEP * number) for number, pool in enumerate(pools)]
    return sorted(filter(None, drawn), key=lambda found: found.puzzle.rating)
