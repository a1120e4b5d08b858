"""The standard's elementwise functions: our operators under its names, with its promotion of dtypes.

They are made from tables of names. Functions of two take a Python number in place of one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import tensorglass as torch
from tensorglass.array_api.promoting import as_tensors, of_number, promoted
from tensorglass.tensor.tensor import Tensor


def of_one(name: str, operator: Callable[..., Any] | None = None) -> Callable[[Tensor], Any]:
    """A function of one array that applies `operator`, by default our operator of the same name."""
    compute = operator or getattr(torch, name)

    def function(x: Tensor, /) -> Any:
        return compute(x)

    return named(function, name, compute)


def _of_two(
    name: str, operator: Callable[..., Any] | None = None, *, numbers: bool = False
) -> Callable[[Any, Any], Tensor]:
    """The function of two arrays. `numbers` says that the operator itself takes a number as the second."""
    compute = operator or getattr(torch, name)

    def function(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
        if isinstance(x1, Tensor) and isinstance(x2, Tensor):
            if x1._dtype is not x2._dtype:
                x1, x2 = promoted(x1, x2)
        elif not numbers or not isinstance(x1, Tensor):
            x1, x2 = as_tensors(x1, x2)
        result: Tensor = compute(x1, x2)
        return result

    return named(function, name, compute)


def named(function: Any, name: str, operator: Callable[..., Any]) -> Any:
    """The function under a name, with the summary of the operator that it stands for."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (operator.__doc__ or "").partition("\n\n")[0]  # its docstring, without the example
    return function


def _conjugated(x: Tensor) -> Tensor:
    """The complex conjugates; real numbers as they are."""
    return x.conj().resolve_conj()  # in memory of their own, so that other libraries can read them


def _sign(x: Tensor) -> Tensor:
    """-1, 0 or 1, as the number is; of complex numbers ``x / abs(x)``. NaN stays NaN."""
    if x.is_complex():
        sign: Tensor = torch.sgn(x)
    else:
        sign = torch.sign(x)
    return torch.where(torch.isnan(x), x, sign) if x.is_floating_point() or x.is_complex() else sign


def _round(x: Tensor) -> Tensor:
    """The nearest integer, the even one of two; of complex numbers for each part."""
    return torch.complex(x.real.round(), x.imag.round()) if x.is_complex() else torch.round(x)


def _expm1(x: Tensor) -> Tensor:
    """``exp(x) - 1``, exact near 0."""
    result: Tensor = torch.expm1(x)
    if not x.is_complex():
        return result
    plain = torch.exp(x)  # right for infinities and NaN, for which `torch.expm1` is not
    result = torch.where(torch.isfinite(x), result, torch.complex(plain.real - 1, plain.imag))
    return torch.complex(result.real + 0.0, result.imag)  # turns -0 into 0


def _tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    result: Tensor = torch.tanh(x)
    if not x.is_complex():
        return result
    limit = torch.complex(torch.sign(x.real), torch.copysign(torch.zeros_like(x.imag), x.imag))
    return torch.where(torch.isinf(x.real), limit, result)  # the imaginary part of PyTorch's has the sign of sin(2b)


def _remainder(x1: Tensor, x2: Tensor | complex) -> Tensor:
    """The remainder of a division that is rounded down: it has the sign of the divisor, also if it is zero."""
    rest: Tensor = torch.remainder(x1, x2)
    return torch.copysign(rest, x2) if rest.is_floating_point() else rest


def _floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    """The quotient, rounded down. Infinities divide as in arithmetic; Python's `//` gives NaN."""
    quotient: Tensor = torch.floor_divide(x1, x2)
    if not quotient.is_floating_point():
        return quotient
    exact: Tensor = torch.true_divide(x1, x2)
    return torch.where(torch.isfinite(x1) & torch.isfinite(x2), quotient, torch.floor(exact))


#: The functions that are ours of the same name, of one array and of two.
_OURS_OF_ONE = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "floor", "imag", "isfinite",
    "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not", "negative", "positive", "real", "reciprocal",
    "signbit", "sin", "sinh", "sqrt", "square", "tan", "trunc",
)  # fmt: skip
_OURS_OF_TWO = (
    "atan2", "hypot", "logaddexp", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "nextafter",
)  # fmt: skip
#: Those that are other ones, or take a number as the second.
_OF_ONE: dict[str, Callable[..., Any] | None] = dict.fromkeys(_OURS_OF_ONE) | {
    "bitwise_invert": torch.bitwise_not, "conj": _conjugated, "expm1": _expm1, "round": _round, "sign": _sign,
    "tanh": _tanh,
}  # fmt: skip
_WITH_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": torch.add, "bitwise_and": torch.bitwise_and, "bitwise_left_shift": torch.bitwise_left_shift,
    "bitwise_or": torch.bitwise_or, "bitwise_right_shift": torch.bitwise_right_shift, "bitwise_xor": torch.bitwise_xor,
    "copysign": torch.copysign, "divide": torch.true_divide, "equal": torch.eq,
    "greater": torch.gt, "greater_equal": torch.ge, "less": torch.lt, "less_equal": torch.le, "multiply": torch.mul,
    "not_equal": torch.ne, "pow": torch.pow, "remainder": _remainder, "subtract": torch.sub,
}  # fmt: skip
globals().update({name: of_one(name, operator) for name, operator in _OF_ONE.items()})
globals().update({name: _of_two(name) for name in _OURS_OF_TWO}, floor_divide=_of_two("floor_divide", _floor_divide))
globals().update({name: _of_two(name, operator, numbers=True) for name, operator in _WITH_NUMBERS.items()})

if TYPE_CHECKING:  # the names above

    def __getattr__(name: str) -> Any: ...


def clip(x: Tensor, /, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """`x` with elements below `min` raised to it and those above `max` lowered to it, in the dtype of `x`."""
    low, high = (bound.to(x._dtype) if isinstance(bound, Tensor) else bound for bound in (min, max))
    if low is None and high is None:
        return x.clone()
    if isinstance(low, Tensor) and high is not None and not isinstance(high, Tensor):
        high = of_number(high, x)
    elif isinstance(high, Tensor) and low is not None and not isinstance(low, Tensor):
        low = of_number(low, x)
    return torch.clamp(x, low, high)
