"""The differences between what a program left on tensorglass and on PyTorch.

Numbers are compared by their dtype. Where they are further apart, PyTorch is asked a second time, with other kernels of
its own (`ATEN_CPU_CAPABILITY=default`) and with sums and functions rounded the other way now and then, as any library
may: what a program computes from rounding noise (Adam's first step along a gradient that is zero but for rounding; a
network that is trained for hundreds of steps; a time that it prints) differs between the two as well, and counts as the
same if ours is not many times further away than that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

#: How far numbers may be apart, relative to the largest of their tensor.
TOLERANCE = {"float64": 1e-6, "complex128": 1e-6, "float16": 2e-2, "bfloat16": 5e-2}
TOLERANCE_OF_OTHERS = 2e-4
FLOOR = 1e-7
TIMES_THE_SPREAD = 30

Data = Any
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)")
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_DURATION = re.compile(r"\b\d+(?:\.\d+)?(?:e-?\d+)?(?= ?(?:s|ms|sec|secs|seconds|it/s)\b)")


def differences(ours: dict[str, Any], theirs: dict[str, Any], again: dict[str, Any] | None = None) -> list[str]:
    """Every difference, in words; `again` is what PyTorch gave with other rounding."""
    return list(_outcomes(ours, theirs, again))


def _outcomes(ours: dict[str, Any], theirs: dict[str, Any], again: dict[str, Any] | None) -> Iterator[str]:
    if "tests" in theirs:
        for name, outcome in theirs["tests"].items():
            if outcome == "passed" and ours.get("tests", {}).get(name) != "passed":
                yield f"{name}: {ours.get('tests', {}).get(name, 'not run')}"
        return
    one, other = ours["error"], theirs["error"]
    if (one and one["class"]) != (other and other["class"]) or (one and other and not _same_text(one, other, again)):
        yield f"error: {_said(one)}; PyTorch: {_said(other)}"
        return
    for name, value in theirs.get("variables", {}).items():
        if name.startswith("__"):  # of the module, not of the program
            continue
        second = again.get("variables", {}).get(name) if again else None
        if name not in ours["variables"]:
            yield f"{name}: missing"
        else:
            yield from _data(name, ours["variables"][name], value, second, again is not None)
    yield from _text("printed", ours.get("printed", ""), theirs.get("printed", ""), again and again.get("printed", ""))


def _said(error: dict[str, str] | None) -> str:
    return f"{error['class']}: {error['line']}" if error else "none"


def _same_text(one: dict[str, str], other: dict[str, str], again: Any) -> bool:
    second = again["error"]["line"] if again and again["error"] else None
    return not list(_text("", one["line"], other["line"], second))


def _data(name: str, ours: Data, theirs: Data, second: Data, has_second: bool) -> Iterator[str]:
    if has_second and not _alike(theirs, second):
        return  # PyTorch does not agree with itself on what this is
    if not _alike(ours, theirs):
        yield f"{name}: {_short(ours)}; PyTorch: {_short(theirs)}"
    elif isinstance(theirs, dict):
        for key, value in theirs.items():
            yield from _data(f"{name}[{key!r}]", ours[key], value, second[key] if has_second else None, has_second)
    elif isinstance(theirs, list):
        for place, value in enumerate(theirs):
            yield from _data(f"{name}[{place}]", ours[place], value, second[place] if has_second else None, has_second)
    elif isinstance(theirs, tuple):
        yield from _tuple(name, ours, theirs, second, has_second)
    elif isinstance(theirs, str):
        yield from _text(name, ours, theirs, second)
    elif isinstance(theirs, (int, float, complex)) and not isinstance(theirs, bool):
        dtype = "float64" if isinstance(theirs, int) else "float32"
        if not _close(ours, theirs, second if has_second else None, dtype):
            yield f"{name}: {ours}; PyTorch: {theirs}"
    elif ours != theirs and not (has_second and second != theirs):
        yield f"{name}: {_short(ours)}; PyTorch: {_short(theirs)}"


def _tuple(name: str, ours: Data, theirs: Data, second: Data, has_second: bool) -> Iterator[str]:
    if theirs[0] in ("tensor", "array"):
        values = 4 if theirs[0] == "tensor" else 3
        if ours[1 : min(values, 4)] != theirs[1 : min(values, 4)]:
            yield f"{name}: {ours[1:values]}; PyTorch: {theirs[1:values]}"
        elif (ours[values] is None) != (theirs[values] is None):
            yield f"{name}: values are {'missing' if ours[values] is None else 'there'}"
        elif theirs[values] is not None:
            spread = second[values] if has_second else None
            if not _close(ours[values], theirs[values], spread, theirs[1].removeprefix("torch.")):
                yield f"{name}: {_apart(ours[values], theirs[values], spread)}"
        if theirs[0] == "tensor":
            yield from _data(f"{name}.grad", ours[5], theirs[5], second[5] if has_second else None, has_second)
    else:
        for place, value in enumerate(theirs[2:], 2):
            part = f"{name}.grad" if theirs[0] == "module" and place == 3 else name
            yield from _data(part, ours[place], value, second[place] if has_second else None, has_second)


def _alike(one: Data, other: Data) -> bool:
    """Whether the two are the same kind of thing, with the same parts."""
    if type(one) is not type(other):
        return isinstance(one, (int, float)) and isinstance(other, (int, float))
    if isinstance(one, dict):
        return one.keys() == other.keys()
    if isinstance(one, list):
        return len(one) == len(other)
    if isinstance(one, tuple):
        return len(one) == len(other) and one[0] == other[0] and (one[0] in ("tensor", "array") or one[1] == other[1])
    return True


def _close(ours: Any, theirs: Any, second: Any, dtype: str) -> bool:
    one, other = np.asarray(ours), np.asarray(theirs)
    if one.shape != other.shape:
        return False
    if other.dtype.kind == "b":
        one, other = one.astype(int), other.astype(int)
    if not np.array_equal(np.isfinite(one), np.isfinite(other)):
        return second is not None and not np.array_equal(np.isfinite(np.asarray(second)), np.isfinite(other))
    with np.errstate(all="ignore"):
        finite = np.isfinite(other)
        if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
            return False
        if not finite.any():
            return True
        apart = np.abs(one[finite].astype(complex) - other[finite]).max()
        largest = np.abs(other[finite]).max()
        tolerance = TOLERANCE.get(dtype, TOLERANCE_OF_OTHERS) if other.dtype.kind in "fc" else 0.0
        allowed = tolerance * largest + (FLOOR if tolerance else 0.0)
        if second is not None and np.asarray(second).shape == other.shape:
            again = np.asarray(second)
            both = finite & np.isfinite(again)
            if both.any():
                allowed += TIMES_THE_SPREAD * np.abs(again[both].astype(complex) - other[both]).max()
    return bool(apart <= allowed)


def _apart(ours: Any, theirs: Any, second: Any) -> str:
    if ours.shape != theirs.shape:
        return f"{ours.shape} values; PyTorch: {theirs.shape}"
    with np.errstate(all="ignore"):
        apart = np.nanmax(np.abs(ours.astype(complex) - theirs))
        told = f"apart by {apart:.2g} of {np.nanmax(np.abs(theirs)):.2g}"
        if second is not None and second.shape == theirs.shape:
            told += f" (PyTorch from itself {np.nanmax(np.abs(second.astype(complex) - theirs)):.2g})"
    return told


def _text(name: str, ours: str, theirs: str, second: str | None) -> Iterator[str]:
    ours, theirs = _without_local_version(ours), _without_local_version(theirs)
    second = None if second is None else _without_local_version(second)
    one, other = _words(ours), _words(theirs)
    again = _words(second) if second is not None else None
    if again is not None and again[0] != other[0]:
        return
    if one[0] != other[0]:
        for line, expected in zip(ours.splitlines(), [*theirs.splitlines(), ""], strict=False):
            if _words(line)[0] != _words(expected)[0]:
                yield f"{name}: {line[:150]!r}; PyTorch: {expected[:150]!r}"
                return
        yield f"{name}: {len(ours.splitlines())} lines; PyTorch: {len(theirs.splitlines())}"
        return
    for place, (number, expected) in enumerate(zip(one[1], other[1], strict=True)):
        spread = abs(again[1][place] - expected) if again is not None else 0.0
        if math.isnan(spread) or _printed_the_same(number, expected, spread):
            continue
        yield f"{name}: {number}; PyTorch: {expected}"
        return


def _without_local_version(text: str) -> str:
    """A text without what follows a version's plus sign, which says which library it is of."""
    return re.sub(r"(\b\d+\.\d+\.\d+)\+[a-z][\w.]*", r"\1", text)


def _printed_the_same(number: float, expected: float, spread: float) -> bool:
    if number == expected or (number != number and expected != expected):
        return True
    return abs(number - expected) <= 2e-3 * abs(expected) + 2e-4 + TIMES_THE_SPREAD * spread


def _words(text: str) -> tuple[str, list[float]]:
    """The text without its numbers, addresses, times and spaces; and the numbers."""
    text = _DURATION.sub("some", text)
    text = _ADDRESS.sub("0x", text.replace("tensorglass.tensor.Tensor", "torch.Tensor").replace("tensorglass", "torch"))
    return re.sub(r"\s+", "", _NUMBER.sub("#", text)), [float(number) for number in _NUMBER.findall(text)]


def _short(data: Data) -> str:
    if isinstance(data, tuple):
        return f"{data[0]} {data[1]}"
    if isinstance(data, dict):
        return f"dict of {', '.join(map(str, list(data)[:8]))}"
    return f"list of {len(data)}" if isinstance(data, list) else repr(data)[:80]
