"""The error for a dtype that PyTorch has not written a kernel for."""

from __future__ import annotations

from tensorglass.core.dtypes import dtype as DType


def not_implemented(kernel_name: str, dtype: DType) -> NotImplementedError:
    """PyTorch's error, by the name of its kernel."""
    return NotImplementedError(f"\"{kernel_name}\" not implemented for '{dtype.scalar_type}'")
