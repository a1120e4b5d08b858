"""A tensor and a number, in one node that has no edge for the number: what PyTorch's composite operators record.

The operators of the table make a tensor of a number, and their nodes an edge that leads nowhere. PyTorch's do so when
Python calls them, and not when its own C++ does. Only graphs show the difference, by names that end in 1.
"""

from __future__ import annotations

from collections.abc import Callable

from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.tensor.tensor import Tensor

ByNumber = Callable[[Tensor, float], Tensor]


@derivative(node="AddBackward1", input=lambda grad: grad)
def _plus(input: Tensor, number: float) -> Tensor:
    return input + number


@derivative(node="MulBackward1", input=lambda grad, number: grad * number)
def _times(input: Tensor, number: float) -> Tensor:
    return input * number


@derivative(node="DivBackward1", input=lambda grad, number: grad / number)
def _over(input: Tensor, number: float) -> Tensor:
    return input / number


plus: ByNumber = recorded(_plus)
times: ByNumber = recorded(_times)
over: ByNumber = recorded(_over)
