"""Writing slices by position along one dimension: index_add, index_copy, index_fill; and index_put.

Each is declared by its in-place form, which does the work; the out-of-place form clones first. Where positions repeat,
assigning keeps one of the values, adding adds them all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.core.memory_format import contiguous_format, preserve_format
from tensorglass.graph.derivative import derivative, derivative_of
from tensorglass.ops.arg_parser.checks import type_name
from tensorglass.ops.copies.copy import clone
from tensorglass.ops.copies.out import written_apart
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_partly_written, refuse_read_cells, refuse_shared_cells
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.derivatives.shared import scaled
from tensorglass.ops.indexing.advanced import POSITIONS, index_of_tensor, warn_if_expanded, write_advanced
from tensorglass.ops.indexing.gather import check_positions
from tensorglass.ops.kernels.positions import add_at
from tensorglass.ops.kernels.python_numbers import checked, number_array
from tensorglass.tensor.tensor import Tensor, array_of, raw_array

_NOTEBOOK = "1/04 Advanced indexing copies"


# --- out of place ----------------------------------------------------------------------------------------------------


def declare_out_of_place(
    in_place: Callable[..., Tensor],
    summary: str,
    *signatures: str,
    out: bool = True,
) -> None:
    """Declare an operator by its in-place form `name_`: the function and method `name` does it to a copy."""
    name = in_place.__name__.removesuffix("_").removeprefix("_")
    laid_out = contiguous_format if out else preserve_format  # PyTorch allocates the result of those that take `out`

    def out_of_place(input: Tensor, *arguments: Any, out: Tensor | None = None, **keywords: Any) -> Tensor:
        check_out_dtype(out, input._dtype)
        result = in_place(clone(input, memory_format=laid_out), *arguments, **keywords)
        if out is None:
            result._storage.version = 0
            return result
        refuse_partly_written(out, result._size, (input,))
        given = (*arguments, *keywords.values())
        return written_apart(out, result, *[tensor for tensor in given if isinstance(tensor, Tensor)])

    out_of_place.__name__ = out_of_place.__qualname__ = name
    out_of_place.__doc__ = summary
    out_of_place.__module__ = in_place.__module__
    given = list(inspect.signature(in_place).parameters.values())
    out_keyword = [inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None")]
    out_of_place.__signature__ = inspect.Signature(given + out_keyword * out)  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
    vars(out_of_place)["looked_at_as"] = in_place  # see `arg_parser.bool_arguments`
    derivative = derivative_of(in_place)
    if derivative is not None:
        vars(out_of_place)["derivative"] = derivative
    in_place.__name__ = in_place.__qualname__ = f"{name}_"
    declared = operator("indexing", inplace=in_place, out=out, signatures=signatures)
    declared(out_of_place)


def written_in_place(target: Tensor, kernel: Callable[..., None], *arrays: Any) -> Tensor:
    """Run a kernel that writes into `target`, and count the write."""
    target._backend.launch(kernel, raw_array(target).reshape(target._size or (1,)), *arrays)
    target._written()
    return target


def written_array(source: Tensor, target: Tensor) -> Array:
    """The elements of `source` as the memory of `target` holds them: converted, and conjugated if it is a conjugated
    view."""
    array = array_of(source)
    return array.conj() if target._conj else array


# --- index_add, index_copy, index_fill, index_put --------------------------------------------------------------------


def check_slices(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """Raise unless `source` has a slice along `dim` for each element of `index`, as large as those of `input`."""
    if len(index._size) > 1:
        raise IndexError(
            f"{name}: Index is supposed to be a vector, but got dim: {len(index._size)} with type: "
            f"{index._dtype.scalar_type} and size: {list(index._size)}"
        )
    if index._dtype not in POSITIONS:
        raise RuntimeError(f"{name}: Expected dtype int32/int64 for index but got: {index._dtype.scalar_type}")
    if input._dtype is not source._dtype:
        raise RuntimeError(
            f"{name}: self ({input._dtype.scalar_type}) and source ({source._dtype.scalar_type}) must have the same "
            "scalar type"
        )
    if dim and dim >= len(source._size):
        raise RuntimeError(
            f"{name}: Indexing dim {dim} is out of bounds of the source tensor with dim {len(source._size)}"
        )
    own = source._size[dim] if source._size else 1
    if own != index.numel():
        raise RuntimeError(
            f"{name}: Number of indices ({index.numel()}) should be equal to source.size(dim): ({own}), for dim: {dim}"
        )
    rest = [size[:dim] + size[dim + 1 :] for size in (input._size, source._size)]
    if rest[0] != rest[1] or len(input._size) != len(source._size):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(input._size)} source.shape = {list(source._size)}"
        )


@derivative(
    input=lambda grad: grad,
    source=lambda grad, dim, index, alpha, source: scaled(grad.index_select(dim, index).reshape(source._size), alpha),
)
def _index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: complex = 1) -> Tensor:
    dim = geometry.wrap_dim(dim, len(input._size))
    check_slices("index_add_()", input, dim, index, source)
    refuse_shared_cells(input, index, source)
    length = input._size[dim] if input._size else 1
    message = f"index {{}} is out of bounds for dimension {dim} with size {length}"
    error: type[Exception] = RuntimeError
    # PyTorch calls `scatter_add_` here, which has its own message for an index out of range
    at_an_end = dim in (0, len(input._size) - 1) and index._dtype is dtypes.int64 and alpha == 1
    if len(input._size) <= 1 or not at_an_end:
        message, error = "index out of range in self", IndexError
    check_positions(index, length, dim, message, error)
    factor: Any = alpha
    if input._dtype.category < dtypes.FLOATING:
        factor = number_array(input._backend, checked(alpha, input._dtype), input._dtype)
    return written_in_place(input, _add_slices, array_of(index).reshape(-1), written_array(source, input), dim, factor)


def _add_slices(xp: Any, target: Array, index: Array, source: Array, axis: int, factor: Any) -> None:
    """Add the slices of `source`, times `factor`, to those of `target` at positions `index` along `axis`."""
    values = source.reshape(source.shape or (1,))
    if factor != 1:
        values = (values * factor).astype(target.dtype)
    add_at(xp, target, axis, (index,), values)


@derivative(
    input=lambda grad, dim, index: grad.index_fill(dim, index, 0),
    source=lambda grad, dim, index, source: grad.index_select(dim, index).reshape(source._size),
)
def _index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    dim = geometry.wrap_dim(dim, len(input._size))
    refuse_shared_cells(input, index, source)
    name, count = "index_copy_()", index.numel()
    if len(index._size) > 1:
        raise IndexError(f"{name}: Index should have dimension 1 or 0 (got {len(index._size)})")
    if not source._size and count != 1:
        raise IndexError(f"{name}: When source is scalar, index should have one element (got {count})")
    if source._size and input._size and len(source._size) != len(input._size):
        raise IndexError(
            f"{name}: When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({len(source._size)}), destination dimensionality ({len(input._size)})"
        )
    if index._dtype is not dtypes.int64:
        raise RuntimeError(f"{name}: Expected a long tensor for index, but got {index._dtype.scalar_type}")
    if input._dtype is not source._dtype:
        raise RuntimeError(
            f"{name}: self and source expected to have the same dtype, but got (self) {input._dtype.scalar_type} and "
            f"(source) {source._dtype.scalar_type}"
        )
    slices = [size[:dim] + size[dim + 1 :] for size in (input._size, source._size)]
    if slices[0] != slices[1]:
        raise RuntimeError(
            f"{name}: Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, slices[0]))} at dimension {dim} and source slice shape: "
            f"{' '.join(map(str, slices[1]))} at dimension {dim if dim < len(source._size) and not dim else 0}."
        )
    if source._size and source._size[dim] != count:
        raise IndexError(
            f"{name}: Number of indices ({count}) should be equal to source.size(dim) ({source._size[dim]})"
        )
    length = input._size[dim] if input._size else 1
    message = f"{name}: index {{}} is out of bounds for dimension {dim} with size {length}"
    check_positions(index, length, dim, message, IndexError)
    return written_in_place(input, _set_slices, array_of(index).reshape(-1), written_array(source, input), dim)


def _set_slices(xp: Any, target: Array, index: Array, source: Array, axis: int) -> None:
    target[(slice(None),) * axis + (index,)] = source


@derivative(
    node=lambda value: f"IndexFillBackward{int(isinstance(value, Tensor))}",
    input=lambda grad, dim, index: grad.index_fill(dim, index, 0),
    value=lambda grad, dim, index: grad.index_select(dim, index.unique()).sum(),  # a slice is filled once
)
def _index_fill_(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        if value._size:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{len(value._size)} dimension(s)."
            )
        value = 0 if value.is_meta else value.item()
    if index._dtype is not dtypes.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    dim = geometry.wrap_dim(dim, len(input._size))
    if len(index._size) > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if isinstance(value, complex) and not input._dtype.is_complex:
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    warn_if_expanded("index_fill_", input, "tensor[mask] = scalar")
    refuse_read_cells(input, index)
    number = checked(value, input._dtype)
    if not index.numel():
        input._written()
        return input
    length = input._size[dim] if input._size else 1
    message = f"index {{}} is out of bounds for dimension {dim} with size {length}"
    check_positions(index, length, dim, message, IndexError, negative=True)
    element = number_array(input._backend, number, input._dtype)
    return written_in_place(input, _set_slices, array_of(index).reshape(-1), element, dim)


@derivative(
    input=lambda grad, indices, accumulate, values_size: (
        grad if accumulate else grad.index_put(indices, grad.new_zeros(()).expand(values_size))
    ),
    values=lambda grad, indices: grad[tuple(indices)],
)
def _index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    if not isinstance(indices, tuple | list):
        raise TypeError(
            f"index_put_(): argument 'indices' (position 1) must be tuple of Tensors, not {type_name(indices)}"
        )
    for number, index in enumerate(indices):
        if not isinstance(index, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 0, but got {type_name(index)}")
    if not indices:
        raise RuntimeError("index_put_(): at least one index is needed")
    if len(indices) > len(input._size):
        raise explained(
            IndexError(f"too many indices for tensor of dimension {len(input._size)} (got {len(indices)})"),
            notebook=_NOTEBOOK,
        )
    chosen = [index_of_tensor(index) for index in indices]
    write_advanced(input, chosen, values, accumulate)
    return input


declare_out_of_place(
    _index_add_,
    "A copy with the slices of `source`, times `alpha`, added at `index` of `dim`.",
)
declare_out_of_place(_index_copy_, "A copy with the slices of `source` at positions `index` of `dim`.")
declare_out_of_place(
    _index_fill_,
    "A copy with `value` at positions `index` of `dim`.",
    "(Tensor input, int dim, Tensor index, Tensor value)",
    "(Tensor input, int dim, Tensor index, Number value)",
    out=False,
)
declare_out_of_place(_index_put_, "A copy with `values` written, or added, where the tensors `indices` say.", out=False)
