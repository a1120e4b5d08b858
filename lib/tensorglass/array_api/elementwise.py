"""The standard's elementwise functions: our operators by its names, with its promotion of dtypes.

Each stands in one line. Functions of two take a Python number in place of one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorglass as torch
from tensorglass.array_api.promoting import as_tensors, of_number, promoted
from tensorglass.tensor.tensor import Tensor


def _of_one(name: str, operator: Callable[..., Any] | None = None) -> Callable[[Tensor], Tensor]:
    """The function of one array that `operator` is; ours of the same name if there is none."""
    compute = operator or getattr(torch, name)

    def function(x: Tensor, /) -> Tensor:
        result: Tensor = compute(x)
        return result

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
    function.__doc__ = (operator.__doc__ or "").partition("\n\n")[0]  # what it says, without its example
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
    plain = torch.exp(x)  # goes right where infinities and NaN are, and `torch.expm1` does not
    result = torch.where(torch.isfinite(x), result, torch.complex(plain.real - 1, plain.imag))
    return torch.complex(result.real + 0.0, result.imag)  # of -0 makes 0


def _tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    result: Tensor = torch.tanh(x)
    if not x.is_complex():
        return result
    limit = torch.complex(torch.sign(x.real), torch.copysign(torch.zeros_like(x.imag), x.imag))
    return torch.where(torch.isinf(x.real), limit, result)  # the imaginary part of PyTorch's has the sign of sin(2b)


def _remainder(x1: Tensor, x2: Tensor | complex) -> Tensor:
    """The rest of a division that is rounded down: it has the sign of the divisor, and so has a zero."""
    rest: Tensor = torch.remainder(x1, x2)
    return torch.copysign(rest, x2) if rest.is_floating_point() else rest


def _floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    """The quotient, rounded down. What is infinite divides as it does in arithmetic, where Python gives up."""
    quotient: Tensor = torch.floor_divide(x1, x2)
    if not quotient.is_floating_point():
        return quotient
    exact: Tensor = torch.true_divide(x1, x2)
    return torch.where(torch.isfinite(x1) & torch.isfinite(x2), quotient, torch.floor(exact))


abs = _of_one("abs")
acos = _of_one("acos")
acosh = _of_one("acosh")
asin = _of_one("asin")
asinh = _of_one("asinh")
atan = _of_one("atan")
atanh = _of_one("atanh")
bitwise_invert = _of_one("bitwise_invert", torch.bitwise_not)
ceil = _of_one("ceil")
conj = _of_one("conj", _conjugated)
cos = _of_one("cos")
cosh = _of_one("cosh")
exp = _of_one("exp")
expm1 = _of_one("expm1", _expm1)
floor = _of_one("floor")
imag = _of_one("imag")
isfinite = _of_one("isfinite")
isinf = _of_one("isinf")
isnan = _of_one("isnan")
log = _of_one("log")
log10 = _of_one("log10")
log1p = _of_one("log1p")
log2 = _of_one("log2")
logical_not = _of_one("logical_not")
negative = _of_one("negative")
positive = _of_one("positive")
real = _of_one("real")
reciprocal = _of_one("reciprocal")
round = _of_one("round", _round)
sign = _of_one("sign", _sign)
signbit = _of_one("signbit")
sin = _of_one("sin")
sinh = _of_one("sinh")
sqrt = _of_one("sqrt")
square = _of_one("square")
tan = _of_one("tan")
tanh = _of_one("tanh", _tanh)
trunc = _of_one("trunc")

add = _of_two("add", numbers=True)
atan2 = _of_two("atan2")
bitwise_and = _of_two("bitwise_and", numbers=True)
bitwise_left_shift = _of_two("bitwise_left_shift", numbers=True)
bitwise_or = _of_two("bitwise_or", numbers=True)
bitwise_right_shift = _of_two("bitwise_right_shift", numbers=True)
bitwise_xor = _of_two("bitwise_xor", numbers=True)
copysign = _of_two("copysign", numbers=True)
divide = _of_two("divide", torch.true_divide, numbers=True)
equal = _of_two("equal", torch.eq, numbers=True)
floor_divide = _of_two("floor_divide", _floor_divide)
greater = _of_two("greater", torch.gt, numbers=True)
greater_equal = _of_two("greater_equal", torch.ge, numbers=True)
hypot = _of_two("hypot")
less = _of_two("less", torch.lt, numbers=True)
less_equal = _of_two("less_equal", torch.le, numbers=True)
logaddexp = _of_two("logaddexp")
logical_and = _of_two("logical_and")
logical_or = _of_two("logical_or")
logical_xor = _of_two("logical_xor")
maximum = _of_two("maximum")
minimum = _of_two("minimum")
multiply = _of_two("multiply", torch.mul, numbers=True)
nextafter = _of_two("nextafter")
not_equal = _of_two("not_equal", torch.ne, numbers=True)
pow = _of_two("pow", numbers=True)
remainder = _of_two("remainder", _remainder, numbers=True)
subtract = _of_two("subtract", torch.sub, numbers=True)


def clip(x: Tensor, /, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """`x` with elements below `min` raised to it and those above `max` lowered to it, in the dtype of `x`."""
    low, high = (each.to(x._dtype) if isinstance(each, Tensor) else each for each in (min, max))
    if low is None and high is None:
        return x.clone()
    if isinstance(low, Tensor) and high is not None and not isinstance(high, Tensor):
        high = of_number(high, x)
    elif isinstance(high, Tensor) and low is not None and not isinstance(low, Tensor):
        low = of_number(low, x)
    return torch.clamp(x, low, high)
