"""Short names for storages: S0, S1, … in the order in which they are first seen.

Two memories that are alive at the same moment and overlap are the same memory, whichever library allocated it. So a
storage is identified by its bytes for as long as it lives, and its name ends with it, even if the allocator reuses the
address. One sequence of names serves every library, so a notebook prints the same names on tensorglass and on PyTorch.

A notebook's cell that is run again gives the same names as before, in the same order, since the text around it refers
to S0. The storage that had this name until then gets another one if it is shown again.

Some inspectors read more storages than their pictures name. Within `unnumbered`, a storage without a number is called
by a mark, and `numbered` gives the numbers, in the order in which the picture has the marks: so no number is missing.
"""

from __future__ import annotations

import re
import sys
import weakref
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from glassroom.records.renamed import holders_in, renamed
from glassroom.translations.templates import word
from tensorglass import memory as tensorglass_memory

PAGE = 4096

Reader = Callable[[int, int], bytes]


class Pages:
    """Reads a memory of `nbytes` bytes, for the duration of one look: bytes are as they were when their page was first
    read. A picture shows many neighboring cells, and each read has a cost. A range that spans two pages is read by
    itself.
    """

    def __init__(self, read: Reader, nbytes: int) -> None:
        self._read, self._nbytes = read, nbytes
        self._pages: dict[int, bytes] = {}
        self._ranges: dict[tuple[int, int], bytes] = {}

    def __call__(self, first: int, last: int) -> bytes:
        number = first // PAGE
        begin = number * PAGE
        if last > min(begin + PAGE, self._nbytes):
            if (first, last) not in self._ranges:
                self._ranges[first, last] = self._read(first, last)
            return self._ranges[first, last]
        if number not in self._pages:
            self._pages[number] = self._read(begin, min(begin + PAGE, self._nbytes))
        return self._pages[number][first - begin : last - begin]

    def gathered(self, starts: Sequence[int], size: int) -> bytes:
        """The bytes of elements of one size that begin at `starts`, put together."""
        page = self(0, min(PAGE, self._nbytes)) if starts and max(starts) + size <= PAGE else None
        if page is None:
            return b"".join([self(start, start + size) for start in starts])
        return b"".join([page[start : start + size] for start in starts])

    def been_read(self) -> Mapping[tuple[int, int], bytes]:
        """All that was read, by the ranges."""
        pages = {(n * PAGE, min((n + 1) * PAGE, self._nbytes)): page for n, page in self._pages.items()}
        return {**pages, **self._ranges}

    def are_still(self, before: Mapping[tuple[int, int], bytes]) -> bool:
        """Whether an earlier look's bytes are the same now."""
        return all(self(*where) == content for where, content in before.items())


@dataclass(frozen=True)
class Memory:
    """One run of bytes as a library describes it.

    `extent` returns the present range of addresses (resizing moves the bytes), or None once they are gone, and holds
    the storage only weakly. `read` takes a range of bytes, and returns them as they were when they were first read.
    `new_name` returns tensorglass's own name of the storage, so that pictures and memory reports agree; other
    libraries' storages get the next name of the same sequence.
    """

    device: str
    start: int
    nbytes: int
    identity: Hashable
    extent: Callable[[], tuple[int, int] | None]
    read: Pages
    new_name: Callable[[], str]
    version: int | None = None


@dataclass
class _Name:
    """The name of a storage: its number, once it is known that it is shown, and its mark, if it was read before."""

    new_name: Callable[[], str]
    number: str | None = None
    mark: str | None = None
    was_there: bool = False  # before the cell that the mark was made in

    def now(self) -> str:
        """What the storage is called in the record that is being made."""
        if _reading_unnumbered and self.mark is None and self.number is None:
            self.mark, self.was_there = _mark(next(_marks)), _reading_what_was_there
            _marked[self.mark] = self
        return self.mark if _reading_unnumbered and self.mark is not None else self.numbered()

    def numbered(self) -> str:
        """The number, which is given now if it has not been."""
        if self.number is None:
            with of_what_was_there() if self.was_there else nullcontext():
                self.number = self.new_name()
        return self.number


@dataclass(frozen=True)
class _Named:
    name: _Name
    device: str
    extent: Callable[[], tuple[int, int] | None]


T = TypeVar("T")
_LEADS, _TRAILS = ord("\U000f0000"), ord("\U00100000")  # two planes of characters that no text has
_OF_A_PLANE = 0xFFFE
_MARK = re.compile("[\U000f0000-\U000ffffd][\U00100000-\U0010fffd]")
_ASIDE = re.compile(rf" \({_MARK.pattern}\)")
_marks = count()
_named: dict[Hashable, _Named] = {}
_marked: dict[str, _Name] = {}
_reading_unnumbered = _reading_what_was_there = False


@dataclass
class _Run:
    """A run of a notebook's cell: the names that it should give again, and those that it has given."""

    request: Hashable
    cell: Hashable
    again: list[str]
    given: list[str] = field(default_factory=list)

    def goes_on(self) -> None:
        """Continue with the names that are left."""
        rest = self.again[len(self.given) :]
        tensorglass_memory.give_again(rest)
        for identity in [key for key, entry in _named.items() if entry.name.number in rest]:
            del _named[identity]

    def stops(self) -> None:
        """Record the names that were given."""
        self.given += tensorglass_memory.give_again(())


_run: _Run | None = None
_by_cell: dict[Hashable, list[str]] = {}  # the names that a cell gave when it was last run


def _mark(which: int) -> str:
    """A mark, always of two characters, as `S0` is: a text cuts a long name at the same place, however many marks there
    were before."""
    lead, trail = divmod(which, _OF_A_PLANE)
    return chr(_LEADS + lead % _OF_A_PLANE) + chr(_TRAILS + trail)


def of_tensorglass(storage: Any) -> str:
    """The name of a tensorglass storage, as pictures and memory reports show it."""
    _begin_run()
    return _Name(namer(weakref.ref(storage))).now()


def namer(reference: Callable[[], Any]) -> Callable[[], str]:
    """What gives a tensorglass storage its number, also after its end."""

    def number() -> str:
        storage = reference()
        return tensorglass_memory.next_name() if storage is None else tensorglass_memory.name_of(storage)

    return number


@contextmanager
def of_what_was_there() -> Iterator[None]:
    """A context for reading storages from before the cell: names given in it do not count as the cell's own."""
    global _reading_what_was_there
    _begin_run()
    if _run is not None:
        _run.stops()
    _reading_what_was_there = True
    try:
        yield
    finally:
        _reading_what_was_there = False
        if _run is not None:
            tensorglass_memory.give_again(())
            _run.goes_on()


@contextmanager
def unnumbered() -> Iterator[None]:
    """A context for reading storages of which some may not be shown: those without a number are called by marks."""
    global _reading_unnumbered
    before, _reading_unnumbered = _reading_unnumbered, True
    try:
        yield
    finally:
        _reading_unnumbered = before


def numbered(record: T, picture: str) -> T:
    """The record with numbers for those marks that the picture has, which get them in its order. A storage that the
    picture does not name gets no number, and is called by the first tensor that holds it: `storage of w`.
    """
    _begin_run()
    if not _marked:  # so the record has none
        return record
    names = {mark: _marked[mark].numbered() for mark in dict.fromkeys(_MARK.findall(picture))}
    for mark, holder in holders_in(record):
        if mark not in names and mark in _marked:
            own, number = f"storage of {holder}", _marked[mark].number
            names[mark] = number or (_marked[mark].numbered() if own in names.values() else own)
    living = {id(entry.name) for entry in _named.values() if entry.extent() is not None}
    for mark in [known for known in names if id(_marked[known]) not in living]:
        del _marked[mark]

    def called(text: str) -> str:
        if not _MARK.search(text):
            return text
        text = _MARK.sub(lambda match: names.get(match[0], match[0]), text)
        return _MARK.sub(word("a storage"), _ASIDE.sub("", text))

    return renamed(record, called)


def _begin_run() -> None:
    """If a new run of a cell has begun, start to give the names again that the cell gave before."""
    global _run
    now = _cell_that_runs()
    if now is None or (_run is not None and _run.request == now[0]):
        return
    if _run is not None:
        _run.stops()
        if _run.given:
            _by_cell[_run.cell] = _run.given
    _run = _Run(*now, _by_cell.get(now[1], []))
    _run.goes_on()


def _cell_that_runs() -> tuple[Hashable, Hashable] | None:
    """The request that a notebook's kernel is executing, and its cell; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    parent: Any = getattr(shell, "get_parent", dict)()
    if parent.get("msg_type") != "execute_request":
        return None
    cell = parent.get("metadata", {}).get("cellId") or parent["content"]["code"]
    return parent["header"]["msg_id"], cell


def name_of(memory: Memory) -> str:
    """The name of this memory; a new one is given when nothing alive holds these bytes."""
    [name] = names_of([memory])
    return name


def names_of(memories: Iterable[Memory]) -> list[str]:
    """The names of several memories, in less than quadratic time."""
    _begin_run()
    known: list[_Name | None] = []
    new = []
    for memory in memories:
        entry = _named.get(memory.identity)
        if entry is not None and entry.extent() is None:  # the same address, but another memory
            entry = None
        known.append(None if entry is None else entry.name)
        if entry is None:
            new.append(memory)
    fresh = iter(_names_of_new(new))
    return [(next(fresh) if name is None else name).now() for name in known]


def _names_of_new(memories: Sequence[Memory]) -> Iterator[_Name]:
    """The names of memories that are new, or that have replaced others at the same address."""
    if not memories:
        return
    alive: dict[str, list[tuple[int, int, int, _Name]]] = {}
    order = count()  # names have none
    for identity, entry in list(_named.items()):
        extent = entry.extent()
        if extent is None:
            del _named[identity]
        else:
            alive.setdefault(entry.device, []).append((*extent, next(order), entry.name))
    for lives in alive.values():
        lives.sort()
    longest = {device: max(end - start for start, end, *_ in lives) for device, lives in alive.items()}
    given: dict[Hashable, _Name] = {}
    for memory in memories:
        if memory.identity in given:
            yield given[memory.identity]
            continue
        start, end = memory.start, memory.start + memory.nbytes
        beside = alive.setdefault(memory.device, [])
        first = bisect_left(beside, (start - longest.get(memory.device, 0),))
        after = bisect_left(beside, (end,))
        known_name = next((name for low, high, _, name in beside[first:after] if low < end and start < high), None)
        name = _Name(memory.new_name) if known_name is None else known_name
        insort(beside, (start, end, next(order), name))
        longest[memory.device] = max(longest.get(memory.device, 0), end - start)
        given[memory.identity] = name
        _named[memory.identity] = _Named(name, memory.device, memory.extent)
        yield name


def is_alive(name: str) -> bool:
    """Whether the storage of this name still holds its bytes."""
    return bool(living_among({name}))


def living_among(names: Collection[str]) -> set[str]:
    """Those of the names whose storages still hold their bytes."""
    living: set[str] = set()
    for named in _named.values() if names else ():
        own = [name for name in (named.name.number, named.name.mark) if name is not None and name in names]
        if own and named.extent() is not None:
            living.update(own)
    return living
