"""Short pieces of a signal against PyTorch: what stft refuses, in its words, and all of istft."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from parity.expressions import facts

import tensorglass

X = "torch.linspace(-1, 2, 20, dtype=torch.float64)"
BATCH = f"torch.stack([{X}, {X} * {X}])"
W = "torch.linspace(0.5, 1.5, 6, dtype=torch.float64)"
ONES = "torch.ones(8)"
HALF = f"torch.stft({X}, 8, 2, window=torch.hann_window(8), return_complex=True)"
WHOLE = f"torch.stft({X}, 8, 2, onesided=False, window={ONES}, return_complex=True)"

SPECTRA = [
    f"torch.stft({X}, 4)", f"torch.stft({X}, 4, return_complex=False)",
    f"torch.stft({X}.int(), 4, return_complex=True)",
    f"torch.stft({X}.bool(), 4, return_complex=True, center=False)",
    f"torch.stft({X}.bool(), 4, return_complex=True)",
    f"torch.stft({X}.view(1, 1, 20), 4, return_complex=True)", f"torch.stft({X}[0], 4, return_complex=True)",
    f"torch.stft({X}, 50, return_complex=True, center=False)", f"torch.stft({X}, 50, 1, 5, center=False)",
    f"torch.stft({X}, 50, 1, 5, center=False, return_complex=True)",
    f"torch.stft({X}, 0, return_complex=True)", f"torch.stft({X}, 50, return_complex=True)",
    f"torch.stft({X}, 4, 0, return_complex=True)", f"torch.stft({X}, 4, -1, 5, return_complex=True)",
    f"torch.stft({X}, 4, 1, 5, return_complex=True)", f"torch.stft({X}, 8, 1, 5, {W}, return_complex=True)",
    f"torch.stft({X}, 8, 1, 6, {W}.to(torch.complex128))", f"torch.stft({X}, 8, 1, 6, {W}.cfloat(), onesided=True)",
    f"torch.stft({X}.cdouble(), 8, 1, 6, {W})", f"torch.stft({X}, 8, 1, 6, {W}.float(), return_complex=True)",
    f"torch.stft({X}, 8, 1, 6, torch.ones(6, dtype=torch.int64), return_complex=True)",
    f"torch.stft({X}, 8, 1, 6, {W}, align_to_window=True, return_complex=True)",
    f"torch.stft({X}, 8, 1, 6, {W}, center=False, align_to_window=True, return_complex=True)",
    f"torch.stft({X}, 8, 1, 6, {W}, center=False, align_to_window=False, return_complex=True)",
    f"torch.stft({X}, 8, pad_mode='round', return_complex=True)",
    f"torch.stft({X}, 8, pad_mode=3, return_complex=True)",
    f"torch.stft({X}[:2], 4, return_complex=True)", f"torch.stft({X}[:0], 4, return_complex=True)",
    f"torch.stft({X}[:2], 8, pad_mode='circular', return_complex=True)",
    f"torch.stft({X}, 4, foo=1)", f"torch.stft({X}, 'a')", f"torch.stft({X}, 'a', center=False)",
    "torch.stft([1.0], 4)",
    f"torch.stft({X}, 4.0, center=False)", f"torch.stft({X}, 4, 2.0)", f"torch.stft({X}, 4, window=3)",
    f"torch.stft({X}, 4, normalized=3)", f"{X}.stft(8, 2, return_complex=True)",
    f"{X}.stft(8, 2, window={ONES}, onesided=False, normalized=True, return_complex=True)",
]  # fmt: skip

SIGNALS = [
    f"torch.istft({HALF}, 8, 2)", f"torch.istft({HALF}, 8, 2, window=torch.hann_window(8))", f"{HALF}.istft(8, 2)",
    f"torch.istft(torch.stack([{HALF}, {HALF}]), 8, 2)", f"torch.istft({HALF}, 8, 2, 6, {W})",
    f"torch.istft({HALF}, 8, 2, 5, normalized=True)", f"torch.istft({HALF}, 8, 3)", f"torch.istft({HALF}, 8, 8)",
    f"torch.istft({HALF}, 8, 2, center=False)", f"torch.istft({HALF}, 8, 2, length=15)",
    f"torch.istft({HALF}, 8, 2, length=30)", f"torch.istft({HALF}.conj(), 8, 2)", f"torch.istft({WHOLE}, 8, 2)",
    f"torch.istft({WHOLE}, 8, 2, return_complex=True)", f"torch.istft({HALF}.cfloat(), 8, 2)",
    f"torch.istft({WHOLE}, 8, 2, window={ONES}.cfloat(), return_complex=True)",
    f"torch.istft({HALF}, 8, 2, 6, torch.ones(6, dtype=torch.int64))", f"torch.istft({WHOLE}, 8, 2, window={ONES})",
    f"torch.istft({WHOLE}, 8, 2, window={ONES}.cfloat())", f"torch.istft({X}, 8, 2)", f"torch.istft({HALF}[0], 8, 2)",
    f"torch.istft({HALF}[:, :0], 8, 2)", f"torch.istft({HALF}[None, None], 8, 2)", f"torch.istft({HALF}, 10, 2)",
    f"torch.istft({HALF}, 8, 2, onesided=False)", f"torch.istft({HALF}, 8, 9)", f"torch.istft({HALF}, 8, 0)",
    f"torch.istft({HALF}, 8, 2, 10)", f"torch.istft({HALF}, 8, 2, 6, torch.ones(5))", f"torch.istft({HALF}, 0)",
    f"torch.istft({HALF}, 8, 2, window=torch.zeros(8))", f"torch.istft({HALF}, 8, 2, return_complex=True)",
    f"torch.istft({HALF}, 8, 2, center=False, window=torch.hann_window(8))", f"torch.istft({HALF}, 8.0)",
    f"torch.istft({HALF}, 8, 2, length=-3)", f"torch.istft({HALF}, 8, 2, length=0)", f"torch.istft({HALF})",
    f"torch.istft({HALF}, 8, center=1)", f"torch.istft({HALF}, 8, window=1)",
]  # fmt: skip


@pytest.mark.parametrize("expression", SPECTRA + SIGNALS)
def test_results_and_refusals_are_pytorchs(expression: str) -> None:
    (ours, elements), (theirs, others) = (facts(library, expression) for library in (tensorglass, torch))
    if not elements:  # PyTorch prints the whole call before the error
        theirs = re.sub(r"(i?stft)\([\w.]+\[.*?=[^=]*?\)( :)? ", r"\1(): ", theirs, count=1)
    assert ours == theirs
    for mine, other in zip(elements, others, strict=True):
        assert np.allclose(mine, other, rtol=1e-6, atol=1e-6, equal_nan=True)


ADVICE = [
    f"torch.stft({X}, 8, return_complex=True)", f"torch.stft({X}, 8, return_complex=False)",
    f"torch.istft({HALF}, 8, 2)", f"torch.istft({HALF}, 8, 2, length=30)",
]  # fmt: skip


@pytest.mark.parametrize("expression", ADVICE)
def test_advice_is_pytorchs(expression: str) -> None:
    """In a process of its own, for PyTorch gives each piece of advice once."""
    program = f"import sys; sys.modules['torch'] = torch = __import__(sys.argv[1]); {expression}"
    told = []
    for library in ("tensorglass", "torch"):
        command = [sys.executable, "-W", "always", "-c", program, library]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
        told.append([line.partition("Warning: ")[2].split(" (Triggered")[0] for line in said if "Warning: " in line])
    assert told[0] == told[1] != []


def test_the_way_back_ends_where_it_began() -> None:
    x = tensorglass.randn(2, 1000, dtype=tensorglass.float64)
    window = tensorglass.hann_window(64, dtype=tensorglass.float64)
    spectra = tensorglass.stft(x, 64, window=window, return_complex=True)
    tensorglass.testing.assert_close(tensorglass.istft(spectra, 64, window=window, length=1000), x)
