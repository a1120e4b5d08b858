"""Rewriting a header: set_, resize_ and their siblings, views in place (squeeze_, t_, transpose_), and as_subclass.

They change a tensor's header and move no element. Other tensors on the storage are not affected. Still, an in-place
view counts as a write, as in PyTorch, because the tensor's contents have changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from tensorglass import geometry
from tensorglass.core import memory_format as formats
from tensorglass.core.dtypes import C_NAMES, FLOATING
from tensorglass.core.errors import explained
from tensorglass.core.memory_format import contiguous_format, preserve_format
from tensorglass.graph import inplace
from tensorglass.graph.derivative import Derivative, derivative
from tensorglass.graph.formula_node import FormulaNode, node_class
from tensorglass.graph.recorder import Recorder, is_recorded, recorded
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.arg_parser.bool_arguments import Stated
from tensorglass.ops.arg_parser.checks import ints, invalid_combination, type_name
from tensorglass.ops.arg_parser.wrap import explaining
from tensorglass.ops.copies.copy import format_strides, settle_gained, suggested_format
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import no_derivative
from tensorglass.ops.derivatives.view_nodes import alias
from tensorglass.ops.views.shape import as_strided, detach, squeeze, swapaxes, transpose, unsqueeze
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor.autograd_meta import like, requires_grad
from tensorglass.tensor.construct import make, view_of
from tensorglass.tensor.set_header import make_room, point, resize
from tensorglass.tensor.tensor import Tensor, header_of
from tensorglass.tensor.torch_function import on_plain_self
from tensorglass.tensor.version_counter import VersionCounter


@operator(
    "header",
    function=False,
    signatures=(
        "(Tensor input)",
        "(Tensor input, torch.Storage source)",
        "(Tensor input, torch.Storage source, int storage_offset, tuple of ints size, tuple of ints stride = None)",
        "(Tensor input, Tensor source)",
        "(Tensor input, Tensor source, int storage_offset, tuple of ints size, tuple of ints stride = None)",
    ),
)
def set_(
    input: Tensor,
    source: Stated = None,
    storage_offset: int = 0,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
) -> Tensor:
    """Point the header at another storage: that of a tensor, a storage as a whole, or a part of one.

    A storage that is too short for the header asked for is made longer, as `resize_` does.
    """
    if source is None:
        source = UntypedStorage(0, device=input._storage.device)
    if isinstance(source, Tensor):
        if source._dtype is not input._dtype:
            raise RuntimeError(
                f"Could not set tensor of type {C_NAMES[source._dtype]} to a tensor of type {C_NAMES[input._dtype]}"
            )
        storage = source._storage
        storage.note(source)
    elif isinstance(source, (UntypedStorage, TypedStorage)):
        storage = _untyped(input, source)
    else:
        raise invalid_combination("set_", (source,), "()", "(Storage source)", "(Tensor source)")
    node = _refused_history(input, source)
    if size is not None:
        first = source._offset if isinstance(source, Tensor) else 0
        header = _header_on(input, storage, size, stride, storage_offset + first)
    elif isinstance(source, Tensor):
        header = header_of(source)
    else:
        header = (storage.nbytes() // input._dtype.itemsize,), (1,), 0
    input._written()
    point(input, storage, *header)
    if node is not None:
        node.outputs = (like(input),)
        inplace.rebase(input, node)
    if input._meta is not None:
        input._meta.accumulate = None  # earlier results no longer depend on this leaf
    return input


def _untyped(input: Tensor, source: UntypedStorage | TypedStorage) -> UntypedStorage:
    if isinstance(source, UntypedStorage):
        return source
    if source.dtype is not input._dtype:
        raise explained(
            RuntimeError(
                f"Expected a Storage of type {C_NAMES[input._dtype]} or an UntypedStorage, but got type "
                f"{source.dtype.scalar_type} for argument 1 'storage'"
            ),
            "An untyped storage fits every dtype: pass storage.untyped().",
        )
    return source.untyped()


def _header_on(
    input: Tensor, storage: UntypedStorage, size: Sequence[int], stride: Sequence[int] | None, offset: int
) -> geometry.Header:
    """Set the header; the storage grows for it, unless the tensor already has this size and stride."""
    expected = "(Storage source, int storage_offset, tuple of ints size, tuple of ints stride)"
    sizes, offset = ints("set_", (tuple(size),), expected), index(offset)
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    itemsize = input._dtype.itemsize
    if stride is None:
        geometry.checked_numel(sizes)
        strides = geometry.contiguous_strides(sizes)
        needed = geometry.storage_nbytes(sizes, strides, offset, itemsize)
        if sizes == input._size:
            _check_reach(needed, sizes, (), offset, itemsize, storage)
            return sizes, input._stride, offset
        make_room(storage, needed)
        return sizes, strides, offset
    strides = ints("set_", (tuple(stride),), expected)
    if len(strides) != len(sizes):
        raise RuntimeError(f"unequal size length ({len(sizes)}) and stride length ({len(strides)})")
    admitted = geometry.checked_strides(sizes, strides)
    needed = geometry.storage_nbytes(sizes, strides, offset, itemsize)
    if sizes == input._size and strides == input._stride:
        _check_reach(needed, sizes, strides, offset, itemsize, storage)
    make_room(storage, needed)
    return sizes, admitted, offset


def _check_reach(
    needed: int, size: tuple[int, ...], stride: tuple[int, ...], offset: int, itemsize: int, storage: UntypedStorage
) -> None:
    if needed > storage.nbytes():
        raise explained(
            RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
                f"{itemsize} requiring a storage size of {needed} are out of bounds for storage of size "
                f"{storage.nbytes()}"
            ),
            "A storage is made longer only for a header of another size or stride than the tensor has now.",
        )


def _refused_history(input: Tensor, source: Any) -> FormulaNode | None:
    """The node of a recorded `set_`, which passes no gradient; None if there is nothing to record.

    Refuses to give another storage to a tensor that the graph needs as it is.
    """
    if input._meta is not None:
        inplace.check_inference(input)
    if not is_recorded((input, source)) or input._dtype.category < FLOATING:
        return None
    inplace.check(input)
    return _set_recorder.begin((input, source))


_refuse = no_derivative("set_")
_set_derivative = Derivative({"input": _refuse, "source": _refuse}, "NotImplemented")
_set_recorder = Recorder(_set_derivative, "set_", ("input", "source"))


def _set_data(input: Tensor, new_data: Tensor) -> None:
    """``x.data = y``: `x` takes over the storage, header and dtype of `y`."""
    if not isinstance(new_data, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type_name(new_data)}")
    if new_data._dtype.category < FLOATING and requires_grad(input):
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    is_alike = new_data._dtype is input._dtype and new_data._storage.device == input._storage.device
    if input._meta is not None and not is_alike:
        input._meta.accumulate = None  # it converts gradients to the old dtype
    new_data._storage.note(new_data)
    point(input, new_data._storage, new_data._size, new_data._stride, new_data._offset)
    input._dtype, input._conj = new_data._dtype, new_data._conj


@operator("view", function=False, method=False, attribute=True, setter=_set_data)
def data(input: Tensor) -> Tensor:
    """A detached tensor on the same elements, whose in-place writes autograd does not see."""
    apart = detach(input)
    apart._counter = VersionCounter()
    return apart


@operator("header", function=False)
def resize_(input: Tensor, *size: Any, memory_format: formats.memory_format | None = None) -> Tensor:
    """Give the header another size, contiguous from its offset on. The storage grows if need be, and never shrinks;
    elements that it gains are not initialized. A header that has the size stays, unless a format is given.
    """
    if input._meta is not None and requires_grad(input):
        raise explained(
            RuntimeError("cannot resize variables that require grad"),
            "The gradient would have the old size. Resize x.detach(), or make a new tensor.",
        )
    sizes = ints("resize_", size, "(tuple of ints size, *, torch.memory_format memory_format = None)")
    geometry.checked_numel(sizes)
    geometry.contiguous_nbytes(sizes, input._dtype.itemsize)  # raises if the number of bytes overflows
    if sizes == input._size and memory_format is None:
        return input
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    strides = format_strides(sizes, sizes, memory_format or contiguous_format)
    nbytes = input._storage._nbytes
    resize(input, sizes, strides)
    input._written()
    settle_gained(input, nbytes)
    return input


@operator("header", function=False)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: formats.memory_format | None = None) -> Tensor:
    """`input.resize_(the_template.size())`; `preserve_format` is the format that the template seems to have."""
    if memory_format is preserve_format:
        memory_format = suggested_format(the_template)
    return resize_(input, the_template._size, memory_format=memory_format)


@operator("header")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both tensors have the same size."""
    return input._size == other._size


@operator("header", function=False)
def requires_grad_(input: Tensor, requires_grad: bool = True) -> Tensor:
    """Set `requires_grad`, and return the tensor."""
    set_requires_grad(input, requires_grad, "floating point dtype")
    return input


@operator("header", function=False)
def detach_(input: Tensor) -> Tensor:
    """Cut the tensor off from the graph: it becomes a leaf that requires no gradient."""
    if input._base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    if input._meta is not None:
        meta = input._meta
        if meta.grad_fn is not None:  # its hooks stay with it
            meta.hooks = input._backward_hooks
        meta.grad_fn, meta.output_nr, meta.requires_grad = None, 0, False
        input._array = None  # so that nodes that have saved the tensor notice that it has become a leaf
    return input


# Calls that the class itself answers raise the same errors as operators.
for _question in (Tensor.size, Tensor.stride, Tensor.is_set_to, Tensor.is_contiguous):
    setattr(Tensor, _question.__name__, explaining(_question, _question.__name__, is_method=True))

# --- views in place --------------------------------------------------------------------------------------------------


def _take_history(input: Tensor, node: FormulaNode) -> None:
    """Make `node` the history of `input`, which has just become this view of itself. Its base stays the same."""
    name, _, number = node.name().rpartition("Backward")
    shift = 3 if name == "Squeeze" else 1  # PyTorch numbers the forms in place after the others
    node.__class__ = node_class(f"{name}Backward{int(number) + shift}", node.blueprint.derivative)
    inplace.replace_history(input, node)
    if input._base is not None:
        input._seen = input._version


def _declare_in_place(name: str, view: Callable[..., Any], *signatures: str) -> None:
    def relabel(input: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        if input._meta is not None:
            inplace.check_inference(input)
            if is_recorded((input,)):
                inplace.check(input)
        seen = view(input, *arguments, **keywords)
        point(input, input._storage, seen._size, seen._stride, seen._offset)
        input._written()
        if seen._meta is not None and seen._meta.grad_fn is not None:
            _take_history(input, seen._meta.grad_fn)
        return input

    relabel.__name__ = relabel.__qualname__ = name
    relabel.__doc__ = f"`{name[:-1]}` in place: gives this tensor the header that the view would have."
    relabel.__signature__ = inspect.signature(view)  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
    vars(relabel)["looked_at_as"] = view
    operator("header", function=name == "as_strided_", signatures=signatures)(relabel)


@derivative(input=lambda grad: grad.t())
def _t(input: Tensor) -> Tensor:
    return view_of(input, *geometry.t(*header_of(input), name="t_"))


_declare_in_place("as_strided_", as_strided)
_declare_in_place("squeeze_", squeeze, "(Tensor input)", "(Tensor input, int dim)", "(Tensor input, tuple of ints dim)")
_declare_in_place("swapaxes_", swapaxes)
_declare_in_place("swapdims_", transpose)
_t.__name__ = "t"
_declare_in_place("t_", recorded(_t))
_declare_in_place("transpose_", transpose)
_declare_in_place("unsqueeze_", unsqueeze)


# --- another class ---------------------------------------------------------------------------------------------------
# See `tensor.torch_function` for how operators treat tensors of subclasses.


def _checked_class(cls: Any) -> type[Tensor]:
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise explained(
            TypeError(
                "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure "
                "your class inherits from Tensor."
            ),
            f"Write class {cls.__name__}(torch.Tensor): …",
        )
    return cls


@operator("view", function=False, signatures=("(Tensor input, cls)",))
def as_subclass(input: Tensor, cls: Any) -> Tensor:
    """A view of the whole tensor of a subclass of Tensor, as results of operators on it will be.

    TypeError if `cls` is no such class.
    """
    view = on_plain_self(alias)(input)
    view.__class__ = _checked_class(cls)
    return view


def _make_subclass(cls: Any, data: Tensor, require_grad: bool = False) -> Tensor:
    """A tensor of a class on the memory of `data`: a leaf of its own, as parameters are made."""
    data._storage.note(data)
    result = make(data._storage, *header_of(data), data._dtype)
    result._counter, result._conj = data._counter, data._conj
    result.__class__ = _checked_class(cls)
    set_requires_grad(result, require_grad)
    return result


setattr(Tensor, "_make_subclass", staticmethod(_make_subclass))  # noqa: B010  # mypy knows no such name
