"""Complex tensors from real ones: from parts, or from lengths and angles; angles, conjugates, and tests for real
elements.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients, recorded
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.creation.factory import Place, of_kernel
from tensorglass.ops.creation.fill import ones_like
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.registry import OPERATORS, operator
from tensorglass.ops.declare.run_pointwise import storage_of_result
from tensorglass.ops.declare.samples import unary
from tensorglass.ops.declare.type_promotion import PROMOTE, DTypeRule, as_floating
from tensorglass.ops.derivatives.shared import zero_gradient
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import Tensor, array_of


@operator("creation", method=False, out=True)
@derivative(real=lambda grad: grad.real, imag=lambda grad: grad.imag)
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``real + imag * 1j``, of tensors of one floating-point dtype, which are broadcast."""
    return _combined("complex", ("real", "imag"), (real, imag), _from_parts, out)


@operator("creation", method=False, out=True)
@derivative(
    abs=lambda grad, result: (grad.conj() * result.sgn()).real,
    angle=lambda grad, result: (grad.conj() * result * 1j).real,
)
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``abs * (cos(angle) + sin(angle) * 1j)``, of tensors of one floating-point dtype, which are broadcast."""
    return _combined("polar", ("abs", "angle"), (abs, angle), _from_polar, out)


def _combined(
    name: str,
    arguments: tuple[str, str],
    parts: tuple[Tensor, Tensor],
    kernel: Callable[..., Array],
    out: Tensor | None,
) -> Tensor:
    first, second = (part._dtype for part in parts)
    if not {first, second} <= {dtypes.float16, dtypes.float32, dtypes.float64}:
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{first.scalar_type} and {second.scalar_type}"
        )
    if first is not second:
        raise RuntimeError(
            f"Expected object of scalar type {first.scalar_type} but got scalar type {second.scalar_type} for "
            "second argument"
        )
    if name == "polar" and first is dtypes.float16:
        raise NotImplementedError("\"polar_cpu\" not implemented for 'Half'")
    dtype = first.to_complex()
    if out is not None and out._dtype is not dtype:
        if name == "polar" and all(part._storage.device.type == "meta" for part in parts):
            raise RuntimeError(f"Expected out tensor to have dtype {dtype} but got {out._dtype} instead")
        raise RuntimeError(
            f"Expected object of scalar type {dtype.scalar_type} but got scalar type {out._dtype.scalar_type} for "
            "argument 'out'"
        )
    size = geometry.broadcast_shapes(parts[0]._size, parts[1]._size)
    strides = geometry.elementwise_strides(size, [(part._size, part._stride) for part in parts])
    place = Place(dtype, storage_of_result(parts).device, False)
    result = of_kernel(size, place, kernel, *map(array_of, parts), dtype is dtypes.complex128, out=out)
    if out is not None or strides == result._stride:
        return result
    laid_out = copy_(empty_on(result.device, size, strides, dtype), result)
    laid_out._storage.version = 0
    return laid_out


def _from_parts(xp: Any, real: Array, imag: Array, is_wide: bool) -> Array:
    result = xp.empty(xp.broadcast_shapes(real.shape, imag.shape), "complex128" if is_wide else "complex64")
    result.real = real
    result.imag = imag
    return result


def _from_polar(xp: Any, length: Array, angle: Array, is_wide: bool) -> Array:
    return _from_parts(xp, length * xp.cos(angle), length * xp.sin(angle), is_wide)


def _angle_gradient(grad: Tensor, input: Tensor) -> Tensor:
    """The direction that turns the number without changing its length; zero for real numbers."""
    if not input._dtype.is_complex:
        return zero_gradient(grad)
    size = input.abs()
    return (grad * 1j * input / (size * size)).masked_fill(input == 0, 0)


@operator("pointwise", out=True, samples=unary)
@derivative(input=_angle_gradient)
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of each complex number in the plane, in radians; for real numbers 0, or pi where they are negative."""
    result: Tensor
    if out is None and input._dtype.is_complex:  # such a result is contiguous, regardless of the input's strides
        packed = empty_on(
            input._storage.device, input._size, geometry.contiguous_strides(input._size), input._dtype.to_real()
        )
        result = _angle(input, out=packed)
        result._storage.version = 0
    else:
        result = _angle(input, out=out)
    return result


@pointwise(DTypeRule(compute=as_floating, result=DType.to_real), function=False, method=False, inplace=False)
def _angle(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The kernel of `angle`."""
    if input.dtype.kind == "c":
        return xp.angle(input)
    missing = xp.isnan(input)
    if missing.any():
        return xp.where(missing, input, xp.where(input < 0, input.dtype.type(pi), input.dtype.type(0)))
    return xp.multiply(input < 0, input.dtype.type(pi), out=out)  # quicker than `where`


@pointwise(PROMOTE, function=False, method=False, error_name="conj_cpu")
def _conjugated(xp: Any, input: Array, *, out: Array = None) -> Array:
    """The kernel of `conj_physical`."""
    return xp.conj(input)


@derivative(node="ConjPhysicalBackward1", input=lambda grad: grad.conj_physical())
def conj_physical_(input: Tensor) -> Tensor:
    """`conj_physical`, written to `input`."""
    row = OPERATORS["_conjugated"]
    assert row.inplace is not None
    if input._dtype.is_complex:
        row.inplace(input)
    else:
        input._written()
    return input


@recorded
@derivative(input=lambda grad: grad.conj_physical())
def _conj_physical(input: Tensor, out: Tensor | None = None) -> Tensor:
    return OPERATORS["_conjugated"].function(input, out=out)


@operator("copy", out=True, inplace=recorded(conj_physical_, is_in_place=True))
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The conjugates, computed into new memory, unlike `conj`, which is a view; for real numbers `input`."""
    if not input._dtype.is_complex and out is None:
        return input
    if out is not None and out._dtype is not input._dtype:
        raise RuntimeError(f"Found dtype {out._dtype.scalar_type} but expected {input._dtype.scalar_type}")
    if out is not None and is_recorded((input, out)):
        raise no_out_with_gradients("aten::conj_physical")
    return _conj_physical(input, out)


@operator("pointwise", samples=unary)
def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part of each element is 0."""
    return input.imag == 0 if input._dtype.is_complex else ones_like(input, dtype=dtypes.bool)
