"""`Parameter` and `Buffer`: tensors that a module keeps. Parameters are learned; buffers are only part of its state.

A parameter is a tensor of a class that overrides nothing, so operators treat it like any other and their results are
plain tensors. A buffer stays a plain tensor with a mark.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import tensorglass as torch
from tensorglass.core.refusing import refusing
from tensorglass.ops.creation.factory import check_can_require_grad
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import disabled_torch_function

if TYPE_CHECKING:
    from tensorglass.nn.uninitialized import UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class _Marked(type):
    """Makes `isinstance` true for marked tensors of other classes, which can be parameters and buffers too."""

    _mark: str

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls in (Parameter, Buffer) and isinstance(instance, Tensor) and getattr(instance, cls._mark, False):
            return True
        return super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_Marked, is_plain=True):
    """A tensor that becomes one of a module's parameters when it is assigned to an attribute of the module.

    It is a leaf that shares the memory of `data`. Unlike other tensors it requires a gradient by default, in every grad
    mode.
    """

    __slots__ = ()
    _mark = "_is_param"

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = torch.empty(0)
        if type(data) in (Tensor, Parameter):
            if requires_grad:
                check_can_require_grad(data._dtype)
            return Tensor._make_subclass(cls, data, requires_grad)  # type: ignore[attr-defined]  # attached by `ops`
        marked = data.detach().requires_grad_(requires_grad)
        if type(marked) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(marked).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation."
            )
        vars(marked)["_is_param"] = True
        return marked

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copied = memo.get(id(self))
        if copied is None:
            copied = memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return copied

    def __repr__(self) -> str:  # type: ignore[override]  # as PyTorch's
        return f"Parameter containing:\n{super().__repr__()}"

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return rebuild, (type(self), self.data, self.requires_grad, self.__dict__ or None)

    __torch_function__ = classmethod(disabled_torch_function)


def rebuild(kind: type[Parameter], data: Tensor, requires_grad: bool, attributes: dict[str, Any] | None) -> Parameter:
    """The unpickled parameter, with the attributes that the user had set."""
    parameter: Parameter = kind(data, requires_grad)
    parameter.__dict__.update(attributes or {})
    return parameter


class Buffer(Tensor, metaclass=_Marked, is_plain=True):
    """A tensor that becomes a buffer of the module that it is assigned to: part of its state, but not learned.

    The state dictionary has it if it is `persistent`.
    """

    __slots__ = ()
    _mark = "_is_buffer"

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = torch.empty(0)
        marked: Any = data.detach().requires_grad_(data.requires_grad)
        marked.persistent = persistent
        marked._is_buffer = True
        return marked

    __torch_function__ = classmethod(disabled_torch_function)


class UninitializedTensorMixin:
    """The base class of parameters and buffers of lazy modules, whose sizes are not known yet."""

    cls_to_become: type[Tensor]
    data: Tensor

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an uninitialized tensor of this `shape`; `device` and `dtype` stay the same unless they are given."""
        data = self.data
        self.data = torch.empty(shape, device=device or data.device, dtype=dtype or data.dtype)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]  # the classes have one layout


def is_lazy(param: Any) -> bool:
    """Whether this is a parameter or buffer whose size is not known yet."""
    return isinstance(param, UninitializedTensorMixin)


_refuse = refusing("nn.parameter")


def __getattr__(name: str) -> Any:
    """The uninitialized classes are created late: they override operators, which makes all operators check for
    overrides.
    """
    if name in ("UninitializedBuffer", "UninitializedParameter"):
        return getattr(import_module("tensorglass.nn.uninitialized"), name)
    return _refuse(name)
