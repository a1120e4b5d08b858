"""Files that are mangled, or made to do harm, in any number: each is refused, or read to right values in little memory.

What is right is asked of more than one reader. A file is read from a stream, from a path and mapped, and all three must
agree; what a crafted file means is known from how it was made; the bytes of a flat safetensors file are held against
NumPy's reading of them. What cannot be right is looked for as well: a tensor that NumPy sees elsewhere than where it
lies, and attributes that other programs act on.
"""

from __future__ import annotations

import gc
import io
import json
import pickle
import struct
import tempfile
import time
import tracemalloc
from collections import Counter, OrderedDict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy
from attacks import crafted

import tensorglass as torch
from tensorglass import memory

#: What a file that is refused raises. MemoryError is not among them, nor is a crash.
REFUSALS = (RuntimeError, pickle.UnpicklingError, EOFError, ValueError)

#: The most that reading a file may allocate: bytes for each byte of the file, and bytes besides.
STORAGES = (3, 1_000)
OBJECTS = (256, 3_000_000)


def good_files() -> dict[str, bytes]:
    """One good file of each kind, as bytes."""
    data: dict[str, Any] = {
        "w": torch.arange(12.0).view(3, 4),
        "deep": [torch.arange(6).view(2, 3).t(), (1, "text", None), {"z": torch.zeros(2, dtype=torch.complex128)}],
    }
    data["row"] = data["w"][1]
    flat = {"a": torch.ones(3), "b": torch.arange(4, dtype=torch.int8)}
    contents = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, value in [("flat.safetensors", flat), ("nested.safetensors", data), ("a.pt", data)]:
            torch.save(value, Path(folder, name))
            contents[name] = Path(folder, name).read_bytes()
    return contents


def mangled(data: bytes, random: Random) -> bytes:
    """These bytes with a few of them changed, cut out, or written twice."""
    changed = bytearray(data)
    reach = random.choice((200, len(changed)))  # the head is where most can go wrong
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        place = random.randrange(min(reach, len(changed)))
        change = random.randrange(4)
        if change == 0:
            changed[place] = random.randrange(256)
        elif change == 1:
            changed[place : place + random.randrange(9)] = random.randbytes(random.randrange(9))
        elif change == 2:
            changed[place:place] = changed[place : place + random.randrange(40)]
        else:
            changed[place] ^= 1 << random.randrange(8)
    return bytes(changed)


# --- what comes of a file --------------------------------------------------------------------------------------------


def loaded(f: Any, **how: Any) -> tuple[str, Any]:
    """The outcome of loading: "read" and the value, or the name of a refusal's class and None."""
    try:
        return "read", torch.load(f, **how)
    except REFUSALS as error:
        return type(error).__name__, None


def examined(value: Any, seen: set[int] | None = None, depth: int = 0) -> Any:
    """What a loaded value is, down to some depth, in a form that compares. AssertionError if it is more than data."""
    seen = set() if seen is None else seen
    kind = type(value)
    if id(value) in seen or depth > 100:  # a pickle may hold itself
        return "seen before"
    if kind in (list, tuple, dict, set, OrderedDict, Counter, torch.Tensor):
        seen.add(id(value))
    if kind in (torch.Tensor, OrderedDict):
        assert not [name for name in vars(value) if hasattr(kind, name) or name.startswith("__")]
    if kind is torch.Tensor:
        return kind.__name__, _seen_by_numpy(value), examined(vars(value), seen, depth + 1)
    if kind in (list, tuple):
        return kind.__name__, [examined(item, seen, depth + 1) for item in value]
    if kind in (dict, OrderedDict, Counter):
        return kind.__name__, [(repr(key), examined(item, seen, depth + 1)) for key, item in value.items()]
    if kind is set:
        return kind.__name__, sorted(map(repr, value))
    plain = (type(None), bool, int, float, complex, str, bytes, bytearray, torch.Size, torch.dtype, torch.device)
    assert kind in plain, kind
    return repr(value) if kind is not int else hex(value)


def _seen_by_numpy(tensor: torch.Tensor) -> Any:
    header = str(tensor.dtype), tuple(tensor.shape), tensor.stride(), tensor.requires_grad
    if tensor.numel() == 0 or tensor.numel() > 10_000 or tensor.dtype is torch.bfloat16 or tensor.device.type != "cpu":
        return header
    array = numpy.asarray(tensor.detach().resolve_conj().resolve_neg())
    first = tensor.untyped_storage().data_ptr()
    if not tensor.is_conj():
        low, high = numpy.lib.array_utils.byte_bounds(array)
        assert first <= low, "NumPy reads before the storage"
        assert high <= first + tensor.untyped_storage().nbytes(), "NumPy reads behind the storage"
    return *header, array.tobytes()


def allocated_by(function: Callable[[], Any]) -> tuple[Any, int, int]:
    """A function's result, and the peaks of bytes in storages and in Python objects while it ran."""
    memory.reset_peak()
    before = memory.allocated()
    tracemalloc.start()
    try:
        result = function()
        objects = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return result, memory.peak() - before, objects


def check(data: bytes, path: Path, expected: str | None = None) -> tuple[str, float]:
    """Read a file in every way. AssertionError if it is neither refused nor right, or takes too much.

    `expected` is "read" or "refused", or None for either. Returns what came of it, and the seconds that it took.
    """
    start = time.perf_counter()
    (outcome, value), storages, objects = allocated_by(lambda: loaded(io.BytesIO(data)))
    seconds = time.perf_counter() - start
    assert storages <= STORAGES[0] * len(data) + STORAGES[1], f"{storages} bytes of storages"
    assert objects - storages <= OBJECTS[0] * len(data) + OBJECTS[1], f"{objects} bytes of objects"
    assert expected is None or (outcome == "read") == (expected == "read"), f"{outcome}, and not {expected}"
    path.write_bytes(data)
    if outcome == "read":
        seen = examined(value)
        if data[:2] != b"PK":
            _compare_with_numpy(data, value)
        assert examined(torch.load(path)) == seen
        assert examined(torch.load(path, mmap=True)) == seen
    else:
        assert loaded(path)[0] != "read"
        is_checked_later = data[:2] == b"PK"  # the checksum of a record that is mapped would be all its bytes read
        assert loaded(path, mmap=True)[0] != "read" or is_checked_later
    return outcome, seconds


def _compare_with_numpy(data: bytes, value: Any) -> None:
    """A flat safetensors file has the bytes that its header says."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    if "tensorglass" in (header.pop("__metadata__", None) or {}):
        return
    assert list(value) == list(header)
    for name, facts in header.items():
        begin, end = (8 + length + offset for offset in facts["data_offsets"])
        assert bytes(value[name].contiguous().untyped_storage().tolist()) == data[begin:end]
        assert list(value[name].shape) == facts["shape"]


# --- all of them -----------------------------------------------------------------------------------------------------


def run(count: int, seed: int) -> dict[str, Any]:
    """Read `count` files, alternately mangled and crafted. AssertionError names the first that does harm. Returns
    counts of the outcomes ("read", or the class of the refusal), and the longest time for one file, in seconds.
    """
    good, outcomes, longest = good_files(), Counter[str](), 0.0
    for data in good.values():
        torch.load(io.BytesIO(data))  # imports and caches, once
    kinds = [*good, *crafted.KINDS]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            random, kind = Random(f"{seed} {number}"), kinds[number % len(kinds)]
            if kind in good:
                data, expected = mangled(good[kind], random), None
            else:
                data, expected = crafted.KINDS[kind](random)
            try:
                outcome, seconds = check(data, Path(folder, "file"), expected)
            except (AssertionError, *REFUSALS) as error:
                raise AssertionError(f"file {number} of seed {seed}, {kind}: {error!r}") from error
            outcomes[outcome] += 1
            longest = max(longest, seconds)
            if number % 1000 == 0:
                gc.collect()
    return {"files": count, "outcomes": dict(outcomes), "longest": longest}
