"""Parameters that are checked before a call, because Python accepts any value for them without an error.

Annotations say what is checked: `bool` is for True or False, and the names below are for parameters that only some of
PyTorch's signatures have, since one operator here is often several functions there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.memory_format import memory_format
from tensorglass.core.size import Size
from tensorglass.tensor.tensor import Tensor

StatedDim = int | None  #: may be omitted, but PyTorch's parser refuses None
StatedDims = int | Sequence[int] | None
StatedTensor = Tensor | None
StatedFloat = float | None
Stated = Any
DimOrOther = int | Tensor | None  #: the same; by position a tensor is another operand, by name it counts as a number
DimsOrFlag = int | Sequence[int] | bool | None  #: by position a bool is another parameter, by name it is an error
KeepDim = bool  #: True or False; by name only together with `dim`
Correction = float | None  #: not together with `unbiased`

#: What a `KeepDim` by name needs beside it: this many positional arguments, or one of these names.
_BESIDE = (2, ("dim", "axis"))
_STATED = frozenset(("DimOrOther", "Stated", "StatedDim", "StatedDims", "StatedFloat", "StatedTensor"))
_BY_NAME = frozenset(("Correction", "DimOrOther", "DimsOrFlag", "KeepDim"))

_SEQUENCES = (list, tuple, Size)
#: The types that a parameter may have, by its annotation. A number of another type is converted by the parser.
_KINDS: dict[str, frozenset[Any]] = {
    annotation: frozenset(types)
    for annotation, types in {
        "DType | None": (DType, NoneType),
        "Ints": (int, *_SEQUENCES),
        "Ints | None": (int, *_SEQUENCES, NoneType),
        "KeepDim": (bool,),
        "Sequence[float] | None": (*_SEQUENCES, NoneType),
        "Sequence[int]": _SEQUENCES,
        "Sequence[int] | None": (*_SEQUENCES, NoneType),
        "StatedDims": (int, *_SEQUENCES),
        "StatedFloat": (int, float),
        "Tensor": (Tensor,),
        "Tensor | None": (Tensor, NoneType),
        "bool": (bool,),
        "bool | None": (bool, NoneType),
        "float": (int, float),
        "float | None": (int, float, NoneType),
        "formats.memory_format": (memory_format,),
        "formats.memory_format | None": (memory_format, NoneType),
        "int": (int,),
        "int | None": (int, NoneType),
        "int | Sequence[int]": (int, *_SEQUENCES),
        "int | Sequence[int] | None": (int, *_SEQUENCES, NoneType),
        "str": (str,),
        "str | None": (str, NoneType),
    }.items()
}

#: A parameter's place, its name, the types that it may have, and its annotation if that asks for more. One that is
#: given by name alone has a place that no argument reaches.
Flag = tuple[int, str, frozenset[Any] | None, str]


def unwrap(body: Callable[..., Any]) -> Callable[..., Any]:
    """The function that was decorated."""
    while hasattr(body, "__wrapped__"):
        body = body.__wrapped__
    return body


def flags_of(body: Callable[..., Any]) -> list[Flag]:
    """The parameters to check, by position."""
    plain = unwrap(body)
    plain = unwrap(vars(plain).get("looked_at_as", plain))  # one form may pass on parameters of another
    annotations = plain.__annotations__
    by_place = plain.__code__.co_argcount
    names = plain.__code__.co_varnames[: by_place + plain.__code__.co_kwonlyargcount]
    places = [*range(by_place), *[sys.maxsize] * (len(names) - by_place)]
    return [
        (place, name, _KINDS.get(annotation), annotation if annotation in _STATED | _BY_NAME else "")
        for place, name, annotation in zip(places, names, map(annotations.get, names), strict=True)
        if (place or annotation != "Tensor") and (annotation in _KINDS or annotation in _STATED | _BY_NAME)
    ]


def are_flags(flags: list[Flag], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether the values given for `flags` have the right types."""
    for place, name, types, asks in flags:
        if len(arguments) > place:
            given = arguments[place]
        elif name in keywords:
            given = keywords[name]
            if asks in _BY_NAME and not _may_be_named(asks, given, arguments, keywords):
                return False
        else:
            continue
        if types is not None and type(given) not in types and not (Tensor in types and isinstance(given, Tensor)):
            return False
        if given is None and asks in _STATED:
            return False
    return True


def _may_be_named(asks: str, given: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> bool:
    if asks == "KeepDim":
        count, names = _BESIDE
        return len(arguments) >= count or any(name in keywords for name in names)
    if asks == "Correction":
        return len(arguments) <= 2 and "unbiased" not in keywords
    return not isinstance(given, bool if asks == "DimsOrFlag" else Tensor)
