"""Thousands of generated tensors, under generated print options, must print on both libraries alike."""

from __future__ import annotations

import itertools
import math
import random
import struct
from dataclasses import dataclass
from typing import Any

import pytest

import tensorglass
from tensorglass.core import dtypes

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

PROGRAMS_A_DTYPE = 300


@pytest.fixture(autouse=True)
def _restore_settings():
    yield
    for lib in (tensorglass, torch):
        lib.set_default_dtype(lib.float32)
        lib.set_printoptions(profile="default")


@dataclass(frozen=True)
class Program:
    """A tensor to make, alike on either library, and the settings to print it under."""

    dtype: str
    values: list[Any]
    size: list[int]
    order: list[int]
    requires_grad: bool
    default_dtype: str
    options: list[dict[str, Any]]

    def printed(self, lib: Any) -> str:
        lib.set_default_dtype(getattr(lib, self.default_dtype))
        lib.set_printoptions(profile="default")
        for options in self.options:
            lib.set_printoptions(**options)
        dtype = getattr(lib, self.dtype)
        # Out of range of a narrow type, `tensor` would be an error where the conversion gives an infinity.
        wide = lib.float64 if dtype.is_floating_point else lib.complex128 if dtype.is_complex else dtype
        tensor = lib.tensor(self.values, dtype=wide).to(dtype).reshape(self.size).permute(self.order)
        tensor.requires_grad = self.requires_grad
        return repr(tensor)


def random_program(rng: random.Random, dtype: dtypes.dtype) -> Program:
    dim = rng.randint(0, 4)
    # Small sizes, so that brackets fill the text; now and then a size 0, or a long row that wraps.
    lengths = [0, 1, 1, 2, 3, 9] if rng.random() < 0.3 else [1, 2, 3, 4, 7]
    size = [rng.randint(0, 60)] if dim == 1 else [rng.choice(lengths) for _ in range(dim)]
    return Program(
        dtype=dtype.name,
        values=random_values(rng, dtype, math.prod(size)),
        size=size,
        order=rng.sample(range(dim), dim),
        requires_grad=dtype.category >= dtypes.FLOATING and rng.random() < 0.2,
        default_dtype=rng.choice(["float32"] * 5 + ["float64", "float16", "bfloat16"]),
        options=[random_options(rng) for _ in range(rng.randint(0, 2))],
    )


def random_options(rng: random.Random) -> dict[str, Any]:
    every = {
        "precision": rng.randint(0, 8),
        "threshold": rng.choice([0, 3, 10, 50, math.inf]),
        "edgeitems": rng.randint(0, 3),
        "linewidth": rng.choice([1, 20, 40, 80, 200]),
        "profile": rng.choice(["default", "short", "full", "none of these"]),
        "sci_mode": rng.choice([True, False]),
    }
    return {name: value for name, value in every.items() if rng.random() < 0.4}


def random_values(rng: random.Random, dtype: dtypes.dtype, count: int) -> list[Any]:
    if dtype is dtypes.bool:
        return [rng.random() < 0.5 for _ in range(count)]
    if dtype.category == dtypes.INTEGER:
        limits = tensorglass.iinfo(dtype)
        high = min(limits.max, rng.choice([1, 10, 1000, limits.max]))
        return [rng.randint(max(limits.min, -high - 1), high) for _ in range(count)]
    kind = rng.choice([*FLOATS, None])  # None: each value of another kind
    numbers = [FLOATS[kind or rng.choice(list(FLOATS))](rng) for _ in range(2 * count)]
    return [complex(*pair) for pair in zip(*[iter(numbers)] * 2, strict=True)] if dtype.is_complex else numbers[:count]


FLOATS = {
    "usual": lambda rng: rng.uniform(-3, 3),
    "whole": lambda rng: float(rng.randint(-1200, 1200)),
    "large": lambda rng: rng.uniform(-1, 1) * 10 ** rng.randint(0, 12),
    "small": lambda rng: rng.uniform(-1, 1) * 10 ** -rng.randint(0, 12),
    "any pattern of bits": lambda rng: struct.unpack("d", rng.randbytes(8))[0],
    "special": lambda rng: rng.choice([math.inf, -math.inf, math.nan, -0.0, 0.0, 1.0, -2.5]),
    "zero": lambda rng: rng.choice([0.0, -0.0]),
}

# Where scientific notation begins: a ratio above 1000, a largest above 1e8, a smallest below 1e-4.
BOUNDARY = [0.1, 1.0, 100.0, 1000.0, 1000.5, 1e5, 1e8, 1.00000001e8, 1e-4, 0.99999e-4, -1.0, 0.0]


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_generated_tensors_print_the_same(dtype):
    rng = random.Random(dtype.name)
    for _ in range(PROGRAMS_A_DTYPE):
        program = random_program(rng, dtype)
        assert program.printed(tensorglass) == program.printed(torch), program


@pytest.mark.parametrize("values", list(itertools.combinations_with_replacement(BOUNDARY, 2)), ids=str)
def test_scientific_notation_begins_where_it_begins_in_pytorch(values):
    texts = [repr(lib.tensor(values, dtype=lib.float64)) for lib in (tensorglass, torch)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "build",
    [
        lambda lib: lib.tensor([0.5]).expand(10**9),
        lambda lib: lib.tensor(1.5, dtype=lib.float64).expand(10**4, 10**4, 3),
        lambda lib: lib.arange(10**5).reshape(100, 1000).t(),
        lambda lib: lib.arange(2**12).reshape([2] * 12),
        lambda lib: lib.tensor([[1 + 2j, 3.5 - 4j]]).expand(600, 2),
        lambda lib: lib.tensor([[1 + 2j, 3.5 - 4j]]).conj(),
        lambda lib: lib.arange(1001),
        lambda lib: lib.arange(1000),
        lambda lib: lib.zeros(0, 10**6),
        lambda lib: lib.zeros([1] * 30),
        lambda lib: lib.arange(12).as_strided((3,), (5,), 1),
    ],
)
def test_large_tensors_and_odd_views_print_the_same(build):
    assert repr(build(tensorglass)) == repr(build(torch))


def test_formatting_a_0_dim_tensor_is_formatting_its_number():
    for number, spec in [(1.23456, ".2f"), (42, ">5d"), (True, ""), (2.5, ""), (1 + 2j, ".1f")]:
        assert format(tensorglass.tensor(number), spec) == format(torch.tensor(number), spec)
    assert f"{tensorglass.tensor([1.0, 2.0])}" == f"{torch.tensor([1.0, 2.0])}"
