"""Making tensors: what is allocated, what is refused, and that nothing is left half-made."""

from __future__ import annotations

import inspect

import pytest

import tensorglass as torch


def test_zeros_does_not_touch_its_memory() -> None:
    big = torch.zeros(1 << 27)  # half a GiB, whose pages are allocated when they are touched
    assert big[-1].item() == 0


def test_too_large_a_tensor_reads_as_in_pytorch_and_leaves_nothing_behind() -> None:
    before = torch.memory.allocated()
    with pytest.raises(RuntimeError, match=r"can't allocate memory: you tried to allocate 4000000000000000 bytes"):
        torch.empty(10**15)
    with pytest.raises(RuntimeError, match=r"can't allocate memory"):
        torch.arange(10**15)
    assert torch.memory.allocated() == before


def test_a_refused_fill_leaves_out_unchanged() -> None:
    out = torch.ones(2, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        torch.full((2,), 300, out=out)
    assert out.tolist() == [1, 1]


def test_options_show_in_signatures() -> None:
    names = list(inspect.signature(torch.zeros).parameters)
    assert names[-5:] == ["dtype", "layout", "device", "requires_grad", "pin_memory"]


def test_requires_grad_is_refused_for_whole_numbers_with_an_explanation() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.tensor([1, 2, 3], requires_grad=True)
    assert str(caught.value) == "Only Tensors of floating point and complex dtype can require gradients"
    assert "decimal point" in "".join(caught.value.__notes__)
