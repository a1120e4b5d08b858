"""What the derivatives of several operators share; those of one operator stand beside it.

Where PyTorch has such a function in C++ it has the same name here: `sum_backward`, `norm_backward`. All of it is
written with differentiable operators, as methods, so that derivatives have derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from tensorglass import geometry
from tensorglass.graph.derivative import derivative
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

Dims = int | Sequence[int] | None


@derivative(node=lambda input: "ConjBackward0" if input.is_complex() else None, input=lambda grad: grad.conj())
def conj(value: Any) -> Any:
    """The conjugate of a tensor or number; a real one as it is."""
    if isinstance(value, Tensor):
        return value.conj() if value._dtype.is_complex else value
    return value.conjugate() if isinstance(value, complex) else value


def scaled(grad: Tensor, factor: Any) -> Tensor:
    """The gradient times the conjugate of a number; itself for 1."""
    return grad if isinstance(factor, (int, float)) and factor == 1 else grad * conj(factor)


def product_lying(stride: tuple[int, ...], one: Tensor, other: Tensor) -> Any:
    """``one @ other``, the gradient of a matrix with these strides: column-major if the matrix is."""
    if _lies_by_columns(stride, one._size[0]):
        return other.t().mm(one.t()).t()
    return one.mm(other)


def _lies_by_columns(stride: tuple[int, ...], rows: int) -> bool:
    return stride == (1, rows)


def zero_gradient(grad: Tensor) -> Tensor:
    """Zeros with the layout of `grad`: the derivative of piecewise constant functions, such as floor."""
    size, strides = grad._size, geometry.preserved_strides(grad._size, grad._stride)
    if strides == geometry.CONTIGUOUS_STRIDES[size]:
        return grad.new_zeros(size)
    return grad.new_empty_strided(size, strides).zero_()


def sum_backward(grad: Tensor, size: tuple[int, ...], dim: Dims, keepdim: bool) -> Tensor:
    """A reduction's gradient for each element that was reduced: expanded over the dimensions `dim`."""
    if dim is None:
        return grad.expand(size)
    return restore_reduced_dims(grad, size, dim, keepdim).expand(size)


def restore_reduced_dims(value: Tensor, size: tuple[int, ...], dim: Dims, keepdim: bool) -> Tensor:
    """A reduction's result or gradient with the reduced dimensions as size 1."""
    if keepdim or not size:
        return value
    axes = reduced_axes(len(size), dim)
    for axis in sorted(axes):
        value = value.unsqueeze(axis)
    return value


def reduced_axes(ndim: int, dim: Dims) -> tuple[int, ...]:
    """The dimensions that `dim` names, counted from the front; all for None or none."""
    if dim is None or dim == () or dim == []:
        return tuple(range(ndim))
    given = (dim,) if isinstance(dim, int) else dim
    return tuple([geometry.wrap_dim(dim, max(ndim, 1)) for dim in given])


def reduced_count(size: tuple[int, ...], dim: Dims) -> int:
    """How many elements were reduced to one."""
    count = 1
    for axis in reduced_axes(len(size), dim):
        count *= size[axis] if size else 1
    return count


def by_number(name: str, number: int = 1, tensor: int = 0) -> Callable[[Any], str]:
    """PyTorch's name of a node that depends on whether `other` is a number or a tensor."""
    return lambda other: f"{name}Backward{tensor if isinstance(other, Tensor) else number}"


def by_operands(name: str) -> Callable[[Any, Any], str]:
    """PyTorch's name of a node that depends on which operand is a number: none, 0; `input`, 1; `other`, 2."""

    def title(input: Any, other: Any) -> str:
        if not isinstance(input, Tensor):
            return f"{name}Backward1"
        return f"{name}Backward0" if isinstance(other, Tensor) else f"{name}Backward2"

    return title


def norm_backward(grad: Tensor, input: Tensor, result: Tensor, p: Any, dim: Dims, keepdim: bool) -> Tensor:
    """The gradient of a vector norm; 0 where it is not differentiable."""
    order = 2.0 if p in ("fro", None) else float(p)
    wide, norm = grad, result
    if dim is not None:
        wide, norm = [restore_reduced_dims(reduced, input._size, dim, keepdim) for reduced in (grad, result)]
    if order == 0:
        return zero_gradient(input)
    if order in (inf, -inf):
        length = input.abs()
        is_longest = (length == norm) | length.isnan()
        count = is_longest.sum(reduced_axes(len(input._size), dim), True) if input._size else is_longest.sum()
        return direction(input) * (wide / count * is_longest)
    if order == 1:
        return direction(input) * wide
    if order == 2:
        return wide * (input / norm).masked_fill(norm == 0, 0)
    if order < 1:
        return direction(input) * input.abs().pow(order - 1).masked_fill(input == 0, 0) * wide * norm.pow(1 - order)
    sharp = direction(input) * input.abs().pow(order - 1) if order < 2 else input * input.abs().pow(order - 2)
    return sharp * (wide / norm.pow(order - 1)).masked_fill(norm == 0, 0)


# --- where PyTorch has no derivative ---------------------------------------------------------------------------------


def no_derivative(operator: str) -> Callable[[Tensor], Tensor]:
    """A formula that raises, for an operator whose node is PyTorch's `NotImplemented`."""

    def refuse(grad: Tensor) -> Tensor:
        raise RuntimeError(f"derivative for {operator} is not implemented")

    return refuse


def no_formula(operator: str) -> Callable[[Tensor], Tensor]:
    """A formula that raises, for an operator that has a node of its own in PyTorch, and no formula for this operand."""

    def refuse(grad: Tensor) -> Tensor:
        raise NotImplementedError(f"the derivative for '{operator}' is not implemented.")

    return refuse


def direction(input: Tensor) -> Tensor:
    """The sign; for a complex number the unit number in its direction, and 0 for 0."""
    return input.sgn() if state.grad or input._dtype.is_complex else input.sign()  # as the graph shows it


def zero_where(is_flat: Tensor, grad: Tensor) -> Tensor:
    """The gradient, and 0 where the function is flat."""
    return grad.new_zeros(()).where(is_flat, grad)


def scaled_or_zero(is_flat: Tensor, grad: Tensor, slope: Tensor) -> Tensor:
    """``grad * slope``, and 0 where the function is flat; so is the derivative by `grad`, the forward one."""
    if state.grad:
        slope = zero_where(is_flat, slope)  # where the slope is not finite, an incoming gradient of 0 would become NaN
    return zero_where(is_flat, grad * slope)


def turning(one: Tensor, other: Tensor) -> Tensor:
    """1 / (one² + other²), the factor in the derivative of an angle; 0 at the origin."""
    square = one * one + other * other
    return square.reciprocal().masked_fill(square == 0, 0)


def columnwise(gradient: Tensor) -> Tensor:
    """The gradient in column-major order, as LAPACK leaves it."""
    return gradient.mT.contiguous().mT
