"""`nonzero_static`: positions of elements that are not 0, as many as the caller says, whatever there are.

The result's size does not depend on values, so a program can know it beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensorglass.core import dtypes
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.copy import copy_
from tensorglass.ops.declare.overlap_checks import written_apart
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.indexing.samples import argwhere_samples
from tensorglass.ops.indexing.where_nonzero import nonzero
from tensorglass.ops.views.shape import narrow
from tensorglass.tensor.tensor import Tensor


def _nonzero_static_samples() -> Iterator[Sample]:
    for each in argwhere_samples():
        yield sample(*each.arguments, size=4)
        yield sample(*each.arguments, size=1, fill_value=7)


@operator("indexing", out=True, samples=_nonzero_static_samples)
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None) -> Tensor:
    """The positions of `size` elements that are not 0, a row each; `fill_value` stands where there are not as many."""
    check_tensor("nonzero_static", input)
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    if out is not None and out._dtype is not dtypes.int64:
        raise RuntimeError(
            f"nonzero_static: Expected out tensor to have scalar type Long but got scalar type{out._dtype.scalar_type}"
        )
    made = input.new_full((size, len(input._size)), fill_value, dtype=dtypes.int64)
    if input._size:
        found = nonzero(input)
        count = min(size, found._size[0])
        copy_(narrow(made, 0, 0, count), narrow(found, 0, 0, count))
    if out is None:
        made._storage.version = 0  # it counts as not written yet
        return made
    return written_apart(out, made, input)
