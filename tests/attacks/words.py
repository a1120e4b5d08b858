"""The words that files are made of: safetensors headers, zip archives, and the opcodes of pickles."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile

# --- safetensors -------------------------------------------------------------------------------------------------


def safetensors(header, contents=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + contents


def entry(**other):
    return {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | other


def described(**other):
    ours = {"version": 1, "entries": {}, "tensors": [{"entry": "a"}], "data": {"tensor": 0}} | other
    return safetensors({"a": entry(), "__metadata__": {"tensorglass": json.dumps(ours)}}, bytes(8))


# --- zip ---------------------------------------------------------------------------------------------------------


def zipped(pickled, contents=bytes(8), compression=zipfile.ZIP_STORED, **more):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in ({"data.pkl": pickled, "data/0": contents, "version": b"3\n"} | more).items():
            archive.writestr(f"archive/{name}", data)
    return file.getvalue()


def program(*words):
    """A pickle of these opcodes."""
    return pickle.PROTO + b"\x02" + b"".join(words) + pickle.STOP


def text(value):
    return pickle.BINUNICODE + struct.pack("<I", len(value)) + value.encode()


def number(value):
    data = pickle.encode_long(value)
    return pickle.LONG1 + bytes([len(data)]) + data


def name(module, name):
    return pickle.GLOBAL + f"{module}\n{name}\n".encode()


def sequence(*parts):
    return pickle.MARK + b"".join(parts) + pickle.TUPLE


def storage(key="0", numel=2, kind="FloatStorage", location="cpu"):
    words = text("storage"), name("torch", kind), text(key), text(location), number(numel)
    return sequence(*words) + pickle.BINPERSID


def tensor(stored, offset=0, size=(2,), stride=(1,), requires_grad=pickle.NEWFALSE, metadata=()):
    header = number(offset), sequence(*map(number, size)), sequence(*map(number, stride))
    arguments = sequence(stored, *header, requires_grad, name("collections", "OrderedDict") + b")R", *metadata)
    return name("torch._utils", "_rebuild_tensor_v2") + arguments + pickle.REDUCE


ORDERED = name("collections", "OrderedDict") + b")R"
NEGATED = (b"}" + text("neg") + pickle.NEWTRUE + pickle.SETITEM,)
