"""Complex tensors made of real ones: from real and imaginary parts, or from lengths and angles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import dtypes, geometry
from tensorglass.backends import Array
from tensorglass.graph.derivative import derivative
from tensorglass.making import empty_on
from tensorglass.ops.arguments import check_tensor
from tensorglass.ops.copying import copy_
from tensorglass.ops.factory import Place, of_kernel
from tensorglass.ops.table import operator
from tensorglass.tensor import Tensor, array_of


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
    for position, (argument, part) in enumerate(zip(arguments, parts, strict=True), start=1):
        check_tensor(name, part, argument, position)
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
        raise RuntimeError(
            f"Expected object of scalar type {dtype.scalar_type} but got scalar type {out._dtype.scalar_type} for "
            "argument 'out'"
        )
    size = geometry.broadcast_shapes(parts[0]._size, parts[1]._size)
    strides = geometry.elementwise_strides(size, [(part._size, part._stride) for part in parts])
    place = Place(dtype, parts[0].device, False)
    made = of_kernel(size, place, kernel, *map(array_of, parts), dtype is dtypes.complex128, out=out)
    if out is not None or strides == made._stride:
        return made
    laid_out = copy_(empty_on(made.device, size, strides, dtype), made)
    laid_out._storage.version = 0
    return laid_out


def _from_parts(xp: Any, real: Array, imag: Array, is_wide: bool) -> Array:
    made = xp.empty(xp.broadcast_shapes(real.shape, imag.shape), "complex128" if is_wide else "complex64")
    made.real = real
    made.imag = imag
    return made


def _from_polar(xp: Any, length: Array, angle: Array, is_wide: bool) -> Array:
    return _from_parts(xp, length * xp.cos(angle), length * xp.sin(angle), is_wide)
