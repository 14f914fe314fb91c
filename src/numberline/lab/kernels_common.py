"""The loops of the measuring, as they are or compiled.

They are written once, in `laying`, `outcomes` and `lengths`. They run as they are on a small field, and compiled by
numba, the extra `fast`, on a large one or on many variants. All columns are flat; the followers of a row stand in `to`
from `begin[row]` to `begin[row + 1]`.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType, SimpleNamespace

from numberline.lab import kernels_layout, kernels_lengths, kernels_outcomes
from numberline.solver.jit import jit_compiler

INNER_KERNELS = (
    kernels_layout.rank_at_depth,
    kernels_outcomes.sweep_win_rates,
    kernels_outcomes.propagate_visits,
    kernels_outcomes.update_lead_stability,
    kernels_lengths.length_distribution,
)
"""The loops that others call, which are compiled first."""
KERNELS = (
    *INNER_KERNELS,
    *(
        kernels_layout.to_csr,
        kernels_layout.reverse_edges,
        kernels_layout.topological_order,
        kernels_layout.reorder,
        kernels_layout.analyze_decisions,
        kernels_layout.fill_move_probabilities,
    ),
    *(
        kernels_outcomes.can_end,
        kernels_outcomes.win_rates,
        kernels_outcomes.count_cyclic_visits,
        kernels_outcomes.count_acyclic_visits,
        kernels_outcomes.mask_lead_changes,
    ),
    *(
        kernels_outcomes.lead_stability,
        kernels_outcomes.sum_statistics,
        kernels_outcomes.solve_banded,
        kernels_lengths.length_percentiles,
    ),
)


@cache
def load_kernels(*, compiled: bool) -> SimpleNamespace:
    """The loops as they are, or compiled where that is asked for and numba is there."""
    make = jit_compiler() if compiled else None
    if make is None:
        return SimpleNamespace(compiled=False, **{loop.__name__: loop for loop in KERNELS})
    # A compiled loop must find the compiled twins of those that it calls under their names.
    names = {**vars(kernels_layout), **vars(kernels_outcomes), **vars(kernels_lengths)}
    for loop in KERNELS:
        names[loop.__name__] = make(FunctionType(loop.__code__, names, loop.__name__))
    return SimpleNamespace(compiled=True, **{loop.__name__: names[loop.__name__] for loop in KERNELS})
