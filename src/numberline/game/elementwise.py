"""Element-wise logic that works on both plain values and NumPy arrays, without importing NumPy.

Rules written with these functions apply to one position or to an array of positions. Pitfalls: `~True` is -2 (use
`logical_not`), `and` and `or` fail on arrays (use `&` and `|`), and chained comparisons contain an implicit `and`.
"""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

IntOrArray: TypeAlias = Any
BoolOrArray: TypeAlias = Any


def where(condition: BoolOrArray, yes: IntOrArray, otherwise: IntOrArray, *, narrow: bool = False) -> IntOrArray:
    """Return `yes` where `condition` is true and `otherwise` elsewhere.

    With `narrow`, `yes` is converted to int8 if the result is an array, so that small numbers take one byte each.

    >>> where(3 > 2, "yes", "no")
    'yes'
    """
    if condition is True or condition is False:
        return yes if condition else otherwise
    numpy = sys.modules["numpy"]  # only NumPy creates arrays, so it is already imported
    return numpy.where(condition, numpy.int8(yes) if narrow else yes, otherwise)


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
    """Return `not condition`, element-wise for arrays."""
    return condition ^ True
