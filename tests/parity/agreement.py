"""One call, made twice: with tensorglass and with PyTorch, and what must be the same of the two outcomes.

A `Blueprint` describes a tensor (elements, dtype, size, stride, offset) and builds it in either library, so that both
calls get the same bytes in the same layout. `disagreement` makes the call in both and says in words where they differ.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

#: How far floating-point results may be apart, relatively: libraries round differently in the last places.
TOLERANCE = {
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "float32": 2e-6,
    "float64": 1e-13,
    "complex64": 4e-6,
    "complex128": 1e-13,
}


@dataclass(frozen=True)
class Closeness:
    """How elements are compared; see `disagreement`."""

    exact: bool
    floor: float
    elements: bool
    tolerance: float


@dataclass(frozen=True)
class Blueprint:
    """A tensor to be built, often in many calls: the elements of its storage, and the header."""

    elements: tuple[Any, ...]
    dtype: str
    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int = 0
    _read: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  #: tensors, by library

    def build(self, library: Any) -> Any:
        read = self._read.get(library.__name__)
        if read is None:
            read = library.tensor(list(self.elements), dtype=getattr(library, self.dtype))
            self._read[library.__name__] = read
        return read.clone().as_strided(self.size, self.stride, self.offset)


@dataclass(frozen=True)
class Dtype:
    """An argument that is a dtype."""

    name: str

    def build(self, library: Any) -> Any:
        return getattr(library, self.name)


def _packed(size: tuple[int, ...]) -> list[int]:
    return [math.prod(size[dim + 1 :]) for dim in range(len(size))]


def blueprint(elements: Any, dtype: str, size: tuple[int, ...], layout: str = "contiguous") -> Blueprint:
    """The tensor of these elements (in the order of their indices) and size, laid out as `layout` says."""
    elements = tuple(elements)
    stride = _packed(size)
    if layout == "permuted":  # the dimensions in memory are reversed
        stride = [math.prod(size[:dim]) for dim in range(len(size))]
    elif layout == "sliced":  # every other element of something larger, from its second on
        stride = [2 * step for step in stride]
    elif layout == "expanded" and size and size[0]:  # the first row, again and again
        stride = [0, *stride[1:]]
    offset = 1 if layout == "sliced" else 0
    reach = offset + sum(step * (length - 1) for step, length in zip(stride, size, strict=True))
    storage = [0] * max(reach + 1, 1)
    for number, value in enumerate(elements):
        place, rest = offset, number
        for length, step in zip(reversed(size), reversed(stride), strict=True):
            rest, index = divmod(rest, length)
            place += index * step
        storage[place] = value
    return Blueprint(tuple(storage), dtype, size, tuple(stride), offset)


def built(argument: Any, library: Any) -> Any:
    """The argument as `library` takes it: blueprints and dtypes are built, also inside lists and tuples."""
    if isinstance(argument, (Blueprint, Dtype)):
        return argument.build(library)
    if type(argument) in (list, tuple):
        return type(argument)(built(item, library) for item in argument)
    return argument


def outcome(library: Any, name: str, arguments: Any, keywords: Any, form: str) -> Any:
    """What the call gives: ("value", result, arguments after it) or ("error", class, first line)."""
    arguments = [built(argument, library) for argument in arguments]
    keywords = {key: built(value, library) for key, value in keywords.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if form == "function":
                result = attrgetter(name)(library)(*arguments, **keywords)
            else:
                result = getattr(arguments[0], name)(*arguments[1:], **keywords)
        except Exception as error:  # whatever it is, the other library must raise the same
            return "error", type(error), (str(error).splitlines() or [""])[0]
    return "value", result, [*arguments, *keywords.values()]


def disagreement(
    name: str,
    arguments: Any,
    keywords: Any = None,
    form: str = "function",
    *,
    exact: bool = False,
    floor: float = 1e-2,
    elements: bool = True,
    tolerance: float = 0.0,
) -> str | None:
    """Where the two libraries differ over one call, in words; None if they agree.

    Compared are the error's class and first line, or the results' and the tensor arguments' dtype, size, stride, and
    elements. `form` "method" makes it a method call on the first argument. Results smaller than `floor` may be as far
    apart as results of that size: it is larger for sums in which terms cancel. If `elements` is False, they are not
    compared. `tolerance` counts where it is larger than that of the results' dtype.
    """
    keywords = keywords or {}
    ours = outcome(tensorglass, name, arguments, keywords, form)
    theirs = outcome(torch, name, arguments, keywords, form)
    difference = _difference(ours, theirs, Closeness(exact, floor, elements, tolerance))
    if difference is None:
        return None
    call = ", ".join([*map(_shown, arguments), *(f"{key}={_shown(value)}" for key, value in keywords.items())])
    return f"{name}({call}): {difference}"


def _shown(argument: Any) -> str:
    if isinstance(argument, Blueprint):
        return f"{argument.dtype}{list(argument.size)} stride {argument.stride}"
    return repr(argument)


def _difference(ours: Any, theirs: Any, closeness: Closeness) -> str | None:
    if ours[0] != theirs[0]:
        return f"ours {ours[:1]} {_brief(ours)}, PyTorch's {_brief(theirs)}"
    if ours[0] == "error":
        same = ours[1:] == theirs[1:] or (
            ours[1].__name__ == theirs[1].__name__ == "_LinAlgError" and ours[2:] == theirs[2:]
        )
        return None if same else f"ours {_brief(ours)}, PyTorch's {_brief(theirs)}"
    return _value_difference(ours[1], theirs[1], closeness) or _value_difference(ours[2], theirs[2], closeness)


def _brief(result: Any) -> str:
    if result[0] == "error":
        return f"{result[1].__name__}: {result[2]}"
    return repr(result[1]).replace("\n", " ")[:200]


def _value_difference(ours: Any, theirs: Any, closeness: Closeness) -> str | None:
    if isinstance(theirs, (tuple, list)):
        if type(ours).__name__ != type(theirs).__name__ or len(ours) != len(theirs):
            return f"ours {type(ours).__name__}, PyTorch's {type(theirs).__name__}"
        pairs = (_value_difference(one, other, closeness) for one, other in zip(ours, theirs, strict=True))
        return next(filter(None, pairs), None)
    if not isinstance(theirs, torch.Tensor):
        if isinstance(theirs, torch.dtype):
            return None if repr(ours) == repr(theirs) else f"ours {ours!r}, PyTorch's {theirs!r}"
        same = type(ours) is type(theirs) and (ours == theirs or (ours != ours and theirs != theirs))
        return None if same else f"ours {ours!r}, PyTorch's {theirs!r}"
    if not isinstance(ours, tensorglass.Tensor):
        return f"ours {ours!r}, PyTorch's {theirs!r}"
    for fact in ("dtype", "size", "stride"):
        one, other = (getattr(side, fact) for side in (ours, theirs))
        one, other = (one, other) if fact == "dtype" else (tuple(one()), tuple(other()))
        if repr(one) != repr(other):
            return f"{fact}: ours {one}, PyTorch's {other}"
    dtype = str(theirs.dtype)[6:]
    if not closeness.elements:
        return None
    tolerance = 0.0 if closeness.exact else max(TOLERANCE.get(dtype, 0.0), closeness.tolerance)
    ours_flat, expected = _flat(ours), _flat(theirs)
    if ours_flat == expected and 0 not in expected:  # signs of zeros are compared too
        return None
    for place, (one, other) in enumerate(zip(ours_flat, expected, strict=True)):
        if not _close(one, other, tolerance, closeness.floor):
            return f"element {place}: ours {one!r}, PyTorch's {other!r}"
    return None


def _flat(tensor: Any) -> list[Any]:
    return tensor.reshape(-1).tolist()


def _close(ours: Any, theirs: Any, tolerance: float, floor: float) -> bool:
    if isinstance(theirs, complex):
        if not (math.isfinite(theirs.real) and math.isfinite(theirs.imag)):
            # Complex infinity has many forms; which one comes out is the C library's business.
            return not (math.isfinite(ours.real) and math.isfinite(ours.imag))
        return abs(ours - theirs) <= tolerance * max(abs(theirs), floor)
    if isinstance(theirs, float):
        if math.isnan(theirs) or math.isinf(theirs) or math.isnan(ours) or math.isinf(ours):
            return ours == theirs or (math.isnan(ours) and math.isnan(theirs))
        if theirs == 0.0 == ours:
            return math.copysign(1, ours) == math.copysign(1, theirs)
        return abs(ours - theirs) <= tolerance * max(abs(theirs), floor)
    return ours == theirs
