"""Rules that describe a game's losing positions: the search for them, their wording and the reasons why they hold.

Rules and reasons are checked against the solution for every reachable position; exceptions are counted and reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from numberline.explain import claims, queries
from numberline.explain.claims import Claim
from numberline.explain.phrases import MAX_LISTED_NUMBERS, Phrases, describe_numbers
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN
from numberline.text import join_and, join_or

UNREACHABLE_TURNS = 1 << 60
MIN_RACE_ACCURACY = 0.9
"""A race count that is right in at least this share of the positions is reported along with its exceptions."""
MIN_RULE_OF_THUMB_SHARE = 2 / 3


@dataclass(frozen=True)
class LosingPattern:
    """Rule that describes the positions in which the player to move loses."""

    speaks_of: int = 0
    """Number of positions covered by the rule (all reachable positions)."""
    exceptions: int = 0
    """Number of positions in which the rule is wrong."""
    all_else_wins: bool = False
    """Whether the player to move wins in all remaining positions."""

    def is_lost(self, position: Position) -> bool:
        """Return whether the player to move loses according to this rule."""
        raise NotImplementedError

    def full_text(self, words: Phrases) -> str:
        """Return the rule in a few sentences, for a learner."""
        raise NotImplementedError

    def short_reason(self, words: Phrases) -> str:
        """Return the rule as one sentence that explains a losing position, or an empty string if it adds nothing."""
        return ""

    def summary(self, words: Phrases) -> str:
        """Return the rule in its most memorable form."""
        return self.full_text(words)

    def place_noun(self, words: Phrases) -> str:
        """Return the noun for what the rule calls losing, such as `position` or `number`."""
        return "position"

    def _otherwise(self) -> str:
        return "can win" if self.all_else_wins else "can avoid losing"


@dataclass(frozen=True)
class BannedSteps(LosingPattern):
    """Pattern in which a player who is banned from playing one of `strides` loses."""

    strides: tuple[int, ...] = ()

    def is_lost(self, position: Position) -> bool:
        return position.last in self.strides

    def full_text(self, words: Phrases) -> str:
        lost = f"If it's your turn and you can't {self._banned(words)}, you lose."
        return f"{lost} In all other positions, you {self._otherwise()}."

    def short_reason(self, words: Phrases) -> str:
        return f"The player whose turn it is loses if they can't {self._banned(words)}."

    def _banned(self, words: Phrases) -> str:
        return join_or([words.stride(stride) for stride in self.strides])


@dataclass(frozen=True)
class LosingNumbers(LosingPattern):
    """Pattern in which a player who must move the shared marker from one of `numbers` loses."""

    numbers: tuple[int, ...] = ()

    def is_lost(self, position: Position) -> bool:
        return position.tokens[0] in self.numbers

    def place_noun(self, words: Phrases) -> str:
        return "number" if words.is_number else words.noun

    def full_text(self, words: Phrases) -> str:
        noun, listed, rules = self.place_noun(words), describe_numbers(self.numbers), words.book.rules
        if not listed:
            is_right = rules.goals[0][-1] > rules.starts[0]
            near = join_and(self.numbers[-MAX_LISTED_NUMBERS:] if is_right else self.numbers[:MAX_LISTED_NUMBERS])
            text = (
                f"If you must move from one of {len(self.numbers):,} {noun}s, you lose. Nearest to the goal are {near}"
            )
        elif len(self.numbers) == 1:
            text = f"There is one losing {noun}, {listed}: if you must move from it, you lose"
        else:
            text = f"If you must move from one of these {noun}s, you lose: {listed}"
        return f"{text}. From all other {noun}s, you {self._otherwise()}."

    def summary(self, words: Phrases) -> str:
        listed = describe_numbers(self.numbers)
        return f"Leave your opponent a losing number: {listed}." if listed else self.full_text(words)


@dataclass(frozen=True)
class LosingNumbersBySide(LosingPattern):
    """Pattern of losing places that depend on the player to move and, with `by_ban`, on the banned stride."""

    numbers: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    """Losing places by player to move and banned stride; the stride is 0 unless `by_ban` is set."""
    by_ban: bool = False

    def is_lost(self, position: Position) -> bool:
        key = position.turn, position.last if self.by_ban else 0
        return position.tokens[0] in self.numbers.get(key, ())

    def full_text(self, words: Phrases) -> str:
        """Return the rule in a few sentences, or an empty string if any list is too long."""
        lists = {key: describe_numbers(numbers) for key, numbers in self.numbers.items()}
        if not all(lists.values()):
            return ""
        lost = [f"{self._who(words, *key)} with the {words.token} on {listed}." for key, listed in lists.items()]
        return " ".join([*lost, f"In all other positions, the player whose turn it is {self._otherwise()}."])

    def summary(self, words: Phrases) -> str:
        return f"If you can, move the {words.token} to where your opponent loses."

    def _who(self, words: Phrases, player: int, last: int) -> str:
        name = words.names[player - 1]
        allowed = f"can't {words.stride(last)}" if last else "can play anything"
        ban = f" and {name} {allowed}" if self.by_ban else ""
        return f"If it's {words.whose(player)} turn{ban}, {name} loses"


@dataclass(frozen=True)
class RaceCount(LosingPattern):
    """Pattern in which the player to move loses if they need more turns to reach the goal than the opponent.

    Each player's turns are counted as if the other stood still.
    """

    turns_needed: tuple[Mapping[Position, int | None], ...] = field(default=(), repr=False, compare=False)
    ignores_bans: bool = False
    """Whether the book bans repeated steps; the count ignores such bans."""

    def is_lost(self, position: Position) -> bool:
        return self.count(position, position.turn) > self.count(position, 3 - position.turn)

    def count(self, position: Position, player: int) -> int:
        """Return the number of turns that `player` needs, or `UNREACHABLE_TURNS`."""
        return self.turns_needed[player - 1][position._replace(turn=player, last=0)] or UNREACHABLE_TURNS

    def count_phrase(self, position: Position, player: int) -> str:
        turns = self.count(position, player)
        return f"needs {turns}" if turns < UNREACHABLE_TURNS else "never gets there"

    def full_text(self, words: Phrases) -> str:
        text = (
            f"It's a race. {self._count.capitalize()}. "
            "If it's your turn and you need more turns than the other player, you lose"
        )
        if self.exceptions:
            right = f"{self.speaks_of - self.exceptions:,} of {self.speaks_of:,} positions"
            text += f"; otherwise you don't. That's right in {right}, but not in all"
        else:
            text += "; if you need as many or fewer, you win" if self.all_else_wins else "; otherwise you don't"
        return f"{text}.{' Never getting there counts as needing more.' if self.has_unreachable_goal else ''}"

    def short_reason(self, words: Phrases) -> str:
        if self.exceptions:
            return ""
        return "The player whose turn it is loses if they need more turns than the other player."

    def summary(self, words: Phrases) -> str:
        if self.exceptions:
            return self.full_text(words)
        return f"Before you move, {self._count}: the player whose turn it is loses if they need more."

    @property
    def _count(self) -> str:
        bans = " and every step were allowed" if self.ignores_bans else ""
        return f"count the turns that each player needs to the goal, as if the other stood still{bans}"

    @cached_property
    def has_unreachable_goal(self) -> bool:
        """Whether there are positions from which a player moving alone can't reach the goal."""
        return any(None in needs.values() for needs in self.turns_needed)


@dataclass(frozen=True)
class NoLosingPositions(LosingPattern):
    """Pattern in which the player to move never loses."""

    only_immediate_wins: bool = False
    """Whether every sure win is an immediate win."""

    def is_lost(self, position: Position) -> bool:
        return False

    def full_text(self, words: Phrases) -> str:
        if self.all_else_wins:
            return "In every position, the player whose turn it is has a sure win."
        more = " The only sure wins are wins at once." if self.only_immediate_wins else ""
        return f"You never have to lose: on your turn, there is always a move that doesn't lose.{more}"


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
    """Return a rule that describes the losing positions of a two-player book, or None if no rule fits.

    >>> import numberline as nl
    >>> book = nl.book("reach-the-edge")
    >>> pattern = find_losing_pattern(nl.solve(book))
    >>> pattern.full_text(Phrases(book)) if pattern else None
    "If it's your turn and you can't move by 3, you lose. In all other positions, you can win."
    """
    positions = queries.analysed_positions(solution)
    if not positions or solution.book.rules.players > 2:
        return None
    values = {position: solution.value(position) for position in positions}
    lost = {position for position, value in values.items() if value == LOSS}
    all_else_wins, count = ENDLESS not in values.values(), len(positions)
    if not lost:
        at_once = all(solution.distance(position) == 1 for position, value in values.items() if value == WIN)
        return NoLosingPositions(count, all_else_wins=all_else_wins, only_immediate_wins=at_once)
    approximate = None
    for pattern in _candidates(solution.book, positions, lost):
        exceptions = sum(pattern.is_lost(position) != (position in lost) for position in positions)
        if not exceptions:
            return replace(pattern, speaks_of=count, all_else_wins=all_else_wins)
        if isinstance(pattern, RaceCount) and exceptions <= (1 - MIN_RACE_ACCURACY) * count:
            approximate = replace(pattern, speaks_of=count, exceptions=exceptions)
    return approximate


def _candidates(book: Book, positions: Sequence[Position], lost: Collection[Position]) -> Iterator[LosingPattern]:
    """Yield rules that might describe the losing positions, simplest first."""
    rules = book.rules
    if rules.repeat == "banned":
        yield BannedSteps(strides=tuple(sorted({position.last for position in lost} - {0})))
    if not rules.shared:
        needs = tuple(turns_to_goal_by_position(book, positions, player) for player in (1, 2))
        yield RaceCount(turns_needed=needs, ignores_bans=rules.repeat == "banned")
        return
    yield LosingNumbers(numbers=tuple(sorted({position.tokens[0] for position in lost})))
    for by_ban in (False, True):
        places: dict[tuple[int, int], set[int]] = {}
        for position in lost:
            places.setdefault((position.turn, position.last if by_ban else 0), set()).add(position.tokens[0])
        numbers = {key: tuple(sorted(found)) for key, found in sorted(places.items())}
        yield LosingNumbersBySide(numbers=numbers, by_ban=by_ban)


# Reasons


def explain_pattern(solution: Solution, pattern: LosingPattern) -> Iterator[Claim]:
    """Yield a claim that explains why the pattern holds, or that shows an exception if there is one."""
    if isinstance(pattern, NoLosingPositions):
        return
    if isinstance(pattern, RaceCount) and pattern.exceptions:
        positions = queries.analysed_positions(solution)
        wrong = (at for at in positions if pattern.is_lost(at) != (solution.value(at) == LOSS))
        yield Claim(claims.race_exception, pattern, next(wrong))
        return
    reason: Claim | None = None
    if isinstance(pattern, BannedSteps) and len(pattern.strides) == 1:
        reason = _gains_ground(solution, pattern, pattern.strides[0])
    elif isinstance(pattern, RaceCount):
        reason = _stays_ahead(solution, pattern)
    yield reason or Claim(claims.pattern_invariant, pattern)


def rule_of_thumb(solution: Solution) -> Iterator[Claim]:
    """Yield a claim that the longest (or shortest) step is a good rule of thumb, if it is right often enough."""
    right = {True: 0, False: 0}
    total = 0
    for position in queries.analysed_positions(solution):
        legal = solution.evaluate_moves(position)
        right_moves = queries.value_preserving(legal)
        correct = queries.moves_of(right_moves)
        lengths = {option.move: queries.move_distance(solution.book, position, option.move) for option in legal}
        if right_moves[0].value == LOSS or len(correct) == len(legal) or len(set(lengths.values())) == 1:
            continue
        total += 1
        for longest, pick in ((True, max), (False, min)):
            right[longest] += all(move in correct for move in lengths if lengths[move] == pick(lengths.values()))
    longest = right[True] >= right[False]
    if total and right[longest] >= MIN_RULE_OF_THUMB_SHARE * total:
        yield Claim(claims.rule_of_thumb, right[longest], total, longest=longest)


def _gains_ground(solution: Solution, pattern: BannedSteps, stride: int) -> Claim | None:
    book = solution.book
    if not book.rules.shared or book.rules.moves == "operations":
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
    blocks = False
    for position in queries.analysed_positions(solution):
        player, other = position.turn, 3 - position.turn
        mine, theirs = pattern.count(position, player), pattern.count(position, other)
        behind = mine > theirs
        nearer = False
        for option in solution.evaluate_moves(position):
            if option.worth.ends_game:
                nearer = nearer or option.value == WIN
                continue
            longer = pattern.count(option.after, other) > theirs
            smaller = pattern.count(option.after, player) < mine
            if (behind and longer) or (smaller and not behind and not pattern.is_lost(option.after)):
                return None
            blocks, nearer = blocks or longer, nearer or smaller
        if not behind and not nearer:
            return None
    return Claim(claims.stays_ahead, pattern, blocks=blocks)
