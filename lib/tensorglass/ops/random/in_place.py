"""Random numbers: the in-place methods that fill a tensor with them.

One function, `draw`, draws everything into an existing tensor, in the order of its elements in memory. With the same
seed, the numbers are those of PyTorch on the CPU: see `kernels.random_bits`.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array, RandomBits
from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo, iinfo
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_int, not_implemented
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write
from tensorglass.ops.derivatives.shared import zero_gradient
from tensorglass.ops.kernels import random_bits
from tensorglass.ops.random import vmap
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.generator import Generator, generator_of
from tensorglass.tensor.tensor import Tensor, array_of, header_of, raw_array

# --- drawing ---------------------------------------------------------------------------------------------------------


def draw(target: Tensor, generator: Generator | None, sample: Callable[..., Array], *parameters: Any) -> Tensor:
    """Overwrite `target` with ``sample(xp, bits, count, *parameters)``, in the order in which its elements lie."""
    bits = generator_of(generator, target.device)._bits
    refuse_overlapping_write(target)
    memory = raw_array(target)
    target._backend.launch(_fill_in_memory_order, memory, target._stride, bits, sample, parameters)
    if target._conj:  # a conjugated view: memory holds the conjugates of what was drawn
        target._backend.launch(_conjugate, memory)
    target._written()
    return target


def _fill_in_memory_order(
    xp: Any, array: Array, stride: tuple[int, ...], bits: RandomBits, sample: Callable[..., Array], parameters: Any
) -> None:
    in_memory = array
    if not array.flags.c_contiguous:
        in_memory = array.transpose(sorted(builtins.range(array.ndim), key=lambda dim: stride[dim], reverse=True))
    if array.dtype.kind == "c":  # two real numbers an element
        real = xp.dtype(f"float{array.dtype.itemsize * 4}")
        drawn = vmap.drawn(xp, sample, bits, 2 * array.size, *parameters).astype(real).view(array.dtype)
    else:
        drawn = vmap.drawn(xp, sample, bits, array.size, *parameters)
    in_memory[...] = drawn.reshape(in_memory.shape)


def _conjugate(xp: Any, array: Array) -> None:
    xp.conjugate(array, out=array)


def refuse_integers(dtype: DType, kernel: str) -> None:
    if dtype.category < dtypes.FLOATING:
        raise explained(
            NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.scalar_type}'"),
            f"The distribution is one of fractions, which {dtype!r} cannot hold: draw floats, or use randint.",
        )


# --- in place --------------------------------------------------------------------------------------------------------


_LARGEST = {dtype: finfo(dtype).max for dtype in dtypes.ALL if dtype.category >= dtypes.FLOATING}


@operator("random", function=False)
@derivative(self=zero_gradient)
def uniform_(self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn evenly from `from_` up to but not including `to`."""
    refuse_integers(self._dtype, "check_uniform_bounds")
    largest = _LARGEST[self._dtype]
    for name, bound in (("from", from_), ("to", to)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {dtypes.C_NAMES[self._dtype.to_real()]}")
    if from_ > to:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={from_:g} > to={to:g}")
    if to - from_ > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{self._dtype.scalar_type}>::max(), but found to={to:g} "
            f"and from={from_:g} which result in to-from to exceed the limit"
        )
    work = _work(self._dtype)
    from_, to = float(from_), float(to)  # ints beyond int64 cannot be converted to bfloat16
    draw(self, generator, _uniform, work, from_, to)
    if work is not self._dtype:
        self._storage.backend.launch(_keep_below, raw_array(self), low=from_, high=to)
    return self


def _keep_below(xp: Any, array: Array, low: float, high: float) -> None:
    """Replace numbers that rounding has raised to `high` by `low`, as in PyTorch."""
    array[array == array.dtype.type(high)] = low


def _uniform(xp: Any, bits: RandomBits, count: int, dtype: DType, low: float, high: float) -> Array:
    numbers = random_bits.uniform(xp, bits, count, dtype)
    if low != 0.0 or high != 1.0:
        real = numbers.dtype.type
        return random_bits.scaled(xp, numbers, real(high) - real(low), low)
    return numbers


def _work(dtype: DType) -> DType:
    """The dtype drawn in: half types are drawn as float32 and rounded."""
    return dtypes.float64 if dtype in (dtypes.float64, dtypes.complex128) else dtypes.float32


@operator("random", function=False)
@derivative(self=zero_gradient)
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn from the normal distribution of this mean and standard deviation."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if self.numel():
        refuse_integers(self._dtype, "normal_kernel_cpu")
    if self._dtype.is_complex:
        std = std / math.sqrt(2)  # each of real and imaginary part has half of the variance
    sample = _normal_numbers if self.is_contiguous() else _normal_pairs
    return draw(self, generator, sample, self._dtype, mean, std)


def _normal_numbers(xp: Any, bits: RandomBits, count: int, dtype: DType, mean: float, std: float) -> Array:
    is_half = dtype.itemsize == 2
    return _scaled(xp, random_bits.normal(xp, bits, count, _work(dtype), draws_tail=not is_half), mean, std)


def _normal_pairs(xp: Any, bits: RandomBits, count: int, dtype: DType, mean: float, std: float) -> Array:
    return _scaled(xp, random_bits.normal_pairs(xp, bits, count), mean, std)


def _scaled(xp: Any, numbers: Array, mean: float, std: float) -> Array:
    return numbers if (mean, std) == (0, 1) else random_bits.scaled(xp, numbers, std, mean)


@operator("random", function=False)
@derivative(node=lambda from_, to: f"RandomBackward{2 if from_ is ... else int(to is ...)}", self=zero_gradient)
def random_(self: Tensor, from_: Any = ..., to: Any = ..., *, generator: Generator | None = None) -> Tensor:
    """Fill with integers: ``random_()`` from all that the dtype holds exactly and that are not negative,
    ``random_(to)`` from 0 … to - 1, ``random_(from, to)`` from `from` … to - 1, or on to the last if `to` is None.
    """
    if from_ is ... and to is ...:
        if self._dtype.is_complex:
            raise not_implemented("random_kernel_cpu", self._dtype)
        return draw(self, generator, _any_integers, self._dtype)
    if to is None:
        low = check_int("random_", "from", 1, from_)
        return draw(self, generator, _integers_from, low, _last_integer(low, self._dtype) - low + 1)
    if to is ...:
        low, high = 0, check_int("random_", "to", 1, from_)
    else:
        low = check_int("random_", "from", 1, 0 if from_ is ... else from_)
        high = check_int("random_", "to", 2, to)
    if not all(-(2**63) <= bound < 2**63 for bound in (low, high)):
        raise ValueError("Overflow when unpacking long long")
    if self._dtype.is_floating_point and low < high:
        low, high = _drawn_bounds(low, high, self._dtype)
    _check_integer_bounds(low, high, self._dtype)
    return draw(self, generator, random_bits.integers, low, high - low)


def _drawn_bounds(low: int, high: int, dtype: DType) -> tuple[int, int]:
    """The bounds that PyTorch draws between, adjusted so that rounding gives no number outside of the requested
    ones.
    """
    limit = _EXACT_LIMITS[dtype]
    if -limit <= low and high <= limit:
        return low, high
    if low < _LARGEST[dtype] and _rounded(low + 1, limit) < low:
        low = _rounded(low + 1, limit) + _gap(low + 1, limit)
    if _rounded(high - 1, limit) >= high:
        high = _rounded(high - 1, limit) - _gap(high - 1, limit)
    if low >= high:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
            f"from={low} >= to={high}"
        )
    return low, high


def _gap(number: int, limit: int) -> int:
    """The spacing of floating-point numbers of this size, where all integers up to `limit` are exact."""
    return max(1 << abs(number).bit_length(), limit) // limit


def _rounded(number: int, limit: int) -> int:
    """An integer rounded to a floating-point dtype: to nearest, ties to even."""
    gap = _gap(number, limit)
    below, rest = divmod(number, gap)
    return (below + (2 * rest + below % 2 > gap)) * gap


def _any_integers(xp: Any, bits: RandomBits, count: int, dtype: DType) -> Array:
    span = _EXACT_LIMITS[dtype] + 1 if dtype.category >= dtypes.FLOATING else _LIMITS[dtype][1] + 1
    if dtype in (dtypes.int64, dtypes.float64):
        return (bits.draw_64(count) % xp.uint64(span)).view("int64")
    return bits.draw_32(count) % xp.uint32(span)


def _integers_from(xp: Any, bits: RandomBits, count: int, low: int, span: int) -> Array:
    return bits.draw_64(count).view("int64") if span == 2**64 else random_bits.integers(xp, bits, count, low, span)


def _last_integer(low: int, dtype: DType) -> int:
    """The last number drawn where only `from` is given."""
    if dtype.is_complex:
        raise RuntimeError("random_from_to_impl handles only integral, floating-point and boolean types")
    is_floating = dtype.category >= dtypes.FLOATING
    last = _EXACT_LIMITS[dtype] if is_floating else _LIMITS[dtype][1]
    if abs(low) > _LARGEST[dtype] if is_floating else not _LIMITS[dtype][0] <= low <= last:
        raise RuntimeError(f"from is out of bounds for {dtypes.C_NAMES[dtype]}")
    if is_floating and low >= last:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
            f"from={low} > to_inc={last}"
        )
    return last


#: 2**p: up to it a floating-point dtype holds every integer.
_EXACT_LIMITS = {dtype: builtins.int(2 / finfo(dtype).eps) for dtype in dtypes.ALL if dtype.category >= dtypes.FLOATING}


#: The least and the largest number of integer dtypes and bool.
_LIMITS = {
    dtype: (0, 1) if dtype is dtypes.bool else (iinfo(dtype).min, iinfo(dtype).max)
    for dtype in dtypes.ALL
    if dtype.category < dtypes.FLOATING
}


def _check_integer_bounds(low: int, high: int, dtype: DType) -> None:
    if low >= high:
        raise explained(
            RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"),
            "The upper end is not included: the largest number drawn is to - 1.",
        )
    if dtype.is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if dtype.category >= dtypes.FLOATING:
            if not -_LARGEST[dtype] <= bound <= _LARGEST[dtype]:
                raise RuntimeError(f"{name} is out of bounds for {dtypes.C_NAMES[dtype]}")
            exact = _EXACT_LIMITS[dtype]
            if not -exact <= bound <= exact:
                digits = exact.bit_length() - 1
                warn(
                    f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                    f"{dtypes.C_NAMES[dtype.to_real()]} can support discrete uniform distribution only within this "
                    "range. This warning will become an error in version 1.7 release, please fix the code in advance"
                )
            continue
        lowest, largest = _LIMITS[dtype]
        if not lowest <= bound <= largest:
            raise explained(
                RuntimeError(f"{name} is out of bounds for {dtypes.C_NAMES[dtype]}"),
                f"{dtype!r} holds integers from {lowest} to {largest}.",
            )


@operator("random", function=False)
@derivative(self=zero_gradient)
def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn from the exponential distribution of rate `lambd`, whose mean is 1 / lambd."""
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    if self._dtype.category != dtypes.FLOATING and self.numel():
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {self._dtype.scalar_type}"
        )
    return draw(self, generator, random_bits.exponential, lambd)


@operator("random", function=False)
@derivative(self=zero_gradient)
def cauchy_(self: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn from the Cauchy distribution of this median and width."""
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    if self._dtype.category != dtypes.FLOATING:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {dtypes.C_NAMES[self._dtype]}"
        )
    return draw(self, generator, random_bits.cauchy, median, sigma)


@operator("random", function=False)
@derivative(self=zero_gradient)
def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with the number of tries, each of chance `p`, up to the first that succeeds."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if self._dtype is dtypes.bool or self._dtype.is_complex:
        raise not_implemented("geometric_cpu", self._dtype)
    return draw(self, generator, random_bits.geometric, p)


@operator("random", function=False)
@derivative(self=zero_gradient)
def log_normal_(self: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers whose logarithm is normal, of this mean and standard deviation."""
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if self._dtype.category != dtypes.FLOATING and self.numel():
        raise not_implemented("log_normal_cpu", self._dtype)
    return draw(self, generator, _log_normal, mean, std)


def _log_normal(xp: Any, bits: RandomBits, count: int, mean: float, std: float) -> Array:
    return xp.exp(_scaled(xp, random_bits.normal_pairs(xp, bits, count), mean, std))


@operator("random", function=False)
@derivative(node=lambda p: f"BernoulliBackward{1 if isinstance(p, Tensor) else 2}", self=zero_gradient)
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with ones, each by chance `p` (a number, or a tensor with one chance for each element), and zeros."""
    if isinstance(p, Tensor):
        return draw_by_chance(self, p, generator)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if self._dtype.is_complex:
        raise not_implemented("bernoulli_scalar_cpu_", self._dtype)
    return draw(self, generator, _bernoulli, p)


def _bernoulli(xp: Any, bits: RandomBits, count: int, p: float) -> Array:
    return random_bits.uniform(xp, bits, count, dtypes.float64) < p


def draw_by_chance(target: Tensor, chances: Tensor, generator: Generator | None) -> Tensor:
    """Overwrite `target` with ones, each by the chance in its place in `chances`, and zeros."""
    if target._dtype.is_complex:
        raise not_implemented("bernoulli_tensor_cpu_self_", target._dtype)
    refuse_integers(chances._dtype, "bernoulli_tensor_cpu_p_")
    if chances._dtype.is_complex:
        raise not_implemented("bernoulli_tensor_cpu_p_", chances._dtype)
    geometry.expand(*header_of(chances), target._size)  # raises if it cannot
    given = array_of(chances)
    if not target._backend.launch(_all_between, given, 0, 1):
        raise explained(
            RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
                "If so, please report an enhancement request to PyTorch.)"
            ),
            "Every element of p is a chance, from 0 to 1.",
        )
    refuse_overlapping_write(target)
    drawn = draw(
        empty_on(target.device, target._size, target._stride, chances._dtype),
        generator,
        _uniform,
        _work(chances._dtype),
        0.0,
        1.0,
    )
    raw_array(target)[...] = array_of(drawn) < given
    target._written()
    return target


def _all_between(xp: Any, array: Array, low: float, high: float) -> bool:
    return builtins.bool(((array >= low) & (array <= high)).all())
