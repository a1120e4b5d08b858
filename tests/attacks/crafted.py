"""Files that are made to do harm: each kind is a function that makes a random one, and says what loading it must
give."""

from __future__ import annotations

import io
import pickle
import re
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from random import Random
from typing import Any

import numpy
from attacks.words import (
    NEGATED,
    ORDERED,
    described,
    entry,
    name,
    number,
    program,
    safetensors,
    sequence,
    storage,
    tensor,
    text,
    zipped,
)

import tensorglass as torch

#: A file, and what must come of it: "read", "refused", or None for either.
Made = tuple[bytes, str | None]

_PRIME = 2**61 - 1  # modulo which Python hashes numbers
_SOURCES = (torch.Tensor, numpy.ndarray, dict, type, int, list, object(), print, Exception, memoryview, property)
_PROTOCOLS = (
    "__array_interface__", "__array_struct__", "__cuda_array_interface__", "__array_priority__", "__dlpack__",
    "__dlpack_c_exchange_api__", "__array_namespace__", "__torch_function__", "__wrapped__", "__getattr__",
    "__fspath__", "__length_hint__", "__index__", "__html__", "__rich_repr__", "__slots__", "__annotations__",
    "__set_name__", "__dataclass_fields__", "_as_parameter_", "_repr_html_", "_ipython_display_", "_fields_", "__",
)  # fmt: skip
#: Names with a meaning: all attributes of the class, and all names of protocols.
FORBIDDEN = sorted({*dir(torch.Tensor), *_PROTOCOLS, *(n for source in _SOURCES for n in dir(source) if n[:2] == "__")})
ALLOWED = ("kind", "_tag", "no_weight_decay", "x__")

_INTERFACE: dict[str, Any] = {"data": [16, False], "shape": [4], "typestr": "<f4", "version": 3}


def with_attribute(attribute: str, how: int) -> bytes:
    """A file in which a tensor, or an OrderedDict, has this attribute: the description of an array at address 16."""
    value = b"}(" + b"".join((
        text("data"), number(16), pickle.NEWFALSE, b"\x86", text("shape"), number(4), b"\x85", text("typestr"),
        text("<f4"), text("version"), number(3),
    )) + b"u"  # fmt: skip
    state = b"}" + text(attribute) + value + b"s"
    plain = sequence(storage(), number(0), sequence(number(2)), sequence(number(1)), pickle.NEWFALSE, ORDERED)
    rebuild, v2 = name("torch._tensor", "_rebuild_from_type_v2"), name("torch._utils", "_rebuild_tensor_v2")
    if how == 0:
        return zipped(program(rebuild, sequence(v2, name("torch", "Tensor"), plain, state), b"R"))
    if how == 1:
        return zipped(program(rebuild, sequence(v2, name("torch", "Tensor"), plain, state + b"}\x86"), b"R"))
    if how == 2:
        parameter = name("torch._utils", "_rebuild_parameter_with_state")
        return zipped(program(parameter, sequence(tensor(storage()), pickle.NEWFALSE, ORDERED, state), b"R"))
    if how == 3:
        return zipped(program(ORDERED, state, b"b"))
    attributes = {"dict": [[attribute, {"dict": [[key, value] for key, value in _INTERFACE.items()]}]]}
    return described(tensors=[{"entry": "a", "attributes": attributes}])


def attribute(random: Random) -> Made:
    how = random.randrange(5)
    if random.randrange(4) == 0:
        return with_attribute(random.choice(ALLOWED), how), "read"
    forbidden = random.choice(FORBIDDEN)
    is_tensor_s_alone = how == 3 and re.match("_.*_$|__", forbidden) is None and forbidden not in dir(OrderedDict)
    return with_attribute(forbidden, how), None if is_tensor_s_alone else "refused"


# --- files that ask for much time or memory ---------------------------------------------------------------------------


def overlapping(nbytes: int, count: int) -> bytes:
    """An archive whose table names one record, of this many bytes, many times."""
    stored = [tensor(storage(str(key), nbytes // 4), size=(nbytes // 4,)) for key in range(count)]
    whole = zipped(program(b"](", *stored, b"e"), bytes(nbytes))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        record, begin = archive.getinfo("archive/data/0"), archive.start_dir
    rows = []
    for key in range(1, count):
        path = f"archive/data/{key}".encode()
        sizes = record.CRC, nbytes, nbytes, len(path), 0, 0, 0, 0, 0o600 << 16, record.header_offset
        rows.append(struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 3, 20, 0, 0, 0, 0, 33, *sizes) + path)
    table = whole[begin:-22] + b"".join(rows)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2 + count, 2 + count, len(table), begin, 0)
    return whole[:begin] + table + end


def overlaps(random: Random) -> Made:
    count = random.choice((1, 2, 30))
    return overlapping(40_000, count), "read" if count == 1 else "refused"


def rebuilt(flag: str, count: int, nbytes: int) -> bytes:
    """A storage with many tensors on it, each of them negated or conjugated."""
    flags = (b"}" + text(flag) + pickle.NEWTRUE + pickle.SETITEM,)
    kind, itemsize = ("ComplexFloatStorage", 8) if flag == "conj" else ("FloatStorage", 4)
    first = tensor(storage(numel=nbytes // itemsize, kind=kind), size=(nbytes // itemsize,), metadata=flags)
    arguments = first.index(pickle.MARK)
    call, given = first[:arguments], first[arguments:-1]
    again = b"h\x00h\x01R" * (count - 1)
    return zipped(program(b"](", call, b"q\x00", given, b"q\x01R", again, b"e"), bytes(nbytes))


def rebuilds(random: Random) -> Made:
    return rebuilt(random.choice(("neg", "conj")), random.choice((1, 3, 300)), 40_000), "read"


def colliding(count: int, kind: int) -> list[Any]:
    """That many different keys with the same hash."""
    numbers = [_PRIME * place for place in range(1, count + 1)]
    return [(number,) for number in numbers] if kind else list(numbers)


def words_of(key: Any) -> bytes:
    return b"".join(map(words_of, key)) + b"\x85" if type(key) is tuple else number(key)


def collisions(random: Random) -> Made:
    count = random.choice((2, 50, 3000))
    keys, how = colliding(count, random.randrange(2)), random.randrange(6)
    words = [words_of(key) for key in keys]
    pairs = [word + b"N" for word in words]
    if how == 0:
        data = zipped(program(b"}(", *pairs, b"u"))
    elif how == 1:
        data = zipped(program(b"}", *(pair + b"s" for pair in pairs)))
    elif how == 2:
        data = zipped(program(name("builtins", "set"), b"](", *words, b"e\x85R"))
    elif how == 3:
        data = zipped(program(b"\x8f(", *words, b"\x90"))
    elif how == 4:
        data = zipped(
            program(name("collections", "OrderedDict"), b"](", *(pair + b"\x86" for pair in pairs), b"e\x85R")
        )
    else:
        encoded = [{"tuple": [{"int": hex(key)}]} for key in colliding(count, 0)]
        data = described(data=random.choice(({"set": encoded}, {"dict": [[key, 0] for key in encoded]})))
    return data, "read" if count < 100 else "refused"


def copies(random: Random) -> Made:
    """One container that is passed again and again to functions that copy or hash it."""
    entries = b"".join(text(f"k{place}") for place in range(600))
    items = b"".join(text(f"k{place}") + b"N" for place in range(600))
    pairs = b"".join(text(f"k{place}") + b"N\x86" for place in range(600))
    ordered = name("collections", "OrderedDict")
    opening, again = random.choice((
        (b"\x8f(" + entries + b"\x90q\x00", name("builtins", "set") + b"h\x00\x85R"),
        (b"](" + entries + b"eq\x00", name("builtins", "set") + b"h\x00\x85R"),
        (b"}(" + items + b"uq\x00", name("collections", "Counter") + b"h\x00\x85R"),
        (b"](" + pairs + b"eq\x00", ordered + b"h\x00\x85R"),
        (b"}(" + items + b"uq\x00", ORDERED + b"h\x00b"),
        (b"(" + entries + b"tq\x00", b"}h\x00Ns"),
        (text("x" * 20_000) + text("latin1") + b"\x86q\x00", name("_codecs", "encode") + b"h\x00R"),
    ))  # fmt: skip
    count = random.choice((1, 6000))
    return zipped(program(b"](", opening, again * count, b"e")), "read" if count == 1 else "refused"


def floods(random: Random) -> Made:
    """The shortest opcodes that make the largest objects."""
    one, end = random.choice((
        (b"\x94", b""), (b"]", b""), (b"}", b""), (b"\x8f", b""), (b")", b""), (b")\x85\x85\x85", b""),
        (b"\x8c\x02ab\x94", b""), (ORDERED, b""), (tensor(storage()), b""),
    ))  # fmt: skip
    return zipped(program(b"](N", one * random.choice((10, 3_000)), end, b"e")), None


def nested(random: Random) -> Made:
    depth = random.choice((10, 20_000))
    inner = random.choice((b"]" * depth + b"a" * (depth - 1), b")" + b"\x85" * depth))
    if random.randrange(2):
        return zipped(program(inner)), None
    encoded = b'{"__metadata__":{"tensorglass":"' + b"[" * depth + b"]" * depth + b'"}}'
    return safetensors(encoded), "refused"


# --- files that make no sense -----------------------------------------------------------------------------------------


def nonsense(random: Random) -> Made:
    """Valid opcodes in a random order."""
    words = (
        *(bytes([byte]) for byte in b"()]}\x8fN\x880aesubtR\x81Q\x90\x85\x86\x87\x94"),
        b"h\x00", b"h\x01", b"q\x00", b"q\x01", number(1), number(-3), number(2**70),
        text("0"), text("storage"), text("__class__"), ORDERED, storage(),
        tensor(storage()), tensor(storage(), metadata=NEGATED), name("torch", "Size"), name("torch", "device"),
        name("torch", "float32"), name("torch._utils", "_rebuild_tensor_v2"), name("builtins", "set"),
        name("torch._tensor", "_rebuild_from_type_v2"), name("_codecs", "encode"), name("os", "system"),
    )  # fmt: skip
    return zipped(program(*random.choices(words, k=random.randrange(1, 30)))), None


def geometry(random: Random) -> Made:
    """Tensors whose headers are chosen among the numbers at which arithmetic goes wrong."""
    numbers = (0, 1, 2, 3, 2**31, 2**32, 2**61, 2**62, 2**63 - 1)
    dims = random.randrange(4)
    size, stride = (tuple(random.choices(numbers, k=dims)) for _ in range(2))
    offset, negated = random.choice(numbers), random.choice(((), NEGATED))
    if random.randrange(2):
        return zipped(program(tensor(storage(), offset, size, stride, metadata=negated))), None
    row = {"entry": "a", "size": size, "stride": stride, "offset": offset}
    return described(tensors=[row]), None


def header(random: Random) -> Made:
    """Safetensors headers with one wrong entry."""
    facts = random.choice((
        {"shape": [random.choice((-1, 3, 2**40, 2**63, True, 2.0, "2"))]},
        {"dtype": random.choice(("F31", None, [], 4))},
        {"data_offsets": random.choice(([8, 0], [0, 9], [4, 12], [0, 2**63], [0], 0))}, {"more": 1},
    ))  # fmt: skip
    return safetensors({"a": entry(**facts)}, bytes(8)), "refused"


def flat(random: Random) -> Made:
    """Valid safetensors files of random bytes."""
    described, end = {}, 0
    for place in range(random.randrange(1, 5)):
        shape = [random.randrange(4) for _ in range(random.randrange(3))]
        nbytes = 2 * int(numpy.prod(shape))
        described[f"t{place}"] = {"dtype": "I16", "shape": shape, "data_offsets": [end, end + nbytes]}
        end += nbytes
    return safetensors(described, random.randbytes(end)), "read"


KINDS: dict[str, Callable[[Random], Made]] = {
    kind.__name__: kind
    for kind in (
        attribute, overlaps, rebuilds, collisions, copies, floods, nested, nonsense, geometry, header, flat
    )
}  # fmt: skip
