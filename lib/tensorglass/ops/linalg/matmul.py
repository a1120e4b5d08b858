"""Products of matrices and vectors."""

from __future__ import annotations

import math
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients, recorded
from tensorglass.ops.arg_parser.checks import on_two_devices
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import check_out_dtype, to_one_dtype
from tensorglass.ops.derivatives.shared import conj, product_lying
from tensorglass.ops.derivatives.view_nodes import unsafe_view
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.ops.views.shape import reshape, squeeze, t, transpose, unsqueeze
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.construct import from_array, make
from tensorglass.tensor.tensor import Tensor, array_of
from tensorglass.tensor.torch_function import dispatch_operator


def _product(input: Tensor, other: Tensor, size: tuple[int, ...], out: Tensor | None) -> Tensor:
    """Run the backend's matmul, half types in float32, and wrap or write the result."""
    if input._storage.backend is not other._storage.backend:
        raise on_two_devices(input._storage.device, other._storage.device)
    dtype = input._dtype
    if dtype is not other._dtype:
        form = _form(input, other)
        if form == "bmm" and (0 in size or not input._size[-1]):
            input, dtype = other.new_zeros(input._size), other._dtype  # batches without a product are not checked
        else:
            error = batches_of_two_dtypes(input, other) if form == "bmm" else _two_dtypes(form, input, other)
            raise explained(error, to_one_dtype(dtype, other._dtype), notebook="2/04 Dtypes and conversion")
    if out is not None and out._dtype is not dtype:
        _refuse_out(_form(input, other), dtype, size, out)
    if dtype is dtypes.bool:
        form = _form(input, other)
        if form == "dot" or (0 not in size and input._size[-1]):
            raise NotImplementedError(f"\"{form}\" not implemented for 'Bool'")
    backend = input._storage.backend
    result = backend.launch(_matmul, array_of(input), array_of(other), backend.array_dtype(dtype), size)
    return from_array(result, dtype, input._storage) if out is None else write_out(result, size, out, dtype)


def _matmul(xp: Any, input: Array, other: Array, array_dtype: Any, size: tuple[int, ...]) -> Array:
    if array_dtype.itemsize == 2 and array_dtype.kind not in "iu":
        input, other = input.astype("float32"), other.astype("float32")
    product = matrix_product(xp, input, other)
    if product.shape == size and product.dtype == array_dtype and product.flags.c_contiguous:  # nearly always
        return product
    return xp.ascontiguousarray(product, array_dtype).reshape(size)


def _form(input: Tensor, other: Tensor) -> str:
    """The name of the kernel that multiplies these, as in PyTorch's errors."""
    size, other_size = input._size, other._size
    if len(other_size) > 2:
        is_vector_of_one = len(size) == 1 and _is_one_matrix(transpose(other, -1, -2))
        return "addmv_impl_cpu" if is_vector_of_one else "bmm"
    if len(size) > 2 and not _is_one_matrix(input):
        return "bmm"
    if len(other_size) == 1:
        return "dot" if len(size) == 1 else "addmv_impl_cpu"
    return "addmm_impl_cpu_"


def _is_one_matrix(batch: Tensor) -> bool:
    """Whether PyTorch reads a batch as one matrix: its rows follow each other, without a gap."""
    size, stride = batch._size, batch._stride
    return 0 in size or all(stride[dim] == stride[dim + 1] * size[dim + 1] for dim in range(len(size) - 2))


def _refuse_out(form: str, dtype: dtypes.dtype, size: tuple[int, ...], out: Tensor) -> None:
    """Raise PyTorch's error for an ``out=`` whose dtype is not the operands'."""
    given, wanted = out._dtype.scalar_type, dtype.scalar_type
    if form == "dot":
        raise RuntimeError(f"result dtype {given} does not match input dtype {wanted}")
    if form == "addmv_impl_cpu" and out._size == size:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {given}, {wanted}, and {wanted}")
    check_out_dtype(out, dtype)


def batches_of_two_dtypes(input: Tensor, other: Tensor, name: str = "bmm", single: str | None = None) -> RuntimeError:
    """PyTorch's error for batches of two dtypes: it has three kernels, and each names first what it wants.

    Its own multiplies small matrices; MKL those whose rows or columns are contiguous, if it has the dtype of `other`;
    the others are multiplied one by one, with `single` as the message.
    """
    one, two = input._dtype, other._dtype
    rows = input._size[-2] if len(input._size) > 1 else 1
    if rows * math.prod(other._size[-2:]) < 400:
        if one is dtypes.bool:
            return NotImplementedError(f"\"{name}\" not implemented for 'Bool'")
        return RuntimeError(f"expected scalar type {one.scalar_type} but found {two.scalar_type}")
    if two in _OF_MKL and _is_for_mkl(input) and _is_for_mkl(other):
        return RuntimeError(f"expected scalar type {two.scalar_type} but found {one.scalar_type}")
    return RuntimeError(single) if single else _two_dtypes("addmm_impl_cpu_", input, other)


_OF_MKL = (dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


def _is_for_mkl(batch: Tensor) -> bool:
    """Whether the rows or the columns of a batch are contiguous. Batches of more dimensions are copied beforehand."""
    if len(batch._size) != 3:
        return True
    (_, rows, columns), (_, down, along) = batch._size, batch._stride
    return (along == 1 and down >= columns) or (down == 1 and along >= rows)


def _two_dtypes(form: str, input: Tensor, other: Tensor) -> RuntimeError:
    """PyTorch's error for operands of two dtypes."""
    one, two = input._dtype, other._dtype
    a, b = one.scalar_type, two.scalar_type
    if form == "dot":
        return RuntimeError(f"dot : expected both vectors to have same dtype, but found {a} and {b}")
    if form == "addmv_impl_cpu":
        a, b = (b, a) if len(input._size) == 1 else (a, b)
        return RuntimeError(f"addmv input tensors must have the same dtype, but got {b}, {a}, and {b}")
    names = f"{dtypes.C_NAMES[one]} != {dtypes.C_NAMES[two]}"
    return RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names}")


@operator("linear algebra", out=True, differs="an `out` keeps its strides; PyTorch lays it out anew for some operands")
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product: of two vectors their inner product, of batches of matrices the product of each pair."""
    if out is not None and is_recorded((input, other, out)):
        raise no_out_with_gradients("matmul")
    if is_recorded((input, other)) and input._size and other._size:
        return _composed(input, other)
    return _multiply(input, other, out)


def _multiply(input: Tensor, other: Tensor, out: Tensor | None) -> Tensor:
    a, b = input._size, other._size
    if not a or not b:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D")
    inner = b[0] if len(b) == 1 else b[-2]
    if a[-1] != inner:
        if len(a) == len(b) == 1 and input._dtype is not other._dtype:
            raise _two_dtypes("dot", input, other)
        raise cannot_multiply(a, b)
    batch = geometry.broadcast_shapes(a[:-2], b[:-2])
    size = (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))
    result = _product(input, other, size, out)
    if out is None and (len(a), len(b)) == (1, 2):
        result._written()  # PyTorch multiplies matrices and removes a dimension in place
    return result


def _composed(input: Tensor, other: Tensor) -> Tensor:
    """The product by the operators that have derivatives: mm, mv, dot and bmm."""
    a, b = len(input._size), len(other._size)
    if (a, b) == (1, 1):
        return input.dot(other)
    if (a, b) == (2, 1):
        return input.mv(other)
    if (a, b) == (2, 2):
        return input.mm(other)
    if (a, b) == (1, 2):
        return _only_row(unsqueeze(input, 0).mm(other))
    if a == b == 3 and (input._size[0] == 1) != (other._size[0] == 1):  # a batch by a single matrix
        if input._size[0] == 1 and requires_grad(input):
            return _turned(squeeze(input, 0), other)
        if other._size[0] == 1 and requires_grad(other):
            return _composed(input, squeeze(other, 0))
    if a <= 2 and requires_grad(input):
        return _turned(input, other)
    if b > 2:
        return _batched(input, other)
    rows = reshape(input, (math.prod(input._size[:-1]), input._size[-1]))
    product = rows.mv(other) if b == 1 else rows.mm(other)
    return unsafe_view(product, (*input._size[:-1], *other._size[1:]))


@recorded
@derivative(node="SqueezeBackward4", input=lambda grad: grad.unsqueeze(0))
def _only_row(input: Tensor) -> Tensor:
    # No other tensor shares this matrix, so the row need not be a view of it.
    row = make(input._storage, input._size[1:], input._stride[1:], input._offset, input._dtype)
    row._written()
    return row


def _turned(input: Tensor, other: Tensor) -> Tensor:
    """A vector or matrix times a batch, computed as the transposed batch times the transposed matrix: one product
    instead of many."""
    batch = transpose(other, -2, -1)
    rows = reshape(batch, (math.prod(batch._size[:-1]), batch._size[-1]))
    if len(input._size) == 1:
        return unsafe_view(rows.mv(input), batch._size[:-1])
    product = unsafe_view(rows.mm(t(input)), (*batch._size[:-1], input._size[0]))
    return transpose(product, -2, -1).contiguous()


def _batched(input: Tensor, other: Tensor) -> Tensor:
    rows = input._size[-2:-1]
    batch = geometry.broadcast_shapes(input._size[:-2], other._size[:-2])
    matrices = [(input, (*(rows or (1,)), input._size[-1])), (other, other._size[-2:])]
    flat = [matrix.expand((*batch, *size)).reshape((math.prod(batch), *size)) for matrix, size in matrices]
    return unsafe_view(flat[0].bmm(flat[1]), (*batch, *rows, other._size[-1]))


def cannot_multiply(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """PyTorch's error for operands of these sizes."""
    notes = [
        f"The last dimension of the first, {a[-1]}, must equal the only one of the second, {b[0]}."
        if len(b) == 1
        else f"The last dimension of the first, {a[-1]}, must equal the second to last one of the second, {b[-2]}."
    ]
    if len(b) > 1 and b == (*a[:-2], a[-1]):
        notes.append("For one vector to each matrix, lend the vectors a dimension: (a @ b.unsqueeze(-1)).squeeze(-1).")
    elif len(b) > 1 and a[-1] == b[-1]:
        notes.append("Their last dimensions agree: did you mean a @ b.mT?")
    if len(a) == len(b) == 1:
        message = (
            f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of elements, "
            f"but got {a[0]} and {b[0]} elements respectively"
        )
    elif len(a) == 2 and len(b) == 1:
        message = f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})"
    elif max(len(a), len(b)) >= 3 and (len(a) == 2 or min(len(a), len(b)) >= 3):
        batch = math.prod(geometry.broadcast_shapes(a[:-2], b[:-2]))
        message = (
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {a[-1]}] but got: "
            f"[{batch}, {b[-2]}]."
        )
    else:
        if len(b) > max(len(a), 2):  # both are transposed
            a, b = (*b[:-2], b[-1], b[-2]), a[::-1]
        rows = math.prod(a[:-1])
        message = f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {'x'.join(map(str, b))})"
        if len(b) == 1:
            message = f"size mismatch, got input ({rows}), mat ({rows}x{a[-1]}), vec ({b[0]})"
    return explained(RuntimeError(message), *notes, notebook="2/10 Linear algebra and einsum")


@operator("linear algebra", out=True)
@derivative(
    input=lambda grad, mat2, input_stride: product_lying(input_stride, grad, conj(mat2.t())),
    mat2=lambda grad, input, mat2_stride: product_lying(mat2_stride, conj(input.t()), grad),
)
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices."""
    for name, matrix in (("self", input), ("mat2", mat2)):
        if len(matrix._size) != 2:
            raise RuntimeError(f"{name} must be a matrix")
    return _multiply(input, mat2, out)


@operator("linear algebra", out=True)
@derivative(input=lambda grad, vec: grad.outer(conj(vec)), vec=lambda grad, input: conj(input.t()).mv(grad))
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector."""
    geometry.wrap_dim(0, len(input._size), wrap_scalar=False)  # since it has rows
    if len(input._size) != 2 or len(vec._size) != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {len(input._size)}, {len(vec._size)}")
    return _multiply(input, vec, out)


@operator("linear algebra", out=True)
@derivative(
    input=lambda grad, mat2: grad.bmm(conj(mat2.transpose(1, 2))),
    mat2=lambda grad, input: conj(input.transpose(1, 2)).bmm(grad),
)
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two batches of matrices, pair by pair."""
    for name, batch in (("batch1", input), ("batch2", mat2)):
        if len(batch._size) != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if input._size[0] != mat2._size[0]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{input._size[0]}, {input._size[2]}] but "
            f"got: [{mat2._size[0]}, {mat2._size[1]}]."
        )
    return _multiply(input, mat2, out)


@operator("linear algebra", out=True)
@derivative(input=lambda grad, tensor: grad * conj(tensor), tensor=lambda grad, input: grad * conj(input))
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements."""
    if len(input._size) != 1 or len(tensor._size) != 1:
        raise RuntimeError(f"1D tensors expected, but got {len(input._size)}D and {len(tensor._size)}D tensors")
    if input._conj and tensor._conj and out is None:
        product = _multiply(conj(input), conj(tensor), None)
        product._conj = True  # it is conjugated when it is read
        return product
    return _multiply(input, tensor, out)


@operator("linear algebra", function=False, method=False, dunders=("__matmul__",))
def __matmul__(input: Tensor, other: Any) -> Any:
    """``input @ other``."""
    return matmul(input, other) if isinstance(other, Tensor) else dispatch_operator("__matmul__", input, other)


@operator("linear algebra", function=False, method=False, dunders=("__rmatmul__",))
def __rmatmul__(input: Tensor, other: Any) -> Any:
    """``other @ input``, where `other` does not know how."""
    return matmul(other, input) if isinstance(other, Tensor) else dispatch_operator("__rmatmul__", input, other)
