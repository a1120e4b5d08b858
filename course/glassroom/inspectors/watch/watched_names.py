"""Which tensors a watch looks at: those that the code has names for, directly, in lists and dicts, and as gradients."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType

from glassroom.reading.adapters import adapter_for

MOST_ITEMS = 16  # of a list, dict or module
MOST_DEPTH = 3
MOST_TENSORS = 24


def mentioned(source: str) -> list[str]:
    """The names that code mentions, in the order in which it first does."""
    found: dict[str, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            where = (node.lineno, node.col_offset)
            found[node.id] = min(where, found.get(node.id, where))
        elif isinstance(node, ast.Global):
            for name in node.names:
                found.setdefault(name, (node.lineno, node.col_offset))
    return sorted(found, key=lambda name: found[name])


def tensors_of(
    frames: Iterable[FrameType], namespace: Mapping[str, object], names: Iterable[str], only: frozenset[str]
) -> dict[str, object]:
    """The tensors by name: first those of the namespace, then the locals of the functions that run.

    `names` are those of the namespace that count; `only` restricts all to some variables, if it names any.
    """
    found: dict[str, object] = {}
    seen: set[int] = set()
    for name in names:
        if name in namespace and (not only or name in only):
            found.update(_leaves(name, namespace[name], 0, seen))
    for depth, frame in enumerate(frames):
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            where = f" in {frame.f_code.co_name}()"
            # Not emptied as `callers.variables_of` would: Python copies the dict back to the variables after a trace.
            for name, value in list(frame.f_locals.items()):
                if not only or name in only:
                    for leaf, tensor in _leaves(name, value, 0, seen):
                        plain = depth == 0 and leaf not in found  # of the function that is watched
                        found[leaf if plain else _free(leaf + where, found)] = tensor
    return found


def with_gradients(tensors: Mapping[str, object]) -> dict[str, object]:
    """The tensors, each leaf followed by its gradient; what cannot be drawn is left out."""
    found: dict[str, object] = {}
    for name, tensor in tensors.items():
        if not _is_drawable(tensor):
            continue
        found[name] = tensor
        if getattr(tensor, "requires_grad", False) and getattr(tensor, "is_leaf", False):
            gradient = getattr(tensor, "grad", None)
            if gradient is not None and _is_drawable(gradient):
                head, _, where = name.partition(" in ")
                found[f"{head}.grad{' in ' + where if where else ''}"] = gradient
    return found


def _free(name: str, taken: Mapping[str, object]) -> str:
    """The name, or for a recursion's inner variable the name with a number."""
    if name not in taken:
        return name
    return next(each for each in (f"{name}, call {n}" for n in range(2, 10**6)) if each not in taken)


def _leaves(name: str, value: object, depth: int, seen: set[int]) -> Iterator[tuple[str, object]]:
    if name.startswith("_"):
        return
    if adapter_for(value) is not None:
        yield name, value
    elif depth < MOST_DEPTH:
        for inner, item in _items(name, value, seen):
            yield from _leaves(inner, item, depth + 1, seen)


def _items(name: str, value: object, seen: set[int]) -> list[tuple[str, object]]:
    if isinstance(value, Mapping) and type(value).__module__ in ("builtins", "collections"):
        return [(f"{name}[{key!r}]", item) for key, item in list(value.items())[:MOST_ITEMS]]
    if isinstance(value, list | tuple):
        return [(f"{name}[{position}]", item) for position, item in enumerate(value[:MOST_ITEMS])]
    if id(value) in seen or isinstance(value, type):
        return []
    if callable(parameters := getattr(type(value), "named_parameters", None)):
        seen.add(id(value))
        return [(f"{name}.{key}", item) for key, item in list(parameters(value))[:MOST_ITEMS]]
    if type(value).__module__ == "__main__" and hasattr(value, "__dict__"):
        seen.add(id(value))
        return [(f"{name}.{key}", item) for key, item in list(vars(value).items())[:MOST_ITEMS]]
    return []


def _is_drawable(tensor: object) -> bool:
    adapter = adapter_for(tensor)
    try:
        return adapter is not None and adapter.describe(tensor) is not None
    except (TypeError, RuntimeError):
        return False
