"""Geometry: integer arithmetic on `(size, stride, offset)`, without a single array.

A view is nothing but a new header on the same storage, so everything about views can be worked out on tuples of ints.
Each function answers exactly as PyTorch does, odd sizes (0-dim, 0, 1) and stride 0 included, and raises PyTorch's
errors with notes that explain them.

A header is a tuple `(size, stride, offset)`; functions that make a view take those three first and return a
new one.

========================  ============================================================================
`dims`                    naming dimensions, counting elements
`strides`                 the strides of new tensors; contiguous, channels-last, dense; bytes needed
`broadcast`               broadcast sizes; expand
`iteration`               the strides of a pointwise result, and of what an index reads
`views`                   transpose, permute, movedim, squeeze, unsqueeze
`slicing`                 select, slice, narrow, diagonal, unfold, as_strided
`view_reshape`            view, flatten, unflatten
`splitting`               split, chunk, tensor_split and others: where they cut
`reinterpreting`          view(dtype), view_as_real, view_as_complex, real, imag
`overlap`                 cells reached twice, cells shared by two tensors
========================  ============================================================================
"""

from tensorglass.geometry.broadcast import (
    broadcast_shapes,
    broadcast_strides,
    expand,
    public_broadcast_shapes,
    summed_dims,
)
from tensorglass.geometry.dims import (
    Header,
    Ints,
    as_ints,
    checked_numel,
    numel,
    remembered,
    wrap_dim,
    wrap_distinct_dims,
)
from tensorglass.geometry.iteration import elementwise_strides, index_strides
from tensorglass.geometry.overlap import (
    InternalOverlap,
    Overlap,
    byte_range,
    check_no_overlap,
    check_no_partial_overlap,
    check_writable,
    has_internal_overlap,
    overlap_status,
    self_overlaps,
)
from tensorglass.geometry.reinterpreting import imag, real, view_as_complex, view_as_real, view_dtype
from tensorglass.geometry.slicing import (
    as_strided,
    check_within_storage,
    diagonal,
    index_integer,
    index_slice,
    narrow,
    select,
    slice_,
    unfold,
)
from tensorglass.geometry.splitting import chunk, dsplit, hsplit, split, split_with_sizes, tensor_split, vsplit
from tensorglass.geometry.strides import (
    CONTIGUOUS_STRIDES,
    channels_last_3d_strides,
    channels_last_strides,
    check_lengths,
    checked_strides,
    contiguous_nbytes,
    contiguous_strides,
    dim_order,
    is_channels_last,
    is_channels_last_3d,
    is_contiguous,
    is_non_overlapping_and_dense,
    packed_strides,
    preserved_strides,
    reach,
    storage_nbytes,
    suggests_channels_last,
)
from tensorglass.geometry.view_reshape import (
    flat_view,
    flatten_size,
    infer_size,
    no_such_view,
    reshape,
    unflatten,
    view,
    view_strides,
)
from tensorglass.geometry.views import exchange, movedim, permute, squeeze, t, transpose, unsqueeze

__all__ = [
    "CONTIGUOUS_STRIDES",
    "Header",
    "InternalOverlap",
    "Ints",
    "Overlap",
    "as_strided",
    "broadcast_shapes",
    "broadcast_strides",
    "byte_range",
    "channels_last_3d_strides",
    "channels_last_strides",
    "check_lengths",
    "check_no_overlap",
    "check_no_partial_overlap",
    "check_within_storage",
    "check_writable",
    "checked_numel",
    "checked_strides",
    "chunk",
    "contiguous_nbytes",
    "contiguous_strides",
    "diagonal",
    "dim_order",
    "dsplit",
    "elementwise_strides",
    "exchange",
    "expand",
    "flat_view",
    "flatten_size",
    "has_internal_overlap",
    "hsplit",
    "imag",
    "index_integer",
    "index_slice",
    "index_strides",
    "infer_size",
    "is_channels_last",
    "is_channels_last_3d",
    "is_contiguous",
    "is_non_overlapping_and_dense",
    "movedim",
    "narrow",
    "no_such_view",
    "numel",
    "overlap_status",
    "packed_strides",
    "permute",
    "preserved_strides",
    "public_broadcast_shapes",
    "reach",
    "real",
    "reshape",
    "select",
    "self_overlaps",
    "slice_",
    "split",
    "split_with_sizes",
    "squeeze",
    "storage_nbytes",
    "suggests_channels_last",
    "summed_dims",
    "t",
    "tensor_split",
    "transpose",
    "unflatten",
    "unfold",
    "unsqueeze",
    "view",
    "view_as_complex",
    "view_as_real",
    "view_dtype",
    "view_strides",
    "vsplit",
    "wrap_dim",
    "wrap_distinct_dims",
]
