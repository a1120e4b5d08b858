"""Each element once, `unique`, or each run of equal elements once, `unique_consecutive`; and how often they occur."""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import comparable
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.missing_dtypes import not_implemented
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import no_formula
from tensorglass.tensor.construct import from_array, make
from tensorglass.tensor.tensor import Tensor, array_of, header_of


@operator("sorting", differs="the result is sorted, also where `sorted` is false and PyTorch's is not")
@derivative(
    node=lambda dim: "Unique2Backward0" if dim is None else "UniqueDimBackward0",
    outputs=1,
    input=lambda grad, dim: no_formula("_unique2" if dim is None else "unique_dim")(grad),
)
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Each element once, in order; also where each of `input` stands in that, and how often it occurs, if asked for.

    With `dim`, the slices along it are compared. Returns the elements alone, or a tuple of them and what was asked for.
    """
    if input._dtype.is_complex:
        raise not_implemented("unique" if dim is None else "unique_dim", input._dtype)
    axis = None if dim is None else _unique_axis(input, dim)
    backend = input._storage.backend
    compute = backend.array_dtype(comparable(input._dtype))
    if axis is None and not return_inverse and not return_counts:  # for which nothing needs to know where it stood
        return from_array(backend.launch(_distinct, array_of(input), compute), input._dtype, input._storage)
    found, inverse, counts = backend.launch(_unique, array_of(input), axis, compute)
    wanted = [(found, input._dtype)]
    if return_inverse:
        wanted.append((inverse, dtypes.int64))
    if return_counts:
        wanted.append((counts, dtypes.int64))
    results = tuple([from_array(array, dtype, input._storage) for array, dtype in wanted])
    if axis:
        results = (slices_along(results[0], axis), *results[1:])
    return results[0] if len(results) == 1 else results


def _unique_axis(input: Tensor, dim: int) -> int:
    """The dimension along which slices are compared, all of which have elements."""
    axis = geometry.wrap_dim(dim, len(input._size), wrap_scalar=False)
    if 0 in input._size[:axis] + input._size[axis + 1 :]:
        if not input._size[axis]:
            raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return axis


def slices_along(first: Tensor, axis: int) -> Tensor:
    """Slices that lie one after the other, as they are compared, along the dimension that they were taken from."""
    if not first.numel():
        size = (*first._size[1 : axis + 1], 0, *first._size[axis + 1 :])
        return make(first._storage, size, geometry.contiguous_strides(size), 0, first._dtype)
    return make(first._storage, *geometry.movedim(*header_of(first), 0, axis), first._dtype)


def _distinct(xp: Any, array: Array, compute: Any) -> Array:
    found = xp.unique(array.astype(compute, copy=False), equal_nan=False)
    return xp.ascontiguousarray(found, array.dtype)


def _unique(xp: Any, array: Array, axis: int | None, compute: Any) -> list[Array]:
    wide = array.astype(compute, copy=False)
    found, inverse, counts = xp.unique(wide, axis=axis, return_inverse=True, return_counts=True, equal_nan=False)
    shape = array.shape if axis is None else (array.shape[axis],)
    found = found.astype(array.dtype, copy=False)
    if axis:
        found = xp.moveaxis(found, axis, 0)
    found, inverse, counts = (xp.ascontiguousarray(each) for each in (found, inverse, counts))
    return [found, inverse.reshape(shape), counts]  # in this order: `ascontiguousarray` makes 0-dim arrays 1-dim


# --- runs ------------------------------------------------------------------------------------------------------------


@operator("sorting")
@derivative(node="UniqueConsecutiveBackward0", outputs=1, input=no_formula("unique_consecutive"))
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Each run of equal elements, or of equal slices along `dim`, as one; also each one's run, and their lengths."""
    axis = None if dim is None else _unique_axis(input, dim)
    if input._dtype.is_complex:
        is_whole = axis is None or len(input._size) == 1
        raise not_implemented("unique" if is_whole else "unique_dim", input._dtype)
    backend = input._storage.backend
    found = backend.launch(_runs_of_equals, array_of(input), axis, return_inverse, return_counts)
    kinds = (input._dtype, dtypes.int64, dtypes.int64)
    results = [from_array(array, dtype, input._storage) for array, dtype in zip(found, kinds, strict=False)]
    if axis:
        results[0] = slices_along(results[0], axis)
    return results[0] if len(results) == 1 else tuple(results)


def _runs_of_equals(xp: Any, array: Array, axis: int | None, return_inverse: bool, return_counts: bool) -> list[Array]:
    """One of each run; if wanted, also each element's run, and how long runs are."""
    line = array.reshape(-1) if axis is None else xp.moveaxis(array, axis, 0)
    length = line.shape[0]
    is_new = xp.ones(length, bool)
    differs = line[1:] != line[:-1]
    is_new[1:] = differs if line.ndim == 1 else differs.any(axis=tuple(range(1, line.ndim)))
    begins = xp.nonzero(is_new)[0]
    results = [xp.ascontiguousarray(line[begins])]
    if return_inverse:
        inverse = xp.cumsum(is_new.astype("int64")) - 1
        results.append(xp.ascontiguousarray(inverse).reshape(array.shape if axis is None else (length,)))
    if return_counts:
        ends = xp.concatenate([begins, xp.asarray([length])])
        results.append(xp.ascontiguousarray((ends[1:] - ends[:-1]).astype("int64")))
    return results
