"""Similarities and distances of vectors: cosine_similarity, pairwise_distance, pdist, cdist; and renorm.

The first two compare each row of one tensor with the same row of the other, and are composed of other operators.
`pdist` compares each row with every row after it: the upper half of the symmetric `cdist`.
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import not_implemented
from tensorglass.ops.copies.out import into_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import common_dtype
from tensorglass.ops.derivatives.shared import norm_backward
from tensorglass.ops.kernels.sum import norm
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
    lengths = [linalg_vector_norm(vectors, 2, dim, True).clone() for vectors in (one, two)]
    with no_grad():
        for length in lengths:
            length.clamp_(min=eps)
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
    distances = xp.zeros(count * (count - 1) // 2, input.dtype)
    start = 0
    for row in range(count - 1 if input.shape[1] else 0):
        of_row = norm(xp, input[row + 1 :] - input[row], (1,), order=p)[:, 0]
        distances[start : start + len(of_row)] = of_row
        start += len(of_row)
    return (distances,)


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
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if input._dtype.itemsize == 2 and input._size[0] > 1 and input._size[1]:
        raise NotImplementedError(f"\"pdist\" not implemented for '{input._dtype.scalar_type}'")
    return _condensed(input, p)


# --- all pairs, and vectors cut to a length --------------------------------------------------------------------------


# --- cdist -----------------------------------------------------------------------------------------------------------


def _by_product(xp: Any, x1: Array, x2: Array) -> Array:
    """The distances of order 2 from one product of matrices: a² + b² - 2ab, in double precision."""
    one, other = x1.astype("float64", copy=False), x2.astype("float64", copy=False)
    squares = -2 * xp.matmul(one, xp.swapaxes(other, -1, -2))
    squares += xp.sum(one * one, axis=-1)[..., :, None]
    squares += xp.sum(other * other, axis=-1)[..., None, :]
    return xp.sqrt(xp.maximum(squares, 0, out=squares)).astype(x1.dtype, copy=False)


def _distances_of_pairs(xp: Any, x1: Array, x2: Array, p: float, by_product: bool) -> tuple[Array]:
    if by_product and x1.shape[-1]:
        return (xp.ascontiguousarray(_by_product(xp, x1, x2)),)
    apart = x1[..., :, None, :] - x2[..., None, :, :]
    if not apart.shape[-1]:
        return (xp.zeros(apart.shape[:-1], apart.dtype),)
    return (xp.ascontiguousarray(norm(xp, apart, (apart.ndim - 1,), order=p)[..., 0], apart.dtype),)


def _cdist_backward(grad: Tensor, apart: Tensor, p: float, result: Tensor) -> Tensor:
    """The gradient of the distances for the differences; with p = inf, each difference of the largest size gets all of
    it."""
    if p == math.inf:
        return grad.unsqueeze(-1) * apart.sign() * (apart.abs() == result.unsqueeze(-1))
    if p != 1:  # the slope at a distance of 0 is 0, even if the gradient is infinite
        grad = grad.masked_fill(result == 0, 0)
    return norm_backward(grad, apart, result, p, -1, False)


def _cdist_backward_x1(grad: Tensor, x1: Tensor, x2: Tensor, p: float, result: Tensor) -> Tensor:
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return _cdist_backward(grad, apart, p, result).sum(-2)


def _cdist_backward_x2(grad: Tensor, x1: Tensor, x2: Tensor, p: float, result: Tensor) -> Tensor:
    apart = x2.unsqueeze(-3) - x1.unsqueeze(-2)
    return _cdist_backward(grad, apart, p, result).sum(-3)


@recorded
@derivative(node="CdistBackward0", x1=_cdist_backward_x1, x2=_cdist_backward_x2)
def _pairwise(x1: Tensor, x2: Tensor, p: float, by_product: bool) -> Tensor:
    return from_array(launch(_distances_of_pairs, x1, x2, p=p, by_product=by_product)[0], x1._dtype, x1._storage)


_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist",
)  # fmt: skip
_MANY = 25  # vectors; for more, PyTorch uses a matrix product


@operator("linear algebra", method=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The distance of order `p` between each vector of `x1` and each of `x2`: (…, P, M), (…, R, M) → (…, P, R).

    Of order 2 `compute_mode` says whether they come from a product of matrices: by itself if there are more than 25
    vectors. That is quick, but cancels digits where vectors are near each other; fewer here than in PyTorch.
    """
    for name, tensor in (("X1", x1), ("X2", x2)):
        if len(tensor._size) < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {len(tensor._size)}D")
    if x1._size[-1] != x2._size[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1._size[-1]} X2: {x2._size[-1]}")
    for name, tensor in (("X1", x1), ("X2", x2)):
        if tensor._dtype.category != dtypes.FLOATING:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {tensor._dtype.scalar_type}")
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if x1._dtype.itemsize == 2 and x1.numel() and x2.numel():
        raise not_implemented("cdist", x1._dtype)
    if x1._dtype is not x2._dtype:
        raise RuntimeError(f"expected scalar type {x1._dtype.scalar_type} but found {x2._dtype.scalar_type}")
    geometry.broadcast_shapes(x1._size[:-2], x2._size[:-2])
    is_many = max(x1._size[-2], x2._size[-2]) > _MANY
    return _pairwise(x1, x2, p, p == 2 and compute_mode in (_MODES[:2] if is_many else _MODES[1:2]))


# --- renorm ----------------------------------------------------------------------------------------------------------


def _shortened(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise RuntimeError("renorm: maxnorm must be real-valued")
    if len(input._size) < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {len(input._size)} dimensions")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    axis = geometry.wrap_dim(dim, len(input._size))
    rest = tuple([other for other in range(len(input._size)) if other != axis])
    lengths = input.norm(p, rest, True)  # refuses integers
    result = input * (maxnorm / (lengths + 1e-7)).masked_fill(~(lengths > maxnorm), 1)
    return result.clone(memory_format=contiguous_format) if not result.numel() else result.contiguous()


def _renorm_backward(grad: Tensor, input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    axis = geometry.wrap_dim(dim, len(input._size))
    rest = tuple([other for other in range(len(input._size)) if other != axis])
    lengths = input.norm(p, rest, True)
    inner = (grad * input.conj()).sum(rest, True).real if input.is_complex() else (grad * input).sum(rest, True)
    scaled = norm_backward(inner, input, lengths, p, rest, True)
    outside = lengths + 1e-7
    change = maxnorm * (grad - scaled / outside) / outside
    return change.where(lengths > maxnorm, grad)


@operator("linear algebra", inplace=True, out=True)
@derivative(input=_renorm_backward)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None) -> Tensor:
    """The slices along `dim`, those with a norm of order `p` above `maxnorm` scaled down to it."""
    return into_out(_shortened(input, p, dim, maxnorm), out)
