"""``x.real = y`` and ``x.imag = y``: elements written where the parts of complex numbers lie.

The parts are views, so to set them is to copy into them.
"""

from __future__ import annotations

from typing import Any

from tensorglass.tensor.tensor import Tensor


def set_real(input: Tensor, value: Any) -> None:
    """Write a tensor or a number over the real parts; over all of a real tensor."""
    _write_part(input.real, value)


def set_imag(input: Tensor, value: Any) -> None:
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
