"""Creation: tensors of a given size, with a storage of their own.

Three families with the same names: ``zeros(2, 3)`` takes a size, ``zeros_like(x)`` takes size, dtype, device and
order of dimensions from a tensor, and ``x.new_zeros(2, 3)`` takes dtype and device from one.
"""

from __future__ import annotations

from operator import index as as_index
from typing import Any, SupportsIndex, Unpack

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.ops.arg_parser.bool_arguments import StatedDim
from tensorglass.ops.copies.copy import settled, write_number
from tensorglass.ops.creation.factory import (
    Options,
    Place,
    factory,
    new,
    read_number,
    read_options,
    read_out_options,
    read_size,
    resized,
    size_tuple,
    strides_in,
)
from tensorglass.ops.kernels.python_numbers import checked, checked_alone
from tensorglass.tensor.tensor import Tensor, raw_array

# --- of a size -------------------------------------------------------------------------------------------------------


@factory()
def empty(
    *sizes: Any, size: Any = None, out: Tensor | None = None, memory_format: Any = None, **options: Unpack[Options]
) -> Tensor:
    """A tensor whose elements are whatever its new memory happens to hold.

    The size is given as ``empty(2, 3)``, ``empty((2, 3))`` or ``empty(size=(2, 3))``.
    """
    shape = read_size("empty", sizes, size)
    place = read_out_options("empty", options, out)
    if out is not None:
        geometry.check_lengths(shape)
        return settled(resized(out, shape), is_new=False)
    return settled(new(shape, place, None if memory_format is None else strides_in(memory_format, shape)))


@factory()
def zeros(*sizes: Any, size: Any = None, out: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """A tensor of zeros. The system zeroes memory when it is first touched: even a large tensor is made in no time."""
    shape = read_size("zeros", sizes, size)
    if out is None and shape and min(shape) < 0:
        raise explained(
            RuntimeError("zeros: Dimension size must be non-negative."),
            f"The size {list(shape)} has a negative length. Only view, reshape and expand understand -1.",
            notebook="1/01 Header and storage",
        )
    return _new_filled(shape, read_out_options("zeros", options, out), 0, out)


@factory()
def ones(*sizes: Any, size: Any = None, out: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """A tensor of ones."""
    shape = read_size("ones", sizes, size)
    return _new_filled(shape, read_out_options("ones", options, out), 1, out)


@factory()
def full(size: Any, fill_value: Any, *, out: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """A tensor whose elements all are `fill_value`, whose type gives the dtype: 3 int64, 3.0 the default dtype."""
    shape = size_tuple("full", size, single=False)
    value = read_number("full", "fill_value", 2, fill_value)
    return _new_filled(shape, read_out_options("full", options, out, dtypes.of_number(value)), value, out)


@factory(signatures=("int n", "int n, int m"))
def eye(n: SupportsIndex, m: StatedDim = None, *, out: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """The identity: an n×m matrix (m is n unless given) with ones on the diagonal."""
    rows = _eye_length("n", n)
    columns = rows if m is None else _eye_length("m", m)
    place = read_out_options("eye", options, out)
    result = _new_filled((rows, columns), place, 0, out)
    count = min(rows, columns)
    if out is None:  # in a new matrix the diagonal is a row with steps
        raw_array(result).reshape(-1)[: count * (columns + 1) : columns + 1] = 1
    else:
        raw_array(result)[range(count), range(count)] = 1
    return result


def _eye_length(argument: str, given: SupportsIndex) -> int:
    if isinstance(given, bool):
        raise TypeError("a bool is not a length")  # `explaining` rewords it as PyTorch does
    length = as_index(given)
    if length < 0:
        raise RuntimeError(f"{argument} must be greater or equal to 0, got {length}")
    return length


@factory()
def scalar_tensor(s: Any, **options: Unpack[Options]) -> Tensor:
    """A 0-dim tensor of the default dtype (unlike `tensor(s)`, which goes by the number's type)."""
    return _new_filled((), read_options("scalar_tensor", options), read_number("scalar_tensor", "s", 1, s))


@factory()
def empty_strided(size: Any, stride: Any, **options: Unpack[Options]) -> Tensor:
    """An uninitialized tensor of these strides; its storage reaches exactly to its last element."""
    shape = size_tuple("empty_strided", size, single=False)
    steps = size_tuple("empty_strided", stride, "stride", 2, single=False)
    return _empty_strided(shape, steps, read_options("empty_strided", options))


def _empty_strided(size: tuple[int, ...], stride: tuple[int, ...], place: Place) -> Tensor:
    geometry.check_lengths(size)
    if len(size) != len(stride):
        raise explained(
            RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"),
            "Every dimension has one length and one stride.",
            notebook="1/05 Strides and offset",
        )
    return settled(new(size, place, stride))


def _new_filled(
    size: tuple[int, ...],
    place: Place,
    value: complex,
    out: Tensor | None = None,
    stride: tuple[int, ...] | None = None,
) -> Tensor:
    """A tensor whose elements all are `value`; `out`, resized, if that is given."""
    (checked_alone if geometry.numel(size) == 1 else checked)(value, place.dtype)
    if out is not None:
        result = resized(out, size)
    elif isinstance(value, int) and value == 0:  # a float may be -0.0, whose bits are not all 0
        return new(size, place, stride, zeroed=True)
    else:
        result = new(size, place, stride)
    write_number(result, value)
    return result


# --- like another tensor ---------------------------------------------------------------------------------------------


@factory()
def empty_like(input: Tensor, *, memory_format: Any = None, **options: Unpack[Options]) -> Tensor:
    """An uninitialized tensor with the size, dtype, device and order of dimensions of `input`."""
    place = read_options("empty_like", options, input._dtype, input.device)
    return settled(new(input._size, place, strides_in(memory_format, input._size, input)))


@factory()
def zeros_like(input: Tensor, *, memory_format: Any = None, **options: Unpack[Options]) -> Tensor:
    """Zeros with the size, dtype, device and order of dimensions of `input`."""
    return _filled_like("zeros_like", input, 0, memory_format, options)


@factory()
def ones_like(input: Tensor, *, memory_format: Any = None, **options: Unpack[Options]) -> Tensor:
    """Ones with the size, dtype, device and order of dimensions of `input`."""
    return _filled_like("ones_like", input, 1, memory_format, options)


@factory()
def full_like(input: Tensor, fill_value: Any, *, memory_format: Any = None, **options: Unpack[Options]) -> Tensor:
    """`fill_value` everywhere, with the size, dtype, device and order of dimensions of `input`."""
    value = read_number("full_like", "fill_value", 2, fill_value)
    return _filled_like("full_like", input, value, memory_format, options)


def _filled_like(name: str, input: Tensor, value: complex, memory_format: Any, options: Options) -> Tensor:
    place = read_options(name, options, input._dtype, input.device)
    return _new_filled(input._size, place, value, stride=strides_in(memory_format, input._size, input))


# --- of another tensor's dtype and device ----------------------------------------------------------------------------


@factory(function=False, method=True)
def new_empty(self: Tensor, *sizes: Any, size: Any = None, **options: Unpack[Options]) -> Tensor:
    """An uninitialized tensor with the dtype and device of this one."""
    shape = read_size("new_empty", sizes, size)
    return settled(new(shape, read_options("new_empty", options, self._dtype, self.device)))


@factory(function=False, method=True)
def new_zeros(self: Tensor, *sizes: Any, size: Any = None, **options: Unpack[Options]) -> Tensor:
    """A tensor of zeros, with the dtype and device of this one."""
    shape = read_size("new_zeros", sizes, size)
    return _new_filled(shape, read_options("new_zeros", options, self._dtype, self.device), 0)


@factory(function=False, method=True)
def new_ones(self: Tensor, *sizes: Any, size: Any = None, **options: Unpack[Options]) -> Tensor:
    """A tensor of ones, with the dtype and device of this one."""
    shape = read_size("new_ones", sizes, size)
    return _new_filled(shape, read_options("new_ones", options, self._dtype, self.device), 1)


@factory(function=False, method=True)
def new_full(self: Tensor, size: Any, fill_value: Any, **options: Unpack[Options]) -> Tensor:
    """A tensor whose elements all are `fill_value`, with the dtype and device of this one."""
    shape = size_tuple("new_full", size, single=False)
    value = read_number("new_full", "fill_value", 2, fill_value)
    return _new_filled(shape, read_options("new_full", options, self._dtype, self.device), value)


@factory(function=False, method=True)
def new_empty_strided(self: Tensor, size: Any, stride: Any, **options: Unpack[Options]) -> Tensor:
    """An uninitialized tensor with these strides, and the dtype and device of this one."""
    shape, steps = size_tuple("new_empty_strided", size), size_tuple("new_empty_strided", stride, "stride", 2)
    place = read_options("new_empty_strided", options, self._dtype, self.device)
    return _empty_strided(shape, steps, place)
