"""Vandermonde's matrices, the powers of each element: `vander` of a vector, and `linalg.vander` of many."""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.graph.recorder import is_recorded
from tensorglass.ops.arg_parser.checks import check_int
from tensorglass.ops.creation.factory import Place, factory, new
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.tensor.tensor import Tensor, array_of, raw_array


@operator("linear algebra", namespace="linalg")
def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """For each element of `x` its powers 0, 1, … up to N - 1 (as many as there are elements), in a last dimension."""
    x = x if x._size else x.unsqueeze(-1)
    columns = x._size[-1] if N is None else N
    if columns <= 1:
        raise RuntimeError("N must be greater than 1.")
    if x._dtype is dtypes.bool or (x._dtype.is_floating_point and x._dtype.itemsize == 2):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x._dtype.scalar_type}"
        )
    repeated = x.unsqueeze(-1).expand(*x._size, columns - 1).cumprod(-1)
    return cat([repeated.new_ones((*x._size, 1)), repeated], -1)


@factory()
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix: one row for each element of `x`, with its powers N-1 … 0, or 0 … N-1 if `increasing`."""
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = x.numel() if N is None else check_int("vander", "N", 2, N)
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    dtype = dtypes.promote_types(x._dtype, dtypes.int64)
    if columns > 1 and is_recorded((x,)):
        repeated = x.unsqueeze(-1).expand(x.numel(), columns - 1).cumprod(-1)
        powers = cat([repeated.new_ones((x.numel(), 1)), repeated], -1)
        return powers if increasing else powers.flip(-1)
    made = new((x.numel(), columns), Place(dtype, x.device, False))
    raw_array(made)[...] = x._backend.launch(_powers, array_of(x), columns, increasing)
    return made


def _powers(xp: Any, x: Array, columns: int, increasing: bool) -> Array:
    wide = x.astype("int64") if x.dtype.kind in "biu" else x
    powers = [xp.ones_like(wide)]
    for _ in powers[: columns - 1] * (columns - 1):
        powers.append(powers[-1] * wide)
    matrix = xp.stack(powers[:columns], axis=1) if columns else xp.empty((len(wide), 0))
    return matrix if increasing else matrix[:, ::-1]
