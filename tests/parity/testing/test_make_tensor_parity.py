"""`testing.make_tensor` beside PyTorch's: sizes, strides, ranges, refusals, and numbers, which the seed decides."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest
import torch
from parity.steps import disagreement

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


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_zero_is_left_out_of_unsigned_integers(dtype: str) -> None:
    made = tensorglass.testing.make_tensor(
        40, dtype=getattr(tensorglass, dtype), device="cpu", low=0, high=2, exclude_zero=True
    )
    assert set(made.tolist()) == {1}


def test_what_is_no_dtype_is_refused() -> None:
    def refused(library: Any) -> str:
        with pytest.raises(TypeError) as caught:
            library.testing.make_tensor(2, dtype="a", device="cpu")
        return str(caught.value)

    assert refused(tensorglass) == refused(torch)


# --- from the same seed -----------------------------------------------------------------------------------------------

EVERY_DTYPE = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128",
)  # fmt: skip
EVERY_RANGE = (
    (0, 1), (None, 5), (-1000, 1000), (5, 5), (6, 5), ("math.nan", 1), ("-math.inf", "math.inf"), (-1e300, 1e300),
    (0.5, 3.2), (20, None), (-500, -400), (0, 2**63), (-(2**70), 2**70), (True, 3),
)  # fmt: skip
LAYOUTS = (
    "(2,3,4,2)", "2,3,noncontiguous=True", "(),noncontiguous=True", "(0,3),noncontiguous=True", "torch.Size([2,1])",
    "(2,3,2,2),memory_format=torch.channels_last", "40,low=-1,high=1,exclude_zero=True", "[3],requires_grad=True",
    "2,noncontiguous=True,memory_format=torch.preserve_format", "40,low=0,high=2,exclude_zero=True",
)  # fmt: skip


def _program(arguments: str) -> str:
    return (
        f"s=torch.manual_seed(3).seed and 0 ;; x=torch.testing.make_tensor({arguments},device='cpu') ;; x.requires_grad"
    )


#: Zeros are replaced by `masked_fill`, which PyTorch does not have for these.
WITHOUT_MASKED_FILL = ("uint16", "uint32", "uint64")


@pytest.mark.parametrize(
    ("layout", "dtype"),
    [
        (layout, dtype)
        for layout in LAYOUTS
        for dtype in EVERY_DTYPE
        if not ("exclude_zero" in layout and dtype in WITHOUT_MASKED_FILL)
    ],
)
def test_a_tensor_to_test_with_is_pytorchs(layout: str, dtype: str) -> None:
    assert disagreement(_program(f"{layout},dtype=torch.{dtype}")) is None


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_its_numbers_lie_in_the_range_that_was_asked_for(dtype: str) -> None:
    for low, high in EVERY_RANGE:
        assert disagreement(_program(f"20,dtype=torch.{dtype},low={low},high={high}")) is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_numbers_are_drawn_up_to_ints_of_any_size(dtype: str) -> None:
    drawn = (
        f"torch.empty(5,dtype=torch.{dtype}).uniform_(0,2**15) ;; torch.empty(5,dtype=torch.{dtype}).uniform_(0,2**63)"
    )
    assert disagreement(f"s=torch.manual_seed(3).seed and 0 ;; {drawn}") is None
