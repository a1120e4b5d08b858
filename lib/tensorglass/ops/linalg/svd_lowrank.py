"""The largest singular values of a matrix, found without all others: svd_lowrank, pca_lowrank.

A few random combinations of a matrix's columns nearly span what its largest singular vectors span, and multiplying by
the matrix again brings them closer. What is left is the decomposition of a small matrix. (N. Halko, P. G. Martinsson,
J. A. Tropp, "Finding structure with randomness", 2009.)
"""

from __future__ import annotations

from tensorglass.core import dtypes
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.linalg.svd_qr import linalg_qr, linalg_svd
from tensorglass.ops.random.factories import randn
from tensorglass.tensor.tensor import Tensor

SIGNS = "vectors are those of NumPy's factors: signs may be others"


def _basis(A: Tensor, M: Tensor | None, q: int, niter: int) -> Tensor:
    """Orthogonal columns that nearly span those of ``A - M``."""
    dtype = A._dtype if A._dtype.is_complex or A._dtype in _DRAWN else dtypes.float32
    found = _orthogonal(A, M, randn(A._size[-1], q, dtype=dtype, device=A.device))
    turned = None if M is None else M.mH
    for _ in range(niter):
        found = _orthogonal(A, M, _orthogonal(A.mH, turned, found))
    return found


_DRAWN = (dtypes.float16, dtypes.float32, dtypes.float64)


def _orthogonal(A: Tensor, M: Tensor | None, X: Tensor) -> Tensor:
    """Orthogonal columns that span those of ``(A - M) @ X``."""
    columns: Tensor = linalg_qr(A @ X if M is None else A @ X - M @ X).Q
    return columns


def _largest(A: Tensor, M: Tensor | None, q: int, niter: int) -> tuple[Tensor, Tensor, Tensor]:
    is_wide = A._size[-2] < A._size[-1]
    if is_wide:
        A, M = A.mH, None if M is None else M.mH
    basis = _basis(A, M, q, niter)
    small = basis.mH @ A if M is None else basis.mH @ A - basis.mH @ M
    left, sizes, right = linalg_svd(small, full_matrices=False)
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
    mean = None if M is None else M.broadcast_to(A._size)
    return _largest(A, mean, 6 if q is None else q, 2 if niter is None else niter)


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
    return _largest(A - A.mean(-2, True) if center else A, None, q, niter)
