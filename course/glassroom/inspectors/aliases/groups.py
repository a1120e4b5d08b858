"""Tensors grouped by the storage that they are headers over: who shares bytes with whom, and what keeps memory alive.

A storage lives as long as any tensor on it does, whole, however little of it that tensor reaches. The data keep nothing
alive. Where there are many tensors and storages, the largest are shown and the rest is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from glassroom.inspectors.aliases.byte_runs import Runs, runs_of, shared, together
from glassroom.reading.adapters import Description, adapter_for, described_if_there
from glassroom.reading.guarded import is_a
from glassroom.reading.nodes import Packed, grad_fn_of, gradient_of, in_order, saved_by
from glassroom.reading.parts import with_parts
from glassroom.reading.places import tensors_at
from glassroom.reading.snapshot import without_memory
from glassroom.reading.storage_names import names_of
from glassroom.reading.variables import ARROW, root_of

MOST_GROUPS = 16  # storages shown
MOST_MEMBERS = 8  # tensors shown on each
MOST_WAYS = 3  # further names shown for a tensor
MOST_ROOTS = 8  # variables shown that hold storages


@dataclass(frozen=True)
class Alias:
    """A tensor on a storage. `how` is "name", "gradient", "saved" by a graph, "base" or "unnamed".

    `also` are further names of it, in words. `nbytes` counts the bytes that it reaches, which lie in `span`; it is None
    where they are too many pieces to be counted.
    """

    name: str
    how: str
    also: tuple[str, ...]
    size: tuple[int, ...]
    dtype: str
    library: str
    span: tuple[int, int] | None
    nbytes: int | None


@dataclass(frozen=True)
class Overlap:
    """Two tensors of a group, by their places, and the bytes that they have in common; None if those are not known."""

    one: int
    other: int
    nbytes: int | None


@dataclass(frozen=True)
class AliasGroup:
    """A storage, the tensors on it that are shown, the number of those that are not, and the bytes that named tensors
    reach.

    Byte positions of a tensor are counted from the storage's start.
    """

    storage: str
    device: str
    nbytes: int
    version: int | None
    members: tuple[Alias, ...]
    unshown: int
    reached: int | None
    overlaps: tuple[Overlap, ...]


@dataclass(frozen=True)
class Root:
    """A variable, the bytes and the storages that it keeps alive, and the path to the largest of these; what several
    variables hold is counted for the first of them.
    """

    name: str
    nbytes: int
    storages: int
    largest: str
    largest_nbytes: int


@dataclass(frozen=True)
class Aliases:
    """The groups shown, shared storages first; the `roots` that hold them, the largest first; and totals of tensors,
    storages and bytes, overall and for the groups left out. `unread` are tensors with a name that have no memory to be
    looked at, in words.
    """

    groups: tuple[AliasGroup, ...]
    roots: tuple[Root, ...]
    tensors: int
    storages: int
    nbytes: int
    unshown_storages: int
    unshown_nbytes: int
    unread: tuple[str, ...] = ()


@dataclass
class _Found:
    """A tensor on the way: its names, how it was found, the path to it, its description and its bytes.

    It holds the tensor, since none may die while tensors are grouped: its id could be given to another object.
    """

    tensor: Any
    names: list[str]
    how: str
    path: str
    described: Description
    runs: Runs | None = None


def aliases_of(held: Mapping[int, tuple[Any, list[str]]], further: Iterable[tuple[Any, str]] = ()) -> Aliases:
    """Group the tensors that are `held` (by id, with their names) and `further` ones (each with words that say who
    holds it).

    Gradients, the bases of views and what graphs have saved are found from them. Raises nothing for tensors that have
    no bytes: those that have a name are told as such, and the others are left out.
    """
    entries: dict[int, _Found] = {}
    for tensor, names in held.values():
        _take(entries, tensor, names, "name", names[0])
    unread = [f"{names[0]} ({without_memory(tensor)})" for key, (tensor, names) in held.items() if key not in entries]
    for named in list(entries.values()):
        for tensor, name, how in _beyond(named):
            _take(entries, tensor, [name], how, name if how == "gradient" else named.path)
    for tensor, words in further:
        _take(entries, tensor, [words], "unnamed", "")
    for tensor, name, path in _saved_behind(held.values()):
        _take(entries, tensor, [name], "saved", path)
    storages = names_of([entry.described.memory for entry in entries.values()])
    groups: dict[str, list[_Found]] = {}
    for storage, entry in zip(storages, entries.values(), strict=True):
        groups.setdefault(storage, []).append(entry)
    sizes = {storage: _extent(members) for storage, members in groups.items()}
    shown = tuple(_group(storage, groups[storage]) for storage in _shown(groups, sizes))
    total = sum(end - start for start, end in sizes.values())
    return Aliases(
        groups=shown,
        roots=_roots(groups, sizes),
        tensors=len(entries),
        storages=len(groups),
        nbytes=total,
        unshown_storages=len(groups) - len(shown),
        unshown_nbytes=total - sum(group.nbytes for group in shown),
        unread=tuple(unread),
    )


def _shown(groups: Mapping[str, Sequence[_Found]], sizes: Mapping[str, tuple[int, int]]) -> list[str]:
    """The storages to show, those with several tensors first. If there are too many, the largest are taken, half of
    them from those that are shared.
    """
    shared = [storage for storage, members in groups.items() if len(_merged(members)) > 1]
    if len(groups) > MOST_GROUPS:
        by_size = sorted(groups, key=lambda storage: sizes[storage][0] - sizes[storage][1])
        largest = [storage for storage in by_size if storage in set(shared)][: MOST_GROUPS // 2]
        largest += [storage for storage in by_size if storage not in largest][: MOST_GROUPS - len(largest)]
        order = [storage for storage in by_size if storage in largest]
    else:
        order = list(groups)
    return sorted(order, key=lambda storage: storage not in shared)


def _roots(groups: Mapping[str, Sequence[_Found]], sizes: Mapping[str, tuple[int, int]]) -> tuple[Root, ...]:
    by_root: dict[str, list[tuple[int, str]]] = {}
    for storage, members in groups.items():
        path = next((member.path for member in members if member.path), None)
        if path is not None:
            start, end = sizes[storage]
            by_root.setdefault(root_of(path), []).append((end - start, path))
    roots = []
    for name, held in by_root.items():
        nbytes, path = max(held, key=lambda root: root[0])
        roots.append(Root(name, sum(nbytes for nbytes, _ in held), len(held), path, nbytes))
    return tuple(sorted(roots, key=lambda root: -root.nbytes)[:MOST_ROOTS])


def _take(entries: dict[int, _Found], tensor: Any, names: list[str], how: str, path: str) -> None:
    entry = entries.get(id(tensor))
    if entry is not None:
        entry.names += names
        return
    seen = described_if_there(tensor)
    if seen is not None:
        entries[id(tensor)] = _Found(tensor, list(names), how, path, seen)


def _beyond(named: _Found) -> Iterator[tuple[Any, str, str]]:
    """What a tensor with a name holds besides its storage: its gradient, and the base that it is a view of."""
    tensor, name = named.tensor, named.names[0]
    gradient = gradient_of(tensor) if named.described.requires_grad else None
    if gradient is not None:
        yield gradient, f"{name}.grad", "gradient"
    if named.described.base is not None and adapter_for(named.described.base) is not None:
        yield named.described.base, f"{name}'s base", "base"


def _saved_behind(held: Iterable[tuple[Any, list[str]]]) -> Iterator[tuple[Any, str, str]]:
    """What the graphs behind tensors have saved for backward: the tensor, who saved it, and the path to it from the
    first tensor whose graph holds it.
    """
    seen: dict[int, Any] = {}  # holding the nodes keeps their ids unique
    for tensor, names in held:
        root = grad_fn_of(tensor)
        if root is None or id(root) in seen:
            continue
        for node in in_order([root], seen):
            seen[id(node)] = node
            for name, value in saved_by(node):
                words = f"{type(node).__name__}{name if name.startswith('[') else f'.{name}'}"
                path = f"{names[0]}{ARROW}{words}"
                if is_a(value, Packed):
                    for _, saved in tensors_at([("", value.content)]):
                        yield saved, f"packed for {words}", path
                elif adapter_for(value) is not None:
                    for step, saved in with_parts("", value):
                        yield saved, f"saved by {words}{step}", f"{path}{step}"


def _extent(members: Sequence[_Found]) -> tuple[int, int]:
    memories = [member.described.memory for member in members]
    return min(memory.start for memory in memories), max(memory.start + memory.nbytes for memory in memories)


def _group(storage: str, members: Sequence[_Found]) -> AliasGroup:
    start, end = _extent(members)
    merged = _merged(members)
    for member in merged:
        seen = member.described
        member.runs = runs_of(seen.pointer - start, seen.size, seen.strides, seen.itemsize)
    named = together(member.runs for member in merged if member.how == "name" and member.runs is not None)
    shown = merged[:MOST_MEMBERS]
    versions = [member.described.memory.version for member in members]
    return AliasGroup(
        storage=storage,
        device=members[0].described.memory.device,
        nbytes=end - start,
        version=max((version for version in versions if version is not None), default=None),
        members=tuple(_alias(member) for member in shown),
        unshown=len(merged) - len(shown),
        reached=named.nbytes if named.exact else None,
        overlaps=tuple(_overlaps(shown)),
    )


def _merged(members: Sequence[_Found]) -> list[_Found]:
    """The members, with saved tensors merged: one that is a member already gets a further word that says so."""
    merged: list[_Found] = []
    by_header: dict[tuple[Any, ...], _Found] = {}
    for member in members:
        seen = member.described
        header = (seen.pointer, seen.size, seen.strides, seen.dtype)
        if member.how == "saved" and header in by_header:
            by_header[header].names += member.names
            continue
        by_header.setdefault(header, member)
        merged.append(member)
    return merged


def _alias(entry: _Found) -> Alias:
    seen, runs = entry.described, entry.runs
    names = list(dict.fromkeys(entry.names))
    also = names[1 : MOST_WAYS + 1]
    if len(names) > MOST_WAYS + 1:
        also.append(f"{len(names) - MOST_WAYS - 1} more ways")
    return Alias(
        name=names[0],
        how=entry.how,
        also=tuple(also),
        size=seen.size,
        dtype=seen.dtype,
        library=seen.library,
        span=None if runs is None else runs.span,
        nbytes=runs.nbytes if runs is not None and runs.exact else None,
    )


def _overlaps(members: Sequence[_Found]) -> Iterator[Overlap]:
    """The pairs whose ranges meet. Bases are left out: every view lies within its base."""
    ranges = [
        (at, member.runs, member.runs.span) for at, member in enumerate(members) if member.runs and member.how != "base"
    ]
    for (one, first, here), (other, second, there) in combinations(ranges, 2):
        if here and there and here[0] < there[1] and there[0] < here[1]:
            yield Overlap(one, other, shared(first, second))
