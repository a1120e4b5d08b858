"""``torch.jit.isinstance``: whether a value, with all that is in it, is of a type such as ``list[Tensor]``."""

from __future__ import annotations

import builtins
import types
import typing
import warnings
from collections.abc import Container
from typing import Any, Union, get_args, get_origin

__all__ = ["isinstance"]

#: Types that say nothing of what they hold, by how they are written.
_BARE: dict[Any, str] = {kind: kind.__name__ for kind in (list, tuple, dict)}
_BARE |= {getattr(typing, name): name for name in ("List", "Tuple", "Dict", "Optional")}


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether `obj` is of the type, or of one of a tuple of types; lists, tuples and dictionaries with what they hold.

    RuntimeError for `list`, `dict` and their like without the types of what they hold.
    """
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, kind) for kind in target_type)
    if builtins.isinstance(target_type, Container):
        raise RuntimeError("The second argument to `torch.jit.isinstance` must be a type or a tuple of types")
    if target_type in _BARE:
        name = _BARE[target_type]
        several = name in ("dict", "Dict")
        without = (
            "contained types. Please add contained type" if several else "a contained type. Please add a contained type"
        )
        raise RuntimeError(
            f"Attempted to use {name} without {without}, e.g. {name}[{'int, int' if several else 'int'}]"
        )
    origin, inner = get_origin(target_type), get_args(target_type)
    if origin is None:
        return builtins.isinstance(obj, target_type)
    if origin in (list, tuple, dict) and builtins.isinstance(obj, (list, tuple, dict)) and not obj:
        warnings.warn(
            "The inner type of a container is lost when calling torch.jit.isinstance in eager mode. For example, "
            "List[int] would become list and therefore falsely return True for List[float] or List[str].",
            stacklevel=2,
        )
    if origin is list:
        return builtins.isinstance(obj, list) and all(isinstance(item, inner[0]) for item in obj)
    if origin is dict:
        held = obj.items() if builtins.isinstance(obj, dict) else ()
        return builtins.isinstance(obj, dict) and all(
            isinstance(key, inner[0]) and isinstance(value, inner[1]) for key, value in held
        )
    if origin is tuple:
        same_length = builtins.isinstance(obj, tuple) and len(obj) == len(inner)
        return same_length and all(map(isinstance, obj, inner))
    if origin in (Union, types.UnionType):
        return any(obj is None if option is type(None) else isinstance(obj, option) for option in inner)
    return False
