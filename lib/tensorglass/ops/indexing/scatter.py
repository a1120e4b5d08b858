"""Writing elements by position: scatter, scatter_add and scatter_reduce along one dimension, put among all elements.

Each is declared by its in-place form, which does the work; the out-of-place form clones first. Where positions repeat,
assigning keeps one of the values, adding adds them all. The gradient for the source is `gather` with the same index:
each element gets the gradient of the cell to which it went.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array, settings
from tensorglass.core import dtypes
from tensorglass.core.errors import explained, warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.creation.fill import ones_like, zeros_like
from tensorglass.ops.declare.run_pointwise import refuse_shared_cells
from tensorglass.ops.derivatives.shared import conj
from tensorglass.ops.indexing.advanced import POSITIONS
from tensorglass.ops.indexing.gather import check_linear, check_positions, places, places_in_row
from tensorglass.ops.indexing.index_add_copy_fill import declare_out_of_place, written_array, written_in_place
from tensorglass.ops.kernels.python_numbers import checked, number_array
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def node_of_scatter(src: Any, reduce: str | None) -> str:
    """PyTorch's name of the node of ``scatter``, which has no derivative where it reduces."""
    if reduce is not None:
        return "NotImplemented"
    return f"ScatterBackward{int(not isinstance(src, Tensor))}"


def of_scatter_for_input(grad: Tensor, dim: int, index: Tensor, reduce: str | None) -> Tensor:
    """The gradient of ``input.scatter(dim, index, src)`` for `input`: zero where it was overwritten."""
    _refuse_reduction(reduce)
    return grad.scatter(dim, index, 0)


def of_scatter_for_source(grad: Tensor, dim: int, index: Tensor, reduce: str | None) -> Tensor:
    """The gradient of ``input.scatter(dim, index, src)`` for `src`."""
    _refuse_reduction(reduce)
    return grad.gather(dim, index)


def _refuse_reduction(reduce: str | None) -> None:
    if reduce is not None:
        raise explained(
            RuntimeError("derivative for aten::scatter is not implemented"),
            "Write scatter_add or scatter_reduce, which have derivatives, instead of scatter with reduce=….",
        )


def for_input(
    grad: Tensor, input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Tensor:
    """The gradient of ``input.scatter_reduce(dim, index, src, reduce)`` for `input`."""
    if reduce == "mean":
        grad = grad / _counts(grad, dim, index, src, include_self)
    elif reduce == "prod":
        factors = input.masked_fill(input == 0, 1)
        others = factors.scatter_reduce(dim, index, src, reduce, include_self=include_self)
        grad = grad * conj(others / factors)
    elif reduce != "sum":
        grad = _shared(grad, input, dim, index, src, result) * (input == result)
    return grad if include_self else grad.scatter(dim, index, 0)


def for_source(
    grad: Tensor, input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Tensor:
    """The gradient of ``input.scatter_reduce(dim, index, src, reduce)`` for `src`."""
    if reduce == "mean":
        grad = grad / _counts(grad, dim, index, src, include_self)
    elif reduce == "prod":
        return _of_factors(grad, input, dim, index, src, include_self, result)
    elif reduce != "sum":
        return _shared(grad, input, dim, index, src, result).gather(dim, index) * (src == result.gather(dim, index))
    return grad.gather(dim, index)


def _counts(grad: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool) -> Tensor:
    """How many elements went to each cell, at least 1."""
    start = ones_like(grad.detach()) if include_self else zeros_like(grad.detach())
    counts = start.scatter_add(dim, index, ones_like(src.detach()))
    return counts.masked_fill(counts == 0, 1)


def _shared(grad: Tensor, input: Tensor, dim: int, index: Tensor, src: Tensor, result: Tensor) -> Tensor:
    """A cell's gradient, divided equally among all elements that equal its result."""
    own = (input == result).to(grad.dtype)
    given = (src == result.gather(dim, index)).to(grad.dtype)
    return grad / own.scatter_add(dim, index, given)


def _of_factors(
    grad: Tensor, input: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool, result: Tensor
) -> Tensor:
    """For each factor the product of all others; a factor of 0 counts unless it is the only one in its cell.

    If several zeros share a cell, the second derivative would be wrong, so it raises.
    """
    is_zero = src == 0
    zeros = zeros_like(input.detach()).scatter_add(dim, index, is_zero.to(input.dtype)).gather(dim, index)
    is_only_zero = is_zero & (zeros == 1)
    others = input.scatter_reduce(dim, index, src.masked_fill(is_only_zero, 1), "prod", include_self=include_self)
    plain = (grad * conj(result)).gather(dim, index) / conj(src.masked_fill(is_zero, 1))
    alone = (grad * conj(others)).gather(dim, index)
    gradient = plain.masked_fill(is_only_zero, 0) + alone.masked_fill(~is_only_zero, 0)
    return differentiable_once(gradient) if bool((zeros.abs() > 1).any()) else gradient


def _refuse_second(grad: Tensor) -> Tensor:
    raise RuntimeError(
        "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
        "position in self"
    )


@recorded
@derivative(node="Error", input=_refuse_second)
def differentiable_once(input: Tensor) -> Tensor:
    """The tensor, with a node that refuses to be differentiated."""
    return input.clone()


_NOTEBOOK = "1/04 Advanced indexing copies"


# --- kernels ---------------------------------------------------------------------------------------------------------
# Each writes `source` into `target` at `key`, a full index. `include_self` says whether the old elements count.


def _set_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    target[key] = source


def add_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    if not include_self:
        target[key] = 0
    xp.add.at(target, key, source)


def multiply_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    if not include_self:
        target[key] = 1
    xp.multiply.at(target, key, source)


def max_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    if not include_self:
        target[key] = source  # the initial value may be any of the values for the cell
    xp.maximum.at(target, key, source)


def min_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    if not include_self:
        target[key] = source
    xp.minimum.at(target, key, source)


def mean_places(xp: Any, target: Array, key: Any, source: Array, include_self: bool) -> None:
    counts = xp.full(target.shape, 1, "int64")
    if not include_self:
        counts[key] = 0
    add_places(xp, target, key, source, include_self)
    xp.add.at(counts, key, 1)
    counts = xp.maximum(counts, 1)
    target[...] = target // counts if target.dtype.kind in "iu" else target / counts


def _at_places(
    xp: Any, target: Array, index: Array, source: Array, axis: int, kernel: Callable[..., None], include_self: bool
) -> None:
    """Let `kernel` write `source` to the positions `index` along `axis`, elsewhere each element at its own place."""
    if target.flags.c_contiguous:
        place = places_in_row(xp, index, axis, target.shape).reshape(-1)
        kernel(xp, target.reshape(-1), place, source.reshape(-1), include_self)
    else:
        kernel(xp, target, places(xp, index, axis), source, include_self)


# --- scatter ---------------------------------------------------------------------------------------------------------


@derivative(
    node=node_of_scatter,
    input=of_scatter_for_input,
    src=of_scatter_for_source,
)
def _scatter_(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    given = value if src is None else src
    if isinstance(given, Tensor) and reduce in ("add", "multiply"):
        warn(
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
            "PyTorch release. Use torch.scatter_reduce instead for more reduction options."
        )
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    kernel = {None: _set_places, "add": add_places, "multiply": multiply_places}[reduce]
    if isinstance(given, Tensor):
        return _scattered(input, dim, index, given, kernel)
    number = checked(given, input._dtype) if index.numel() else 0
    element = number_array(input._backend, number, input._dtype)
    filled = from_array(element, input._dtype, input._storage).expand(index._size)
    return _scattered(input, dim, index, filled, kernel, of_number=True)


@derivative(input=lambda grad: grad, src=lambda grad, dim, index: grad.gather(dim, index))
def _scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    check_tensor("scatter_add_", src, "src", 3)
    return _scattered(input, dim, index, src, add_places)


@derivative(real_only="scatter_reduce", input=for_input, src=for_source)
def _scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
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
    return _scattered(input, dim, index, src, kernels[reduce], include_self=include_self)


def _scattered(
    input: Tensor, dim: int, index: Tensor, src: Tensor, kernel: Callable[..., None], *, include_self: bool = True,
    of_number: bool = False,
) -> Tensor:  # fmt: skip
    dim = geometry.wrap_dim(dim, len(input._size))
    if index.numel() and index._dtype not in POSITIONS:
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
    chosen = array_of(index).reshape(index._size or (1,))
    source = written_array(src, input).reshape(src._size or (1,))[tuple([slice(n) for n in chosen.shape])]
    return written_in_place(input, _at_places, chosen, source, dim, kernel, include_self)


def _check_scatter_sizes(input: Tensor, dim: int, index: Tensor, src: Tensor, of_number: bool) -> None:
    own, chosen, given = input._size or (1,), index._size or (1,), src._size or (1,)
    if len(chosen) != len(own):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    beside = any(n > most for axis, (n, most) in enumerate(zip(chosen, own, strict=True)) if axis != dim)
    if len(chosen) != len(given):
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
    return written_in_place(input, _put_in_row, array_of(index), written_array(source, input), accumulate)


def _put_in_row(xp: Any, target: Array, index: Array, source: Array, accumulate: bool) -> None:
    """Write `source` to the positions `index`, counted through all elements, or add it to what is there."""
    if not target.size:
        return
    key = index.reshape(-1)
    if target.flags.c_contiguous:
        target = target.reshape(-1)
    else:
        key = xp.unravel_index(key % target.size, target.shape)
    if accumulate:
        xp.add.at(target, key, source.reshape(-1))
    else:
        target[key] = source.reshape(-1)


declare_out_of_place(_scatter_, "A copy with `src`, or `value`, where `index` says along `dim`.",
         "(Tensor input, int dim, Tensor index, Tensor src, *, Tensor out = None)",
         "(Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)",
         "(Tensor input, int dim, Tensor index, Number value, *, Tensor out = None)",
         "(Tensor input, int dim, Tensor index, Number value, *, str reduce, Tensor out = None)")  # fmt: skip
declare_out_of_place(_scatter_add_, "A copy with `src` added where `index` says along `dim`.")
declare_out_of_place(
    _scatter_reduce_, "A copy with the elements of `src` combined, by `reduce`, where `index` says along `dim`."
)
declare_out_of_place(
    _put_, "A copy with the elements of `source` at positions `index`, counted through all elements.", out=False
)
