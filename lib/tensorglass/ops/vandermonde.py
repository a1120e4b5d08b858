"""Vandermonde's matrices as ``torch.linalg`` has them: the powers of each element in a last dimension."""

from __future__ import annotations

from collections.abc import Iterator

from tensorglass import dtypes
from tensorglass.ops.arguments import check_tensor
from tensorglass.ops.joining import cat
from tensorglass.ops.samples import values
from tensorglass.ops.table import Sample, operator, sample
from tensorglass.tensor import Tensor


def _vander_samples() -> Iterator[Sample]:
    yield sample(values(3))
    yield sample(values(2, 3), N=4)


@operator("linear algebra", namespace="linalg", samples=_vander_samples)
def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """For each element of `x` its powers 0, 1, … up to N - 1 (as many as there are elements), in a last dimension."""
    check_tensor("linalg_vander", x, "x")
    columns = (x._size[-1] if x._size else 1) if N is None else N
    if columns <= 1:
        raise RuntimeError("N must be greater than 1.")
    if x._dtype is dtypes.bool or (x._dtype.is_floating_point and x._dtype.itemsize == 2):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x._dtype.scalar_type}"
        )
    repeated = x.unsqueeze(-1).expand(*x._size, columns - 1).cumprod(-1)
    return cat([repeated.new_ones((*x._size, 1)), repeated], -1)
