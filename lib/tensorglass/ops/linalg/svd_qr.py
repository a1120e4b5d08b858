"""Singular values and orthogonal factors: svd, svdvals, qr; and the largest singular values, found without the others:
svd_lowrank, pca_lowrank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.out import all_into_out, into_out
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.autocast import by_list
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import columnwise
from tensorglass.ops.linalg.common import (
    check_floating,
    check_kernel,
    check_matrices,
    column_major,
    from_column_major,
    from_row_major,
    launch,
    svd_kernel,
)
from tensorglass.ops.linalg.eig import GAUGE, off_diagonal, on_diagonal, refuse_phase
from tensorglass.ops.linalg.inv_solve import inv_ex
from tensorglass.ops.random.factories import randn
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.tensor.tensor import Tensor


def _is_used(grad: Tensor) -> bool:
    return grad.requires_grad or grad.is_meta or bool((grad != 0).any())


# --- svd -------------------------------------------------------------------------------------------------------------


def _svd(xp: Any, A: Array, full_matrices: bool, vectors: bool) -> Sequence[Array]:
    if not vectors:
        return (svd_kernel(xp, A, vectors=False),)
    left, sizes, right = svd_kernel(xp, A, full_matrices)
    return column_major(xp, left), sizes, column_major(xp, right)


def _svd_gradient(grads: Sequence[Tensor], results: Sequence[Tensor]) -> Tensor:
    count = results[1]._size[-1]
    left, sizes, right = results[0].narrow(-1, 0, count), results[1], results[2].narrow(-2, 0, count)
    of_left, of_sizes, of_right = grads[0].narrow(-1, 0, count), grads[1], grads[2].narrow(-2, 0, count)
    inner = on_diagonal(of_sizes.to(left._dtype))
    if not _is_used(of_left) and not _is_used(of_right):
        return left @ inner @ right
    skew_left, skew_right = [matrix - matrix.mH for matrix in (left.mH @ of_left, right @ of_right.mH)]
    squares = sizes * sizes
    apart = squares.unsqueeze(-2) - squares.unsqueeze(-1) + on_diagonal(sizes.new_ones(sizes._size))
    inner = inner + off_diagonal(skew_left) / apart * sizes.unsqueeze(-2)
    inner = inner + off_diagonal(skew_right) / apart * sizes.unsqueeze(-1)
    if left._dtype.is_complex:
        diagonal = skew_left.diagonal(0, -2, -1)
        phases = diagonal + skew_right.diagonal(0, -2, -1)
        refuse_phase("svd_backward", "singular vectors", phases, "this phase term, making it ill-defined")
        inner = inner + on_diagonal(diagonal / (2 * sizes))
    gradient = left @ inner @ right
    if left._size[-2] > count:
        scaled = of_left / sizes.unsqueeze(-2)
        gradient = gradient + (scaled - left @ (left.mH @ scaled)) @ right
    if right._size[-1] > count:
        scaled = of_right / sizes.unsqueeze(-1)
        gradient = gradient + left @ (scaled - scaled @ right.mH @ right)
    return gradient


@recorded
@derivative(node="LinalgSvdBackward0", A=_svd_gradient)
def _decomposed(A: Tensor, full_matrices: bool) -> tuple[Tensor, Tensor, Tensor]:
    _check_svd(A)
    left, sizes, right = launch(_svd, A, full_matrices=full_matrices, vectors=True)
    storage = A._storage
    return (
        from_column_major(left, A._dtype, storage),
        from_row_major(sizes, A._dtype.to_real(), storage),
        from_column_major(right, A._dtype, storage),
    )


def _check_svd(A: Tensor, driver: str | None = None) -> None:
    check_floating("linalg.svd", A)
    check_matrices("linalg.svd", A)
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    check_kernel("linalg_svd_cpu", A)


@operator("linear algebra", namespace="linalg", differs=GAUGE)
def linalg_svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Sequence[Tensor] | None = None
) -> Any:
    """``A == U @ diag(S) @ Vh``: orthogonal or unitary `U` and `Vh`, and singular values in descending order.

    With `full_matrices` `U` and `Vh` are square; else they have as many columns and rows as `S` has elements.
    """
    _check_svd(A, driver)
    return all_into_out(return_types.linalg_svd, _decomposed(A, full_matrices), out)


def svdvals(A: Tensor) -> Tensor:
    """The singular values of matrices."""
    if A.requires_grad:
        return _decomposed(A, False)[1]
    _check_svd(A)
    return from_row_major(launch(_svd, A, full_matrices=False, vectors=False)[0], A._dtype.to_real(), A._storage)


@operator("linear algebra", namespace="linalg", out=True)
def linalg_svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values of a matrix, in descending order."""
    _check_svd(A, driver)
    return into_out(svdvals(A), out)


@operator("linear algebra", differs=GAUGE)
def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Sequence[Tensor] | None = None) -> Any:
    """``input == U @ diag(S) @ V.mH``; without `compute_uv` `U` and `V` are zeros. `linalg.svd` is its successor."""
    if len(input._size) < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {len(input._size)} dimensions instead"
        )
    if compute_uv:
        left, sizes, right = _decomposed(input, not some)
        return all_into_out(return_types.svd, (left, sizes, right.mH), out)
    *batch, rows, columns = input._size
    zeros = [input.new_zeros((*batch, length, length)) for length in (rows, columns)]
    return all_into_out(return_types.svd, (zeros[0], svdvals(input), zeros[1]), out)


# --- qr --------------------------------------------------------------------------------------------------------------


def _qr(xp: Any, A: Array, mode: str) -> Sequence[Array]:
    if mode == "r":
        return (column_major(xp, xp.linalg.qr(A, "r")),)
    first, second = xp.linalg.qr(A, mode)
    return column_major(xp, first), column_major(xp, second)


def _qr_gradient(grads: Sequence[Tensor], A: Tensor, results: Sequence[Tensor], mode: str) -> Tensor:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use mode='reduced' "
            "if you are going to differentiate through linalg.qr."
        )
    rows, columns = A._size[-2:]
    if mode == "complete" and rows > columns:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols")
    (of_q, of_r), (q, r) = grads, results
    if rows >= columns:
        return columnwise(_tall_gradient(of_q, of_r, q, r))
    # For [X Y] with a square X: X has the factors q and the first columns of r; Y only adds columns to r.
    of_q = of_q + A.narrow(-1, rows, columns - rows) @ of_r.narrow(-1, rows, columns - rows).mH
    first = _tall_gradient(of_q, of_r.narrow(-1, 0, rows), q, r.narrow(-1, 0, rows))
    return cat([first, q @ of_r.narrow(-1, rows, columns - rows)], -1)


def _tall_gradient(of_q: Tensor, of_r: Tensor, q: Tensor, r: Tensor) -> Tensor:
    middle = (r @ of_r.mH - of_q.mH @ q).tril()
    below = off_diagonal(middle)
    diagonal = (middle - below).real.to(middle._dtype) if middle._dtype.is_complex else middle - below
    return (of_q + q @ (below + below.mH + diagonal)) @ inv_ex(r)[0].mH


@recorded
@derivative(node="LinalgQrBackward0", A=_qr_gradient)
def _orthogonalized(A: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    check_floating("linalg.qr", A)
    check_matrices("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    if A._dtype.itemsize == 2:
        raise NotImplementedError(f"\"geqrf_cpu\" not implemented for '{A._dtype.scalar_type}'")
    *first, r = launch(_qr, A, mode=mode)
    q = from_column_major(first[0], A._dtype, A._storage) if first else A.new_zeros((0,))
    return q, from_column_major(r, A._dtype, A._storage)


@operator("linear algebra", namespace="linalg", differs=GAUGE)
def linalg_qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> Any:
    """``A == Q @ R``: an orthogonal or unitary `Q` and an upper triangular `R`.

    `mode` is "reduced", "complete" for a square `Q`, or "r" for `R` alone, when `Q` is empty.
    """
    return all_into_out(return_types.linalg_qr, _orthogonalized(A, mode), out)


_QR_ADVICE = (
    "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe boolean "
    "parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be replaced "
    "with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
)


@operator("linear algebra", differs=GAUGE)
def qr(input: Tensor, some: bool = True, *, out: Sequence[Tensor] | None = None) -> Any:
    """``input == Q @ R``, with a square `Q` if not `some`. `linalg.qr` is its successor."""
    warn(_QR_ADVICE)
    return all_into_out(return_types.qr, _orthogonalized(input, "reduced" if some else "complete"), out)


# --- the largest singular values -------------------------------------------------------------------------------------
# A few random combinations of a matrix's columns nearly span the space of its largest singular vectors, and multiplying
# by the matrix again brings them closer. Then only a small matrix must be decomposed. (N. Halko, P. G. Martinsson, J.
# A. Tropp, "Finding structure with randomness", 2009.)

_casting_qr, _casting_svd = by_list("linalg_qr", linalg_qr), by_list("linalg_svd", linalg_svd)
SIGNS = "vectors are those of NumPy's factors: signs may be others"


def _basis(A: Tensor, M: Tensor | None, q: int, niter: int) -> Tensor:
    """Orthogonal columns that nearly span those of ``A - M``."""
    dtype = A._dtype if A._dtype.is_complex or A._dtype in _DRAWN else dtypes.float32
    basis = _orthogonal(A, M, randn(A._size[-1], q, dtype=dtype, device=A.device))
    turned = None if M is None else M.mH
    for _ in range(niter):
        basis = _orthogonal(A, M, _orthogonal(A.mH, turned, basis))
    return basis


_DRAWN = (dtypes.float16, dtypes.float32, dtypes.float64)


def _orthogonal(A: Tensor, M: Tensor | None, X: Tensor) -> Tensor:
    """Orthogonal columns that span those of ``(A - M) @ X``."""
    basis: Tensor = _casting_qr(A @ X if M is None else A @ X - M @ X).Q
    return basis


def _largest_singular(A: Tensor, M: Tensor | None, q: int, niter: int) -> tuple[Tensor, Tensor, Tensor]:
    rows, columns = A._size[-2:]  # ValueError of less than two, as PyTorch's
    is_wide = rows < columns
    if is_wide:
        A, M = A.mH, None if M is None else M.mH
    basis = _basis(A, M, q, niter)
    small = basis.mH @ A if M is None else basis.mH @ A - basis.mH @ M
    left, sizes, right = _casting_svd(small, full_matrices=False)
    first, second = basis @ left, right.mH
    return (second, sizes, first) if is_wide else (first, sizes, second)


@operator("linear algebra", method=False, differs=SIGNS, signatures=None)
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """`U`, `S` and `V` for the `q` largest singular values of `A`, or of ``A - M``: ``U @ diag(S) @ V.mH`` is near it.

    They are found from random numbers; `niter` is how often they are improved.
    """
    check_tensor("svd_lowrank", A, "A")
    if M is not None:
        check_tensor("svd_lowrank", M, "M", 4)
    mean = None if M is None else M.broadcast_to(A._size)
    return _largest_singular(A, mean, 6 if q is None else q, 2 if niter is None else niter)


@operator("linear algebra", method=False, differs=SIGNS, signatures=None)
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """The principal components of the rows of `A`, its columns centred first if `center`: `U`, `S` and `V`.

    The columns of `V` are the directions along which the rows differ most. `q` is how many are found, 6 at most if not
    said.
    """
    check_tensor("pca_lowrank", A, "A")
    rows, columns = A._size[-2:]
    if q is None:
        q = min(6, rows, columns)
    elif not 0 <= q <= min(rows, columns):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return _largest_singular(A - A.mean(-2, True) if center else A, None, q, niter)
