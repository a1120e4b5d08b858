"""CPU memory that several processes share: anonymous shared memory, and memory-mapped files.

A block of shared memory has no name. It is only reached through a file descriptor, which can be sent to other
processes. The system frees it when the last process that has it open ends, however that happens. So a killed process
leaves nothing behind.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from operator import index
from typing import TYPE_CHECKING

from tensorglass.backends.base import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.errors import explained

if TYPE_CHECKING:
    import mmap


class Descriptor:
    """A file descriptor that is closed when nobody refers to it any more."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __del__(self) -> None:
        os.close(self.fd)


class SharedBlock:
    """A run of bytes in shared memory or in a file, mapped into this process."""

    __slots__ = ("__weakref__", "array", "descriptor", "filename", "token")

    array: Array  #: the bytes: a one-dimensional uint8 array that keeps the mapping alive
    descriptor: Descriptor | None  #: the descriptor for other processes; None: the bytes are private to this process
    token: bytes  #: a unique token, the same in every process that has mapped the bytes
    filename: str | None  #: of the file, if writes go to one

    def __init__(self, array: Array, fd: int | None, token: bytes | None = None, filename: str | None = None) -> None:
        self.array = array
        self.descriptor = None if fd is None else Descriptor(fd)
        self.token = token or os.urandom(16)
        self.filename = filename


def new_block(nbytes: int) -> SharedBlock:
    """A block of `nbytes` new bytes, all 0, in shared memory."""
    try:
        fd = _open_anonymous()
    except OSError as error:
        raise _cannot("open shared memory object <anonymous> in read-write mode", error) from None
    try:
        os.ftruncate(fd, max(index(nbytes), 1))  # an empty file cannot be mapped
        return mapped(fd, nbytes)
    except OSError as error:
        raise _cannot(f"mmap {nbytes} bytes from file <anonymous>", error) from None
    finally:
        os.close(fd)


def mapped(fd: int, nbytes: int, token: bytes | None = None, filename: str | None = None) -> SharedBlock:
    """The block behind a file descriptor, which is duplicated. OSError if there is no room."""
    return SharedBlock(_array_of(_map(fd, max(nbytes, 1)), nbytes), os.dup(fd), token, filename)


def file_block(filename: str, shared: bool, nbytes: int) -> SharedBlock:
    """The first `nbytes` bytes of a file.

    If `shared`, writes go to the file, which is created or extended if necessary. If not, the file is only read, and
    writes stay in this process.
    """
    if not isinstance(filename, str):
        raise TypeError(f"argument 1 must be str, not {type(filename).__name__}")
    if shared and sys.platform == "emscripten":
        raise explained(
            NotImplementedError(f"no file can be mapped for writing on '{sys.platform}'"),
            "What is written would not reach the file. shared=False reads it, and torch.save writes one.",
        )
    if index(nbytes) == 0:
        return SharedBlock(HOST.xp.empty(0, "uint8"), None, filename=filename if shared else None)
    try:
        fd = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o666)
    except OSError as error:
        raise _cannot(f"open file <{filename}> in {'read-write' if shared else 'read-only'} mode", error) from None
    try:
        length = os.fstat(fd).st_size
        if nbytes < 0:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        if shared:
            if nbytes > length:
                os.ftruncate(fd, nbytes)
            return mapped(fd, nbytes, filename=filename)
        _check_length(filename, length, nbytes)
        return private_block(fd, nbytes)
    except OSError as error:
        raise _cannot(f"mmap {nbytes} bytes from file <{filename}>", error) from None
    finally:
        os.close(fd)


def private_block(fd: int, nbytes: int) -> SharedBlock:
    """The first `nbytes` bytes of an open file; writes stay in this process."""
    import mmap

    # No descriptor is kept: other processes would see the file, not what was written here.
    return SharedBlock(_array_of(mmap.mmap(fd, nbytes, access=mmap.ACCESS_COPY), nbytes), None)


def _check_length(filename: str, length: int, nbytes: int) -> None:
    if nbytes > length:
        raise explained(
            RuntimeError(f"file <{filename}> size <{length}> is smaller than the required mapping size <{nbytes}>"),
            "With shared=True the file is made longer.",
        )


def _open_anonymous() -> int:
    """The descriptor of new shared memory without a name (or with its name already removed)."""
    if hasattr(os, "memfd_create"):  # Linux
        return os.memfd_create("tensorglass")
    try:
        posix = import_module("_posixshmem")  # what the standard library's `shared_memory` uses
    except ImportError:
        raise explained(
            NotImplementedError(f"tensors cannot be shared between processes on '{sys.platform}'"),
            "That needs POSIX shared memory, which Linux and macOS have. Tensors can be sent as copies: pickle.dumps.",
        ) from None
    name = f"/tg_{os.urandom(8).hex()}"  # macOS allows 31 characters
    fd: int = posix.shm_open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode=0o600)
    posix.shm_unlink(name)
    return fd


def _map(fd: int, length: int) -> mmap.mmap:
    import mmap  # imported here, so that importing the library stays quick

    if sys.version_info >= (3, 13):
        return mmap.mmap(fd, length, trackfd=False)
    return mmap.mmap(fd, length)  # keeps a second descriptor


def _array_of(mapping: mmap.mmap, nbytes: int) -> Array:
    return HOST.xp.frombuffer(mapping, "uint8")[:nbytes]


def _cannot(what: str, error: OSError) -> RuntimeError:
    said = RuntimeError(f"unable to {what}: {error.strerror} ({error.errno})")
    if error.errno == errno.EMFILE:
        return explained(said, "Each shared storage holds a file descriptor; `ulimit -n` says how many there may be.")
    return said
