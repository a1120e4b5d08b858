"""`save`: what kind of file the name asks for, and what is written into it."""

from __future__ import annotations

import os
import pickle
from typing import Any

from tensorglass.serialization.opening import is_path, opened_to_write

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
            from tensorglass.serialization import zip_io  # when it is needed: imports should be quick

            zip_io.write(obj, file)
        else:
            from tensorglass.serialization import safetensors_io

            safetensors_io.write(obj, file)
