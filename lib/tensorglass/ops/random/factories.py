"""Random tensors: made, then filled by the in-place methods of `in_place`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from tensorglass import geometry
from tensorglass.backends import Array, RandomBits
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.bool_arguments import StatedFloat
from tensorglass.ops.arg_parser.checks import check_int, invalid_combination
from tensorglass.ops.creation.factory import (
    Options,
    Place,
    factory,
    finished,
    new,
    read_options,
    read_out_options,
    read_size,
    resized,
    size_tuple,
    strides_in,
)
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import resize_output
from tensorglass.ops.derivatives.shared import no_derivative, zero_gradient
from tensorglass.ops.kernels import random_bits
from tensorglass.ops.kernels.python_numbers import checked
from tensorglass.ops.random import vmap
from tensorglass.ops.random.in_place import (
    bernoulli_,
    draw,
    draw_by_chance,
    normal_,
    random_,
    refuse_integers,
    uniform_,
)
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.generator import Generator, generator_of
from tensorglass.tensor.tensor import Tensor, array_of, raw_array

# --- of a size -------------------------------------------------------------------------------------------------------

# Filling a new tensor is not recorded, even if the tensor already requires gradients.
fill_evenly, fill_normally = inspect.unwrap(uniform_), inspect.unwrap(normal_)
fill_with_integers, fill_by_chance = inspect.unwrap(random_), inspect.unwrap(bernoulli_)


@factory()
def rand(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """Numbers drawn evenly from 0 up to but not including 1."""
    result = _empty("rand", sizes, size, generator, out, options)
    fill_evenly(result, generator=generator)
    return finished(result, out)


@factory()
def randn(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and standard deviation 1."""
    result = _empty("randn", sizes, size, generator, out, options)
    fill_normally(result, generator=generator)
    return finished(result, out)


def _empty(name: str, sizes: Any, size: Any, generator: Any, out: Tensor | None, options: Options) -> Tensor:
    """The tensor to fill: a new one, or `out`."""
    try:
        if not isinstance(generator, Generator | None):
            raise TypeError("no generator")
        shape = read_size(name, sizes, size)
        place = read_out_options(name, options, out)
    except TypeError as error:
        given = {"size": size, "generator": generator, "out": out}
        keywords = {key: value for key, value in given.items() if value is not None} | options
        if len(sizes) + len(keywords) == 1 or "failed to unpack" in str(error):
            raise  # only one signature is similar
        raise invalid_combination(
            name,
            sizes,
            "(tuple of ints size, *, torch.Generator generator, Tensor out = None)",
            "(tuple of ints size, *, Tensor out = None)",
            keywords=keywords,
        ) from None
    return new(shape, place) if out is None else resized(out, shape)


@factory()
def randint(
    *arguments: Any,
    low: Any = None,
    high: Any = None,
    size: Any = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """Integers drawn evenly from `low` (0 unless given) up to but not including `high`.

    Called as ``randint(high, size)`` or ``randint(low, high, size)``.
    """
    given, said = list(arguments), (low, high, size)
    if size is None and given and isinstance(given[-1], tuple | list):
        size = given.pop()
    if high is None and given:
        high = given.pop()
    if low is None:
        low = given.pop() if given else 0
    fits = size is not None and not given and isinstance(size, tuple | list)
    fits = fits and all(hasattr(bound, "__index__") for bound in (low, high))
    try:
        if not fits or not isinstance(generator, Generator | None):
            raise TypeError("no size, or no generator")
        place = read_out_options("randint", options, out, dtypes.int64)
        shape = size_tuple("randint", size)
    except TypeError as error:
        named = {"low": said[0], "high": said[1], "size": said[2], "generator": generator, "out": out}
        named = {key: value for key, value in named.items() if value is not None}
        raise (_refusal_of_randint(arguments, named | options) or error) from None
    for bound in (low, high):
        if not -(2**63) <= int(bound) < 2**63:
            raise ValueError("Overflow when unpacking long long")
    result = new(shape, place) if out is None else resized(out, shape)
    fill_with_integers(result, low, high, generator=generator)
    return finished(result, out)


def _refusal_of_randint(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> TypeError | None:
    """PyTorch's TypeError for these arguments; None if one of the signatures fits them."""
    from tensorglass.ops.arg_parser.signature import Signatures  # when it is needed: imports should be quick

    options = ", *, torch.Generator generator = None, Tensor out = None, torch.dtype dtype = None)"
    forms = [f"(int high, tuple of ints size{options}", f"(int low, int high, tuple of ints size{options}"]
    try:
        Signatures(None, "randint", forms, is_method=False).read(arguments, keywords)
    except TypeError as refusal:
        return refusal.with_traceback(None)
    return None


@factory()
def randperm(
    n: int, *, generator: Generator | None = None, out: Tensor | None = None, **options: Unpack[Options]
) -> Tensor:
    """The numbers 0 … n - 1 in random order."""
    count = check_int("randperm", "n", 1, n)
    place = read_out_options("randperm", options, out, dtypes.int64)
    if place.dtype is dtypes.bool or place.dtype.is_complex or place.dtype in dtypes.WIDE_UNSIGNED:
        raise NotImplementedError(f"\"randperm\" not implemented for '{place.dtype.scalar_type}'")
    geometry.contiguous_nbytes((count,), place.dtype.itemsize)
    _check_holds(count, place.dtype)
    result = new((count,), place) if out is None else resized(out, (count,))
    draw(result, generator, random_bits.permutation)
    return finished(result, out)


#: The number of integers, from 0, that each floating-point dtype holds exactly, and how PyTorch writes it.
_MOST_PERMUTED = {
    dtypes.float16: (2**11 + 1, "2049"),
    dtypes.float32: (2**24 + 1, "2^24+1"),
    dtypes.float64: (2**53 + 1, "2^53+1"),
}


def _check_holds(count: int, dtype: DType) -> None:
    """Raise unless the numbers below `count` are numbers of this dtype."""
    checked(max(count - 1, 0), dtype)
    most, shown = _MOST_PERMUTED.get(dtype, (count, ""))
    if count > most:
        raise RuntimeError(f"n cannot be greater than {shown} for {dtype.scalar_type} type.")


@factory()
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """Normal numbers: of one `mean` and `std` in a tensor of `size`, or one for each element of the tensors given."""
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        if size is None:
            raise invalid_combination(
                "normal", (mean, std), "(Tensor mean, Tensor std)", "(Tensor mean, float std = 1)",
                "(float mean, Tensor std)", "(float mean, float std, tuple of ints size)",
            )  # fmt: skip
        if not isinstance(size, tuple | list):
            raise TypeError("a size is a tuple")  # `arg_parser` says it in PyTorch's words
        shape = size_tuple("normal", size)
        place = read_out_options("normal", options, out)
        result = new(shape, place) if out is None else resized(out, shape)
        fill_normally(result, mean, std, generator=generator)
        return finished(result, out)
    if size is not None or options:
        raise TypeError("tensors say where the numbers go")  # as above
    return _recorded_normal(mean, std, generator, out)


@derivative(
    node=lambda mean, std: f"NormalBackward{isinstance(mean, Tensor) + 2 * isinstance(std, Tensor)}",
    mean=lambda grad, mean_size: grad.new_zeros(mean_size),
    std=lambda grad, std_size: grad.new_zeros(std_size),
)
def _normal_of_tensors(mean: Any, std: Any, generator: Generator | None, out: Tensor | None) -> Tensor:
    if isinstance(std, Tensor):
        if std._dtype.is_complex:
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if std.numel() and not bool((array_of(std) >= 0).all()):
            raise RuntimeError("normal expects all elements of std >= 0.0")
    elif std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    tensors = [value for value in (mean, std) if isinstance(value, Tensor)]
    size = geometry.broadcast_shapes(*[tensor._size for tensor in tensors])
    if out is not None and not isinstance(std, Tensor):  # in this form `out` must already be large enough
        met = geometry.broadcast_shapes(mean._size, out._size)
        if met != out._size:
            raise RuntimeError(f"output with shape {list(out._size)} doesn't match the broadcast shape {list(met)}")
        size = out._size
    elif out is not None and out._size != size:
        resize_output(out, size)
    result = new(size, Place(tensors[0]._dtype, tensors[0].device, False)) if out is None else resized(out, size)
    fill_normally(result, generator=generator)
    result.mul_(std).add_(mean)
    return finished(result, out, 4)


_normal_of_tensors.__name__ = "normal"  # the name in errors
_recorded_normal: Any = recorded(_normal_of_tensors)


# --- like another tensor ---------------------------------------------------------------------------------------------


def _empty_like(name: str, input: Any, memory_format: Any, options: Options) -> Tensor:
    place = read_options(name, options, input._dtype, input.device)
    return new(input._size, place, strides_in(memory_format, input._size, input))


@factory()
def rand_like(
    input: Tensor, *, generator: Generator | None = None, memory_format: Any = None, **options: Unpack[Options]
) -> Tensor:
    """As `rand`, with the size, dtype, device and order of dimensions of `input`."""
    return finished(fill_evenly(_empty_like("rand_like", input, memory_format, options), generator=generator), None)


@factory()
def randn_like(
    input: Tensor, *, generator: Generator | None = None, memory_format: Any = None, **options: Unpack[Options]
) -> Tensor:
    """As `randn`, with the size, dtype, device and order of dimensions of `input`."""
    return finished(fill_normally(_empty_like("randn_like", input, memory_format, options), generator=generator), None)


@factory()
def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    memory_format: Any = None,
    **options: Unpack[Options],
) -> Tensor:
    """As `randint`, with the size, dtype, device and order of dimensions of `input`."""
    low, high = (0, low) if high is None else (low, high)
    if isinstance(high, Tensor) and high._size:
        raise RuntimeError("high must be a scalar tensor and on CPU")
    result = _empty_like("randint_like", input, memory_format, options)
    return finished(fill_with_integers(result, low, high, generator=generator), None)


# --- of given chances ------------------------------------------------------------------------------------------------


@operator("random", out=True)
@derivative(
    node=lambda p: "BernoulliBackward0" if p is None else "NotImplemented",
    input=lambda grad, p: (zero_gradient if p is None else no_derivative("aten::bernoulli"))(grad),
)
def bernoulli(
    input: Tensor, p: StatedFloat = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """Ones, each by the chance in its place in `input` (or by chance `p`, if that is given), and zeros."""
    if p is not None:
        if out is not None:
            raise TypeError("a chance for all is not written to an out=")  # `arg_parser` says it in PyTorch's words
        result = _empty_like("bernoulli", input, contiguous_format, {})
        return finished(fill_by_chance(result, p, generator=generator), None)
    result = _empty_like("bernoulli", input, contiguous_format, {}) if out is None else resized(out, input._size)
    return finished(draw_by_chance(result, input, generator), out)


@operator("random", method=False, differs="the numbers are not those that PyTorch draws from the same seed")
@derivative(input=zero_gradient)
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Integers drawn from the Poisson distributions whose means are the elements of `input`."""
    refuse_integers(input._dtype, "poisson_cpu")
    rates = array_of(input)
    if input.numel() and not bool((rates >= 0).all()):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    bits = generator_of(generator, input.device)._bits
    result = _empty_like("poisson", input, None, {})
    raw_array(result)[...] = vmap.drawn_alone((rates,), lambda: bits.draw_poisson(rates.astype("float64")))
    return result


@operator("random", method=False, differs="the numbers are not those that PyTorch draws from the same seed")
@derivative(node="NotImplemented", count=no_derivative("aten::binomial"), prob=no_derivative("aten::binomial"))
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of `count` tries succeed, each by chance `prob`: integers in the dtype of both.

    Fractions of tries do not count; where there are no tries, or no chances, none succeed.
    """
    for name, tensor in (("count", count), ("prob", prob)):
        if not tensor._dtype.is_floating_point:
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: {tensor._dtype.scalar_type}"
            )
    if count._dtype is not prob._dtype:
        raise RuntimeError(f"Found dtype {prob._dtype.scalar_type} but expected {count._dtype.scalar_type}")
    if count._dtype.itemsize == 2:
        raise NotImplementedError(f"\"binomial_cpu\" not implemented for '{count._dtype.scalar_type}'")
    size = geometry.broadcast_shapes(count._size, prob._size)
    result = empty_on(count.device, size, geometry.contiguous_strides(size), count._dtype)
    bits = generator_of(generator, count.device)._bits
    result._backend.launch(_successes, raw_array(result), array_of(count), array_of(prob), bits)
    return result


def _successes(xp: Any, target: Array, count: Array, prob: Array, bits: RandomBits) -> None:
    tries = xp.where(count > 0, xp.floor(count), 0)
    given = xp.broadcast_to(tries, target.shape).astype("int64"), xp.broadcast_to(_chances(xp, prob), target.shape)
    drawn = vmap.drawn_alone(given, lambda: bits.draw_binomial(*given))
    target[...] = xp.where(xp.isnan(prob) | xp.isnan(count), math.nan, drawn)


def _chances(xp: Any, prob: Array) -> Array:
    return xp.where(prob > 0, xp.minimum(prob, 1), 0).astype("float64")
