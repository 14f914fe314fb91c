"""Puzzles in four themes, their difficulty, and pools to draw them from."""

from __future__ import annotations

import datetime as dt
import math
import random
import re
import tomllib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from numberline.errors import UnreadableMove
from numberline.explain import queries
from numberline.explain.explanation import briefly
from numberline.explain.phrases import SecondPersonPhrases
from numberline.explain.review import review
from numberline.explain.rule_words import past_phrase
from numberline.explain.strip import Cell, Strip, mark_of
from numberline.explain.worksheet import asked_places, consequences, with_token_at
from numberline.game.book import Book
from numberline.game.loader import BUILTIN_DIR, NAMES, book
from numberline.game.match import RESIGN, Match, parse_legal_move
from numberline.game.moves import FORCED_MOVES, PASS
from numberline.game.position import Position
from numberline.game.settings import split_variant
from numberline.solver.cache import cached_solution
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation
from numberline.text import join_and, quote, spell_number

WIN_THEME, TRAP_THEME, SAVE_THEME, COLOUR_THEME = "win", "trap", "save", "colour"
THEME_TITLES = {
    WIN_THEME: "Win now",
    TRAP_THEME: "Set the trap",
    SAVE_THEME: "Save yourself",
    COLOUR_THEME: "Colour the traps",
}
NO_TRAPS = "none"
"""Answer that marks no place in a `colour` puzzle."""
MAX_TRAP_PLIES = 5
"""Maximum length of a win that the player has to play to its end, in turns; at most three of them are the player's."""
MIN_COLOUR_PLACES, MAX_COLOUR_PLACES = 4, 10
MAX_EASY_TRAP_PLIES, MAX_EASY_PLACES = 4, 6
"""Limits of a `colour` puzzle with two stars; one with deeper traps or more places has three."""
BASE_RATING = 400
DAILY_PUZZLE_COUNT = 5
MAX_FRUITLESS_GAMES = 2_000
"""If a book has too many positions to list, stop after this many random games in a row without a new puzzle."""
MAX_RANDOM_GAME_PLIES = 500
INITIAL_VARIANT_COUNT = 6
"""Number of variants from which a book's first variant puzzle is drawn; each such puzzle adds one more variant."""
CANDIDATE_COUNT = 6
INTRO_THEMES = WIN_THEME, WIN_THEME, TRAP_THEME, TRAP_THEME
"""Themes of a player's first puzzles, which use the book's own rules; each trap takes two of the player's moves."""
ROUND_STARS = (1, 1, 2, 2, 3)
"""Stars of the successive puzzles in a round."""
STARS_BY_RATING = {0: (1, 1, 2), 900: (1, 2, 2, 3), 1200: (2, 3, 3)}
"""Stars to choose from, keyed by the minimum rating of the player."""
MAX_REASON_WORDS = 17
TWIN_DISTANCE = 10
"""Minimum number of other puzzles between a puzzle and its mirror image."""


class Puzzle(NamedTuple):
    """Position with right and wrong moves or, in the theme `colour`, a strip of places to mark."""

    position: Position
    right: str
    """A right answer: a move, or the places to mark."""
    value: str
    """Value preserved by the right moves, `win` or `endless`; in the theme `colour`, `loss`."""
    plies: int
    """Number of turns to look ahead: to the win or, if there is none, to the latest loss after a wrong move."""
    rating: int
    """Difficulty, at least 400; see `rate_puzzle`."""
    theme: str
    stars: int
    """Difficulty as players see it, from 1 to 3."""
    answers: tuple[str, ...]
    """All right answers."""
    choices: int
    """Number of legal moves or, in the theme `colour`, of places in the strip."""
    places: tuple[int, ...] = ()
    """The places of the strip in the theme `colour`; otherwise empty."""

    @property
    def own_moves(self) -> int:
        """Number of moves that the player has to find."""
        return (self.plies + 1) // 2 if self.theme == TRAP_THEME else 1

    @property
    def is_warm_up(self) -> bool:
        """Whether the puzzle is a single choice between two moves."""
        return self.choices == 2 and self.own_moves == 1

    @property
    def theme_title(self) -> str:
        return THEME_TITLES[self.theme]

    def question(self, solution: Solution, names: Sequence[str] = ()) -> str:
        words = SecondPersonPhrases(solution.book, names, you=self.position.turn)
        slot = _slot(solution, self.position)
        starts = [with_token_at(self.position, slot, place) for place in self.places] or [self.position]
        replies = {
            move for at in starts for _, after in solution.book.successors(at) for move in solution.book.moves(after)
        }
        rule = "A player who can't move misses a turn. " * (PASS in replies and self.theme != WIN_THEME)
        return f"{words.your_turn(self.position)} {rule}{self.task(solution)}"

    def task(self, solution: Solution) -> str:
        """Return what the player is asked to do."""
        words = SecondPersonPhrases(solution.book, you=self.position.turn)
        if self.theme == COLOUR_THEME:
            noun = "number" if words.is_number else solution.book.noun("place")
            ban = f" You still {words.banned(self.position)}." if self.position.last else ""
            each = f"each {noun} from {self.places[0]} to {self.places[-1]}"
            return f"Now try {each}. Mark it as a trap if you lose when it's your turn there.{ban}"
        if self.theme == WIN_THEME:
            return "You can win now. Which move wins at once?"
        if self.theme == TRAP_THEME:
            return _ask_fastest("You can win", self.own_moves)
        why = "You can win, but some moves spoil it" if self.value == WIN else "Some moves lose"
        return f"{why}. What do you play?"

    def parse_answer(self, solution: Solution, typed: str) -> str:
        """Return the typed move or places in the notation of the puzzle; raise `MoveError` for an invalid answer."""
        if self.theme != COLOUR_THEME:
            return str(parse_legal_move(solution.book, self.position, typed))
        known = {str(place): place for place in self.places}
        words = [place for word in typed.replace(",", " ").lower().split() for place in _expand_range(word, known)]
        if words == [NO_TRAPS]:
            return NO_TRAPS
        if wrong := [word for word in words or [typed] if word not in known]:
            valid = f"the places are {join_and([*known])}. If there are no traps, type {NO_TRAPS}"
            raise UnreadableMove(f"{quote(wrong[0])} can't be marked; {valid}")
        return " ".join(map(str, sorted({known[word] for word in words})))

    def played_moves(self, solution: Solution, move: str) -> list[str]:
        """Return a move and the moves that follow automatically: the best reply, and turns without a choice.

        Nothing follows a right answer to a `save` puzzle, because it solves the puzzle. The best reply to a right move
        delays the loss longest and, among equals, leaves the smallest fraction of right moves.
        """
        book, you = solution.book, self.position.turn
        moves, after = [move], book.after(self.position, move)
        if move in self.answers and self.theme == SAVE_THEME:
            return moves
        while (legal := book.moves(after)) and (after.turn != you or legal[0] in FORCED_MOVES):
            moves.append(str(solution.hardest_to_answer(after)[0].move))
            after = book.after(after, moves[-1])
        return moves

    def explain_answer(self, solution: Solution, answer: str, *, done: bool = True) -> str:
        """Return one sentence about an answer: why it is right, or what is wrong with it.

        If `done` is true and the answer is wrong, explain the right answer instead.
        """
        position = self.position
        words = SecondPersonPhrases(solution.book, you=position.turn)
        is_right = answer in self.answers
        if self.theme == COLOUR_THEME and (is_right or done):
            traps = self.right.split()
            return f"The {'trap is' if len(traps) == 1 else 'traps are'} {join_and(traps)}."
        if self.theme == COLOUR_THEME:
            return self._colour_feedback(solution, {*answer.split()})
        shown = self.right if done and not is_right else answer
        option = next(option for option in solution.evaluate_moves(position) if option.move == shown)
        if shown in self.answers:
            return briefly(solution, position, option).sentence(words)
        if option.keeps_value:
            return "That wins too, but another move wins sooner."
        made = next((claim for claim in consequences(solution, position, option) if claim.is_short(words)), None)
        return made.sentence(words) if made else f"After {shown}, your opponent can win."

    def _colour_feedback(self, solution: Solution, marked: set[str]) -> str:
        """Return one sentence about the place nearest to the goal that was wrongly marked or wrongly left unmarked."""
        position, right = self.position, set(self.right.split())
        goal = solution.book.nearest_goal(position.turn, self.places[0])
        wrong = [place for place in self.places if (str(place) in right) != (str(place) in marked)]
        nearest = min(wrong, key=lambda place: abs(place - goal))
        at = with_token_at(position, _slot(solution, position), nearest)
        why = briefly(solution, at).sentence(SecondPersonPhrases(solution.book, you=position.turn))
        if len(why.split()) > MAX_REASON_WORDS:
            return f"Look at {nearest} again: you " + ("lose there." if str(nearest) in right else "don't lose there.")
        return f"Look at {nearest}: {why[0].lower()}{why[1:]}"

    def strip(self, solution: Solution, *, painted: bool) -> Strip:
        """Return the strip of a `colour` puzzle; its cells are blank unless `painted` is true."""
        slot, cells = _slot(solution, self.position), []
        for place in self.places:
            worth = solution.worth(with_token_at(self.position, slot, place))
            cells.append(Cell(place, str(place), mark_of([worth]) if painted else ""))
        return Strip("Traps", on_line=True, cells=tuple(cells))

    def twin_key(self, solution: Solution) -> object:
        """Return a key shared with the puzzle's mirror image, and with the same puzzle with the players swapped."""
        book, tokens = solution.book, self.position.tokens
        images = tokens, queries.swap_players(book, tokens)
        mirrored = (tuple(sum(book.rules.line) - place for place in image) for image in images)
        return book.variant, self.theme, min(*images, *mirrored), self.position.last


def _expand_range(word: str, known: Mapping[str, int]) -> list[str]:
    """Return the known places in a range such as `10-16`, or just the word itself if it isn't such a range.

    >>> _expand_range("1-3", {"1": 1, "2": 2, "3": 3}), _expand_range("3", {}), _expand_range("1-3", {})
    (['1', '2', '3'], ['3'], ['1-3'])
    """
    ends = re.fullmatch("(-?[0-9]+)-(-?[0-9]+)", word)
    if not ends or not known.keys() >= {*ends.groups()}:
        return [word]
    low, high = sorted(known[end] for end in ends.groups())
    return [text for text, place in known.items() if low <= place <= high]


def next_question(solution: Solution, position: Position) -> str:
    """Return the question for the next move of a `trap` puzzle."""
    return _ask_fastest("Now win", (solution.distance(position) or 0) // 2 + 1, " more")


def _ask_fastest(how: str, count: int, more: str = "") -> str:
    which = "fastest" if count > 1 else "at once"
    return f"{how} in {spell_number(count)}{more} move{'s' * (count > 1)}. Which move wins {which}?"


class SolvedPuzzle(NamedTuple):
    """Puzzle with the solution of its book."""

    solution: Solution
    puzzle: Puzzle


def puzzle_at(solution: Solution, position: Position, theme: str = "") -> Puzzle | None:
    """Return the puzzle at a position, or None if there is none; by default, the theme follows from the position.

    With the theme `trap`, a position in which every move is right also counts, because it can occur within a puzzle.
    """
    if theme == COLOUR_THEME:
        return _colour_puzzle(solution, position)
    legal = solution.evaluate_moves(position)
    if not legal or legal[0].move in FORCED_MOVES:
        return None
    right, worth = _right_options(legal), solution.worth(position)
    quick = worth.value == WIN and (worth.plies or 0) <= MAX_TRAP_PLIES
    found = SAVE_THEME if not quick else TRAP_THEME if (worth.plies or 0) > 1 else WIN_THEME
    goes_on = quick and theme == TRAP_THEME
    if right[0].value == LOSS or not (goes_on or (len(right) < len(legal) and theme in {"", found})):
        return None
    recommended = queries.recommended_move(solution, position)
    best = recommended if recommended in right else right[0]
    answers = (str(best.move), *(str(option.move) for option in right if option is not best))
    plies = _depth(right, legal)
    rating = rate_puzzle(solution.book, position, right, legal)
    stars = _save_stars(legal) if found == SAVE_THEME else (plies + 1) // 2
    return Puzzle(position, answers[0], best.value, plies, rating, found, stars, answers, len(legal))


def _right_options(legal: Sequence[MoveEvaluation]) -> tuple[MoveEvaluation, ...]:
    """Return the right moves: the fastest wins if they are short enough, else all moves that keep the value."""
    best = tuple(option for option in legal if option.best)
    quick = best[0].value == WIN and (best[0].plies or 0) <= MAX_TRAP_PLIES
    return best if quick else queries.value_preserving(legal)


def _save_stars(legal: Sequence[MoveEvaluation]) -> int:
    """Return 1 if no move leads to endless play and every wrong move loses by the opponent's next turn; otherwise 2."""
    endless = any(option.plies is None for option in legal)
    return 1 if not endless and all((option.plies or 0) <= 2 for option in legal if not option.keeps_value) else 2


def rate_puzzle(
    book: Book, position: Position, right: Sequence[MoveEvaluation], legal: Sequence[MoveEvaluation]
) -> int:
    """Return the difficulty of a puzzle: 400 + 200 log2(1 + depth) + 200 log2(1 + temptation), rounded.

    The depth is the number of turns to look ahead. Each wrong move adds at most 1 to the temptation: 1/2 if it moves
    further than every right move, plus half its lateness, which is r / (r + 4) if it loses in r turns and 1 if it
    doesn't lose.
    """
    length, temptation = max(queries.move_distance(book, position, option.move) for option in right), 0.0
    for wrong in (option for option in legal if option not in right):
        late = 1.0 if wrong.value != LOSS or wrong.plies is None else wrong.plies / (wrong.plies + 4)
        temptation += ((queries.move_distance(book, position, wrong.move) > length) + late) / 2
    return _rating(_depth(right, legal), temptation)


def _depth(right: Sequence[MoveEvaluation], legal: Sequence[MoveEvaluation]) -> int:
    return queries.look_ahead_plies(right) or queries.look_ahead_plies(legal)


def _rating(depth: int, temptation: float) -> int:
    return round(BASE_RATING + 200 * math.log2(1 + depth) + 200 * math.log2(1 + temptation))


def _colour_puzzle(solution: Solution, position: Position) -> Puzzle | None:
    """Return the puzzle that asks for the traps between the player's token and the nearest goal, or None."""
    rules = solution.book.rules
    if rules.tokens > 1 or not position.tokens:
        return None
    slot, turn = _slot(solution, position), position.turn
    here = position.tokens[slot]
    goal = solution.book.nearest_goal(turn, here)
    low, high = sorted((here, goal))
    if not MIN_COLOUR_PLACES <= high - low <= MAX_COLOUR_PLACES:
        return None
    places = asked_places(solution, position, slot, (low, high))
    worths = [solution.worth(with_token_at(position, slot, place)) for place in places]
    depths = [worth.plies or 0 for worth in worths if worth.value == LOSS]
    if len(places) < MIN_COLOUR_PLACES or not 0 < len(depths) < len(places):
        return None
    right = " ".join(str(place) for place, worth in zip(places, worths, strict=True) if worth.value == LOSS)
    stars = 2 if max(depths) <= MAX_EASY_TRAP_PLIES and len(places) <= MAX_EASY_PLACES else 3
    rating = _rating(max(depths), len(places) / 2)
    return Puzzle(position, right, LOSS, max(depths), rating, COLOUR_THEME, stars, (right,), len(places), places)


def _slot(solution: Solution, position: Position) -> int:
    """Return the index of the shared marker, or of the token that belongs to the player to move."""
    return 0 if solution.book.rules.shared else position.turn - 1


def puzzles(solution: Solution, rng: random.Random) -> Iterator[Puzzle]:
    """Yield each puzzle of a book once, in random order.

    Positions that are the same with the players swapped count as one puzzle. Sort by `rating` to get the easiest first.
    Raise `AnalysisError` if the book has more than two players.
    """
    queries.require_two_players(solution.book, "puzzles")
    positions = list(queries.all_positions(solution))
    rng.shuffle(positions)
    seen: set[object] = set()
    for position in positions or _random_positions(solution, rng, seen):
        key = queries.symmetry_key(solution.book, position)
        for theme in ("", COLOUR_THEME) if key not in seen else ():
            if puzzle := puzzle_at(solution, position, theme):
                seen.add(key)
                yield puzzle


def _random_positions(solution: Solution, rng: random.Random, seen: set[object]) -> Iterator[Position]:
    """Yield positions from random games until `MAX_FRUITLESS_GAMES` games in a row add nothing to `seen`."""
    book, fruitless = solution.book, 0
    while fruitless < MAX_FRUITLESS_GAMES:
        count = len(seen)
        yield from queries.random_playout(book, book.start(rng.randint(1, 2)), rng, MAX_RANDOM_GAME_PLIES)
        fruitless = 0 if len(seen) > count else fruitless + 1


# Puzzles from the player's own games


class OwnPuzzle(NamedTuple):
    """Puzzle made from the move that decided a game."""

    puzzle: Puzzle
    intro: str
    """Sentence shown before the question: the player's move in that game."""


def own_puzzle(solution: Solution, match: Match) -> OwnPuzzle | None:
    """Return the puzzle at the mistake that decided a game; None if there was no winner, or no such mistake."""
    winner = match.outcome.winner if match.outcome else 0
    point = review(solution, match).turning_point if winner else None
    if point is None or point.player == winner or point.move == RESIGN:
        return None
    puzzle = puzzle_at(solution, match.plies[point.number - 1].before)
    intro = f"From your own game. You {past_phrase(point.move)} here. Find something better."
    return OwnPuzzle(puzzle, intro) if puzzle else None


# Pools


def puzzle_variants(game: Book) -> list[Book]:
    """Return the variants of a book that are used for puzzles, smallest changes first; just the book if it has none."""
    path = BUILTIN_DIR / "puzzles" / f"{game.name}.toml"
    if game.source is not None or not path.is_file():
        return [game]
    settings = tomllib.loads(path.read_text("utf-8"))["variants"]
    return [game.vary(*split_variant(f"{game.name}({text})")[1]) for text in settings]


@queries.cached_per_solution
def offered_puzzles(solution: Solution) -> tuple[Puzzle, ...]:
    """Return the puzzles of a small book, omitting choices between two moves unless they are easy."""
    found = puzzles(solution, random.Random(0))
    return tuple(puzzle for puzzle in found if puzzle.stars == 1 or not puzzle.is_warm_up)


@dataclass(eq=False)
class PuzzlePool:
    """Pool of puzzles from several books.

    If `varied` is true, half of the puzzles use the books' own rules and the other half those of variants, and the pool
    is endless; `solved` is then the number of puzzles that the player has solved so far. If `varied` is false,
    each puzzle is drawn only once.
    """

    books: Sequence[Book]
    rng: random.Random
    _: KW_ONLY
    varied: bool = False
    solved: int = 0
    solve: Callable[[Book], Solution] = cached_solution

    def __post_init__(self) -> None:
        self._number = self.solved
        self._sources = [self._from_book(game) for game in self.books]
        self._candidates: list[SolvedPuzzle] = []
        self._recent: deque[object] = deque(maxlen=TWIN_DISTANCE)
        self._drawn: Counter[object] = Counter()
        """Number of draws by theme, by puzzle, by theme and answer, and by book with its own or with changed rules."""

    def __iter__(self) -> Iterator[SolvedPuzzle]:
        return iter(self.draw, None)

    def draw(self, near: int | None = None) -> SolvedPuzzle | None:
        """Return a puzzle, or None if there are no more. If `near` is given, it suits a player with that rating."""
        if not self.varied:
            return self._draw_once(near)
        game = self.rng.choice(self.books)
        number, theme = self._number, ""
        self._number += 1
        stars = ROUND_STARS[number % len(ROUND_STARS)]
        if near is not None:
            stars = self.rng.choice([each for least, each in STARS_BY_RATING.items() if least <= near][-1])
        if number < len(INTRO_THEMES):
            theme = INTRO_THEMES[number]
            stars = 1 if theme == WIN_THEME else 2
        own = bool(theme) or (self._drawn[game, True] + self._drawn[game, False]) % 2 == 0
        return self.choose(game, stars, own=own, theme=theme)

    def choose(self, game: Book, stars: int, *, own: bool, theme: str = "") -> SolvedPuzzle | None:
        """Return a puzzle for a book's own rules or for a variant, with stars as close as possible to `stars`.

        Among equals, the themes, puzzles and answers that were drawn least often are preferred. If possible, mirror
        images of recent puzzles are left out.
        """
        variants = [game] if own else puzzle_variants(game)[: INITIAL_VARIANT_COUNT + self._drawn[game, False]]
        self.rng.shuffle(variants)
        variant = next((each for each in variants if self._fresh(each)), game)
        solution = cached_solution(variant)

        def cost(puzzle: Puzzle) -> tuple[float, ...]:
            early = puzzle.theme in {WIN_THEME, TRAP_THEME} and puzzle.own_moves < 3
            fits = not theme or early, not theme or puzzle.theme == theme
            used = self._drawn[puzzle.theme], self._drawn[variant, puzzle], self._drawn[puzzle.theme, puzzle.right]
            wide = puzzle.stars > 1 and puzzle.choices < 3
            return *(not each for each in fits), abs(puzzle.stars - stars), wide, *used, self.rng.random()

        puzzle = min(self._fresh(variant) or offered_puzzles(solution), key=cost, default=None)
        if puzzle is None:
            return None
        self._recent.append(puzzle.twin_key(solution))
        keys = (game, variant == game), puzzle.theme, (variant, puzzle), (puzzle.theme, puzzle.right)
        self._drawn.update(keys)
        return SolvedPuzzle(solution, puzzle)

    def _fresh(self, variant: Book) -> list[Puzzle]:
        """Return the puzzles of a variant that aren't recent ones or their mirror images."""
        solution = cached_solution(variant)
        return [each for each in offered_puzzles(solution) if each.twin_key(solution) not in self._recent]

    def _draw_once(self, near: int | None) -> SolvedPuzzle | None:
        """Return the next puzzle or, given `near`, the candidate with the closest rating."""
        while self._sources and len(self._candidates) < (1 if near is None else CANDIDATE_COUNT):
            source = self.rng.choice(self._sources)
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
        solution = self.solve(game)
        for puzzle in puzzles(solution, self.rng):
            yield SolvedPuzzle(solution, puzzle)


def daily_puzzles(day: dt.date) -> list[SolvedPuzzle]:
    """Return the puzzles for a day, each from a different game, easiest first; they are the same for everyone."""
    rng = random.Random(day.isoformat())
    pool = PuzzlePool((), rng)
    names = rng.sample(NAMES, DAILY_PUZZLE_COUNT)
    drawn = [pool.choose(book(name), ROUND_STARS[n], own=n % 2 == 0) for n, name in enumerate(names)]
    return sorted(filter(None, drawn), key=lambda found: (found.puzzle.stars, found.puzzle.rating))
