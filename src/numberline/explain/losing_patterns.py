"""Rules that describe a game's losing positions: the search for them, their wording and the reasons why they hold.

Rules and reasons are checked against the solution for every reachable position; a rule with an exception is not used.
The search tries these families of rules, starting with the one that a person can apply fastest:

1. banned steps: you only look at the last move;
2. the place of a shared marker: you look at one number (the losing numbers are evenly spaced, periodic, regular within
   each of a few bands, or irregular);
3. the marker's distance from your own goal, if the same rule fits both players: you count one number;
4. the gap between two tokens, if the losing gaps repeat every k places: you count one number;
5. a race: you count two numbers, the jumps that each player still needs.

Texts for players call a losing position a trap and, in a race, a move a jump. `strip.py` draws a rule as a strip of
cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, takewhile
from typing import ClassVar

from numberline.explain import claims, queries
from numberline.explain.claims import Claim
from numberline.explain.phrases import MAX_LISTED_NUMBERS, Band, Phrases, describe_numbers, split_into_bands
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.game.validation import cannot_collide
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN
from numberline.text import join_and, join_or, spell_ordinal

UNREACHABLE_TURNS = 1 << 60
MAX_RESIDUES = 3
MAX_LISTED_REGULAR_NUMBERS = 5
MAX_EXPLAINED_BANDS = 4


@dataclass(frozen=True)
class LosingPattern:
    """Rule that describes the positions in which the player to move loses."""

    all_else_wins: bool = False
    """Whether the player to move wins in all other positions."""
    has_traps: ClassVar[bool] = True
    """Whether there are losing positions."""

    def is_lost(self, position: Position) -> bool:
        """Return whether the player to move loses according to this rule."""
        raise NotImplementedError

    def full_text(self, words: Phrases) -> str:
        """Return the rule in a few sentences, for a learner."""
        raise NotImplementedError

    def short_reason(self, words: Phrases) -> str:
        """Return the rule as one sentence that explains a losing position, or an empty string if it adds nothing."""
        return ""

    def sentence(self, words: Phrases) -> str:
        """Return the rule as short advice for a child."""
        return self.full_text(words)

    def key(self, position: Position) -> int | None:
        """Return the number that identifies the position's cell in a strip, or None if the pattern has no strip."""
        return None

    def place_noun(self, words: Phrases) -> str:
        """Return the noun for what the rule calls losing, such as `position` or `number`."""
        return "position"

    def _otherwise(self) -> str:
        return "can win" if self.all_else_wins else "can avoid losing"


@dataclass(frozen=True)
class BannedSteps(LosingPattern):
    """Pattern in which the player to move loses if the last move bans one of `strides`."""

    strides: tuple[int, ...] = ()
    winning_moves: tuple[str, ...] = ()
    """The moves that win whenever they are legal."""

    def is_lost(self, position: Position) -> bool:
        return position.last in self.strides

    def key(self, position: Position) -> int | None:
        return int(position.last)

    def full_text(self, words: Phrases) -> str:
        lost = f"If it's your turn and the last move bans {self._strides(words)}, you lose."
        return f"{lost} In all other positions, you {self._otherwise()}."

    def short_reason(self, words: Phrases) -> str:
        return f"The player whose turn it is loses if the last move bans {self._strides(words)}."

    def sentence(self, words: Phrases) -> str:
        if self.winning_moves:
            return f"Play {join_or(self.winning_moves)} whenever you can."
        return f"Play so that your move bans {self._strides(words)} for your opponent."

    def _strides(self, words: Phrases) -> str:
        return join_or([words.book.stride(stride) for stride in self.strides])


@dataclass(frozen=True, kw_only=True)
class LosingNumbers(LosingPattern):
    """Pattern in which a player who must move the shared marker from one of `numbers` loses."""

    numbers: tuple[int, ...] = ()
    """The losing numbers, nearest to the goal first."""
    every: tuple[int, ...] = ()
    """All numbers that occur, in the same order."""
    together: int = 0
    """The total distance covered by a move from a trap and the right answer to it; 0 if it isn't always the same."""
    example: tuple[str, str] = ("", "")
    """A move from a trap and the answer to it."""
    book: Book = field(repr=False, compare=False)

    def is_lost(self, position: Position) -> bool:
        return self.key(position) in self.numbers

    def key(self, position: Position) -> int | None:
        return int(position.tokens[0])

    def place_noun(self, words: Phrases) -> str:
        return "number" if words.is_number else words.noun

    @cached_property
    def bands(self) -> tuple[Band, ...]:
        return split_into_bands(self.every, self.numbers)

    @cached_property
    def residues(self) -> tuple[int, tuple[int, ...]]:
        """The period of the traps and their distances from the goal modulo this period; 0 and `()` if there is none.

        There are at most `MAX_RESIDUES` residues, and at least twice as many traps. If there is only one residue, the
        period is the distance between neighbouring traps.
        """
        goals = self.book.rules.goals[0] if type(self) is LosingNumbers else (0,)
        away = {number: min(abs(goal - number) for goal in goals) for number in self.every}
        spacing = math.gcd(*(first - second for first, second in pairwise(self.numbers)))
        for step in (spacing, *range(2, len(away) // 2 + 1)) if spacing else ():
            found = [away[number] % step for number in self.numbers]
            expected = [number for number in self.every if away[number] % step in found]
            if len(set(found)) <= min(MAX_RESIDUES, len(found) // 2) and expected == [*self.numbers]:
                return step, tuple(sorted({residue or step for residue in found}))
        return 0, ()

    @property
    def step(self) -> int:
        """The distance between neighbouring traps; 0 if it isn't always the same."""
        step, residues = self.residues
        return step if len(residues) == 1 else 0

    def full_text(self, words: Phrases) -> str:
        noun, listed = self.place_noun(words), self.listed()
        which = f"every {spell_ordinal(self.step)} {noun}: " if self.step else ""
        traps = f"trap is {listed}" if len(self.numbers) == 1 else f"traps are {which}{listed}"
        if repeated := self._repeated("to go"):
            traps = f"traps are the {noun}s with {repeated}"
        if not (listed or repeated):
            near = join_and(self.numbers[:MAX_LISTED_NUMBERS])
            traps = f"traps nearest to the goal are {near}; there are {len(self.numbers):,} in all"
        return f"The {traps}. From any {noun} that isn't a trap, you {self._otherwise()}."

    def _repeated(self, unit: str) -> str:
        """Return residues as a phrase such as `1 or 3 to go, or 5 more than that, and so on`.

        Return an empty string unless there are several residues.
        """
        step, residues = self.residues
        return f"{join_or(residues)} {unit}, or {step} more than that, and so on" if len(residues) > 1 else ""

    def sentence(self, words: Phrases) -> str:
        if left := self._repeated("to go"):
            return f"Leave {left}."
        which = f"a trap{f' (every {spell_ordinal(self.step)} {self.place_noun(words)})' if self.step else ''}"
        listed = (self if self.step else replace(self, numbers=self._leavable)).listed(join_or)
        return f"Leave your opponent {which}{listed and ': '}{listed}."

    @property
    def _leavable(self) -> tuple[int, ...]:
        """The losing numbers that a move can lead to, which excludes those that occur only at the start."""
        starts = (Position(1, (number,)) for number in self.every)
        left = {self.key(after) for start in starts for _, after in self.book.successors(start)}
        return tuple(number for number in self.numbers if number in left) or self.numbers

    def listed(self, join: Callable[[Sequence[object]], str] = join_and) -> str:
        """Return the traps as a phrase, or an empty string if it would be too long."""
        if self.step and len(self.numbers) > MAX_LISTED_REGULAR_NUMBERS:
            return f"{', '.join(map(str, self.numbers[:3]))}, and so on to {self.numbers[-1]}"
        few = len(self.numbers) <= MAX_LISTED_NUMBERS
        return join(self.numbers) if few else describe_numbers(sorted(self.numbers))


@dataclass(frozen=True, kw_only=True)
class LosingDistances(LosingNumbers):
    """Pattern in which a player loses if the shared marker is one of `numbers` places away from their own goal.

    The same numbers apply to both players.
    """

    def key(self, position: Position) -> int | None:
        return self.book.distance_to_goal(position.turn, position.tokens[0])

    def full_text(self, words: Phrases) -> str:
        return f"{self.short_reason(words)} If not, they {self._otherwise()}."

    def short_reason(self, words: Phrases) -> str:
        return f"On their turn, a player loses if their goal is {self._away(words)} away."

    def sentence(self, words: Phrases) -> str:
        return f"Make your opponent move when their goal is {self._away(words)} away."

    def _away(self, words: Phrases) -> str:
        return f"{self.listed(join_or)} {words.noun}{'s' if self.numbers[-1] > 1 else ''}"


@dataclass(frozen=True, kw_only=True)
class LosingGaps(LosingNumbers):
    """Pattern in which a player loses if the number of free places between the two tokens is one of `numbers`."""

    def key(self, position: Position) -> int | None:
        first, second = position.tokens
        return int(abs(first - second)) - 1

    def place_noun(self, words: Phrases) -> str:
        return "gap"

    def full_text(self, words: Phrases) -> str:
        return f"{self.short_reason(words)} With any other gap, they {self._otherwise()}."

    def short_reason(self, words: Phrases) -> str:
        return f"On their turn, a player loses if the gap is {self._gaps(words)}."

    def sentence(self, words: Phrases) -> str:
        divided = f"you can divide by {self.step}:" if self.step and self.numbers[0] % self.step == 0 else "of"
        return f"Leave a gap {divided} {self._gaps(words)}."

    def _gaps(self, words: Phrases) -> str:
        unit = f"free {words.noun}s"
        return self._repeated(unit) or f"{self.listed(join_or)} {unit}"


@dataclass(frozen=True, kw_only=True)
class RaceCount(LosingPattern):
    """Pattern in which the player to move loses if they need more turns to reach the goal than the opponent.

    Each player's turns are counted as if the other stood still.
    """

    turns_needed: tuple[Mapping[Position, int | None], ...] = field(default=(), repr=False, compare=False)
    ignores_bans: bool = False
    """Whether the book bans repeated steps, which the count ignores."""
    book: Book = field(repr=False, compare=False)
    by_place: bool = False
    """Whether it's enough to count from each player's own place, as if no token were in the way."""
    stays_ahead: bool = False
    """Whether a player who isn't behind stays ahead by reducing their own count with every move."""

    def is_lost(self, position: Position) -> bool:
        return self.count(position, position.turn) > self.count(position, 3 - position.turn)

    def count(self, position: Position, player: int) -> int:
        """Return the number of turns that `player` needs, or `UNREACHABLE_TURNS` if they can't reach the goal."""
        return self.turns_needed[player - 1][position._replace(turn=player, last=0)] or UNREACHABLE_TURNS

    def key(self, position: Position) -> int | None:
        return self._place(position, position.turn) if self.jumps else None

    def _place(self, position: Position, player: int) -> int:
        return int(self.book.tokens_of(position, player)[0])

    @cached_property
    def jumps(self) -> Mapping[tuple[int, int], int]:
        """Number of jumps still needed, by player and place; empty if players have several tokens.

        The jumps are counted as if no token were in the way.
        """
        found: dict[tuple[int, int], int] = {}
        if self.book.rules.tokens == 1:
            for player, needs in enumerate(self.turns_needed, 1):
                for position, turns in needs.items():
                    at = player, self._place(position, player)
                    found[at] = min(found.get(at, UNREACHABLE_TURNS), turns or UNREACHABLE_TURNS)
        return found

    def jumps_from(self, position: Position, player: int) -> int:
        return self.jumps[player, self._place(position, player)]

    @cached_property
    def gates(self) -> tuple[int, ...]:
        """Distances from the goal within which one jump fewer is needed, nearest first.

        Empty if places at the same distance need different numbers of jumps, or if a greater distance can take fewer.
        """
        pairs = sorted({(self.distance(*at), jumps) for at, jumps in self.jumps.items() if self.distance(*at) > 0})
        regular = all(near < far and fewer <= more for (near, fewer), (far, more) in pairwise(pairs))
        return tuple(near for (near, fewer), (_, more) in pairwise(pairs) if fewer < more) if regular else ()

    def distance(self, player: int, place: int) -> int:
        return self.book.distance_to_goal(player, place)

    def full_text(self, words: Phrases) -> str:
        if self.by_place and len(self.gates) == 1:
            near = f"within {self.gates[0]} of {words.book.goal_name}"
            return f"If it's your turn and only the other player is {near}, you lose. If not, you {self._otherwise()}."
        bans = " and every step were allowed" if self.ignores_bans else ""
        still = "" if self.by_place else f", as if the other stood still{bans}"
        is_blocked = any(None in needs.values() for needs in self.turns_needed)
        never = " A player who can never reach the goal counts as needing more jumps." * is_blocked
        rest = f"If you need as many or fewer, you {self._otherwise()}.{never}"
        return f"Count the jumps that each player needs{still}. You lose if it's your turn and you need more. {rest}"

    def short_reason(self, words: Phrases) -> str:
        return "The player whose turn it is loses if they need more turns than the other player."

    def sentence(self, words: Phrases) -> str:
        goal, places = words.book.goal_name, {at for at in self.jumps if self.distance(*at) in self.gates}
        if self.by_place and len(self.gates) == 1:
            return f"Be the first within {self.gates[0]} of {goal}, then jump onto it."
        if not self.stays_ahead or not self.gates:
            return "Count the jumps each of you needs: on your turn, you lose if you need more."
        if len(words.book.rules.goals[0]) > 1:
            return "Pick the nearest end and run: reach or pass a gate with every jump."
        first, second = (sorted(place for each, place in places if each == player) for player in (1, 2))
        where = join_and(first) if first == second else f"{join_and(self.gates)} before {goal}"
        return f"Reach or pass a gate with every jump{f': {where}' if len(self.gates) <= MAX_LISTED_NUMBERS else ''}."


@dataclass(frozen=True)
class NoLosingPositions(LosingPattern):
    """Pattern in which the player to move never loses."""

    has_traps = False

    def is_lost(self, position: Position) -> bool:
        return False

    def full_text(self, words: Phrases) -> str:
        if self.all_else_wins:
            return "In every position, the player whose turn it is has a sure win."
        return "You never have to lose: on your turn, there is always a move that doesn't lose."


# Races


def turns_to_goal(book: Book, position: Position, player: int) -> int | None:
    """Return the minimum number of turns to the goal if only `player` moves and nothing is banned; None if unreachable.

    >>> import numberline as nl
    >>> turns_to_goal(nl.book("line-runner"), nl.Position(1, (0, 2)), 1)
    7
    """
    return turns_to_goal_by_position(book, [position], player)[_alone(position, player)]


def turns_to_goal_by_position(book: Book, positions: Iterable[Position], player: int) -> dict[Position, int | None]:
    """Return `turns_to_goal` for many positions; each key is a position with `player` to move and nothing banned."""
    needs: dict[Position, int | None] = dict.fromkeys(_alone(position, player) for position in positions)
    predecessors: dict[Position, list[Position]] = {}
    frontier: set[Position] = set()
    queue = list(needs)
    for position in queue:  # the loop body extends the queue
        for after in [_alone(after, player) for _, after in book.successors(position) if not after.is_out(player)]:
            if book.is_home(after, player):
                frontier.add(position)
                continue
            predecessors.setdefault(after, []).append(position)
            if after not in needs:
                needs[after] = None
                queue.append(after)
    turns = 1
    while frontier:
        needs.update(dict.fromkeys(frontier, turns))
        turns += 1
        frontier = {before for reached in frontier for before in predecessors.get(reached, ()) if needs[before] is None}
    return needs


def _alone(position: Position, player: int) -> Position:
    return position._replace(turn=player, last=0)


# Search


@queries.cached_per_solution
def find_losing_pattern(solution: Solution) -> LosingPattern | None:
    """Return a rule that describes the losing positions of a two-player book; None if no rule fits.

    Also return None for a book with more players, or with too many positions to check.

    >>> import numberline as nl
    >>> book = nl.book("reach-the-edge")
    >>> pattern = find_losing_pattern(nl.solve(book))
    >>> pattern.full_text(Phrases(book)) if pattern else None
    "If it's your turn and the last move bans 3, you lose. In all other positions, you can win."
    """
    positions = queries.analysed_positions(solution)
    if not positions or solution.book.rules.players > 2:
        return None
    values = {position: solution.value(position) for position in positions}
    lost = {position for position, value in values.items() if value == LOSS}
    all_else_wins = ENDLESS not in values.values()
    if not lost:
        return NoLosingPositions(all_else_wins=all_else_wins)
    for pattern in _candidates(solution.book, positions, lost):
        if all(pattern.is_lost(position) == (position in lost) for position in positions):
            return _with_reason(solution, replace(pattern, all_else_wins=all_else_wins))
    return None


def _candidates(book: Book, positions: Sequence[Position], lost: Collection[Position]) -> Iterator[LosingPattern]:
    """Yield rules that might describe the losing positions, in the order given at the top of this module."""
    rules = book.rules
    if rules.repeat == "banned":
        yield BannedSteps(strides=tuple(sorted({position.last for position in lost} - {0})))
    if rules.shared:
        yield _keyed(LosingNumbers(book=book), positions, lost)
        if len(set(rules.goals)) > 1:
            yield _keyed(LosingDistances(book=book), positions, lost)
        return
    if rules.tokens == 1 and (gaps := _keyed(LosingGaps(book=book), positions, lost)).residues[0]:
        yield gaps
    needs = tuple(turns_to_goal_by_position(book, positions, player) for player in (1, 2))
    yield RaceCount(turns_needed=needs, ignores_bans=rules.repeat == "banned", book=book)


def _keyed(blank: LosingNumbers, positions: Sequence[Position], lost: Collection[Position]) -> LosingNumbers:
    """Return `blank` with `numbers` taken from the losing positions and `every` from all positions."""
    rules = blank.book.rules
    is_right = type(blank) is LosingNumbers and rules.goals[0][-1] > rules.starts[0]
    every, losing = (sorted({blank.key(at) or 0 for at in group}, reverse=is_right) for group in (positions, lost))
    return replace(blank, numbers=tuple(losing), every=tuple(every))


# Reasons


def _with_reason(solution: Solution, pattern: LosingPattern) -> LosingPattern:
    """Return the pattern with the additional facts that its sentence and its explanation use."""
    if isinstance(pattern, BannedSteps):
        return replace(pattern, winning_moves=queries.always_winning_moves(solution))
    if isinstance(pattern, RaceCount):
        by_place = bool(pattern.jumps) and all(
            pattern.is_lost(at) == (pattern.jumps_from(at, at.turn) > pattern.jumps_from(at, 3 - at.turn))
            for at in queries.analysed_positions(solution)
        )
        return replace(pattern, by_place=by_place, stays_ahead=_stays_ahead(solution, pattern) is not None)
    return _with_total(solution, pattern) if isinstance(pattern, LosingNumbers) and pattern.step else pattern


def _with_total(solution: Solution, pattern: LosingNumbers) -> LosingNumbers:
    """Return the pattern, with `together` and `example` set if each move from a trap has a suitable answer.

    An answer is suitable if it is right and if the move and the answer add up to `step`.
    """
    book, examples = solution.book, set()
    for lost in filter(pattern.is_lost, queries.analysed_positions(solution)):
        for move, after in book.successors(lost):
            replies = [
                reply
                for reply, final in book.successors(after)
                if sum(abs(a - b) for a, b in zip(lost.tokens, final.tokens, strict=True)) == pattern.step
                and solution.worth(final).winner == after.turn
            ]
            if not replies and not book.winner(after):
                return pattern
            examples |= {(str(move), str(reply)) for reply in replies if None not in {move.token, reply.token}}
    return replace(pattern, together=pattern.step, example=min(examples)) if examples else pattern


def explain_pattern(solution: Solution, pattern: LosingPattern) -> Iterator[Claim]:
    """Yield claims that explain why the pattern holds."""
    if not pattern.has_traps:
        return
    reason: Claim | None = None
    if isinstance(pattern, BannedSteps) and len(pattern.strides) == 1:
        reason = _gains_ground(solution, pattern, pattern.strides[0])
    elif isinstance(pattern, RaceCount):
        reason = _stays_ahead(solution, pattern)
    elif isinstance(pattern, LosingNumbers) and pattern.together:
        reason = Claim(claims.together, pattern)
    elif type(pattern) is LosingNumbers and pattern.all_else_wins and not pattern.residues[0]:
        yield from _band_reasons(solution, pattern)
    yield reason or Claim(claims.pattern_invariant, pattern)


def _band_reasons(solution: Solution, pattern: LosingNumbers) -> Iterator[Claim]:
    """Yield a claim for each band about the moves that never help in it, or about one move that always does."""
    helpful = {number: set(solution.book.choices) for number in pattern.every}
    useless = {number: set(solution.book.choices) for number in pattern.every}
    for at in queries.analysed_positions(solution):
        winning = {option.move for option in solution.evaluate_moves(at) if option.value == WIN}
        helpful[at.tokens[0]] &= winning
        useless[at.tokens[0]] -= winning
    for band in pattern.bands if len(pattern.bands) <= MAX_EXPLAINED_BANDS else pattern.bands[:1]:
        found = useless if band.step else helpful
        runs = {
            str(move): tuple(takewhile(lambda number: move in found[number], band.numbers))  # noqa: B023 - used at once
            for move in solution.book.choices
        }
        if not band.step:
            moves = [move for move, run in runs.items() if run == band.numbers][:1]
        else:
            moves = [move for move, run in runs.items() if len({*run} & {*band.marked}) > 1 < band.step]
        if moves:
            numbers = min((runs[move] for move in moves), key=len)
            yield Claim(claims.band_reason, tuple(moves), numbers, band.step)


def _gains_ground(solution: Solution, pattern: BannedSteps, stride: int) -> Claim | None:
    book = solution.book
    if not book.rules.shared or book.rules.moves == "operations" or len(set(book.rules.goals)) == 1:
        return None
    most = 0
    gains: list[int] = []
    for lost in filter(pattern.is_lost, queries.analysed_positions(solution)):
        you = 3 - lost.turn
        for move, after in book.successors(lost):
            most = max(most, queries.move_distance(book, lost, move))
            if book.winner(after) == lost.turn:
                return None
            replies = book.successors(after)
            if book.winner(after) or any(book.winner(final) == you for _, final in replies):
                continue
            again = [final for reply, final in replies if final.last == stride and reply.token is not None]
            if not again:
                return None
            gains.append(book.distance_to_goal(you, lost.tokens[0]) - book.distance_to_goal(you, again[0].tokens[0]))
    gain = min(gains, default=0)
    return Claim(claims.gains_ground, stride, most, gain) if gain > 0 and most > 0 else None


def _stays_ahead(solution: Solution, pattern: RaceCount) -> Claim | None:
    if not pattern.all_else_wins or pattern.ignores_bans:
        return None
    own = pattern.jumps_from if pattern.gates else pattern.count
    for position in queries.analysed_positions(solution):
        if pattern.is_lost(position):
            continue
        turn, count = position.turn, own(position, position.turn)
        nearer = [
            option.after
            for option in solution.evaluate_moves(position)
            if (option.value == WIN if option.worth.ends_game else own(option.after, turn) < count)
        ]
        if not nearer or not all(solution.book.winner(after) or pattern.is_lost(after) for after in nearer):
            return None
    rules = solution.book.rules
    return Claim(claims.stays_ahead, pattern, apart=rules.meeting == "shares" or cannot_collide(rules))
