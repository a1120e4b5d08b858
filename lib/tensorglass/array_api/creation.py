"""The standard's functions that make arrays: a size may be one int, and `linspace` may leave the end out."""

from __future__ import annotations

from typing import Any, Literal

import tensorglass as torch
from tensorglass.array_api.unsigned import for_every_dtype
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

Place = Device | str | None


def _size(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


@for_every_dtype
def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: DType | None = None, device: Place = None
) -> Tensor:
    """``start, start + step, …`` up to `stop`, which is left out; of no elements where `step` leads away from it."""
    if stop is None:
        start, stop = 0, start
    if (stop - start) * step < 0:  # PyTorch refuses what the standard answers with no elements
        start = stop = type(start + stop + step)(0)  # of the kind that decides on the dtype
    made: Tensor = torch.arange(start, stop, step, dtype=dtype, device=device)
    return made


def asarray(obj: Any, /, *, dtype: DType | None = None, device: Place = None, copy: bool | None = None) -> Tensor:
    """`obj` (numbers, nested sequences of them, arrays) as a tensor. `copy` True always copies, False refuses to."""
    made: Tensor = torch.asarray(obj, dtype=dtype, device=device, copy=copy)
    return made


def empty(shape: int | tuple[int, ...], *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor that is not initialised."""
    made: Tensor = torch.empty(_size(shape), dtype=dtype, device=device)
    return made


def empty_like(x: Tensor, /, *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor of the size of `x` that is not initialised."""
    made: Tensor = torch.empty_like(x, dtype=dtype, device=device)
    return made


@for_every_dtype
def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DType | None = None, device: Place = None
) -> Tensor:
    """A matrix with ones on its `k`-th diagonal, counted upwards from the main one, and zeros elsewhere."""
    made: Tensor = torch.zeros(n_rows, n_rows if n_cols is None else n_cols, dtype=dtype, device=device)
    if -made._size[0] < k < made._size[1]:
        made.diagonal(k).fill_(1)
    return made


def from_dlpack(x: Any, /, *, device: Place = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array: `tensorglass.from_dlpack`."""
    made: Tensor = torch.from_dlpack(x, device=device, copy=copy)
    return made


def full(
    shape: int | tuple[int, ...], fill_value: complex, *, dtype: DType | None = None, device: Place = None
) -> Tensor:
    """A tensor filled with one number, of that number's dtype if none is given."""
    made: Tensor = torch.full(_size(shape), fill_value, dtype=dtype, device=device)
    return made


def full_like(x: Tensor, /, fill_value: complex, *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor of the size of `x`, filled with one number."""
    made: Tensor = torch.full_like(x, fill_value, dtype=dtype, device=device)
    return made


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
        made: Tensor = torch.linspace(start, stop, num, dtype=dtype, device=device)
        return made
    return torch.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> list[Tensor]:
    """The coordinates of a grid: one array for each dimension. "xy" counts the first two as columns and rows."""
    return list(torch.meshgrid(*arrays, indexing=indexing)) if arrays else []


def ones(shape: int | tuple[int, ...], *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor of ones."""
    made: Tensor = torch.ones(_size(shape), dtype=dtype, device=device)
    return made


def ones_like(x: Tensor, /, *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """Ones in the size of `x`."""
    made: Tensor = torch.ones_like(x, dtype=dtype, device=device)
    return made


@for_every_dtype
def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Matrices with zeros above the `k`-th diagonal."""
    made: Tensor = torch.tril(x, k)
    return made


@for_every_dtype
def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Matrices with zeros below the `k`-th diagonal."""
    made: Tensor = torch.triu(x, k)
    return made


def zeros(shape: int | tuple[int, ...], *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """A tensor of zeros."""
    made: Tensor = torch.zeros(_size(shape), dtype=dtype, device=device)
    return made


def zeros_like(x: Tensor, /, *, dtype: DType | None = None, device: Place = None) -> Tensor:
    """Zeros in the size of `x`."""
    made: Tensor = torch.zeros_like(x, dtype=dtype, device=device)
    return made
