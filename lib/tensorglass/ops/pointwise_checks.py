"""What arithmetic refuses before it computes: PyTorch's errors that depend on operands, not on their sizes."""

from __future__ import annotations

from typing import Any

from tensorglass import dtypes
from tensorglass.errors import explained
from tensorglass.tensor import Tensor, array_of

Operands = tuple[Any, ...]


def _is_bool(operand: Any) -> bool:
    return operand._dtype is dtypes.bool if isinstance(operand, Tensor) else isinstance(operand, bool)


def _is_integral(operand: Any) -> bool:
    if isinstance(operand, Tensor):
        return operand._dtype.category <= dtypes.INTEGER
    return isinstance(operand, int)


def alpha_fits(operands: Operands, alpha: complex = 1) -> None:
    """`alpha` must not turn an integer sum into a float one."""
    if alpha == 1:
        return
    if isinstance(alpha, bool) and not all(map(_is_bool, operands)):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and all(map(_is_integral, operands)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


def bool_cannot_be_subtracted(operands: Operands, alpha: complex = 1) -> None:
    """A difference of truth values has no meaning."""
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
    alpha_fits(operands, alpha)


def bool_cannot_be_negated(operands: Operands) -> None:
    """Truth values have no negative."""
    if _is_bool(operands[0]):
        raise explained(
            RuntimeError(
                "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
                "use the `~` or `logical_not()` operator instead."
            )
        )


def no_rounded_division_by_zero(operands: Operands, rounding_mode: str | None = None) -> None:
    """A quotient of integers that is rounded is an integer, which has no infinity."""
    if rounding_mode is not None:
        no_integer_division_by_zero(operands)


def no_integer_division_by_zero(operands: Operands) -> None:
    """Integers have no infinity to answer with."""
    if not all(map(_is_integral, operands)):
        return
    divisor = operands[1]
    has_zero = bool((array_of(divisor) == 0).any()) if isinstance(divisor, Tensor) else divisor == 0
    if has_zero:
        raise explained(
            RuntimeError("ZeroDivisionError"),
            "Division of integers by zero has no answer; floating-point tensors give inf or nan.",
        )


def integer_power_is_positive(operands: Operands) -> None:
    """An integer to a negative number's power would be a fraction."""
    base, exponent = operands
    if isinstance(base, Tensor) and _is_integral(base) and isinstance(exponent, int) and exponent < 0:
        raise explained(
            RuntimeError("Integers to negative integer powers are not allowed."),
            "Convert the base first: x.float() ** -1.",
        )


def relu_wants_numbers(operands: Operands) -> None:
    """Truth values are never negative."""
    if _is_bool(operands[0]):
        raise RuntimeError("Boolean inputs not supported for relu")


def no_integer_quotient(operands: Operands, value: complex = 1) -> None:
    """A quotient of integers would have to be rounded."""
    if all(map(_is_integral, operands)):
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
