"""Reading by position along one dimension: index_select, gather, take.

`index_select` takes whole slices, `gather` one element for each element of the index, and `take` counts through all
elements as though they stood in one row.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry, memory
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.ops.copies.out import written_apart
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_partly_written
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.indexing.advanced import POSITIONS
from tensorglass.ops.kernels.positions import first_outside
from tensorglass.ops.pointwise.arithmetic import remainder
from tensorglass.ops.views.shape import expand, view
from tensorglass.tensor.construct import empty_on, from_array
from tensorglass.tensor.tensor import Tensor, array_of

_NOTEBOOK = "1/04 Advanced indexing copies"


def check_positions(
    index: Tensor, length: int, dim: int, message: str, error: type[Exception], *, negative: bool = False
) -> None:
    """Raise `error` with `message`, in which {} is the position, unless all of `index` are positions of `dim`."""
    if not index.numel():
        return
    array = array_of(index)
    bad = index._backend.launch(first_outside, array, length, -length if negative else 0)
    if bad is not None:
        raise explained(
            error(message.format(bad)),
            f"Dimension {dim} has positions 0 to {length - 1}"
            + (f", or from the end, -1 to {-length}." if negative else "; this operator does not count from the end.")
            + " All positions are checked before the first is read or written.",
            notebook=_NOTEBOOK,
        )


def result(
    array: Array, like: Tensor, size: tuple[int, ...], out: Tensor | None, index: Tensor | None = None
) -> Tensor:
    """A kernel's result as a new tensor, or written to `out`, which must not overlap `like` and `index`."""
    xp = like._backend.xp
    answer = from_array(xp.ascontiguousarray(array).reshape(size), like._dtype, like._storage)
    memory.copied(answer.nbytes)
    return answer if out is None else written_apart(out, answer, like, *(() if index is None else (index,)))


@operator("indexing", out=True)
@derivative(input=lambda grad, input_size, dim, index: grad.new_zeros(input_size).index_add(dim, index, grad))
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices of `input` at the positions `index`, a vector, of dimension `dim`: a copy."""
    dim = geometry.wrap_dim(dim, len(input._size))
    if len(index._size) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index._dtype not in POSITIONS:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if out is not None and out._dtype is not input._dtype:
        raise RuntimeError("index_select(): self and result must have the same scalar type")
    if not input._size and index.numel() != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)")
    size = input._size or (1,)
    if len(size) > 1 and size[dim] == 0 and index.numel():
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if len(input._size) > 1 and (dim == 1 or not input.numel()):
        message: tuple[str, type[Exception]] = (
            f"INDICES element is out of DATA bounds, id={{}} axis_dim={size[dim]}", RuntimeError)  # fmt: skip
    else:
        message = ("index out of range in self", IndexError)
    check_positions(index, size[dim], dim, *message)
    wanted = (*size[:dim], index.numel(), *size[dim + 1 :]) if input._size else ()
    array = input._backend.launch(_take_positions, array_of(input).reshape(size), array_of(index).reshape(-1), dim)
    return result(array, input, wanted, out, index)


def _take_positions(xp: Any, source: Array, index: Array, axis: int) -> Array:
    return xp.take(source, index, axis)


@operator("indexing", out=True)
@derivative(input=lambda grad, input, dim, index: grad.new_zeros(input._size).scatter_add(dim, index, grad))
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None) -> Tensor:
    """For each element of `index`, the element of `input` at the same place, except that its position along `dim` is
    the index."""
    dim = geometry.wrap_dim(dim, len(input._size))
    check_out_dtype(out, input._dtype)
    if index.numel():
        if index._dtype not in POSITIONS:
            raise RuntimeError("gather(): Expected dtype int32/int64 for index")
        _check_sizes(input, dim, index)
    size = input._size or (1,)
    check_positions(
        index, size[dim], dim, f"index {{}} is out of bounds for dimension {dim} with size {size[dim]}", RuntimeError
    )
    if out is not None:
        refuse_partly_written(out, index._size, (index,))
    if not index.numel():
        answer = empty_on(input.device, index._size, geometry.contiguous_strides(index._size), input._dtype)
        return result(array_of(answer), input, index._size, out)
    array = input._backend.launch(_gather, array_of(input).reshape(size), array_of(index), dim, index._size or (1,))
    return result(array, input, index._size, out)


def _check_sizes(input: Tensor, dim: int, index: Tensor) -> None:
    if len(index._size or (1,)) != len(input._size or (1,)):
        raise explained(
            RuntimeError("Index tensor must have the same number of dimensions as input tensor"),
            f"input has size {list(input._size)}, index {list(index._size)}.",
            notebook=_NOTEBOOK,
        )
    for axis, (length, most) in enumerate(zip(index._size, input._size, strict=False)):
        if axis != dim and length > most:
            raise explained(
                RuntimeError(
                    f"Size does not match at dimension {axis} expected index {list(index._size)} to be no larger than "
                    f"self {list(input._size)} apart from dimension {dim}"
                ),
                "index is read beside the tensor: it may be longer along the gathered dimension only.",
                notebook=_NOTEBOOK,
            )


def _gather(xp: Any, source: Array, index: Array, axis: int, size: tuple[int, ...]) -> Array:
    if source.flags.c_contiguous:
        return xp.take(source.reshape(-1), places_in_row(xp, index.reshape(size), axis, source.shape))
    return source[places(xp, index.reshape(size), axis)]


def places(xp: Any, index: Array, axis: int) -> tuple[Array, ...]:
    """The full index of each element of `index`: its own place, and along `axis` the position that it names."""
    size = index.shape
    key = [xp.arange(length).reshape((-1,) + (1,) * (len(size) - dim - 1)) for dim, length in enumerate(size)]
    key[axis] = index
    return tuple(key)


def places_in_row(xp: Any, index: Array, axis: int, size: tuple[int, ...]) -> Array:
    """`places` as flat positions in a contiguous array of `size`."""
    positions = index.astype("int64", copy=False)
    steps = geometry.contiguous_strides(size)
    if steps[axis] != 1:
        positions = positions * steps[axis]
    for dim, length in enumerate(index.shape):
        if dim != axis and length > 1:
            positions = positions + (xp.arange(length) * steps[dim]).reshape((-1,) + (1,) * (index.ndim - dim - 1))
    return positions


@operator("indexing", out=True)
@derivative(input=lambda grad, input, index: grad.new_zeros(input._size).put(index, grad, True))
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at the positions `index`, counted through all elements in order; of the size of `index`."""
    if index._dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index._dtype.scalar_type}")
    if out is not None and out._dtype is not input._dtype:
        raise RuntimeError(
            "take(): self and out expected to have the same dtype, but got self.dtype = "
            f"{input._dtype.scalar_type} and out.dtype = {out._dtype.scalar_type}"
        )
    if not input.numel() and index.numel():
        raise IndexError("take(): tried to take from an empty tensor")
    check_linear(input, index)
    array = input._backend.launch(_take_positions, array_of(input).reshape(-1), array_of(index), 0)
    return result(array, input, index._size, out, index)


def check_linear(input: Tensor, index: Tensor) -> None:
    """Raise PyTorch's error unless all of `index` are positions among all elements of `input`."""
    count = input.numel()
    message = f"out of range: tried to access index {{}} on a tensor of {count} elements."
    check_positions(index, count, 0, message, IndexError, negative=True)


@operator("indexing", out=True)
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """`gather` with `input` and `indices` broadcast beside `dim`; without `dim`, `take`."""
    name = "torch.take_along_dim()"
    if dim is None:
        return gather(view(input, -1), 0, view(indices, -1), out=out)
    if indices._dtype is not dtypes.int64:
        raise RuntimeError(f"{name}: dtype of indices should be Long but got {indices._dtype.scalar_type}")
    if len(input._size) != len(indices._size):
        raise RuntimeError(
            f"{name}: input and indices should have the same number of dimensions, but got {len(input._size)} "
            f"dimensions for input, and {len(indices._size)} dimensions for indices"
        )
    if not input._size:
        raise IndexError(f"Dimension specified as {geometry.wrap_dim(dim, 0)} but tensor has no dimensions")
    dim = geometry.wrap_dim(dim, len(input._size))
    sizes = [(*tensor._size[:dim], 1, *tensor._size[dim + 1 :]) for tensor in (input, indices)]
    beside = geometry.broadcast_shapes(*sizes)
    wide, chosen = (
        expand(tensor, (*beside[:dim], tensor._size[dim], *beside[dim + 1 :])) for tensor in (input, indices)
    )
    return gather(wide, dim, remainder(chosen, wide._size[dim]), out=out)
