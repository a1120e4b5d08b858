"""`assert_close`: whether two results are equal up to rounding, and PyTorch's message if they are not.

Dtype, size and device come first; only then are elements compared, each allowed to differ by ``atol + rtol *
abs(expected)``. What is allowed depends on the dtype, and is nothing for integers.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorglass.backends import numpy_values
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.interop.numpy import as_tensor
from tensorglass.ops.creation.tensor import copied
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.ops.sorting.equal import isclose
from tensorglass.tensor.tensor import Tensor

Message = str | Callable[[str], str] | None

#: The default tolerances: rtol and atol.
TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}
_OF_NUMBER = {float: (1e-7, 1e-7), complex: (1e-7, 1e-7)}


def _located(text: str, place: tuple[Any, ...]) -> str:
    """The text of a failure, with where in a nest of sequences and mappings it is."""
    return f"{text}\n\nThe failure occurred for item {''.join(f'[{key!r}]' for key in place)}" if place else text


class _Rules:
    """How one call of `assert_close` compares."""

    def __init__(self, rtol: float | None, atol: float | None, checks: Mapping[str, bool], message: Message) -> None:
        self.rtol, self.atol, self.checks, self.message = rtol, atol, checks, message

    def tolerances(self, *given: tuple[float, float]) -> tuple[float, float]:
        """rtol and atol: those given, or the larger ones of the two sides' defaults."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        return max(pair[0] for pair in given), max(pair[1] for pair in given)

    def fail(self, text: str, place: tuple[Any, ...]) -> AssertionError:
        """The error, with the message of the call if it has one."""
        text = _located(text, place)
        if callable(self.message):
            text = self.message(text)
        return AssertionError(text if self.message is None or callable(self.message) else self.message)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raise AssertionError unless two tensors, numbers, or nests of them in sequences and mappings are close.

    Elements may differ by ``atol + rtol * abs(expected)``; give both, or neither for the dtype's defaults. `msg`
    replaces the message, or is a function of it.

    >>> import tensorglass as torch
    >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0000001]))
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    checks = {"device": check_device, "dtype": check_dtype, "stride": check_stride, "equal_nan": equal_nan}
    _compare(actual, expected, _Rules(rtol, atol, checks, msg), ())


def _compare(actual: Any, expected: Any, rules: _Rules, place: tuple[Any, ...]) -> None:
    both = (actual, expected)
    if all(isinstance(value, Sequence) and not isinstance(value, str) for value in both):
        if len(actual) != len(expected):
            raise rules.fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", place)
        for index, (one, other) in enumerate(zip(actual, expected, strict=True)):
            _compare(one, other, rules, (*place, index))
    elif all(isinstance(value, Mapping) for value in both):
        _compare_keys(actual, expected, rules, place)
        for key in actual:
            _compare(actual[key], expected[key], rules, (*place, key))
    elif actual is None or expected is None:
        if actual is not expected:
            raise rules.fail(f"None mismatch: {actual} is not {expected}", place)
    elif all(isinstance(value, bool | numpy_values.bool_) for value in both):
        if bool(actual) is not bool(expected):
            raise rules.fail(f"Booleans mismatch: {actual} is not {expected}", place)
    elif all(isinstance(value, NUMBERS) and not isinstance(value, bool | numpy_values.bool_) for value in both):
        one, other = [value.item() if isinstance(value, numpy_values.generic) else value for value in both]
        if rules.checks["dtype"] and type(one) is not type(other):
            raise rules.fail(f"The (d)types do not match: {type(one)} != {type(other)}.", place)
        _compare_numbers(one, other, rules, place)
    elif all(isinstance(value, Tensor) for value in both):
        _compare_tensors(actual, expected, rules, place)
    elif all(isinstance(value, numpy_values.ndarray) for value in both):
        _compare_tensors(as_tensor(actual), as_tensor(expected), rules, place)
    else:
        kinds = f"{type(actual)} and {type(expected)}"
        raise TypeError(_located(f"No comparison pair was able to handle inputs of type {kinds}.", place))


def _compare_keys(
    actual: Mapping[Any, Any], expected: Mapping[Any, Any], rules: _Rules, place: tuple[Any, ...]
) -> None:
    missing = sorted(set(expected) - set(actual))
    more = sorted(set(actual) - set(expected))
    if missing or more:
        raise rules.fail(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {more}",
            place,
        )


def _compare_numbers(actual: complex, expected: complex, rules: _Rules, place: tuple[Any, ...]) -> None:
    rtol, atol = rules.tolerances(*[_OF_NUMBER.get(type(number), (0.0, 0.0)) for number in (actual, expected)])
    if actual == expected or (rules.checks["equal_nan"] and cmath.isnan(actual) and cmath.isnan(expected)):
        return
    distance = abs(actual - expected)
    if not cmath.isinf(expected) and not cmath.isinf(actual) and distance <= atol + rtol * abs(expected):
        return
    raise rules.fail(_of_numbers(actual, expected, rtol, atol), place)


def _of_numbers(actual: complex, expected: complex, rtol: float, atol: float) -> str:
    distance = abs(actual - expected)
    relative = distance / abs(expected) if expected else math.inf
    is_exact = rtol == atol == 0
    return (
        f"Scalars are not {'equal' if is_exact else 'close'}!\n\n"
        f"Expected {expected} but got {actual}.\n"
        f"Absolute difference: {distance}{'' if is_exact else f' (up to {atol} allowed)'}\n"
        f"Relative difference: {relative}{'' if is_exact else f' (up to {rtol} allowed)'}"
    )


def _compare_tensors(actual: Tensor, expected: Tensor, rules: _Rules, place: tuple[Any, ...]) -> None:
    for name in ("shape", "device", "dtype", "stride"):
        if not rules.checks.get(name, True):
            continue
        one, other = (tensor.stride() if name == "stride" else getattr(tensor, name) for tensor in (actual, expected))
        if one != other:
            shown = "stride()" if name == "stride" else name
            raise rules.fail(f"The values for attribute '{shown}' do not match: {one} != {other}.", place)
    if actual.is_meta and expected.is_meta:  # without elements
        return
    rtol, atol = rules.tolerances(*[TOLERANCES.get(tensor.dtype, (0.0, 0.0)) for tensor in (actual, expected)])
    one, other = _on_common_ground(actual.detach(), expected.detach())
    matches = isclose(one, other, rtol=float(rtol), atol=float(atol), equal_nan=rules.checks["equal_nan"])
    if not bool(matches.all()):
        raise rules.fail(_of_tensors(one, other, matches, rtol, atol), place)


def _on_common_ground(actual: Tensor, expected: Tensor) -> tuple[Tensor, Tensor]:
    if actual.device != expected.device:
        actual, expected = actual.cpu(), expected.cpu()
    common: DType = dtypes.promote_types(actual.dtype, expected.dtype)
    return actual.to(common), expected.to(common)


def _of_tensors(actual: Tensor, expected: Tensor, matches: Tensor, rtol: float, atol: float) -> str:
    if not actual.dim():
        return _of_numbers(actual.item(), expected.item(), rtol, atol)
    if not (actual.is_floating_point() or actual.is_complex()):
        actual, expected = actual.to(dtypes.int64), expected.to(dtypes.int64)
    distances = (actual - expected).abs()
    relative = distances / expected.abs()
    # Elements that match do not count, even equal infinities, whose difference is NaN.
    distances, relative = distances.masked_fill(matches, 0), relative.masked_fill(matches, 0)
    wrong, count = int((~matches).sum()), matches.numel()
    is_exact = rtol == atol == 0

    def greatest(name: str, values: Tensor, allowed: float) -> str:
        flat = int(values.argmax())
        index = []
        for length in reversed(values.shape):
            flat, rest = divmod(flat, length)
            index.append(rest)
        largest = values.max().item()
        limit = "" if is_exact else f" (up to {allowed} allowed)"
        return f"Greatest {name} difference: {largest} at index {tuple(reversed(index))}{limit}"

    return "\n".join(
        (
            f"Tensor-likes are not {'equal' if is_exact else 'close'}!\n",
            f"Mismatched elements: {wrong} / {count} ({100 * wrong / count:.1f}%)",
            greatest("absolute", distances, atol),
            greatest("relative", relative, rtol),
        )
    )


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The older form of `assert_close`: it takes all that `torch.tensor` takes, and does not compare dtypes."""
    actual = actual if isinstance(actual, Tensor) else copied("tensor", actual, {})
    expected = expected if isinstance(expected, Tensor) else copied("tensor", expected, {"dtype": actual.dtype})
    if rtol is None and atol is None:
        rtol = max(_OLDER.get(tensor.dtype, (0.0, 0.0))[0] for tensor in (actual, expected))
        atol = max(_OLDER.get(tensor.dtype, (0.0, 0.0))[1] for tensor in (actual, expected))
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


#: The default tolerances of `assert_allclose`.
_OLDER = {dtypes.float16: (1e-3, 1e-3), dtypes.float32: (1e-4, 1e-5), dtypes.float64: (1e-5, 1e-8)}
