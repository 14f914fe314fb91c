"""Puzzles: positions in which exactly one move is right, and how hard each is."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
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
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
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
