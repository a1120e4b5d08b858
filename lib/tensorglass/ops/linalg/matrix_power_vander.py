"""Products of matrices with themselves and of several in a row: matrix_power, matrix_exp, multi_dot.

The columns of `vander` are the powers of a vector's elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import C_NAMES
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, recorded
from tensorglass.ops.arg_parser.checks import check_int
from tensorglass.ops.copies.out import cast_into_out, check_safe_cast, into_out
from tensorglass.ops.creation.factory import Place, factory, new
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.linalg.common import check_floating, check_square, from_row_major, launch
from tensorglass.ops.linalg.inv_solve import linalg_inv
from tensorglass.ops.linalg.matmul import matmul, mm
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.ops.views.shape import unsqueeze, view
from tensorglass.tensor.tensor import Tensor, array_of, raw_array


def _power(A: Tensor, n: int) -> Tensor:
    check_square("linalg.matrix_power", A)
    if n == 0:
        eye = A.new_zeros(A._size[-2:]).fill_diagonal_(1)
        return A.clone(memory_format=contiguous_format).copy_(eye.expand(A._size))
    if n < 0:
        return _positive_power(linalg_inv(A), -n)
    return A.clone(memory_format=contiguous_format) if n == 1 else _positive_power(A, n)


def _positive_power(A: Tensor, n: int) -> Tensor:
    if n == 1:
        return A
    if n == 2:
        return matmul(A, A)
    if n == 3:
        return matmul(matmul(A, A), A)
    # By squaring: the factors are the powers 1, 2, 4, 8, … that add up to n.
    square, result = A, None
    while n > 0:
        if n % 2:
            result = square if result is None else matmul(result, square)
        n //= 2
        if n:
            square = matmul(square, square)
    assert result is not None
    return result


@operator("linear algebra", namespace="linalg")
def linalg_matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """A square matrix times itself, `n` times; its inverse's power for a negative `n`."""
    check_int("linalg_matrix_power", "n", 2, n)
    result = _power(A, n)
    check_safe_cast("matrix_power", result, out)
    return cast_into_out(result, out) if n in (0, 1) else into_out(result, out)


@operator("linear algebra")
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """A square matrix times itself, `n` times; its inverse's power for a negative `n`."""
    check_int("matrix_power", "n", 2, n)
    return linalg_matrix_power(input, n, out=out)


# --- the exponential -------------------------------------------------------------------------------------------------

#: The coefficients of Padé's approximation of degree 13: (26 - k)! / ((13 - k)! k!), up to a factor.
_PADE = [math.factorial(26 - k) / (math.factorial(13 - k) * math.factorial(k)) / math.factorial(13) for k in range(14)]
_RADIUS = 5.37  # up to this norm the approximation is exact to double precision


def _exponential(xp: Any, A: Array) -> tuple[Array]:
    if not A.size:
        return (A,)
    work = A.astype("float64" if A.dtype.kind == "f" else "complex128")
    norm = xp.max(xp.sum(xp.absolute(work), axis=-2))
    halvings = max(0, math.ceil(math.log2(float(norm) / _RADIUS))) if 0 < float(norm) < math.inf else 0
    work = work / 2.0**halvings
    eye = xp.eye(A.shape[-1], dtype=work.dtype)
    square = work @ work
    even, odd, power = _PADE[0] * eye, _PADE[1] * eye, eye
    for degree in range(2, 14, 2):
        power = power @ square
        even, odd = even + _PADE[degree] * power, odd + _PADE[degree + 1] * power
    odd = work @ odd
    result = xp.linalg.solve(xp.broadcast_to(even - odd, A.shape), xp.broadcast_to(even + odd, A.shape))
    for _ in range(halvings):
        result = result @ result
    return (xp.ascontiguousarray(result, A.dtype),)


def _exponential_gradient(grad: Tensor, input: Tensor) -> Tensor:
    """A block of the exponential of a matrix that is twice as large."""
    adjoint, count = input.mH, input._size[-1]
    upper, lower = cat([adjoint, grad], -1), cat([adjoint.new_zeros(adjoint._size), adjoint], -1)
    return _matrix_exp(cat([upper, lower], -2)).narrow(-2, 0, count).narrow(-1, count, count)


@recorded
@derivative(node="LinalgMatrixExpBackward0", input=_exponential_gradient)
def _matrix_exp(input: Tensor) -> Tensor:
    check_floating("linalg.matrix_exp", input)
    check_square("linalg.matrix_exp", input)
    if not input._size[-1]:
        return input.clone()
    if input._dtype.itemsize == 2:
        return _matrix_exp(input.float()).to(input._dtype)
    return from_row_major(launch(_exponential, input)[0], input._dtype, input._storage)


WIDER = "half types are computed in float32; PyTorch's results in them are wrong by far"


@operator("linear algebra", namespace="linalg", differs=WIDER)
def linalg_matrix_exp(input: Tensor) -> Tensor:
    """The exponential of a square matrix: the sum of its powers, each divided by the factorial of the exponent."""
    return _matrix_exp(input)


@operator("linear algebra", differs=WIDER)
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of a square matrix: the sum of its powers, each divided by the factorial of the exponent."""
    return _matrix_exp(input)


# --- several matrices ------------------------------------------------------------------------------------------------


def _best_splits(lengths: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to split each run of matrices so that the fewest numbers are multiplied; `lengths` are rows and columns."""
    count = len(lengths) - 1
    costs = {(place, place): 0 for place in range(count)}
    splits = {}
    for width in range(1, count):
        for first in range(count - width):
            last = first + width
            choices = [
                costs[first, at] + costs[at + 1, last] + lengths[first] * lengths[at + 1] * lengths[last + 1]
                for at in range(first, last)
            ]
            costs[first, last] = min(choices)
            splits[first, last] = first + choices.index(min(choices))
    if count == 3 and costs[0, 2] == costs[0, 1] + lengths[0] * lengths[2] * lengths[3]:
        splits[0, 2] = 1  # if both ways cost the same, PyTorch multiplies the first two of three
    return splits


@operator("linear algebra", namespace="linalg", out=True)
def linalg_multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of several matrices, in the order that costs least; the first and the last may be vectors."""
    if isinstance(tensors, Tensor):
        raise TypeError("linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    is_row, is_column = len(tensors[0]._size) == 1, len(tensors[-1]._size) == 1
    chain = list(tensors)
    for place, tensor in enumerate(chain):
        is_end = place in (0, len(chain) - 1)
        if len(tensor._size) != 2 and not (is_end and len(tensor._size) == 1):
            wanted = "1D or 2D" if is_end else "2D"
            which = "the first" if place == 0 else "the last" if is_end else f"tensor {place}"
            which = f"{which} tensor" if is_end else which
            raise RuntimeError(f"multi_dot(): {which} must be {wanted} but got {len(tensor._size)}D")
        if tensor._dtype is not chain[0]._dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {C_NAMES[chain[0]._dtype]} and "
                f"tensor {place} {C_NAMES[tensor._dtype]}"
            )
    if is_row:
        chain[0] = unsqueeze(chain[0], 0)
    if is_column:
        chain[-1] = unsqueeze(chain[-1], -1)
    for place, (one, other) in enumerate(pairwise(chain)):
        if one._size[1] != other._size[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {place} and {place + 1} with shapes {list(one._size)} and {list(other._size)} "
                "cannot be multiplied"
            )
    splits = _best_splits([chain[0]._size[0], *[tensor._size[1] for tensor in chain]])

    def product(first: int, last: int) -> Tensor:
        if first == last:
            return chain[first]
        at = splits[first, last]
        return mm(product(first, at), product(at + 1, last))

    if out is not None and out._dtype is not chain[0]._dtype:
        raise RuntimeError(
            f"multi_dot(): expected out tensor to have dtype {C_NAMES[chain[0]._dtype]} but got {C_NAMES[out._dtype]}"
        )
    size = ((chain[0]._size[0],) if not is_row else ()) + ((chain[-1]._size[1],) if not is_column else ())
    return into_out(view(product(0, len(chain) - 1), size), out)


# --- the powers of numbers -------------------------------------------------------------------------------------------


@operator("linear algebra", namespace="linalg")
def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """For each element of `x` its powers 0, 1, … up to N - 1 (as many as there are elements), in a last dimension."""
    x = x if x._size else x.unsqueeze(-1)
    columns = x._size[-1] if N is None else N
    if columns <= 1:
        raise RuntimeError("N must be greater than 1.")
    if x._dtype is dtypes.bool or (x._dtype.is_floating_point and x._dtype.itemsize == 2):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x._dtype.scalar_type}"
        )
    repeated = x.unsqueeze(-1).expand(*x._size, columns - 1).cumprod(-1)
    return cat([repeated.new_ones((*x._size, 1)), repeated], -1)


@factory()
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix: one row for each element of `x`, with its powers N-1 … 0, or 0 … N-1 if `increasing`."""
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = x.numel() if N is None else check_int("vander", "N", 2, N)
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    dtype = dtypes.promote_types(x._dtype, dtypes.int64)
    if columns > 1 and is_recorded((x,)):
        repeated = x.unsqueeze(-1).expand(x.numel(), columns - 1).cumprod(-1)
        powers = cat([repeated.new_ones((x.numel(), 1)), repeated], -1)
        return powers if increasing else powers.flip(-1)
    result = new((x.numel(), columns), Place(dtype, x.device, False))
    raw_array(result)[...] = x._backend.launch(_powers, array_of(x), columns, increasing)
    return result


def _powers(xp: Any, x: Array, columns: int, increasing: bool) -> Array:
    wide = x.astype("int64") if x.dtype.kind in "biu" else x
    powers = [xp.ones_like(wide)]
    for _ in powers[: columns - 1] * (columns - 1):
        powers.append(powers[-1] * wide)
    matrix = xp.stack(powers[:columns], axis=1) if columns else xp.empty((len(wide), 0))
    return matrix if increasing else matrix[:, ::-1]
