"""`save` and `load`: what kind of file it is."""

from __future__ import annotations

import os
import pickle
from typing import Any

from tensorglass.core.errors import explained, warn
from tensorglass.serialization.locations import placing
from tensorglass.serialization.opening import is_path, mapped, opened_to_read, opened_to_write

#: Names that PyTorch's own files have.
ZIP_SUFFIXES = (".pt", ".pth", ".tar", ".ckpt")


def save(obj: Any, f: Any, pickle_module: Any = pickle, pickle_protocol: int = 2) -> None:
    """Save tensors, and the plain data around them, to a file: a path, or an object with a method `write`.

    A path that ends in .pt, .pth, .tar or .ckpt becomes a zip file that PyTorch's `torch.load` reads as well; every
    other file is a safetensors file. `load` reads both. What may be saved is a tensor, a number, string, bytes, None,
    `torch.Size`, a dtype or a device, and dicts, lists, tuples and sets of these, in any depth; TypeError for all else.

    Bytes that no tensor shows are left out: saving a slice saves the slice. Tensors that share memory share it when
    they are loaded, and their bytes are saved once. A file that was there before is replaced when the new one is
    complete, else it stays as it was. `pickle_module` and `pickle_protocol` are accepted, and change nothing.

    >>> import io
    >>> import tensorglass as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2), "step": 3}, file)
    >>> start = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.]), 'step': 3}
    """
    with opened_to_write(f) as file:
        if is_path(f) and os.fspath(f).endswith(ZIP_SUFFIXES):
            from tensorglass.serialization import zip_io  # not imported until needed

            zip_io.write(obj, file)
        else:
            from tensorglass.serialization import safetensors

            safetensors.write(obj, file)


_FAILED = "Weights only load failed."


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | str | None = None,
    **pickle_load_args: Any,
) -> Any:
    """What was saved in a file: a safetensors file, or one that PyTorch's `torch.save` wrote since version 1.6.

    `f` is a path or a file that can be read and sought in; what is in it decides how it is read, not its name. A file
    is data: it cannot make this function run anything, whatever `weights_only` says, and a file that asks for more than
    tensors, numbers, strings and containers is refused with `pickle.UnpicklingError`. A file that is cut off or not
    what it says is refused with RuntimeError.

    Each storage goes to the device that it was saved from, or where `map_location` says: a device, a dict of such, or a
    function of the storage and of that device's name. With `mmap=True` and a path, bytes are mapped from the file and
    read as they are looked at; what is written to them stays in memory. If a mapped file is cut short, the system ends
    the process (SIGBUS), so RuntimeError refuses a file that other users may write to: one that belongs to another
    user than this one and root, or whose mode lets a group or everybody write. ``mmap="trusted"`` maps such a file too.
    """
    if pickle_module is not None:
        raise explained(
            RuntimeError("Can not safely load weights when explicit pickle_module is specified"),
            "tensorglass reads a checkpoint itself, as data: no pickle module is used.",
        )
    if pickle_load_args and weights_only is not False:
        warn("pickle_load_args only works if `weights_only=False`.")
    place = placing(map_location)
    if mmap and not is_path(f):
        raise ValueError("f must be a file path in order to use the mmap argument")
    with opened_to_read(f) as file:
        here = file.tell()
        head = file.read(9)
        file.seek(here)
        whole = mapped(file, os.fspath(f), is_trusted=mmap == "trusted") if mmap and head else None
        # Not imported until needed.
        if head.startswith(b"PK"):
            from tensorglass.serialization import zip_io

            return zip_io.read(file, place, whole)
        if head[8:] == b"{" or (head and is_path(f) and os.fspath(f).endswith(".safetensors")):
            from tensorglass.serialization import safetensors

            return safetensors.read(file, place, whole)
    raise _unknown(head, here)


def _unknown(head: bytes, here: int) -> Exception:
    if not head and here:
        return explained(EOFError(), f"The file stands at byte {here}, its end: seek(0) goes back to its beginning.")
    if not head:
        return explained(EOFError(), "The file is empty.")
    error = pickle.UnpicklingError(
        f"{_FAILED} This is neither a safetensors file nor a zip file that torch.save has written."
    )
    if head.startswith(b"\x80"):
        return explained(
            error,
            "It begins as a pickle does, or as files of PyTorch before 1.6 do. To read a pickle is to run it. If you "
            "trust this one, load it with PyTorch and save it again.",
        )
    return explained(error, f"It begins with {head!r}.")
