"""Tensors as they are now, recorded as a `Snapshot`, which keeps none of them alive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import gcd
from typing import Any, cast

from glassroom.reading.adapters import (
    TEACHING,
    Description,
    adapter_for,
    described,
    is_on_meta,
    is_uninitialized,
    library_of,
    without_data,
    without_modes,
    without_overrides,
)
from glassroom.reading.decoding import decode, decoder
from glassroom.reading.guarded import name_of_class, refuse_at_shutdown
from glassroom.reading.places import Place, is_network_or_optimizer, tensors_at
from glassroom.reading.storage_names import Memory, names_of
from glassroom.records.cells import Cell, Cells, Number, Places
from glassroom.records.printable import printable
from glassroom.records.snapshot import Header, Snapshot, Storage, byte_range, ends, visible_window

STRIP_WHOLE = 64  # cells of a storage that is shown whole
STRIP_WINDOW = 64  # cells shown of a larger one, at most
STRIP_EDGE = 4


Over = list[tuple[str, Description, str | None]]  # the tensors over a storage: names, descriptions, names of bases


@dataclass(frozen=True)
class Record:
    """A storage and its headers, with all that they were made from: numbers, and of each memory the bytes that were
    read.
    """

    numbers: list[object]
    been_read: list[Mapping[tuple[int, int], bytes]]
    storage: Storage
    headers: list[Header]


Known = dict[str, Record]  # by the names of storages


def snapshot(
    tensors: Mapping[str, object],
    most: int | None = None,
    known: Known | None = None,
    read: Callable[[object], Description] = described,
) -> Snapshot:
    """Describe `tensors` (a mapping from names to tensors, or to lists and dicts of tensors) as they are now.

    At most `most` of them are read; the others are counted. Callers that take many snapshots pass the same dict as
    `known`: unchanged storages are not decoded again, and their records are the same objects. Callers that have
    described the tensors already pass `read`, which returns descriptions. Raises TypeError for anything but tensors,
    and if none of them has memory that could be drawn.
    """
    leading = [leaf for name, value in tensors.items() for leaf in leaves(printable(name), value)]
    unshown = 0 if most is None else max(len(leading) - most, 0)
    named, descriptions, unread = readable(leading[:most], read)
    names = {id(value): name for name, value in reversed(named)}
    groups: dict[str, list[int]] = {}
    for position, storage_name in enumerate(names_of([description.memory for description in descriptions])):
        groups.setdefault(storage_name, []).append(position)
    known = {} if known is None else known
    for gone in known.keys() - groups.keys():
        del known[gone]
    headers: dict[int, Header] = {}
    storages = []
    for storage_name, positions in groups.items():
        over = [
            (named[at][0], descriptions[at], _name_of_base(named[at][1], descriptions[at], names)) for at in positions
        ]
        storage, on_it = _looked_at(storage_name, over, known)
        storages.append(storage)
        headers.update(zip(positions, on_it, strict=True))
    return Snapshot(tuple(storages), tuple([headers[at] for at in range(len(named))]), unshown, unread)


def _looked_at(name: str, over: Over, known: Known) -> tuple[Storage, list[Header]]:
    """A storage and the headers over it: the known records, if nothing has changed."""
    memories = [description.memory for _, description, _ in over]
    start = min([memory.start for memory in memories])
    numbers = [_numbers(name, base, description, start) for name, description, base in over]
    record = known.get(name)
    if record is not None and record.numbers == numbers:
        before = zip(memories, record.been_read, strict=True)
        if all(memory.read.are_still(been_read) for memory, been_read in before):
            return record.storage, record.headers
    headers = [_header(tensor, name, start, description, base) for tensor, description, base in over]
    described = [description for _, description, _ in over]
    storage = _storage(name, memories, list(zip(headers, described, strict=True)))
    if record is not None and (record.storage, record.headers) == (storage, headers):
        storage, headers = record.storage, record.headers
    known[name] = Record(numbers, [memory.read.been_read() for memory in memories], storage, headers)
    return storage, headers


def _numbers(name: str, base: str | None, description: Description, start: int) -> object:
    """What a header and its storage's record are made from, beside the bytes."""
    memory, each = description.memory, description
    return (
        *(name, base, each.base is None, each.pointer - start, memory.start - start, memory.nbytes, memory.version),
        *(each.size, each.strides, each.storage_offset, each.dtype, each.itemsize, each.library, each.contiguous),
        *(each.version, each.requires_grad, each.conjugated, each.negated, each.byte_order, memory.device),
    )


def leaves(name: str, value: object, teaching: str = TEACHING) -> Iterator[tuple[str, object]]:
    """The tensors in `value`, each with its name: `xs[0]` and `net['w']` inside lists and dicts. Raises TypeError with
    the message `teaching` for anything else.
    """
    refuse_at_shutdown()
    yield from _leaves(name, value, teaching, ())


def _leaves(name: str, value: object, teaching: str, above: tuple[object, ...]) -> Iterator[tuple[str, object]]:
    kind = type(value)
    if adapter_for(value) is not None:
        yield name, value
    elif any(value is other for other in above):
        return  # a container that holds itself was handled already
    elif issubclass(kind, dict):  # not by an `items` of its class
        for key, item in list(dict.items(cast("dict[object, object]", value))):
            yield from _leaves(f"{name}[{key!r}]", item, teaching, (*above, value))
    elif issubclass(kind, list | tuple):
        base = list if issubclass(kind, list) else tuple
        for position, item in enumerate(list(base.__iter__(cast("Any", value)))):
            yield from _leaves(f"{name}[{position}]", item, teaching, (*above, value))
    elif issubclass(kind, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            yield from _leaves(f"{name}[{key!r}]", item, teaching, (*above, value))
    elif held := list(tensors_at([(name, value)])):  # a network, an optimizer, an object
        yield from held
    elif not is_network_or_optimizer(value):  # some networks and optimizers have no tensors yet
        raise TypeError(f"{teaching}, but {name} is {_with_article(name_of_class(value))}")


def readable(
    named: Sequence[Place], read: Callable[[object], Description] = described
) -> tuple[list[Place], list[Description], tuple[str, ...]]:
    """The tensors among `named` that have memory, their descriptions, and the others in words: `w (FakeTensor)`. Raises
    TypeError if none has memory.
    """
    readable, descriptions, unread = [], [], []
    first: tuple[str, str] | None = None  # the first one's message; keeping the exception would keep this frame
    for name, value in named:
        try:
            descriptions.append(read(value))
            readable.append((name, value))
        except TypeError as error:
            first = first or (str(error), name)
            unread.append(f"{name} ({without_memory(value)})")
    if first is not None and not readable:
        refusal = TypeError(first[0])
        refusal.add_note(f"The tensor is {first[1]}.")
        raise refusal
    return readable, descriptions, tuple(unread)


def without_memory(value: object) -> str:
    """A tensor without memory in words: its class and, on meta, the bytes that it would need."""
    library = library_of(value)
    if library is not None and not is_uninitialized(value):
        # Some hide what they are by code that may raise anything.
        with suppress(Exception), without_overrides(library), without_modes(library):
            if is_on_meta(value):
                return f"{name_of_class(value)} {without_data(value)}"
    return name_of_class(value)


def _with_article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiouAEIOU' else 'a'} {word}"


def _name_of_base(value: object, description: Description, names: Mapping[int, str]) -> str | None:
    return None if description.base is None or description.base is value else names.get(id(description.base))


def _header(name: str, storage: str, start: int, description: Description, base: str | None) -> Header:
    first_byte = description.pointer - start
    itemsize, size, strides = description.itemsize, description.size, description.strides
    even = description.storage_offset is not None and all(step % itemsize == 0 for step in strides)
    window = visible_window(size)
    return Header(
        name=name,
        storage=storage,
        size=size,
        stride=tuple(step // itemsize for step in strides) if even else strides,
        storage_offset=description.storage_offset or 0 if even else description.pointer - description.memory.start,
        unit="elements" if even else "bytes",
        dtype=description.dtype,
        itemsize=itemsize,
        device=description.memory.device,
        library=description.library,
        contiguous=description.contiguous,
        is_view=description.base is not None,
        base=base,
        version=description.version,
        requires_grad=description.requires_grad,
        bytes=byte_range(first_byte, size, strides, itemsize),
        window=window,
        cells=_cells_of(window, description, start),
    )


def _cells_of(window: Sequence[tuple[int, ...]], description: Description, start: int) -> Sequence[Cell]:
    """The cells of a tensor in a window, in a storage that begins at address `start`."""
    memory, itemsize = description.memory, description.itemsize
    places = _places(tuple(window), description.strides, description.pointer - start)
    shift = start - memory.start  # the storage in the picture may begin before this library's
    if not (places.lowest + shift >= 0 and places.highest + shift + itemsize <= memory.nbytes):
        return tuple(cells_at(product(*window), description, start))
    starts = places.starts if not shift else [byte + shift for byte in places.starts]
    decode_all = decoder(
        description.dtype, itemsize, description.byte_order, description.conjugated, description.negated
    )
    return Cells(places, memory.read.gathered(starts, itemsize), decode_all)


@lru_cache(maxsize=512)  # a watch meets tensors of the same sizes again and again
def _places(window: tuple[tuple[int, ...], ...], strides: tuple[int, ...], first_byte: int) -> Places:
    """Where the cells of a window are, of a tensor whose first cell begins at `first_byte`."""
    indices = tuple(product(*window))
    steps = [sum([i * step for i, step in zip(index, strides, strict=True)]) for index in indices]
    return Places(indices, tuple([first_byte + step for step in steps]))


def cells_at(indices: Iterable[tuple[int, ...]], description: Description, start: int) -> Iterator[Cell]:
    """The elements of a tensor at `indices`, in a storage that begins at address `start`."""
    first_byte = description.pointer - start
    for index in indices:
        byte = first_byte + sum(i * step for i, step in zip(index, description.strides, strict=True))
        yield _cell(index, byte, description, start)


def _cell(index: tuple[int, ...], byte: int, description: Description, start: int) -> Cell:
    memory = description.memory
    own_byte = byte + start - memory.start  # the storage in the picture may begin before this library's
    end = own_byte + description.itemsize
    if own_byte < 0 or end > memory.nbytes:
        return Cell(index, byte, None)
    value = decode(memory.read(own_byte, end), description.dtype, description.byte_order)
    if description.conjugated and isinstance(value, complex):
        value = value.conjugate()
    if description.negated and not isinstance(value, str):
        value = -value
    return Cell(index, byte, value)


def _storage(name: str, memories: Sequence[Memory], on_it: Sequence[tuple[Header, Description]]) -> Storage:
    start = min(memory.start for memory in memories)
    nbytes = max(memory.start + memory.nbytes for memory in memories) - start
    itemsize = _unit(start, on_it)
    speaker = next((description for header, description in on_it if header.itemsize == itemsize), None)
    dtype = None if speaker is None else speaker.dtype
    starts = tuple([(_starts(header.cells), header.itemsize) for header, _ in on_it])
    places = _places_of_strip(nbytes // itemsize, itemsize, starts)
    versions = [memory.version for memory in memories if memory.version is not None]
    return Storage(
        name=name,
        nbytes=nbytes,
        device=memories[0].device,
        version=max(versions, default=None),
        shared_by=tuple(header.name for header, _ in on_it),
        dtype=dtype,
        itemsize=itemsize,
        cells=_strip(places, start, itemsize, memories, speaker),
    )


def _strip(
    places: Places, start: int, itemsize: int, memories: Sequence[Memory], speaker: Description | None
) -> Sequence[Cell]:
    """The cells of a storage, read as those of the `speaker`; in hexadecimal digits if there is none."""
    whole = next((memory for memory in memories if memory.start == start), None)
    dtype, order = (None, "=") if speaker is None else (speaker.dtype, speaker.byte_order)
    if whole is not None and places.highest + itemsize <= whole.nbytes:
        return Cells(places, whole.read.gathered(places.starts, itemsize), decoder(dtype, itemsize, order))

    def value(byte: int) -> Number | None:
        first, last = start + byte, start + byte + itemsize
        holder = next(
            (memory for memory in memories if memory.start <= first and last <= memory.start + memory.nbytes), None
        )
        if holder is None:
            return None
        data = holder.read(first - holder.start, last - holder.start)
        return data.hex() if dtype is None else decode(data, dtype, order)

    return tuple([Cell(index, byte, value(byte)) for index, byte in zip(places.indices, places.starts, strict=True)])


def _starts(cells: Sequence[Cell]) -> tuple[int, ...]:
    return cells.places.starts if isinstance(cells, Cells) else tuple([cell.byte for cell in cells])


@lru_cache(maxsize=512)
def _places_of_strip(length: int, itemsize: int, headers: tuple[tuple[tuple[int, ...], int], ...]) -> Places:
    """Where the visible cells of a storage are; of the headers over it, where their cells begin and how long they
    are.
    """
    touched = {
        position
        for starts, size in headers
        for byte in starts
        for position in range(byte // itemsize, -(-(byte + size) // itemsize))
    }
    positions = _visible_positions(length, touched)
    return Places(
        tuple([(position,) for position in positions]), tuple([position * itemsize for position in positions])
    )


def _unit(start: int, on_it: Sequence[tuple[Header, Description]]) -> int:
    """The largest cell size of which every tensor on the storage has whole cells."""
    unit = 0
    for _, description in on_it:
        steps = (step for n, step in zip(description.size, description.strides, strict=True) if n > 1)
        unit = gcd(unit, description.itemsize, description.pointer - start, *steps)
    return unit


def _visible_positions(length: int, touched: Iterable[int]) -> tuple[int, ...]:
    if length <= STRIP_WHOLE:
        return tuple(range(length))
    edges = ends(length, 2 * STRIP_EDGE)
    shown = sorted({position for position in touched if 0 <= position < length}.union(edges))
    if len(shown) > STRIP_WINDOW:
        shown = shown[: STRIP_WINDOW // 2] + shown[-STRIP_WINDOW // 2 :]
    return tuple(shown)
