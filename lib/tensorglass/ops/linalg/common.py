"""What operators on matrices share: checks, calls of LAPACK, and the memory layout of results.

LAPACK works by columns, so PyTorch's matrices come out with the column as the inner
dimension, strides (1, rows). A kernel returns such a result transposed, and `from_column_major` turns the header.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array, has_linalg, linalg
from tensorglass.core import dtypes
from tensorglass.core.errors import LinAlgError, explained
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, array_of

# --- checks ----------------------------------------------------------------------------------------------------------


def check_matrices(name: str, A: Tensor, argument: str = "A") -> None:
    """Raise unless `A` is a matrix or a batch of them."""
    if len(A._size) < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def check_square(name: str, A: Tensor) -> None:
    """Raise unless `A` is a square matrix or a batch of them."""
    check_matrices(name, A)
    if A._size[-1] != A._size[-2]:
        raise explained(
            RuntimeError(
                f"{name}: A must be batches of square matrices, but they are {A._size[-2]} by {A._size[-1]} matrices"
            ),
            "The last two dimensions are the matrix; all before them are the batch.",
        )


def check_floating(name: str, A: Tensor, *, halves: bool = True) -> None:
    """Raise unless `A` is of a floating-point or complex dtype; of 32 bits at least, unless `halves`."""
    if A._dtype.category < dtypes.FLOATING:
        raise explained(
            RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {A._dtype.scalar_type}"),
            "Convert it first: x.float().",
        )
    if not halves and A._dtype.itemsize == 2:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {A._dtype.scalar_type}")


def check_same_dtype(name: str, **operands: Tensor) -> None:
    """Raise unless two operands, given by their names in PyTorch's message, have one dtype."""
    (one, first), (two, second) = operands.items()
    if first._dtype is not second._dtype:
        raise RuntimeError(
            f"{name}: Expected {one} and {two} to have the same dtype, but found {one} of type "
            f"{first._dtype.scalar_type} and {two} of type {second._dtype.scalar_type} instead"
        )


def check_equation(name: str, A: Tensor, size: tuple[int, ...], left: bool) -> None:
    """Raise unless matrices of this size can be the right-hand side of ``A @ X == B``, or of ``X @ A == B``."""
    if size[-2 if left else -1] != A._size[-1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({A._size[-2]}x{A._size[-1]} and {size[-2]}x{size[-1]})"
        )


def check_kernel(kernel: str, A: Tensor, *, even_empty: bool = False) -> None:
    """Raise for half types and integers, for which PyTorch has no such kernel; without elements only if
    `even_empty`."""
    if (even_empty or A.numel()) and (A._dtype.category < dtypes.FLOATING or A._dtype.itemsize == 2):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{A._dtype.scalar_type}'")


def refuse_failure(name: str, info: Tensor, text: str, error: type[Exception] = LinAlgError) -> None:
    """Raise the error of the first matrix for which `info` is not 0; `text` has {0} in place of that number."""
    if info.is_meta:
        return
    for place, failure in enumerate(info.reshape(-1).tolist()):
        if failure:
            where = f"(Batch element {place}): " if info._size else ""
            raise error(f"{name}: {where}{text.format(failure)}")


def svd_kernel(xp: Any, A: Array, full_matrices: bool = False, vectors: bool = True) -> Any:
    """In a kernel: the singular value decomposition, refused in PyTorch's words where it does not converge."""
    try:
        return xp.linalg.svd(A, full_matrices, compute_uv=vectors)
    except xp.linalg.LinAlgError:
        is_bad = (~xp.isfinite(A)).any(axis=(-2, -1)).reshape(-1)
        where = f"(Batch element {int(is_bad.argmax())}): " if A.ndim > 2 else ""
        raise LinAlgError(
            f"linalg.svd: {where}The algorithm failed to converge because the input matrix contained non-finite values."
        ) from None


# --- LAPACK ----------------------------------------------------------------------------------------------------------

_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


def routine(xp: Any, name: str, array: Array) -> Any:
    """In a kernel: the routine `name` of LAPACK, or `trsm` of BLAS, for the dtype of `array`."""
    routines = linalg(xp)
    return getattr(routines.blas if name == "trsm" else routines.lapack, _LETTERS[array.dtype.char] + name)


def takes_lapack(xp: Any, matrices: Array) -> bool:
    """In a kernel: whether LAPACK, which goes matrix by matrix, is there and quicker than NumPy on the whole batch."""
    count, rows = matrices.shape[:2]
    return has_linalg(xp) and (rows > 16 or count <= 8 * rows)


def flattened(array: Array, ndim: int = 2) -> Array:
    """In a kernel: the matrices, or vectors if `ndim` is 1, of a batch of any number of dimensions in one row."""
    inner = array.shape[array.ndim - ndim :]
    return array.reshape((math.prod(array.shape[: array.ndim - ndim]), *inner))


# --- memory layout of results ----------------------------------------------------------------------------------------


def column_major(xp: Any, array: Array, dtype: Any = None) -> Array:
    """In a kernel: matrices as `from_column_major` takes them, transposed and without gaps."""
    return xp.ascontiguousarray(xp.swapaxes(array, -1, -2), array.dtype if dtype is None else dtype)


def from_column_major(array: Array, dtype: dtypes.dtype, like: UntypedStorage) -> Tensor:
    """The tensor of a kernel's matrices, which come transposed: each of its columns lies without gaps."""
    *batch, columns, rows = array.shape
    *outer, column, row = geometry.contiguous_strides(array.shape)
    size, stride = (*batch, rows, columns), (*outer, row, column)
    flat = geometry.is_contiguous(size, stride)
    return result_tensor(array.swapaxes(-1, -2), dtype, like.backend, like.device, size, stride, flat)


def from_row_major(array: Array, dtype: dtypes.dtype, like: UntypedStorage) -> Tensor:
    """The tensor of a kernel's answer that has no matrices in it: vectors, numbers."""
    array = like.backend.xp.ascontiguousarray(array).reshape(array.shape)
    return result_tensor(array, dtype, like.backend, like.device, array.shape, geometry.contiguous_strides(array.shape))


def launch(kernel: Callable[..., Any], *tensors: Tensor, **parameters: Any) -> Any:
    """Run a kernel on the device of the first tensor."""
    backend = tensors[0]._storage.backend
    arrays = [array_of(tensor) for tensor in tensors]
    own = arrays[0].dtype
    if own.kind not in "fc" or own.itemsize < 4:  # a tensor of a half type without elements: others were refused
        answers = backend.launch(kernel, *[array.astype("float32") for array in arrays], **parameters)
        several = answers if isinstance(answers, tuple) else (answers,)
        converted = [array.astype(own) if array.dtype == "float32" else array for array in several]
        return converted if several is answers else converted[0]
    return backend.launch(kernel, *arrays, **parameters)
