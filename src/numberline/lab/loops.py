"""The loops of the measuring, as they are or compiled.

They are written once, in `laying`, `outcomes` and `lengths`. They run as they are on a small field, and compiled by
numba, the extra `fast`, on a large one or on many variants. All columns are flat; the followers of a row stand in `to`
from `begin[row]` to `begin[row + 1]`.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType, SimpleNamespace

from numberline.lab import laying, lengths, outcomes
from numberline.solver.compiling import compiler

CALLED = (laying.rank, outcomes.sweep, outcomes.pass_on, outcomes.stay_calm, lengths.spread_in_time)
"""The loops that others call, which are compiled first."""
LOOPS = (
    *CALLED,
    *(laying.compact, laying.turn_round, laying.peel, laying.reorder, laying.judge, laying.lay_odds),
    *(outcomes.can_end, outcomes.win_rates, outcomes.go_round, outcomes.go_down, outcomes.keep_lead),
    *(outcomes.calm_down, outcomes.add_up, outcomes.eliminate, lengths.usual_lengths),
)


@cache
def loops(*, compiled: bool) -> SimpleNamespace:
    """The loops as they are, or compiled where that is asked for and numba is there."""
    make = compiler() if compiled else None
    if make is None:
        return SimpleNamespace(compiled=False, **{loop.__name__: loop for loop in LOOPS})
    # A compiled loop must find the compiled twins of those that it calls under their names.
    names = {**vars(laying), **vars(outcomes), **vars(lengths)}
    for loop in LOOPS:
        names[loop.__name__] = make(FunctionType(loop.__code__, names, loop.__name__))
    return SimpleNamespace(compiled=True, **{loop.__name__: names[loop.__name__] for loop in LOOPS})
