"""Vectors of `LANES` numbers, which compiled kernels keep in the processor's registers.

Numba doesn't support such vectors, so `vector_kernels` defines them in LLVM's intermediate representation. Interpreted
kernels use NumPy arrays instead. In both cases, `+`, `-`, `*` and `/` work lane by lane.
"""

from __future__ import annotations

import operator
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from numberline.solver.index import Column

LANES = 8
Vector = Any


def load(array: Column, row: int) -> Vector:
    """Return a row of an array with `LANES` columns."""
    return array[row]


def store(array: Column, row: int, vector: Vector) -> None:
    array[row] = vector


def splat(number: float) -> Vector:
    """Return a vector with the same number in every lane."""
    return np.full(LANES, number)


def where_greater(left: Vector, right: Vector, then: Vector, otherwise: Vector) -> Vector:
    """Select lane by lane: `then` if `left > right`, otherwise `otherwise`."""
    return np.where(left > right, then, otherwise)


@cache
def vector_kernels() -> dict[str, Any]:  # noqa: C901 - a list of definitions, which need numba
    """Return compiled counterparts of the functions of this module, by name."""
    modules: list[Any] = [import_module(name) for name in ("llvmlite.ir", "numba.types", "numba.extending")]
    ir, types, extending = modules  # their annotations are incomplete
    lanes = ir.VectorType(ir.DoubleType(), LANES)

    model: Any = extending.models.PrimitiveModel
    vector_type: Any = type("VectorType", (types.Type,), {})
    initialize = {"__init__": lambda self, manager, kind: model.__init__(self, manager, kind, lanes)}
    extending.register_model(vector_type)(type("VectorModel", (model,), initialize))
    vector = vector_type(f"Vector{LANES}")

    for operation in (operator.add, operator.sub, operator.mul, operator.truediv):
        instruction = f"f{operation.__name__.removeprefix('true')}"

        def combine(_: Any, builder: Any, __: Any, operands: Any, instruction: str = instruction) -> Any:
            return getattr(builder, instruction)(*operands)  # fused multiply-add would round differently

        extending.type_callable(operation)(lambda _: lambda left, right: vector if left == right == vector else None)
        extending.lower_builtin(operation, vector, vector)(combine)

    def address(context: Any, builder: Any, types_: Any, operands: Any) -> Any:
        data = context.make_array(types_[0])(context, builder, operands[0]).data
        row = context.cast(builder, operands[1], types_[1], types.intp)
        first = builder.gep(data, [builder.mul(row, ir.Constant(row.type, LANES))])
        return builder.bitcast(first, lanes.as_pointer())

    def load(_: Any, array: Any, row: Any) -> Any:
        def generate(context: Any, builder: Any, given: Any, operands: Any) -> Any:
            return builder.load(address(context, builder, given.args, operands), align=8)

        return vector(array, row), generate

    def store(_: Any, array: Any, row: Any, stored: Any) -> Any:
        def generate(context: Any, builder: Any, given: Any, operands: Any) -> Any:
            builder.store(operands[2], address(context, builder, given.args, operands), align=8)
            return context.get_dummy_value()

        return types.void(array, row, stored), generate

    def splat(_: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, given: Any, operands: Any) -> Any:
            one = context.cast(builder, operands[0], given.args[0], types.float64)
            undefined, first = ir.Constant(lanes, ir.Undefined), ir.Constant(ir.IntType(32), 0)
            everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
            return builder.shuffle_vector(builder.insert_element(undefined, one, first), undefined, everywhere)

        return vector(number), generate

    def where_greater(_: Any, left: Any, right: Any, then: Any, otherwise: Any) -> Any:
        def generate(_: Any, builder: Any, __: Any, operands: Any) -> Any:
            return builder.select(builder.fcmp_ordered(">", *operands[:2]), *operands[2:])

        return vector(left, right, then, otherwise), generate

    return {each.__name__: extending.intrinsic(each) for each in (load, store, splat, where_greater)}
