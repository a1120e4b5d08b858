"""Floating-point numbers split and combined: frexp, ldexp, nextafter; and heaviside, a step at 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import C_NAMES, comparable
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_pair
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.reduction import write_out
from tensorglass.ops.declare.registry import OPERATORS, operator
from tensorglass.ops.declare.result_layout import result_layout
from tensorglass.ops.declare.samples import pairs, unary
from tensorglass.ops.declare.type_promotion import FLOAT, PROMOTE, common_dtype
from tensorglass.ops.derivatives.shared import conj, no_derivative, zero_gradient
from tensorglass.ops.pointwise.checks import no_complex
from tensorglass.ops.pointwise.exp_log_sigmoid import LN2
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import Tensor, array_of, raw_array


@operator("float parts", out=True, samples=unary)
@derivative(outputs=1, input=lambda grad, result1: grad / result1.exp2())
def frexp(input: Tensor, *, out: tuple[Tensor, Tensor] | None = None) -> Any:
    """Each element as ``mantissa * 2**exponent``: a mantissa from 0.5 up to 1, or 0, and an int32 exponent."""
    dtype = input._dtype
    if not dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    if out is not None:
        check_pair(out)
        for target, wanted, role in zip(out, (dtype, dtypes.int32), ("mantissa", "exponent"), strict=True):
            if target._dtype is not wanted:
                kind = "int dtype" if role == "exponent" else f"dtype {C_NAMES[wanted]}"
                raise RuntimeError(f"torch.frexp() expects {role} to have {kind} but got {C_NAMES[target._dtype]}")
    backend = input._storage.backend
    kinds = [backend.array_dtype(one_dtype) for one_dtype in (comparable(dtype), dtype)]
    result = backend.launch(_frexp, array_of(input), *kinds)
    if out is not None:
        written = [
            write_out(array, input._size, target, target._dtype) for array, target in zip(result, out, strict=True)
        ]
        return return_types.frexp.out(*written)
    size, stride, _ = result_layout(((input._size, input._stride),), True)
    targets = [empty_on(input._storage.device, size, stride, result_dtype) for result_dtype in (dtype, dtypes.int32)]
    for array, target in zip(result, targets, strict=True):
        raw_array(target)[...] = array
    return return_types.frexp(*targets)


def _frexp(xp: Any, array: Array, compute: Any, kind: Any) -> tuple[Array, Array]:
    mantissa, exponent = xp.frexp(array.astype(compute, copy=False))
    is_finite = xp.isfinite(mantissa)
    exponent = xp.where(is_finite, exponent, 0)
    size = array.shape
    return (
        xp.ascontiguousarray(xp.asarray(mantissa).astype(kind, copy=False)).reshape(size),
        xp.ascontiguousarray(xp.asarray(exponent), dtype="int32").reshape(size),
    )


def _exponent_fits(operands: Sequence[Any], **parameters: Any) -> None:
    if operands[0]._dtype.is_floating_point and operands[1]._dtype is dtypes.bool:
        raise NotImplementedError("\"ldexp_cpu_exp\" not implemented for 'Bool'")


@pointwise(FLOAT, function=False, method=False, late_check=_exponent_fits)
def _scaled(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The kernel of `ldexp` for whole exponents."""
    return xp.multiply(input, xp.power(input.dtype.type(2), other), out=out)


def _ldexp(input: Tensor, other: Tensor, out: Tensor | None, *, in_place: bool) -> Tensor:
    if out is not None and out._dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"ldexp can't be cast to the desired output type {out._dtype.scalar_type}")
    is_whole = other._dtype.category < dtypes.FLOATING
    if not is_whole and (input._dtype.is_complex or other._dtype.is_complex):
        other = other.to(comparable(other._dtype) if other._size else common_dtype((input, other)))
    row = OPERATORS["_scaled" if is_whole else "mul"]
    power = other if is_whole else 2.0**other  # rounded to the exponent's dtype, as in PyTorch
    if in_place:
        assert row.inplace is not None
        row.inplace(input, power)
        return input
    return row.function(input, power, out=out)


def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """`ldexp`, written to `input`."""
    return _ldexp(input, other, input, in_place=True)


@operator("pointwise", out=True, inplace=ldexp_)
@derivative(
    input=lambda grad, other, result: grad * conj(2.0**other),  # `result` is kept in any case, as PyTorch does
    other=lambda grad, result: grad * conj(result) * LN2,
)
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * 2**other``."""
    return _ldexp(input, other, out, in_place=False)


_NEXT = PROMOTE.but(widens=False).refusing(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX)


@pointwise(_NEXT, samples=pairs)
@derivative(input=lambda grad, input, other: grad.masked_fill(input == other, 0), other=zero_gradient)
def nextafter(xp: Any, input: Array, other: Array, *, out: Array = None) -> Array:
    """The next number of the dtype after `input`, in the direction of `other`."""
    return xp.where(input == other, other, xp.nextafter(input, other))


_no_complex_step = no_complex("heaviside is not yet implemented for complex tensors.", RuntimeError)


def _one_dtype(operands: Sequence[Any], **parameters: Any) -> None:
    _no_complex_step(operands)
    if operands[0]._dtype is not operands[1]._dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


@pointwise(
    PROMOTE.exactly(refusal="heaviside is not yet implemented for tensors with different dtypes."),
    check=_one_dtype,
    samples=pairs,
    differs="a complex `out` is refused as one of another dtype",
)
@derivative(node="NotImplemented", input=no_derivative("aten::heaviside"), values=no_derivative("aten::heaviside"))
def heaviside(xp: Any, input: Array, values: Array, *, out: Array = None) -> Array:
    """0 for negative elements, 1 for positive ones, and the elements of `values` where `input` is 0."""
    return xp.where(input == 0, values, (input > 0).astype(input.dtype))
