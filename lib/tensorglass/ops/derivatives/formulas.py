"""Derivatives that take more than a line, or that several operators have in common.

Where PyTorch has such a function in C++ it has the same name here: `sum_backward`, `var_backward`. All of it is written
with differentiable operators, as methods, so that derivatives have derivatives.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from math import inf, log, nan, pi
from typing import Any

from tensorglass import geometry
from tensorglass.graph.derivative import derivative
from tensorglass.ops.derivatives.view_nodes import unsliced
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

Dims = int | Sequence[int] | None

LN2, LN10 = log(2), log(10)


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
    """``one @ other``, the gradient of a matrix of these strides: its columns lie in a row if the matrix's do."""
    if _lies_by_columns(stride, one._size[0]):
        return other.t().mm(one.t()).t()
    return one.mm(other)


def _lies_by_columns(stride: tuple[int, ...], rows: int) -> bool:
    return stride == (1, rows)


def zero_gradient(grad: Tensor) -> Tensor:
    """Zeros that lie as `grad` does: the derivative of what moves in steps, such as floor."""
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
    return tuple([geometry.wrap_dim(each, max(ndim, 1)) for each in given])


def reduced_count(size: tuple[int, ...], dim: Dims) -> int:
    """How many elements were reduced to one."""
    count = 1
    for axis in reduced_axes(len(size), dim):
        count *= size[axis] if size else 1
    return count


def amax_backward(grad: Tensor, input: Tensor, result: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The gradient of a largest element: in equal parts to all that are as large."""
    chosen = input == restore_reduced_dims(result, input._size, dim, keepdim)
    count = chosen.sum(reduced_axes(len(input._size), dim), True) if input._size else chosen.sum()
    return restore_reduced_dims(grad, input._size, dim, keepdim) / count * chosen


def prod_backward(grad: Tensor, input: Tensor, result: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """The gradient of a product: for each factor the product of all others."""
    if not input._size:
        return grad.clone()
    if not bool((input == 0).any()):
        if dim is None:
            return grad * conj(result / input)
        return restore_reduced_dims(grad, input._size, dim, keepdim) * conj(
            restore_reduced_dims(result, input._size, dim, keepdim) / input
        )
    flat = input.reshape(-1) if dim is None else input.movedim(dim, -1)
    count = flat._size[-1]
    diagonal = input.new_zeros((count, count)).fill_diagonal_(1) != 0
    others = flat.unsqueeze(-2).expand((*flat._size[:-1], count, count)).masked_fill(diagonal, 1).prod(-1)
    others = others.reshape(input._size) if dim is None else others.movedim(-1, dim)
    return restore_reduced_dims(grad, input._size, dim, keepdim) * conj(others)


def by_dim(name: str) -> Callable[[Any], str]:
    """PyTorch's name of a reduction's node: it tells reductions of everything, 0, from those along a dimension, 1."""
    return lambda dim: f"{name}Backward{int(dim is not None)}"


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


def var_backward(
    grad: Tensor, input: Tensor, dim: Any, unbiased: bool, correction: float | None, keepdim: bool
) -> Tensor:
    """The gradient of a variance."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = int(unbiased)
    count = reduced_count(input._size, dim) - correction
    axes = reduced_axes(len(input._size), dim)
    middle = input.mean() if dim is None or not input._size else input.mean(axes, True)
    if count <= 0 and (dim is None or not input._size):  # the variance is nan, and so is its slope
        return sum_backward(grad, input._size, dim, keepdim) * input.detach().new_full(input._size, nan)
    wide = grad if dim is None else restore_reduced_dims(grad, input._size, dim, keepdim)
    return wide * (2.0 / count if count else inf) * (input - middle)


def norm_backward(grad: Tensor, input: Tensor, result: Tensor, p: Any, dim: Dims, keepdim: bool) -> Tensor:
    """The gradient of a vector norm; 0 where that has a corner."""
    order = 2.0 if p in ("fro", None) else float(p)
    wide, norm = grad, result
    if dim is not None:
        wide, norm = [restore_reduced_dims(each, input._size, dim, keepdim) for each in (grad, result)]
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


# --- element by element ----------------------------------------------------------------------------------------------


def direction(input: Tensor) -> Tensor:
    """The sign; of a complex number the number of length 1 that points its way, and 0 for 0."""
    return input.sgn() if state.grad or input._dtype.is_complex else input.sign()  # as the graph shows it


def power_name(input: Any, exponent: Any) -> str:
    """PyTorch's name of a power's node: 0 for a number as the exponent, 2 for one as the base, 1 for two tensors."""
    if not isinstance(exponent, Tensor):
        return "PowBackward0"
    return "PowBackward1" if isinstance(input, Tensor) else "PowBackward2"


def pow_backward_self(grad: Tensor, input: Tensor, exponent: Any) -> Tensor:
    """The gradient of a power for its base."""
    if isinstance(exponent, Tensor):
        return _zero_where(exponent == 0, grad * conj(exponent * input.pow(exponent - 1)))
    if exponent == 0 and exponent is not False:  # sic: False is no 0 there, and 0 ** -1 infinite
        return zero_gradient(grad)
    if exponent == 2 and not state.grad:
        return grad * conj(input + input)  # a derivative of the derivative would show the power that is left out
    return grad * conj(exponent * input.pow(exponent - 1))


def pow_backward_exponent(grad: Tensor, input: Any, exponent: Tensor, result: Tensor) -> Tensor:
    """The gradient of a power for its exponent: 0 where the base is 0 and the exponent is not negative."""
    if not isinstance(input, Tensor) and input != 0:
        return grad * conj(result * _logarithm(input, exponent._dtype.is_complex))
    base = input.to(result._dtype) if isinstance(input, Tensor) else result.new_full((), input)
    is_kept = exponent.real >= 0 if exponent._dtype.is_complex else exponent >= 0
    return grad * _zero_where((input == 0) & is_kept, conj(result * base.log()))


def float_power_backward_self(grad: Tensor, input: Tensor, exponent: Any) -> Tensor:
    """`pow_backward_self` of operands that the power was computed of in another precision, that of `grad`."""
    exponent = exponent.to(grad._dtype) if isinstance(exponent, Tensor) else exponent + 0  # which makes 0 of False
    return pow_backward_self(grad, input.to(grad._dtype), exponent)


def float_power_backward_exponent(grad: Tensor, input: Any, exponent: Tensor, result: Tensor) -> Tensor:
    """`pow_backward_exponent` of operands that the power was computed of in another precision, that of `grad`."""
    return pow_backward_exponent(grad, input, exponent.to(grad._dtype), result)


def _logarithm(number: complex, is_complex: bool) -> complex:
    if is_complex or isinstance(number, complex):
        return cmath.log(number)
    return log(number) if number > 0 else nan


def _zero_where(is_flat: Tensor, grad: Tensor) -> Tensor:
    return grad.new_zeros(()).where(is_flat, grad)


def remainder_name(input: Any, other: Any) -> str:
    """PyTorch's name of a remainder's node: 0 for a number as the divisor, 1 for two tensors."""
    if not isinstance(input, Tensor):
        return "NotImplemented"
    return f"RemainderBackward{int(isinstance(other, Tensor))}"


def remainder_divisor(grad: Tensor, input: Any, other: Tensor) -> Tensor:
    """The gradient of a remainder for its divisor. PyTorch has none where a number is divided."""
    if not isinstance(input, Tensor):
        return no_derivative("aten::remainder")(grad)
    return -grad * input.div(other, rounding_mode="floor")  # which may be less than the quotient, rounded, tells


def clamp_backward(grad: Tensor, input: Tensor, min: Any, max: Any) -> Tensor:
    """The gradient where clamp let the element be."""
    if min is None or max is None:
        return grad.where(input >= min if max is None else input <= max, 0)
    return grad.where((input >= min) & (input <= max), 0)


def clamp_backward_min(grad: Tensor, input: Tensor, min: Any, max: Any) -> Tensor:
    """The gradient where clamp put `min`."""
    is_low = input < min
    return grad.where(is_low if max is None else is_low & (min < max), 0)


def clamp_backward_max(grad: Tensor, input: Tensor, min: Any, max: Any) -> Tensor:
    """The gradient where clamp put `max`."""
    is_high = input > max
    return grad.where(is_high if min is None else is_high | (max < min), 0)


def maximum_backward(grad: Tensor, one: Tensor, other: Tensor) -> Tensor:
    """The gradient of the larger of two for `one`; half of it where they are equal."""
    return (grad / 2).where(one == other, grad).masked_fill(one < other, 0)


def sgn_backward(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    """The gradient of `sgn`: 0 for real numbers; for complex ones what turns the number without making it longer."""
    if not input._dtype.is_complex:
        return zero_gradient(grad)
    turned = (grad - (grad * conj(result)).real * result) / input.abs()
    return turned.masked_fill(input == 0, 0)


def copied_sign(input: Tensor, result: Tensor) -> Tensor:
    """1 where `copysign` left the sign as it was, -1 where it turned it, 0 for 0."""
    return (result / input).masked_fill(input == 0, 0)


def xlogy_input(grad: Tensor, input: Any, other: Any) -> Tensor:
    """The gradient of ``input * log(other)`` for `input`."""
    return grad.xlogy(other).masked_fill((input == 0) & (other <= 0), 0)


def turning(one: Tensor, other: Tensor) -> Tensor:
    """1 by the squared length of the point (one, other), which the farther it is turns the less; 0 at the origin."""
    square = one * one + other * other
    return square.reciprocal().masked_fill(square == 0, 0)


def acosh_backward(grad: Tensor, input: Tensor) -> Tensor:
    """The gradient of `acosh`, which PyTorch has for real numbers below 1 too."""
    if input._dtype.is_complex:
        return grad * conj((input - 1).rsqrt() * (input + 1).rsqrt())
    return grad * (input * input - 1).rsqrt()


def sinc_backward(grad: Tensor, input: Tensor) -> Tensor:
    """The gradient of ``sin(pi x) / (pi x)``."""
    angle = input * pi
    return _zero_where(input == 0, grad * conj((angle * angle.cos() - angle.sin()) / (angle * input)))


def cumprod_backward(grad: Tensor, input: Tensor, result: Tensor, dim: int) -> Tensor:
    """The gradient of `cumprod`: each factor is in every product from its place on."""
    if input.numel() <= 1:
        return grad
    if not bool((input == 0).any()):
        return (grad * conj(result)).flip(dim).cumsum(dim).flip(dim) / conj(input)
    length = input._size[dim]
    parts = []
    for place in range(length):
        rest = [input.narrow(dim, at, 1) for at in range(place)]
        before = rest[0] if rest else None
        for each in rest[1:]:
            before = before * each
        total = grad.narrow(dim, place, 1) if before is None else grad.narrow(dim, place, 1) * conj(before)
        running = before
        for at in range(place + 1, length):
            factor = input.narrow(dim, at, 1)
            running = factor if running is None else running * factor
            total = total + grad.narrow(dim, at, 1) * conj(running)
        parts.append(total)
    gradient = input.new_zeros(input._size)
    for place, part in enumerate(parts):
        gradient = gradient + unsliced(part, input._size, dim, place, place + 1)
    return gradient


def var_mean_backward(arrived: Any, input: Tensor, dim: Any, unbiased: bool, correction: Any, keepdim: bool) -> Tensor:
    """The gradient of `var_mean`."""
    axes = None if isinstance(dim, bool) else dim
    of_var, of_mean = arrived
    if of_mean is None:
        return var_backward(of_var, input, dim, unbiased, correction, keepdim)
    mean = sum_backward(of_mean, input._size, axes, keepdim) / reduced_count(input._size, axes)
    return mean if of_var is None else var_backward(of_var, input, dim, unbiased, correction, keepdim) + mean


def std_mean_backward(
    arrived: Any, input: Tensor, result: Tensor, dim: Any, unbiased: bool, correction: Any, keepdim: bool
) -> Tensor:
    """The gradient of `std_mean`."""
    of_std, of_mean = arrived
    if of_std is not None:
        of_std = (of_std / (2 * result)).masked_fill(result == 0, 0)
    return var_mean_backward((of_std, of_mean), input, dim, unbiased, correction, keepdim)


def columnwise(gradient: Tensor) -> Tensor:
    """The gradient with its columns in a row, as LAPACK leaves it."""
    return gradient.mT.contiguous().mT


def masked_scatter_backward(grad: Tensor, mask: Tensor, size: tuple[int, ...]) -> Tensor:
    """The gradient of `masked_scatter` for its source: the elements that were taken, and zeros for the rest."""
    taken = grad.masked_select(mask)
    return unsliced(taken, (geometry.numel(size),), 0, 0, taken.numel()).reshape(size)
