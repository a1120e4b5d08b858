"""The checks of arithmetic operators: PyTorch's errors that depend on the operands, but not on their sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.ops.declare.type_promotion import cannot_cast, common_dtype, to_one_dtype
from tensorglass.ops.kernels.python_numbers import check_width, checked
from tensorglass.tensor.tensor import Tensor, array_of

Operands = Sequence[Any]


def _is_bool(operand: Any) -> bool:
    return operand._dtype is dtypes.bool if isinstance(operand, Tensor) else isinstance(operand, bool)


def _is_complex(operand: Any) -> bool:
    return operand._dtype.is_complex if isinstance(operand, Tensor) else isinstance(operand, complex)


def _is_integral(operand: Any) -> bool:
    if isinstance(operand, Tensor):
        return operand._dtype.category <= dtypes.INTEGER
    return isinstance(operand, int)


def no_complex(message: str, error: type[Exception] = NotImplementedError) -> Callable[..., None]:
    """The check of an operator that needs ordered elements: raises its own error for complex operands."""

    def check(operands: Operands, **parameters: Any) -> None:
        if any(isinstance(operand, Tensor) and operand._dtype.is_complex for operand in operands):
            raise explained(error(message), "Complex numbers have no order: take x.real, x.imag or x.abs() first.")

    return check


def length_is_real(operands: Operands) -> None:
    """Raise for `abs` in place of a complex tensor: the result is real."""
    if operands[0]._dtype.is_complex:
        raise explained(
            RuntimeError("In-place abs is not supported for complex tensors."), "x.abs() makes a new, real tensor."
        )


_no_complex_clamp = no_complex("clamp is not supported for complex types")


def bounds_are_real(operands: Operands) -> None:
    """Raise for clamping of complex numbers, which have no order."""
    _no_complex_clamp(operands)
    if operands[0]._dtype.is_floating_point and any(isinstance(bound, complex) for bound in operands[1:]):
        checked(1j, dtypes.float64)  # raises PyTorch's refusal


def bounds_are_elements(operands: Operands) -> None:
    """Raise unless the dtype can hold the numbers to clamp by."""
    for bound in operands[1:]:
        if isinstance(bound, complex):
            raise NotImplementedError("clamp is not supported for complex types")
        if isinstance(bound, (int, float)) and abs(bound) > 65504:
            checked(bound, common_dtype([operand for operand in operands if operand is not None]))


_REAL = {int, float, type(None)}  # bounds that are numbers, or left out


def clamp_has_order(operands: Operands) -> None:
    """Raise for clamping without bounds, or of complex numbers."""
    input, low, high = operands
    if low is None and high is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if type(input) is Tensor and not input._dtype.is_complex and type(low) in _REAL and type(high) in _REAL:
        return  # most calls
    bounds_are_real(operands)


def clamp_wants_numbers(operands: Operands) -> None:
    """Raise for clamping of bools, except by one tensor, which PyTorch computes as a maximum or minimum."""
    input, low, high = operands
    bounds_are_elements(operands)
    if type(input) is Tensor and input._dtype is not dtypes.bool and type(low) in _REAL and type(high) in _REAL:
        return
    common = common_dtype([operand for operand in operands if operand is not None])
    if common is dtypes.bool:
        bounds = "_" if None not in (low, high) else "_min_" if high is None else "_max_"
        if not any(isinstance(bound, Tensor) for bound in (low, high)):
            raise NotImplementedError(f"\"clamp{bounds}scalar_cpu\" not implemented for 'Bool'")
        if bounds == "_":
            raise NotImplementedError("\"clamp_cpu\" not implemented for 'Bool'")


def bounds_fit(operands: Operands) -> None:
    """Raise if clamping by numbers in place would change the dtype."""
    clamped, *bounds = operands
    if clamped._dtype.is_floating_point and _REAL.issuperset(map(type, bounds)):
        return
    if not any(isinstance(bound, Tensor) for bound in bounds):
        result = common_dtype([operand for operand in operands if operand is not None])
        if result is not clamped._dtype:
            raise cannot_cast(result, clamped._dtype, in_c=True)


def check_alpha(operands: Operands, alpha: complex) -> None:
    """Raise PyTorch's error for an `alpha` that turns an integer sum into a float one, or does not fit."""
    if isinstance(alpha, bool) and not all(map(_is_bool, operands)):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, (float, complex)) and all(map(_is_integral, operands)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and not any(map(_is_complex, operands)):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if type(alpha) is not float or abs(alpha) > 65504:  # what every floating-point dtype holds
        checked(alpha, common_dtype(operands))


def bool_cannot_be_subtracted(operands: Operands, **parameters: Any) -> None:
    """Raise for a difference of bools."""
    are_bool = [_is_bool(operand) for operand in operands]
    if all(are_bool):
        raise explained(
            RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
                "operator instead."
            )
        )
    if any(are_bool):
        raise explained(
            RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
                "mask, use the `~` or `logical_not()` operator instead."
            )
        )


def bool_cannot_be_negated(operands: Operands) -> None:
    """Raise for the negative of a bool."""
    if _is_bool(operands[0]):
        raise explained(
            RuntimeError(
                "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
                "use the `~` or `logical_not()` operator instead."
            )
        )


def rounded_quotient_exists(operands: Operands, rounding_mode: str | None = None) -> None:
    """Raise for rounded quotients of complex numbers or bools, and for integers divided by zero."""
    if rounding_mode is not None:
        if rounding_mode not in ("trunc", "floor"):
            raise RuntimeError(
                f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
            )
        common = common_dtype(operands)
        if common.is_complex or common is dtypes.bool:
            raise NotImplementedError(f"\"div_{rounding_mode}_cpu\" not implemented for '{common.scalar_type}'")
        no_integer_division_by_zero(operands)


def no_integer_division_by_zero(operands: Operands) -> None:
    """Raise for integers divided by zero: integers have no infinity."""
    if not all(map(_is_integral, operands)):
        return
    divisor = operands[1]
    if any(isinstance(operand, Tensor) and not operand.numel() for operand in operands):
        return  # nothing is divided
    has_zero = bool((array_of(divisor) == 0).any()) if isinstance(divisor, Tensor) else divisor == 0
    if has_zero:
        raise explained(
            RuntimeError("ZeroDivisionError"),
            "Division of integers by zero has no answer; floating-point tensors give inf or nan.",
        )


def integer_power_is_positive(operands: Operands) -> None:
    """Raise for an integer to the power of a negative number, which would be a fraction."""
    base, exponent = operands
    if isinstance(base, Tensor) and _is_integral(base) and isinstance(exponent, int) and exponent < 0:
        raise explained(
            RuntimeError("Integers to negative integer powers are not allowed."),
            "Convert the base first: x.float() ** -1.",
        )
    if isinstance(base, Tensor) and base._dtype.category == dtypes.INTEGER and isinstance(exponent, int):
        checked(exponent, base._dtype)
    if isinstance(exponent, (int, float)) and abs(exponent) > 65504 and common_dtype(operands).itemsize == 2:
        checked(exponent, common_dtype(operands))


def no_power_of_truth(operands: Operands) -> None:
    """Raise for powers of bools, unless the exponent is a Python number."""
    base, exponent = operands
    common = common_dtype(operands)
    if common is dtypes.bool and (isinstance(exponent, Tensor) or not isinstance(base, Tensor)):
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")


def ends_alike(operands: Operands) -> None:
    """Raise unless both ends of `lerp` have one dtype."""
    start, end, weight = operands
    if start._dtype is not end._dtype:
        raise explained(
            RuntimeError(
                f"expected dtype {dtypes.C_NAMES[start._dtype]} for `end` but got dtype {dtypes.C_NAMES[end._dtype]}"
            ),
            to_one_dtype(start._dtype, end._dtype),
        )
    if isinstance(weight, Tensor) and weight._size and weight._dtype is not start._dtype:
        names = dtypes.C_NAMES[start._dtype], dtypes.C_NAMES[weight._dtype]
        raise RuntimeError(f"expected dtype {names[0]} for `weight` but got dtype {names[1]}")


def weight_is_element(operands: Operands) -> None:
    """Raise for `lerp` of integers, or of real numbers with a complex weight."""
    start, _, weight = operands
    number_weighs_fractions(operands)
    if common_dtype(operands).category < dtypes.FLOATING:
        raise NotImplementedError(f"\"lerp_kernel_tensor\" not implemented for '{start._dtype.scalar_type}'")
    if isinstance(weight, complex) and not start._dtype.is_complex:
        checked(weight, dtypes.float64 if start._dtype is dtypes.float64 else dtypes.float32)


def number_weighs_fractions(operands: Operands) -> None:
    """Raise for `lerp` of integers with a number as weight, which does not promote them."""
    start, _, weight = operands
    if start._dtype.category < dtypes.FLOATING and not isinstance(weight, Tensor):
        raise NotImplementedError(f"\"lerp_kernel_scalar\" not implemented for '{start._dtype.scalar_type}'")


def dtypes_alike(operands: Operands, **parameters: Any) -> None:
    """Raise unless both tensors have one dtype."""
    input, other = operands
    if input._dtype is not other._dtype:
        raise explained(
            RuntimeError(f"{input._dtype.scalar_type} did not match {other._dtype.scalar_type}"),
            to_one_dtype(input._dtype, other._dtype),
        )


def is_double(operands: Operands) -> None:
    """Raise unless the base, which is overwritten, has the double precision of the result."""
    base = operands[0]._dtype
    result = dtypes.complex128 if common_dtype(operands).is_complex else dtypes.float64
    if base is not result:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {base.scalar_type} but the operation's result requires dtype "
            f"{result.scalar_type}"
        )


def relu_wants_numbers(operands: Operands) -> None:
    """Raise for bools, which are never negative, and complex numbers, which have no sign."""
    if _is_bool(operands[0]):
        raise RuntimeError("Boolean inputs not supported for relu")
    _no_complex_clamp(operands)


def value_fits(operands: Operands, value: complex = 1) -> None:
    """Raise unless the dtype to compute in, float32 for half types, can hold `value`."""
    dtype = common_dtype(operands)
    checked(value, dtypes.float32 if dtype.itemsize == 2 and dtype.is_floating_point else dtype)


def no_integer_quotient(operands: Operands, value: complex = 1) -> None:
    """Raise for a quotient of integers, which would have to be rounded."""
    check_width(value)
    if all(map(_is_integral, operands[1:])):
        raise explained(
            RuntimeError(
                "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
                "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + "
                "value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * "
                "tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: "
                "(input + value * tensor1 / tensor2), for all dtypes."
            ),
            "Convert the tensors first: x.float().",
        )
    value_fits(operands, value)
