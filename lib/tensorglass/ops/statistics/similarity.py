"""How alike vectors are: cosine_similarity, pairwise_distance, pdist.

The first two go row by row, a row of one with a row of the other, and are made of other operators. `pdist` compares
each row with every row after it: `cdist` without the half that says the same again.
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import common_dtype
from tensorglass.ops.derivatives.formulas import norm_backward
from tensorglass.ops.kernels.norm import norm
from tensorglass.ops.linalg.common import launch
from tensorglass.ops.linalg.norm import linalg_vector_norm
from tensorglass.ops.views.transpose_expand import broadcast_tensors
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.grad_mode import no_grad
from tensorglass.tensor.tensor import Tensor

# --- row by row ------------------------------------------------------------------------------------------------------


@operator("linear algebra", method=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors that lie along `dim`: 1 where they point the same way, 0 at right angles.

    A vector shorter than `eps` counts as being that long.
    """
    dtype = common_dtype((x1, x2))
    if not dtype.is_floating_point:
        raise explained(
            RuntimeError(f"expected common dtype to be floating point, yet common dtype is {dtype.scalar_type}"),
            "Convert both first: x.float().",
        )
    if x1._size != x2._size:
        x1, x2 = broadcast_tensors(x1, x2)
    one, two = x1.to(dtype), x2.to(dtype)
    lengths = [linalg_vector_norm(each, 2, dim, True).clone() for each in (one, two)]
    with no_grad():
        for each in lengths:
            each.clamp_(min=eps)
    return ((one / lengths[0]) * (two / lengths[1])).sum(dim)


@operator("linear algebra", method=False)
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> Tensor:
    """The distance of order `p` between vectors that lie along the last dimension, row by row.

    `eps` is added to each difference, so that equal vectors have a gradient.
    """
    last = max(len(x1._size), len(x2._size)) - 1
    return linalg_vector_norm(x1 - x2 + eps, p, last, keepdim)


# --- each row with every one after it --------------------------------------------------------------------------------


def _distances_of_rows(xp: Any, input: Array, p: float) -> tuple[Array]:
    count = len(input)
    found = xp.zeros(count * (count - 1) // 2, input.dtype)
    start = 0
    for row in range(count - 1 if input.shape[1] else 0):
        of_row = norm(xp, input[row + 1 :] - input[row], (1,), order=p)[:, 0]
        found[start : start + len(of_row)] = of_row
        start += len(of_row)
    return (found,)


def _pdist_backward(grad: Tensor, input: Tensor, p: float, result: Tensor) -> Tensor:
    count = input._size[0]
    first = [row for row in range(count) for _ in range(row + 1, count)]
    second = [other for row in range(count) for other in range(row + 1, count)]
    one, other = (input.new_tensor(places, dtype=dtypes.int64) for places in (first, second))
    apart = input.index_select(0, one) - input.index_select(0, other)
    change = norm_backward(grad, apart, result, p, -1, False)
    return input.new_zeros(input._size).index_add(0, one, change).index_add(0, other, -change)


@recorded
@derivative(node="PdistBackward0", input=_pdist_backward)
def _condensed(input: Tensor, p: float) -> Tensor:
    return from_array(launch(_distances_of_rows, input, p=p)[0], input._dtype, input._storage)


@operator("linear algebra", method=False)
def pdist(input: Tensor, p: float = 2) -> Tensor:
    """The distance of order `p` between every two rows of a matrix: of the first and each after it, of the second, …

    It is the part above the diagonal of ``cdist(input, input, p)``, as a vector.
    """
    if len(input._size) != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {len(input._size)}D")
    if not input._dtype.is_floating_point:
        raise explained(RuntimeError("pdist only supports floating-point dtypes"), "Convert it first: x.float().")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if input._dtype.itemsize == 2 and input._size[0] > 1 and input._size[1]:
        raise NotImplementedError(f"\"pdist\" not implemented for '{input._dtype.scalar_type}'")
    return _condensed(input, p)
