"""`fill`: a tensor like another, with one value everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.copy import clone, fill_
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.derivatives.formulas import zero_gradient
from tensorglass.tensor.tensor import Tensor


def _samples() -> Iterator[Sample]:
    yield sample(values(2, 3), 2)
    yield sample(values(3), 2.5)
    yield sample(values(2, 1), values())
    yield sample(values(0, 3), 1)


@operator("copy", method=False, samples=_samples, signatures=(
    "(Tensor input, Tensor value)", "(Tensor input, Number value)",
))  # fmt: skip
@derivative(
    node=lambda value: "FillBackward1" if isinstance(value, Tensor) else "FillBackward0",
    input=zero_gradient,
    value=lambda grad: grad.sum(),
)
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor of the size and dtype of `input` with `value`, a number or a 0-dim tensor, everywhere."""
    check_tensor("fill", input)
    made = fill_(clone(input), value)
    made._storage.version = 0
    return made
