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


def refuse_whole_numbers(outputs: list[Tensor]) -> None:
    for each in outputs:
        if not (each.is_floating_point() or each.is_complex()):
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{each.dtype}"
            )


def refuse_complex(name: str, value: Any, what: str) -> None:
    for place, each in enumerate(tree_flatten(value)[0]):
        if isinstance(each, Tensor) and each.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {place}"
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
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    found = []
    for argnum in argnums if isinstance(argnums, tuple) else (argnums,):
        if not isinstance(argnum, int):
            raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
        if not -count <= argnum < count:
            raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
        found.append(argnum % count)
    if not found:
        raise RuntimeError("argnums must be non-empty")
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(found)}")
    return found


def split_aux(output: Any, name: str) -> tuple[Any, Any]:
    """The output and what came along with it."""
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def unwrapped_aux(level: Level, aux: Any) -> Any:
    for each in tree_flatten(aux)[0]:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(each)}")
    return level.unwrap(aux)


def check_can_move(what: str, given: Any) -> None:
    if isinstance(given, Tensor) and given._dtype.category < FLOATING:
        raise ValueError(f"Expected {what} to be floating point or complex, but got: {given.dtype}")


def check_tensors(outputs: list[Any], name: str) -> None:
    if not outputs or outputs == [None]:
        raise RuntimeError(f"{name}: Expected f to be a function that has non-empty output (got output = {outputs})")
    for each in outputs:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            )
