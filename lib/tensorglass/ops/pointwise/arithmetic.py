"""Arithmetic, element by element. One declaration an operator; `ops.declare` does the rest.

A kernel is written over the backend's array module `xp`. Integer operands of a FLOAT operator arrive as floats, and
half types as float32, so a kernel is written for the types that it computes in.
"""

from __future__ import annotations

import cmath
import math
from functools import partial
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.samples import binary, bits, divisors, exponents, positive, unary
from tensorglass.ops.declare.type_promotion import FLOAT, PARAMETRIC, PROMOTE, DTypeRule
from tensorglass.ops.derivatives.shared import (
    by_number,
    conj,
    direction,
    no_derivative,
    scaled,
    zero_gradient,
    zero_where,
)
from tensorglass.ops.kernels import pow_floor_divide as dividing
from tensorglass.ops.kernels.pow_floor_divide import integer_power, power
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.ops.pointwise.checks import (
    bool_cannot_be_negated,
    bool_cannot_be_subtracted,
    check_alpha,
    integer_power_is_positive,
    is_double,
    length_is_real,
    no_complex,
    no_integer_division_by_zero,
    no_power_of_truth,
    rounded_quotient_exists,
)
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import dispatch_operator


def power_name(input: Any, exponent: Any) -> str:
    """PyTorch's name of a power's node: 0 for a number as the exponent, 2 for one as the base, 1 for two tensors."""
    if not isinstance(exponent, Tensor):
        return "PowBackward0"
    return "PowBackward1" if isinstance(input, Tensor) else "PowBackward2"


def pow_backward_self(grad: Tensor, input: Tensor, exponent: Any) -> Tensor:
    """The gradient of a power with respect to its base."""
    if isinstance(exponent, Tensor):
        return zero_where(exponent == 0, grad * conj(exponent * input.pow(exponent - 1)))
    if (
        exponent == 0 and exponent is not False
    ):  # as in PyTorch, where False does not count as 0, and 0 ** -1 is infinite
        return zero_gradient(grad)
    if exponent == 2 and not state.grad:
        return grad * conj(input + input)  # a derivative of the derivative would show the power that is left out
    return grad * conj(exponent * input.pow(exponent - 1))


def pow_backward_exponent(grad: Tensor, input: Any, exponent: Tensor, result: Tensor) -> Tensor:
    """The gradient of a power with respect to its exponent: 0 where the base is 0 and the exponent is not negative."""
    if not isinstance(input, Tensor) and input != 0:
        return grad * conj(result * _logarithm(input, exponent._dtype.is_complex))
    base = input.to(result._dtype) if isinstance(input, Tensor) else result.new_full((), input)
    is_kept = exponent.real >= 0 if exponent._dtype.is_complex else exponent >= 0
    return grad * zero_where((input == 0) & is_kept, conj(result * base.log()))


def float_power_backward_self(grad: Tensor, input: Tensor, exponent: Any) -> Tensor:
    """`pow_backward_self` for operands that were converted to another precision, that of `grad`, first."""
    exponent = exponent.to(grad._dtype) if isinstance(exponent, Tensor) else exponent + 0  # converts False to 0
    return pow_backward_self(grad, input.to(grad._dtype), exponent)


def float_power_backward_exponent(grad: Tensor, input: Any, exponent: Tensor, result: Tensor) -> Tensor:
    """`pow_backward_exponent` for operands that were converted to another precision, that of `grad`, first."""
    return pow_backward_exponent(grad, input, exponent.to(grad._dtype), result)


def _logarithm(number: complex, is_complex: bool) -> complex:
    if is_complex or isinstance(number, complex):
        return cmath.log(number)
    return math.log(number) if number > 0 else math.nan


def remainder_name(input: Any, other: Any) -> str:
    """PyTorch's name of a remainder's node: 0 for a number as the divisor, 1 for two tensors."""
    if not isinstance(input, Tensor):
        return "NotImplemented"
    return f"RemainderBackward{int(isinstance(other, Tensor))}"


def remainder_divisor(grad: Tensor, input: Any, other: Tensor) -> Tensor:
    """The gradient of a remainder for its divisor. PyTorch has none where a number is divided."""
    if not isinstance(input, Tensor):
        return no_derivative("aten::remainder")(grad)
    return -grad * input.div(other, rounding_mode="floor")  # `input / other`, rounded first, may be one too large


NO_BOOL = PROMOTE.refusing(dtypes.BOOL)
WHOLE = PROMOTE.refusing(dtypes.BOOL, dtypes.FLOATING, dtypes.COMPLEX)
ARITHMETIC = PROMOTE.refusing(dtypes.BOOL, dtypes.COMPLEX)
DIVISION = ARITHMETIC.but(rounds_numbers=True)
SUM = PROMOTE.but(rounds_numbers=True)
# A complex number's length is real.
MAGNITUDE = DTypeRule(result=DType.to_real, refuses=(dtypes.BOOL,), widens=False).exactly(
    dtypes.INTEGER, dtypes.FLOATING
)
ZERO_TO_ZERO = "0 ** 0 is 1 for complex numbers as for others; PyTorch gives nan, unless the exponent is a number"
HUGE_QUOTIENT = "where the quotient overflows, the rest is exact; PyTorch gives nan"
# PyTorch writes these straight into out=, which must have their dtype.
NEGATED = NO_BOOL.exactly().but(widens=False)
SIGN_IN_ORDER = "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."

# --- arithmetic ------------------------------------------------------------------------------------------------------


def alpha_fits(operands: Any, alpha: complex = 1) -> None:
    """Raise for an `alpha` that would turn an integer sum into a float one."""
    if type(alpha) is not int or not 0 <= alpha < 128:  # every dtype holds these
        check_alpha(operands, alpha)


@pointwise(
    SUM,
    ufunc="add",
    error_name="add_stub",
    dunders=("__add__", "__radd__", "__iadd__"),
    late_check=alpha_fits,
    samples=binary,
)
@derivative(wraps_numbers=True, on_arrays=True, input=lambda grad: grad, other=lambda grad, alpha: scaled(grad, alpha))
def add(xp: Any, input: Operand, other: Operand, *, alpha: complex = 1, out: Array = None) -> Array:
    """``input + alpha * other``."""
    return xp.add(input, other if alpha == 1 else _times(xp, other, alpha), out=out)


@pointwise(
    SUM,
    ufunc="subtract",
    error_name="add_stub",
    aliases=("subtract",),
    dunders=("__sub__", "__isub__"),
    check=bool_cannot_be_subtracted,
    late_check=alpha_fits,
    samples=binary,
)
@derivative(wraps_numbers=True, on_arrays=True, input=lambda grad: grad, other=lambda grad, alpha: -scaled(grad, alpha))
def sub(xp: Any, input: Operand, other: Operand, *, alpha: complex = 1, out: Array = None) -> Array:
    """``input - alpha * other``."""
    return xp.subtract(input, other if alpha == 1 else _times(xp, other, alpha), out=out)


@pointwise(
    SUM, inplace=False, method=False, error_name="add_stub", check=bool_cannot_be_subtracted, late_check=alpha_fits,
    samples=binary,
)  # fmt: skip
@derivative(
    node=by_number("Rsub"), on_arrays=True, input=lambda grad, alpha: -scaled(grad, alpha), other=lambda grad: grad
)
def rsub(xp: Any, input: Array, other: Operand, *, alpha: complex = 1) -> Array:
    """``other - alpha * input``."""
    return xp.subtract(other, input if alpha == 1 else _times(xp, input, alpha))


def _times(xp: Any, array: Array, alpha: complex | Array) -> Array:
    product = xp.multiply(array, xp.asarray(alpha).astype(array.dtype))
    # Half types are computed as float32; PyTorch rounds their product before it adds it, where it fills no vector.
    return product if isinstance(alpha, NUMBERS) else product.astype(alpha.dtype).astype(array.dtype)


@pointwise(
    PROMOTE,
    ufunc="multiply",
    aliases=("multiply",),
    dunders=("__mul__", "__rmul__", "__imul__"),
    samples=binary,
)
@derivative(
    wraps_numbers=True,
    input=lambda grad, other: grad * conj(other),
    other=lambda grad, input: grad * conj(input),
)
def mul(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input * other``."""
    return xp.multiply(input, other, out=out)


def _div_dtype(rounding_mode: str | None = None) -> DTypeRule:
    return FLOAT if rounding_mode is None else PROMOTE


@pointwise(
    _div_dtype,
    ufunc="true_divide",
    aliases=("divide",),
    dunders=("__truediv__", "__div__", "__itruediv__", "__idiv__"),
    late_check=rounded_quotient_exists,
    samples=divisors,
)
@derivative(
    wraps_numbers=True,
    node=lambda rounding_mode: "DivBackward0" if rounding_mode is None else "DivBackward2",
    input=lambda grad, other, rounding_mode: zero_gradient(grad) if rounding_mode else grad / conj(other),
    other=lambda grad, input, other, rounding_mode: (
        zero_gradient(grad) if rounding_mode else -grad * conj(input / other / other)
    ),
)
def div(
    xp: Any,
    input: Operand,
    other: Operand,
    *,
    rounding_mode: str | None = None,
    out: Array = None,
) -> Array:
    """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""
    if rounding_mode is None:
        return xp.true_divide(input, other, out=out)
    if rounding_mode == "floor":
        return dividing.whole(xp, xp.floor_divide, xp.floor, input, other, out)
    if input.dtype.kind == "f":
        return xp.trunc(xp.true_divide(input, other), out=out)
    quotient = xp.floor_divide(input, other)
    rounded_away = (quotient * other != input) & ((input < 0) != (other < 0))
    return xp.add(quotient, rounded_away, out=out, dtype=quotient.dtype, casting="unsafe")


@pointwise(FLOAT, ufunc="true_divide", samples=divisors)
@derivative(
    node="DivBackward0",
    wraps_numbers=True,
    on_arrays=True,
    input=lambda grad, other: grad / conj(other),
    other=lambda grad, input, other: -grad * conj(input / other / other),
)
def true_divide(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input / other``."""
    return xp.true_divide(input, other, out=out)


@pointwise(
    ARITHMETIC,
    error_name="div_floor_cpu",
    dunders=("__floordiv__", "__rfloordiv__", "__ifloordiv__"),
    late_check=no_integer_division_by_zero,
    samples=divisors,
)
@derivative(node="NotImplemented", input=no_derivative("aten::floor_divide"), other=no_derivative("aten::floor_divide"))
def floor_divide(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """``input // other``: the quotient rounded down."""
    return dividing.whole(xp, xp.floor_divide, xp.floor, input, other, out)


@pointwise(
    DIVISION,
    dunders=("__mod__", "__rmod__", "__imod__"),
    late_check=no_integer_division_by_zero,
    samples=divisors,
    differs=HUGE_QUOTIENT,
)
@derivative(
    node=remainder_name,
    input=lambda grad: grad,
    other=remainder_divisor,
)
def remainder(xp: Any, input: Operand, other: Operand, *, out: Array = None) -> Array:
    """The remainder of `floor_divide`: it has the sign of `other`, like Python's ``%``."""
    if input.dtype.kind != "f":
        return xp.remainder(input, other, out=out)
    return dividing.rest(xp, partial(_remainder, xp), xp.floor, input, other, out)


def _remainder(xp: Any, input: Array, other: Array, out: Array = None) -> Array:
    # NumPy's zero has the sign of `other`, PyTorch's that of `input`, which `out` may be.
    rest = xp.remainder(input, other)
    return xp.where(rest == 0, xp.copysign(rest, input), rest)


@pointwise(DIVISION, late_check=no_integer_division_by_zero, samples=divisors, differs=HUGE_QUOTIENT)
@derivative(
    node=by_number("Fmod", number=0, tensor=1),
    input=lambda grad: grad,
    other=lambda grad, input, other: -grad * input.div(other, rounding_mode="trunc"),
)
def fmod(xp: Any, input: Array, other: Operand, *, out: Array = None) -> Array:
    """The remainder of a division rounded towards zero: it has the sign of `input`, like C's ``fmod``."""
    return dividing.rest(xp, xp.fmod, xp.trunc, input, other, out)


@pointwise(
    PARAMETRIC.but(rounds_numbers=True),
    dunders=("__pow__", "__rpow__", "__ipow__"),
    check=integer_power_is_positive,
    late_check=no_power_of_truth,
    samples=exponents,
    differs=ZERO_TO_ZERO,
)
@derivative(
    node=power_name,
    input=pow_backward_self,
    exponent=pow_backward_exponent,
)
def pow(xp: Any, input: Operand, exponent: Operand, *, out: Array = None) -> Array:
    """``input ** exponent``."""
    if input.dtype.kind in "iu":
        return integer_power(xp, input, exponent, out)
    if input.dtype.kind == "b":
        return input | ~exponent
    return power(xp, input, exponent, out)


@pointwise(
    NEGATED,
    ufunc="negative",
    aliases=("negative",),
    dunders=("__neg__",),
    check=bool_cannot_be_negated,
    samples=unary,
)
@derivative(on_arrays=True, input=lambda grad: -grad)
def neg(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``-input``."""
    return xp.negative(input, out=out)


@pointwise(
    MAGNITUDE,
    ufunc="absolute",
    aliases=("absolute",),
    dunders=("__abs__",),
    inplace_check=length_is_real,
    samples=unary,
)
@derivative(input=lambda grad, input: grad * direction(input))
def abs(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The absolute value; of a complex number its length, a real number."""
    return xp.absolute(input, out=out)


@pointwise(PROMOTE.exactly(), check=no_complex(SIGN_IN_ORDER), samples=unary)
@derivative(input=zero_gradient)
def sign(xp: Any, input: Array, *, out: Array = None) -> Array:
    """-1, 0 or 1 as each element is negative, zero or positive."""
    kind = input.dtype.kind
    if kind in "iu":
        return xp.sign(input, out=out)
    if kind != "f":
        return input.copy() if kind == "b" else xp.sign(xp.nan_to_num(input, nan=0.0, copy=True), out=out)
    # Positive minus negative, as bytes: NaN is neither. This is quicker than replacing NaNs.
    difference = xp.subtract(xp.greater(input, 0).view("i1"), xp.less(input, 0).view("i1"))
    if out is None:
        return difference.astype(input.dtype)
    out[...] = difference
    return out


def _long_for_bool(common: DType) -> DType:
    return dtypes.int64 if common is dtypes.bool else common


@pointwise(DTypeRule(compute=_long_for_bool), error_name="pow", samples=unary)
@derivative(
    node="PowBackward0",
    input=lambda grad, input: pow_backward_self(grad, input, 2),
)
def square(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``input * input``."""
    return xp.multiply(input, input, out=out)


@pointwise(FLOAT, samples=positive)
@derivative(on_arrays=True, input=lambda grad, result: -grad * conj(result * result))
def reciprocal(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``1 / input``."""
    return xp.true_divide(input.dtype.type(1), input, out=out)


@pointwise(FLOAT, ufunc="sqrt", samples=positive)
@derivative(on_arrays=True, input=lambda grad, result: grad / conj(2 * result))
def sqrt(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The square root."""
    return xp.sqrt(input, out=out)


@pointwise(FLOAT, samples=positive)
@derivative(input=lambda grad, result: -0.5 * grad * conj(result**3))
def rsqrt(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``1 / sqrt(input)``."""
    return xp.true_divide(input.dtype.type(1), xp.sqrt(input), out=out)


# --- integers and powers ---------------------------------------------------------------------------------------


@pointwise(WHOLE, ufunc="gcd", samples=bits)
def gcd(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The greatest common divisor of two integers."""
    return xp.gcd(input, other, out=out)


@pointwise(WHOLE, ufunc="lcm", samples=bits)
def lcm(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The least common multiple of two integers."""
    return xp.lcm(input, other, out=out)


def _as_double(common: DType) -> DType:
    return dtypes.complex128 if common.is_complex else dtypes.float64


IN_DOUBLE = PARAMETRIC.but(compute=_as_double).exactly(
    refusal="the output given to float_power has dtype {out} but the operation's result requires dtype {result}"
)


@pointwise(IN_DOUBLE, inplace_check=is_double, samples=exponents, differs=ZERO_TO_ZERO)
@derivative(node=power_name, input=float_power_backward_self, exponent=float_power_backward_exponent)
def float_power(xp: Any, input: Operand, exponent: Operand, *, out: Array = None) -> Array:
    """``input ** exponent`` in double precision, whatever the operands are."""
    return power(xp, input, exponent, out)


# --- where the other operand stands first ----------------------------------------------------------------------------


@recorded
@derivative(node="RsubBackward0", input=lambda grad: -grad, other=lambda grad: grad)
def _taken_off(input: Tensor, other: Tensor) -> Tensor:
    return sub(other, input)  # with the layout of `other`


@operator("pointwise", function=False, method=False, dunders=("__rsub__",))
def __rsub__(input: Tensor, other: Any) -> Any:
    """``other - input``."""
    if isinstance(other, Tensor):
        return _taken_off(input, other)
    return rsub(input, other) if isinstance(other, NUMBERS) else dispatch_operator("__rsub__", input, other)


@operator("pointwise", function=False, method=False, dunders=("__rtruediv__", "__rdiv__"))
def __rtruediv__(input: Tensor, other: Any) -> Any:
    """``other / input``: PyTorch rounds the reciprocal first, and so do we."""
    if isinstance(other, (Tensor, *NUMBERS)):
        return mul(reciprocal(input), other)
    try:
        return reciprocal(input) * other  # a NumPy array can do it
    except TypeError:
        return NotImplemented
