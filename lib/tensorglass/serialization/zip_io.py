"""Tensors into PyTorch's zip files, and out of them.

Such a file is an uncompressed zip archive: ``data.pkl``, a pickle of the data that refers to storages by the names of
records; a record for each storage, ``data/0``, ``data/1``, …; and a few records that say how to read them. The pickle
is read by `unpickled`, which can only build data, and no record is larger than the file.
"""

from __future__ import annotations

import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.ops.copies.copy_pickle import rebuild, rebuild_parameter
from tensorglass.ops.creation.fill import empty_strided
from tensorglass.serialization import settings
from tensorglass.serialization.files import length_of, read_into
from tensorglass.serialization.locations import Placing, placing, without_data
from tensorglass.serialization.objects import Storages, dumped, loaded, rebuilt_from_type, rebuilt_parameter
from tensorglass.serialization.pickled import Parts, StorageKey, Writer
from tensorglass.serialization.runs import find_runs
from tensorglass.serialization.safe_globals import not_data, trusted
from tensorglass.serialization.tree import Tree
from tensorglass.serialization.unpickled import Machine, Named, Stored, refused, set_attributes
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.hooks import warn_if_has_hooks
from tensorglass.tensor.tensor import Tensor

_ALIGNMENT = 64  #: bytes: where records of storages begin, for readers that map them
_FOLDER = "archive"
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # a signature, and the lengths of name and extra field
_BEYOND_32_BITS = 0x7000_0000  # bytes from which `zipfile` is told to use wide fields: well below its limit of 2**31


# --- writing ---------------------------------------------------------------------------------------------------------


def write(data: Any, file: BinaryIO) -> None:
    """Write plain data with tensors in it, as PyTorch reads it."""
    tensors = Tree(data).tensors
    for tensor in tensors:
        warn_if_has_hooks(tensor)
    runs = find_runs([tensor for tensor in tensors if not tensor.is_meta])
    parts: dict[int, Parts] = {}
    for number, run in enumerate(runs):
        key = StorageKey(str(number), run.dtype, str(run.storage.device), run.nbytes)
        for member in run.members:
            parts[id(member.tensor)] = (key, member.offset, member.size, member.stride, member.conj)
    pickled = Writer(lambda tensor: parts[id(tensor)]).dump(data)
    _write_archive(file, pickled, [run.contents for run in runs])


def write_objects(data: Any, file: BinaryIO, pickle_module: Any, protocol: int) -> None:
    """Write objects of any class, as PyTorch reads them; the storages of tensors in them are written whole."""
    storages = Storages()
    pickled = dumped(data, storages, pickle_module, protocol)
    _write_archive(file, pickled, [partial(storage.backend.to_host, storage.buffer) for storage in storages.found])


def _write_archive(file: BinaryIO, pickled: bytes, contents: list[Callable[[], Any]]) -> None:
    archive = zipfile.ZipFile(file, "w")
    try:
        _add(archive, "data.pkl", pickled)
        _add(archive, "byteorder", sys.byteorder.encode())
        for number, bytes_of in enumerate(contents):
            data = memoryview(bytes_of())
            _add(archive, f"data/{number}", bytes(data.nbytes) if settings.is_skipping else data)
        _add(archive, "version", b"3\n")
        archive.close()
    except BaseException:
        archive.fp = None  # closing an unfinished archive would raise another error
        raise


def _add(archive: zipfile.ZipFile, name: str, data: Any) -> None:
    """Add a record, with an extra field that makes its bytes begin at a multiple of `_ALIGNMENT`."""
    record = zipfile.ZipInfo(f"{_FOLDER}/{name}")
    record.file_size = len(data)
    is_wide = len(data) >= _BEYOND_32_BITS
    begin = archive.start_dir + _LOCAL_HEADER.size + len(record.filename) + 4 + (20 if is_wide else 0)
    padding = -begin % _ALIGNMENT
    record.extra = struct.pack("<2sH", b"FB", padding) + bytes(padding)
    with archive.open(record, "w", force_zip64=is_wide) as target:
        target.write(data)


# --- reading ---------------------------------------------------------------------------------------------------------


def read(file: BinaryIO, place: Placing, whole: UntypedStorage | None, run_by: Any = None, options: Any = None) -> Any:
    """What is in a checkpoint. Its storages are parts of `whole`, the mapped file, or copied if that is None.

    It is read as data, unless `run_by` is a pickle module; then its unpickler runs it, with `options`.
    """
    end = file.tell() + length_of(file)
    try:
        archive = zipfile.ZipFile(file)
    except Exception as error:  # the table may hold anything, and zipfile raises errors of many types
        raise _broken("failed finding central directory", error) from None
    with archive:
        return _Checkpoint(archive, file, end, place, whole).load(run_by, options or {})


def not_data_in(file: BinaryIO) -> list[str]:
    """The classes and functions that a checkpoint names, and that are not those of data."""
    end = file.tell() + length_of(file)
    with zipfile.ZipFile(file) as archive:
        pickled = _Checkpoint(archive, file, end, placing(None), None)._bytes_of("data.pkl")
    return not_data(pickled, _REBUILDERS)


def _broken(what: str, error: Exception | None = None) -> RuntimeError:
    said = RuntimeError(
        f"PytorchStreamReader failed reading zip archive: {what}. This is an internal miniz error. If you are seeing "
        "this error, there is a high likelihood that your checkpoint file is corrupted. This can happen if the "
        "checkpoint was not saved properly, was transferred incorrectly, or the file was modified after saving."
    )
    return said if error is None else explained(said, f"{type(error).__name__}: {error}")


class _Checkpoint:
    def __init__(
        self, archive: zipfile.ZipFile, file: BinaryIO, end: int, place: Placing, whole: UntypedStorage | None
    ) -> None:
        self._archive = archive
        self._file = file
        self._end = end
        self._place = place
        self._whole = whole
        self._storages: dict[str, Stored] = {}
        self._left = end  # bytes that the records not yet read may have; overlapping records have more than the file
        pickles = [name for name in archive.namelist() if name.count("/") == 1 and name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise explained(
                _broken("file not found: data.pkl"), "It is a zip file, but not one that torch.save has written."
            )
        self._folder = pickles[0].removesuffix("data.pkl")
        self._names = set(archive.namelist())

    def load(self, run_by: Any, options: dict[str, Any]) -> Any:
        if f"{self._folder}constants.pkl" in self._names:
            raise explained(
                RuntimeError("Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``."),
                "It is a program that torch.jit.save has written, and holds code.",
            )
        order = self._bytes_of("byteorder") if f"{self._folder}byteorder" in self._names else _default_order()
        if order not in (b"little", b"big"):
            raise ValueError(f"Unknown endianness type: {order.decode(errors='replace')}")
        self._byte_order = order.decode()
        pickled = self._bytes_of("data.pkl")
        if run_by is not None:
            return loaded(pickled, _RUN_BY_PICKLE, self._storage, run_by, **options)
        return Machine(_REBUILDERS, self._storage, trusted()).load(pickled)

    def _record(self, name: str) -> zipfile.ZipInfo:
        try:
            record = self._archive.getinfo(self._folder + name)
        except KeyError:
            raise _broken(f"file not found: {self._folder}{name}") from None
        if record.compress_type != zipfile.ZIP_STORED or record.flag_bits & 1:
            raise explained(
                _broken(f"record {record.filename} is compressed or encrypted"), "torch.save writes records plainly."
            )
        if record.file_size > self._end or record.compress_size != record.file_size:
            raise _broken(f"record {record.filename} is larger than the file")
        self._left -= record.file_size
        if self._left < 0:
            raise _broken(f"its records overlap: up to {record.filename}, they have more bytes than the file")
        return record

    def _begin_of_record(self, record: zipfile.ZipInfo) -> int:
        """The position in the file at which a record's bytes begin."""
        if record.header_offset < 0:  # the directory's offset is wrong
            raise _broken(f"record {record.filename} begins before the file")
        self._file.seek(record.header_offset)
        header = self._file.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
            raise _broken(f"record {record.filename} has no header")
        _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        begin: int = record.header_offset + _LOCAL_HEADER.size + name_length + extra_length
        if begin + record.file_size > self._end:
            raise _broken(f"record {record.filename} is larger than the file")
        return begin

    def _bytes_of(self, name: str) -> bytes:
        record = self._record(name)
        data = bytearray(record.file_size)
        self._read_into(record, data)
        return bytes(data)

    def _read_into(self, record: zipfile.ZipInfo, target: Any) -> None:
        self._file.seek(self._begin_of_record(record))
        read_into(self._file, target)
        if zlib.crc32(target) != record.CRC:
            raise _broken(f"the checksum of record {record.filename} does not match")

    def _storage(self, dtype: DType, key: str, location: str, numel: int) -> Stored:
        """The storage of a record, once."""
        stored = self._storages.get(key)
        if stored is None:
            record = self._record(f"data/{key}")
            if record.file_size != numel * dtype.itemsize:
                raise refused(f"Storage {key} should have {numel * dtype.itemsize} bytes, and has {record.file_size}.")
            if self._place is without_data:  # no byte is read
                storage = UntypedStorage(record.file_size, device="meta")
            elif self._whole is None:
                storage = UntypedStorage(record.file_size, device="cpu")
                if not settings.is_skipping:
                    self._read_into(record, storage.buffer)
            else:
                begin = self._begin_of_record(record)
                storage = self._whole[begin : begin + record.file_size]
            if self._byte_order != sys.byteorder and self._place is not without_data:
                storage.byteswap(dtype)
            stored = self._storages[key] = Stored(self._place(storage, location), dtype)
        elif stored.dtype is not dtype or stored.storage.nbytes() != numel * dtype.itemsize:
            raise refused(f"Storage {key} is of two kinds.")
        return stored


# --- tensors out of their parts --------------------------------------------------------------------------------------


def rebuild_tensor(
    stored: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any = False,
    hooks: Any = None,
    metadata: Any = None,
) -> Tensor:
    """`torch._utils._rebuild_tensor_v2`; its first version had four arguments."""
    if type(stored) is not Stored or type(size) is not tuple or type(stride) is not tuple:
        raise TypeError("a tensor is made of a storage, an offset, a size and a stride")
    _check_header(offset, size, stride)
    flags = metadata or {}
    conj = flags.get("conj") is True and stored.dtype.is_complex
    storage = stored.negated() if flags.get("neg") is True else stored.storage
    return rebuild(storage, size, stride, offset, stored.dtype, requires_grad is True, conj)


def _check_header(offset: Any, size: tuple[Any, ...], stride: tuple[Any, ...]) -> None:
    if any(type(number) is not int or not 0 <= number < 2**63 for number in (offset, *size, *stride)):
        raise ValueError("offsets, sizes and strides are integers from 0 to 2^63 - 1")
    if len(size) != len(stride) or len(size) > 64:
        raise ValueError(f"{len(stride)} strides for {len(size)} dimensions")


def rebuild_on_meta(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Tensor:
    """`torch._utils._rebuild_meta_tensor_no_storage`: a header, wherever `map_location` says."""
    if type(dtype) is not DType or type(size) is not tuple or type(stride) is not tuple:
        raise TypeError("a tensor without data is made of a dtype, a size and a stride")
    _check_header(0, size, stride)
    return empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=requires_grad is True)


def rebuild_from_bytes(
    stored: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Tensor:
    """`torch._utils._rebuild_tensor_v3`: of a storage that does not say its dtype."""
    if type(stored) is not Stored or type(dtype) is not DType:
        raise TypeError("a tensor is made of a storage, an offset, a size, a stride and a dtype")
    if metadata and metadata.get("neg") is True:
        raise ValueError("only a storage with a dtype of its own is negated")
    return rebuild_tensor(Stored(stored.storage, dtype), offset, size, stride, requires_grad, hooks, metadata)


def _rebuild_parameter(data: Any, requires_grad: Any, hooks: Any, state: Any = None) -> Tensor:
    if type(data) is not Tensor:
        raise TypeError("a parameter is made of a tensor")
    return _with_state(rebuild_parameter(data, requires_grad is True), state)


def _rebuild_with_state(function: Any, kind: Any, arguments: Any, state: Any) -> Tensor:
    """`torch._tensor._rebuild_from_type_v2`: a tensor with attributes that the user set."""
    if type(function) is not Named or function.name not in _REBUILDERS or function.call is None:
        raise TypeError("a tensor is rebuilt by a function that rebuilds tensors")
    if any(kind is function for function in trusted().values()):
        return rebuilt_from_type(function.call, kind, arguments, state)
    if type(kind) is not Named or kind.name not in ("torch.Tensor", "torch.nn.parameter.Parameter"):
        raise TypeError("only plain tensors and parameters are rebuilt")
    result = function.call(*arguments)
    is_to_be = kind.name == "torch.nn.parameter.Parameter" and type(result) is Tensor
    return _with_state(rebuild_parameter(result, result.requires_grad) if is_to_be else result, state)


def _with_state(tensor: Tensor, state: Any) -> Tensor:
    set_attributes(tensor, (state[0] if type(state) is tuple and state else state) or {})
    return tensor


_REBUILDERS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": rebuild_tensor,
    "torch._utils._rebuild_tensor_v3": rebuild_from_bytes,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter,
    "torch._utils._rebuild_meta_tensor_no_storage": rebuild_on_meta,
    "torch._tensor._rebuild_from_type_v2": _rebuild_with_state,
}
#: The same, for pickles that are run.
_RUN_BY_PICKLE = _REBUILDERS | {
    "torch._utils._rebuild_parameter": rebuilt_parameter,
    "torch._utils._rebuild_parameter_with_state": rebuilt_parameter,
    "torch._tensor._rebuild_from_type_v2": rebuilt_from_type,
}


def _default_order() -> bytes:
    chosen = settings.get_default_load_endianness()
    if chosen is settings.LoadEndianness.NATIVE:
        return sys.byteorder.encode()
    return b"big" if chosen is settings.LoadEndianness.BIG else b"little"
