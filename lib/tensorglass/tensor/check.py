"""`torch._check` and its variants: a condition that must hold, or an error of the type that the name says.

The message is a function, which is only called when the check fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.tensor.tensor import Tensor

Message = Callable[[], object] | None


def _check_with(error_type: type[Exception], cond: bool, message: Message = None) -> None:
    """Raise an error of this type, with what `message` returns, unless `cond` is True."""
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        raise error_type("Expected cond to be True, but got False." if message is None else str(message()))


def _check_tensor_all_with(error_type: type[Exception], cond: Tensor, message: Message = None) -> None:
    """Raise an error of this type unless every element of a tensor of bools is True."""
    _check_with(error_type, bool(cond.all()), message)


def _of_type(error_type: type[Exception], check: Callable[..., None] = _check_with) -> Callable[..., None]:
    def check_this(cond: Any, message: Message = None) -> None:
        check(error_type, cond, message)

    check_this.__doc__ = f"Raise {error_type.__name__} unless `cond` is True."
    return check_this


_check = _of_type(RuntimeError)
_check_index = _of_type(IndexError)
_check_value = _of_type(ValueError)
_check_type = _of_type(TypeError)
_check_not_implemented = _of_type(NotImplementedError)
_check_tensor_all = _of_type(RuntimeError, _check_tensor_all_with)
