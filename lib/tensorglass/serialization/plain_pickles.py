"""What plain pickles of PyTorch's tensors call, under PyTorch's names: ``pickle.load`` looks them up and calls them.

Python's unpickler runs whatever a pickle names, so such pickles are read only from where programs are taken from, too.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from tensorglass.serialization.files import read_into
from tensorglass.serialization.locations import placing
from tensorglass.serialization.objects import rebuilt_from_type, rebuilt_parameter, unwrapping
from tensorglass.serialization.unpickled import MEANINGS
from tensorglass.serialization.zip_io import rebuild_from_bytes, rebuild_on_meta, rebuild_tensor
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage

_MAGIC_NUMBER = 0x1950A86A20F9469CFC6C

_rebuild_tensor = _rebuild_tensor_v2 = unwrapping(rebuild_tensor)
_rebuild_tensor_v3 = unwrapping(rebuild_from_bytes)
_rebuild_meta_tensor_no_storage = rebuild_on_meta
_rebuild_parameter = _rebuild_parameter_with_state = rebuilt_parameter
_rebuild_from_type_v2 = rebuilt_from_type


def _load_from_bytes(b: bytes) -> TypedStorage:
    """A storage, out of the file that PyTorch's storages are pickled as: pickles one after the other, then bytes."""
    file = io.BytesIO(b)
    if pickle.load(file) != _MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    for _ in ("the version", "the sizes of the writer's integers"):
        pickle.load(file)
    (_, kind, _, location, numel, _) = _Described(file).load()
    pickle.load(file)  # the names of the storages: there is one
    file.read(8)  # its length
    storage = UntypedStorage(numel * kind.dtype.itemsize, device="cpu")
    read_into(file, storage.buffer)
    return TypedStorage._of(placing(None)(storage, location), kind.dtype)


class _Described(pickle.Unpickler):
    """Reads what is said of a storage: its class, name, location and length."""

    def find_class(self, module: str, name: str) -> Any:
        return MEANINGS[f"{module}.{name}"]

    def persistent_load(self, saved_id: Any) -> Any:
        return saved_id
