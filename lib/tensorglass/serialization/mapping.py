"""Files that are mapped into memory rather than read, and those that are not because others may write to them.

A mapping shows what is in the file now. If another process writes to the file, loaded
tensors change; if it cuts the file short, the system ends this process with SIGBUS when a tensor is read. No library
can turn that into an error, so what can be known is asked before: who may write to the file?
"""

from __future__ import annotations

import os
import stat
import sys
from typing import BinaryIO

from tensorglass.backends.shared_blocks import private_block
from tensorglass.core.errors import explained
from tensorglass.serialization.opening import length_of
from tensorglass.storage.storage import UntypedStorage


def mapped(file: BinaryIO, path: str, *, is_trusted: bool) -> UntypedStorage:
    """The storage on an open file that is not empty. RuntimeError if others may write to it and it is not trusted."""
    writers = None if is_trusted else _other_writers(os.fstat(file.fileno()))
    if writers is not None:
        raise explained(
            RuntimeError(f"{path} is not mapped: {writers} may write to it"),
            "Whoever cuts a mapped file short ends the processes that read it (SIGBUS), and whoever writes to it "
            "changes their tensors.",
            "Without mmap=True the file is copied into memory. `chmod go-w` takes the right away from others; "
            'mmap="trusted" maps the file as it is.',
        )
    return UntypedStorage.on_block(private_block(file.fileno(), length_of(file)))


def _other_writers(facts: os.stat_result) -> str | None:
    """Who but this user and root may write to a file, as far as its owner and mode tell; None for nobody."""
    if sys.platform == "win32":  # where a mapped file cannot be cut short
        return None
    if facts.st_uid not in (0, os.geteuid()):
        return f"its owner, user {facts.st_uid},"
    if facts.st_mode & stat.S_IWOTH:
        return "every user"
    if facts.st_mode & stat.S_IWGRP and not _is_private_group(facts):
        return f"its group, {facts.st_gid},"
    return None


def _is_private_group(facts: os.stat_result) -> bool:
    """Whether the group of a file is its owner's alone: of the same name, which many systems give every user."""
    import grp  # when it is needed: imports should be quick
    import pwd

    try:
        owner, group = pwd.getpwuid(facts.st_uid), grp.getgrgid(facts.st_gid)
    except KeyError:
        return False
    return owner.pw_gid == group.gr_gid and owner.pw_name == group.gr_name and set(group.gr_mem) <= {owner.pw_name}
