"""Gradients where a function has a corner, a pole, a tie or no value at all: at 0, -0, ±1, ±inf and NaN, and pairs."""

from __future__ import annotations

import math
from itertools import product
from operator import attrgetter
from typing import Any

import pytest
import torch

import tensorglass

POINTS = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 0.5, 2.0)
OF_ONE = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "deg2rad", "erf", "erfc",
    "erfinv", "exp", "exp2", "expm1", "floor", "frac", "log", "log10", "log1p", "log2", "logit", "rad2deg",
    "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh",
    "trunc", "nan_to_num", "lgamma", "i0", "special.i0e", "special.i1", "special.ndtri", "special.ndtr",
    "special.entr", "special.erfcx", "nn.functional.relu", "nn.functional.elu", "nn.functional.selu",
    "nn.functional.celu", "nn.functional.gelu", "nn.functional.silu", "nn.functional.softplus",
    "nn.functional.hardtanh", "nn.functional.relu6", "nn.functional.hardswish", "nn.functional.hardsigmoid",
    "nn.functional.leaky_relu", "nn.functional.softshrink", "nn.functional.hardshrink",
    "nn.functional.tanhshrink", "nn.functional.logsigmoid", "nn.functional.softsign", "nn.functional.mish",
)  # fmt: skip
OF_TWO = (
    "add", "sub", "mul", "div", "pow", "float_power", "fmax", "fmin", "maximum", "minimum", "atan2", "hypot",
    "xlogy", "special.xlog1py", "copysign", "fmod", "remainder", "logaddexp", "logaddexp2", "ldexp", "clamp_min",
    "clamp_max", "max", "min", "dist", "nn.functional.huber_loss", "nn.functional.smooth_l1_loss",
    "nn.functional.l1_loss", "nn.functional.mse_loss",
)  # fmt: skip


def _gradients(library: Any, name: str, point: tuple[float, ...]) -> list[float]:
    operands = [library.tensor([number], dtype=library.float64, requires_grad=True) for number in point]
    result = attrgetter(name)(library)(*operands)
    return [tensor.item() for tensor in library.autograd.grad(result.sum(), operands)]


@pytest.mark.sweep
@pytest.mark.parametrize("name", OF_ONE + OF_TWO)
def test_gradients_at_singular_points_are_pytorchs(name: str) -> None:
    differing = []
    for point in product(POINTS, repeat=2 if name in OF_TWO else 1):
        ours, theirs = (_gradients(library, name, point) for library in (tensorglass, torch))
        if ours != pytest.approx(theirs, rel=1e-9, abs=1e-12, nan_ok=True):
            differing.append(f"{name}{point}: {ours}, and {theirs} in PyTorch")
    assert not differing, "\n".join(differing)
