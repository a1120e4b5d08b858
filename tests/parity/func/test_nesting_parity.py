"""Every nesting of the transforms of `torch.func`, two and three deep, over tracked and untracked tensors: a generated
sweep against PyTorch. Values, what the result is connected to, and that nothing stays behind.
"""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import tensorglass

Chain = tuple[tuple[str, str], ...]

#: What a transform is applied to: the argument; a constant, with the argument in its closure; and the reverse.
MODES = ("argument", "closure over the argument", "closure over a constant")
#: Whether the argument requires gradients, whether the constant does, and whether grad mode is on.
TRACKED = [(0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1), (1, 1, 0)]


def transforms(t: Any) -> dict[str, Callable[[Any, Any], Any]]:
    """From an elementwise function and its argument to a result of the argument's size, by each transform."""
    f = t.func

    class Module(t.nn.Module):
        def __init__(self, function: Any) -> None:
            super().__init__()
            self.function = function
            self.weight = t.nn.Parameter(t.ones(2))

        def forward(self) -> Any:
            return self.function(self.weight)

    def gradient_and_value(function: Any, x: Any) -> Any:
        gradient, value = f.grad_and_value(lambda x: function(x).sum())(x)
        return gradient * value

    def pulled_back(function: Any, x: Any) -> Any:
        value, pull = f.vjp(function, x)
        return pull(value)[0]

    def pushed_forward(function: Any, x: Any) -> Any:
        value, tangent = f.jvp(function, (x,), (t.ones_like(x),))
        return value * tangent

    def rows(matrix: Any) -> Any:
        return matrix.sum(0) if matrix.dim() else matrix

    return {
        "grad": lambda function, x: f.grad(lambda x: function(x).sum())(x),
        "grad_and_value": gradient_and_value,
        "vjp": pulled_back,
        "jvp": pushed_forward,
        "jacrev": lambda function, x: rows(f.jacrev(function)(x)),
        "jacfwd": lambda function, x: rows(f.jacfwd(function)(x)),
        "hessian": lambda function, x: rows(f.hessian(lambda x: function(x).sum())(x)),
        "vmap": lambda function, x: f.vmap(function)(x) if x.dim() else function(x),
        "functional_call": lambda function, x: f.functional_call(Module(function), {"weight": x}, ()),
    }


NAMES = tuple(transforms(torch))


def nested(t: Any, chain: Chain, constant: Any) -> Callable[[Any], Any]:
    """The cube of `x`, through the transforms of the chain, the last one innermost."""
    transformed = transforms(t)

    def around(inner: Callable[[Any], Any], name: str, mode: str) -> Callable[[Any], Any]:
        if mode == "argument":
            return lambda x: transformed[name](inner, x)
        if mode == "closure over the argument":
            return lambda x: transformed[name](lambda a: inner(a) * x, constant)
        return lambda x: transformed[name](lambda a: inner(a) * constant, x)

    function: Callable[[Any], Any] = lambda x: x * x * x  # noqa: E731  # what the chain begins with
    for name, mode in reversed(chain):
        function = around(function, name, mode)
    return function


def outcome(t: Any, chain: Chain, tracked: tuple[int, int, int]) -> tuple[Any, Any, list[Any]]:
    """The result's values, whether it is connected, and the gradients of its sum for what is tracked: zeros if not."""
    x, constant = t.tensor([0.5, 0.8], dtype=t.float64), t.tensor([0.3, 0.9], dtype=t.float64)
    x.requires_grad_(bool(tracked[0]))
    constant.requires_grad_(bool(tracked[1]))
    with t.set_grad_enabled(bool(tracked[2])):
        result = nested(t, chain, constant)(x)
    leaves = [tensor for tensor in (x, constant) if tensor.requires_grad]
    assert result.requires_grad == (result.grad_fn is not None)
    if not result.requires_grad:
        return np.array(result.tolist()), False, [np.zeros(2) for _ in leaves]
    gradients = t.autograd.grad(result.sum(), leaves, allow_unused=True)
    # Adding 0 gives memory to PyTorch's gradients of zeros, which may have none.
    arrays = [np.zeros(2) if gradient is None else np.array((gradient + 0).tolist()) for gradient in gradients]
    return np.array(result.tolist()), True, arrays


def chains(outer: str) -> Iterator[tuple[Chain, tuple[int, int, int]]]:
    """All pairs in all modes, and a third of the triples; each takes the next of `TRACKED`."""
    tracked = itertools.cycle(TRACKED)
    for inner, mode, other in itertools.product(NAMES, MODES, MODES):
        yield ((outer, mode), (inner, other)), next(tracked)
    modes = itertools.cycle(itertools.product(MODES, repeat=3))
    for number, pair in enumerate(itertools.product(NAMES, repeat=2)):
        if number % 3 == NAMES.index(outer) % 3:
            yield tuple(zip((outer, *pair), next(modes), strict=True)), next(tracked)


@pytest.mark.sweep
@pytest.mark.parametrize("outer", NAMES)
def test_nested_transforms_agree(outer: str) -> None:
    for chain, tracked in chains(outer):
        expected, is_connected, expected_gradients = outcome(torch, chain, tracked)
        actual, is_ours_connected, gradients = outcome(tensorglass, chain, tracked)
        where = f"{chain}, tracked {tracked}"
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12, err_msg=where)
        np.testing.assert_allclose(gradients, expected_gradients, rtol=1e-9, atol=1e-12, err_msg=where)
        # PyTorch's forward mode connects what is linear in a tracked argument to it, by a gradient of zeros.
        is_by_zeros = is_connected and not np.any(expected_gradients)
        assert is_ours_connected == is_connected or (is_by_zeros and not is_ours_connected), where


@pytest.mark.sweep
@pytest.mark.parametrize("outer", NAMES)
def test_repeated_calls_leave_nothing_behind(outer: str) -> None:
    t = tensorglass
    constant = t.tensor([0.3, 0.9])
    steps = [nested(t, ((outer, "closure over a constant"), (inner, MODES[1])), constant) for inner in NAMES]

    def live(count: int) -> int:
        x = t.tensor([0.5, 0.8])
        for _ in range(count):
            for step in steps:
                x = x + 0.001 * step(x).sum()
        gc.collect()
        return sum(str(type(candidate).__module__).startswith("tensorglass") for candidate in gc.get_objects())

    live(2)  # fills caches
    assert live(11) <= live(2)
