"""A product added to a tensor, ``beta * input + alpha * product``: addmm, addmv, addbmm, baddbmm, addr.

Each operator checks its operands and names the product; `add_product` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import on_two_devices
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import cannot_cast, check_out_dtype
from tensorglass.ops.derivatives.shared import conj, product_lying, scaled
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.ops.kernels.python_numbers import checked
from tensorglass.ops.linalg.matmul import batches_of_two_dtypes, cannot_multiply
from tensorglass.ops.views.shape import expand
from tensorglass.tensor.construct import empty_on, from_array
from tensorglass.tensor.tensor import Tensor, array_of

Product = Callable[[Any, Array, Array], Array]


def _matmul(xp: Any, one: Array, other: Array) -> Array:
    return matrix_product(xp, one, other)


def _summed(xp: Any, one: Array, other: Array) -> Array:
    return xp.add.reduce(xp.matmul(one, other), axis=0)


def _added(
    xp: Any, product: Product | None, arrays: tuple[Array, ...], wide: Any, dtype: Any, beta: Any, alpha: Any, size: Any
) -> Array:
    input, one, other = [array.astype(wide, copy=False) for array in arrays]
    result = xp.zeros(size, wide) if product is None else product(xp, one, other)
    if alpha != 1:
        result = result * alpha
    if beta != 0:  # with 0, `input` is not read, so its NaNs have no effect
        xp.add(result, input if beta == 1 else input * beta, out=result)
    return xp.ascontiguousarray(result, dtype).reshape(size)


def add_product(
    product: Product,
    operands: tuple[Tensor, Tensor, Tensor],
    size: tuple[int, ...],
    beta: complex,
    alpha: complex,
    out: Tensor | None,
    dtype: DType | None = None,
    reads_unused: bool = False,
) -> Tensor:
    """Compute ``beta * input + alpha * product`` as `dtype`, by default the operands'. An `alpha` of 0 omits the
    product, unless `reads_unused`.
    """
    input = operands[0]
    backend, result = input._storage.backend, dtype or input._dtype
    for operand in operands[1:]:
        if operand._storage.backend is not backend:
            raise on_two_devices(input._storage.device, operand._storage.device)
    beta, alpha = _factor_of_dtype(beta, result), _factor_of_dtype(alpha, result)
    if input._size != size:
        expand(input, size)  # raises if it cannot
    is_half = result.is_floating_point and result.itemsize == 2
    wide = backend.array_dtype(dtypes.float32 if is_half else result)
    arrays = tuple([array_of(operand) for operand in operands])
    computed = None if alpha == 0 and not reads_unused else product
    answer = backend.launch(_added, computed, arrays, wide, backend.array_dtype(result), beta, alpha, size)
    if out is None:
        return from_array(answer, result, input._storage)
    return write_out(answer, size, out, result, operands[: input._size == size])


def _factor_of_dtype(number: complex, dtype: DType) -> complex:
    """A factor as a number of `dtype`: a fraction is cut off for integers, and -1 wraps around for unsigned ones."""
    number = checked(number, dtype)
    if dtype is dtypes.bool:
        return bool(number)
    if isinstance(number, bool) or dtype.category == dtypes.INTEGER:
        whole = int(number.real)
        return whole if dtype.is_signed else whole % 2 ** (8 * dtype.itemsize)
    return number.real if isinstance(number, complex) and not dtype.is_complex else number


def _no_truths(kernel: str, inner: int) -> Exception:
    """PyTorch's error for products of bools."""
    if not inner:  # PyTorch raises another error here, since only ``beta * input`` is left
        return cannot_cast(dtypes.int64, dtypes.bool)
    return NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def _check_in_place(input: Tensor, out: Tensor | None, size: tuple[int, ...]) -> None:
    if out is input and input._size != size:
        raise RuntimeError(
            f"Bad in-place call: input tensor size {list(input._size)} and output tensor size {list(size)} should match"
        )


# --- matrices --------------------------------------------------------------------------------------------------------


def _matrix_product(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    beta: complex,
    alpha: complex,
    out: Tensor | None,
    size: tuple[int, ...],
    product: Product = _matmul,
) -> Tensor:
    _check_in_place(input, out, size)
    _check_one_dtype(input if out is None else out, mat1, mat2)
    if input._dtype is dtypes.bool and 0 not in size:
        raise _no_truths("addmm_impl_cpu_", mat1._size[-1])
    return add_product(product, (input, mat1, mat2), size, beta, alpha, out)


def _check_one_dtype(written: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    for name, matrix in (("self", written), ("mat1", mat1)):
        if matrix._dtype is not mat2._dtype:
            names = matrix._dtype.scalar_type, mat2._dtype.scalar_type
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {names[0]} and {names[1]}")


def _addmm_size(input: Tensor, mat1: Tensor, mat2: Tensor) -> tuple[int, ...]:
    _check_one_dtype(input, mat1, mat2)
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if len(matrix._size) != 2:
            raise RuntimeError(f"{name} must be a matrix, got {len(matrix._size)}-D tensor")
    if mat1._size[1] != mat2._size[0]:
        raise cannot_multiply(mat1._size, mat2._size)
    return mat1._size[0], mat2._size[1]


@operator("linear algebra", inplace=True, out=True)
@derivative(
    input=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, mat2, mat1_stride, alpha: scaled(product_lying(mat1_stride, grad, conj(mat2.t())), alpha),
    mat2=lambda grad, mat1, mat2_stride, alpha: scaled(product_lying(mat2_stride, conj(mat1.t()), grad), alpha),
)
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: complex = 1, alpha: complex = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``. With a `beta` of 0 `input` is not read."""
    size = _addmm_size(input, mat1, mat2)
    check_out_dtype(out, input._dtype)
    return _matrix_product(input, mat1, mat2, beta, alpha, out, size)


# --- a matrix and a vector -------------------------------------------------------------------------------------------


@operator("linear algebra", inplace=True, out=True)
@derivative(
    input=lambda grad, beta: scaled(grad, beta),
    mat=lambda grad, vec, alpha: scaled(grad.outer(conj(vec)), alpha),
    vec=lambda grad, mat, alpha: scaled(conj(mat.t()).mv(grad), alpha),
)
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: complex = 1, alpha: complex = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``. With a `beta` of 0 `input` is not read."""
    if len(mat._size) != 2 or len(vec._size) != 1 or len(input._size) > 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {len(input._size)}, {len(mat._size)}, {len(vec._size)}"
        )
    rows, columns = mat._size
    length = input._size[0] if input._size else 1
    if columns != vec._size[0] or length not in (1, rows):
        raise RuntimeError(f"size mismatch, got input ({length}), mat ({rows}x{columns}), vec ({vec._size[0]})")
    _check_in_place(input, out, (rows,))
    if not input._dtype is mat._dtype is vec._dtype:
        names = [tensor._dtype.scalar_type for tensor in (input, mat, vec)]
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {names[0]}, {names[1]}, and {names[2]}"
        )
    check_out_dtype(out, input._dtype)
    if input._dtype is dtypes.bool and rows and columns:
        raise NotImplementedError("\"addmv_impl_cpu\" not implemented for 'Bool'")
    return add_product(_matmul, (input, mat, vec), (rows,), beta, alpha, out)


# --- batches of matrices ---------------------------------------------------------------------------------------------


def _check_batches(name: str, input: Tensor, batch1: Tensor, batch2: Tensor, is_expanded: bool = True) -> None:
    batches = {"batch1": batch1, "batch2": batch2}
    size = batch1.size(0 if name == "baddbmm" else 1), batch1.size(1), batch2.size(2)
    if is_expanded:
        expand(input, size if name == "baddbmm" else size[1:])
    for argument, batch in batches.items():
        if len(batch._size) != 3:
            raise RuntimeError(f"{argument} must be a 3D tensor")


@operator("linear algebra", inplace=True, out=True)
@derivative(
    input=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(
        grad.unsqueeze(0).expand(batch2._size[0], -1, -1).bmm(conj(batch2.transpose(1, 2))), alpha
    ),
    batch2=lambda grad, batch1, alpha: scaled(
        conj(batch1.transpose(1, 2)).bmm(grad.unsqueeze(0).expand(batch1._size[0], -1, -1)), alpha
    ),
)
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: complex = 1, alpha: complex = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2).sum(0)``. With a `beta` of 0 `input` is not read."""
    _check_batches("addbmm", input, batch1, batch2)
    (count, rows, inner), (count2, inner2, columns) = batch1._size, batch2._size
    if count != count2:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {count} and {count2}")
    if inner != inner2:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({rows}x{inner} and {inner2}x{columns})")
    size = rows, columns
    return _matrix_product(input, batch1, batch2, beta, alpha, out, size, _summed)


@operator("linear algebra", inplace=True, out=True)
@derivative(
    input=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(grad.bmm(conj(batch2.transpose(1, 2))), alpha),
    batch2=lambda grad, batch1, alpha: scaled(conj(batch1.transpose(1, 2)).bmm(grad), alpha),
)
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: complex = 1, alpha: complex = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``, pair by pair. With a `beta` of 0 `input` is not read."""
    _check_batches("baddbmm", input, batch1, batch2, is_expanded=out is not input)
    (count, rows, inner), (*_, columns) = batch1._size, batch2._size
    if batch2._size[:2] != (count, inner):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {inner}] but got: "
            f"{list(batch2._size[:2])}."
        )
    size = count, rows, columns
    _check_in_place(input, out, size)
    kinds = [tensor._dtype for tensor in (input, batch1, batch2)]
    if kinds[0] is not kinds[1]:
        raise RuntimeError("Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}".format(
            *[dtypes.C_NAMES[kind] for kind in kinds]
        ))  # fmt: skip
    if out is input and kinds[0] is not kinds[2]:
        own, other = dtypes.C_NAMES[kinds[0]], dtypes.C_NAMES[kinds[2]]
        raise RuntimeError(f"Bad in-place call: input tensor dtype {own} and output tensor dtype {other} should match")
    check_out_dtype(out, kinds[0])
    if kinds[1] is not kinds[2]:
        if 0 in size or not inner:  # nothing is multiplied, and nothing checked
            return baddbmm(input.to(kinds[2]), batch1.to(kinds[2]), batch2, beta=beta, alpha=alpha, out=out)
        single = f"mat1 and mat2 must have the same dtype, but got {kinds[1].scalar_type} and {kinds[2].scalar_type}"
        raise batches_of_two_dtypes(batch1, batch2, "baddbmm", single)
    if kinds[0] is dtypes.bool and 0 not in size:
        raise _no_truths("baddbmm", inner)
    return add_product(_matmul, (input, batch1, batch2), size, beta, alpha, out, reads_unused=True)


# --- two vectors -----------------------------------------------------------------------------------------------------


def _outer(xp: Any, one: Array, other: Array) -> Array:
    return one[:, None] * other


def _laid_out_like(result: Tensor, input: Tensor) -> Tensor:
    """A new result, with the order of strides of `input`, as elementwise operators have it."""
    if input._size != result._size or 0 in result._size:
        return result
    stride = geometry.preserved_strides(input._size, input._stride)
    return (
        result
        if stride == result._stride
        else copy_(empty_on(result._storage.device, result._size, stride, result._dtype), result)
    )


def _addr(input: Tensor, vec1: Tensor, vec2: Tensor, beta: complex, alpha: complex, out: Tensor | None) -> Tensor:
    for name, vector in (("vec1", vec1), ("vec2", vec2)):
        if len(vector._size) != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {len(vector._size)}-D")
    size = vec1._size[0], vec2._size[0]
    result = dtypes.promote_types(input._dtype, dtypes.promote_types(vec1._dtype, vec2._dtype))
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and result is not dtypes.bool:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if isinstance(factor, (float, complex)) and result.category < dtypes.FLOATING:
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    if out is not None and not dtypes.can_cast(result, out._dtype):
        raise cannot_cast(result, out._dtype)
    answer = add_product(_outer, (input, vec1, vec2), size, beta, alpha, out, result, reads_unused=True)
    if out is not None:
        return answer
    laid = _laid_out_like(answer, input)
    laid._storage.version = 0  # a new result's version is 0
    return laid


def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: complex = 1, alpha: complex = 1) -> Tensor:
    """`addr`, written to `input`."""
    if len(input._size) != 2:
        raise RuntimeError(f"2D tensor expected, got {len(input._size)}D tensor for input")
    if input._size != (*vec1._size, *vec2._size):
        raise RuntimeError(f"size mismatch, input: {list(input._size)}, v1: {list(vec1._size)}, v2: {list(vec2._size)}")
    return _addr(input, vec1, vec2, beta, alpha, input)


@operator("linear algebra", inplace=addr_, out=True)
@derivative(
    input=lambda grad, beta: scaled(grad, beta),
    vec1=lambda grad, vec2, alpha: scaled(grad.mv(conj(vec2)), alpha),
    vec2=lambda grad, vec1, alpha: scaled(grad.t().mv(conj(vec1)), alpha),
)
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: complex = 1, alpha: complex = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``, in the dtype that the three have in common."""
    return _addr(input, vec1, vec2, beta, alpha, out)
