"""Python's copy, deepcopy and pickle of tensors. Tensors that shared a storage still share one afterwards."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorglass import geometry
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.declare.registry import operator
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.autograd_meta import meta_of
from tensorglass.tensor.construct import make
from tensorglass.tensor.hooks import warn_if_has_hooks
from tensorglass.tensor.tensor import Tensor, header_of
from tensorglass.tensor.torch_function import DisableTorchFunctionSubclass
from tensorglass.tensor.version_counter import VersionCounter


def _same_header_on(input: Tensor, storage: UntypedStorage) -> Tensor:
    tensor = make(storage, *header_of(input), input._dtype)
    tensor._conj = input._conj
    set_requires_grad(tensor, input.requires_grad)
    return tensor


@operator("copy", function=False, method=False, dunders=("__copy__",))
def __copy__(input: Tensor) -> Tensor:
    """`copy.copy`: another header on the same storage."""
    warn_if_has_hooks(input)
    input._storage.note(input)
    tensor = _same_header_on(input, input._storage)
    _count_a_write(tensor)
    if type(input) is not Tensor:
        tensor = tensor.as_subclass(type(input))
    tensor.__dict__.update(input.__dict__)
    return tensor


def _count_a_write(tensor: Tensor) -> None:
    """PyTorch makes such copies by `set_`, which counts as a write; a copy on a shared storage has its own version
    counter."""
    tensor._counter = VersionCounter(1)


@operator("copy", function=False, method=False, dunders=("__deepcopy__",))
def __deepcopy__(input: Tensor, memo: dict[int, Any]) -> Tensor:
    """`copy.deepcopy`: the same header on a copy of the whole storage, however small the part that it uses."""
    if not input.is_leaf:
        raise explained(
            RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment.  If you were attempting to deepcopy a module, this may be because of a "
                "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            ),
            "A copy cannot take the graph along that this tensor came out of. Copy x.detach(), or write x.clone().",
        )
    copied: Tensor | None = memo.get(id(input))
    if copied is None:
        if type(input) is not Tensor:
            copied = _of_its_class(input, memo)
        elif input._conj:  # the copy's elements are conjugated
            copied = input.detach().clone()
            set_requires_grad(copied, input.requires_grad)
        else:
            copied = _same_header_on(input, input._storage.__deepcopy__(memo))
            _count_a_write(copied)
        memo[id(input)] = copied
        from copy import deepcopy  # imported when needed, to keep the library's import fast

        copied.__dict__.update(deepcopy(input.__dict__, memo))
        if input._meta is not None and input._meta.grad is not None:
            meta_of(copied).grad = __deepcopy__(input._meta.grad, memo)
    return copied


def _of_its_class(input: Tensor, memo: dict[int, Any]) -> Tensor:
    """The copy of a tensor of a subclass. RuntimeError, as in PyTorch, where the class has no own `new_empty`."""
    tensor: Tensor = input.new_empty([])
    if type(tensor) is not type(input):
        raise explained(
            RuntimeError(
                "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types "
                "that implement new_empty() and for which that function returns another instance of the same subclass. "
                "You should either properly implement new_empty() for your subclass or override __deepcopy__() if it "
                "is intended behavior for new_empty() to return an instance of a different type."
            ),
            f"x.clone() is a copy of the elements, of class {type(input).__name__}.",
        )
    size, stride, offset = header_of(input)
    tensor.set_(input._storage.__deepcopy__(memo), offset, size, stride)
    set_requires_grad(tensor, input.requires_grad)
    return tensor


@operator("copy", function=False, method=False, dunders=("__reduce_ex__",))
def __reduce_ex__(input: Tensor, protocol: int) -> tuple[Any, ...]:
    """`pickle`: the header, its whole storage and the user's attributes; tensors pickled together share a storage
    again. A function and its arguments, as in PyTorch, where a class makes something of them, or there is no more.
    """
    warn_if_has_hooks(input)
    kind = type(input)
    rebuilding = (rebuild, parts(input)) if kind is Tensor else (rebuild_as, (kind, *parts(input)))
    if not input.__dict__:
        return rebuilding
    if kind.__reduce_ex__ is not Tensor.__reduce_ex__:
        return _rebuild_with, (*rebuilding, input.__dict__)
    return *rebuilding, input.__dict__, None, None, hang


def _rebuild_with(function: Any, arguments: tuple[Any, ...], attributes: dict[str, Any]) -> Tensor:
    tensor: Tensor = function(*arguments)
    hang(tensor, attributes)
    return tensor


@operator("copy", function=False, method=False, dunders=("__setstate__",))
def __setstate__(input: Tensor, state: Any) -> None:
    """The state of old pickles: requires_grad, nothing and hooks; or the arguments of `set_`."""
    if not input.is_leaf:
        raise RuntimeError("__setstate__ can be only called on leaf Tensors")
    if len(state) == 4:
        input.set_(*state)
        return
    requires_grad, _, _hooks = state  # hooks are not restored
    set_requires_grad(input, requires_grad)


def parts(input: Tensor) -> tuple[Any, ...]:
    """The arguments of `rebuild`."""
    input._storage.note(input)
    return input._storage, *header_of(input), input._dtype, input.requires_grad, input._conj


def rebuild(
    storage: UntypedStorage,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    offset: int,
    dtype: DType,
    requires_grad: bool,
    conj: bool,
) -> Tensor:
    """Unpickle a tensor. Raises RuntimeError unless the storage holds all its elements."""
    size, stride, offset = geometry.as_strided(size, stride, offset, dtype.itemsize, storage.nbytes())
    tensor = make(storage, size, stride, offset, dtype)
    tensor._conj = conj
    set_requires_grad(tensor, requires_grad)
    _count_a_write(tensor)
    return tensor


def rebuild_parameter(data: Tensor, requires_grad: bool) -> Tensor:
    """The `nn.Parameter` on the memory of `data`. `nn`, a higher layer, is imported here."""
    parameter: Tensor = import_module("tensorglass.nn.parameter").Parameter(data.detach(), requires_grad)
    return parameter


def rebuild_as(kind: type[Tensor], *given: Any) -> Tensor:
    """Unpickle a tensor of a subclass."""
    with DisableTorchFunctionSubclass():
        return rebuild(*given).as_subclass(kind)


def hang(tensor: Tensor, attributes: dict[str, Any]) -> None:
    """Set the attributes that the user had set on a tensor."""
    tensor.__dict__.update(attributes)
