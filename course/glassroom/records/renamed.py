"""Records in which storages are called by marks: what holds them, and the same records with names in place of marks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from glassroom.records.cells import Cell, Cells
from glassroom.records.snapshot import Storage

T = TypeVar("T")
_WITHOUT_NAMES = (str, int, float, Cell, Cells, type(None))  # what holds no record; of these, strings may be names

_PLAIN = frozenset({int, float, bool, complex, type(None), Cell, Cells})  # the classes of most of them


def holders_in(record: object) -> Iterator[tuple[str, str]]:
    """The storages that records of tensors name, each with the name of the tensor; those of headers that a storage
    lists come first.
    """
    seen: set[int] = set()
    waiting = [record]
    while waiting:
        value = waiting.pop()
        if type(value) in _PLAIN or isinstance(value, _WITHOUT_NAMES) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Storage):
            yield from ((value.name, holder) for holder in value.shared_by[:1])
        elif isinstance(value, Mapping):
            waiting += reversed([*value.values()])
        elif isinstance(value, list | tuple | set | frozenset):
            waiting += reversed([*value])
        elif is_dataclass(value):
            held = vars(value)
            if isinstance(held.get("storage"), str) and isinstance(held.get("name"), str):
                yield held["storage"], held["name"]
            waiting += reversed([*held.values()])


def renamed(record: T, called: Callable[[str], str]) -> T:
    """The record with what `called` makes of its strings; parts in which it changes nothing are the same objects."""
    done: dict[int, tuple[Any, Any]] = {}  # each with what it was, whose id no other object may have meanwhile

    def of(value: Any) -> Any:
        if type(value) in _PLAIN:
            return value
        if isinstance(value, str):
            new = called(value)
            return value if new == value else new
        if isinstance(value, _WITHOUT_NAMES):
            return value
        if id(value) not in done:
            done[id(value)] = value, rebuilt(value)
        return done[id(value)][1]

    def rebuilt(value: Any) -> Any:
        if isinstance(value, Mapping):
            parts = [*value, *value.values()]
            new = [of(part) for part in parts]
            return value if _same(parts, new) else dict(zip(new[: len(value)], new[len(value) :], strict=True))
        if type(value) in (list, tuple):
            new = [of(item) for item in value]
            return value if _same(value, new) else type(value)(new)
        if hasattr(value, "_fields"):  # of a named tuple
            new = [of(item) for item in value]
            return value if _same(value, new) else type(value)(*new)
        if is_dataclass(value) and not isinstance(value, type):
            changed = {field.name: of(getattr(value, field.name)) for field in fields(value)}
            is_same = all(getattr(value, name) is renamed for name, renamed in changed.items())
            return value if is_same else replace(value, **changed)
        return value

    return of(record)


def _same(old: Iterable[object], new: Iterable[object]) -> bool:
    return all(one is other for one, other in zip(old, new, strict=True))
