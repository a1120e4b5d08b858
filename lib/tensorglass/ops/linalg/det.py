"""Determinants: det, and its logarithm with the sign apart, which does not overflow: slogdet, logdet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import holds_somewhere
from tensorglass.ops.copies.out import all_into_out, into_out
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import columnwise, conj
from tensorglass.ops.indexing.where_masked import where
from tensorglass.ops.linalg.common import check_floating, check_kernel, check_square, from_row_major, launch
from tensorglass.ops.linalg.inv_solve import inv_ex
from tensorglass.tensor.tensor import Tensor


def _det(xp: Any, A: Array) -> tuple[Array]:
    return (xp.linalg.det(A),)


def _slogdet(xp: Any, A: Array) -> tuple[Array, Array]:
    sign, logarithm = xp.linalg.slogdet(A)
    return sign, logarithm


def _cofactors(xp: Any, A: Array) -> tuple[Array]:
    """The derivatives of the determinant for each element, of matrices that may be singular."""
    left, sizes, right = xp.linalg.svd(A)
    count = A.shape[-1]
    others = [xp.prod(xp.delete(sizes, place, -1), axis=-1) for place in range(count)]
    turn = xp.linalg.det(left) * xp.linalg.det(right)
    return (turn[..., None, None] * ((xp.conj(left) * xp.stack(others, -1)[..., None, :]) @ xp.conj(right)),)


# --- det -------------------------------------------------------------------------------------------------------------


def _det_gradient(grad: Tensor, A: Tensor, result: Tensor) -> Tensor:
    wide = grad.unsqueeze(-1).unsqueeze(-1)
    if A._size[-1] == 1 or not A.numel():
        return wide.expand(A._size)
    if A.numel() and holds_somewhere(result == 0):
        return columnwise(wide * conj(from_row_major(launch(_cofactors, A)[0], A._dtype, A._storage)))
    return columnwise(wide * conj(result).unsqueeze(-1).unsqueeze(-1) * inv_ex(A)[0].mH)


@recorded
@derivative(node="LinalgDetBackward0", A=_det_gradient)
def _determinant(A: Tensor) -> Tensor:
    check_square("linalg.det", A)
    check_floating("linalg.det", A)
    check_kernel("lu_cpu", A)
    return from_row_major(launch(_det, A)[0], A._dtype, A._storage)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of a matrix, or of each in a batch."""
    return into_out(_determinant(A), out)


@operator("linear algebra")
def det(input: Tensor) -> Tensor:
    """The determinant of a matrix, or of each in a batch."""
    return _determinant(input)


# --- slogdet ---------------------------------------------------------------------------------------------------------


def _slogdet_gradient(grads: Sequence[Tensor], A: Tensor, result: Tensor) -> Tensor:
    of_sign, of_logarithm = grads
    if A._dtype.is_complex:
        of_logarithm = of_logarithm + 1j * (conj(result) * of_sign).imag
    return columnwise(of_logarithm.unsqueeze(-1).unsqueeze(-1) * inv_ex(A)[0].mH)


@recorded
@derivative(node="LinalgSlogdetBackward0", A=_slogdet_gradient)
def _sign_and_logarithm(A: Tensor, name: str) -> tuple[Tensor, Tensor]:
    check_square(name, A)
    check_floating(name, A, halves=False)
    sign, logarithm = launch(_slogdet, A)
    return from_row_major(sign, A._dtype, A._storage), from_row_major(logarithm, A._dtype.to_real(), A._storage)


@operator("linear algebra", namespace="linalg")
def linalg_slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> Any:
    """The sign of the determinant, and the logarithm of its size."""
    return all_into_out(return_types.linalg_slogdet, _sign_and_logarithm(A, "linalg.slogdet"), out)


@operator("linear algebra", out=True)
def slogdet(input: Tensor, *, out: tuple[Tensor, Tensor] | None = None) -> Any:
    """The sign of the determinant, and the logarithm of its size."""
    return all_into_out(return_types.slogdet, _sign_and_logarithm(input, "linalg.slogdet"), out)


@operator("linear algebra")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant: nan where that is negative."""
    sign, logarithm = _sign_and_logarithm(input, "logdet")
    if input._dtype.is_complex:
        return sign.log() + logarithm
    return where(sign == -1, float("nan"), logarithm)
