"""How a reduction runs: which dimensions are reduced, which dtype the result has, where it is written.

A declaration is a kernel under `reduction`, called with the operand's array in the dtype to compute in, and the axes to
reduce as a tuple. It keeps them with size 1 (``keepdims=True``); they are dropped here if `keepdim` is False.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.geometry import remembered
from tensorglass.graph.derivative import derivative_of
from tensorglass.graph.recorder import recorded
from tensorglass.ops.declare.registry import Operator, Sample, declare
from tensorglass.ops.declare.run_pointwise import (
    refuse_overlapping_write,
    refuse_partly_written,
    resize_output,
)
from tensorglass.ops.declare.type_promotion import check_out_dtype
from tensorglass.ops.kernels import half as half_types
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, array_of, raw_array

Dims = int | Sequence[int] | None


def axes_of(ndim: int, dim: Dims) -> tuple[int, ...]:
    """The axes that `dim` names, counted from the front; all of them for None or an empty sequence."""
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, int):
        return (geometry.wrap_dim(dim, ndim),) if ndim else (geometry.wrap_dim(dim, 1),)[:0]
    if not isinstance(dim, list | tuple):
        return axes_of(ndim, geometry.as_ints(dim))
    if not dim:
        return tuple(range(ndim))
    axes = [geometry.wrap_dim(axis, max(ndim, 1)) for axis in dim]
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    return tuple(axes[:ndim])


@remembered
def reduced_size(size: tuple[int, ...], axes: tuple[int, ...], keepdim: bool) -> tuple[int, ...]:
    """The size of the result."""
    if keepdim:
        return tuple([1 if axis in axes else length for axis, length in enumerate(size)])
    return tuple([length for axis, length in enumerate(size) if axis not in axes])


def check_is_dtype(dtype: DType) -> None:
    """Raise unless `dtype` is a dtype. `arg_parser` words the error as PyTorch does, and accepts Python's types."""
    if type(dtype) is not DType:
        raise TypeError("no dtype")


def refuse_whole_numbers(input: Tensor, dtype: DType) -> None:
    """Raise if the operator is being recorded and its result has a dtype without gradients."""
    if dtype.category < dtypes.FLOATING <= input._dtype.category and state.below and requires_grad(input):
        raise explained(
            RuntimeError(f"Autograd not support dtype: {dtype.scalar_type}"),
            "Integers have no gradient: compute within torch.no_grad(), or with x.detach().",
        )


def reduce(
    kernel: Callable[..., Array],
    input: Tensor,
    axes: tuple[int, ...],
    keepdim: bool,
    compute_dtype: DType,
    result_dtype: DType,
    out: Tensor | None = None,
    **parameters: Any,
) -> Tensor:
    """Run a reduction's kernel and wrap its result, or write it to `out`."""
    if input._dtype.is_complex and compute_dtype.category in (dtypes.INTEGER, dtypes.FLOATING):
        input = input.to(input._dtype.to_real())  # warns about discarded imaginary parts
    backend = input._storage.backend
    half = compute_dtype.itemsize == 2 and compute_dtype.is_floating_point
    array_dtype = backend.array_dtype(dtypes.float32 if half else compute_dtype)
    result_array_dtype = (
        array_dtype if result_dtype is compute_dtype and not half else backend.array_dtype(result_dtype)
    )
    size = reduced_size(input._size, axes, keepdim)
    answer = backend.launch(
        _run_kernel, kernel, array_of(input), array_dtype, axes, result_array_dtype, size, parameters
    )
    if out is None:
        return from_array(answer, result_dtype, input._storage)
    return write_out(answer, size, out, result_dtype)


def _run_kernel(
    xp: Any, kernel: Any, array: Array, compute: Any, axes: Any, result: Any, size: Any, parameters: dict[str, Any]
) -> Array:
    if array.dtype != compute:
        array = half_types.converted(array, compute)
    answer = kernel(xp, array, axes, **parameters) if parameters else kernel(xp, array, axes)
    # A scalar becomes an array, and an array with another order or dtype is copied.
    return xp.ascontiguousarray(answer, result).reshape(size)


def write_out(
    answer: Array, size: tuple[int, ...], out: Tensor, result_dtype: DType, sources: Iterable[Tensor] = ()
) -> Tensor:
    """Write a kernel's result to the tensor given as ``out=``, which must not partly overlap one of `sources`."""
    if not dtypes.can_cast(result_dtype, out._dtype):
        raise RuntimeError(
            f"result type {result_dtype.scalar_type} can't be cast to the desired output type {out._dtype.scalar_type}"
        )
    refuse_overlapping_write(out)
    refuse_partly_written(out, size, sources)
    if out._size != size:
        resize_output(out, size)
    raw_array(out)[...] = answer.conj() if out._conj else answer
    out._written()
    return out


# --- declarations ----------------------------------------------------------------------------------------------------


def reduction(
    compute: Callable[[DType], DType],
    result: Callable[[DType], DType] | None = None,
    *,
    takes_dtype: bool = False,
    check: Callable[[Tensor, tuple[int, ...], Dims], None] | None = None,
    check_out: Callable[[Tensor, Dims, Tensor], None] | None = None,
    needs_dims: bool = False,
    keeps_all: bool = True,
    aliases: Iterable[str] = (),
    samples: Callable[[], Iterable[Sample]] | None = None,
    differs: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a reduction over any dimensions by its kernel. Returns the public function.

    `compute` maps the operand's dtype to the dtype to compute in, and `result` maps that to the result's dtype. `check`
    is called with the operand, the axes and `dim` as given, and `check_out` with the operand, `dim` and ``out=``; they
    raise for calls that are refused. With `needs_dims` an empty `dim` means no dimensions instead of all; without
    `keeps_all`, `keepdim` is refused if no `dim` is given. `samples` are calls to test it with, and `differs` says how
    it differs from PyTorch's operator.
    """

    def enter(kernel: Callable[..., Any]) -> Callable[..., Any]:
        def public(
            input: Tensor,
            dim: Dims = None,
            keepdim: bool = False,
            *,
            dtype: DType | None = None,
            out: Tensor | None = None,
            axis: Dims = None,
            keepdims: bool = False,
        ) -> Tensor:
            if dtype is not None:
                if not takes_dtype:
                    raise TypeError(f"{kernel.__name__}() got an unexpected keyword argument 'dtype'")
                check_is_dtype(dtype)
            dim, keepdim = axis if dim is None else dim, keepdim or keepdims
            axes = () if needs_dims and dim is not None and dim in ((), []) else axes_of(len(input._size), dim)
            if check is not None:
                check(input, axes, dim)
            if out is not None and check_out is not None:
                check_out(input, dim, out)
            if takes_dtype and out is not None:
                dtype = _dtype_with(kernel.__name__, dtype, out)
            if dtype is not None and input._meta is not None:
                refuse_whole_numbers(input, dtype)
            compute_dtype = compute(input._dtype) if dtype is None else dtype
            result_dtype = compute_dtype if result is None else result(compute_dtype)
            if out is not None and check_out is not None and result is not None:
                result_dtype = out._dtype  # `check_out` has approved it
            return reduce(kernel, input, axes, keepdim, compute_dtype, result_dtype, out)

        public.__name__ = public.__qualname__ = kernel.__name__
        public.__doc__ = kernel.__doc__
        public.__module__ = kernel.__module__
        if not keeps_all:
            public.__annotations__.update(keepdim="KeepDim", keepdims="KeepDim")
        name = kernel.__name__
        derivative = derivative_of(kernel)
        if derivative is not None:
            public = recorded(public, derivative=derivative)
        row = Operator(
            name,
            public,
            "reduction",
            aliases=tuple(aliases),
            has_out=True,
            samples=samples,
            differs=differs,
            signatures=(),
        )
        declare(row)
        return public

    return enter


def _dtype_with(name: str, dtype: DType | None, out: Tensor) -> DType:
    """The dtype of a sum: that of `out`, which must agree with the requested dtype, if there is one."""
    if dtype is not None and dtype is not out._dtype and name == "nansum":
        names = f"{out._dtype.scalar_type} and {dtype.scalar_type}"
        raise RuntimeError(f"nansum: provided dtype must match dtype of result. Got {names}.")
    check_out_dtype(None if dtype is None else out, dtype or out._dtype)
    return out._dtype
