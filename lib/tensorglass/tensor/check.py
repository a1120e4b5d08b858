"""`torch._check` and its variants: a condition that must hold, or an error of the type that the name says.

The message is a function, which is only called when the check fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.core import dtypes
from tensorglass.tensor.tensor import Tensor

Message = Callable[[], object] | None

_DEFAULT = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def _check_with(error_type: type[Exception], cond: bool, message: Message) -> None:
    """Raise an error of this type, with what `message` returns, unless `cond` is True."""
    if not isinstance(cond, bool):
        if isinstance(cond, Tensor):
            raise TypeError(
                "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert "
                "that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        raise error_type(_told(message))


def _told(message: Any) -> str:
    if message is None:
        return _DEFAULT
    if not callable(message):
        raise TypeError("message must be a callable")
    return str(message())


def _check(cond: bool, message: Message = None) -> None:
    """Raise RuntimeError unless `cond` is True.

    >>> torch._check(1 < 2, lambda: "numbers are in order")
    """
    _check_with(RuntimeError, cond, message)


def _check_index(cond: bool, message: Message = None) -> None:
    """Raise IndexError unless `cond` is True."""
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: Message = None) -> None:
    """Raise ValueError unless `cond` is True."""
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: Message = None) -> None:
    """Raise TypeError unless `cond` is True."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: Message = None) -> None:
    """Raise NotImplementedError unless `cond` is True."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Tensor, message: Message = None) -> None:
    """Raise an error of this type unless every element of a tensor of bools is True."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond._dtype is not dtypes.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond._dtype!r}")
    _check_with(error_type, bool(cond.all()), message)


def _check_tensor_all(cond: Tensor, message: Message = None) -> None:
    """Raise RuntimeError unless every element of a tensor of bools is True."""
    _check_tensor_all_with(RuntimeError, cond, message)
