"""Files that are written whole or not at all, and files to read from.

A file is written beside its place, under another name, and takes its place when it is complete. Who reads the old file,
or has it mapped, keeps the old file; who fails leaves it as it was.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeGuard

from tensorglass.core.errors import explained


def is_path(f: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether `f` names a file, rather than being one."""
    return isinstance(f, str | os.PathLike)


@contextmanager
def opened_to_write(f: Any) -> Iterator[BinaryIO]:
    """`f`, a path or a file, to write to. A file at a path appears, or is replaced, when the block has ended well."""
    if not is_path(f):
        if not hasattr(f, "write"):
            raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
        yield f
        if hasattr(f, "flush"):
            f.flush()
        return
    path = os.path.realpath(f)  # a link stays, and what it points to is replaced
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        if os.path.isdir(path):
            raise RuntimeError(f"File {os.fspath(f)} cannot be opened: it is a directory.")
        with open(path, "wb") as device:  # such as a pipe
            yield device
        return
    with _replacing(path, os.fspath(f)) as file:
        yield file


@contextmanager
def _replacing(path: str, shown: str) -> Iterator[BinaryIO]:
    beside = f"{path}.{os.urandom(4).hex()}.part"
    try:
        file = open(beside, "xb")  # noqa: SIM115  # closed below, before it is renamed
    except FileNotFoundError:
        if os.path.isdir(os.path.dirname(path)):  # of a kind in which no files are made
            raise
        raise RuntimeError(f"Parent directory {os.path.dirname(shown)} does not exist.") from None
    try:
        with file:
            yield file
        if os.path.exists(path):
            from shutil import copymode  # when it is needed: it fetches every compression

            copymode(path, beside)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


@contextmanager
def opened_to_read(f: Any) -> Iterator[BinaryIO]:
    """`f`, a path or a file, to read from its present position on."""
    if is_path(f):
        with open(f, "rb") as file:
            yield file
        return
    try:
        f.seek(f.tell())
    except (AttributeError, OSError) as error:
        raise explained(
            type(error)(
                f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a "
                "buffer like io.BytesIO and try to load from it instead."
            ),
        ) from None
    yield f


def length_of(file: BinaryIO) -> int:
    """How many bytes there are from the present position to the end."""
    here = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(here)
    return (file.tell() if end is None else end) - here


def read_into(file: BinaryIO, buffer: Any) -> None:
    """Fill a host array of bytes from a file; EOFError if the file ends before."""
    view = memoryview(buffer)
    while len(view):
        if hasattr(file, "readinto"):
            got = file.readinto(view)
        else:
            data = file.read(len(view))
            got = len(data)
            view[:got] = data
        if not got:
            raise EOFError
        view = view[got:]
