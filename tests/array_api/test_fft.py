"""The standard's Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.oracle import disagreement, function

import tensorglass as torch

DRAW = np.random.default_rng(0)
NORMS = ("backward", "ortho", "forward")
OF_REAL = ("rfft", "ihfft", "rfftn")
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")


def samples(dtype: str, *size: int) -> np.ndarray:
    drawn = DRAW.standard_normal(size)
    return (drawn + 1j * DRAW.standard_normal(size) if dtype in COMPLEX else drawn).astype(dtype)


def check(name: str, array: np.ndarray, **keywords: Any) -> None:
    tolerance = 1e-5 if array.dtype.name in ("float32", "complex64") else 1e-12
    differs = disagreement(function(f"fft.{name}"), array, tolerance=tolerance, **keywords)
    assert differs is None, (name, array.dtype, keywords)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_along_one_axis(name: str) -> None:
    for dtype in REAL if name in OF_REAL else COMPLEX:
        for norm in NORMS:
            check(name, samples(dtype, 8), norm=norm)
            check(name, samples(dtype, 3, 5), norm=norm, axis=0)
        check(name, samples(dtype, 2, 6), n=4)
        check(name, samples(dtype, 2, 6), n=9)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_transforms_along_several_axes(name: str) -> None:
    for dtype in REAL if name in OF_REAL else COMPLEX:
        for norm in NORMS:
            check(name, samples(dtype, 3, 4), norm=norm)
        check(name, samples(dtype, 2, 3, 4), axes=(0, 2))
        check(name, samples(dtype, 2, 3, 4), s=(5, 3), axes=(1, 2))


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("length", [1, 4, 5])
def test_frequencies(name: str, length: int) -> None:
    for dtype in REAL:
        for spacing in (1.0, 0.25):
            given = {"d": spacing, "dtype": np.dtype(dtype)}
            assert disagreement(function(f"fft.{name}"), length, **given) is None
    assert getattr(torch.array_api.fft, name)(length).dtype is torch.get_default_dtype()


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts(name: str) -> None:
    for axes in (None, 0, -1, (0, 1)):
        for dtype in (*REAL, *COMPLEX):
            check(name, samples(dtype, 4, 5), axes=axes)
