"""Ranges: tensors whose elements follow from their place: arange, linspace, logspace and the triangles' indices."""

from __future__ import annotations

import math
import warnings
from typing import Any, Unpack

from tensorglass import dtypes
from tensorglass.backends import Array
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import explained
from tensorglass.ops.factory import Options, factory, of_kernel, read_number, read_out_options
from tensorglass.tensor import Tensor


@factory()
def arange(start: Any = None, end: Any = None, step: Any = 1, *, out: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """The numbers from `start` (0 unless given) up to but not including `end`, `step` apart.

    ``arange(end)``, ``arange(start, end)``, ``arange(start, end, step)``. Ints give int64; one float among them gives
    the default dtype. Fractional steps are rounded: `linspace` says exactly how many elements there will be.
    """
    if end is None:
        start, end = 0, start
    if end is None:
        raise TypeError("arange() received an invalid combination of arguments - got (), but expected one of:\n"
                        " * (Number end)\n * (Number start, Number end, Number step = 1)")
    numbers = [read_number("arange", each, position, value) for position, (each, value) in enumerate(
        (("start", start), ("end", end), ("step", step)), start=1)]
    first, last, by = numbers
    whole = all(isinstance(number, int) for number in numbers)
    place = read_out_options("arange", options, out, dtypes.int64 if whole else None)
    count = _count(first, last, by, place.dtype)
    return of_kernel((count,), place, _arange, first, by, count, place.dtype, out=out)


def _count(start, end, step, dtype):
    return max(0, math.ceil((end - start) / step))


def _arange(xp, start, step, count, dtype):
    return start + xp.arange(count) * step
