"""`save` and `load`, which choose the file format."""

from __future__ import annotations

import os
import pickle
from typing import Any

from tensorglass.core.errors import explained, warn
from tensorglass.serialization import settings
from tensorglass.serialization.files import is_path, mapped, opened_to_read, opened_to_write
from tensorglass.serialization.locations import placing
from tensorglass.serialization.settings import DEFAULT_PROTOCOL
from tensorglass.serialization.tree import is_data

#: Names that PyTorch's own files have.
ZIP_SUFFIXES = (".pt", ".pth", ".tar", ".ckpt")


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Save tensors, and the data around them, to a file: a path, or an object with a method `write`.

    A path that ends in .pt, .pth, .tar or .ckpt becomes a zip file that PyTorch's `torch.load` reads as well; other
    files become safetensors files if all in them is data: tensors, numbers, strings, bytes, None, `torch.Size`, dtypes
    and devices, in dicts, lists, tuples and sets. `load` reads both. Objects of other classes, such as whole networks
    and arguments of programs, are pickled into a zip file by `pickle_module` in `pickle_protocol`, and `load` reads
    them with `weights_only=False`.

    Of data, bytes that no tensor shows are left out: saving a slice saves the slice. Tensors that share memory share it
    when they are loaded, and their bytes are saved once. A file that was there before is replaced when the new one is
    complete, else it stays as it was. Of a tensor on `meta` a zip file keeps size, stride and dtype. The last two
    arguments change nothing: every PyTorch since 1.6 reads zip files, and they name the order of their bytes.

    >>> import io
    >>> import tensorglass as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2), "step": 3}, file)
    >>> start = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.]), 'step': 3}
    """
    name = os.fspath(f) if is_path(f) else ""
    with opened_to_write(f) as file:
        has_zip_name = name.endswith(ZIP_SUFFIXES)
        if has_zip_name or not (name.endswith(".safetensors") or (is_data(obj) and not settings.is_skipping)):
            from tensorglass.serialization import zip_io  # not imported until needed

            if is_data(obj):
                zip_io.write(obj, file)
            else:
                zip_io.write_objects(obj, file, pickle_module, pickle_protocol)
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

    `f` is a path or a file that can be read and sought in; what is in it decides how it is read, not its name. With
    `weights_only`, which is the default, a file is data: it cannot make this function run anything, and a file that
    asks for more than tensors, numbers, strings and containers is refused with `pickle.UnpicklingError`, unless
    `serialization.add_safe_globals` has been given what it asks for. With `weights_only=False` the file is run: its
    author decides what it does, so load only what you trust. `pickle_module` and further arguments are its unpickler's.
    A file that is cut off or not what it says is refused with RuntimeError.

    Each storage goes to the device that it was saved from, or where `map_location` says: a device, a dict of such, or a
    function of the storage and of that device's name. With ``map_location="meta"`` no tensor's bytes are read. With
    `mmap=True` and a path, bytes are mapped from the file and read as they are looked at; what is written to them stays
    in memory. If a mapped file is cut short, the system ends the process (SIGBUS), so RuntimeError refuses a file that
    other users may write to: one that belongs to another user than this one and root, or whose mode lets a group or
    everybody write. ``mmap="trusted"`` maps such a file too.
    """
    weights_only = _is_weights_only(weights_only, pickle_module)
    if pickle_module is not None and weights_only:
        raise explained(
            RuntimeError("Can not safely load weights when explicit pickle_module is specified"),
            "As data, tensorglass reads a checkpoint itself: no pickle module is used.",
        )
    if pickle_load_args and weights_only:
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

            run_by = None if weights_only else pickle_module or pickle
            return zip_io.read(file, place, whole, run_by, {"encoding": "utf-8", **pickle_load_args})
        if head[8:] == b"{" or (head and is_path(f) and os.fspath(f).endswith(".safetensors")):
            from tensorglass.serialization import safetensors

            return safetensors.read(file, place, whole)
    raise _unknown(head, here)


def _is_weights_only(said: bool | None, pickle_module: Any) -> bool:
    """Whether a file is read as data only: forced by the environment, chosen by the caller, or the default."""
    forces, frees = (
        os.environ.get(name, "0").lower() in ("1", "y", "yes", "true")
        for name in ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    )
    if forces and frees:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both "
            "were set."
        )
    if forces:
        return True
    if said is None and frees:
        warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
            "explicitly passed to `torch.load`, forcing weights_only=False."
        )
        return False
    return pickle_module is None if said is None else said


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The classes and functions that a checkpoint asks for, and that `load` refuses by default."""
    from tensorglass.serialization import zip_io
    from tensorglass.serialization.safe_globals import trusted

    with opened_to_read(f) as file:
        return [name for name in zip_io.not_data_in(file) if name not in trusted()]


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
