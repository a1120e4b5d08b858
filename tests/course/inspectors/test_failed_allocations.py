"""An allocation that fails: what was wanted, by which line, and who held what at that moment."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from glassroom import memory_timeline
from glassroom.inspectors.timeline.failure import wanted_by
from glassroom.testing import assert_peak_below

TOO_MANY = 10**14  # elements


@pytest.fixture(params=["tensorglass", "torch"])
def library(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        return pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    return importlib.import_module(request.param)


def test_what_was_wanted_and_what_was_held_is_a_note_on_the_error_and_on_the_timeline(library: Any) -> None:
    first = sys._getframe().f_lineno

    def step() -> None:
        w = library.ones(1000, 1000, requires_grad=True)
        h = (w * 2).exp()
        before = library.ones(3000)
        del before
        library.stack([h * 3, library.empty(TOO_MANY)])

    with pytest.raises(RuntimeError, match="allocate") as caught:
        memory_timeline(step)
    said, *holders = caught.value.__notes__[-1].splitlines()
    assert f"372529.03 GiB failed at line {first + 7}: library.stack([h * 3, library.empty(TOO_MANY)])" in said
    held = "parameters 3.81 MiB, activations 3.81 MiB, temporaries 3.81 MiB"
    assert f"held then: 11.44 MiB on cpu ({held}" in said
    assert any(" w" in holder and f"held by w; made by line {first + 3}" in holder for holder in holders)
    assert any(" h" in holder and f"held by h; made by line {first + 4}" in holder for holder in holders)
    assert any(f"freed since; made by line {first + 7}" in holder for holder in holders)
    timeline = caught.value.timeline
    assert said in timeline.text
    assert said in timeline.as_dict()["notes"]


def test_a_step_that_raises_keeps_its_picture(library: Any) -> None:
    def step() -> None:
        library.ones(10)
        raise KeyError

    with pytest.raises(KeyError) as caught:
        memory_timeline(step)
    assert caught.value.timeline.data.curves[0].peak == 40
    assert not caught.value.timeline.data.of_failure
    assert not hasattr(caught.value, "__notes__")


def test_assertions_tell_it_too(library: Any) -> None:
    block = assert_peak_below("1 GiB")

    @block
    def step() -> None:
        hidden = library.ones(1000)
        hidden.add_(library.empty(TOO_MANY))

    with pytest.raises(RuntimeError, match="allocate") as caught:
        step()
    assert "alive, held by hidden; made by line" in caught.value.__notes__[-1]


def test_the_allocators_words_are_read() -> None:
    said = {
        "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 8 GiB": 5 * 2**29,
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 8.00 GiB total capacity)": 20 * 2**20,
        "DefaultCPUAllocator: not enough memory: you tried to allocate 4000 bytes.": 4000,
        "Unable to allocate 1.00 TiB for an array with shape (1,) and data type float64": 2**40,
        "something else": None,
    }
    for words, nbytes in said.items():
        assert wanted_by(RuntimeError(words)) == nbytes
