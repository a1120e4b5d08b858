"""Calls by hand of the operators on matrices and on spectra; `gradient_calls` tells what an entry is.

Matrices are made such that no pivot, no eigenvalue and no sign changes under a small step.
"""

from __future__ import annotations

from typing import Any


def positive(library: Any, x: Any) -> Any:
    """A positive-definite matrix made of any."""
    return x @ x.mH + library.eye(x.shape[-2])


def uneven(library: Any, x: Any) -> Any:
    """A square matrix whose eigenvalues are far apart."""
    return x + library.diag(10 * library.arange(x.shape[-1], dtype=library.float64))


def sizes(tensors: Any) -> list[Any]:
    """The tensors without signs and phases."""
    return [tensor.abs() for tensor in tensors]


def squares(tensors: Any) -> list[Any]:
    """The same, where some elements are zero."""
    return [(tensor * tensor.conj()).real for tensor in tensors]


def factor(library: Any, x: Any) -> Any:
    """A lower triangular matrix with a real, positive diagonal."""
    return x.tril(-1) + library.diag_embed(x.real.diagonal(0, -2, -1) + 3)


#: By operator. `x` is 2×3 unless sizes are given.
OF_MATRICES: dict[str, list[Any]] = {
    # matrices: Hermitian ones, and what does not depend on signs
    "linalg_inv": [(lambda t, x: t.linalg.inv(x + 5 * t.eye(2)), (2, 2))],
    "linalg_solve": [(lambda t, x, y: t.linalg.solve(x + 5 * t.eye(2), y), (2, 2), (2, 3))],
    "linalg_det": [(lambda t, x: t.linalg.det(x + 5 * t.eye(2)), (2, 2))],
    "cholesky": [
        (lambda t, x: t.cholesky(positive(t, x)), (2, 3)),
        (lambda t, x: t.cholesky(positive(t, x), True), (2, 3)),
    ],
    "linalg_cholesky": [
        (lambda t, x: t.linalg.cholesky(positive(t, x)), (2, 3)),
        (lambda t, x: t.linalg.cholesky(positive(t, x), upper=True), (2, 2, 3)),
    ],
    "linalg_cholesky_ex": [(lambda t, x: t.linalg.cholesky_ex(positive(t, x))[0], (2, 3))],
    "linalg_eigh": [
        (lambda t, x: t.linalg.eigh(positive(t, x))[0], (2, 3)),
        (lambda t, x: sizes(t.linalg.eigh(positive(t, x))), (3, 4)),
    ],
    "linalg_eigvalsh": [(lambda t, x: t.linalg.eigvalsh(positive(t, x)), (2, 2, 3))],
    "linalg_eig": [(lambda t, x: sizes(t.linalg.eig(uneven(t, x))), (3, 3))],
    "linalg_svd": [
        (lambda t, x: sizes(t.linalg.svd(x, full_matrices=False)), (2, 3)),
        (lambda t, x: sizes(t.linalg.svd(uneven(t, x))), (3, 3)),
        (lambda t, x: sizes(t.linalg.svd(x, full_matrices=False)), (3, 2)),
        (lambda t, x: t.linalg.svd(x)[1], (3, 2)),
    ],
    "svd": [(lambda t, x: sizes(t.svd(x)), (3, 2)), (lambda t, x: t.svd(x)[1], (3, 2))],
    "linalg_qr": [
        (lambda t, x: squares(t.linalg.qr(uneven(t, x))), (3, 3)),
        (lambda t, x: squares(t.linalg.qr(x)), (3, 2)),
        (lambda t, x: squares(t.linalg.qr(x)), (2, 3)),
    ],
    "linalg_lstsq": [(lambda t, x, y: t.linalg.lstsq(uneven(t, x), y)[0], (3, 3), (3, 2))],
    "qr": [(lambda t, x: squares(t.qr(x)), (3, 2))],
    "linalg_eigvals": [(lambda t, x: t.linalg.eigvals(uneven(t, x)).abs().sum(), (3, 3))],
    "cholesky_solve": [
        (lambda t, x, y: t.cholesky_solve(y, factor(t, x)), (3, 3), (3, 2)),
        (lambda t, x, y: t.cholesky_solve(y, factor(t, x).mH, True), (2, 3, 3), (3, 2)),
    ],
    "cholesky_inverse": [
        (lambda t, x: t.cholesky_inverse(factor(t, x)), (3, 3)),
        (lambda t, x: t.cholesky_inverse(factor(t, x).mH, True), (2, 3, 3)),
    ],
    "lu_solve": [
        (lambda t, x, LU: t.lu_solve(x, LU, t.tensor([2, 3, 3], dtype=t.int32)), (3, 2), (3, 3)),
    ],
    "lu_unpack": [
        (lambda t, x: t.lu_unpack(x, t.tensor([2, 3, 3], dtype=t.int32)), size) for size in ((3, 3), (4, 3), (3, 5))
    ],
    # signals
    "istft": [
        (lambda t, x: t.istft(t.complex(x.real, x.real * 2), 4, window=t.ones(4, dtype=t.float64)), (3, 5)),
        (lambda t, x, w: t.istft(t.complex(x.real, x.real * 2), 4, 1, 3, w.real), (2, 3, 5), (3,)),
        (lambda t, x, w: t.istft(t.complex(x.real, x.real * 2), 4, 2, 4, w.real, return_complex=True), (4, 5), (4,)),
        (lambda t, x: t.istft(t.complex(x.real, x.real * 2), 4, length=7, normalized=True), (4, 5)),
    ],
}
