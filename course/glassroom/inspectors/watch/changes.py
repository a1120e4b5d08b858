"""What a step did: a comparison of two snapshots, with the account of what was born and copied between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from glassroom.drawing.words import counted, listed, sized, span
from glassroom.inspectors.watch.accounts import ACCOUNTED, Birth, Interval
from glassroom.inspectors.watch.story import Change
from glassroom.reading.storage_names import living_among
from glassroom.records.cells import Cell, Cells
from glassroom.records.snapshot import Header, Snapshot, Storage
from glassroom.translations.templates import word

RESULT = "result of "

Elsewhere = Callable[[], Mapping[Hashable, str]]  # finds the memories that variables lead to, with their paths


def is_of_a_call(name: str) -> bool:
    """Whether a name belongs to a call and disappears with it: `x in f()`, `result of f()`."""
    return name.startswith(RESULT) or " in " in name


@dataclass(frozen=True)
class View:
    """One look: the snapshot, the object behind each header, and the memory behind each storage. `unseen` are the names
    of tensors that were left out because there were too many, and `passed_over` their memories, each with one of the
    names; `touched` are names that have another tensor, or another version of it, than at the look before.
    """

    snapshot: Snapshot
    objects: Mapping[str, int] = field(default_factory=dict)
    identities: Mapping[str, frozenset[Hashable]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()
    passed_over: Mapping[Hashable, str] = field(default_factory=dict)
    touched: frozenset[str] = frozenset()

    @cached_property
    def storages(self) -> Mapping[str, Storage]:
        return {storage.name: storage for storage in self.snapshot.storages}

    @cached_property
    def headers(self) -> Mapping[str, Header]:
        return {header.name: header for header in self.snapshot.headers}

    @cached_property
    def libraries(self) -> Mapping[str, frozenset[str]]:
        """The libraries of the tensors over each storage."""
        met: dict[str, set[str]] = {}
        for header in self.snapshot.headers:
            met.setdefault(header.storage, set()).add(header.library)
        return {name: frozenset(libraries) for name, libraries in met.items()}


class Comparison:
    """Compares each look with the one before, and remembers unnamed storages: those that lost their name, and those
    that never had one."""

    def __init__(self, first: View) -> None:
        self._last = first
        self._unnamed: list[tuple[Birth, int]] = []  # each with the step that made it
        self._seen = {storage.name for storage in first.snapshot.storages}  # at any look so far
        self._hidden: dict[str, int] = {}  # storages that are alive but not shown, with their bytes
        self._held_elsewhere: set[str] = set()  # those held by an unwatched variable

    def step(
        self,
        now: View,
        interval: Interval,
        number: int,
        moves: Sequence[str] = (),
        elsewhere: Elsewhere = dict,
    ) -> tuple[list[Change], dict[str, tuple[int, ...]], Snapshot]:
        """What step `number` did, the cells that it wrote, and the storages that it freed.

        `moves` are the variables whose elements the statement only moves, if it is such a statement; `elsewhere` finds
        the memories of tensors that variables lead to but that are not looked at.
        """
        before, self._last = self._last, now
        written = _written(before, now)
        elsewhere_now = cache(elsewhere)
        changes = [
            *self._allocated(before, now, interval, number, elsewhere_now),
            *_copied(before, now, interval, moves),
            *_headers_moved(before, now),
            *_writes(before, now, written),
        ]
        self._seen |= now.storages.keys()
        gone, lost = self._ended(before, now, elsewhere_now)
        return [*changes, *lost], written, gone

    # --- storages that are new ---------------------------------------------------------------------------------------

    def _allocated(
        self, before: View, now: View, interval: Interval, number: int, elsewhere: Elsewhere
    ) -> list[Change]:
        changes = []
        old = before.storages
        born = {birth.identity: birth for birth in interval.births}
        waiting = {birth.identity: step for birth, step in self._unnamed}
        named: set[Hashable] = set()
        for storage in now.snapshot.storages:
            identities = now.identities.get(storage.name, frozenset())
            named |= identities
            if storage.name in old:
                continue
            libraries = now.libraries[storage.name]
            holders = listed(storage.shared_by)
            size = sized(storage.nbytes)
            steps = [waiting[identity] for identity in identities if identity in waiting]
            was_there = any(identity in before.passed_over for identity in identities)
            lost_names = storage.name in self._hidden and storage.name not in self._held_elsewhere
            self._hidden.pop(storage.name, None)
            hold = f"{holders} {word('hold') if len(storage.shared_by) > 1 else word('holds')} {storage.name}"
            if lost_names:
                changes.append(Change("named", f"{hold}, which had lost its names", storage.name))
            elif not was_there and (not libraries & ACCOUNTED or any(identity in born for identity in identities)):
                changes.append(
                    Change("allocated", f"{holders}: new storage {storage.name}, {size}", storage.name, storage.nbytes)
                )
            elif not was_there and steps:
                changes.append(Change("named", f"{hold}, {size}, made at step {steps[0]}", storage.name))
            elif not was_there or not now.touched.isdisjoint(storage.shared_by):
                # It was passed over, or its birth was not reported: it may be another library's memory.
                last = "in the step before" if storage.name in self._seen else word("before")
                words = f"{holders}: {storage.name}, {size}, was not looked at {last}"
                changes.append(Change("shown", words, storage.name))
        # A freed storage stays listed until it is reported: another may have its address by now, and so its identity.
        self._unnamed = [
            unnamed for unnamed in self._unnamed if unnamed[0].identity not in named or not unnamed[0].is_alive()
        ]
        return changes + self._born_unseen(interval, named, now.passed_over, elsewhere, number)

    def _born_unseen(
        self,
        interval: Interval,
        named: set[Hashable],
        passed_over: Mapping[Hashable, str],
        elsewhere: Elsewhere,
        number: int,
    ) -> list[Change]:
        changes = []
        rest = [birth for birth in interval.births if birth.identity not in named or not birth.is_alive()]
        gone = [birth for birth in rest if not birth.is_alive()]
        living = [birth for birth in rest if birth.is_alive()]
        kept = [birth for birth in living if birth.identity not in passed_over]
        others = elsewhere() if kept else {}
        kept = [birth for birth in kept if birth.identity not in others]
        unseen = [birth for birth in living if birth.identity in passed_over or birth.identity in others]
        self._unnamed += [(birth, number) for birth in living]
        for births, words, fate in (
            (gone, (word("temporary"), word("temporaries")), "allocated and freed again"),
            (kept, (word("storage"), word("storages")), "allocated, alive without a name"),
            (unseen, (word("storage"), word("storages")), "allocated, held by what is not looked at"),
        ):
            if births:
                nbytes = sum(birth.nbytes for birth in births)
                what = f"{counted(len(births), *words)} of {sized(nbytes)} {fate}"
                changes.append(Change("allocated", what, None, nbytes))
        return changes

    # --- storages that are gone --------------------------------------------------------------------------------------

    def _ended(self, before: View, now: View, elsewhere: Elsewhere) -> tuple[Snapshot, list[Change]]:
        changes, gone = [], []
        current = now.storages
        left = [storage for storage in before.snapshot.storages if storage.name not in current]
        living = living_among({storage.name for storage in left} | self._hidden.keys())
        for storage in left:
            if storage.name not in living:
                gone.append(storage)
                changes.append(_freed(storage.name, storage.nbytes))
                continue
            self._hidden[storage.name] = storage.nbytes
            identities = before.identities[storage.name]
            self._held_elsewhere.add(storage.name)
            if any(identity in now.passed_over for identity in identities):
                continue  # other names take its place
            holders = [elsewhere()[identity] for identity in identities if identity in elsewhere()]
            if holders:
                words = f"{storage.name}: not looked at now, {holders[0]} holds it"
                changes.append(Change("hidden", words, storage.name))
            else:
                self._held_elsewhere.remove(storage.name)
                words = f"{storage.name}: no longer held by {listed(storage.shared_by)}; it lives on without a name"
                changes.append(Change("unnamed", words, storage.name))
        died = [name for name in self._hidden if name not in living]
        changes += [_freed(name, self._hidden.pop(name)) for name in died]
        ended = [unnamed for unnamed in self._unnamed if not unnamed[0].is_alive()]
        over = {id(unnamed) for unnamed in ended}
        self._unnamed = [unnamed for unnamed in self._unnamed if id(unnamed) not in over]
        if ended:
            nbytes = sum(birth.nbytes for birth, _ in ended)
            steps = listed([str(step) for step in sorted({step for _, step in ended})])
            words = f"{counted(len(ended), 'storage')} of {sized(nbytes)} freed, from step {steps}"
            changes.append(Change("freed", words, None, nbytes))
        names = {storage.name for storage in gone}
        headers = tuple([header for header in before.snapshot.headers if header.storage in names])
        return Snapshot(tuple(gone), headers), changes


def _freed(name: str, nbytes: int) -> Change:
    return Change("freed", f"{name}{word(' is freed, ')}{sized(nbytes)}", name, nbytes)


# --- copies ----------------------------------------------------------------------------------------------------------


def _copied(before: View, now: View, interval: Interval, moves: Sequence[str]) -> list[Change]:
    changes = []
    if interval.copies:
        total = sized(sum(interval.copies))
        words = f"{total} copied" if len(interval.copies) == 1 else f"{len(interval.copies)} copies, {total} in all"
        changes.append(Change("copied", words, None, sum(interval.copies)))
    if not moves or not any(_variable(name) in moves for name in (*before.headers, *before.unseen)):
        return changes
    old = before.storages
    for storage in now.snapshot.storages:
        headers = now.snapshot.headers_on(storage)
        if storage.name in old or any(header.library in ACCOUNTED for header in headers):
            continue
        words = f"{headers[0].name} is a copy: {sized(storage.nbytes)} copied"
        changes.append(Change("copied", words, storage.name, storage.nbytes))
    return changes


def _variable(name: str) -> str:
    """The variable that a path begins with, in functions too: `x` for `x[0].w in f()`."""
    return re.split(r"[.\[: ]", name, maxsplit=1)[0]


# --- headers ---------------------------------------------------------------------------------------------------------


def _headers_moved(before: View, now: View) -> list[Change]:
    """Headers that are new or changed, on storages that were there before."""
    changes = []
    old_headers, old_storages = before.headers, before.storages
    for name, header in now.headers.items():
        old = old_headers.get(name)
        if old is header or header.storage not in old_storages:
            continue
        if old is not None and _key(old) == _key(header):
            continue
        if name in before.unseen:
            continue
        same = [
            other for other, object_id in now.objects.items()
            if other != name and object_id == now.objects.get(name) and other in old_headers
        ]  # fmt: skip
        others = [holder for holder in _holders(now, header.storage) if holder != name]
        returned = [
            other for other, object_id in before.objects.items()
            if other.startswith(RESULT) and object_id == now.objects.get(name) and other not in now.objects
        ]  # fmt: skip
        if returned:
            words = f"{name} holds {header.storage}, the {returned[0]}"
        elif same:
            words = f"{name} is {same[0]} itself, on {header.storage}"
        elif old is not None and old.storage == header.storage:
            words = f"{name} is now {_shape(header)} on {header.storage}"
        elif header.base is not None:
            words = f"{name} shares {header.storage}: a view of {header.base}{_bytes(header)}"
        else:
            words = f"{name} shares {header.storage}{f' with {listed(others)}' if others else ''}{_bytes(header)}"
        changes.append(Change("shared", words, header.storage))
    for name, old in old_headers.items():
        is_gone = name not in now.headers and name not in now.unseen and not is_of_a_call(name)
        if is_gone and old.storage in now.storages:
            left = _holders(now, old.storage)
            changes.append(Change("unnamed", f"{name} is gone; {listed(left)} still holds {old.storage}", old.storage))
    return changes


def _holders(view: View, storage: str) -> Sequence[str]:
    return view.storages[storage].shared_by


def _key(header: Header) -> tuple[object, ...]:
    numbers = (header.storage, header.size, header.stride, header.storage_offset, header.unit)
    return (*numbers, header.dtype, header.requires_grad)


def _shape(header: Header) -> str:
    grad = ", requires grad" if header.requires_grad else ""
    return f"{header.dtype} {list(header.size)}, stride {list(header.stride)}, offset {header.storage_offset}{grad}"


def _bytes(header: Header) -> str:
    return "" if header.bytes is None else f", bytes {span(*header.bytes)}"


# --- writes ----------------------------------------------------------------------------------------------------------


def _written(before: View, now: View) -> dict[str, tuple[int, ...]]:
    """For each storage that was there before, the byte offsets of those visible cells that changed."""
    changed_storages = {}
    old_storages = before.storages
    for storage in now.snapshot.storages:
        old = old_storages.get(storage.name)
        if old is None or old is storage or (old.itemsize, old.dtype) != (storage.itemsize, storage.dtype):
            continue
        changed = _changed(old.cells, storage.cells)
        if changed:
            changed_storages[storage.name] = tuple(changed)
    return changed_storages


def _changed(old: Sequence[Cell], new: Sequence[Cell]) -> list[int]:
    """The bytes at which those cells begin that have another value."""
    if isinstance(old, Cells) and isinstance(new, Cells) and old.places == new.places:
        return new.unlike(old)
    values = {cell.byte: repr(cell.value) for cell in old}
    return [cell.byte for cell in new if cell.byte in values and values[cell.byte] != repr(cell.value)]


def _writes(before: View, now: View, written: Mapping[str, tuple[int, ...]]) -> list[Change]:
    changes = []
    old_storages = before.storages
    known = {before.objects.get(header.name): header.version for header in before.snapshot.headers}
    for storage in now.snapshot.storages:
        old = old_storages.get(storage.name)
        if old is None:
            continue
        if old.nbytes != storage.nbytes:
            words = f"{storage.name} resized from {sized(old.nbytes)} to {sized(storage.nbytes)}"
            changes.append(Change("resized", words, storage.name, storage.nbytes))
        cells = written.get(storage.name, ())
        versions = _versions(known, now, old, storage)
        if not cells and versions[1] <= versions[0]:
            continue
        positions = [byte // storage.itemsize for byte in cells]
        what = (
            f"{word('cell') if len(positions) == 1 else word('cells')} {_runs(positions)}{_of_those_shown(storage)}"
            if cells
            else "no visible cell changed"
        )
        version = f", version {versions[0]} → {versions[1]}" if versions[1] > versions[0] else ""
        if not version and any(header.version is not None for header in now.snapshot.headers_on(storage)):
            version = ", and no version counts it"
        head = f"changed {storage.name} " if cells else f"wrote {storage.name}: "
        changes.append(Change("wrote", f"{head}{what}{version}", storage.name, len(cells) * storage.itemsize))
    return changes


def _of_those_shown(storage: Storage) -> str:
    """The remark on a storage that has more cells than are looked at."""
    return "" if len(storage.cells) * storage.itemsize >= storage.nbytes else f" of the {len(storage.cells)} looked at"


def _versions(known: Mapping[int | None, int | None], now: View, old: Storage, storage: Storage) -> tuple[int, int]:
    """The version before and after: that of a tensor whose count has gone up, otherwise the storage's. `known` are the
    versions before, by the ids of tensors. One memory may have several storages, each with its own count: `from_numpy`
    makes a second one.
    """
    for header in now.snapshot.headers_on(storage):
        version = known.get(now.objects.get(header.name, 0))
        if version is not None and header.version is not None and header.version > version:
            return version, header.version
    return old.version or 0, storage.version or 0


def _runs(positions: Sequence[int]) -> str:
    """`0–2, 5`: positions with neighbors put together."""
    runs: list[list[int]] = []
    for position in positions:
        if runs and position == runs[-1][1] + 1:
            runs[-1][1] = position
        else:
            runs.append([position, position])
    words = [str(first) if first == last else f"{first}–{last}" for first, last in runs]
    return ", ".join(words if len(words) <= 6 else [*words[:5], "…"])
