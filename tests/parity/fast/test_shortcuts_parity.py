"""An operator takes shortcuts for results of other operators, for views and for numbers: what comes out is the same."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

# How an operand is made from a matrix `m`: a result, views of several layouts, a number of either library.
OPERANDS = {
    "result": lambda m: m + 0,
    "permuted result": lambda m: m.t() + 0,
    "contiguous view": lambda m: (m + 0).reshape(-1).view(3, 3),
    "transposed": lambda m: (m + 0).t(),
    "row": lambda m: (m + 0)[1],
    "column": lambda m: (m + 0)[:, 1:2],
    "expanded": lambda m: (m + 0)[0].expand(3, 3),
    "odd strides of size 1": lambda m: (m + 0)[:, 1:2].t(),
    "0-dim": lambda m: m.sum() - m.sum() + m[1, 1],
    "int": lambda m: 2,
    "float": lambda m: 1.5,
    "bool": lambda m: True,
}
BINARY = ("__add__", "__rsub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__lt__", "__eq__", "maximum")
UNARY = ("__neg__", "abs", "relu", "sqrt", "logical_not")
MATRIX = [[4, 0, -3], [2, 7, 1], [-5, 6, 8]]


def _seen(call: Any) -> Any:
    """What came out, with its layout; of an error its class and first line."""
    try:
        result = call()
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return type(error), str(error).splitlines()[0]
    if result is NotImplemented:
        return result
    elements = str(result.tolist()).replace("-0.0", "0.0")  # NaN equals NaN, and -0 equals 0
    return str(result.dtype), tuple(result.shape), result.stride(), result.is_contiguous(), elements


def _outcomes(name: str, dtype: str, *kinds: str) -> tuple[Any, Any]:
    outcomes = []
    for library in (tensorglass, torch):
        matrix = library.tensor(MATRIX, dtype=getattr(library, dtype))
        operands = [OPERANDS[kind](matrix) for kind in kinds]
        outcomes.append(_seen(lambda operands=operands: getattr(operands[0], name)(*operands[1:])))
    return outcomes[0], outcomes[1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool", "float16"])
@pytest.mark.parametrize("name", BINARY)
def test_operators_of_two_agree_however_their_operands_came_about(name: str, dtype: str) -> None:
    tensors = [kind for kind in OPERANDS if kind not in ("int", "float", "bool")]
    for one, other in itertools.product(tensors, OPERANDS):
        ours, theirs = _outcomes(name, dtype, one, other)
        assert ours == theirs, (name, dtype, one, other)


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
@pytest.mark.parametrize("name", UNARY)
def test_operators_of_one_agree_however_their_operand_came_about(name: str, dtype: str) -> None:
    for kind in OPERANDS:
        if kind not in ("int", "float", "bool"):
            ours, theirs = _outcomes(name, dtype, kind)
            assert ours == theirs, (name, dtype, kind)


@pytest.mark.parametrize("name", ["add_", "sub_", "mul_", "__iadd__", "floor_divide_"])
def test_forms_in_place_agree_however_their_operands_came_about(name: str) -> None:
    for dtype, one, other in itertools.product(("float32", "int64"), ("result", "transposed", "row"), OPERANDS):
        ours, theirs = _outcomes(name, dtype, one, other)
        assert ours == theirs, (name, dtype, one, other)


def test_integer_division_of_results_by_zero_is_refused() -> None:
    one, none = tensorglass.ones(2, dtype=tensorglass.int64) + 0, tensorglass.zeros(2, dtype=tensorglass.int64) + 0
    for divide in (lambda: one // none, lambda: one % none, lambda: one.fmod(none)):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide()


def test_a_new_default_dtype_shows_in_calls_that_were_made_before() -> None:
    integers = tensorglass.arange(3) + 0
    assert (integers / 2).dtype is tensorglass.float32
    try:
        tensorglass.set_default_dtype(tensorglass.float64)
        assert (integers / 2).dtype is (integers * 1.5).dtype is tensorglass.float64
    finally:
        tensorglass.set_default_dtype(tensorglass.float32)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "complex64"])
def test_large_copies_agree_whatever_the_order_of_the_dimensions(dtype: str) -> None:
    copies = []
    for library in (tensorglass, torch):
        cube = library.arange(70 * 40 * 50).reshape(70, 40, 50).to(getattr(library, dtype))
        matrix = cube.reshape(700, 200)
        copies.append(
            [cube.permute(*order).contiguous() for order in itertools.permutations(range(3))]
            + [matrix.t().contiguous(), matrix.t()[3:, ::3].contiguous(), matrix.t().to(library.float64).contiguous()]
            + [library.zeros(200, 700).copy_(matrix.real.t()), matrix[:, :1].expand(700, 200).t().contiguous()]
        )
    for ours, theirs in zip(*copies, strict=True):
        assert ours.stride() == theirs.stride()
        assert ours.tolist() == theirs.tolist()


def test_a_large_copy_within_one_storage_reads_everything_before_it_writes() -> None:
    square = tensorglass.arange(600 * 600).reshape(600, 600)[::2, ::2]
    expected = square.t().tolist()
    assert square.copy_(square.t()).tolist() == expected


@pytest.mark.parametrize(
    "size",
    [(8, 1024), (3, 5, 4096), (7, 1021), (6, 1000), (2, 3 * 512 * 64), (70000,), (20, 9001), (1030, 7), (3, 2500, 5)],
)
@pytest.mark.parametrize("name", ["sum", "mean", "var", "norm"])
def test_large_sums_are_as_exact_as_pytorch_s(name: str, size: tuple[int, ...]) -> None:
    noise = torch.rand(size, generator=torch.Generator().manual_seed(7))
    ours = tensorglass.tensor(noise.tolist())
    pairs = [(ours, noise)]
    if len(size) > 1:
        pairs += [(ours.movedim(-1, 0), noise.movedim(-1, 0)), (ours.mT, noise.mT)]
    for dims in ((), (-1,), (0,), tuple(range(len(size)))[-2:]):
        for given, truth in pairs:
            exact = getattr(truth.double(), name)(dim=dims) if dims else getattr(truth.double(), name)()
            result = getattr(given, name)(dim=dims) if dims else getattr(given, name)()
            assert result.stride() == exact.stride()
            relative = (torch.tensor(result.tolist()).double() - exact).abs() / exact.abs()
            assert relative.max() < 5e-7


def test_large_sums_keep_infinities_and_nan() -> None:
    rows = tensorglass.ones(4, 2048)
    rows[0, 5], rows[1, 2047], rows[2, 7] = tensorglass.inf, tensorglass.nan, -tensorglass.inf
    assert str(rows.sum(1).tolist()) == str(rows.t().sum(0).tolist()) == "[inf, nan, -inf, 2048.0]"
    assert str(rows.t().contiguous().sum(0).tolist()) == "[inf, nan, -inf, 2048.0]"


@pytest.mark.parametrize("largest", [3, 10**4, 3 * 10**9, 10**18])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_products_of_integers_wrap_around_as_pytorch_s(dtype: str, largest: int) -> None:
    bounds = torch.iinfo(getattr(torch, dtype))
    least, most = max(bounds.min, -largest), min(bounds.max, largest)
    generator = torch.Generator().manual_seed(3)
    for sizes in (((40, 33), (33, 50)), ((3, 40, 64), (64, 20)), ((2, 40, 33), (2, 33, 40)), ((50, 0), (0, 50))):
        one, two = [torch.randint(least, most, size, generator=generator).to(getattr(torch, dtype)) for size in sizes]
        ours = tensorglass.from_numpy(one.numpy()) @ tensorglass.from_numpy(two.numpy())
        assert ours.tolist() == (one @ two).tolist()
        assert str(ours.dtype) == str(one.dtype)


@pytest.mark.parametrize(
    "size", [(3,), (4, 4), (2, 3), (3, 100), (100, 4), (5, 3, 40), (3000, 4), (4, 3000), (70, 3, 50)]
)
def test_few_numbers_are_added_to_the_last_bit_as_pytorch_adds_them(size: tuple[int, ...]) -> None:
    noise = torch.rand(size, generator=torch.Generator().manual_seed(7))
    ours = tensorglass.from_numpy(noise.numpy())
    for dim in [dim for dim, length in enumerate(size) if length <= 4]:
        assert ours.sum(dim).tolist() == noise.sum(dim).tolist()
        assert ours.mean(dim).tolist() == noise.mean(dim).tolist()
        assert str((ours * -0.0).sum(dim).tolist()) == str((noise * -0.0).sum(dim).tolist())
