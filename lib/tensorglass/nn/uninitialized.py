"""Parameters and buffers of lazy modules, whose sizes are not known before the first call.

They override every operator, and refuse it. Overrides slow all operators down, so this module is imported when the
first of them is created.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.nn.parameter import Parameter, UninitializedTensorMixin
from tensorglass.tensor.tensor import Tensor

#: The methods and attributes that work without knowing the size.
_ALLOWED: set[Any] = {
    getattr(Tensor, name)
    for name in (
        "__hash__", "size", "copy_", "is_complex", "is_floating_point", "half", "float", "double", "char", "short",
        "int", "long", "cuda", "cpu", "to", "get_device", "detach", "requires_grad_",
    )
}  # fmt: skip


class _Uninitialized(UninitializedTensorMixin):
    _allowed_methods: ClassVar[set[Any]] = _ALLOWED
    requires_grad: bool

    @property
    def shape(self) -> Any:
        """Raises RuntimeError: there is no size yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> Any:
        """Raises RuntimeError: there is no memory yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return type(self), (self.requires_grad,)

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func in _ALLOWED or type(func).__name__ == "method-wrapper":
            with torch._C.DisableTorchFunctionSubclass():
                result = func(*args, **(kwargs or {}))
            is_parameter = issubclass(cls, Parameter)  # whose attributes, such as `x.data`, are plain tensors
            return result if is_parameter or type(result) is not Tensor else result.as_subclass(cls)
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
            "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch functions"
        )


class UninitializedParameter(_Uninitialized, Parameter):  # type: ignore[misc]  # `__repr__`, as PyTorch's
    """A parameter whose size is not known yet. It can be converted, moved, and materialized."""

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)  # type: ignore[attr-defined]  # attached by `ops`

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copied = memo.get(id(self))
        if copied is None:
            copied = memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return copied


class UninitializedBuffer(_Uninitialized, Tensor):  # type: ignore[misc]  # as above
    """A buffer whose size is not known yet."""

    __slots__ = ()
    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        result = Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)  # type: ignore[attr-defined]  # as above
        result.persistent, result._is_buffer = persistent, True
        return result
