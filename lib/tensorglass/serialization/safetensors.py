"""The safetensors format, and tensors into such files and out of them.

A file is eight bytes that say how long the header is, the header in JSON (each tensor's name, dtype, shape and byte
range; ``__metadata__`` has strings by name), and then the bytes. Everything that a header says is checked against the
length of the file before a single byte is read or allocated, so a hostile header costs nothing.

A flat dictionary of ordinary tensors becomes a file as every program for safetensors writes it. What the format cannot
express (nesting, other data, tensors that share memory, strides, `requires_grad`, devices) is written as JSON in the
metadata, under our own key, which other readers skip. They still find each tensor under its name and with its shape,
unless it shares memory with others.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.core.dtypes import complex64, complex128, float64, int16, int32, int64, uint8
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.ops.copies.copy_pickle import rebuild, rebuild_parameter
from tensorglass.serialization.files import length_of, read_into
from tensorglass.serialization.locations import Placing, without_data
from tensorglass.serialization.runs import Member, Run, find_runs
from tensorglass.serialization.tree import Tree, decode
from tensorglass.serialization.unpickled import set_attributes
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import make
from tensorglass.tensor.hooks import warn_if_has_hooks
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import is_parameter

METADATA = "__metadata__"
LONGEST_HEADER = 100_000_000  #: bytes: the limit of other readers, too
MOST_DIMS = 64
NAMES = {
    dtypes.bool: "BOOL", dtypes.uint8: "U8", dtypes.int8: "I8", dtypes.int16: "I16", dtypes.int32: "I32",
    dtypes.int64: "I64", dtypes.uint16: "U16", dtypes.uint32: "U32", dtypes.uint64: "U64", dtypes.float16: "F16",
    dtypes.bfloat16: "BF16", dtypes.float32: "F32", dtypes.float64: "F64", dtypes.complex64: "C64",
}  # fmt: skip
DTYPES = {name: dtype for dtype, name in NAMES.items()}
_NOT_OURS = ("F8_E4M3", "F8_E5M2", "F8_E8M0", "F6_E2M3", "F6_E3M2", "F4")


class Entry(NamedTuple):
    """A tensor of the file: row-major, without gaps."""

    dtype: DType
    shape: tuple[int, ...]
    begin: int  #: its first byte, counted from the end of the header
    end: int


class FileHeader(NamedTuple):
    entries: dict[str, Entry]
    metadata: dict[str, str]
    nbytes: int  #: the header and its length field: where the entries begin


def compose(shapes: dict[str, tuple[DType, tuple[int, ...]]], metadata: dict[str, str]) -> tuple[bytes, list[str]]:
    """The header for entries of these dtypes and shapes, and the order in which their bytes must follow."""
    # The widest first: then each entry begins at a multiple of its width, and can be mapped directly.
    order = sorted(shapes, key=lambda name: -shapes[name][0].itemsize)
    places, end = {}, 0
    for name in order:
        dtype, shape = shapes[name]
        begin, end = end, end + math.prod(shape) * dtype.itemsize
        places[name] = [begin, end]
    described: dict[str, Any] = {METADATA: metadata} if metadata else {}
    for name, (dtype, shape) in shapes.items():
        described[name] = {"dtype": NAMES[dtype], "shape": shape, "data_offsets": places[name]}
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text, order


def read_header(file: BinaryIO) -> FileHeader:
    """The validated header of a file. RuntimeError if anything in it is wrong."""
    available = length_of(file)
    prefix = file.read(8)
    if len(prefix) < 8:
        raise refused("header too small", "The file ends within the eight bytes that say how long its header is.")
    (length,) = struct.unpack("<Q", prefix)
    if length > LONGEST_HEADER:
        raise refused("header too large", f"It would be {length} bytes long; {LONGEST_HEADER} is the most.")
    if length > available - 8:
        raise refused(
            "invalid header length", f"It would be {length} bytes long, and {available - 8} follow. Is the file whole?"
        )
    try:
        described = json.loads(file.read(length).decode(), object_pairs_hook=_no_name_twice)
        if type(described) is not dict:
            raise ValueError("it is no JSON object")
        metadata = described.pop(METADATA, None) or {}
        if type(metadata) is not dict or not all(type(value) is str for value in metadata.values()):
            raise ValueError("the metadata are not strings by name")
        entries = {name: _entry(name, facts) for name, facts in described.items()}
    except (ValueError, RecursionError) as error:
        raise refused("invalid JSON in header", f"{error}.") from None
    _check_ranges(entries, available - 8 - length)
    return FileHeader(entries, metadata, 8 + length)


def refused(what: str, note: str) -> RuntimeError:
    """The error for an invalid file. Its first line is that of the safetensors package."""
    return explained(RuntimeError(f"Error while deserializing header: {what}"), note)


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("a name stands in it twice")
    return entries


def _entry(name: str, facts: Any) -> Entry:
    if type(facts) is not dict or facts.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"{name!r} has other fields than dtype, shape and data_offsets")
    kind, shape, offsets = facts["dtype"], facts["shape"], facts["data_offsets"]
    if kind in _NOT_OURS:
        raise ValueError(f"{name!r} is of dtype {kind}, which tensorglass does not have")
    if type(kind) is not str or kind not in DTYPES:
        raise ValueError(f"{name!r} is of no known dtype")
    if not are_counts(shape) or not are_counts(offsets) or len(offsets) != 2:
        raise ValueError(f"the shape or the range of {name!r} is not of integers from 0 to 2^63 - 1")
    if len(shape) > MOST_DIMS:
        raise ValueError(f"{name!r} has {len(shape)} dimensions; {MOST_DIMS} is the most")
    begin, end = offsets
    entry = Entry(DTYPES[kind], tuple(shape), begin, end)
    if math.prod(max(length, 1) for length in shape) >= 2**63:
        raise ValueError(f"the shape of {name!r} has more elements than 64 bits can count")
    if math.prod(shape) * entry.dtype.itemsize != end - begin:
        raise ValueError(f"the range of {name!r} has {end - begin} bytes, and its shape needs another number")
    return entry


def are_counts(value: Any) -> bool:
    """Whether this is a list of integers that can be lengths, strides or offsets."""
    return type(value) is list and all(type(number) is int and 0 <= number < 2**63 for number in value)


def _check_ranges(entries: dict[str, Entry], available: int) -> None:
    """The ranges must follow each other without gaps and overlaps, from the first byte to the last."""
    end = 0
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)):
        if entry.begin != end:
            raise refused(
                f"invalid offset for tensor `{name}`",
                f"It begins at byte {entry.begin}, and what lies before it ends at byte {end}.",
            )
        end = entry.end
    if end != available:
        raise refused(
            "incomplete metadata, file not fully covered",
            f"The header describes {end} bytes, and {available} follow it. Is the file whole?",
        )


OURS = "tensorglass"
VERSION = 1
_FORMAT = {"format": "pt"}  # written by programs with PyTorch's tensors; some readers require it
#: a dtype of the same width, for copies that only move bits
_CELLS = {dtype.itemsize: dtype for dtype in (uint8, int16, int32, int64, complex128)}


# --- writing ---------------------------------------------------------------------------------------------------------


class _Chunk:
    """A run as an entry of the file."""

    def __init__(self, run: Run, tree: Tree, taken: set[str]) -> None:
        self.run = run
        self.dtype = run.dtype
        self.facts: dict[str, Any] = {}  # what the format cannot express
        shown = self._shown()
        self.is_rearranged = shown is not None and not self._is_as_in_memory(shown)
        if shown is None:
            self.shape: tuple[int, ...] = (run.nbytes // run.dtype.itemsize,)
            self.name = _free("storage", taken)
        else:
            self.shape = shown.size
            self.name = _free(".".join(map(str, tree.paths[shown.number])) or "tensor", taken)
            if self.is_rearranged and not shown.conj and not geometry.is_contiguous(shown.size, shown.stride):
                self.facts["stride"] = shown.stride
        if run.dtype is complex128:
            self.dtype, self.shape, self.facts["dtype"] = float64, (*self.shape, 2), "complex128"
        if run.storage.device.type != "cpu":
            self.facts["device"] = str(run.storage.device)
        self.rows = {member.number: self._row(member, shown) for member in run.members}

    def _shown(self) -> Member | None:
        """The tensor that gives the run its name and shape: one that covers all of it."""
        if self.run.has_one_header:
            return self.run.members[0]
        whole = (member for member in self.run.members if self._is_as_in_memory(member))
        return next(whole, None)

    def _is_as_in_memory(self, member: Member) -> bool:
        nbytes = geometry.numel(member.size) * self.run.dtype.itemsize
        return geometry.is_contiguous(member.size, member.stride) and nbytes == self.run.nbytes and not member.conj

    def _row(self, member: Member, shown: Member | None) -> dict[str, Any]:
        """How to make the tensor from the entry."""
        row: dict[str, Any] = {"entry": self.name}
        if shown is None or member.layout != shown.layout:
            row |= {"size": member.size, "stride": member.stride, "offset": member.offset}
            row |= {"conj": True} if member.conj else {}
        row |= {"requires_grad": True} if member.tensor.requires_grad else {}
        return row | ({"parameter": True} if is_parameter(member.tensor) else {})

    def contents(self) -> Any:
        """The bytes, as an array of the host's."""
        if not self.is_rearranged:
            return self.run.contents()
        member, storage, cells = self.run.members[0], self.run.storage, _CELLS[self.run.dtype.itemsize]
        tensor = make(storage, member.size, member.stride, self.run.start // cells.itemsize, cells)
        if member.conj:
            tensor = member.tensor.detach().resolve_conj()
        tensor = tensor.contiguous()
        return storage.backend.to_host(tensor.untyped_storage().buffer)


def write(data: Any, file: BinaryIO) -> None:
    """Write plain data with tensors in it."""
    tree = Tree(data)
    for tensor in tree.tensors:
        warn_if_has_hooks(tensor)
        if tensor.is_meta:
            raise explained(
                NotImplementedError("Cannot copy out of meta tensor; no data!"),
                "A safetensors file holds elements. A file whose name ends in .pt keeps the header of such a tensor.",
            )
    taken = {METADATA}
    chunks = {chunk.name: chunk for chunk in (_Chunk(run, tree, taken) for run in find_runs(tree.tensors))}
    shapes = {name: (chunk.dtype, chunk.shape) for name, chunk in chunks.items()}
    header, order = compose(shapes, _FORMAT | _described(tree, chunks))
    file.write(header)
    for name in order:
        file.write(memoryview(chunks[name].contents()))


def _free(wanted: str, taken: set[str]) -> str:
    """The wanted name, with a number appended if it is taken."""
    wanted = wanted.encode(errors="replace").decode()
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}#{number}"
    taken.add(name)
    return name


def _described(tree: Tree, chunks: dict[str, _Chunk]) -> dict[str, str]:
    """The description in the metadata; None for a flat dictionary of ordinary tensors."""
    rows = {number: row for chunk in chunks.values() for number, row in chunk.rows.items()}
    for number, attributes in enumerate(tree.attributes):
        rows[number] |= {} if attributes is None else {"attributes": attributes}
    facts = {name: chunk.facts for name, chunk in chunks.items() if chunk.facts}
    plain = {"dict": [[rows[number]["entry"], {"tensor": number}] for number in range(len(rows))]}
    if not facts and tree.rest == plain and all(len(row) == 1 for row in rows.values()):
        return {}
    ordered = [rows[number] for number in range(len(rows))]
    ours = {"version": VERSION, "entries": facts, "tensors": ordered, "data": tree.rest}
    return {OURS: json.dumps(ours, separators=(",", ":"))}


# --- reading ---------------------------------------------------------------------------------------------------------


def read(file: BinaryIO, place: Placing, whole: UntypedStorage | None) -> Any:
    """What is in a file. Its storages are parts of `whole`, the mapped file, or copied if that is None."""
    begin = file.tell()
    header = read_header(file)
    storages = dict(_storages(file, begin, header, whole, has_data=place is not without_data))
    try:
        if OURS in header.metadata:
            return _ours(header, storages, place)
        return {name: _Loaded(entry, place(storages[name], "cpu")).whole() for name, entry in header.entries.items()}
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise refused("invalid description by tensorglass", f"{type(error).__name__}: {error}.") from None


def _storages(
    file: BinaryIO, begin: int, header: FileHeader, whole: UntypedStorage | None, *, has_data: bool
) -> Iterator[tuple[str, UntypedStorage]]:
    """Each entry's bytes, in the order of the file."""
    for name, entry in sorted(header.entries.items(), key=lambda item: item[1].begin):
        if not has_data:
            yield name, UntypedStorage(entry.end - entry.begin, device="meta")
        elif whole is not None:
            start = header.nbytes + entry.begin
            part = whole[start : start + entry.end - entry.begin]
            # Every element at a multiple of its width, as kernels require.
            yield name, part if start % entry.dtype.itemsize == 0 else part.clone()
        else:
            storage = UntypedStorage(entry.end - entry.begin, device="cpu")
            file.seek(begin + header.nbytes + entry.begin)
            read_into(file, storage.buffer)
            yield name, storage


class _Loaded:
    """An entry whose bytes are on their device."""

    def __init__(self, entry: Entry, storage: UntypedStorage, stride: Any = None, dtype: DType | None = None) -> None:
        self.dtype = dtype or entry.dtype
        self.size = entry.shape if dtype is None else entry.shape[:-1]
        self.stride = geometry.contiguous_strides(self.size) if stride is None else stride
        self.storage = storage

    def whole(self, requires_grad: bool = False) -> Tensor:
        return self.part(self.size, self.stride, 0, requires_grad)

    def part(
        self, size: tuple[int, ...], stride: tuple[int, ...], offset: int, requires_grad: bool, conj: bool = False
    ) -> Tensor:
        return rebuild(self.storage, size, stride, offset, self.dtype, requires_grad, conj)


def _ours(header: FileHeader, storages: dict[str, UntypedStorage], place: Placing) -> Any:
    described = json.loads(header.metadata[OURS])
    if described["version"] != VERSION:
        raise explained(
            RuntimeError(f"this file has version {described['version']!r} of tensorglass's data"),
            f"This tensorglass reads version {VERSION}: a newer one has written it.",
        )
    loaded = {}
    for name, entry in header.entries.items():
        loaded[name] = _arranged(entry, storages[name], place, **described["entries"].get(name, {}))
    rows: list[dict[str, Any]] = described["tensors"]
    tensors = []
    for row in rows:
        tensors.append(_read_tensor(loaded, **{key: row[key] for key in row if key not in ("attributes", "parameter")}))
        if row.get("parameter") is True:
            tensors[-1] = rebuild_parameter(tensors[-1], tensors[-1].requires_grad)

    def tensor(number: int) -> Tensor:
        if number < 0:
            raise ValueError("tensors have numbers from 0 on")
        return tensors[number]

    for loaded_tensor, row in zip(tensors, rows, strict=True):
        if "attributes" in row:
            set_attributes(loaded_tensor, decode(row["attributes"], tensor))
    return decode(described["data"], tensor)


def _arranged(
    entry: Entry, storage: UntypedStorage, place: Placing, device: str = "cpu", stride: Any = None, dtype: Any = None
) -> _Loaded:
    """An entry with its own strides and dtype, if the format cannot express them."""
    if dtype is not None and (dtype != complex128.name or entry.dtype is not float64 or entry.shape[-1:] != (2,)):
        raise ValueError(f"{entry.shape} of {entry.dtype.name} is no {dtype}")
    wanted = None if dtype is None else complex128
    size, itemsize = (entry.shape, entry.dtype.itemsize) if wanted is None else (entry.shape[:-1], wanted.itemsize)
    if stride is not None:
        if not are_counts(stride) or len(stride) != len(size):
            raise ValueError("strides are integers, one a dimension")
        stride = tuple(stride)
        nbytes = geometry.storage_nbytes(size, stride, 0, itemsize)
        if nbytes > storage.nbytes():
            raise ValueError("these strides leave gaps")
        cells = _CELLS[itemsize]
        rearranged = UntypedStorage(nbytes, device=storage.device)
        if place is not without_data:
            source = raw_array(make(storage, size, geometry.contiguous_strides(size), 0, cells))
            raw_array(make(rearranged, size, stride, 0, cells))[...] = source
        storage = rearranged
    return _Loaded(entry, place(storage, device), stride, wanted)


def _read_tensor(
    loaded: dict[str, _Loaded],
    entry: str,
    requires_grad: bool = False,
    size: Any = None,
    stride: Any = None,
    offset: Any = None,
    conj: bool = False,
) -> Tensor:
    tensor = loaded[entry]
    if size is None:
        return tensor.whole(requires_grad is True)
    if not (are_counts(size) and are_counts(stride) and are_counts([offset])):
        raise ValueError("sizes, strides and offsets are integers")
    if len(size) != len(stride) or len(size) > MOST_DIMS:
        raise ValueError(f"{len(stride)} strides for {len(size)} dimensions")
    if conj and tensor.dtype not in (complex64, complex128):
        raise ValueError("only complex numbers are conjugated")
    return tensor.part(tuple(size), tuple(stride), offset, requires_grad is True, conj is True)
