"""What an index picks: from size, stride, offset and the items between the brackets to the result and its cells.

Ints, slices, None and ... make a view: a new size, stride and offset for the same memory. Index tensors, lists and
masks are broadcast together, and the elements at their positions are copied into new memory. The live explorer computes
the same in the browser (`arithmetic.js`); a test compares the two, and this one with PyTorch and NumPy. NumPy differs:
slices may go backwards, an int beside index arrays counts as one of them, a single element is a number, and the layout
of a copy is not predicted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from types import EllipsisType

from glassroom.translations.templates import as_is
from tensorglass.geometry import broadcast_shapes, index_strides

MOST_PICKS = 65_536

Ints = tuple[int, ...]


class RefusedIndex(Exception):
    """An index that the library refuses; `error` names the class that it raises."""

    def __init__(self, error: str, words: str) -> None:
        super().__init__(words)
        self.error = error


@dataclass(frozen=True)
class Positions:
    """An index tensor, a list or a mask: its name, its header and its elements row by row; those of a mask are 0 or
    1."""

    name: str
    size: Ints
    stride: Ints
    elements: Sequence[int]
    is_mask: bool = False

    def at(self, index: Sequence[int]) -> int:
        """The element at an index into the size that it is broadcast to."""
        place = 0
        for i, n in zip(index[len(index) - len(self.size) :], self.size, strict=True):
            place = place * n + (0 if n == 1 else i)
        return self.elements[place]

    def nonzero(self) -> list[Positions]:
        """What a mask stands for: the positions of its True elements, one list for each dimension."""
        chosen = [index for index, on in zip(product(*map(range, self.size)), self.elements, strict=True) if on]
        return [
            Positions(f"{self.name}.nonzero()[:, {dim}]", (len(chosen),), (1,), [index[dim] for index in chosen])
            for dim in range(len(self.size))
        ]


@dataclass(frozen=True)
class Item:
    """One item between the brackets, and its `text` as it is written."""

    text: str
    value: int | slice | Positions | EllipsisType | None

    @property
    def dims(self) -> int:
        """The number of the tensor's dimensions that it indexes."""
        if isinstance(self.value, Positions):
            return len(self.value.size) if self.value.is_mask else 1
        return int(isinstance(self.value, int | slice) and not isinstance(self.value, bool))


@dataclass(frozen=True)
class Axis:
    """A dimension of the view that the basic items make: which dimension of the tensor it walks along, and how.

    `source` is None for a dimension that None made, or True or False.
    """

    source: int | None
    length: int
    stride: int
    start: int = 0
    step: int = 1


@dataclass
class Led:
    """The result of an index. Its `axes` make the view; `chosen` are the positions picked along some of them. `stride`
    is None where only the library knows the result's layout, or where the result is a number.
    """

    size: Ints = ()
    stride: Ints | None = ()
    offset: int = 0
    axes: list[Axis] = field(default_factory=list)
    fixed: dict[int, int] = field(default_factory=dict)
    chosen: dict[int, Positions] = field(default_factory=dict)
    shape: Ints = ()
    first: int = 0
    at_front: bool = False  # the picked dimensions went to the front, since others lay between them
    is_number: bool = False

    @property
    def is_view(self) -> bool:
        """Whether the result is a view of the tensor; else it is a copy."""
        return not self.chosen and not self.is_number

    def place_of(self, dim: int) -> int:
        """The dimension of the result that an axis without chosen positions became."""
        kept = sum(index not in self.chosen for index in range(dim))
        return kept + len(self.shape) if self.chosen and kept >= self.first else kept

    def block(self, index: Ints) -> Ints:
        """The part of a result's index that says which positions are read."""
        return index[self.first : self.first + len(self.shape)]

    def source(self, index: Ints) -> Ints:
        """The index of the tensor's cell that a cell of the result is read from."""
        by_source = dict(self.fixed)
        for dim, axis in enumerate(self.axes):
            if axis.source is None:
                continue
            if dim in self.chosen:
                at = self.chosen[dim].at(self.block(index))
                at += axis.length if at < 0 else 0
            else:
                at = index[self.place_of(dim)]
            by_source[axis.source] = axis.start + at * axis.step
        return tuple(by_source[source] for source in sorted(by_source))

    def picks(self) -> Counter[Ints]:
        """How often each combination of positions is picked along those chosen axes that are the tensor's own."""
        along = [dim for dim in self.chosen if self.axes[dim].source is not None]
        return Counter(
            tuple(self.chosen[dim].at(block) % max(self.axes[dim].length, 1) for dim in along)
            for block in product(*map(range, self.shape))
        )

    def times(self, cell: Ints, picks: Counter[Ints]) -> int:
        """How often a cell of the tensor occurs in the result."""
        wanted = []
        for source, at in self.fixed.items():
            if cell[source] != at:
                return 0
        for dim, axis in enumerate(self.axes):
            if axis.source is None:
                continue
            position, rest = divmod(cell[axis.source] - axis.start, axis.step)
            if rest or not 0 <= position < axis.length:
                return 0
            if dim in self.chosen:
                wanted.append(position)
        return picks[tuple(wanted)]


def follow(
    size: Ints, stride: Ints, offset: int, items: Sequence[Item], is_tuple: bool = True, is_numpys: bool = False
) -> Led:
    """Follow an index into a tensor, or into an array if it `is_numpys`. Raises RefusedIndex for an index that the
    library refuses. `is_tuple` is False for a single item, for which PyTorch has other error messages.
    """
    led = Led(offset=offset)
    about = _about(len(size), items, is_tuple, is_numpys)
    chosen = _basic(size, stride, items, led, about, is_numpys)
    if chosen:
        _advanced(led, chosen, _separated(items) if is_numpys else None)
    else:
        led.size, led.stride = tuple(axis.length for axis in led.axes), tuple(axis.stride for axis in led.axes)
        led.is_number = is_numpys and not led.axes and all(type(item.value) is int for item in items)
    return led


def _about(ndim: int, items: Sequence[Item], is_tuple: bool, is_numpys: bool) -> int:
    """The number of dimensions that the items index; refuses items for which it is unknown."""
    if not is_tuple and not ndim and not is_numpys:
        _check_scalar(items[0])
    about = sum(item.dims for item in items)
    if sum(item.value is Ellipsis for item in items) > 1:
        if is_numpys:
            raise RefusedIndex("IndexError", as_is("an index can only have a single ellipsis ('...')"))
        raise RefusedIndex("not read here", "... stands for all dimensions that no other item is about: once is enough")
    if about > ndim and is_numpys:
        words = as_is(f"too many indices for array: array is {ndim}-dimensional, but {about} were indexed")
        raise RefusedIndex("IndexError", words)
    if about > ndim:
        raise RefusedIndex("IndexError", as_is(f"too many indices for tensor of dimension {ndim}"))
    return about


def _separated(items: Sequence[Item]) -> bool:
    """Whether slices, None or ... stand between NumPy's index arrays; ints count as index arrays."""
    are_arrays = [isinstance(item.value, int | Positions) for item in items]
    return False in are_arrays[are_arrays.index(True) : len(are_arrays) - are_arrays[::-1].index(True)]


def _basic(
    size: Ints, stride: Ints, items: Sequence[Item], led: Led, about: int, is_numpys: bool
) -> list[tuple[int, Positions]]:
    """Apply the basic items; returns the others, each with the axis where it begins."""
    ndim = len(size)
    picks = any(isinstance(item.value, bool | Positions) for item in items)
    chosen: list[tuple[int, Positions]] = []
    dim = 0
    for position, item in enumerate(items):
        fresh = Axis(None, 1, 0 if is_numpys else size[dim] * stride[dim] if dim < ndim else 1)
        match item.value:
            case None:
                led.axes.append(fresh)
            case bool():
                chosen.append((len(led.axes), Positions(item.text, (int(item.value),), (1,), [0] * int(item.value))))
                led.axes.append(fresh)
            case int() if is_numpys and picks:
                chosen.append((len(led.axes), Positions(item.text, (), (), [item.value])))
                led.axes += _whole(size, stride, dim, dim + 1)
                dim += 1
            case int():
                where = as_is(f"axis {dim}") if is_numpys else as_is(f"dimension {position}")
                led.fixed[dim] = _position(item.value, where, size[dim])
                led.offset += led.fixed[dim] * stride[dim]
                dim += 1
            case slice():
                led.axes.append(_sliced(item.value, dim, size[dim], stride[dim], is_numpys))
                led.offset += led.axes[-1].start * stride[dim]
                dim += 1
            case EllipsisType():
                led.axes += _whole(size, stride, dim, dim + ndim - about)
                dim += ndim - about
            case Positions():
                chosen.append((len(led.axes), item.value))
                led.axes += _whole(size, stride, dim, dim + item.dims)
                dim += item.dims
    led.axes += _whole(size, stride, dim, ndim)
    return chosen


def _whole(size: Ints, stride: Ints, first: int, after: int) -> list[Axis]:
    return [Axis(dim, size[dim], stride[dim]) for dim in range(first, min(after, len(size)))]


def _check_scalar(item: Item) -> None:
    if isinstance(item.value, slice):
        _sliced(item.value, 0, 0, 0)
        raise RefusedIndex("IndexError", as_is("slice() cannot be applied to a 0-dim tensor."))
    if type(item.value) is int:
        if item.value:
            _position(item.value, "dimension 0", 0)
        words = as_is(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
        raise RefusedIndex("IndexError", words)


def _position(i: int, where: str, length: int) -> int:
    if not -length <= i < length:
        raise RefusedIndex("IndexError", as_is(f"index {i} is out of bounds for {where} with size {length}"))
    return i + length if i < 0 else i


def _sliced(chosen: slice, dim: int, length: int, stride: int, is_numpys: bool = False) -> Axis:
    if chosen.step == 0:
        raise RefusedIndex("ValueError", as_is("slice step cannot be zero"))
    start, end, step = chosen.indices(length)
    if step < 0 and not is_numpys:
        raise RefusedIndex("ValueError", as_is("step must be greater than zero"))
    number = max(-(-(end - start) // step), 0)
    if is_numpys and not number:
        start, step = 0, 1
    return Axis(dim, number, stride * step, start, step)


def _advanced(led: Led, chosen: Sequence[tuple[int, Positions]], separated: bool | None) -> None:
    """Pick along the axes that the other items stand at. `separated` is NumPy's criterion for where the picked
    dimensions go; None for PyTorch."""
    is_numpys = separated is not None
    lengths = [axis.length for axis in led.axes]
    for first, positions in chosen:
        if positions.is_mask:
            _check_mask(positions, led.axes, first, is_numpys)
        parts = positions.nonzero() if positions.is_mask else [positions]
        led.chosen.update({first + at: one for at, one in enumerate(parts)})
    for dim, one in led.chosen.items():
        if is_numpys and not one.size:
            _position(one.elements[0], as_is(f"axis {led.axes[dim].source}"), lengths[dim])
    picked, dims = list(led.chosen.values()), list(led.chosen)
    led.shape = _common_size(picked, is_numpys)
    led.at_front = bool(dims) and max(dims) - min(dims) + 1 != len(dims) if separated is None else separated
    led.first = 0 if led.at_front else min(dims, default=0)
    rest = [length for dim, length in enumerate(lengths) if dim not in led.chosen]
    led.size = (*rest[: led.first], *led.shape, *rest[led.first :])
    along = [lengths[dim] for dim in dims]
    if 0 in along and 0 not in led.shape and not is_numpys:
        raise RefusedIndex("IndexError", as_is("index is out of bounds for dimension with size 0"))
    if prod(led.shape) > MOST_PICKS:
        raise RefusedIndex("too much to draw", f"index tensors are drawn that pick up to {MOST_PICKS:,} positions")
    if 0 not in (led.shape if is_numpys else led.size):
        numpys = [as_is(f"axis {led.axes[dim].source}") for dim in dims]
        where = numpys if is_numpys else [as_is(f"dimension {at}") for at in range(len(dims))]
        _check_positions(picked, along, where, led.shape)
    order = [*dims, *(dim for dim in range(len(led.axes)) if dim not in led.chosen)]
    axes = [led.axes[dim] for dim in order] if led.at_front else led.axes
    size, stride = tuple(axis.length for axis in axes), tuple(axis.stride for axis in axes)
    layouts = tuple((positions.size, positions.stride) for positions in picked)
    led.stride = None if is_numpys else index_strides(size, stride, led.first, led.shape, layouts)
    led.offset = 0


def _check_mask(mask: Positions, axes: Sequence[Axis], first: int, is_numpys: bool) -> None:
    for dim, n in enumerate(mask.size):
        axis = axes[first + dim]
        if axis.length == n:
            continue
        if is_numpys:
            words = as_is(
                f"boolean index did not match indexed array along axis {axis.source}; size of axis is {axis.length} "
                f"but size of corresponding boolean axis is {n}"
            )
        else:
            words = as_is(
                f"The shape of the mask {list(mask.size)} at index {dim} does not match the shape of the indexed "
                f"tensor {[axis.length for axis in axes]} at index {first + dim}"
            )
        raise RefusedIndex("IndexError", words)


def _common_size(picked: Sequence[Positions], is_numpys: bool) -> Ints:
    try:
        return broadcast_shapes(*(positions.size for positions in picked))
    except RuntimeError:
        pass
    if is_numpys:
        sizes = " ".join(str(positions.size).replace(" ", "") for positions in picked if positions.size)
        words = as_is(f"shape mismatch: indexing arrays could not be broadcast together with shapes {sizes} ")
    else:
        sizes = ", ".join(str(list(positions.size)) for positions in picked)
        words = as_is(f"shape mismatch: indexing tensors could not be broadcast together with shapes {sizes}")
    raise RefusedIndex("IndexError", words)


def _check_positions(picked: Sequence[Positions], lengths: Sequence[int], where: Sequence[str], shape: Ints) -> None:
    for block in product(*map(range, shape)):
        for positions, length, axis in zip(picked, lengths, where, strict=True):
            _position(positions.at(block), axis, length)
