"""Products of reflections, such as QR's orthogonal factor: geqrf, householder_product.

Column `i` of a matrix, below the diagonal and with a 1 on it, is a vector `v`, and stands for the reflection
``1 - tau * v @ v.mH``. LAPACK applies one after the other and never multiplies them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.out import safely_cast_into_out
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import no_formula
from tensorglass.ops.linalg.common import (
    check_kernel,
    column_major,
    flattened,
    from_column_major,
    from_row_major,
    launch,
    routine,
)
from tensorglass.ops.rearrange.cat_stack import cat, stack
from tensorglass.tensor.tensor import Tensor

# --- kernels ---------------------------------------------------------------------------------------------------------


def _product_of_reflections(xp: Any, A: Array, tau: Array) -> tuple[Array]:
    """The first columns of ``H1 @ H2 @ …``."""
    columns = xp.ascontiguousarray(xp.broadcast_to(xp.eye(*A.shape[-2:], dtype=A.dtype), A.shape))
    if not columns.size or not tau.size:
        return (column_major(xp, columns),)
    multiply = routine(xp, "unmqr" if A.dtype.kind == "c" else "ormqr", A)
    triples = zip(flattened(A[..., : tau.shape[-1]]), flattened(tau, 1), flattened(columns), strict=True)
    products = [multiply("L", "N", *triple, 64 * max(A.shape[-2:]))[0] for triple in triples]
    return (column_major(xp, xp.stack(products).reshape(A.shape)),)


def _geqrf(xp: Any, A: Array) -> tuple[Array, Array]:
    rows, columns = A.shape[-2:]
    if not A.size:
        return column_major(xp, A), xp.zeros((*A.shape[:-2], min(rows, columns)), A.dtype)
    pairs = [xp.linalg.qr(matrix, mode="raw") for matrix in flattened(A)]
    both = xp.stack([factors for factors, _ in pairs]).reshape((*A.shape[:-2], columns, rows))
    tau = xp.stack([scales for _, scales in pairs]).reshape((*A.shape[:-2], min(rows, columns)))
    return xp.ascontiguousarray(both, A.dtype), tau.astype(A.dtype)


# --- derivatives -----------------------------------------------------------------------------------------------------


def _vector(A: Tensor, place: int) -> Tensor:
    """The reflection's vector, with the zeros above it: (…, rows, 1)."""
    column = A.narrow(-1, place, 1)
    one = column.new_ones((*column._size[:-2], 1, 1))
    zeros = column.new_zeros((*column._size[:-2], place, 1))
    return cat([zeros, one, column.narrow(-2, place + 1, column._size[-2] - place - 1)], -2)


def _reflect(vector: Tensor, factor: Tensor, matrix: Tensor) -> Tensor:
    return matrix - factor * (vector @ (vector.mH @ matrix))


def _of_reflections(grad: Tensor, A: Tensor, tau: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """The gradients of `A` and of `tau`, from that of `_product_of_reflections`; none where nothing was reflected.

    Each reflection's input is found by applying those before it; the gradient of its output, by going back through
    those after it.
    """
    if not A.numel() or not tau.numel():
        return None, None
    count = tau._size[-1]
    vectors = [_vector(A, place) for place in range(count)]
    factors = [tau.narrow(-1, place, 1).unsqueeze(-1) for place in range(count)]
    given, applied = [], _start(A)
    for vector, factor in zip(reversed(vectors), reversed(factors), strict=True):
        given.append(applied)
        applied = _reflect(vector, factor, applied)
    of_columns, of_factors = [], []
    for place, (vector, factor, before) in enumerate(zip(vectors, factors, reversed(given), strict=True)):
        forward, backward = before @ (grad.mH @ vector), grad @ (before.mH @ vector)
        of_factors.append(-(vector.mH @ backward).squeeze(-1).squeeze(-1))
        of_vector = -(factor.conj() * backward) - factor * forward
        above = of_vector.new_zeros((*of_vector._size[:-2], place + 1, 1))
        of_columns.append(cat([above, of_vector.narrow(-2, place + 1, of_vector._size[-2] - place - 1)], -2))
        grad = _reflect(vector, factor.conj(), grad)
    rest = A._size[-1] - count
    if rest:
        of_columns.append(A.new_zeros((*A._size[:-1], rest)))
    return cat(of_columns, -1), stack(of_factors, -1)


def _start(A: Tensor) -> Tensor:
    rows, columns = A._size[-2:]
    return A.new_ones((rows, columns)).tril().triu().expand(A._size)


# --- what is recorded ------------------------------------------------------------------------------------------------


@recorded
@derivative(
    node="LinalgHouseholderProductBackward0",
    input=lambda grad, input, tau, result: _of_reflections(grad, input, tau)[0],  # `result` is kept as PyTorch does
    tau=lambda grad, input, tau, result: _of_reflections(grad, input, tau)[1],
)
def _multiplied(input: Tensor, tau: Tensor) -> Tensor:
    tau = tau[..., :0] if tau.is_meta else tau  # only the result's layout: without elements nothing is multiplied
    return from_column_major(launch(_product_of_reflections, input, tau)[0], input._dtype, input._storage)


@recorded
@derivative(node="GeqrfBackward0", real_only="geqrf", input=no_formula("geqrf"))
def _qr_factors(input: Tensor) -> tuple[Tensor, Tensor]:
    both, tau = launch(_geqrf, input)
    storage = input._storage
    return from_column_major(both, input._dtype, storage), from_row_major(tau, input._dtype, storage)


# --- operators -------------------------------------------------------------------------------------------------------


@operator("linear algebra")
def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> Any:
    """QR's factors as LAPACK has them: `R`, below it the vectors of the reflections in `Q`, and their factors."""
    if len(input._size) < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel("geqrf_cpu", input, even_empty=True)
    factors = _qr_factors(input)
    if out is None:
        return return_types.geqrf(*factors)
    if len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
    return return_types.geqrf.out(
        *[
            safely_cast_into_out("torch.geqrf", result, target, name)
            for result, target, name in zip(factors, out, ("a", "tau"), strict=True)
        ]
    )


def _check_reflections(name: str, input: Tensor, tau: Tensor) -> None:
    if len(input._size) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if input._size[-2] < input._size[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if not tau._size:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if input._size[-1] < tau._size[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if len(tau._size) != len(input._size) - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {len(tau._size)} "
            f"and input.ndim is equal to {len(input._size)}"
        )
    if tau._size[:-1] != input._size[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau._size[:-1])}"
        )
    if tau._dtype is not input._dtype:
        raise RuntimeError(
            f"{name}: tau dtype {tau._dtype.scalar_type} does not match input dtype {input._dtype.scalar_type}"
        )


@operator("linear algebra", namespace="linalg", out=True)
def linalg_householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the product of all reflections, as many as `input` has."""
    _check_reflections("torch.linalg.householder_product", input, tau)
    check_kernel("orgqr_cpu", input, even_empty=True)
    return safely_cast_into_out("torch.linalg.householder_product", _multiplied(input, tau), out)
