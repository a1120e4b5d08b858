"""The largest and the smallest: max, min and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensorglass import dtypes
from tensorglass.backends import Array
from tensorglass.dtypes import dtype as DType
from tensorglass.ops import return_types
from tensorglass.ops.arguments import check_tensor
from tensorglass.ops.reducing import Dims, axes_of, reduce, reduction
from tensorglass.ops.rounding import maximum, minimum
from tensorglass.ops.samples import values
from tensorglass.ops.table import Sample, operator, sample
from tensorglass.tensor import Tensor


def _samples() -> Iterator[Sample]:
    for size in ((), (5,), (2, 3), (2, 1, 4)):
        yield sample(values(*size))
    yield sample(values(2, 3), 0)
    yield sample(values(2, 3, 4), -1, True)
    yield sample(values(3, 0, 2), 0)


def _same(dtype: DType) -> DType:
    return dtype


def _needs_elements(
    name: str, error: type[Exception], kernel_name: str | None = None
) -> Callable[[Tensor, tuple[int, ...], Dims], None]:
    """A check that every reduced dimension has an element to choose, and that elements have an order.

    With `kernel_name` it speaks as amax does, which names a dimension as it was given; its siblings count it from 0.
    """

    def check(input: Tensor, axes: tuple[int, ...], dim: Dims) -> None:
        if input.numel():
            if kernel_name is not None and input._dtype.is_complex:
                raise NotImplementedError(f"\"{kernel_name}\" not implemented for '{input._dtype.scalar_type}'")
            return
        if dim is None:
            message = f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
            raise error(
                f"{message} Specify the reduction dim with the 'dim' argument." if error is RuntimeError else message
            )
        given = axes if kernel_name is None else (dim,) if isinstance(dim, int) else dim
        for named, axis in zip(given, axes, strict=False):
            if input._size[axis] == 0:
                raise IndexError(f"{name}(): Expected reduction dim {named} to have non-zero size.")

    return check


@reduction(_same, check=_needs_elements("amax", RuntimeError, "max_values_cpu"), samples=_samples)
def amax(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The largest element over dimensions `dim`, or over all; NaN if there is one."""
    return xp.max(input, axis=axes, keepdims=True)


@reduction(_same, check=_needs_elements("amin", RuntimeError, "min_values_cpu"), samples=_samples)
def amin(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    """The smallest element over dimensions `dim`, or over all; NaN if there is one."""
    return xp.min(input, axis=axes, keepdims=True)


def _position(name: str, xp_name: str) -> Callable[..., Tensor]:
    check = _needs_elements(name, IndexError)

    def kernel(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
        if len(axes) != 1:
            return getattr(xp, xp_name)(input)
        return getattr(xp, xp_name)(input, axis=axes[0])

    def public(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
        check_tensor(name, input)
        for kind, refused in (("complex", input._dtype.is_complex), ("bool", input._dtype is dtypes.bool)):
            if refused:
                raise RuntimeError(f"{name}(): does not support {kind} input")
        axes = axes_of(len(input._size), dim)
        check(input, axes, dim)
        return reduce(kernel, input, axes, keepdim, input._dtype, dtypes.int64, out)

    public.__name__ = public.__qualname__ = name
    return public


argmax = _position("argmax", "argmax")
argmax.__doc__ = "The position of the largest element along `dim`, or among all elements in order; the first of equals."
operator("reduction", out=True, samples=_samples)(argmax)

argmin = _position("argmin", "argmin")
argmin.__doc__ = (
    "The position of the smallest element along `dim`, or among all elements in order; the first of equals."
)
operator("reduction", out=True, samples=_samples)(argmin)


def _extreme(
    name: str, whole: Callable[..., Tensor], position: Callable[..., Tensor], pairwise: Callable[..., Tensor]
) -> Callable[..., Any]:
    pair = getattr(return_types, name)
    check = _needs_elements(name, RuntimeError)

    def public(
        input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None, out: Any = None
    ) -> Any:
        check_tensor(name, input)
        if isinstance(dim, Tensor) or other is not None:
            return pairwise(input, dim if other is None else other, out=out)
        axes = axes_of(len(input._size), dim)
        check(input, axes, dim)
        if dim is None:
            return whole(input, out=out)
        values_out, indices_out = (None, None) if out is None else out
        return pair(whole(input, dim, keepdim, out=values_out), position(input, dim, keepdim, out=indices_out))

    public.__name__ = public.__qualname__ = name
    return public


max = _extreme("max", amax, argmax, maximum)
max.__doc__ = """The largest element of all; with `dim` a pair of the largest along it and their positions; with another
tensor `maximum`."""
operator("reduction", out=True, samples=_samples)(max)

min = _extreme("min", amin, argmin, minimum)
min.__doc__ = """The smallest element of all; with `dim` a pair of the smallest along it and their positions; with
another tensor `minimum`."""
operator("reduction", out=True, samples=_samples)(min)


@operator("reduction", samples=_samples)
def aminmax(input: Tensor, *, dim: Dims = None, keepdim: bool = False) -> return_types.aminmax:
    """The smallest and the largest element, along `dim` or of all."""
    return return_types.aminmax(amin(input, dim, keepdim), amax(input, dim, keepdim))
