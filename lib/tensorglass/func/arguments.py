"""What the transforms take: which arguments count, what travels along, and what is refused.

`with_leaves` is the way in: it puts leaves of a level where `argnums` points.
"""

from __future__ import annotations

from typing import Any

from tensorglass.core.dtypes import FLOATING
from tensorglass.func.levels import Level
from tensorglass.func.pytree import TreeSpec, tree_flatten
from tensorglass.tensor.tensor import Tensor

Argnums = int | tuple[int, ...]
ALL: Any = object()  #: in place of argnums: all arguments


def refuse_integers(outputs: list[Tensor]) -> None:
    for each in outputs:
        if each._dtype.category < FLOATING:
            raise RuntimeError(f"All outputs of f must be floating-point or complex Tensors, got {each.dtype}")


def refuse_complex(name: str, side: str, value: Any) -> None:
    """Raise RuntimeError if there is a complex tensor on a side of a function: among its inputs or its outputs."""
    for number, each in enumerate(tree_flatten(value)[0]):
        if isinstance(each, Tensor) and each.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {side}s to be real but received complex tensor at flattened input idx: {number}"
            )


def with_leaves(level: Level, args: tuple[Any, ...], argnums: Argnums) -> tuple[list[Any], list[Tensor], TreeSpec]:
    """The arguments with leaves of `level` for those that count; these leaves, and how they are nested."""
    counted = list(range(len(args))) if argnums is ALL else places(argnums, len(args))
    single = isinstance(argnums, int)
    leaves, structure = tree_flatten(args[counted[0]] if single else tuple([args[place] for place in counted]))
    entered = [level.wrap(leaf) for leaf in leaves]
    arguments = list(args)
    built = structure.unflatten(entered)
    for place, value in zip(counted, (built,) if single else built, strict=True):
        arguments[place] = value
    return arguments, entered, structure


def places(argnums: Any, count: int) -> list[int]:
    """The positions that `argnums` means, counted from the front."""
    given = argnums if isinstance(argnums, tuple) else (argnums,)
    if not given or not all(isinstance(each, int) and -count <= each < count for each in given):
        raise RuntimeError(f"argnums must be positions of the {count} positional inputs, got: {argnums}")
    found = [each % count for each in given]
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(found)}")
    return found


def split_aux(output: Any, name: str) -> tuple[Any, Any]:
    """The output and what came along with it."""
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def check_can_move(given: Any) -> None:
    if isinstance(given, Tensor) and given._dtype.category < FLOATING:
        raise ValueError(f"Expected primals and tangents to be floating point or complex, but got: {given.dtype}")


def check_tensors(outputs: list[Any], name: str) -> None:
    if not outputs or not all(isinstance(each, Tensor) for each in outputs):
        raise RuntimeError(f"{name}: Expected f to return tensors, got {[type(each).__name__ for each in outputs]}")
