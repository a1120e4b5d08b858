"""Arrays that hypothesis draws, of every size and dtype, through the functions of the standard."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from array_api.oracle import DTYPES, Unspecified, disagreement, function
from array_api.test_elementwise import ONE, TWO
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

EXAMPLES = settings(max_examples=25, deadline=None, derandomize=True)  # the same ones in every run of CI
SIZES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def elements(dtype: str) -> dict[str, Any]:
    """Numbers for which no intermediate result is infinite, and no order of adding matters much."""
    kind = np.dtype(dtype).kind
    if kind in "iu":
        return {"min_value": 0 if kind == "u" else -3, "max_value": 5}
    if kind == "f":
        return {"min_value": -4, "max_value": 4}
    return {"max_magnitude": 4, "allow_nan": False} if kind == "c" else {}


@st.composite
def an_array(draw: st.DrawFn, size: Any = SIZES, dtypes: Any = DTYPES) -> np.ndarray:
    """An array, often not in the order in which its elements lie."""
    dtype = draw(st.sampled_from(dtypes))
    size = draw(size) if isinstance(size, st.SearchStrategy) else size
    array = draw(arrays.arrays(dtype, size, elements=elements(dtype)))
    array[array == 0] = 0  # and not -0.0: which zero a sum of zeros is, is open
    return array.transpose(draw(st.permutations(range(array.ndim)))) if isinstance(size, st.SearchStrategy) else array


def check(call: Any, *arguments: Any, **keywords: Any) -> None:
    single = any(
        isinstance(argument, np.ndarray) and argument.dtype.name in ("float32", "complex64") for argument in arguments
    )
    try:
        differs = disagreement(call, *arguments, tolerance=2e-4 if single else 1e-9, **keywords)
    except Unspecified:
        assume(False)
    assert differs is None


@cache
def specified(name: str, arrays: int = 1) -> list[str]:
    """The dtypes for which the oracle knows a function of one array or two."""
    dtypes = []
    for dtype in DTYPES:
        try:
            disagreement(function(name), *[np.ones(1, dtype)] * arrays)
        except Unspecified:
            continue
        dtypes.append(dtype)
    return dtypes


@pytest.mark.parametrize("name", ONE)
@EXAMPLES
@given(data=st.data())
def test_functions_of_one_array(name: str, data: st.DataObject) -> None:
    check(function(name), data.draw(an_array(dtypes=specified(name))))


@pytest.mark.parametrize("name", TWO)
@EXAMPLES
@given(sizes=arrays.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4), data=st.data())
def test_functions_of_two_arrays_broadcast(name: str, sizes: Any, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(specified(name, 2)))
    first, second = (data.draw(an_array(size, [dtype])) for size in sizes.input_shapes)
    if name in ("divide", "floor_divide", "remainder", "pow") or "shift" in name:
        first, second = np.round(first), abs(np.round(second)) + 1  # nothing is divided by 0 or on the edge of rounding
    check(function(name), first.astype(dtype), second.astype(dtype))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std", "all", "any", "count_nonzero"])
@EXAMPLES
@given(data=st.data())
def test_reductions_along_every_choice_of_axes(name: str, data: st.DataObject) -> None:
    array = data.draw(an_array(dtypes=specified(name)))
    axes = st.none() | arrays.valid_tuple_axes(array.ndim)
    if array.ndim:
        axes |= st.integers(-array.ndim, array.ndim - 1)
    axis = data.draw(axes)
    reduced = range(array.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    if name in ("max", "min", "mean", "var", "std"):
        assume(all(array.shape[dim] for dim in reduced))
    check(function(name), array, axis=axis, keepdims=data.draw(st.booleans()))


@pytest.mark.parametrize("name", ["sort", "argsort", "cumulative_sum", "cumulative_prod", "flip", "unstack"])
@EXAMPLES
@given(data=st.data())
def test_functions_along_one_axis(name: str, data: st.DataObject) -> None:
    array = data.draw(an_array(arrays.array_shapes(max_dims=4, min_side=0, max_side=4), specified(name)))
    check(function(name), array, axis=data.draw(st.integers(-array.ndim, array.ndim - 1)))


@EXAMPLES
@given(data=st.data())
def test_rearranging(data: st.DataObject) -> None:
    array = data.draw(an_array())
    dims = range(array.ndim)
    check(function("permute_dims"), array, tuple(data.draw(st.permutations(dims))))
    check(function("reshape"), array, (-1,) if array.size else array.shape[::-1])
    check(function("expand_dims"), array, axis=data.draw(st.integers(-array.ndim - 1, array.ndim)))
    check(function("squeeze"), array, tuple(dim for dim in dims if array.shape[dim] == 1))
    check(function("tile"), array, tuple(data.draw(st.lists(st.integers(1, 2), max_size=array.ndim + 1))))
    check(function("roll"), array, data.draw(st.integers(-3, 3)))
    check(function("repeat"), array, data.draw(st.integers(0, 2)))
    check(function("concat"), [array, array], axis=None)
    check(function("stack"), [array, array], axis=data.draw(st.integers(-array.ndim - 1, array.ndim)))


@EXAMPLES
@given(sizes=arrays.mutually_broadcastable_shapes(signature=np.matmul.signature, max_dims=3), data=st.data())
def test_products_of_stacks(sizes: Any, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(["int16", "float32", "float64", "complex128"]))
    first, second = (data.draw(an_array(size, [dtype])) for size in sizes.input_shapes)
    check(function("matmul"), first, second)


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
@EXAMPLES
@given(data=st.data())
def test_what_is_unique(name: str, data: st.DataObject) -> None:
    check(function(name), data.draw(an_array()))
