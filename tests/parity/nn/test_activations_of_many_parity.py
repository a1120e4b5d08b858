"""Activations of many elements, which are chosen by bits, and of few: the same results and gradients, at 0, at infinity
and for NaN too.
"""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

CALLS = (
    "F.elu(x)", "F.elu(x, 0.7)", "F.selu(x)", "F.celu(x, 1.3)", "F.leaky_relu(x)", "F.leaky_relu(x, 0.0)",
    "F.leaky_relu(x, -0.5)", "F.leaky_relu(x, 1.0)", "F.leaky_relu(x, 2.5)", "F.prelu(x, torch.tensor([0.25]))",
    "F.hardtanh(x)", "F.hardsigmoid(x)", "F.hardswish(x)", "F.softshrink(x)", "F.hardshrink(x)",
    "F.threshold(x, 0.1, 20)", "F.silu(x)", "F.gelu(x)", "F.gelu(x, approximate='tanh')", "F.mish(x)", "F.softplus(x)",
    "F.softplus(x, 2, 5)", "F.logsigmoid(x)", "F.glu(x.reshape(-1, 2))",
)  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_many_elements_are_activated_as_few(call: str) -> None:
    told = disagreement(
        f"""
        import math
        special = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, -1e-40, 3.0, -3.0, 20.0, -20.0, 89.0, -89.0, 1e38]
        for count in (2, 40_000):
            x = torch.sin(torch.arange(count) * 1.3) * 4
            x = torch.cat([torch.tensor(special), x]).requires_grad_()
            y = {call}
            see(y, *torch.autograd.grad(y, x, torch.cos(torch.arange(y.numel()) * 0.7).reshape(y.shape)))
        """
    )
    assert told is None, told
