"""Rules that describe the losing positions of a game: by a banned step, by numbers, or by counting turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from numberline.explain.phrases import Phrases
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.text import join_and, join_or

MAX_LISTED_NUMBERS = 7
MAX_PROGRESSIONS = 4
MIN_PROGRESSION_LENGTH = 3
UNREACHABLE_TURNS = 1 << 60


@dataclass(frozen=True)
class LosingPattern:
    """A rule that describes the positions in which the player to move loses."""

    speaks_of: int = 0
    """Number of positions the rule covers: all reachable ones."""
    exceptions: int = 0
    """Number of positions in which the rule is wrong."""
    all_else_wins: bool = False
    """Whether the player to move wins in every other position."""

    def is_lost(self, position: Position) -> bool:
        """Return whether the player to move loses by this rule."""
        raise NotImplementedError

    def full_text(self, words: Phrases) -> str:
        """Return the rule in a few sentences, for a learner."""
        raise NotImplementedError

    def short_reason(self, words: Phrases) -> str:
        """Return the rule as one sentence next to a losing position, or an empty string if that adds nothing."""
        return ""

    def summary(self, words: Phrases) -> str:
        """Return the rule in the form that is easiest to remember."""
        return self.full_text(words)

    def _otherwise(self) -> str:
        return "can win" if self.all_else_wins else "can avoid losing"


@dataclass(frozen=True)
class BannedSteps(LosingPattern):
    """A player who can't repeat one of these strides loses."""

    strides: tuple[int, ...] = ()

    def is_lost(self, position: Position) -> bool:
        return position.last in self.strides

    def full_text(self, words: Phrases) -> str:
        lost = f"If it's your turn and you can't {self._banned(words)}, you lose."
        return f"{lost} In every other position, you {self._otherwise()}."

    def short_reason(self, words: Phrases) -> str:
        return f"The player whose turn it is loses if they can't {self._banned(words)}."

    def _banned(self, words: Phrases) -> str:
        return join_or([words.stride(stride) for stride in self.strides])


@dataclass(frozen=True)
class LosingNumbers(LosingPattern):
    """A player who must move the shared marker from one of these places loses."""

    numbers: tuple[int, ...] = ()
    nearest: tuple[int, ...] = ()
    """The places nearest to the goal, for when there are too many to list."""

    def is_lost(self, position: Position) -> bool:
        return position.tokens[0] in self.numbers

    def full_text(self, words: Phrases) -> str:
        noun = "number" if words.is_number else words.noun
        listed = describe_numbers(self.numbers)
        if not listed:
            near = join_and(self.nearest)
            text = (
                f"If you must move from one of {len(self.numbers):,} {noun}s, you lose. Nearest to the goal are {near}"
            )
        elif len(self.numbers) == 1:
            text = f"There is one losing {noun}, {listed}: if you must move from it, you lose"
        else:
            text = f"If you must move from one of these {noun}s, you lose: {listed}"
        return f"{text}. From every other {noun}, you {self._otherwise()}."

    def summary(self, words: Phrases) -> str:
        listed = describe_numbers(self.numbers)
        return f"Leave your opponent a losing number: {listed}." if listed else self.full_text(words)


@dataclass(frozen=True)
class LosingNumbersBySide(LosingPattern):
    """A player who must move from one of these places loses; they differ by player, and maybe by ban."""

    numbers: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    """The places by player to move and banned stride; the stride is 0 if the ban makes no difference."""
    by_ban: bool = False

    def is_lost(self, position: Position) -> bool:
        key = position.turn, position.last if self.by_ban else 0
        return position.tokens[0] in self.numbers.get(key, ())

    def full_text(self, words: Phrases) -> str:
        """Return the rule in a few sentences, or an empty string if a list is too long."""
        lists = {key: describe_numbers(numbers) for key, numbers in self.numbers.items()}
        if not all(lists.values()):
            return ""
        lost = [f"{self._who(words, *key)} with the {words.token} on {listed}." for key, listed in lists.items()]
        return " ".join([*lost, f"In every other position, the player whose turn it is {self._otherwise()}."])

    def summary(self, words: Phrases) -> str:
        return f"If you can, move the {words.token} to where your opponent loses."

    def _who(self, words: Phrases, player: int, last: int) -> str:
        name = words.names[player - 1]
        allowed = f"can't {words.stride(last)}" if last else "can play anything"
        ban = f" and {name} {allowed}" if self.by_ban else ""
        return f"If it's {words.whose(player)} turn{ban}, {name} loses"


@dataclass(frozen=True)
class RaceCount(LosingPattern):
    """A player to move who needs more turns than the other loses, each counted as if the other stood still."""

    turns_needed: tuple[Mapping[Position, int | None], ...] = field(default=(), repr=False, compare=False)
    ignores_bans: bool = False
    """Whether the book bans repeating, which the count ignores."""

    def is_lost(self, position: Position) -> bool:
        return self.count(position, position.turn) > self.count(position, 3 - position.turn)

    def count(self, position: Position, player: int) -> int:
        """Return the turns that the player needs, or `UNREACHABLE_TURNS`."""
        return self.turns_needed[player - 1][position._replace(turn=player, last=0)] or UNREACHABLE_TURNS

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
        """Whether a player alone would never reach the goal from some position."""
        return any(None in needs.values() for needs in self.turns_needed)


@dataclass(frozen=True)
class NoLosingPositions(LosingPattern):
    """The player to move never loses."""

    only_immediate_wins: bool = False
    """Whether every sure win is a win at once."""

    def is_lost(self, position: Position) -> bool:
        return False

    def full_text(self, words: Phrases) -> str:
        if self.all_else_wins:
            return "In every position, the player whose turn it is has a sure win."
        more = " The only sure wins are wins at once." if self.only_immediate_wins else ""
        return f"You never have to lose: on your turn, there is always a move that doesn't lose.{more}"


# Races


def turns_to_goal(book: Book, position: Position, player: int) -> int | None:
    """Return the fewest turns to the goal if no other player moves and nothing is banned, or None if unreachable.

    >>> import numberline as nl
    >>> turns_to_goal(nl.book("line-runner"), nl.Position(1, (0, 2)), 1)
    7
    """
    return turns_to_goal_by_position(book, [position], player)[_alone(position, player)]


def turns_to_goal_by_position(book: Book, positions: Iterable[Position], player: int) -> dict[Position, int | None]:
    """Return `turns_to_goal` for many positions; the keys have this player to move and no ban."""
    needs: dict[Position, int | None] = dict.fromkeys(_alone(position, player) for position in positions)
    predecessors: dict[Position, list[Position]] = {}
    frontier: set[Position] = set()
    queue = list(needs)
    for position in queue:  # the loop appends to the queue
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


# Lists of numbers in words


def describe_numbers(numbers: Sequence[int]) -> str:
    """Return increasing numbers as a list in words, or an empty string if it would be too long.

    >>> describe_numbers([1, 3, 5, 12, 14, 16, 18])
    '1, 3, 5, 12, 14, 16, and 18'
    >>> describe_numbers(list(range(2, 40, 3)))
    'every third number from 2 to 38'
    >>> describe_numbers(sorted([*range(1, 48, 7), *range(6, 49, 7)]))
    'every 7th number from 1 to 43, and every 7th number from 6 to 48'
    >>> describe_numbers([1, 2, 4, 8, 16, 32, 64, 128, 256])
    ''
    """
    if len(numbers) <= MAX_LISTED_NUMBERS:
        return join_and(numbers) if numbers else "none"
    parts = _parallel_progressions(numbers) or list(_consecutive_progressions(numbers))
    if len(parts) > MAX_PROGRESSIONS:
        return ""
    phrases = [_progression_phrase(part) for part in parts]
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])}, and {phrases[-1]}"


def _parallel_progressions(numbers: Sequence[int]) -> list[range]:
    """Return a few interleaved arithmetic progressions with the same step that make up the numbers, if any do."""
    low, high = numbers[0], numbers[-1]
    for step in range(1, (high - low) // MIN_PROGRESSION_LENGTH + 1):
        first_numbers = [number for number in numbers if number < low + step]
        if len(first_numbers) > MAX_PROGRESSIONS:
            return []
        parts = [_progression(first, step, set(numbers)) for first in first_numbers]
        if sorted(number for part in parts for number in part) == list(numbers) and all(
            len(part) >= MIN_PROGRESSION_LENGTH and part[-1] > high - step for part in parts
        ):
            return parts
    return []


def _progression(first: int, step: int, numbers: set[int]) -> range:
    last = first
    while last + step in numbers:
        last += step
    return range(first, last + 1, step)


def _consecutive_progressions(numbers: Sequence[int]) -> Iterator[range]:
    """Yield arithmetic progressions one after the other, each as long as possible; a single number is a short one."""
    at = 0
    while at < len(numbers):
        end = at + 1
        step = numbers[end] - numbers[at] if end < len(numbers) else 1
        while end < len(numbers) and numbers[end] - numbers[end - 1] == step:
            end += 1
        long = end - at > MIN_PROGRESSION_LENGTH
        yield range(numbers[at], (numbers[end - 1] if long else numbers[at]) + 1, step)
        at = end if long else at + 1


def _progression_phrase(numbers: range) -> str:
    if len(numbers) == 1:
        return str(numbers[0])
    first, step, last = numbers[0], numbers.step, numbers[-1]
    if step == 1 or (step > 2 and first % step):
        ending = "th" if step % 100 in range(11, 14) else {1: "st", 2: "nd", 3: "rd"}.get(step % 10, "th")
        which = {1: "every number", 3: "every third number"}.get(step, f"every {step}{ending} number")
        return f"{which} from {first} to {last}"
    which = f"multiples of {step}" if step > 2 else "odd numbers" if first % 2 else "even numbers"
    return f"the {which} up to {last}" if 0 < first <= step else f"the {which} from {first} to {last}"
