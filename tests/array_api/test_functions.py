"""The standard's other functions: calls with odd sizes among them, in our namespace and in the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.oracle import DTYPES, Unspecified, disagreement, function, strict

import tensorglass as torch
from tensorglass import array_api as xp

NUMERIC = DTYPES[1:]
REAL = [name for name in NUMERIC if not name.startswith("complex")]
FLOATING = ["float32", "float64", "complex64", "complex128"]


@pytest.fixture(autouse=True)
def _float64_by_default() -> Any:
    """The oracle's default dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def array(size: tuple[int, ...], dtype: str = "float64", seed: int = 0) -> np.ndarray:
    """Small numbers, with equal ones among them."""
    draw = np.random.default_rng(seed)
    whole = draw.integers(0 if dtype.startswith("uint") else -3, 4, size)
    if dtype == "bool":
        return whole > 0
    drawn = whole + (draw.integers(0, 2, size) * 0.5 if np.dtype(dtype).kind in "fc" else 0)
    return (drawn + 1j * draw.integers(-2, 3, size) if np.dtype(dtype).kind == "c" else drawn).astype(dtype)


def check(name: str, *arguments: Any, **keywords: Any) -> None:
    assert disagreement(function(name), *arguments, **keywords) is None, (name, arguments, keywords)


def in_every_dtype(name: str, dtypes: Any, sizes: Any, *arguments: Any, **keywords: Any) -> None:
    specified = 0
    for dtype in dtypes:
        for size in sizes:
            try:
                check(name, array(size, dtype), *arguments, **keywords)
                specified += 1
            except Unspecified:
                continue
    assert specified, (name, arguments, keywords)


SIZES = [(), (1,), (5,), (2, 3), (3, 1, 4), (0,), (2, 0)]
AXES: list[Any] = [None, 0, -1, 1, (0, 1), (), (0,), (-1, 0)]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std", "all", "any", "count_nonzero"])
def test_reductions(name: str, axis: Any, keepdims: bool) -> None:
    sizes = [size for size in SIZES if 0 not in size or name in ("sum", "prod", "all", "any", "count_nonzero")]
    in_every_dtype(name, DTYPES, sizes, axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("name", ["sum", "prod", "cumulative_sum", "cumulative_prod"])
def test_reductions_in_another_dtype(name: str) -> None:
    for dtype in ("int16", "int64", "float64"):
        in_every_dtype(name, ["int8", "int32"], [(2, 3)], axis=1, dtype=np.dtype(dtype))
    in_every_dtype(name, ["float32"], [(2, 3)], axis=1, dtype=np.dtype("float64"))


@pytest.mark.parametrize("correction", [0, 1, 1.5, 0.0])
@pytest.mark.parametrize("name", ["var", "std"])
def test_variances_are_corrected(name: str, correction: float) -> None:
    in_every_dtype(name, ["float32", "float64"], [(5,), (2, 3), (3, 2, 4)], correction=correction, axis=-1)


@pytest.mark.parametrize("include_initial", [False, True])
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_running_sums(name: str, include_initial: bool) -> None:
    in_every_dtype(name, NUMERIC, [(5,), (0,)], include_initial=include_initial)
    for axis in (0, 1, -1):
        in_every_dtype(name, NUMERIC, [(2, 3), (3, 1, 4), (2, 0)], axis=axis, include_initial=include_initial)
    with pytest.raises(ValueError, match="an axis is needed"):
        getattr(xp, name)(xp.ones((2, 2)))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_of_extremes(name: str, axis: int | None, keepdims: bool) -> None:
    in_every_dtype(name, REAL, [(1,), (5,), (2, 3), (3, 1, 4)], axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_sorting(name: str, descending: bool) -> None:
    for axis in (0, -1):
        in_every_dtype(name, REAL, [(1,), (9,), (4, 3), (3, 1, 4), (0,)], axis=axis, descending=descending)
    in_every_dtype("sort", REAL, [(9,)], stable=False)


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
def test_what_is_unique(name: str) -> None:
    in_every_dtype(name, DTYPES, [(), (1,), (12,), (4, 3), (0,)])


def test_every_nan_is_unique_and_zeros_are_equal() -> None:
    x = np.array([np.nan, 1, np.nan, 0.0, -0.0, 1])
    assert disagreement(lambda xp, x: xp.unique_counts(x).counts, x) is None
    assert disagreement(lambda xp, x: xp.unique_all(x)[1:], x) is None


def test_results_have_the_fields_that_the_standard_names() -> None:
    matrix = xp.asarray([[2.0, 1.0], [1.0, 3.0]])
    ones = strict.ones((2, 2))
    for ours, theirs in [
        (xp.unique_all(matrix), strict.unique_all(ones)),
        (xp.unique_counts(matrix), strict.unique_counts(ones)),
        (xp.unique_inverse(matrix), strict.unique_inverse(ones)),
        (xp.linalg.eigh(matrix), strict.linalg.eigh(ones)),
        (xp.linalg.qr(matrix), strict.linalg.qr(ones)),
        (xp.linalg.slogdet(matrix), strict.linalg.slogdet(ones)),
        (xp.linalg.svd(matrix), strict.linalg.svd(ones)),
    ]:
        assert ours._fields == theirs._fields


def test_searching() -> None:
    in_every_dtype("nonzero", DTYPES, [(1,), (5,), (2, 3), (0,), (2, 0)])
    with pytest.raises(ValueError, match="one dimension or more"):
        xp.nonzero(xp.ones(()))
    for one in REAL:
        for other in REAL:
            if "uint64" in (one, other) and "int" in (one[:3], other[:3]):
                continue  # no dtype holds both
            for side in ("left", "right"):
                try:
                    check("searchsorted", np.sort(array((7,), one)), array((2, 3), other, 1), side=side)
                except Unspecified:
                    continue
    unsorted = array((7,), seed=3)
    check("searchsorted", unsorted, array((4,)), sorter=np.argsort(unsorted))
    for one in DTYPES:
        for other in DTYPES:
            for sizes in [((2, 3), (2, 3)), ((3,), (2, 1)), ((), (3,)), ((2, 3), ())]:
                try:
                    check("where", array((2, 3), "bool"), array(sizes[0], one), array(sizes[1], other, 1))
                except Unspecified:
                    continue
    check("where", array((2, 3), "bool"), array((2, 3), "float32"), 2)
    check("where", array((2, 3), "bool"), 1.5, array((2, 3), "float32"))


@pytest.mark.parametrize(
    ("name", "arguments", "keywords"),
    [
        ("broadcast_to", (np.arange(3), (2, 3)), {}),
        ("broadcast_to", (np.ones((2, 1, 3)), (4, 2, 5, 3)), {}),
        ("broadcast_to", (np.ones(()), (0, 2)), {}),
        ("broadcast_arrays", (np.ones((2, 1)), np.arange(3), np.ones(())), {}),
        ("broadcast_arrays", (), {}),
        ("expand_dims", (np.ones((2, 3)),), {"axis": 0}),
        ("expand_dims", (np.ones((2, 3)),), {"axis": -1}),
        ("expand_dims", (np.ones((2, 3)),), {"axis": 1}),
        ("squeeze", (np.ones((1, 2, 1)), 0), {}),
        ("squeeze", (np.ones((1, 2, 1)), (0, -1)), {}),
        ("flip", (np.arange(6).reshape(2, 3),), {}),
        ("flip", (np.arange(6).reshape(2, 3),), {"axis": -1}),
        ("flip", (np.arange(6, dtype="uint16").reshape(2, 3),), {"axis": -1}),
        ("flip", (np.arange(6).reshape(2, 3),), {"axis": (0, 1)}),
        ("flip", (np.ones(()),), {}),
        ("moveaxis", (np.ones((2, 3, 4)), 0, -1), {}),
        ("moveaxis", (np.ones((2, 3, 4)), (0, 1), (2, 0)), {}),
        ("permute_dims", (np.arange(24).reshape(2, 3, 4), (2, 0, 1)), {}),
        ("permute_dims", (np.ones(()), ()), {}),
        ("repeat", (np.arange(3), 2), {}),
        ("repeat", (np.arange(6).reshape(2, 3), 2), {}),
        ("repeat", (np.arange(6).reshape(2, 3), 2), {"axis": 1}),
        ("repeat", (np.arange(6).reshape(2, 3), np.array([1, 0, 2])), {"axis": 1}),
        ("repeat", (np.arange(3), np.array([2])), {}),
        ("repeat", (np.arange(3), np.array([2, 0, 1], np.int8)), {}),
        ("reshape", (np.arange(6), (2, -1)), {}),
        ("reshape", (np.arange(6), (3, 2)), {"copy": True}),
        ("reshape", (np.ones(()), (1, 1)), {}),
        ("roll", (np.arange(6).reshape(2, 3), 1), {}),
        ("roll", (np.arange(6).reshape(2, 3), -2), {"axis": 1}),
        ("roll", (np.arange(6).reshape(2, 3), (1, 2)), {"axis": (0, 1)}),
        ("roll", (np.arange(6).reshape(2, 3), 1), {"axis": (0, 1)}),
        ("concat", ([np.ones((2, 3)), np.zeros((1, 3))],), {}),
        ("concat", ([np.ones((2, 3)), np.zeros((2, 1))],), {"axis": -1}),
        ("concat", ([np.ones((2, 3)), np.zeros((4,))],), {"axis": None}),
        ("concat", ([np.ones(2, np.int8), np.ones(2, np.int64)],), {}),
        ("concat", ([np.ones(2, np.float32), np.ones(0)],), {}),
        ("stack", ([np.ones((2, 3)), np.zeros((2, 3))],), {"axis": 1}),
        ("stack", ([np.ones((2, 3), np.float32), np.zeros((2, 3))],), {"axis": -1}),
        ("tile", (np.arange(3), (2,)), {}),
        ("tile", (np.arange(6).reshape(2, 3), (2, 1, 2)), {}),
        ("tile", (np.arange(6).reshape(2, 3), (2,)), {}),
        ("tile", (np.ones((2, 3)), ()), {}),
        ("unstack", (np.arange(6).reshape(2, 3),), {"axis": 1}),
        ("unstack", (np.arange(6).reshape(2, 3),), {}),
        ("take", (np.arange(6).reshape(2, 3), np.array([2, 0])), {"axis": 1}),
        ("take", (np.arange(6).reshape(2, 3), np.array([1, 0, 1])), {"axis": -2}),
        ("take", (np.arange(4), np.array([3, 0])), {}),
        ("take_along_axis", (np.arange(6).reshape(2, 3), np.array([[0, 2], [1, 1]])), {}),
        ("take_along_axis", (np.arange(6).reshape(2, 3), np.array([[1, 0, 1]])), {"axis": 0}),
        ("diff", (array((6,)),), {}),
        ("diff", (array((3, 4)),), {"axis": 0, "n": 2}),
        ("diff", (array((3, 4), "int32"),), {"prepend": np.zeros((3, 1), np.int32)}),
        ("diff", (array((3, 4)),), {"append": np.ones((3, 2)), "axis": 1}),
        ("tril", (array((3, 4)),), {}),
        ("tril", (array((2, 3, 4), "int8"),), {"k": 1}),
        ("triu", (array((3, 4), "bool"),), {"k": -1}),
        ("triu", (array((0, 4)),), {}),
        ("meshgrid", (np.arange(3), np.arange(2)), {}),
        ("meshgrid", (np.arange(3), np.arange(2), np.arange(4)), {"indexing": "ij"}),
        ("meshgrid", (np.arange(3),), {}),
        ("meshgrid", (), {}),
    ],
    ids=str,
)  # fmt: skip
def test_rearranging(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    check(name, *arguments, **keywords)


def test_what_does_not_fit_is_refused() -> None:
    x = xp.ones((1, 2))
    with pytest.raises(ValueError, match="only those of size 1"):
        xp.squeeze(x, 1)
    with pytest.raises(IndexError):
        xp.expand_dims(x, axis=5)
    with pytest.raises(ValueError, match="without a copy"):
        xp.reshape(xp.ones((2, 3)).T, (6,), copy=False)
    with pytest.raises(ValueError, match="needs an axis"):
        xp.take(x, xp.asarray([0]))
    with pytest.raises(TypeError, match="numbers alone"):
        xp.result_type(1, 2.0)
    with pytest.raises(ValueError, match="unknown kind"):
        xp.isdtype(xp.float32, "floating")


def test_reshape_shares_memory_as_it_is_told() -> None:
    x = xp.arange(6)
    assert xp.reshape(x, (2, 3), copy=False).data_ptr() == x.data_ptr()
    assert xp.reshape(x, (2, 3)).data_ptr() == x.data_ptr()
    assert xp.reshape(x, (2, 3), copy=True).data_ptr() != x.data_ptr()


@pytest.mark.parametrize(
    ("name", "arguments", "keywords"),
    [
        ("arange", (5,), {}), ("arange", (1, 7, 2), {}), ("arange", (5, 1), {}), ("arange", (5, 1, -1), {}),
        ("arange", (0,), {}), ("arange", (0, 1, 0.25), {}), ("arange", (2.5,), {}),
        ("arange", (0, -2.0), {}), ("arange", (3.0, 1), {}), ("arange", (3, 1, 0.5), {}), ("arange", (3, 1), {}),
        ("arange", (5,), {"dtype": np.dtype("float32")}), ("arange", (1, -5, 2), {"dtype": np.dtype("int8")}),
        ("asarray", (5,), {}), ("asarray", (2.5,), {}), ("asarray", (True,), {}), ("asarray", (1j,), {}),
        ("asarray", ([[1, 2], [3, 4]],), {}), ("asarray", ([1, 2.5],), {}), ("asarray", ([],), {}),
        ("asarray", ([True, False],), {}), ("asarray", ([1, 2j],), {}),
        ("asarray", ([1, 2],), {"dtype": np.dtype("float32")}), ("asarray", (array((2, 3), "int8"),), {"copy": True}),
        ("zeros", (3,), {}), ("zeros", ((2, 3),), {}), ("zeros", ((),), {}), ("zeros", ((0, 2),), {}),
        ("zeros", ((2, 3),), {"dtype": np.dtype("complex64")}), ("ones", (3,), {}), ("ones", ((2, 0),), {}),
        ("ones", (2,), {"dtype": np.dtype("bool")}), ("full", ((2, 2), 3), {}), ("full", (2, 1.5), {}),
        ("full", ((), True), {}), ("full", (2, 1j), {}), ("full", (2, 1), {"dtype": np.dtype("float32")}),
        ("zeros_like", (array((2, 3), "int8"),), {}), ("ones_like", (array((2, 3)),), {"dtype": np.dtype("int64")}),
        ("full_like", (array((2, 3), "float32"), 7), {}),
        ("eye", (3,), {}), ("eye", (2, 4), {}), ("eye", (3, 3), {"k": 1}), ("eye", (3, 4), {"k": -2}),
        ("eye", (3,), {"k": 9}), ("eye", (3,), {"k": -9}), ("eye", (0,), {}), ("eye", (2, 0), {"k": 1}),
        ("eye", (3,), {"dtype": np.dtype("int8")}),
        ("linspace", (0, 1, 5), {}), ("linspace", (0, 1, 5), {"endpoint": False}), ("linspace", (3, -3, 7), {}),
        ("linspace", (0, 1, 1), {}), ("linspace", (0, 1, 0), {}), ("linspace", (0, 1, 0), {"endpoint": False}),
        ("linspace", (0, 10, 3), {"dtype": np.dtype("float32")}), ("linspace", (0j, 1 + 1j, 3), {}),
    ],
    ids=str,
)  # fmt: skip
def test_creation(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    check(name, *arguments, **keywords)


def test_what_is_not_initialised_has_its_size_and_dtype() -> None:
    for arguments in [("empty", 3), ("empty", (2, 0)), ("empty_like", array((2, 3), "int8"))]:
        name, *rest = arguments
        assert disagreement(function(str(name)), *rest, values=False) is None
        assert disagreement(function(str(name)), *rest, dtype=np.dtype("int16"), values=False) is None


def test_dtypes_promote_as_the_standards_table_says() -> None:
    for one in DTYPES:
        for other in DTYPES:
            first, second = getattr(torch, one), getattr(torch, other)
            try:
                expected = strict.result_type(getattr(strict, one), getattr(strict, other))
            except TypeError:
                continue
            name = str(np.asarray(strict.zeros(1, dtype=expected)).dtype)
            assert xp.result_type(first, second) is getattr(torch, name)
            assert xp.result_type(xp.ones((), dtype=first), second) is getattr(torch, name)
            assert xp.result_type(xp.ones(3, dtype=first), xp.ones((), dtype=second)) is getattr(torch, name)
            if expected == getattr(strict, other):
                assert xp.can_cast(first, second)
            kind = getattr(strict, one)
            for kinds in ["bool", "integral", "signed integer", "unsigned integer", "real floating", "numeric",
                          "complex floating", ("bool", "real floating")]:  # fmt: skip
                assert xp.isdtype(first, kinds) is strict.isdtype(kind, kinds)
            assert xp.isdtype(first, second) is (one == other)


def test_numbers_promote_within_their_kind() -> None:
    assert xp.result_type(xp.int8, 5) is torch.int8
    assert xp.result_type(1.5, xp.ones(2, dtype=xp.float32)) is torch.float32
    assert xp.result_type(xp.float32, xp.int8, 2) is torch.float32
    assert xp.result_type(xp.float32, 1j) is torch.complex64


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_finfo_and_iinfo_tell_what_the_oracle_tells(dtype: str) -> None:
    for given in (getattr(torch, dtype), xp.ones(2, dtype=getattr(torch, dtype))):
        ours, theirs = xp.finfo(given), strict.finfo(getattr(strict, dtype))
        assert (ours.bits, ours.eps, ours.max, ours.min) == (theirs.bits, theirs.eps, theirs.max, theirs.min)
        assert ours.smallest_normal == theirs.smallest_normal
        assert ours.dtype is (torch.float32 if dtype in ("float32", "complex64") else torch.float64)
    for whole in ("int8", "int64", "uint8", "uint16", "uint64"):
        mine, other = xp.iinfo(getattr(torch, whole)), strict.iinfo(getattr(strict, whole))
        assert (mine.bits, mine.max, mine.min) == (other.bits, other.max, other.min)
        assert mine.dtype is getattr(torch, whole)


def test_astype_converts_and_copies_as_it_is_told() -> None:
    for one in DTYPES:
        for other in DTYPES:
            if one.startswith("complex") and not other.startswith("complex"):
                continue
            in_every_dtype("astype", [one], [(), (2, 3), (0,)], np.dtype(other))
    x = xp.ones(3)
    assert xp.astype(x, x.dtype, copy=False) is x
    assert xp.astype(x, x.dtype).data_ptr() != x.data_ptr()
    assert xp.astype(x, xp.int64, device="sim").device.type == "sim"
