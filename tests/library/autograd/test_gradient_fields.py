"""Attributes of tensors about gradients, and the small operators that only gradients need."""

from __future__ import annotations

import pytest

import tensorglass as torch


def test_sum_to_size_undoes_an_expansion() -> None:
    x = torch.arange(6.0).view(2, 3)
    assert x.sum_to_size(1, 3).tolist() == [[3.0, 5.0, 7.0]]
    assert x.sum_to_size((3,)).tolist() == [3.0, 5.0, 7.0]
    assert x.sum_to_size(2, 3) is x
    with pytest.raises(RuntimeError, match=r"size \{\[2\]\} is not expandable to size \{\[2, 3\]\}."):
        x.sum_to_size(2)


def test_detach_makes_a_leaf_of_a_result_in_place() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    assert y.detach_() is y
    assert (y.requires_grad, y.grad_fn, y.is_leaf) == (False, None, True)
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        x[0].detach_()


def test_a_number_minus_and_over_a_tensor_have_gradients() -> None:
    x = torch.tensor([2.0, 4.0], requires_grad=True)
    (1 - x).sum().backward()
    (8 / x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [-3.0, -1.5]


def test_what_inference_mode_made_can_be_used_but_not_recorded() -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    assert x.is_inference()
    assert not x.requires_grad
    assert (x + 1).tolist() == [2.0, 2.0]
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        w * x
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        x.add_(1)
    assert x.tolist() == [1.0, 1.0]


def test_modes_decorate_functions_and_generators() -> None:
    w = torch.ones(2, requires_grad=True)

    @torch.no_grad
    def plain() -> torch.Tensor:
        return w * 2

    @torch.no_grad()
    def steps():
        yield (w * 2).requires_grad
        yield (w * 2).requires_grad

    assert not plain().requires_grad
    seen = [(requires_grad, (w * 2).requires_grad) for requires_grad in steps()]
    assert seen == [(False, True), (False, True)]
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
