"""Drawing indices by their weights.

Without replacement, each weight is divided by an exponential random number and the largest quotients win; with
replacement, uniform numbers are looked up in the cumulative weights.
"""

from __future__ import annotations

from typing import Any

from tensorglass.backends import Array, RandomBits
from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.ops.arg_parser.checks import check_int
from tensorglass.ops.creation.factory import Place, new, resized
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.kernels import random_bits
from tensorglass.ops.random import vmap
from tensorglass.tensor.generator import Generator, generator_of
from tensorglass.tensor.tensor import Tensor, array_of, raw_array

_NO_WEIGHT = "probability tensor contains either `inf`, `nan` or element < 0"


@operator("random", out=True)
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Places drawn by the weights in `input` (a row of them, or rows): `num_samples` from each row, as int64.

    Without `replacement` no place is drawn twice from a row.
    """
    count = check_int("multinomial", "num_samples", 2, num_samples)
    if out is not None and out._dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out._dtype.scalar_type}")
    _check_weights(input, count, replacement)
    bits = generator_of(generator, input.device)._bits
    sample = _with_replacement if replacement and count > 1 else _without_replacement
    drawn = input._backend.launch(sample, array_of(input), bits, count)
    size = (*input._size[:-1], count)
    result = new(size, Place(dtypes.int64, input.device, False)) if out is None else resized(out, size)
    raw_array(result)[...] = drawn
    return result


def _check_weights(weights: Tensor, count: int, replacement: bool) -> None:
    if weights.dim() not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights._dtype.category != dtypes.FLOATING:
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {weights._dtype.scalar_type}"
        )
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if weights._size[-1] > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if not replacement and count > weights._size[-1]:
        raise explained(
            RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
            f"There are {weights._size[-1]} places to draw from, and {count} are asked for: pass replacement=True.",
        )
    array = array_of(weights)
    if weights._backend.launch(_are_good, array):
        return
    if not bool((array >= 0).all()):
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry < 0)"
            if replacement and count > 1
            else _NO_WEIGHT
        )
    if not bool(weights._backend.xp.isfinite(array).all()):
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)"
            if replacement and count > 1
            else _NO_WEIGHT
        )
    if not array.size and weights._size[-1:] == (0,) and (len(weights._size) == 1 or weights._size[0]):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if array.size and not bool((array.sum(-1) > 0).all()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _are_good(xp: Any, array: Array) -> bool:
    """Whether no weight is negative, infinite or NaN, and each row has one."""
    if not array.size:
        return False
    totals = array.sum(-1)
    return bool(array.min() >= 0 and totals.min() > 0 and totals.max() < xp.inf)


def _without_replacement(xp: Any, weights: Array, bits: RandomBits, count: int) -> Array:
    """The indices of the largest weight / exponential number: a race that larger weights tend to win."""
    times = vmap.drawn(xp, random_bits.exponential, bits, weights.size, 1.0)
    times = times.astype(weights.dtype).reshape(weights.shape)
    return xp.argsort(-(weights / times), axis=-1, kind="stable")[..., :count]


def _with_replacement(xp: Any, weights: Array, bits: RandomBits, count: int) -> Array:
    """The positions of uniform numbers in the cumulative weights."""
    rows = weights.reshape(-1, weights.shape[-1])
    drawn = vmap.drawn(xp, random_bits.uniform, bits, len(rows) * count, dtypes.float64).reshape(len(rows), count)
    summed = xp.cumsum(rows, axis=-1)
    summed = summed / summed[:, -1:]
    positions = [xp.searchsorted(row, numbers) for row, numbers in zip(summed, drawn, strict=True)]
    return xp.asarray(positions, "int64").reshape(*weights.shape[:-1], count)
