"""Schemas: what an operator takes and returns, in PyTorch's one line, found from the annotations of a function.

``infer_schema(f, mutates_args=())`` of ``def f(x: Tensor, width: float = 1.0) -> Tensor`` is
``"(Tensor x, float width=1.0) -> Tensor"``. Each annotation has one spelling, or none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from tensorglass.core.devices import device
from tensorglass.core.dtypes import dtype
from tensorglass.tensor.tensor import Tensor

_SPELLINGS: dict[Any, str] = {
    Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", dtype: "ScalarType", device: "Device",
    int | float | bool: "Scalar",
}  # fmt: skip
_RETURNED = ("Tensor", "Tensor[]", "SymInt", "float", "bool", "Scalar")


def infer_schema(
    prototype_function: Callable[..., Any], /, *, mutates_args: str | Iterable[str], op_name: str | None = None
) -> str:
    """The schema that a function's annotations say: ``"(Tensor x, float width=1.0) -> Tensor"``."""
    signature = inspect.signature(prototype_function, eval_str=True)
    written = [] if mutates_args == "unknown" else list(mutates_args)

    def refusal(what: str) -> ValueError:
        return ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    parts = []
    seen_keyword_only = False
    for place, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise refusal("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is parameter.KEYWORD_ONLY and not seen_keyword_only:
            seen_keyword_only = True
            parts.append("*")
        if parameter.annotation is parameter.empty:
            raise refusal(f"Parameter {name} must have a type annotation.")
        spelling = spelling_of(parameter.annotation)
        if spelling is None:
            raise refusal(
                f"Parameter {name} has unsupported type {parameter.annotation}. The valid types are: "
                f"{', '.join(_SPELLINGS.values())}, lists of these, and these or None."
            )
        if mutates_args == "unknown" or name in written:
            if name in written and not spelling.startswith("Tensor"):
                raise refusal(f"Parameter {name} is in mutates_args, but only Tensors can be mutated.")
            spelling = spelling.replace("Tensor", f"Tensor(a{place}!)", 1)
        default = "" if parameter.default is parameter.empty else f"={_written_default(parameter.default)}"
        parts.append(f"{spelling} {name}{default}")
    unknown = set(written) - signature.parameters.keys()
    if unknown:
        raise refusal(f"{unknown} in mutates_args were not found in the custom op's signature.")
    if signature.return_annotation is signature.empty:
        raise refusal("No return type annotation was provided. Please add one.")
    returned = _returned(signature.return_annotation)
    if returned is None:
        raise refusal(
            f"Return has unsupported type {signature.return_annotation}. The valid types are: {', '.join(_RETURNED)}."
        )
    return f"{op_name or ''}({', '.join(parts)}) -> {returned}"


def spelling_of(annotation: Any) -> str | None:
    """An annotation as schemas spell it: ``SymInt?`` for ``int | None``."""
    if annotation in _SPELLINGS:
        return _SPELLINGS[annotation]
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType) and NoneType in parts:
        inner = spelling_of(reduce(or_, [part for part in parts if part is not NoneType]))
        return None if inner is None else f"{inner}?"
    if origin in (list, Sequence):
        inner = spelling_of(parts[0])
        return None if inner is None else f"{inner}[]"
    return None


def _returned(annotation: Any) -> str | None:
    if annotation is None:
        return "()"
    if get_origin(annotation) is tuple:
        parts = [_returned(result) for result in get_args(annotation)]
        return None if None in parts else f"({', '.join(part for part in parts if part)})"
    spelling = spelling_of(annotation)
    return spelling if spelling in _RETURNED else None


def _written_default(value: Any) -> str:
    if isinstance(value, (str, device)):
        return f'"{value}"'
    return repr(value).removeprefix("torch.")
