"""Views: operators that make another header on the same storage and copy nothing.

Each is a line of arithmetic on (size, stride, offset), which `geometry` explains, and a new header. Nothing here reads
or writes an element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.core.dtypes import INTEGER
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import old_type_name
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import derivative
from tensorglass.graph.inplace import reread
from tensorglass.ops.arg_parser.bool_arguments import StatedDims
from tensorglass.ops.arg_parser.checks import all_tensors, ints, invalid_combination
from tensorglass.ops.copies.copy import clone, contiguous, new_copy
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import (
    as_strided_backward,
    gradient_of_unfold,
    reshape_alias,
    undiagonal,
    unsafe_view,
    unselected,
    unsliced,
)
from tensorglass.tensor.construct import make, same_inference, view_of
from tensorglass.tensor.tensor import Tensor, header_of, raw_array

_VIEW = ("(Tensor input, torch.dtype dtype)", "(Tensor input, tuple of ints size)")

# --- another size for the same elements ------------------------------------------------------------------------------


@operator("view", function=False, signatures=_VIEW)
@derivative(
    node=lambda shape: None if isinstance(next(iter(shape), None), DType) else "ViewBackward0",
    input=lambda grad, input_size: grad.reshape(input_size),
)
def view(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in order, with another size or, for ``view(dtype)``, with their bytes read as another dtype.

    One length may be -1. Never copies: raises RuntimeError where the strides do not allow the new size.
    """
    if len(shape) == 1 and type(shape[0]) is DType:
        return _view_dtype(input, shape[0])
    if not shape:
        raise invalid_combination("view", shape, "(torch.dtype dtype)", "(tuple of ints size)")
    size = ints("view", shape, "(torch.dtype dtype)", "(tuple of ints size)")
    new_size, stride = geometry.reshape(input._size, input._stride, size)
    if stride is None:
        raise geometry.no_such_view(input._size, input._stride, new_size)
    return view_of(input, new_size, stride, input._offset)


def _view_dtype(input: Tensor, dtype: DType) -> Tensor:
    if input._conj:
        raise RuntimeError(
            "torch.Tensor.view is not supported for conjugate view tensors when converting to a different dtype."
        )
    old = input._dtype
    header = geometry.view_dtype(*header_of(input), old.itemsize, dtype.itemsize, old.scalar_type, dtype.scalar_type)
    reread = view_of(input, *header, dtype)
    reread._base = None  # PyTorch does not treat it as a view, since no gradient flows through it
    return reread


@operator("view", function=False)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.view(other.size())`."""
    return view(input, other._size)


@operator("view")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """A view of another size where the strides allow one, else a copy."""
    size, stride = geometry.reshape(input._size, input._stride, ints("reshape", shape, "(tuple of ints shape)"))
    if stride is None:
        if input._meta is None:
            return _cut_anew(new_copy(input, input._dtype, input._storage.device, contiguous_format), size)
        return unsafe_view(clone(input, memory_format=contiguous_format), size)
    if input._meta is None:
        return view_of(input, size, stride, input._offset)
    return view(input, size) if input.is_contiguous() else reshape_alias(input, size, stride)


def _cut_anew(copy: Tensor, size: tuple[int, ...]) -> Tensor:
    """A contiguous copy with another size; the copy itself is not visible to users."""
    copy._size, copy._stride, copy._array = size, geometry.CONTIGUOUS_STRIDES[size], raw_array(copy).reshape(size)
    return copy


@operator("view", function=False)
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.reshape(other.size())`."""
    return reshape(input, other._size)


@operator("view")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions `start_dim` to `end_dim` as one. `input` itself if that is a single dimension; else as `reshape`."""
    size = geometry.flatten_size(input._size, start_dim, end_dim)
    return input if size is input._size else reshape(input, size)


@operator("view")
@derivative(node="ViewBackward0", input=lambda grad, input_size: grad.reshape(input_size))
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Dimension `dim` cut into several of the given sizes, of which one may be -1."""
    return view_of(input, *geometry.unflatten(*header_of(input), dim, ints("unflatten", (sizes,), "(int dim, sizes)")))


@operator("view")
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: a view of a contiguous tensor, else of a contiguous copy."""
    return view(contiguous(input), (-1,))


# --- the dimensions in another order ---------------------------------------------------------------------------------


@operator("view", aliases=("swapdims",))
@derivative(input=lambda grad, dim0, dim1: grad.transpose(dim0, dim1))
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped: their sizes and strides change places, the storage stays as it is."""
    return view_of(input, *geometry.transpose(*header_of(input), dim0, dim1))


@operator("view")
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose`, as NumPy calls it."""
    return transpose(input, axis0, axis1)


@operator("view")
@derivative(input=lambda grad: grad.t())
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector or a scalar as it is."""
    return view_of(input, *geometry.t(*header_of(input)))


@operator("view")
@derivative(input=lambda grad, dims, input_size: grad.permute(_inverse(dims, len(input_size))))
def permute(input: Tensor, *dims: Any) -> Tensor:
    """The dimensions in the given order."""
    return view_of(input, *geometry.permute(*header_of(input), ints("permute", dims, "(tuple of ints dims)")))


@operator(
    "view",
    aliases=("moveaxis",),
    signatures=(
        "(Tensor input, int source, int destination)",
        "(Tensor input, tuple of ints source, tuple of ints destination)",
    ),
)
@derivative(
    node=lambda input: "PermuteBackward0" if input._size else "AliasBackward0",
    input=lambda grad, source, destination: grad.movedim(destination, source),
)
def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Dimensions `source` moved to the places `destination`; the others keep their order."""
    if isinstance(source, tuple | list) != isinstance(destination, tuple | list):
        raise TypeError("movedim() moves one dimension to one place, or several to as many")
    return view_of(input, *geometry.movedim(*header_of(input), source, destination))


# --- dimensions more or fewer ----------------------------------------------------------------------------------------


@operator(
    "view",
    signatures=("(Tensor input)", "(Tensor input, int dim)", "(Tensor input, tuple of ints dim)"),
)
@derivative(
    node=lambda dim: f"SqueezeBackward{0 if dim is None else 1 if isinstance(dim, int) else 2}",
    input=lambda grad, input_size: grad.reshape(input_size),
)
def squeeze(input: Tensor, dim: StatedDims = None) -> Tensor:
    """Without the dimensions of size 1: all of them, or those of `dim` that have size 1."""
    return view_of(input, *geometry.squeeze(*header_of(input), dim))


@operator("view")
@derivative(input=lambda grad, dim: grad.squeeze(dim))
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a dimension of size 1 put in before dimension `dim`."""
    return view_of(input, *geometry.unsqueeze(*header_of(input), dim))


@operator("view", function=False)
@derivative(input=lambda grad, input_size: grad.sum_to_size(input_size))
def expand(input: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    """Dimensions of size 1 stretched by stride 0, so that all positions are one cell; -1 keeps a length."""
    wanted = ints("expand", size, "(tuple of ints size, *, bool implicit = False)")
    return view_of(input, *geometry.expand(*header_of(input), wanted, old_type_name(input)))


def _at_least(ndim: int, tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return _with_dims(tensors[0], ndim)
    if len(tensors) == 1 and not isinstance(tensors[0], tuple | list):
        raise invalid_combination(f"atleast_{ndim}d", tensors, "(Tensor input)", "(tuple of Tensors tensors)")
    given = tensors[0] if len(tensors) == 1 else tensors
    return tuple([_with_dims(tensor, ndim) for tensor in all_tensors(given)])


def _with_dims(tensor: Tensor, ndim: int) -> Tensor:
    if len(tensor._size) >= ndim:
        return tensor
    if not tensor._size:
        return reshape(tensor, (1,) * ndim)
    if ndim == 3 and len(tensor._size) == 2:
        return unsqueeze(tensor, -1)
    while len(tensor._size) < min(ndim, 2):
        tensor = unsqueeze(tensor, 0)
    return tensor if len(tensor._size) == ndim else unsqueeze(tensor, -1)


@operator("view", method=False, signatures=None)
def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension; a tuple if several are given."""
    return _at_least(1, tensors)


@operator("view", method=False, signatures=None)
def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions; a vector becomes a row."""
    return _at_least(2, tensors)


@operator("view", method=False, signatures=None)
def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions."""
    return _at_least(3, tensors)


def _inverse(dims: Any, ndim: int) -> tuple[int, ...]:
    """The order that undoes ``permute(*dims)``."""
    order = [geometry.wrap_dim(dim, max(ndim, 1)) for dim in ints("permute", dims or ((),), "(tuple of ints dims)")]
    return tuple([order.index(axis) for axis in range(ndim)])


# --- parts -----------------------------------------------------------------------------------------------------------


@operator(
    "view",
    signatures=("(Tensor input, int dim, Tensor start, int length)", "(Tensor input, int dim, int start, int length)"),
)
@derivative(
    node="SliceBackward0",
    input=lambda grad, input_size, dim, start, length: _unnarrowed(grad, input_size, dim, int(start), length),
)
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` positions of dimension `dim`, from `start` on."""
    if isinstance(start, Tensor) and (start._size or start._dtype.category != INTEGER):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    return view_of(input, *geometry.narrow(*header_of(input), dim, start, length))


def _unnarrowed(grad: Tensor, size: tuple[int, ...], dim: int, start: int, length: int) -> Tensor:
    start += size[dim] if start < 0 else 0
    return unsliced(grad, size, dim, start, start + length)


def _unselected(grad: Tensor, input_size: tuple[int, ...], dim: int, index: int) -> Tensor:
    return unselected(grad, input_size, dim, index)


@operator("view")
@derivative(input=_unselected)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One position of dimension `dim`, which goes away."""
    return view_of(input, *geometry.select(*header_of(input), dim, index))


def _undiagonal(grad: Tensor, input_size: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Tensor:
    return undiagonal(grad, input_size, offset, dim1, dim2)


@operator("view")
@derivative(input=_undiagonal)
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of dimensions `dim1` and `dim2` as a new last dimension: its stride is the sum of theirs."""
    return view_of(input, *geometry.diagonal(*header_of(input), offset, dim1, dim2))


@operator("view", function=False)
@derivative(
    input=lambda grad, input_size, dimension, size, step: gradient_of_unfold(grad, input_size, dimension, size, step)
)
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` along `dimension`, one every `step`, as a new last dimension. Windows may share cells."""
    return view_of(input, *geometry.unfold(*header_of(input), dimension, size, step))


@operator("view")
@derivative(input=as_strided_backward)
def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """A view with the given header on `input`'s storage, if it stays within the storage."""
    offset = input._offset if storage_offset is None else storage_offset
    if not isinstance(size, tuple | list) or not isinstance(stride, tuple | list):
        raise TypeError("as_strided() takes a size and a stride for each dimension")
    sizes, strides = ints("as_strided", (size,)), ints("as_strided", (stride,))
    header = geometry.as_strided(sizes, strides, offset, input._dtype.itemsize, input._storage.nbytes())
    return view_of(input, *header)


# --- complex numbers -------------------------------------------------------------------------------------------------


@operator("view", method=False)
@derivative(input=lambda grad: _complex_of(grad))
def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as pairs (real, imaginary) along a new last dimension."""
    if not input._dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if input._conj:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias "
            "the original."
        )
    return view_of(input, *geometry.view_as_real(*header_of(input)), input._dtype.to_real())


@operator("view", method=False)
@derivative(input=lambda grad: view_as_real(grad.resolve_conj()))
def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor whose last dimension holds pairs (real, imaginary), as complex numbers."""
    if input._dtype.name not in ("float32", "float64"):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{input._dtype.scalar_type}"
        )
    return view_of(input, *geometry.view_as_complex(*header_of(input)), input._dtype.to_complex())


reread.update({False: view_as_real, True: view_as_complex})


def _set_real(input: Tensor, value: Any) -> None:
    """Write a tensor or a number over the real parts; over all of a real tensor."""
    _write_part(input.real, value)


def _set_imag(input: Tensor, value: Any) -> None:
    """Write a tensor or a number over the imaginary parts: negated where the tensor is read conjugated."""
    if not input.is_conj():
        _write_part(input.imag, value)
        return
    stored = input.conj().imag
    if isinstance(value, Tensor):
        value = -value.to(stored.dtype)
    elif isinstance(value, int | float | complex):
        value = -value
    _write_part(stored, value)


def _write_part(part: Tensor, value: Any) -> None:
    if isinstance(value, Tensor):
        part.copy_(value)
    else:
        part[...] = value


@operator("view", method=False, attribute=True, setter=_set_real)
def real(input: Tensor) -> Tensor:
    """The real parts; a real tensor itself."""
    if not input._dtype.is_complex:
        return input
    if input._meta is not None:  # as PyTorch records it
        return select(view_as_real(conj(input) if input._conj else input), len(input._size), 0)
    return view_of(input, *geometry.real(*header_of(input)), input._dtype.to_real())


@operator("view", method=False, attribute=True, setter=_set_imag)
def imag(input: Tensor) -> Tensor:
    """The imaginary parts of a complex tensor."""
    if not input._dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if input._meta is not None:
        part = select(view_as_real(conj(input) if input._conj else input), len(input._size), 1)
        return -part if input._conj else part
    part = view_of(input, *geometry.imag(*header_of(input)), input._dtype.to_real())
    return -part if input._conj else part


@operator("view")
@derivative(node=lambda input: "ConjBackward0" if input.is_complex() else None, input=lambda grad: grad.conj())
def conj(input: Tensor) -> Tensor:
    """The conjugates: a view whose elements are conjugated when they are read. A real tensor itself."""
    if not input._dtype.is_complex:
        return input
    conjugated = view_of(input, *header_of(input))
    conjugated._conj = not input._conj
    return conjugated


@operator("view", function=True)
def is_conj(input: Tensor) -> bool:
    """Whether the elements are conjugated when they are read."""
    return input._conj


def _complex_of(grad: Tensor) -> Tensor:
    return view_as_complex(contiguous(grad))


# --- the same header, detached ----------------------------------------------------------------------------------------


@operator("view")
def detach(input: Tensor) -> Tensor:
    """The same elements without a history: shares storage and version counter, and is not a view for autograd."""
    storage = input._storage
    if storage._headers is None:
        storage.note(input)
    apart = make(storage, input._size, input._stride, input._offset, input._dtype)
    apart._counter = input._counter
    apart._conj = input._conj
    apart._meta = same_inference(input)
    return apart
