"""The gradients of `scatter` and, for each way of reducing, of `scatter_reduce`.

`gather` with the same index is the way back of `scatter`: what a cell received is read again for each element that went
there.
"""

from __future__ import annotations

from typing import Any

from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.creation.fill import ones_like, zeros_like
from tensorglass.ops.derivatives.formulas import conj
from tensorglass.tensor.tensor import Tensor


def node_of_scatter(src: Any, reduce: str | None) -> str:
    """PyTorch's name of the node of ``scatter``, which has no derivative where it reduces."""
    if reduce is not None:
        return "NotImplemented"
    return f"ScatterBackward{int(not isinstance(src, Tensor))}"


def of_scatter_for_input(grad: Tensor, dim: int, index: Tensor, reduce: str | None) -> Tensor:
    """The gradient of ``input.scatter(dim, index, src)`` for `input`: what was not written over."""
    _refuse_reduction(reduce)
    return grad.scatter(dim, index, 0)


def of_scatter_for_source(grad: Tensor, dim: int, index: Tensor, reduce: str | None) -> Tensor:
    """The gradient of ``input.scatter(dim, index, src)`` for `src`."""
    _refuse_reduction(reduce)
    return grad.gather(dim, index)


def _refuse_reduction(reduce: str | None) -> None:
    if reduce is not None:
        raise explained(
            RuntimeError("derivative for aten::scatter is not implemented"),
            "Write scatter_add or scatter_reduce, which have derivatives, instead of scatter with reduce=….",
        )


def for_input(
    grad: Tensor, input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Tensor:
    """The gradient of ``input.scatter_reduce(dim, index, src, reduce)`` for `input`."""
    if reduce == "mean":
        grad = grad / _counts(grad, dim, index, src, include_self)
    elif reduce == "prod":
        factors = input.masked_fill(input == 0, 1)
        others = factors.scatter_reduce(dim, index, src, reduce, include_self=include_self)
        grad = grad * conj(others / factors)
    elif reduce != "sum":
        grad = _shared(grad, input, dim, index, src, result) * (input == result)
    return grad if include_self else grad.scatter(dim, index, 0)


def for_source(
    grad: Tensor, input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Tensor:
    """The gradient of ``input.scatter_reduce(dim, index, src, reduce)`` for `src`."""
    if reduce == "mean":
        grad = grad / _counts(grad, dim, index, src, include_self)
    elif reduce == "prod":
        return _of_factors(grad, input, dim, index, src, include_self, result)
    elif reduce != "sum":
        return _shared(grad, input, dim, index, src, result).gather(dim, index) * (src == result.gather(dim, index))
    return grad.gather(dim, index)


def _counts(grad: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool) -> Tensor:
    """How many elements went to each cell, at least 1."""
    start = ones_like(grad.detach()) if include_self else zeros_like(grad.detach())
    counts = start.scatter_add(dim, index, ones_like(src.detach()))
    return counts.masked_fill(counts == 0, 1)


def _shared(grad: Tensor, input: Tensor, dim: int, index: Tensor, src: Tensor, result: Tensor) -> Tensor:
    """A cell's gradient in equal parts for all that are as large as its result."""
    own = (input == result).to(grad.dtype)
    given = (src == result.gather(dim, index)).to(grad.dtype)
    return grad / own.scatter_add(dim, index, given)


def _of_factors(
    grad: Tensor, input: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool, result: Tensor
) -> Tensor:
    """For each factor the product of all others; a factor of 0 counts unless it is the only one in its cell.

    So zeros that share a cell have gradients that say nothing of the second derivative, which is refused.
    """
    is_zero = src == 0
    zeros = zeros_like(input.detach()).scatter_add(dim, index, is_zero.to(input.dtype)).gather(dim, index)
    is_only_zero = is_zero & (zeros == 1)
    others = input.scatter_reduce(dim, index, src.masked_fill(is_only_zero, 1), "prod", include_self=include_self)
    plain = (grad * conj(result)).gather(dim, index) / conj(src.masked_fill(is_zero, 1))
    alone = (grad * conj(others)).gather(dim, index)
    found = plain.masked_fill(is_only_zero, 0) + alone.masked_fill(~is_only_zero, 0)
    return differentiable_once(found) if bool((zeros.abs() > 1).any()) else found


def _refuse_second(grad: Tensor) -> Tensor:
    raise RuntimeError(
        "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
        "position in self"
    )


@recorded
@derivative(node="Error", input=_refuse_second)
def differentiable_once(input: Tensor) -> Tensor:
    """The tensor, of which a derivative is refused."""
    return input.clone()
