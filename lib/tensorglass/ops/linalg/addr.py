"""The product of two vectors, a matrix, added to another one: addr."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.arg_parser.missing_dtypes import refuse_unwritten
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import cannot_cast
from tensorglass.ops.derivatives.formulas import conj, scaled
from tensorglass.ops.linalg.addmm import add_product, added_samples
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import Tensor


def _outer(xp: Any, one: Array, other: Array) -> Array:
    return one[:, None] * other


def _laid_out_like(made: Tensor, input: Tensor) -> Tensor:
    """A fresh result with its dimensions in memory in the order of those of `input`, as elementwise operators do."""
    if input._size != made._size or 0 in made._size:
        return made
    stride = geometry.preserved_strides(input._size, input._stride)
    return (
        made if stride == made._stride else copy_(empty_on(made._storage.device, made._size, stride, made._dtype), made)
    )


def _addr(input: Tensor, vec1: Tensor, vec2: Tensor, beta: complex, alpha: complex, out: Tensor | None) -> Tensor:
    check_tensor("addr", input)
    for position, (name, vector) in enumerate((("vec1", vec1), ("vec2", vec2)), 2):
        check_tensor("addr", vector, name, position)
        if len(vector._size) != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {len(vector._size)}-D")
    size = vec1._size[0], vec2._size[0]
    result = dtypes.promote_types(input._dtype, dtypes.promote_types(vec1._dtype, vec2._dtype))
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and result is not dtypes.bool:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if isinstance(factor, (float, complex)) and result.category < dtypes.FLOATING:
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    if out is not None and not dtypes.can_cast(result, out._dtype):
        raise cannot_cast(result, out._dtype)
    refuse_unwritten("addr_cpu", result)
    made = add_product(_outer, (input, vec1, vec2), size, beta, alpha, out, result, reads_unused=True)
    if out is not None:
        return made
    laid = _laid_out_like(made, input)
    laid._storage.version = 0  # it counts as not written yet
    return laid


def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: complex = 1, alpha: complex = 1) -> Tensor:
    """`addr`, written to `input`."""
    check_tensor("addr_", input)
    if len(input._size) != 2:
        raise RuntimeError(f"2D tensor expected, got {len(input._size)}D tensor for input")
    if input._size != (*vec1._size, *vec2._size):
        raise RuntimeError(f"size mismatch, input: {list(input._size)}, v1: {list(vec1._size)}, v2: {list(vec2._size)}")
    return _addr(input, vec1, vec2, beta, alpha, input)


@operator("linear algebra", inplace=addr_, out=True, samples=added_samples((0, 3), (0,), (3,), (2, 3), (2,), (3,)))
@derivative(
    input=lambda grad, beta: scaled(grad, beta),
    vec1=lambda grad, vec2, alpha: scaled(grad.mv(conj(vec2)), alpha),
    vec2=lambda grad, vec1, alpha: scaled(grad.t().mv(conj(vec1)), alpha),
)
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: complex = 1, alpha: complex = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``, in the dtype that the three have in common."""
    return _addr(input, vec1, vec2, beta, alpha, out)
