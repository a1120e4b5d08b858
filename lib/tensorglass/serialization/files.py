"""Files that are written atomically, files to read from, and memory-mapped files.

A file is moved to its path when it is complete. Until then it has no name, or, if the system has no unnamed files, the
name ``….part`` in the same folder. A process that reads or maps the old file keeps seeing the old file, and a save that
fails or is killed leaves it unchanged.

A mapping always shows the file's present contents. If another process writes to the file, loaded tensors change; if it
truncates the file, the system kills this process with SIGBUS when a tensor is read. No library can turn that into an
error, so `mapped` refuses files that others may write to.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, TypeGuard

from tensorglass.backends.shared_blocks import private_block
from tensorglass.core.errors import explained
from tensorglass.storage.storage import UntypedStorage

# Windows has other locks; in WebAssembly no other process uses the files.
if sys.platform not in ("win32", "emscripten"):
    import fcntl


def is_path(f: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether `f` names a file, rather than being one."""
    return isinstance(f, str | os.PathLike)


@contextmanager
def opened_to_write(f: Any) -> Iterator[BinaryIO]:
    """Open `f`, a path or a file, for writing. The file at a path is created or replaced when the block ends without
    error.
    """
    if not is_path(f):
        if not hasattr(f, "write"):
            raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
        yield f
        if hasattr(f, "flush"):
            f.flush()
        return
    old = _facts(f)
    path = os.path.realpath(f)  # a symbolic link stays, and its target is replaced
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise RuntimeError(f"File {os.fspath(f)} cannot be opened: it is a directory.")
    if old is not None and not os.access(f, os.W_OK):
        raise RuntimeError(f"File {os.fspath(f)} cannot be opened: {os.strerror(errno.EACCES)}.")
    if old is None or (stat.S_ISREG(old.st_mode) and not _is_nameless(f, path, old)):
        with _replacing(path, os.fspath(f), is_new=old is None) as file:
            yield file
        return
    with open(f, "wb") as device:  # such as a pipe, or an open file whose name was removed
        yield device


def _facts(path: Any) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_nameless(f: Any, path: str, old: os.stat_result) -> bool:
    """Whether `f` is a /proc link to an open file whose name is gone or belongs to another file by now. Where an
    ordinary path holds another file by now, a process has replaced it, and the new file is not written into.
    """
    for _ in range(40):  # more links than the system follows
        try:
            target = os.readlink(f)
        except OSError:  # it is no link
            return False
        folder = os.path.realpath(os.path.dirname(os.fspath(f)))
        if re.match(r"/proc/(self|\d+)/.*\bfd$", folder):
            now = _facts(path)
            return now is None or not os.path.samestat(old, now)
        f = os.path.join(folder, target)
    return False


@contextmanager
def _replacing(path: str, shown: str, *, is_new: bool) -> Iterator[BinaryIO]:
    _remove_abandoned(path)
    beside = f"{path}.{os.urandom(4).hex()}.part"
    try:
        fd, has_name = _new_file(beside, 0o666 if is_new else 0o600)
    except FileNotFoundError:
        if os.path.isdir(os.path.dirname(path)):  # the folder takes no new files
            raise
        raise RuntimeError(f"Parent directory {os.path.dirname(shown)} does not exist.") from None
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        raise explained(
            RuntimeError(f"File {shown} cannot be opened: {error.strerror}."),
            "A file is written beside its place and takes it when it is complete, so its folder must take new files. "
            "To write into a file as it is, open it: with open(path, 'wb') as file: torch.save(x, file).",
        ) from error
    try:
        with _locked(fd):
            with open(fd, "wb") as file:
                yield file
                file.flush()
                if (old := _facts(path)) is not None:
                    _take_after(old, fd, beside)
                if not has_name:  # with a directory descriptor, `link` follows /proc's link to an open file
                    os.link(f"/proc/self/fd/{fd}", beside, src_dir_fd=fd)
            os.replace(beside, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def _take_after(old: os.stat_result, fd: int, beside: str) -> None:
    """Give a complete file the mode of the file that it replaces, and its owner if permitted."""
    if sys.platform == "win32":
        os.chmod(beside, stat.S_IMODE(old.st_mode))
        return
    own = os.fstat(fd)
    if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
        with suppress(OSError):
            os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, stat.S_IMODE(old.st_mode))


def _new_file(beside: str, mode: int) -> tuple[int, bool]:
    """The descriptor of a new file, and whether it has this name. Without a name, it disappears with its process."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):  # Linux
        with suppress(OSError):  # not every file system has such files
            return os.open(os.path.dirname(beside), os.O_TMPFILE | os.O_RDWR, mode), False
    while True:
        fd = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        _lock(fd)
        if os.path.exists(beside):  # else another save took it for abandoned before it was locked
            return fd, True
        os.close(fd)


def _lock(fd: int) -> None:
    """Lock a file, so that other saves know that it is being written. Windows has no such locks."""
    if sys.platform not in ("win32", "emscripten"):
        with suppress(OSError):  # not every file system has locks
            fcntl.flock(fd, fcntl.LOCK_EX)


@contextmanager
def _locked(fd: int) -> Iterator[None]:
    """Holds a file's lock until the end of the block, when the file is in place, though it is closed before."""
    _lock(fd)
    holder = None if sys.platform == "win32" else os.dup(fd)  # open files cannot be renamed there
    try:
        yield
    finally:
        if holder is not None:
            os.close(holder)


def _remove_abandoned(path: str) -> None:
    """Remove files that killed saves to this path have left: unlocked files with the name of a part."""
    if sys.platform in ("win32", "emscripten"):
        return
    folder, name = os.path.split(path)
    part = re.compile(re.escape(name) + r"\.[0-9a-f]{8}\.part")
    names = []
    with suppress(OSError):  # the folder may not exist, or may not be listable
        names = os.listdir(folder)
    for file in filter(part.fullmatch, names):
        place = os.path.join(folder, file)
        with suppress(OSError):  # does not wait for a pipe, nor follow a link
            fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            try:
                if stat.S_ISREG(os.fstat(fd).st_mode):
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(place)
            finally:
                os.close(fd)


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


def mapped(file: BinaryIO, path: str, *, is_trusted: bool) -> UntypedStorage:
    """A storage on an open, non-empty file. RuntimeError if others may write to the file and it is not trusted."""
    writers = None if is_trusted else _other_writers(os.fstat(file.fileno()))
    if writers is not None:
        raise explained(
            RuntimeError(f"{path} is not mapped: {writers} may write to it"),
            "If a mapped file is cut short, the processes that read it end (SIGBUS); if it is written to, their "
            "tensors change.",
            "Without mmap=True the file is copied into memory. `chmod go-w` takes the right away from others; "
            'mmap="trusted" maps the file as it is.',
        )
    return UntypedStorage.on_block(private_block(file.fileno(), length_of(file)))


def _other_writers(facts: os.stat_result) -> str | None:
    """Who, apart from this user and root, may write to a file, judging by its owner and mode; None if nobody."""
    # on systems where a mapped file cannot be truncated, or which have no other users
    if sys.platform in ("win32", "emscripten"):
        return None
    if facts.st_uid not in (0, os.geteuid()):
        return f"its owner, user {facts.st_uid},"
    if facts.st_mode & stat.S_IWOTH:
        return "every user"
    if facts.st_mode & stat.S_IWGRP and not _is_private_group(facts):
        return f"its group, {facts.st_gid},"
    return None


def _is_private_group(facts: os.stat_result) -> bool:
    """Whether a file's group is private to its owner: a group of the same name, which many systems create for each
    user.
    """
    import grp  # when it is needed: imports should be quick
    import pwd

    try:
        owner, group = pwd.getpwuid(facts.st_uid), grp.getgrgid(facts.st_gid)
    except KeyError:
        return False
    return owner.pw_gid == group.gr_gid and owner.pw_name == group.gr_name and set(group.gr_mem) <= {owner.pw_name}
