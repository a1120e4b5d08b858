"""`torch.signal.windows`: symmetric and periodic windows, their histories, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from parity.agreement import torch
from parity.steps import disagreement

import tensorglass

NAMES = tuple(torch.signal.windows.__all__)
OWN = {
    "exponential": ("tau=2.5", "sym=False, center=1.5"),
    "gaussian": ("std=2.5",),
    "general_cosine": ("a=[0.5, 0.25, 0.125]", "a=(1,)", "a=(each for each in (0.5, 0.5))"),
    "general_hamming": ("alpha=0.75",),
    "kaiser": ("beta=3.5", "beta=0"),
}
REFUSED = (
    "cosine(-1)", "hann(-1)", "cosine('a')", "cosine()", "cosine(5, True)", "cosine(5, foo=1)",
    "cosine(5, dtype=torch.float16)", "cosine(5, dtype=torch.int64)", "hann(5, dtype=torch.complex64)",
    "cosine(5, layout=None)", "exponential(5, tau=0)", "exponential(5, center=1.0)", "gaussian(5, std=-2)",
    "kaiser(5, beta=-1)", "general_cosine(5)", "general_cosine(5, a=[])", "general_cosine(5, a=3)",
)  # fmt: skip


def test_the_names_are_pytorchs() -> None:
    assert tuple(tensorglass.signal.windows.__all__) == NAMES


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_windows_hold_pytorchs_numbers(name: str, dtype: str) -> None:
    def windows(library: Any) -> list[Any]:
        make = getattr(library.signal.windows, name)
        calls = OWN.get(name, ()) if name == "general_cosine" else ("", *OWN.get(name, ()))
        names = {"library": library, "make": make}
        return [
            eval(f"make({length}, {own}{', ' if own else ''}dtype=library.{dtype}{also})", names)
            for length in (0, 1, 2, 7, 10)
            for own in calls
            for also in ("", "" if "sym" in own else ", sym=False")
        ]

    for ours, theirs in zip(windows(tensorglass), windows(torch), strict=True):
        assert (str(ours.dtype), tuple(ours.shape), ours.stride()) == (str(theirs.dtype), tuple(theirs.shape), (1,))
        torch.testing.assert_close(torch.tensor(ours.tolist(), dtype=theirs.dtype), theirs, rtol=2e-6, atol=2e-7)


@pytest.mark.parametrize("length", [0, 1, 5])
@pytest.mark.parametrize("name", NAMES)
def test_windows_that_require_gradients_have_pytorchs_history(name: str, length: int) -> None:
    def history(library: Any) -> tuple[bool, list[str]]:
        more = {"a": [0.5, 0.5]} if name == "general_cosine" else {}
        window = getattr(library.signal.windows, name)(length, requires_grad=True, **more)
        return window.requires_grad, [] if window.grad_fn is None else [
            type(each).__name__ for each in (window.grad_fn, window.grad_fn.next_functions[0][0])
        ]

    assert history(tensorglass) == history(torch)


@pytest.mark.parametrize("call", REFUSED)
def test_refusals_are_pytorchs(call: str) -> None:
    assert disagreement(f"torch.signal.windows.{call}") is None


def test_the_default_dtype_is_theirs_too() -> None:
    assert disagreement("torch.set_default_dtype(torch.float64) ;; torch.signal.windows.hann(3).dtype") is None
    for library in (tensorglass, torch):
        library.set_default_dtype(library.float32)
