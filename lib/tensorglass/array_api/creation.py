"""The standard's functions that make arrays: a size may be one int, and `linspace` may leave the end out."""

from __future__ import annotations

from typing import Any, Literal

import tensorglass as torch
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

Place = Device | str | None


def _size(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: DType | None = None, device: Place = None
) -> Tensor:
    """``start, start + step, …`` up to `stop`, which is left out; of no elements where `step` leads away from it."""
    if stop is None:
        start, stop = 0, start
    if (stop - start) * step < 0:  # PyTorch refuses what the standard answers with no elements
        start = stop = type(start + stop + step)(0)  # a zero whose type decides the dtype
    return torch.arange(start, stop, step, dtype=dtype, device=device)


def asarray(obj: Any, /, *, dtype: DType | None = None, device: Place = None, copy: bool | None = None) -> Tensor:
    """`obj` (numbers, nested sequences of them, arrays) as a tensor. `copy` True always copies, False refuses to."""
    return torch.asarray(obj, dtype=dtype, device=device, copy=copy)


def empty(shape: int | tuple[int, ...], *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor that is not initialized."""
    return torch.empty(_size(shape), dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor of the size of `x` that is not initialized."""
    return torch.empty_like(x, dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DType | None = None, device: Place = None
) -> Tensor:
    """A matrix with ones on its `k`-th diagonal, counted upwards from the main one, and zeros elsewhere."""
    result: Tensor = torch.zeros(n_rows, n_rows if n_cols is None else n_cols, dtype=dtype, device=device)
    if -result._size[0] < k < result._size[1]:
        result.diagonal(k).fill_(1)
    return result


def from_dlpack(x: Any, /, *, device: Place = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array: `tensorglass.from_dlpack`."""
    return torch.from_dlpack(x, device=device, copy=copy)


def full(
    shape: int | tuple[int, ...], fill_value: complex, *, dtype: DType | None = None, device: Place = None
) -> Tensor:
    """A tensor filled with one number, of that number's dtype if none is given."""
    return torch.full(_size(shape), fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: complex, *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor of the size of `x`, filled with one number."""
    return torch.full_like(x, fill_value, dtype=dtype, device=device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: Place = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` numbers from `start` to `stop`, evenly spaced; with `endpoint` False `stop` itself is left out."""
    if dtype is None and (isinstance(start, complex) or isinstance(stop, complex)):
        dtype = torch.get_default_dtype().to_complex()
    if endpoint:
        return torch.linspace(start, stop, num, dtype=dtype, device=device)
    return torch.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> list[Tensor]:
    """The coordinates of a grid: one array for each dimension. "xy" counts the first two as columns and rows."""
    return list(torch.meshgrid(*arrays, indexing=indexing)) if arrays else []


def ones(shape: int | tuple[int, ...], *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor of ones."""
    return torch.ones(_size(shape), dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """Ones in the size of `x`."""
    return torch.ones_like(x, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Matrices with zeros above the `k`-th diagonal."""
    return torch.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Matrices with zeros below the `k`-th diagonal."""
    return torch.triu(x, k)


def zeros(shape: int | tuple[int, ...], *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor of zeros."""
    return torch.zeros(_size(shape), dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """Zeros in the size of `x`."""
    return torch.zeros_like(x, dtype=dtype, device=device)
