"""Lists of numbers as people would tell them: one by one, or every third from here to there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numberline.rules.wording import all_of

SHORT = 7
"""A list that is no longer is told one by one."""
PARTS = 4
"""A pattern with more parts than this is none."""
REPEATS = 3
"""So often at least a pattern must come again to be told as one."""

_EVERY = {1: "every number", 2: "every second number", 3: "every third number"}


def in_words(numbers: Sequence[int]) -> str:
    """The rising numbers as a list in words; nothing where it would be too long.

    >>> in_words([1, 3, 5, 12, 14, 16, 18])
    '1, 3, 5, 12, 14, 16, and 18'
    >>> in_words(list(range(2, 40, 3)))
    'every third number from 2 to 38'
    >>> in_words(sorted([*range(1, 48, 7), *range(6, 49, 7)]))
    'every 7th number from 1 to 43, and every 7th number from 6 to 48'
    >>> in_words([1, 2, 4, 8, 16, 32, 64, 128, 256])
    ''
    """
    if len(numbers) <= SHORT:
        return all_of([str(number) for number in numbers]) if numbers else "none"
    parts = _classes(numbers) or list(_runs(numbers))
    if len(parts) > PARTS:
        return ""
    told = [_told(part) for part in parts]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])}, and {told[-1]}"


def _classes(numbers: Sequence[int]) -> list[range]:
    """The numbers as a few ladders with the same step side by side; none where they aren't."""
    low, high = numbers[0], numbers[-1]
    for step in range(1, (high - low) // REPEATS + 1):
        feet = [number for number in numbers if number < low + step]
        if len(feet) > PARTS:
            return []
        ladders = [_ladder(foot, step, set(numbers)) for foot in feet]
        if sorted(number for ladder in ladders for number in ladder) == list(numbers) and all(
            len(ladder) >= REPEATS and ladder[-1] > high - step for ladder in ladders
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
        long = end - at > REPEATS
        yield range(numbers[at], (numbers[end - 1] if long else numbers[at]) + 1, step)
        at = end if long else at + 1


def _told(ladder: range) -> str:
    if len(ladder) == 1:
        return str(ladder[0])
    every = _EVERY.get(ladder.step, f"every {_ordinal(ladder.step)} number")
    return f"{every} from {ladder[0]} to {ladder[-1]}"


def _ordinal(number: int) -> str:
    teens = number % 100 in range(11, 14)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
