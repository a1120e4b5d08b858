"""Large arrays of half types, float16 and bfloat16: converted by their bits, and computed with block by block.

NumPy converts float16 one number at a time. A float16 is a float32 of which some bits are missing, so shifting them to
their places and multiplying by a power of two converts whole blocks, subnormal numbers among them; infinities and NaN
are put right afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST

LARGE = 1 << 14  # elements; for more, these ways are faster
_BLOCK = 1 << 16  # elements: two or three blocks of float32 stay in the cache
_TABLE = 1 << 16  # all float16 there are
_FUNCTIONS = 32  # functions whose tables are kept, 128 KiB each
_MANY = 4 * _TABLE  # elements; for more, the table is faster


def _bits(value: int) -> Array:
    return HOST.xp.array(value, "uint32").view("int32")


def _float32_number(value: float) -> Array:
    return HOST.xp.array(value, "float32")


# Numbers as arrays that are made once: making them takes as long as computing with a block.
# bits by which the exponent and fraction of a half are shifted, and its sign
_PLACES, _SIGN_PLACES = _bits(13), _bits(16)
_KEPT, _SIGN, _EXPONENT = _bits(0x8FFFE000), _bits(0x8000), _bits(0x7F800000)
_UP, _DOWN = _float32_number(2.0**112), _float32_number(2.0**-112)  # between the exponents' biases, 15 and 127
_ABOVE = _float32_number(1.5 * 2.0**13)  # times a power of two; adding it rounds to the ten bits of a half's fraction
_LEAST = HOST.xp.full(_BLOCK, 1.5 * 2.0**-1, "float32")  # the same for subnormal halves, whose spacing is 2⁻²⁴
_LARGEST = 1.5 * 2.0**13 * 2.0**15  # from here on a number may be too large for a half


def converts(source: Array, target: Array) -> bool:
    """Whether `convert` should copy `source` to `target`: many elements on the CPU, one of the two float16."""
    return (
        target.size >= LARGE
        and (source.dtype.char == "e") != (target.dtype.char == "e")
        and source.dtype.kind in "fiub"
        and target.dtype.kind in "fiu"
        and type(source) is HOST.xp.ndarray
        and source.shape == target.shape
    )


def convert(target: Array, source: Array) -> None:
    """Copy `source` to `target`; one of the two is float16."""
    for place, values in _blocks(target, source):
        if values.dtype.char == "e":
            widen(values, place)
        else:
            narrow(values, place)


def converted(array: Array, array_dtype: Any) -> Array:
    """The elements as `array_dtype`: the array itself if it has that."""
    is_ours = type(array) is HOST.xp.ndarray and array.size >= LARGE and array.flags.c_contiguous
    if is_ours and "e" in (array.dtype.char, array_dtype.char):
        result = HOST.xp.empty(array.shape, array_dtype)
        if converts(array, result):
            convert(result, array)
            return result
    return array.astype(array_dtype, copy=False)


def widen(halves: Array, target: Array) -> None:
    """Copy a block of a half type to `target`, whose dtype holds all its values."""
    if halves.dtype.char != "e":
        target[...] = halves
        return
    if target.dtype.char != "f" or not target.flags.c_contiguous:
        between = HOST.xp.empty(halves.shape, "float32")
        widen(halves, between)
        target[...] = between
        return
    xp, bits = HOST.xp, target.view("int32")
    bits[...] = halves.view("int16")  # the sign becomes the highest bit
    xp.left_shift(bits, _PLACES, out=bits)
    xp.bitwise_and(bits, _KEPT, out=bits)
    xp.multiply(target, _UP, out=target)
    if not (target.max() < 65536 and target.min() > -65536):
        special = ~(xp.absolute(target) < 65536)
        target[special] = halves[special]


def narrow(values: Array, target: Array) -> None:
    """Copy a block of numbers to `target`, of a half type, rounded to nearest, ties to even."""
    if target.dtype.char != "e" or values.size > _BLOCK:
        target[...] = values
        return
    xp = HOST.xp
    values = xp.ascontiguousarray(values, "float32").reshape(-1)
    bits, unit = values.view("int32"), xp.empty(values.size, "float32")
    xp.bitwise_and(bits, _EXPONENT, out=unit.view("int32"))  # 2 to the exponent
    xp.multiply(unit, _ABOVE, out=unit)
    xp.maximum(unit, _LEAST[: values.size], out=unit)
    rounded = values + unit
    xp.subtract(rounded, unit, out=rounded)
    xp.multiply(rounded, _DOWN, out=rounded)
    is_plain = unit.max() < _LARGEST
    rounded_bits, sign = unit.view("int32"), rounded.view("int32")
    xp.right_shift(sign, _PLACES, out=rounded_bits)
    xp.right_shift(bits, _SIGN_PLACES, out=sign)
    xp.bitwise_and(sign, _SIGN, out=sign)
    xp.bitwise_or(rounded_bits, sign, out=rounded_bits)
    halves = rounded_bits.astype("int16").view("float16")
    if not is_plain:
        special = ~(xp.absolute(values) < 32768)
        halves[special] = values[special]
    target[...] = halves.reshape(target.shape)


#: By function and dtypes: the table of all results, and how many elements were requested before it was made.
_answers: dict[tuple[Any, ...], Array] = {}
_asked: dict[tuple[Any, ...], int] = {}


def looked_up(xp: Any, function: Callable[..., Array], halves: Array, result: Any) -> Array | None:
    """The results of `function(xp, …)` for half-type numbers, looked up by their bits in a table, with dtype `result`.

    None until enough elements were requested to make computing the whole table worthwhile.
    """
    table = _table(xp, function, halves.dtype, result, halves.size)
    return None if table is None else table.take(halves.view("uint16"))


def _table(xp: Any, function: Callable[..., Array], half: Any, result: Any, count: int) -> Array | None:
    key = (function, half, result)
    table = _answers.get(key)
    if table is None:
        _asked[key] = _asked.get(key, 0) + count
        if _asked[key] >= _MANY:
            if len(_answers) >= _FUNCTIONS:
                _answers.clear()
            everything = xp.arange(_TABLE, dtype="uint16").view(half).astype("float32")
            table = _answers[key] = function(xp, everything).astype(result)
    return table


def compute(
    xp: Any,
    run: Callable[..., Array],
    arrays: Sequence[Array | None],
    target: Array,
    takes_out: bool,
    function: Callable[..., Array] | None = None,
) -> None:
    """Run a float32 kernel on arrays, some of a half type, and write the results to `target`.

    For a single large operand, the results of all its possible values are computed, and each element is looked up by
    its bits. If the kernel is a `function` without parameters, this table is kept.
    """
    operands = [array for array in arrays if array is not None]
    large = [operand for operand in operands if operand.ndim]
    if len(large) == 1 and is_half(large[0]) and target.size >= _MANY and target.shape == large[0].shape:
        table = None if function is None else _table(xp, function, large[0].dtype, target.dtype, _MANY)
        if table is None:
            everything = xp.arange(_TABLE, dtype="uint16").view(large[0].dtype)
            table = xp.empty(_TABLE, target.dtype)
            compute(xp, run, [everything if array is large[0] else array for array in arrays], table, takes_out)
        for place, halves in _blocks(target, large[0]):
            place[...] = table.take(halves.view("uint16"))
        return
    for place, *given in _blocks(target, *[xp.broadcast_to(operand, target.shape) for operand in operands]):
        wide = iter([_wide(array) for array in given])
        block = [None if array is None else next(wide) for array in arrays]
        if place.dtype.itemsize != 2:  # bool
            place[...] = run(*block)
        elif takes_out:
            answer = xp.empty(place.shape, "float32")
            result = run(*block, out=answer)
            narrow(result, place)
        else:
            narrow(run(*block), place)


def is_half(array: Array) -> bool:
    """Whether an array's elements are of a half type."""
    return array.dtype.itemsize == 2 and array.dtype.kind not in "iu"


def _wide(array: Array) -> Array:
    if not is_half(array):
        return array
    result = HOST.xp.empty(array.shape, "float32")
    widen(array, result)
    return result


def _blocks(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """Blocks of arrays of one size: of the flattened arrays if their strides agree, otherwise along the first
    dimension."""
    size = arrays[0].shape
    if all(array.flags.c_contiguous or array.size == 1 for array in arrays):
        arrays = tuple([array.reshape(-1) for array in arrays])
        step = _BLOCK
    else:
        step = max(1, _BLOCK * size[0] // arrays[0].size)
    for start in range(0, arrays[0].shape[0], step):
        yield tuple([array[start : start + step] for array in arrays])
