"""Writing elements by position: scatter, scatter_add and scatter_reduce along one dimension, put among all elements.

Each is declared with its in-place form, which does the work, and a form that does it to a copy. The one idea to keep in
mind: where positions repeat, assigning keeps one of the values, adding adds them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.core.errors import explained, warn
from tensorglass.graph.derivative import derivative
from tensorglass.memory import settings
from tensorglass.ops.arg_parser import missing_dtypes as unsigned
from tensorglass.ops.arg_parser.checks import check_tensor, invalid_combination
from tensorglass.ops.arg_parser.missing_dtypes import refuse_unwritten
from tensorglass.ops.declare.overlap_checks import refuse_shared_cells
from tensorglass.ops.indexing import advanced as advanced_indexing
from tensorglass.ops.indexing import scatter_backward as scatter_gradient
from tensorglass.ops.indexing.gather import check_linear, check_positions
from tensorglass.ops.indexing.out_of_place import declare_out_of_place, write, written_array
from tensorglass.ops.indexing.samples import scatter_samples
from tensorglass.ops.indexing.scatter_kernels import (
    add_places,
    at_places,
    max_places,
    mean_places,
    min_places,
    multiply_places,
    put_in_row,
    set_places,
)
from tensorglass.ops.kernels.python_numbers import checked, number_array
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

_NOTEBOOK = "04 advanced indexing copies"


@derivative(
    node=scatter_gradient.node_of_scatter,
    input=scatter_gradient.of_scatter_for_input,
    src=scatter_gradient.of_scatter_for_source,
)
def _scatter_(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    given = value if src is None else src
    check_tensor("scatter_", index, "index", 2)
    if isinstance(given, Tensor) and reduce in ("add", "multiply"):
        warn(
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
            "PyTorch release. Use torch.scatter_reduce instead for more reduction options."
        )
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    kernel = {None: set_places, "add": add_places, "multiply": multiply_places}[reduce]
    if isinstance(given, Tensor):
        return _scattered(input, dim, index, given, kernel)
    if not isinstance(given, int | float | complex):
        raise invalid_combination(
            "scatter_",
            (dim, index, given),
            "(int dim, Tensor index, Tensor src)",
            "(int dim, Tensor index, Number value)",
        )
    number = checked(given, input._dtype) if index.numel() else 0
    element = number_array(input._backend, number, input._dtype)
    if index.numel():
        refuse_unwritten("scatter_gather_scalar_cpu", input._dtype)
    filled = from_array(element, input._dtype, input._storage).expand(index._size)
    return _scattered(input, dim, index, filled, kernel, of_number=True)


@derivative(input=lambda grad: grad, src=lambda grad, dim, index: grad.gather(dim, index))
def _scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    check_tensor("scatter_add_", index, "index", 2)
    check_tensor("scatter_add_", src, "src", 3)
    return _scattered(input, dim, index, src, add_places)


@derivative(real_only="scatter_reduce", input=scatter_gradient.for_input, src=scatter_gradient.for_source)
def _scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    check_tensor("scatter_reduce_", index, "index", 2)
    check_tensor("scatter_reduce_", src, "src", 3)
    kernels = {
        "sum": add_places, "prod": multiply_places, "mean": mean_places, "amax": max_places, "max": max_places,
        "amin": min_places, "min": min_places,
    }  # fmt: skip
    if reduce not in kernels:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    has_order, is_bool = not input._dtype.is_complex, input._dtype is dtypes.bool
    if index.numel() and ((reduce == "mean" and is_bool) or (not has_order and reduce not in ("sum", "prod", "mean"))):
        name = {"max": "amax", "min": "amin"}.get(reduce, reduce)
        raise NotImplementedError(
            f"\"scatter_gather_tensor_cpu_reduce_{name}\" not implemented for '{input._dtype.scalar_type}'"
        )
    if index.numel():
        refuse_unwritten(unsigned.scattering(reduce, include_self), input._dtype)
    return _scattered(input, dim, index, src, kernels[reduce], include_self=include_self)


def _scattered(
    input: Tensor, dim: int, index: Tensor, src: Tensor, kernel: Callable[..., None], *, include_self: bool = True,
    of_number: bool = False,
) -> Tensor:  # fmt: skip
    dim = geometry.wrap_dim(dim, len(input._size))
    if index.numel() and index._dtype not in advanced_indexing.POSITIONS:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    if input._dtype is not src._dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.numel():
        _check_scatter_sizes(input, dim, index, src, of_number)
    if of_number:
        refuse_shared_cells(input, index)
    else:
        refuse_shared_cells(input, index, src)
    if not index.numel():
        input._written()
        return input
    size = input._size or (1,)
    message = f"index {{}} is out of bounds for dimension {dim} with size {size[dim]}"
    check_positions(index, size[dim], dim, message, RuntimeError)
    refuse_unwritten("scatter_gather_tensor_cpu", input._dtype)
    chosen = array_of(index).reshape(index._size or (1,))
    source = written_array(src, input).reshape(src._size or (1,))[tuple([slice(n) for n in chosen.shape])]
    return write(input, at_places, chosen, source, dim, kernel, include_self)


def _check_scatter_sizes(input: Tensor, dim: int, index: Tensor, src: Tensor, of_number: bool) -> None:
    own, chosen, given = input._size or (1,), index._size or (1,), src._size or (1,)
    if len(chosen) != len(own):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    beside = any(n > most for each, (n, most) in enumerate(zip(chosen, own, strict=True)) if each != dim)
    if len(chosen) != len(given):
        ndim = len(src._size)
        if 0 < ndim < len(own) and not beside and all(n <= most for n, most in zip(chosen, given, strict=False)):
            geometry.wrap_dim(ndim, ndim)  # sic: src is asked for a dimension that it has not
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if beside or any(n > most for n, most in zip(chosen, given, strict=True)):
        sizes = f"index {list(index._size)} to be no larger than self {list(input._size)}"
        message = f"Expected {sizes} apart from dimension {dim}"
        raise explained(
            RuntimeError(message if of_number else f"{message} and to be no larger size than src {[*src._size]}"),
            "Element [i, j] of src goes where index[i, j] says: every element of index needs one of src.",
            notebook=_NOTEBOOK,
        )


@derivative(
    input=lambda grad, index, source, accumulate: grad if accumulate else grad.put(index, grad.new_zeros(source._size)),
    source=lambda grad, index, source: grad.take(index).reshape(source._size),
)
def _put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    if not accumulate:
        settings.not_deterministic("put_")
    check_tensor("put_", index, "index", 1)
    check_tensor("put_", source, "source", 2)
    if index._dtype is not dtypes.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index._dtype.scalar_type}")
    if input._dtype is not source._dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{input._dtype.scalar_type} and source.dtype = {source._dtype.scalar_type}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    refuse_shared_cells(input, index, source)
    if not input.numel() and index.numel():
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    check_linear(input, index)
    if index.numel():
        refuse_unwritten("take_put_cpu", input._dtype)
    return write(input, put_in_row, array_of(index), written_array(source, input), accumulate)


declare_out_of_place(_scatter_, "A copy with `src`, or `value`, where `index` says along `dim`.",
         "(Tensor input, int dim, Tensor index, Tensor src, *, Tensor out = None)",
         "(Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)",
         "(Tensor input, int dim, Tensor index, Number value, *, Tensor out = None)",
         "(Tensor input, int dim, Tensor index, Number value, *, str reduce, Tensor out = None)",
         samples=scatter_samples)  # fmt: skip
declare_out_of_place(_scatter_add_, "A copy with `src` added where `index` says along `dim`.", samples=scatter_samples)
declare_out_of_place(
    _scatter_reduce_, "A copy with the elements of `src` combined, by `reduce`, where `index` says along `dim`."
)
declare_out_of_place(
    _put_, "A copy with the elements of `source` at positions `index`, counted through all elements.", out=False
)
