"""Element-wise logic that works alike on plain values and on NumPy arrays, without importing NumPy.

The rules are written once, with operators and these functions. Three traps: `~True` is -2 (use `logical_not`), `and`
and `or` fail on arrays (use `&` and `|`), and a chained comparison contains an `and`.
"""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

IntOrArray: TypeAlias = Any
BoolOrArray: TypeAlias = Any


def where(condition: BoolOrArray, yes: IntOrArray, otherwise: IntOrArray) -> IntOrArray:
    """Return `yes` where the condition holds, `otherwise` elsewhere.

    >>> where(3 > 2, "yes", "no")
    'yes'
    """
    if condition is True or condition is False:
        return yes if condition else otherwise
    # Only NumPy makes arrays, so it is loaded already.
    return sys.modules["numpy"].where(condition, yes, otherwise)


def logical_and(one: BoolOrArray, other: BoolOrArray) -> BoolOrArray:
    """Return `one & other`, with shortcuts for plain bools."""
    if one is True or other is False:
        return other
    return one if other is True or one is False else one & other


def logical_or(one: BoolOrArray, other: BoolOrArray) -> BoolOrArray:
    """Return `one | other`, with shortcuts for plain bools."""
    if one is False or other is True:
        return other
    return one if other is False or one is True else one | other


def logical_not(condition: BoolOrArray) -> BoolOrArray:
    """Return the negation, for bools and arrays."""
    return condition ^ True
