"""The safetensors format: eight bytes that say how long the header is, the header in JSON, and then bytes.

The header gives each tensor's name, dtype, shape and byte range; ``__metadata__`` gives strings by name. Everything
that the header says is held against the length of the file before a single byte is read or allocated, so a file that
lies costs nothing.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any, BinaryIO, NamedTuple

from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.serialization.opening import length_of

METADATA = "__metadata__"
LONGEST_HEADER = 100_000_000  #: bytes: what other readers take too
MOST_DIMS = 64
NAMES = {
    dtypes.bool: "BOOL", dtypes.uint8: "U8", dtypes.int8: "I8", dtypes.int16: "I16", dtypes.int32: "I32",
    dtypes.int64: "I64", dtypes.uint16: "U16", dtypes.uint32: "U32", dtypes.uint64: "U64", dtypes.float16: "F16",
    dtypes.bfloat16: "BF16", dtypes.float32: "F32", dtypes.float64: "F64", dtypes.complex64: "C64",
}  # fmt: skip
DTYPES = {name: each for each, name in NAMES.items()}
_NOT_OURS = ("F8_E4M3", "F8_E5M2", "F8_E8M0", "F6_E2M3", "F6_E3M2", "F4")


class Entry(NamedTuple):
    """A tensor of the file: row-major, without gaps."""

    dtype: DType
    shape: tuple[int, ...]
    begin: int  #: its first byte, counted from the end of the header
    end: int


class Header(NamedTuple):
    entries: dict[str, Entry]
    metadata: dict[str, str]
    nbytes: int  #: of the header with its length: where the entries begin


def compose(shapes: dict[str, tuple[DType, tuple[int, ...]]], metadata: dict[str, str]) -> tuple[bytes, list[str]]:
    """The header for entries of these dtypes and shapes, and the order in which their bytes must follow."""
    # The widest first: then each begins at a multiple of its width, and can be mapped as it is.
    order = sorted(shapes, key=lambda name: -shapes[name][0].itemsize)
    places, end = {}, 0
    for name in order:
        each, shape = shapes[name]
        begin, end = end, end + math.prod(shape) * each.itemsize
        places[name] = [begin, end]
    described: dict[str, Any] = {METADATA: metadata} if metadata else {}
    for name, (each, shape) in shapes.items():
        described[name] = {"dtype": NAMES[each], "shape": shape, "data_offsets": places[name]}
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text, order


def read_header(file: BinaryIO) -> Header:
    """The header of a file, if all that it says is so. RuntimeError, with what is wrong, if not."""
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
    return Header(entries, metadata, 8 + length)


def refused(what: str, note: str) -> RuntimeError:
    """The error for a file that is not what it says. The first line is the safetensors package's."""
    return explained(RuntimeError(f"Error while deserializing header: {what}"), note)


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands in it twice")
    return found


def _entry(name: str, facts: Any) -> Entry:
    if type(facts) is not dict or facts.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"{name!r} has other fields than dtype, shape and data_offsets")
    kind, shape, offsets = facts["dtype"], facts["shape"], facts["data_offsets"]
    if kind in _NOT_OURS:
        raise ValueError(f"{name!r} is of dtype {kind}, which tensorglass does not have")
    if type(kind) is not str or kind not in DTYPES:
        raise ValueError(f"{name!r} is of no known dtype")
    if not are_counts(shape) or not are_counts(offsets) or len(offsets) != 2:
        raise ValueError(f"the shape or the range of {name!r} is not of whole numbers from 0 to 2^63 - 1")
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
    """Whether this is a list of whole numbers that can be lengths, strides or offsets."""
    return type(value) is list and all(type(each) is int and 0 <= each < 2**63 for each in value)


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
