"""Signs and special values, element by element: sgn, copysign, nan_to_num and their siblings."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo
from tensorglass.graph.derivative import derivative
from tensorglass.ops.declare.pointwise import Operand, pointwise
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.samples import binary, unary
from tensorglass.ops.declare.type_promotion import ORDERED_FLOAT, PREDICATE, PROMOTE, DTypeRule
from tensorglass.ops.derivatives.shared import by_number, conj, zero_gradient
from tensorglass.ops.kernels.positions import known_finite
from tensorglass.ops.pointwise.checks import no_complex
from tensorglass.tensor.tensor import Tensor


def sgn_backward(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    """The gradient of `sgn`: 0 for real numbers; for complex ones the part that turns the number without changing its
    length.
    """
    if not input._dtype.is_complex:
        return zero_gradient(grad)
    turned = (grad - (grad * conj(result)).real * result) / input.abs()
    return turned.masked_fill(input == 0, 0)


def copied_sign(input: Tensor, result: Tensor) -> Tensor:
    """1 where `copysign` kept the sign, -1 where it flipped it, 0 at 0."""
    return (result / input).masked_fill(input == 0, 0)


def _answers_in_bool(name: str) -> DTypeRule:
    return PREDICATE.exactly(refusal=f"{name} does not support non-boolean outputs.")


@pointwise(PROMOTE.exactly(), error_name="sign_cpu", samples=unary)
@derivative(input=sgn_backward)
def sgn(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The sign, as in `sign`; for a complex number, the number of length 1 in its direction, or 0."""
    if input.dtype.kind == "b":
        return input.copy()
    if input.dtype.kind != "c":
        return xp.sign(xp.nan_to_num(input, nan=0.0, copy=True), out=out)
    length = xp.absolute(input)
    return xp.where(length == 0, xp.zeros_like(input), input / length)


@pointwise(
    _answers_in_bool("signbit"),
    check=no_complex("signbit is not implemented for complex tensors."),
    inplace=False,
    samples=unary,
)
def signbit(xp: Any, input: Array, *, out: Array = None) -> Array:
    """Whether the sign is negative: True for -0.0 too."""
    return xp.less(input, 0, out=out) if input.dtype.kind in "biu" else xp.signbit(input, out=out)


@pointwise(ORDERED_FLOAT, ufunc="copysign", samples=binary)
@derivative(
    node=by_number("Copysign"), input=lambda grad, input, result: grad * copied_sign(input, result), other=zero_gradient
)
def copysign(xp: Any, input: Array, other: Operand, *, out: Array = None) -> Array:
    """The magnitude of `input` with the sign of `other`."""
    return xp.copysign(input, other, out=out)


# --- numbers in place of special values ------------------------------------------------------------------------------


_SAME_DTYPE = "nan_to_num: dtype of out: {out} should be same as input: {result}"
CLEANED = PROMOTE.but(widens=False, is_like_input=True).exactly(refusal=_SAME_DTYPE)


@lru_cache
def _largest(array_dtype: Any) -> Any:
    return array_dtype.type(finfo(dtypes.BY_NAME[array_dtype.name]).max)


@pointwise(CLEANED, inplace=False)
@derivative(real_only="nan_to_num", input=lambda grad, input: grad * input.isfinite())
def nan_to_num(
    xp: Any,
    input: Array,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Array = None,
) -> Array:
    """`nan` (or 0) in place of NaN, and `posinf` and `neginf` (or the dtype's limits) in place of infinities."""
    if input.dtype.kind in "biu":
        return input.copy()
    clean = xp.array(input)  # NumPy's conjugate of a 0-dim array is a scalar
    if known_finite(xp, clean):
        return clean
    limit = _largest(clean.real.dtype)
    for part in (clean.real, clean.imag) if input.dtype.kind == "c" else (clean,):
        places = (
            xp.isnan(part),
            part == xp.inf,
            part == -xp.inf,
        )  # found before writing: the replacements may be infinite too
        for place, number, usual in zip(places, (nan, posinf, neginf), (0.0, limit, -limit), strict=True):
            part[place] = usual if number is None else number
    return clean


def _refuse_complex(name: str) -> Callable[..., None]:
    return no_complex(f"{name} does not support complex inputs.", RuntimeError)


@pointwise(_answers_in_bool("isposinf"), check=_refuse_complex("isposinf"), inplace=False, samples=unary)
def isposinf(xp: Any, input: Array, *, out: Array = None) -> Array:
    """Whether each element is positive infinity."""
    return xp.zeros(input.shape, bool) if input.dtype.kind in "biu" else xp.equal(input, xp.inf, out=out)


@pointwise(_answers_in_bool("isneginf"), check=_refuse_complex("isneginf"), inplace=False, samples=unary)
def isneginf(xp: Any, input: Array, *, out: Array = None) -> Array:
    """Whether each element is negative infinity."""
    return xp.zeros(input.shape, bool) if input.dtype.kind in "biu" else xp.equal(input, -xp.inf, out=out)


@operator("pointwise", dunders=("__pos__",), samples=unary)
def positive(input: Tensor) -> Tensor:
    """The tensor itself: Python's ``+x``."""
    if input._dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@operator("pointwise", function=False)
@derivative(real_only="nan_to_num", node="NanToNumBackward0", input=lambda grad, input: grad * input.isfinite())
def nan_to_num_(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """`nan_to_num`, written to `input`; integers stay as they are."""
    if input._dtype.category < dtypes.FLOATING:
        input._written()  # it counts as a write, like PyTorch's copy
        return input
    return nan_to_num(input, nan, posinf, neginf, out=input)
