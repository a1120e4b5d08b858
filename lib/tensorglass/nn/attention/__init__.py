"""Choosing an implementation of `nn.functional.scaled_dot_product_attention`. Here there is only the formula itself.

PyTorch has several, and programs choose among them. The choice is stored and can be read back; results do not change.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from tensorglass.backends.cuda import attention

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(Enum):
    """PyTorch's implementations; `MATH` is the formula, the others need less memory."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: SDPBackend | list[SDPBackend], set_priority: bool = False) -> Iterator[dict[str, object]]:
    """A ``with`` block in which PyTorch would choose among `backends`, in their order if `set_priority`."""
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    before = dict(attention)
    attention.update({way: SDPBackend[way] in chosen for way in attention})
    try:
        yield {}
    finally:
        attention.update(before)
