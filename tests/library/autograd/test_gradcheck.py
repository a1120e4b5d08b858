"""Every derivative in the operator table, compared with small differences of the operator itself.

`parity` compares them with PyTorch's as well. Here a third of the operators is checked each day, and the derivatives of
derivatives, which take four times as long, of a fifth (`by_day`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from gradient_calls import NAMES, GradientCall, calls

import tensorglass as torch
from tensorglass.autograd import gradcheck, gradgradcheck
from tensorglass.ops import OPERATORS

#: Operands are moved this far from each other, so that none are equal: there `maximum` has a corner.
APART = 0.0137
#: Their in-place forms record nothing, in PyTorch too, although they overwrite the elements with truth values.
NOT_RECORDED = ("logical_and_-0", "logical_or_-0", "logical_xor_-0", "logical_not_-0")
#: These raise an error that they have no derivative, as PyTorch's do.
WITHOUT_DERIVATIVE = (
    "floor_divide",
    "unique",
    "unique_consecutive",
    "heaviside",
    "bincount",
    "histogram",
    "geqrf",
    "binomial",
    "native_channel_shuffle",
)
#: Random numbers have no differences to compare with: their gradients are zeros, as PyTorch's in `parity`'s stories.
DRAWN = {
    "bernoulli", "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "poisson", "random_",
    "uniform_",
}  # fmt: skip
DIFFERENTIABLE = [name for name in NAMES if name not in WITHOUT_DERIVATIVE]
#: The derivative for `src` needs an index of the same size, in PyTorch too: `BY_HAND` has such calls.
UNEQUAL_SIZES = ("scatter-0", "scatter-1", "scatter_add-0", "scatter_add-1")


def outputs_of(result: Any) -> tuple[torch.Tensor, ...]:
    """The results that gradients flow from."""
    results = result if isinstance(result, (tuple, list)) else (result,)
    return tuple(result for result in results if isinstance(result, torch.Tensor) and result.requires_grad)


def can_be_checked(call: GradientCall, dtype: str) -> bool:
    """Whether there is a derivative at this point: the operator takes the dtype, and its result is a number."""
    if call.name in NOT_RECORDED or call.name in UNEQUAL_SIZES:
        return False
    try:
        outputs = outputs_of(call.function(torch, *call.tensors(torch, dtype, APART)))
    except (RuntimeError, TypeError):
        if dtype == "complex128":
            return False
        raise
    return bool(outputs) and all(bool(output.isfinite().all()) for output in outputs)


def checked(check: Callable[..., bool], name: str, dtype: str) -> None:
    """Check an operator's calls, where there is something to check."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls(name):
            if not can_be_checked(call, dtype):
                continue

            def function(*leaves: torch.Tensor, call: GradientCall = call) -> Any:
                return outputs_of(call.function(torch, *leaves))

            assert check(function, call.tensors(torch, dtype, APART)), call.name


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_derivative_is_that_of_small_differences(name: str, dtype: str) -> None:
    checked(gradcheck, name, dtype)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_derivatives_derivative_is_that_of_small_differences(name: str, dtype: str) -> None:
    checked(gradgradcheck, name, dtype)


def test_every_operator_that_declares_a_derivative_is_called() -> None:
    declared = {row.name for row in OPERATORS.values() if hasattr(row.function, "derivative")}
    assert declared
    assert declared - set(NAMES) == DRAWN


def by_rows(x: torch.Tensor) -> torch.Tensor:
    """`unique` along a dimension, which is another operator to PyTorch."""
    return torch.unique(x, dim=0)


@pytest.mark.parametrize("reduce", ["add", "multiply"])
def test_scatter_that_reduces_says_that_it_has_no_derivative(reduce: str) -> None:
    x = torch.ones(3, requires_grad=True)
    result = x.scatter(0, torch.tensor([0, 0]), 2.0, reduce=reduce)
    with pytest.raises(RuntimeError, match="derivative for aten::scatter is not implemented"):
        result.sum().backward()


@pytest.mark.parametrize(
    ("name", "call"), [("floor_divide", lambda x: x // 2), ("_unique2", torch.unique), ("unique_dim", by_rows)]
)
def test_operators_without_derivative_say_so(name: str, call: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = torch.ones(3, requires_grad=True)
    with pytest.raises((RuntimeError, NotImplementedError), match=f"derivative for .*{name}'? is not implemented"):
        call(x).sum().backward()
