"""The standard's extension for linear algebra, and what of it stands in the main namespace too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import tensorglass as torch
from tensorglass.array_api import statistics
from tensorglass.array_api.elementwise import of_one
from tensorglass.array_api.promoting import promoted
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

# --- products, which the main namespace has too ----------------------------------------------------------------------


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The product of matrices, or of stacks of them."""
    x1, x2 = promoted(x1, x2)
    return torch.matmul(x1, x2)


def matrix_transpose(x: Tensor, /) -> Tensor:
    """A view with the last two dimensions exchanged."""
    return x.mT


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """The sum of products over several dimensions: the last and the first `axes`, or those that are named."""
    x1, x2 = promoted(x1, x2)
    return torch.tensordot(x1, x2, axes if isinstance(axes, int) else tuple(map(list, axes)))


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The dot product along `axis`; the first of two complex vectors is conjugated. ValueError if lengths differ."""
    x1, x2 = _vectors(x1, x2, axis)
    if x1.is_floating_point() or x1.is_complex():
        product: Tensor = torch.linalg.vecdot(x1, x2, dim=axis)
    else:  # ours refuses integers
        product = torch.sum(x1 * x2, axis, dtype=x1._dtype)
    return product


def _vectors(x1: Tensor, x2: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Both in one dtype and with equally many dimensions, after a check that their vectors along `axis` have one
    length."""
    x1, x2 = promoted(x1, x2)
    dims = max(x1.ndim, x2.ndim)
    x1, x2 = (tensor.reshape((1,) * (dims - tensor.ndim) + tensor._size) for tensor in (x1, x2))
    if x1.shape[axis] != x2.shape[axis]:  # PyTorch broadcasts a vector of one element
        raise ValueError(f"vectors of {x1.shape[axis]} and of {x2.shape[axis]} elements along dimension {axis}")
    return x1, x2


# --- the extension ---------------------------------------------------------------------------------------------------

#: Those that are ours of the same name, with its named results.
det, eigh, eigvalsh, inv, slogdet, svdvals = (
    of_one(name, getattr(torch.linalg, name)) for name in ("det", "eigh", "eigvalsh", "inv", "slogdet", "svdvals")
)


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of positive definite matrices."""
    return torch.linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The cross product of vectors of three elements along `axis`. ValueError if lengths differ."""
    x1, x2 = _vectors(x1, x2, axis)
    return torch.linalg.cross(x1, x2, dim=axis)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """A view of a diagonal of matrices: the `offset`-th, counted upwards from the main one."""
    return x.diagonal(offset, -2, -1)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Tensor:
    """The norm of matrices: "fro", "nuc", or 1, 2, inf and their negatives."""
    return torch.linalg.matrix_norm(x, "fro" if ord is None else ord, keepdim=keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """The `n`-th power of square matrices; a negative `n` means the inverse's."""
    return torch.linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """The number of singular values above `rtol` times the largest."""
    return torch.linalg.matrix_rank(x, **_tolerance(rtol, x))


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """All products of an element of `x1` and one of `x2`."""
    x1, x2 = promoted(x1, x2)
    return torch.outer(x1, x2)


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """The pseudo-inverse; singular values up to `rtol` times the largest count as 0."""
    return torch.linalg.pinv(x, **_tolerance(rtol, x))


def _tolerance(rtol: float | Tensor | None, x: Tensor) -> dict[str, Any]:
    if rtol is None:
        return {}
    return {"rtol": rtol.to(x._dtype.to_real()) if isinstance(rtol, Tensor) else rtol}


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> Any:
    """An orthogonal and a triangular factor."""
    return torch.linalg.qr(x, mode)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solutions of ``x1 @ x = x2``. Only a 1-dim `x2` is a vector; all others are stacks of matrices."""
    x1, x2 = promoted(x1, x2)
    if x2.ndim == 1:
        return solve(x1, x2.unsqueeze(-1)).squeeze(-1)
    while x2.ndim < x1.ndim:  # PyTorch would take some of these for stacks of vectors
        x2 = x2.unsqueeze(0)
    return torch.linalg.solve(x1, x2)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """The singular values, falling, between two orthogonal factors."""
    return torch.linalg.svd(x, full_matrices=full_matrices)


def trace(x: Tensor, /, *, offset: int = 0, dtype: DType | None = None) -> Tensor:
    """The sum of a diagonal."""
    return statistics.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """The norm of vectors along `axis`, or of all elements."""
    if axis == ():
        x, axis, keepdims = x.unsqueeze(0), 0, False
    return torch.linalg.vector_norm(x, ord, axis, keepdims)


__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
    "trace", "vecdot", "vector_norm",
]  # fmt: skip
