"""``torch.linalg``: linear algebra under NumPy's names.

Made from the operator table by `python docs/make_stubs.py`.
"""

from builtins import bool as _bool, complex as _complex, float as _float, int as _int, type as _type
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, Literal, NamedTuple, Self, SupportsIndex, overload

from numpy import ndarray

from tensorglass.autograd.function import Function
from tensorglass.core.devices import device as _device
from tensorglass.core.dtypes import dtype as _dtype
from tensorglass.core.memory_format import layout as _layout, memory_format as _memory_format
from tensorglass.core.size import Size as _Size
from tensorglass.graph.node import Node
from tensorglass.storage.storage import UntypedStorage as _UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage as _TypedStorage
from tensorglass.tensor.generator import Generator as _Generator
from tensorglass.tensor.hooks import RemovableHandle

from tensorglass.tensor.methods import _return_aminmax, _return_cummax, _return_cummin, _return_frexp, _return_geqrf, _return_histogram, _return_kthvalue, _return_linalg_cholesky_ex, _return_linalg_eig, _return_linalg_eigh, _return_linalg_inv_ex, _return_linalg_lstsq, _return_linalg_lu, _return_linalg_lu_factor, _return_linalg_lu_factor_ex, _return_linalg_qr, _return_linalg_slogdet, _return_linalg_solve_ex, _return_linalg_svd, _return_lu_unpack, _return_max, _return_median, _return_min, _return_mode, _return_nanmedian, _return_qr, _return_slogdet, _return_sort, _return_svd, _return_topk
from tensorglass.tensor.tensor import Tensor

from tensorglass.core.errors import LinAlgError as LinAlgError

def cholesky(input: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor:
    """The lower triangular factor, or the upper one. Raises LinAlgError if the matrix is not positive-definite."""

def cholesky_ex(
    input: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Sequence[Tensor] | None = None,
) -> _return_linalg_cholesky_ex:
    """The factor, and for each matrix the order of the first leading minor that is not positive-definite, or 0."""

def cond(input: Tensor, p: _float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number: the norm of a matrix times that of its inverse, inf where it has none."""

def cross(input: Tensor, other: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """The cross products of the vectors along `dim`, which must have three elements."""

def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of a matrix, or of each in a batch."""

def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """The diagonals of the last two dimensions, or of others, as a view."""

def eig(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _return_linalg_eig:
    """The eigenvalues of a square matrix, in no order, and its eigenvectors as columns; both are complex."""

def eigh(input: Tensor, UPLO: str = 'L', *, out: Sequence[Tensor] | None = None) -> _return_linalg_eigh:
    """The eigenvalues of a symmetric or Hermitian matrix, in ascending order, and its eigenvectors as columns."""

def eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of a square matrix, in no order; they are complex."""

def eigvalsh(input: Tensor, UPLO: str = 'L', *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of a symmetric or Hermitian matrix, in ascending order."""

def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the product of all reflections, as many as `input` has."""

def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a matrix, or of each in a batch. Raises LinAlgError where it is singular."""

def inv_ex(A: Tensor, *, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _return_linalg_inv_ex:
    """The inverse, and for each matrix which pivot was zero, from 1; 0 where it has an inverse."""

def lstsq(input: Tensor, b: Tensor, rcond: _float | None = None, *, driver: str | None = None) -> _return_linalg_lstsq:
    """The `X` for which ``A @ X`` comes closest to `B`, the squared distances, and the rank of `A`."""

def lu(A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None) -> _return_linalg_lu:
    """The permutation `P`, the lower triangular `L` with ones on its diagonal, and `U`: ``P @ L @ U == A``."""

def lu_factor(A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None) -> _return_linalg_lu_factor:
    """Both triangular factors in one matrix, as `lu_solve` takes them, and the exchanges of rows."""

def lu_factor_ex(
    A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Sequence[Tensor] | None = None,
) -> _return_linalg_lu_factor_ex:
    """`lu_factor`, and for each matrix which pivot was the first that is zero, from 1; 0 where none is."""

def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """The `X` for which ``A @ X == B``, or ``X @ A == B`` if not `left`, of the `A` that `lu_factor` factored."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product, `torch.matmul`."""

def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of a square matrix: the sum of its powers, each divided by the factorial of the exponent."""

def matrix_norm(
    A: Tensor, ord: _float | str = 'fro', dim: Sequence[_int] = ..., keepdim: _bool = False, *,
    dtype: _dtype | None = None, out: Tensor | None = None,
) -> Tensor:
    """The norm of matrices: "fro" the root of the sum of squares, "nuc" the sum of singular values, 2 the largest of
    them, 1 and inf the largest sum of a column and of a row; the smallest for -2, -1, -inf."""

def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """A square matrix times itself, `n` times; its inverse's power for a negative `n`."""

def matrix_rank(
    input: Tensor, tol: _float | Tensor | None = None, hermitian: _bool = False, *, atol: _float | Tensor | None = None,
    rtol: _float | Tensor | None = None, out: Tensor | None = None,
) -> Tensor:
    """How many singular values are above `atol` and above `rtol` times the largest."""

def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of several matrices, in the order that costs least; the first and the last may be vectors."""

def norm(
    input: Tensor, ord: _float | str | None = None, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: _dtype | None = None, out: Tensor | None = None,
) -> Tensor:
    """The norm of a vector where `dim` is one dimension, of a matrix where it is two; without `ord` that of all."""

def pinv(
    input: Tensor, rcond: _float | Tensor | None = None, hermitian: _bool = False, *,
    atol: _float | Tensor | None = None, rtol: _float | Tensor | None = None, out: Tensor | None = None,
) -> Tensor:
    """The pseudo-inverse. Singular values up to `atol`, or `rtol` times the largest, count as zero."""

def qr(A: Tensor, mode: str = 'reduced', *, out: Sequence[Tensor] | None = None) -> _return_qr:
    """``A == Q @ R``: an orthogonal or unitary `Q` and an upper triangular `R`."""

def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> _return_slogdet:
    """The sign of the determinant, and the logarithm of its size."""

def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor:
    """The `X` for which ``A @ X == B``, or ``X @ A == B`` if not `left`; `B` may be a vector for each matrix."""

def solve_ex(
    A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: Sequence[Tensor] | None = None,
) -> _return_linalg_solve_ex:
    """The solution, and for each matrix which pivot was zero, from 1; 0 where there is a solution."""

def solve_triangular(
    A: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """The `X` for which ``A @ X == B``, or ``X @ A == B`` if not `left`, where `A` is triangular."""

def svd(
    A: Tensor, full_matrices: _bool = True, *, driver: str | None = None, out: Sequence[Tensor] | None = None,
) -> _return_svd:
    """``A == U @ diag(S) @ Vh``: orthogonal or unitary `U` and `Vh`, and singular values in descending order."""

def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values of a matrix, in descending order."""

def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """For each element of `x` its powers 0, 1, … up to N - 1 (as many as there are elements), in a last dimension."""

def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """The sums of products along `dim`, the elements of `x` conjugated."""

def vector_norm(
    x: Tensor, ord: _float = 2, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: _dtype | None = None, out: Tensor | None = None,
) -> Tensor:
    """The norm of order `ord` of the elements along `dim`, or of all elements as one vector."""
