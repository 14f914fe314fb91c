"""Arithmetic that reads the same for one position and for a column of a million.

The rules are written with operators and with the words below, so that each one is written once. An `IntOrArray` is a
plain
int or a NumPy column of them, a `Truth` a bool or a column of bools. Three traps: `~True` is -2 (say `no`), `and` and
`or` don't work on columns (say `&` and `|`), and a chained comparison is an `and`.
"""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

IntOrArray: TypeAlias = Any
BoolOrArray: TypeAlias = Any


def where(condition: BoolOrArray, yes: IntOrArray, otherwise: IntOrArray) -> IntOrArray:
    """`yes` where the condition holds, `otherwise` elsewhere.

    >>> where(3 > 2, "yes", "logical_not")
    'yes'
    """
    if condition is True or condition is False:
        return yes if condition else otherwise
    # A column can only have come from NumPy, so NumPy is loaded by whoever made it.
    return sys.modules["numpy"].where(condition, yes, otherwise)


def logical_and(one: BoolOrArray, other: BoolOrArray) -> BoolOrArray:
    """Whether both conditions hold: `one & other`, sooner where one of them holds for no row or for all."""
    if one is True or other is False:
        return other
    return one if other is True or one is False else one & other


def logical_or(one: BoolOrArray, other: BoolOrArray) -> BoolOrArray:
    """Whether one of the conditions holds: `one | other`, sooner where one of them holds for no row or for all."""
    if one is False or other is True:
        return other
    return one if other is False or one is True else one | other


def logical_not(condition: BoolOrArray) -> BoolOrArray:
    """Whether the condition does not hold."""
    return condition ^ True
