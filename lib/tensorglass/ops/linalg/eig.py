"""Eigenvalues and eigenvectors: eigh of symmetric and Hermitian matrices, eig of any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import LinAlgError
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import holds_somewhere
from tensorglass.ops.copies.out import all_into_out, check_safe_cast, into_out, safely_cast_into_out  # fmt: skip
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import columnwise
from tensorglass.ops.linalg.common import (
    check_kernel,
    check_square,
    column_major,
    from_column_major,
    from_row_major,
    launch,
)
from tensorglass.ops.linalg.inv_solve import inv_ex
from tensorglass.tensor.tensor import Tensor

GAUGE = "vectors may have other signs, or in the complex case phases: they are not determined"


_DEPENDS = "this quantity, so it is ill-defined"


def on_diagonal(vector: Tensor) -> Tensor:
    """Diagonal matrices of vectors."""
    eye = vector.new_zeros((vector._size[-1], vector._size[-1])).fill_diagonal_(1)
    return vector.unsqueeze(-1) * eye


def off_diagonal(matrix: Tensor) -> Tensor:
    """The matrices with zeros on the diagonal."""
    return matrix - matrix.tril().triu()


def refuse_phase(name: str, what: str, diagonal: Tensor, depends: str = _DEPENDS) -> None:
    """Raise if a function of eigenvectors depends on their phase: then some of these diagonal elements are not 0."""
    imaginary = diagonal.detach().imag
    if holds_somewhere(imaginary.abs() > 1e-2):
        raise RuntimeError(
            f"{name}: The {what} in the complex case are specified up to multiplication by e^{{i phi}}. The specified "
            f"loss function depends on {depends}."
        )


def _apart(eigenvalues: Tensor) -> Tensor:
    """The differences of all pairs of eigenvalues; 1 on the diagonal."""
    return eigenvalues.unsqueeze(-2) - eigenvalues.unsqueeze(-1) + on_diagonal(eigenvalues.new_ones(eigenvalues._size))


# --- of Hermitian matrices -------------------------------------------------------------------------------------------


def _eigh(xp: Any, A: Array, UPLO: str, vectors: bool) -> Sequence[Array]:
    try:
        if not vectors:
            return (xp.linalg.eigvalsh(A, UPLO),)
        eigenvalues, columns = xp.linalg.eigh(A, UPLO)
    except xp.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or has too many "
            "repeated eigenvalues (error code: 1)."
        ) from None
    return eigenvalues, column_major(xp, columns)


def _eigh_gradient(grads: Sequence[Tensor], results: Sequence[Tensor]) -> Tensor:
    of_values, of_vectors = grads
    values_, vectors = results
    middle = vectors.mH @ of_vectors
    if vectors._dtype.is_complex:
        refuse_phase("linalg_eigh_backward", "eigenvectors", middle.diagonal(0, -2, -1))
    inner = on_diagonal(of_values.to(vectors._dtype))
    if of_vectors.requires_grad or of_vectors.is_meta or bool((of_vectors != 0).any()):
        turning = (middle - middle.mH) * 0.5  # vectors that stay orthogonal can only rotate
        inner = inner + off_diagonal(turning) / _apart(values_)
    return vectors @ inner @ vectors.mH


@recorded
@derivative(node="LinalgEighBackward0", input=_eigh_gradient)
def _of_hermitian(input: Tensor, UPLO: str) -> tuple[Tensor, Tensor]:
    _check_eigh(input, UPLO)
    eigenvalues, vectors = launch(_eigh, input, UPLO=UPLO.upper(), vectors=True)
    storage = input._storage
    return from_row_major(eigenvalues, input._dtype.to_real(), storage), from_column_major(
        vectors, input._dtype, storage
    )


def _check_eigh(input: Tensor, UPLO: str) -> None:
    check_square("linalg.eigh", input)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_kernel("linalg_eigh_cpu", input)


@operator("linear algebra", namespace="linalg", differs=GAUGE)
def linalg_eigh(input: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> Any:
    """The eigenvalues of a symmetric or Hermitian matrix, in ascending order, and its eigenvectors as columns.

    Only the lower triangle is read, or the upper one if `UPLO` is "U".
    """
    pair = _of_hermitian(input, UPLO)
    if out is not None and len(out) == 2:
        check_out_dtype(out[1], pair[1]._dtype)  # PyTorch checks the vectors first
    return all_into_out(return_types.linalg_eigh, pair, out)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_eigvalsh(input: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of a symmetric or Hermitian matrix, in ascending order."""
    if input.requires_grad:
        return into_out(_of_hermitian(input, UPLO)[0], out)
    _check_eigh(input, UPLO)
    eigenvalues = launch(_eigh, input, UPLO=UPLO.upper(), vectors=False)[0]
    return into_out(from_row_major(eigenvalues, input._dtype.to_real(), input._storage), out)


# --- of any square matrices ------------------------------------------------------------------------------------------


def _eig(xp: Any, A: Array, dtype: Any) -> Sequence[Array]:
    if not bool(xp.isfinite(A).all()):
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    eigenvalues, vectors = xp.linalg.eig(A)
    return eigenvalues.astype(dtype), column_major(xp, vectors, dtype)


def _eig_gradient(grads: Sequence[Tensor], results: Sequence[Tensor]) -> Tensor:
    of_values, of_vectors = grads
    values_, vectors = results
    middle = vectors.mH @ of_vectors
    diagonal = middle.diagonal(0, -2, -1)
    refuse_phase("linalg_eig_backward", "eigenvectors", diagonal)
    inner = on_diagonal(of_values.to(vectors._dtype))
    if of_vectors.requires_grad or of_vectors.is_meta or bool((of_vectors != 0).any()):
        # Eigenvectors keep length 1, so the part of the gradient along them is subtracted.
        across = middle - vectors.mH @ (vectors * diagonal.real.unsqueeze(-2))
        inner = inner + off_diagonal(across) / _apart(values_).conj()
    return columnwise(inv_ex(vectors.mH)[0] @ inner @ vectors.mH)


@recorded
@derivative(node="LinalgEigBackward0", input=_eig_gradient)
def _of_any(input: Tensor, name: str) -> tuple[Tensor, Tensor]:
    if input._dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"Unknown Complex ScalarType for {input._dtype.scalar_type}")
    check_square(name, input)
    if input._dtype.itemsize == 2:
        raise NotImplementedError(f"\"linalg_eig_out_cpu\" not implemented for '{input._dtype.scalar_type}'")
    dtype = _complex(input._dtype)
    storage = input._storage
    eigenvalues, vectors = launch(_eig, input, dtype=storage.backend.array_dtype(dtype))
    return from_row_major(eigenvalues, dtype, storage), from_column_major(vectors, dtype, storage)


def _complex(dtype: DType) -> DType:
    return dtypes.complex128 if dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64


@operator("linear algebra", namespace="linalg", differs=GAUGE)
def linalg_eig(input: Tensor, *, out: Sequence[Tensor] | None = None) -> Any:
    """The eigenvalues of a square matrix, in no order, and its eigenvectors as columns; both are complex."""
    pair = _of_any(input, "linalg.eig")
    if out is None:
        return return_types.linalg_eig(*pair)
    if len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
    named = list(zip(pair, out, ("eigenvalues", "eigenvectors"), strict=True))
    for result_out_name in named:
        check_safe_cast("torch.linalg.eig", *result_out_name)
    return return_types.linalg_eig.out(
        *[safely_cast_into_out("torch.linalg.eig", *result_out_name) for result_out_name in named]
    )


@operator("linear algebra", namespace="linalg", differs="may come in another order")
def linalg_eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of a square matrix, in no order; they are complex."""
    eigenvalues = _of_any(input, "linalg.eigvals")[0]
    check_safe_cast("torch.linalg.eigvals", eigenvalues, out, "eigenvalues")
    return into_out(eigenvalues, out)
