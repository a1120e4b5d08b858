"""Advanced indexing by tensors, lists and masks. Reading makes a copy; writing goes to the original elements.

All index tensors are broadcast to one common size, and that size takes the place of the dimensions they index. Where
those dimensions are neighbours, it stands there too; where others lie between them, it goes to the front. A mask stands
for the positions of its True elements, one index tensor for each dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorglass import geometry, memory
from tensorglass.backends import Array, Backend
from tensorglass.backends import get as get_backend
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.kernels import select_by_mask
from tensorglass.ops.kernels.positions import add_at, first_outside
from tensorglass.ops.kernels.python_numbers import checked, number_array
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import empty_on, from_array, result_tensor, view_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, array_of, header_of, raw_array

_HOST: Any = get_backend(CPU)  # the device of Python's lists and numbers

_NOTEBOOK = "1/04 Advanced indexing copies"

#: Dtypes of masks; uint8 is how PyTorch wrote them before it had bool.
MASKS = (dtypes.bool, dtypes.uint8)
#: Dtypes of positions.
POSITIONS = (dtypes.int64, dtypes.int32)


class Index(NamedTuple):
    """One index of an advanced indexing: its elements, their strides, and their dtype."""

    array: Array
    size: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: DType
    device: Device = CPU
    #: the index tensor itself, if it was one: it must not overlap the tensor that is written
    tensor: Tensor | None = None

    @property
    def is_mask(self) -> bool:
        return self.dtype in MASKS

    @property
    def dims(self) -> int:
        """How many dimensions it indexes: a mask as many as it has."""
        return len(self.size) if self.is_mask else 1


def index_of_array(array: Array, dtype: DType) -> Index:
    """An index with an array's elements: bools and bytes are a mask, other numbers are truncated to positions."""
    if dtype not in MASKS:
        array, dtype = array.astype("int64"), dtypes.int64
    return Index(array, array.shape, geometry.contiguous_strides(array.shape), dtype)


def index_of_tensor(tensor: Tensor) -> Index:
    """An index with a tensor's elements; its dtype is checked when all indices are known."""
    return Index(array_of(tensor), tensor._size, tensor._stride, tensor._dtype, tensor._storage.device, tensor)


def beside(storage: UntypedStorage, advanced: Sequence[Index | None]) -> Sequence[Index | None]:
    """The indices, with those on the CPU moved to the device of `storage`; any other device is an error."""
    device = storage.device
    for index in advanced:
        if index is not None and index.device is not CPU and index.device != device:
            raise explained(
                RuntimeError(f"indices should be either on cpu or on the same device as the indexed tensor ({device})"),
                f"Move the index: index.to({str(device)!r}).",
                notebook=_NOTEBOOK,
            )
    if device is CPU:
        return advanced
    bring = storage.backend.from_host
    return [
        index._replace(array=bring(index.array, device), device=device)
        if index is not None and index.device is CPU
        else index
        for index in advanced
    ]


#: x[True] and x[False] visit a new dimension of size 1 once, or not at all.
TRUE = index_of_array(_HOST.xp.zeros(1, "int64"), dtypes.int64)
FALSE = index_of_array(_HOST.xp.zeros(0, "int64"), dtypes.int64)


class Visit(NamedTuple):
    """The target of an advanced index: dimensions `first` to `first + len(indices)` of `view` are replaced by
    `shape`.
    """

    view: Tensor
    first: int
    shape: tuple[int, ...]
    indices: list[Index]

    @property
    def size(self) -> tuple[int, ...]:
        """The size of what is read, or written."""
        size = self.view._size
        return (*size[: self.first], *self.shape, *size[self.first + len(self.indices) :])


# --- reading and writing ---------------------------------------------------------------------------------------------


def read_advanced(view: Tensor, advanced: Sequence[Index | None]) -> Tensor:
    """A new tensor with the elements that `advanced` picks: one index or None for each dimension of `view`."""
    storage = view._storage
    advanced = beside(storage, advanced)
    only = advanced[0]
    is_whole = only is not None and only.dtype is dtypes.bool and only.size == view._size and bool(only.size)
    if is_whole and only is not None and not view.is_meta:
        array = storage.backend.launch(_pick, array_of(view), only.array)  # quicker than by positions
        result = from_array(array, view._dtype, storage)
        memory.copied(array.nbytes)
        return result
    visit = plan(view, advanced)
    view, size, stride = visit.view, visit.size, _result_strides(visit)
    if 0 in size:  # nothing is selected, and PyTorch does not check the positions either
        return empty_on(storage.device, size, stride, view._dtype)
    source = array_of(view)
    try:
        if len(visit.indices) == 1 and view.is_contiguous():
            array = storage.backend.launch(_take, source, visit.indices[0].array, visit.first)
        else:
            array = storage.backend.launch(_pick, source, _key(visit))
    except IndexError:
        _check_positions(visit)  # raises PyTorch's error
        raise
    if stride == geometry.contiguous_strides(size):
        result = from_array(storage.backend.xp.ascontiguousarray(array), view._dtype, storage)
    else:
        result = empty_on(storage.device, size, stride, view._dtype)
        storage.backend.launch(_assign, raw_array(result), (), array)
    memory.copied(result.nbytes)
    return result


def write_advanced(
    view: Tensor, advanced: Sequence[Index | None], value: Tensor | complex, accumulate: bool = False
) -> None:
    """Write `value`, broadcast, to the elements that `advanced` names, or add it to them."""
    warn_if_expanded("index_put_", view, "tensor[indices] = tensor")
    advanced = beside(view._storage, advanced)
    mask = advanced[-1]
    is_one = not isinstance(value, Tensor) or value.numel() == 1
    if not accumulate and is_one and mask is not None and mask.is_mask and not any(advanced[:-1]):
        check_mask(mask.size, view._size, len(advanced) - 1)
        value = value if isinstance(value, Tensor) else _of_number(_HOST, CPU, value, view._dtype)
        fill_masked(view, mask, len(advanced) - 1, value.item())
        return
    if not isinstance(value, Tensor):
        value = _of_number(view._backend, view._storage.device, value, view._dtype)
    for read in (value, *[index.tensor for index in advanced if index is not None]):
        if read is not None and read._storage is view._storage:
            widths = view._dtype.itemsize, read._dtype.itemsize
            geometry.check_no_overlap(header_of(view), widths[0], header_of(read), widths[1], is_itself=read is view)
    visit = plan(view, advanced)
    size = visit.size
    _check_value(view, value, size)
    _check_positions(visit)
    if 0 not in size:
        target, given = raw_array(visit.view), array_of(value)
        given = given.reshape(given.shape[max(0, given.ndim - len(size)) :])
        if view._conj:
            given = given.conj()
        if accumulate:
            indices = [index.array for index in visit.indices]
            view._storage.backend.launch(add_at, target, visit.first, indices, given)
        else:
            view._storage.backend.launch(_assign, target, _key(visit), given)
        if value._size and not accumulate:
            memory.copied(geometry.numel(size) * view._dtype.itemsize)
    view._written()


def _of_number(backend: Backend, device: Device, number: complex, dtype: DType) -> Tensor:
    array = backend.xp.asarray(number_array(backend, number, dtype))
    return result_tensor(array, dtype, backend, device, (), ())


def fill_masked(view: Tensor, mask: Index, first: int, number: complex) -> None:
    """Set the elements of `view` where a mask, from dimension `first` on, is True."""
    check_is_bool("masked_fill_", mask.dtype)
    warn_if_expanded("masked_fill_", view, "tensor[mask] = scalar")
    backend = view._backend
    number = checked(number, view._dtype)
    if isinstance(number, complex) and not view._dtype.is_complex and view._dtype is not dtypes.bool:
        number = number.real
    element = number_array(backend, number, view._dtype)
    (there,) = beside(view._storage, (mask,))
    assert there is not None
    beyond = (1,) * (len(view._size) - first - len(mask.size))
    if mask.tensor is not None and mask.tensor._storage is view._storage:
        read = mask.size + beyond, mask.stride + beyond, mask.tensor._offset
        geometry.check_no_partial_overlap(header_of(view), view._dtype.itemsize, read, mask.dtype.itemsize)
    where = there.array.reshape(mask.size + beyond)
    backend.launch(select_by_mask.put, raw_array(view), where, element.conj() if view._conj else element)
    view._written()


def check_is_bool(name: str, dtype: DType) -> None:
    """Raise PyTorch's error for a mask that is not of bools."""
    if dtype is not dtypes.bool:
        raise explained(
            RuntimeError(f"{name} only supports boolean masks, but got mask with dtype {dtypes.C_NAMES[dtype]}"),
            "mask.bool() makes one: True where the mask is not 0.",
            notebook=_NOTEBOOK,
        )


def _check_value(view: Tensor, value: Tensor, size: tuple[int, ...]) -> None:
    own = value._size
    fits = len(own) <= len(size) and all(a in (1, b) for a, b in zip(own[::-1], size[::-1], strict=False))
    if not fits:
        raise explained(
            RuntimeError(
                f"shape mismatch: value tensor of shape {list(own)} cannot be broadcast to indexing result of shape "
                f"{list(size)}"
            ),
            f"x[index] would have size {list(size)}: that is what is written, so the value must have that size, or one "
            "that broadcasts to it.",
            notebook=_NOTEBOOK,
        )
    if value._dtype is not view._dtype:
        raise explained(
            RuntimeError(
                "Index put requires the source and destination dtypes match, got "
                f"{view._dtype.scalar_type} for the destination and {value._dtype.scalar_type} for the source."
            ),
            f"Convert the value first: value.to({view._dtype!r}). A basic index converts by itself, an advanced one "
            "does not.",
            notebook=_NOTEBOOK,
        )


def warn_if_expanded(name: str, target: Tensor, example: str) -> None:
    """PyTorch's warning for operators that write to an expanded tensor, in which several elements share memory."""
    overlap = geometry.has_internal_overlap(target._size, target._stride)
    if overlap is geometry.InternalOverlap.YES:
        warn(
            f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
            f"operation. This also applies to advanced indexing e.g. {example}"
        )


def _key(visit: Visit) -> tuple[Any, ...]:
    return (slice(None),) * visit.first + tuple([index.array for index in visit.indices])


def _take(xp: Any, source: Array, index: Array, axis: int) -> Array:
    # Faster than source[…, index], and dense; but it copies all of a strided source.
    return xp.take(source, index, axis)


def _pick(xp: Any, source: Array, key: tuple[Any, ...]) -> Array:
    return source[key]


def _assign(xp: Any, target: Array, key: Any, value: Array) -> None:
    target[key] = value


# --- where the index leads -------------------------------------------------------------------------------------------


def plan(view: Tensor, advanced: Sequence[Index | None]) -> Visit:
    """Work out the target of an advanced index. `_check_positions` checks whether the positions exist."""
    for index in advanced:
        if index is not None and index.dtype not in POSITIONS and not index.is_mask:
            raise explained(
                IndexError("tensors used as indices must be long, int, byte or bool tensors"),
                f"This index is {index.dtype!r}: positions are integers, as index.long() makes them.",
                notebook=_NOTEBOOK,
            )
    per_dim = _without_masks(view, advanced)
    if len(per_dim) > len(view._size):
        raise explained(
            IndexError(f"too many indices for tensor of dimension {len(view._size)} (got {len(per_dim)})"),
            "A mask counts with all of its dimensions.",
            notebook=_NOTEBOOK,
        )
    indices = [index for index in per_dim if index is not None]
    shape = _common_shape(indices)
    dims = [dim for dim, index in enumerate(per_dim) if index is not None]
    first, after = dims[0], dims[-1] + 1
    if after - first != len(dims):  # not side by side: to the front with them
        view = _with_dims_in_front(view, dims)
        first = 0
    lengths = view._size[first : first + len(indices)]
    if 0 in lengths and 0 not in shape:
        raise explained(
            IndexError("index is out of bounds for dimension with size 0"),
            f"Dimension {dims[lengths.index(0)]} has no position at all.",
            notebook=_NOTEBOOK,
        )
    return Visit(view, first, shape, indices)


def _with_dims_in_front(view: Tensor, dims: list[int]) -> Tensor:
    order = dims + [dim for dim in range(len(view._size)) if dim not in dims]
    return view_of(view, *geometry.permute(*header_of(view), order))


def _without_masks(view: Tensor, advanced: Sequence[Index | None]) -> list[Index | None]:
    """The indices with each mask replaced by the positions of its True elements, one index a dimension of it."""
    per_dim: list[Index | None] = []
    for index in advanced:
        if index is None:
            per_dim.append(None)
        elif index.is_mask:
            if index.dtype is dtypes.uint8:
                warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
            check_mask(index.size, view._size, len(per_dim))
            positions = view._backend.launch(_nonzero, index.array)
            per_dim += [index_of_array(position, dtypes.int64) for position in positions]
        else:
            per_dim.append(index)
    return per_dim


def check_mask(mask: tuple[int, ...], size: tuple[int, ...], first: int) -> None:
    """Raise PyTorch's error unless a mask has the sizes of the dimensions that it indexes, from `first` on."""
    for dim, length in enumerate(mask):
        if first + dim >= len(size) or size[first + dim] != length:
            raise explained(
                IndexError(
                    f"The shape of the mask {list(mask)} at index {dim} does not match the shape of the indexed tensor "
                    f"{list(size)} at index {first + dim}"
                ),
                "A mask has the shape of the dimensions that it indexes: one True or False for each position, "
                f"here {list(size[first : first + len(mask)])}.",
                notebook=_NOTEBOOK,
            )


def _nonzero(xp: Any, mask: Array) -> Any:
    return xp.nonzero(mask)


def _common_shape(indices: list[Index]) -> tuple[int, ...]:
    try:
        return geometry.broadcast_shapes(*[index.size for index in indices])
    except RuntimeError:
        sizes = ", ".join([str(list(index.size)) for index in indices])
        raise explained(
            IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {sizes}"),
            "Several indices are read together, element by element, so they must broadcast to one size. For every "
            "combination of rows and columns, give the rows a dimension more: x[rows[:, None], columns].",
            notebook=_NOTEBOOK,
        ) from None


def _check_positions(visit: Visit) -> None:
    """Raise unless all positions are in range. This comes before anything is read or written."""
    if 0 in visit.size:
        return  # nothing is selected, and PyTorch does not check either
    view, first = visit.view, visit.first
    lengths = view._size[first : first + len(visit.indices)]
    for number, (index, length) in enumerate(zip(visit.indices, lengths, strict=True)):
        bad = view._backend.launch(first_outside, index.array, length, -length)
        if bad is not None:
            raise outside(bad, number, first + number, length)


def outside(position: int, number: int, dim: int, length: int) -> IndexError:
    """PyTorch's error for an element of an index tensor. It counts the dimensions that are indexed; the note, all."""
    return explained(
        IndexError(f"index {position} is out of bounds for dimension {number} with size {length}"),
        f"Dimension {dim} has positions 0 to {length - 1}, or from the end, -1 to {-length}. All positions are checked "
        "before the first is read or written.",
        notebook=_NOTEBOOK,
    )


def _result_strides(visit: Visit) -> tuple[int, ...]:
    """The strides of what is read."""
    view, first, shape, indices = visit
    layouts = []
    for index in indices:
        stride = index.stride
        if index.dtype is dtypes.int32:  # PyTorch converts it after broadcasting
            stride = geometry.preserved_strides(shape, geometry.broadcast_strides(index.size, stride, shape))
            layouts.append((shape, stride))
        else:
            layouts.append((index.size, stride))
    return geometry.index_strides(view._size, view._stride, first, shape, tuple(layouts))


# --- where gradients flow ---------------------------------------------------------------------------------------------


@recorded
@derivative(
    node="IndexBackward0",
    keeps=("advanced",),
    input=lambda grad, input_size, advanced, indices: recorded_write(
        grad.new_zeros(input_size), advanced, indices, grad, accumulate=True
    ),
)
def recorded_read(input: Tensor, advanced: list[Index | None], indices: tuple[Tensor | None, ...]) -> Tensor:
    """A copy of the elements that advanced items name; a write to them."""
    return read_advanced(input, advanced)


@derivative(
    node=lambda accumulate: f"IndexPut{'Impl' if state.in_formula else ''}Backward0",
    keeps=("advanced",),
    input=lambda grad, advanced, indices, accumulate, value_size: (
        grad if accumulate else recorded_write(grad.clone(), advanced, indices, grad.new_zeros(()).expand(value_size))
    ),
    value=lambda grad, advanced, indices: recorded_read(grad, advanced, indices),
)
def _index_put_view(
    input: Tensor,
    advanced: list[Index | None],
    indices: tuple[Tensor | None, ...],
    value: Tensor,
    accumulate: bool = False,
) -> Tensor:
    write_advanced(input, advanced, value, accumulate)
    return input


recorded_write: Callable[..., Any] = recorded(_index_put_view, is_in_place=True)
