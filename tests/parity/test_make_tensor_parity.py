"""`testing.make_tensor` beside PyTorch's: sizes, strides, ranges and refusals; the numbers are drawn by chance."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest
import torch

import tensorglass

DTYPES = ("bool", "uint8", "int8", "int64", "uint16", "float16", "bfloat16", "float32", "float64", "complex64")
RANGES = (
    (None, None), (0, 1), (-3.7, 4.5), (2.2, 2.8), (5, 5), (2, 1), (math.nan, 1), (None, -20), (20, None),
    (-math.inf, math.inf), (200, 300), (1e50, 1e60),
)  # fmt: skip
CALLS: tuple[dict[str, Any], ...] = (
    {}, {"noncontiguous": True}, {"requires_grad": True}, {"exclude_zero": True},
    {"memory_format": "channels_last"}, {"memory_format": "channels_last", "noncontiguous": True},
)  # fmt: skip


def _made(library: Any, shape: tuple[Any, ...], dtype: str, **options: Any) -> Any:
    """The tensor, or how it is refused."""
    if "memory_format" in options:
        options["memory_format"] = getattr(library, options["memory_format"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that low and high may not be equal in the future
        try:
            return library.testing.make_tensor(*shape, dtype=getattr(library, dtype), device="cpu", **options)
        except Exception as error:
            return f"{type(error).__name__}: {error}".splitlines()[0]


def _header(made: Any) -> Any:
    return made if isinstance(made, str) else (repr(made.dtype), tuple(made.shape), made.stride(), made.requires_grad)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bounds", RANGES, ids=str)
def test_the_range_is_pytorchs(dtype: str, bounds: tuple[Any, Any]) -> None:
    ours, theirs = (_made(library, (2000,), dtype, low=bounds[0], high=bounds[1]) for library in (tensorglass, torch))
    assert _header(ours) == _header(theirs)
    if not isinstance(ours, str) and math.inf not in map(abs, (bound or 0 for bound in bounds)):
        numbers = [made.to(library.complex128) for made, library in ((ours, tensorglass), (theirs, torch))]
        for part in ("real", "imag"):
            one, other = (getattr(each, part) for each in numbers)
            spread = float(other.max() - other.min())
            assert abs(float(one.min()) - float(other.min())) <= 0.02 * spread
            assert abs(float(one.max()) - float(other.max())) <= 0.02 * spread


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "bool"])
@pytest.mark.parametrize("shape", [(3, 4), ((3, 4),), ([2],), (), ((),), (0, 3), (2, 3, 4, 5), (3, 1)], ids=str)
@pytest.mark.parametrize("options", CALLS, ids=str)
def test_sizes_and_strides_are_pytorchs(dtype: str, shape: tuple[Any, ...], options: dict[str, Any]) -> None:
    ours, theirs = (_made(library, shape, dtype, **options) for library in (tensorglass, torch))
    assert _header(ours) == _header(theirs)


def test_zero_is_left_out_where_it_is_asked_to_be() -> None:
    made = tensorglass.testing.make_tensor(
        500, dtype=tensorglass.int64, device="cpu", low=-1, high=2, exclude_zero=True
    )
    assert sorted(set(made.tolist())) == [-1, 1]


def test_what_is_no_dtype_is_refused() -> None:
    def refused(library: Any) -> str:
        with pytest.raises(TypeError) as caught:
            library.testing.make_tensor(2, dtype="a", device="cpu")
        return str(caught.value)

    assert refused(tensorglass) == refused(torch)
