"""`segment_reduce`: the sum, mean, product, largest or smallest of each of several neighbouring slices.

Each slice has the number of the segment that it belongs to. By it slices are combined, and gradients find their way
back.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.missing_dtypes import not_implemented
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import unsafe_view
from tensorglass.ops.kernels.add_at import cells
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of

#: For each reduction the array module's function, and for each of these the number that changes nothing.
_REDUCTIONS = {
    "sum": "add", "mean": "add", "prod": "multiply", "max": "maximum", "amax": "maximum", "min": "minimum",
    "amin": "minimum",
}  # fmt: skip
_NEUTRAL = {"add": 0.0, "multiply": 1.0, "maximum": -inf, "minimum": inf}


@operator("indexing", method=False)
@derivative(
    node="SegmentReduceBackward0",
    data=lambda grad, data, reduce, lengths, offsets, axis, initial, result: _segment_reduce_backward(
        grad, data, reduce, lengths, offsets, axis, initial, result
    ),
)
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """Neighbouring slices of `data` along `axis`, reduced: "sum", "mean", "prod", "max" or "min".

    How many slices belong together say `lengths`, whose last dimension stands in place of `axis`; or `offsets`, where
    each segment begins, and the last ends. Dimensions of `data` before `axis` are theirs as well. `initial` is reduced
    with each segment; without it one without slices has 0, NaN, 1, -inf or inf.
    """
    axis = geometry.wrap_dim(axis, len(data._size))
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if isinstance(initial, complex):
        raise RuntimeError("value cannot be converted to type float without overflow")
    numbers, counts = _segments(data, lengths, offsets, axis, unsafe)
    dtype = data._dtype
    if not dtype.is_floating_point:
        raise not_implemented("_segment_reduce_cpu", dtype)
    computed = dtypes.float32 if dtype.itemsize == 2 else dtype
    rows = array_of(data.to(computed)).reshape(len(numbers), geometry.numel(data._size[axis + 1 :]))
    backend = data._storage.backend
    made = backend.launch(_reduced_segments, rows, numbers, counts, reduce, initial)
    size = (*data._size[:axis], counts.shape[-1], *data._size[axis + 1 :])
    return from_array(made.reshape(size), computed, data._storage).to(dtype)


def _segments(
    data: Tensor, lengths: Tensor | None, offsets: Tensor | None, axis: int, unsafe: bool = True
) -> tuple[Array, Array]:
    """For each slice the number of its segment, that of the last and one more if it has none; and segments' lengths."""
    given = lengths if offsets is None else offsets
    name = "lengths" if offsets is None else "offsets"
    assert given is not None, "one of them is there"
    if axis != len(given._size) - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}.")
    if given._size[:axis] != data._size[:axis]:
        raise explained(
            RuntimeError(
                f"segment_reduce(): Expected the leading dimensions of {name} to be those of data, but got "
                f"{list(given._size)} and {list(data._size)}."
            ),
            "PyTorch does not look, and reads stray memory.",
        )
    xp, array, length = data._storage.backend.xp, array_of(given), data._size[axis]
    if offsets is None:
        counts = array
        if not unsafe and given.min() < 0:
            raise RuntimeError("lengths contains negative value!")
        if not unsafe and (counts.sum(-1) != length).any():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
                "!unsafe."
            )
        starts = counts.cumsum(-1) - counts
    elif not given._size[-1]:
        raise RuntimeError(f"Trying to create tensor with negative dimension -1: {[*data._size[:axis], -1]}")
    else:
        starts, counts = array[..., :-1], xp.diff(array)
    if given._dtype not in (dtypes.int32, dtypes.int64):
        raise not_implemented(f"_segment_reduce_{name}_cpu_kernel1", given._dtype)
    if (counts < 0).any():
        raise RuntimeError("Expected segment_length >= 0 to be true, but got false.")
    if ((starts < 0) | (starts + counts > length)).any():
        raise explained(
            IndexError(f"segment_reduce(): {name} name slices beyond the {length} that there are."),
            "PyTorch does not look, and reads stray memory.",
        )
    rows = geometry.numel(data._size[:axis])
    begun = (starts + (xp.arange(rows) * length).reshape(*starts.shape[:-1], 1)).reshape(-1)
    position = xp.arange(rows * length)
    numbers = xp.searchsorted(begun + counts.reshape(-1), position, side="right")  # the first that ends behind it
    begins = xp.concatenate((begun, xp.full(1, rows * length)))[numbers]
    return xp.where(begins <= position, numbers, counts.size), counts


def _reduced_segments(xp: Any, rows: Array, numbers: Array, counts: Array, reduce: str, initial: float | None) -> Array:
    name = _REDUCTIONS[reduce]
    size, start = (counts.size + 1, rows.shape[1]), _NEUTRAL[name] if initial is None else initial
    made = xp.full(size, start, rows.dtype)
    getattr(xp, name).at(made.reshape(-1), cells(xp, numbers, (1, *size)).reshape(-1), rows.reshape(-1))
    found = made[:-1]  # without what belongs to no segment
    if reduce == "mean":
        many = counts.reshape(-1, 1)
        found = found / xp.maximum(many, 1).astype(rows.dtype)
        if initial is None:
            found[many[:, 0] == 0] = nan
    return xp.ascontiguousarray(found)


def _segment_reduce_backward(
    grad: Tensor,
    data: Tensor,
    reduce: str,
    lengths: Tensor | None,
    offsets: Tensor | None,
    axis: int,
    initial: float | None,
    result: Tensor,
) -> Tensor:
    """The gradient of each slice: none for those that belong to no segment."""
    axis = geometry.wrap_dim(axis, len(data._size))
    found, counts = _segments(data, lengths, offsets, axis)
    storage = data._storage
    numbers = from_array(found, dtypes.int64, storage)

    def of_slices(segments: Tensor, elsewhere: float = 0.0) -> Tensor:
        rows = segments.reshape(counts.size, segments.numel() // max(counts.size, 1))
        return cat((rows, rows.new_full((1, rows._size[1]), elsewhere))).index_select(0, numbers)

    def of_segments(slices: Tensor) -> Tensor:
        return slices.new_zeros((counts.size + 1, slices._size[1])).index_add(0, numbers, slices)[:-1]

    flat, arrived = data.reshape(len(found), geometry.numel(data._size[axis + 1 :])), of_slices(grad)
    if reduce == "mean":
        many = from_array(counts.reshape(-1, 1), dtypes.int64, storage).to(data._dtype)
        arrived = arrived / of_slices(many, 1.0)
    elif reduce == "prod":
        others = of_slices(result) / flat
        is_zero, is_nan = flat == 0, flat.isnan()
        is_odd = is_zero | is_nan
        if is_odd.any():  # nothing is divided by these: what the ordinary ones give, times other zeros and NaNs
            ordinary = segment_reduce(
                flat.masked_fill(is_odd, 1).reshape(data._size), "prod", lengths=lengths, offsets=offsets, axis=axis,
                unsafe=True, initial=initial,
            )  # fmt: skip
            rest = of_slices(ordinary)
            for is_kind, number in ((is_zero, 0.0), (is_nan, nan)):
                kind = is_kind.to(data._dtype)
                has_others = of_slices(of_segments(kind)) > kind
                rest = (rest * number).where(has_others, rest)
            others = rest.where(is_odd, others)
        arrived = arrived * others
    elif reduce != "sum":
        is_chosen = ((flat == of_slices(result)) | flat.isnan()).to(data._dtype)
        arrived = arrived * is_chosen / of_slices(of_segments(is_chosen)).clamp(min=1)
    return unsafe_view(arrived, data._size)
