"""The operators that compute gradients of activations are nodes of the graphs of those gradients, as PyTorch's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

#: The operator, and a function whose gradient it computes.
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "elu_backward": lambda t, F, x: F.elu(x, 0.7),
    "leaky_relu_backward": lambda t, F, x: F.leaky_relu(x, 0.2),
    "prelu_kernel": lambda t, F, x: F.prelu(x, t.tensor([0.3], dtype=t.float64)),
    "prelu_backward_input": lambda t, F, x: F.prelu(x, t.tensor([0.3, 0.4, 0.2], dtype=t.float64)),
    "rrelu_with_noise": lambda t, F, x: F.rrelu(x, 0.1, 0.1, training=False),
    "rrelu_backward": lambda t, F, x: F.rrelu(x, 0.2, 0.2, training=True),
    "hardtanh_backward": lambda t, F, x: F.hardtanh(x, -0.5, 0.8),
    "hardsigmoid_backward": lambda t, F, x: F.hardsigmoid(x * 2),
    "hardswish_backward": lambda t, F, x: F.hardswish(x * 2),
    "softshrink_backward": lambda t, F, x: F.softshrink(x, 0.3),
    "gelu_backward": lambda t, F, x: F.gelu(x),
    "_silu_backward": lambda t, F, x: F.silu(x),
    "softplus_backward": lambda t, F, x: F.softplus(x, 2),
    "log_sigmoid_backward": lambda t, F, x: F.logsigmoid(x),
    "_gated": lambda t, F, x: F.glu(t.cat([x, x + 1]), 0),
}
#: Operators whose gradient has no gradient in PyTorch.
ENDS_THERE = ("hardsigmoid_backward",)
#: The gradient's gradient has other nodes: PyTorch composes it of operators of the table, in Python or in C++.
OTHER_NODES = ("hardsigmoid_backward", "_silu_backward", "log_sigmoid_backward", "_gated")


def names(node: Any) -> set[str]:
    """The names of all nodes that are reached from this one."""
    names, waiting, seen = set(), [node], set()
    while waiting:
        next_node = waiting.pop()
        if next_node is not None and id(next_node) not in seen:
            seen.add(id(next_node))
            names.add(next_node.name().rpartition("::")[2])
            waiting += [edge for edge, _ in next_node.next_functions]
    return names


@pytest.mark.parametrize("operator", CALLS)
def test_gradients_and_their_graphs(operator: str) -> None:
    seen = []
    for library in (torch, tensorglass):
        x = library.tensor(np.random.default_rng(0).standard_normal((2, 3)), requires_grad=True)
        result = CALLS[operator](library, library.nn.functional, x)
        (first,) = library.autograd.grad(result.pow(2).sum(), x, create_graph=True)
        second = first
        if operator not in ENDS_THERE:
            (second,) = library.autograd.grad(first.pow(2).sum(), x)
        seen.append((names(first.grad_fn), first.detach().numpy(), second.detach().numpy()))
    theirs, ours = seen
    assert operator in OTHER_NODES or ours[0] == theirs[0]
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-9, atol=1e-12)
