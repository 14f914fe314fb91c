"""Rules that tell which positions are lost for the player to move: by what is banned, by numbers, by counting turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from numberline.explain.phrases import Phrases
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.text import join_and, join_or

MAX_LISTED_NUMBERS = 7
"""A list that is no longer than this is given number by number."""
MAX_PATTERN_PARTS = 4
"""A list with more parts than this has no pattern."""
MIN_PATTERN_REPEATS = 3
"""A pattern repeats at least so often."""

UNREACHABLE_TURNS = 1 << 60
"""More turns than anybody needs."""


@dataclass(frozen=True)
class LosingPattern:
    """A rule that tells which positions are lost for the player to move."""

    speaks_of: int = 0
    """Of how many positions it speaks: all that can be reached."""
    exceptions: int = 0
    """In how many of them it is wrong."""
    all_else_wins: bool = False
    """Whether every position that is not lost is won."""

    def is_lost(self, position: Position) -> bool:
        """Whether the rule calls the position lost for the player to move."""
        raise NotImplementedError

    def full_text(self, words: Phrases) -> str:
        """The rule in a few sentences to whoever learns the game."""
        raise NotImplementedError

    def short_reason(self, words: Phrases) -> str:
        """The rule in a sentence, to be said beside a position that is lost by it; nothing where that adds nothing."""
        return ""

    def summary(self, words: Phrases) -> str:
        """The rule as it is best remembered."""
        return self.full_text(words)

    def _rest(self, won: str, others: str) -> str:
        return won if self.all_else_wins else others


@dataclass(frozen=True)
class BannedSteps(LosingPattern):
    """Whoever may not repeat one of these strides is lost."""

    strides: tuple[int, ...] = ()

    def is_lost(self, position: Position) -> bool:
        """Whether one of the strides is banned."""
        return position.last in self.strides

    def full_text(self, words: Phrases) -> str:
        """The rule in a sentence."""
        rest = self._rest("everywhere else whoever is to move wins", "everywhere else nobody is lost")
        return f"If it is your turn and you may not {self._banned(words)}, you are lost; {rest}."

    def short_reason(self, words: Phrases) -> str:
        """The rule in a sentence."""
        return f"Whoever is to move and may not {self._banned(words)} is lost."

    def _banned(self, words: Phrases) -> str:
        return join_or([words.stride(stride) for stride in self.strides])


@dataclass(frozen=True)
class LosingNumbers(LosingPattern):
    """Whoever must move from one of these places is lost; everybody moves the same marker."""

    numbers: tuple[int, ...] = ()
    nearest: tuple[int, ...] = ()
    """Those nearest to the goal, for when there are too many to list."""

    def is_lost(self, position: Position) -> bool:
        """Whether the marker stands on one of them."""
        return position.tokens[0] in self.numbers

    def full_text(self, words: Phrases) -> str:
        """The rule in a sentence or two."""
        noun = "number" if words.is_number else words.noun
        listed = describe_numbers(self.numbers)
        if not listed:
            near = join_and(self.nearest)
            text = f"On {len(self.numbers):,} {noun}s whoever must move loses; those nearest to the goal are {near}"
        elif len(self.numbers) == 1:
            text = f"There is one losing {noun}, {listed}: whoever must move from it loses"
        else:
            text = f"Whoever must move from one of these {noun}s loses: {listed}"
        return f"{text}. From every other {noun} {self._rest('whoever is to move wins', 'nobody is lost')}."

    def summary(self, words: Phrases) -> str:
        """The rule as something to do, where the numbers can be listed."""
        listed = describe_numbers(self.numbers)
        return f"Leave your opponent a losing number: {listed}." if listed else self.full_text(words)


@dataclass(frozen=True)
class LosingNumbersBySide(LosingPattern):
    """A player who must move from one of these places is lost; each player, and each ban, has its own."""

    numbers: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    """The places by the player to move and the banned stride; 0 where it does not matter what is banned."""
    by_ban: bool = False

    def is_lost(self, position: Position) -> bool:
        """Whether the marker stands on a place that is lost for the player to move."""
        key = position.turn, position.last if self.by_ban else 0
        return position.tokens[0] in self.numbers.get(key, ())

    def full_text(self, words: Phrases) -> str:
        """The rule in a few sentences; nothing where a list is too long."""
        lists = {key: describe_numbers(numbers) for key, numbers in self.numbers.items()}
        if not all(lists.values()):
            return ""
        lost = [f"{self._who(words, *key)} with the {words.token} on {listed}." for key, listed in lists.items()]
        rest = self._rest("Everywhere else whoever is to move wins", "Everywhere else the player to move is not lost")
        return " ".join([*lost, f"{rest}."])

    def summary(self, words: Phrases) -> str:
        """What to do with the rule: it is too long to say twice."""
        return f"If you can, move the {words.token} to where your opponent is lost."

    def _who(self, words: Phrases, player: int, last: int) -> str:
        """Whose turn it is, and what that player may not do."""
        name = words.names[player - 1]
        may = f" and {name} may {f'not {words.stride(last)}' if last else 'do anything'}" if self.by_ban else ""
        return f"If it is {words.whose(player)} turn{may}, {name} is lost"


@dataclass(frozen=True)
class RaceCount(LosingPattern):
    """Whoever is to move and needs more turns home than the other is lost, each counted as if the other stood still."""

    turns_needed: tuple[Mapping[Position, int | None], ...] = field(default=(), repr=False, compare=False)
    ignores_bans: bool = False
    """Whether the book bans repeating, which the count leaves aside."""

    def is_lost(self, position: Position) -> bool:
        """Whether the player to move needs more turns."""
        return self.count(position, position.turn) > self.count(position, 3 - position.turn)

    def count(self, position: Position, player: int) -> int:
        """The turns that the player needs, `NEVER` where the player would never get home."""
        return self.turns_needed[player - 1][position._replace(turn=player, last=0)] or UNREACHABLE_TURNS

    def full_text(self, words: Phrases) -> str:
        """The rule in a few sentences."""
        text = (
            f"It is a race. {self._count.capitalize()}. "
            "If it is your turn and you need more turns than the other player, you are lost"
        )
        if self.exceptions:
            right = f"{self.speaks_of - self.exceptions:,} of {self.speaks_of:,} positions"
            text += f"; otherwise you are not. That is right in {right}, but not in all"
        else:
            text += self._rest("; if you need as many or fewer, you win", "; otherwise you are not")
        return f"{text}.{' Never getting there counts as needing more.' if self.has_unreachable_goal else ''}"

    def short_reason(self, words: Phrases) -> str:
        """The rule in a sentence; nothing where it has exceptions."""
        return "" if self.exceptions else "Whoever is to move and needs more turns than the other is lost."

    def summary(self, words: Phrases) -> str:
        """The rule in a sentence; in full where it has exceptions."""
        if self.exceptions:
            return self.full_text(words)
        return f"Before you move, {self._count}: whoever is to move and needs more is lost."

    @property
    def _count(self) -> str:
        bans = " and nothing were banned" if self.ignores_bans else ""
        return f"count the turns that each player needs to the goal, as if the other stood still{bans}"

    @cached_property
    def has_unreachable_goal(self) -> bool:
        """Whether there are positions from which somebody would never get home alone."""
        return any(None in needs.values() for needs in self.turns_needed)


@dataclass(frozen=True)
class NoLosingPositions(LosingPattern):
    """Nobody is lost while it is their turn."""

    only_immediate_wins: bool = False
    """Whether a win can be forced only where it can be had at once."""

    def is_lost(self, position: Position) -> bool:
        """Never."""
        return False

    def full_text(self, words: Phrases) -> str:
        """The rule in a sentence or two."""
        text = "Nobody is ever lost while it is their turn: there is always a move that does not lose"
        if self.all_else_wins:
            return "Whoever is to move can force a win, in every position."
        more = " A win can be forced only where one can win at once." if self.only_immediate_wins else ""
        return f"{text}.{more}"


# Lists of numbers as people would say them


def describe_numbers(numbers: Sequence[int]) -> str:
    """The rising numbers as a list in words; nothing where it would be too long.

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
    parts = _ladders(numbers) or list(_runs(numbers))
    if len(parts) > MAX_PATTERN_PARTS:
        return ""
    listed = [_ladder_in_words(part) for part in parts]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])}, and {listed[-1]}"


def _ladders(numbers: Sequence[int]) -> list[range]:
    """The numbers as a few ladders with the same step side by side; none where they aren't."""
    low, high = numbers[0], numbers[-1]
    for step in range(1, (high - low) // MIN_PATTERN_REPEATS + 1):
        feet = [number for number in numbers if number < low + step]
        if len(feet) > MAX_PATTERN_PARTS:
            return []
        ladders = [_ladder(foot, step, set(numbers)) for foot in feet]
        if sorted(number for ladder in ladders for number in ladder) == list(numbers) and all(
            len(ladder) >= MIN_PATTERN_REPEATS and ladder[-1] > high - step for ladder in ladders
        ):
            return ladders
    return []


def _ladder(foot: int, step: int, numbers: set[int]) -> range:
    top = foot
    while top + step in numbers:
        top += step
    return range(foot, top + 1, step)


def _runs(numbers: Sequence[int]) -> Iterator[range]:
    """The numbers as ladders one after the other, each as long as it goes; single numbers are short ones."""
    at = 0
    while at < len(numbers):
        end = at + 1
        step = numbers[end] - numbers[at] if end < len(numbers) else 1
        while end < len(numbers) and numbers[end] - numbers[end - 1] == step:
            end += 1
        long = end - at > MIN_PATTERN_REPEATS
        yield range(numbers[at], (numbers[end - 1] if long else numbers[at]) + 1, step)
        at = end if long else at + 1


def _ladder_in_words(ladder: range) -> str:
    if len(ladder) == 1:
        return str(ladder[0])
    foot, step, top = ladder[0], ladder.step, ladder[-1]
    if step == 1 or (step > 2 and foot % step):
        ending = "th" if step % 100 in range(11, 14) else {1: "st", 2: "nd", 3: "rd"}.get(step % 10, "th")
        which = {1: "every number", 3: "every third number"}.get(step, f"every {step}{ending} number")
        return f"{which} from {foot} to {top}"
    which = f"multiples of {step}" if step > 2 else "odd numbers" if foot % 2 else "even numbers"
    return f"the {which} up to {top}" if 0 < foot <= step else f"the {which} from {foot} to {top}"


def turns_to_goal(book: Book, position: Position, player: int) -> int | None:
    """The fewest turns in which this player gets home while nobody else moves and nothing is banned; None if never.

    >>> import numberline as nl
    >>> turns_to_goal(nl.book("line-runner"), nl.Position(1, (0, 2)), 1)
    7
    """
    return turns_to_goal_by_position(book, [position], player)[_alone(position, player)]


def turns_to_goal_by_position(book: Book, positions: Iterable[Position], player: int) -> dict[Position, int | None]:
    """The same for many positions at once, by the position with this player to move and nothing banned."""
    needs: dict[Position, int | None] = dict.fromkeys(_alone(position, player) for position in positions)
    before: dict[Position, list[Position]] = {}
    front: set[Position] = set()
    todo = list(needs)
    for at in todo:  # grows as the loop runs
        for after in [_alone(after, player) for _, after in book.successors(at) if not after.is_out(player)]:
            if book.is_home(after, player):
                front.add(at)
                continue
            before.setdefault(after, []).append(at)
            if after not in needs:
                needs[after] = None
                todo.append(after)
    turns = 1
    while front:  # back from home
        needs.update(dict.fromkeys(front, turns))
        turns += 1
        front = {at for reached in front for at in before.get(reached, ()) if needs[at] is None}
    return needs


def _alone(position: Position, player: int) -> Position:
    """The position with this player to move and nothing banned."""
    return position._replace(turn=player, last=0)
