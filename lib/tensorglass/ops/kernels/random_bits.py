"""From random bits to random numbers: the arithmetic, with no tensors in it.

Each function draws `count` numbers from `bits` and returns them as an array. The recipes are those of PyTorch's CPU
kernels, down to how many bits each number takes and in which order: the same seed gives the same numbers there.

Sources: G. E. P. Box and M. E. Muller, "A Note on the Generation of Random Normal Deviates" (1958); for the others
the inverse of the distribution function; for permutations R. Durstenfeld's shuffle (1964); for what rounding leaves
T. J. Dekker, "A Floating-Point Technique for Extending the Available Precision" (1971).
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array, RandomBits
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType

_MANY = 512  # elements; for more, a permutation is computed without a loop
_BLOCK = 16  # normal numbers are made in blocks of 8 pairs


def uniform(xp: Any, bits: RandomBits, count: int, dtype: DType) -> Array:
    """Numbers from 0 up to but not including 1: 53 random bits for float64, 24 for narrower types."""
    if dtype is dtypes.float64:
        return (bits.draw_64(count) & xp.uint64(2**53 - 1)) * 2.0**-53
    drawn = bits.draw_32(count)
    drawn &= 2**24 - 1
    numbers = drawn.astype("float32")
    numbers *= 2.0**-24
    return numbers


def scaled(xp: Any, numbers: Array, factor: float, added: float) -> Array:
    """``numbers * factor + added``, rounded once, as processors do it that multiply and add in one instruction."""
    if numbers.dtype == xp.float32:
        wide = numbers.astype("float64")  # holds the exact product
        wide *= float(xp.float32(factor))
        wide += float(xp.float32(added))
        return wide.astype("float32")
    product = numbers * factor
    rounded = product + added
    if not abs(factor) < _SPLITTABLE:
        return rounded
    # What the two roundings left over is found exactly, and added: T. J. Dekker's product, D. E. Knuth's sum.
    upper, lower = _halves(numbers)
    high, low = _halves(factor)
    left = ((upper * high - product) + upper * low + lower * high) + lower * low
    back = rounded - product
    left += (product - (rounded - back)) + (added - back)
    return rounded + left


_SPLITTABLE = 1e290  # larger numbers overflow when they are split


def _halves(number: Any) -> tuple[Any, Any]:
    """Two parts of a number, or of each, with half of its bits: their products are exact."""
    shifted = number * (2.0**27 + 1)
    upper = shifted - (shifted - number)
    return upper, number - upper


def normal(xp: Any, bits: RandomBits, count: int, dtype: DType, draws_tail: bool = True) -> Array:
    """Standard normal numbers for a contiguous tensor: in blocks of 16 where there are as many, else pair by pair.

    `draws_tail` says whether bits are spent on an incomplete last block, too, before it is drawn afresh.
    """
    if count < _BLOCK:
        return normal_pairs(xp, bits, count)
    whole = count - count % _BLOCK
    numbers = xp.empty(count, xp.float64 if dtype is dtypes.float64 else xp.float32)
    drawn = count if draws_tail else whole
    numbers[:drawn] = uniform(xp, bits, drawn, dtype)
    _box_muller(xp, numbers[:whole])
    if whole < count:  # the last 16 are drawn afresh, over some that were there already
        numbers[-_BLOCK:] = uniform(xp, bits, _BLOCK, dtype)
        _box_muller(xp, numbers[-_BLOCK:])
    return numbers


def _box_muller(xp: Any, uniforms: Array) -> None:
    """Turn uniform numbers into normal ones, in place: in each block the first eight pair with the last eight."""
    blocks = uniforms.reshape(-1, 2, _BLOCK // 2)
    first, second = blocks[:, 0], blocks[:, 1]
    radius = 1 - first
    xp.log(radius, out=radius)
    radius *= -2
    xp.sqrt(radius, out=radius)
    angle = 2 * math.pi * second
    xp.multiply(radius, xp.cos(angle), out=first)
    xp.multiply(radius, xp.sin(angle, out=angle), out=second)


def normal_pairs(xp: Any, bits: RandomBits, count: int) -> Array:
    """Standard normal float64 numbers, two at a time; an odd one out is kept for the next call."""
    spare = [] if bits.spare_normal is None else [bits.spare_normal]
    pairs = max(0, count - len(spare) + 1) // 2
    uniforms = uniform(xp, bits, 2 * pairs, dtypes.float64).reshape(pairs, 2)
    radius = xp.sqrt(-2 * xp.log1p(-uniforms[:, 1]))
    angle = 2 * math.pi * uniforms[:, 0]
    normals = xp.stack([radius * xp.cos(angle), radius * xp.sin(angle)], axis=1).reshape(-1)
    numbers = xp.concatenate([xp.asarray(spare, "float64"), normals])
    if count:
        bits.spare_normal = float(numbers[count]) if len(numbers) > count else None
    return numbers[:count]


def integers(xp: Any, bits: RandomBits, count: int, low: int, span: int) -> Array:
    """Integers from `low` up to but not including `low + span`, as int64: the remainder of random bits."""
    if span >= 2**28:
        drawn = bits.draw_64(count)
        if span < 2**64:
            drawn %= xp.uint64(span)
        return drawn.view("int64") + xp.int64(low)
    return (bits.draw_32(count) % xp.uint32(span)).astype("int64") + xp.int64(low)


def permutation(xp: Any, bits: RandomBits, count: int) -> Array:
    """The numbers 0 … count - 1 in random order: each place in turn is swapped with one of those that follow."""
    left = xp.arange(count, 1, -1, dtype="uint32") if count < 2**32 else xp.arange(count, 1, -1)
    others = (bits.draw_32(len(left)) % left).astype("int64")
    others += xp.arange(len(left))
    if count >= _MANY:
        return _shuffled(xp, others)
    order = list(range(count))
    for place, other in enumerate(others.tolist()):
        order[place], order[other] = order[other], order[place]
    return xp.asarray(order, "int64")


def _shuffled(xp: Any, others: Array) -> Array:
    """The result of swapping each place with its other in turn, computed without loops.

    The latest earlier swap with a place determines what it holds when its turn comes: the number that the swap's place
    held when its own turn came, and so on, back to a place that had not been swapped.
    """
    count = len(others) + 1
    other = others << 32
    other |= xp.arange(len(others))
    other.sort()  # the swaps, sorted by the place that they swap with, earlier ones first
    place = other & (2**32 - 1)
    other >>= 32
    is_last = xp.concatenate([other[1:] != other[:-1], xp.ones(1, bool)])
    last, again = is_last.nonzero()[0], (~is_last).nonzero()[0]
    held = xp.arange(count)
    held[other[last]] = place[last]
    # If a place's last swap is with itself, nothing moves, and the swap before counts, if there is one.
    own = last[other[last] == place[last]]
    own = own[own > 0]
    own = own[~is_last[own - 1]]
    held[other[own]] = place[own - 1]
    far = (held != xp.arange(count)).nonzero()[0]
    while len(far):  # a quarter of them, then an eighth
        nearer = held[far]
        further = held[nearer]
        held[far] = further
        far = far[further != nearer]
    chosen = xp.empty(count, "int64")
    chosen[:-1] = others
    chosen[place[again + 1]] = held[place[again]]
    chosen[-1] = held[-1]
    return chosen


def exponential(xp: Any, bits: RandomBits, count: int, rate: float) -> Array:
    return xp.log1p(-uniform(xp, bits, count, dtypes.float64)) * (-1 / rate)


def cauchy(xp: Any, bits: RandomBits, count: int, median: float, sigma: float) -> Array:
    return scaled(xp, xp.tan(math.pi * (uniform(xp, bits, count, dtypes.float64) - 0.5)), sigma, median)


def geometric(xp: Any, bits: RandomBits, count: int, p: float) -> Array:
    return xp.ceil(xp.log(uniform(xp, bits, count, dtypes.float64)) / math.log1p(-p))
