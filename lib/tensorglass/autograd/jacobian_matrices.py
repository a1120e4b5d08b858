"""Jacobian matrices in two ways: by nudging every input a little, and by the derivatives that were recorded.

A matrix has a row for each element of an input and a column for each element of an output. Nudging one element of the
input gives a row; a backward pass from one element of the output gives a column.

For complex inputs both give PyTorch's convention, the conjugate of Wirtinger's derivative: the real part says how the
output moves with the input's real part, the imaginary part how it moves with its imaginary part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from tensorglass.autograd.backward import grad
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.tensor.tensor import Tensor

Function = Callable[..., Any]


def as_tuple(value: Any) -> tuple[Any, ...]:
    """One value or several, as several."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def differentiable(inputs: Sequence[Any]) -> list[Tensor]:
    """The tensors among the inputs that gradients are asked of."""
    return [each for each in inputs if isinstance(each, Tensor) and each.requires_grad]


def has_gradient(value: Any) -> bool:
    """Whether a value is of a kind that can have a gradient."""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def positions(tensor: Tensor) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The elements' indices in order, numbered."""
    return enumerate(product(*[range(length) for length in tensor._size]))


# --- by nudging ------------------------------------------------------------------------------------------------------


def numerical(
    function: Function, inputs: Sequence[Any], outputs: Sequence[Any], input: Tensor, eps: float
) -> list[Tensor]:
    """The Jacobian with respect to `input`, one of `inputs`, of each of the `outputs` that can have a gradient."""
    dtype = input._dtype if input._dtype.is_complex else None
    found = [each.new_zeros((input.numel(), each.numel()), dtype=dtype) for each in outputs if has_gradient(each)]
    memory = input.data  # written to behind autograd's back, which would take the writes for changes
    for row, index in positions(input):
        moved = _slopes(function, inputs, memory[index], index, eps, eps)
        if input._dtype.is_complex:
            sideways = _slopes(function, inputs, memory[index], index, eps, eps * 1j)
            moved = [along + across * 1j for along, across in zip(moved, sideways, strict=True)]
        for matrix, values in zip(found, moved, strict=False):
            matrix[row] = values
    return found


def _slopes(
    function: Function, inputs: Sequence[Any], cell: Tensor, index: tuple[int, ...], eps: float, step: complex
) -> list[Tensor]:
    """How fast each output moves as one cell of an input moves along `step`, measured on both sides of it."""
    before = cell.clone()
    cell.copy_(before - step)
    low = [each.clone() for each in as_tuple(function(*inputs))]
    cell.copy_(before + step)
    high = [each.clone() for each in as_tuple(function(*inputs))]
    cell.copy_(before)
    slopes = []
    for one, other in zip(low, high, strict=False):
        _check_alike("shape", one.shape, other.shape, index, eps)
        _check_alike("dtype", one.dtype, other.dtype, index, eps)
        slopes.append(((other - one) / (2 * eps)).detach().reshape(-1))
    return slopes


def _check_alike(what: str, one: Any, other: Any, index: tuple[int, ...], eps: float) -> None:
    if one != other:
        raise AssertionError(
            f"Expected `func` to return outputs with the same {what} when inputs are perturbed on index {index} by "
            f"{eps}, but got: {what}s {one} and {other}."
        )


# --- by the recorded derivatives -------------------------------------------------------------------------------------


class Analytical:
    """The Jacobian of one output with respect to all inputs, and what was noticed on the way."""

    def __init__(self, inputs: Sequence[Tensor], output: Tensor) -> None:
        self.matrices = [each.new_zeros((each.numel(), output.numel())) for each in inputs]
        self.sizes_are_right = True
        self.dtypes_are_right = True
        start = zeros_like(output.detach()).contiguous()
        cells = start.view(-1)
        for column in range(output.numel()):
            cells.zero_()
            cells[column] = 1.0
            found = grad(output, inputs, start, retain_graph=True, allow_unused=True)
            for matrix, gradient, input in zip(self.matrices, found, inputs, strict=True):
                if gradient is not None:
                    self.sizes_are_right &= gradient._size == input._size
                    self.dtypes_are_right &= gradient._dtype is input._dtype
                    matrix[:, column] = gradient.detach().reshape(-1)

    def differs(self, other: Analytical, tolerance: float) -> bool:
        """Whether the same backward pass gave other values the second time."""
        pairs = zip(self.matrices, other.matrices, strict=True)
        return any(one.numel() and bool((one - two).abs().max() > tolerance) for one, two in pairs)
