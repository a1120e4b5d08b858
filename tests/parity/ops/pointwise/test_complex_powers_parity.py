"""Powers of complex numbers are rounded as PyTorch's: by a logarithm, also where the exponent is whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parity.agreement import torch

import tensorglass

EXPONENTS = (0, 1, 2, 3, -1, -2, 0.5, -0.5, 4, 10, 12, 2.5, 1j, 1 - 2j, 1 + 2j, -1 + 2j)
NUMBERS = [1 + 2j, -1 + 0j, 0j, 3 - 4j, 0.5j]


def digits(tensor: Any) -> str:
    return repr(tensor.tolist())


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_a_power_has_the_digits_of_pytorchs(dtype: str, exponent: complex) -> None:
    def results(library: Any) -> list[str]:
        x = library.tensor(NUMBERS, dtype=getattr(library, dtype))
        there = library.empty(len(NUMBERS), dtype=x.dtype)
        return [digits(x**exponent), digits(x.clone().pow_(exponent)), digits(library.pow(x, exponent, out=there))]

    assert results(tensorglass) == results(torch)


def test_roots_of_unity_do_not_close_exactly() -> None:
    """A program that divides by ``1 + omega ** n`` meets no zero, as on PyTorch."""

    def nodes(library: Any) -> str:
        omega = library.tensor(np.exp(-2j * np.pi / 24), dtype=library.complex64) ** library.arange(13)
        assert library.isfinite(1 / (1 + omega)).all()
        return digits(omega)

    assert nodes(tensorglass) == nodes(torch)


def test_float_power_is_the_power_in_double_precision() -> None:
    def results(library: Any) -> list[str]:
        x = library.tensor(NUMBERS, dtype=library.complex64)
        return [digits(library.float_power(x, exponent)) for exponent in EXPONENTS]

    assert results(tensorglass) == results(torch)
