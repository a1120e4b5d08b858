"""Matrices of any size and rank: pinv, matrix_rank, and equations solved as well as can be, lstsq."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.copies.out import cast_into_out, check_safe_cast
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import columnwise
from tensorglass.ops.linalg.common import (
    check_floating,
    check_kernel,
    check_square,
    column_major,
    from_column_major,
    from_row_major,
    launch,
    svd_kernel,
)
from tensorglass.tensor.construct import make
from tensorglass.tensor.tensor import Tensor

Tolerance = Tensor | float | None


def _signatures(tolerance: str) -> tuple[str, ...]:
    """The signatures for what counts as zero; `tolerance` is the name of the older parameter."""
    return (
        "(Tensor input, *, Tensor atol = None, Tensor rtol = None, bool hermitian = False, Tensor out = None)",
        "(Tensor input, *, float atol = None, float rtol = None, bool hermitian = False, Tensor out = None)",
        f"(Tensor input, Tensor {tolerance}, bool hermitian = False, *, Tensor out = None)",
        f"(Tensor input, float {tolerance}, bool hermitian = False, *, Tensor out = None)",
    )


def _singular_factors(xp: Any, A: Array, hermitian: bool) -> tuple[Array, Array, Array]:
    """``A == left @ diag(sizes) @ right`` with sizes that are not negative."""
    if not hermitian:
        return svd_kernel(xp, A)
    eigenvalues, vectors = xp.linalg.eigh(A)
    sign = xp.where(eigenvalues < 0, -1, 1).astype(eigenvalues.dtype)
    return vectors, xp.absolute(eigenvalues), xp.conj(xp.swapaxes(vectors * sign[..., None, :], -1, -2))


def _threshold(xp: Any, sizes: Array, atol: Any, rtol: Any) -> Array:
    largest = xp.max(sizes, axis=-1, keepdims=True)
    return xp.maximum(atol, rtol * largest)


def _refuse_complex(name: str, **tolerances: Any) -> None:
    for tolerance, given in tolerances.items():
        if isinstance(given, Tensor) and given.is_complex():
            raise RuntimeError(
                f"torch.linalg.{name}: {tolerance} tensor of complex type is not supported. "
                f"Got {given._dtype.scalar_type}"
            )


def _tolerances(A: Tensor, atol: Tolerance, rtol: Tolerance) -> dict[str, Any]:
    """Both as a kernel takes them; `rtol` depends on the size if neither is given."""
    if rtol is None:
        has_atol = atol is not None and (isinstance(atol, Tensor) or atol > 0)
        rtol = 0.0 if has_atol else finfo(A._dtype).eps * max(A._size[-2:])
    given: dict[str, Any] = {}
    for name, value in (("atol", 0.0 if atol is None else atol), ("rtol", rtol)):
        if isinstance(value, Tensor):
            geometry.broadcast_shapes(A._size[:-2], value._size)  # raises where they do not fit
        given[name] = value.unsqueeze(-1).numpy(force=True) if isinstance(value, Tensor) else value
    return given


def _check_single(input: Tensor) -> None:
    """Raise for dtypes whose rounding error PyTorch does not know."""
    if input._dtype.category < dtypes.FLOATING or input._dtype.itemsize == 2:
        raise RuntimeError("This function doesn't handle types other than float and double")


# --- pinv ------------------------------------------------------------------------------------------------------------


def _pinv(xp: Any, A: Array, atol: Any, rtol: Any, hermitian: bool) -> tuple[Array]:
    if not A.size:
        return (xp.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]), A.dtype),)
    left, sizes, right = _singular_factors(xp, A, hermitian)
    kept = sizes > _threshold(xp, sizes, xp.asarray(atol, sizes.dtype), xp.asarray(rtol, sizes.dtype))
    inverted = xp.where(kept, 1 / xp.where(kept, sizes, 1), 0).astype(A.dtype)
    adjoint = [xp.conj(xp.swapaxes(factor, -1, -2)) for factor in (right, left)]
    return (xp.ascontiguousarray((adjoint[0] * inverted[..., None, :]) @ adjoint[1]),)


def _pinv_gradient(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    wide = grad.mH
    if input._size[-2] <= input._size[-1]:
        inner = wide @ result
        outer = inner @ result.mH
        rest = input @ result @ outer - result.mH @ result @ (wide - inner @ input)
        return columnwise(outer - (result @ inner).mH - rest)
    inner = result @ wide
    outer = result.mH @ inner
    rest = outer @ result @ input - (wide - input @ inner) @ result @ result.mH
    return columnwise(outer - (inner @ result).mH - rest)


@recorded
@derivative(node="LinalgPinvBackward0", input=_pinv_gradient)
def _pseudo_inverse(input: Tensor, atol: Tolerance, rtol: Tolerance, hermitian: bool) -> Tensor:
    dtype = input._dtype
    if len(input._size) < 2 or dtype.category < dtypes.FLOATING or dtype.itemsize == 2:
        raise RuntimeError(
            f"linalg.pinv({dtype.scalar_type}{{{list(input._size)}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
    array = launch(_pinv, input, **_tolerances(input, atol, rtol), hermitian=hermitian)[0]
    return from_row_major(array, dtype, input._storage)


@operator("linear algebra", namespace="linalg", out=True, signatures=_signatures("rcond"))
def linalg_pinv(
    input: Tensor,
    rcond: Tolerance = None,
    hermitian: bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
    out: Tensor | None = None,
) -> Tensor:
    """The pseudo-inverse. Singular values up to `atol`, or `rtol` times the largest, count as zero."""
    if atol is not None and rtol is None and rcond is None:
        _check_single(input)
    _refuse_complex("pinv", atol=atol, rtol=rtol if rcond is None else rcond)
    if hermitian:
        check_square("linalg.eigh", input)
    result = _pseudo_inverse(input, 0.0 if rcond is not None else atol, rtol if rcond is None else rcond, hermitian)
    check_safe_cast("linalg.pinv", result, out)
    return cast_into_out(result, out)


@operator("linear algebra")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudo-inverse, `linalg.pinv`."""
    return _pseudo_inverse(input, 0.0, rcond, False)


# --- matrix_rank -----------------------------------------------------------------------------------------------------


def _rank(xp: Any, A: Array, atol: Any, rtol: Any, hermitian: bool) -> tuple[Array]:
    if not A.size:
        return (xp.zeros(A.shape[:-2], "int64"),)
    sizes = xp.absolute(xp.linalg.eigvalsh(A)) if hermitian else svd_kernel(xp, A, vectors=False)
    above = sizes > _threshold(xp, sizes, xp.asarray(atol, sizes.dtype), xp.asarray(rtol, sizes.dtype))
    return (xp.sum(above, axis=-1),)


@operator("linear algebra", namespace="linalg", out=True, signatures=_signatures("tol"))
def linalg_matrix_rank(
    input: Tensor,
    tol: Tolerance = None,
    hermitian: bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
    out: Tensor | None = None,
) -> Tensor:
    """How many singular values are above `atol` and above `rtol` times the largest."""
    if not (tol is None and rtol is None):  # PyTorch's first error without them is that `rtol` has no default
        check_floating("linalg.svd", input)
        check_kernel("linalg_svd_cpu", input, even_empty=True)
    _check_single(input)
    if len(input._size) < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    _refuse_complex("matrix_rank", atol=atol if tol is None else tol, rtol=rtol)
    if hermitian:
        check_square("linalg.eigh", input)
    given = _tolerances(input, atol if tol is None else tol, rtol if tol is None else 0.0)
    rank = from_row_major(launch(_rank, input, **given, hermitian=hermitian)[0], dtypes.int64, input._storage)
    check_safe_cast("torch.linalg.matrix_rank", rank, out)
    rank._written()  # PyTorch writes the sum into a new tensor
    return cast_into_out(rank, out)


# --- least squares ---------------------------------------------------------------------------------------------------


def _lstsq(xp: Any, A: Array, B: Array, rcond: float, is_vector: bool) -> tuple[Array, Array]:
    right = B[..., None] if is_vector else B
    if not A.size:
        solution = xp.zeros((*A.shape[:-2], max(A.shape[-2:]), right.shape[-1]), A.dtype)
        return column_major(xp, solution), xp.zeros(A.shape[:-2], "int64")
    left, sizes, rest = svd_kernel(xp, A)
    kept = sizes > rcond * xp.max(sizes, axis=-1, keepdims=True)
    inverted = xp.where(kept, 1 / xp.where(kept, sizes, 1), 0).astype(A.dtype)
    inner = xp.conj(xp.swapaxes(left, -1, -2)) @ right
    solution = xp.conj(xp.swapaxes(rest, -1, -2)) @ (inverted[..., None] * inner)
    # If B has more rows, the result has as many: LAPACK writes the solution over B.
    more = max(0, A.shape[-2] - A.shape[-1])
    blank = xp.zeros((*solution.shape[:-2], more, solution.shape[-1]), solution.dtype)
    return column_major(xp, xp.concatenate([solution, blank], axis=-2)), xp.sum(kept, axis=-1)


@recorded
@derivative(
    node="LinalgLstsqBackward0",
    outputs=1,
    input=lambda grad, input, b: _pinv_gradient(
        _as_matrices(grad, b, input) @ _as_matrices(b, b, input).mH, input, _pseudo_inverse(input, None, None, False)
    ),
    b=lambda grad, input, b: (
        (_pseudo_inverse(input, None, None, False).mH @ _as_matrices(grad, b, input)).reshape(b._size)
        if _is_vector(b, input)
        else _pseudo_inverse(input, None, None, False).mH @ grad
    ),
)
def _least_squares(input: Tensor, b: Tensor, rcond: float) -> tuple[Tensor, Tensor]:
    solution, rank = launch(_lstsq, input, _as_matrices(b, b, input), rcond=rcond, is_vector=False)
    padded = from_column_major(solution, input._dtype, input._storage)
    size, stride = (*padded._size[:-2], input._size[-1], padded._size[-1]), padded._stride
    header = (size[:-1], stride[:-1]) if _is_vector(b, input) else (size, stride)
    return make(padded._storage, *header, 0, input._dtype), from_row_major(rank, dtypes.int64, input._storage)


def _is_vector(b: Tensor, input: Tensor) -> bool:
    """Whether `b` is one vector for each matrix."""
    return b._size == input._size[:-1]


def _as_matrices(tensor: Tensor, b: Tensor, input: Tensor) -> Tensor:
    """`b`, or a tensor of its size, as matrices."""
    return tensor.unsqueeze(-1) if _is_vector(b, input) else tensor


DRIVER = "`driver` is checked, and singular values are used whatever it is"


@operator("linear algebra", namespace="linalg", differs=DRIVER)
def linalg_lstsq(input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The `X` for which ``A @ X`` comes closest to `B`, the squared distances, and the rank of `A`.

    `rcond` says from which part of the largest singular value on one counts as zero. Distances are given where there
    are more rows than columns and the rank is full, the rank where `driver` is not "gels", the singular values where
    it is "gelss" or "gelsd".
    """
    if len(input._size) < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if not b._size:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if not 0 <= len(input._size) - len(b._size) <= 1:
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            "<= 1"
        )
    if len(b._size) == 1 and input._size[-2] != b._size[0]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-1)")
    if input._dtype is not b._dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{input._dtype.scalar_type} and other's dtype {b._dtype.scalar_type}"
        )
    name = "gelsy" if driver is None else driver
    if name not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    _check_single(input)
    right = _as_matrices(b, b, input)
    if input._size[-2] != right._size[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    if len(b._size) < len(input._size):  # vectors, as many as there are matrices
        geometry.broadcast_shapes(input._size[:-2], b._size[:-1])
    bound = finfo(input._dtype).eps * max(input._size[-2:]) if rcond is None else rcond
    solution, rank = _least_squares(input, b, bound)
    empty = input.new_zeros((0,), dtype=input._dtype.to_real())
    residuals, sizes = empty, empty
    rows, columns = input._size[-2:]
    if rows > columns and name != "gelsy" and bool((rank == columns).all()):
        distance = input @ _as_matrices(solution, b, input) - right
        residuals = (distance * distance.conj()).real.sum(-2) if input.is_complex() else (distance * distance).sum(-2)
    if name in ("gelsd", "gelss"):
        from_svd = launch(_singular_values, input)[0]
        sizes = from_row_major(from_svd, input._dtype.to_real(), input._storage)
    shown = rank if name != "gels" else rank.new_zeros((0,))
    return return_types.linalg_lstsq(solution, residuals, shown, sizes)


def _singular_values(xp: Any, A: Array) -> tuple[Array]:
    return (svd_kernel(xp, A, vectors=False),)
