"""First and second derivatives of `nn.functional` against finite differences; networks on the simulated device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorglass as torch
import tensorglass.nn.functional as F
from tensorglass.autograd import gradcheck, gradgradcheck

ACTIVATIONS = (
    "celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "logsigmoid",
    "mish", "relu", "relu6", "selu", "silu", "softplus", "softshrink", "softsign", "tanhshrink",
)  # fmt: skip
NUMBERS = ("mse_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss", "binary_cross_entropy_with_logits")
CLASSES = ("nll_loss", "cross_entropy", "multi_margin_loss")
REDUCTIONS = ("none", "mean", "sum")


def numbers(*size: int, low: float = -2.0, high: float = 2.0) -> torch.Tensor:
    """Different numbers, none of them at a point where a function is not differentiable."""
    torch.manual_seed(1)
    return (torch.rand(size, dtype=torch.float64) * (high - low) + low).requires_grad_()


def check(function: Callable[..., Any], *leaves: torch.Tensor) -> None:
    assert gradcheck(function, leaves)
    assert gradgradcheck(function, leaves)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_have_the_derivatives_of_small_differences(name: str) -> None:
    check(getattr(F, name), numbers(3, 4))


@pytest.mark.parametrize("name", ["celu", "elu", "leaky_relu", "hardtanh", "silu", "mish"])
def test_activations_in_place_have_the_same_derivatives(name: str) -> None:
    check(lambda x: getattr(F, name)(x * 1.0, inplace=True), numbers(3, 4))


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", NUMBERS)
def test_losses_of_numbers(name: str, reduction: str) -> None:
    target = numbers(3, 4, low=0.1, high=0.9).detach()
    check(lambda x: getattr(F, name)(x, target, reduction=reduction), numbers(3, 4))


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", CLASSES)
def test_losses_of_classes(name: str, reduction: str) -> None:
    target, weight = torch.tensor([1, 0, 3]), torch.tensor([0.5, 1.0, 2.0, 0.25], dtype=torch.float64)
    check(lambda x: getattr(F, name)(x, target, weight=weight, reduction=reduction), numbers(3, 4))


def test_ctc_loss_is_the_sum_over_all_alignments() -> None:
    log_probs = numbers(2, 1, 3).log_softmax(2)
    loss = F.ctc_loss(log_probs, torch.tensor([[1]]), [2], [1], reduction="sum")
    p = log_probs.exp()[:, 0]
    ways = p[0, 1] * p[1, 1] + p[0, 0] * p[1, 1] + p[0, 1] * p[1, 0]
    assert torch.allclose(loss, -ways.log())


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_network_learns(device: str) -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Embedding(5, 4), torch.nn.Flatten(), torch.nn.Linear(8, 6), torch.nn.GELU(), torch.nn.Dropout(0.1),
        torch.nn.Linear(6, 3),
    ).to(device)  # fmt: skip
    words, classes = torch.randint(0, 5, (16, 2)).to(device), torch.randint(0, 3, (16,)).to(device)
    losses = []
    for _ in range(30):
        loss = F.cross_entropy(net(words), classes, label_smoothing=0.1)
        net.zero_grad()
        loss.backward()
        with torch.no_grad():
            for parameter in net.parameters():
                parameter -= 0.5 * parameter.grad
        losses.append(loss.item())
    assert losses[-1] < losses[0] * 0.8
    assert str(next(net.parameters()).device).startswith(device)


@pytest.mark.parametrize("dim", [0, 1, 2, None])
def test_normalized_weights_have_the_derivatives_of_small_differences(dim: int | None) -> None:
    layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv1d(3, 2, 2), dim=dim)
    norm = layer.parametrizations.weight[0]
    check(norm, numbers(*layer.parametrizations.weight.original0.shape, low=0.5), numbers(2, 3, 2))
