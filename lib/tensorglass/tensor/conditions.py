"""Conditions that programs check: ``torch._check`` and its kin raise an error of a given kind where one does not hold.

PyTorch's compiler learns from them what it may assume; here they only check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.core import dtypes
from tensorglass.tensor.tensor import Tensor

Message = Callable[[], Any] | None

_UNNAMED = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def _check_with(error_type: type[Exception], cond: Any, message: Message) -> None:
    """Raise an error of this type, with what `message` returns, unless `cond` is True."""
    if isinstance(cond, Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert "
            "that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type(_UNNAMED)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: Any, message: Message = None) -> None:
    """RuntimeError, with what `message` returns, unless `cond` is True."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Message = None) -> None:
    """IndexError, with what `message` returns, unless `cond` is True."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    """ValueError, with what `message` returns, unless `cond` is True."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    """TypeError, with what `message` returns, unless `cond` is True."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    """NotImplementedError, with what `message` returns, unless `cond` is True."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: int, message: Message = None, *, max: int | None = None) -> None:
    """RuntimeError unless `i` is a size: not negative, and at most `max`."""
    _check(i >= 0 and (max is None or i <= max), message)


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    """RuntimeError unless all elements of a tensor are True."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not dtypes.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check(bool(cond.all()), message)


def _assert_async(input: Tensor, assert_msg: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """RuntimeError with this message where the one element of a tensor is zero. PyTorch raises it later on a GPU."""
    if not bool(input):
        raise RuntimeError(assert_msg)
