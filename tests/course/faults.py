"""Real faults for the tests of the command: another user, a limit on the size of files, a process that is killed."""

import os
import resource
import signal
import sys
import traceback
from pathlib import Path

from glassroom.workspace.problems import Problem

NOBODY = 65534


def run_as_somebody_else(action, limit=None):
    """Run `action` in a child that is not root, or whose files are at most `limit` long. Returns what it raised."""

    def prepare():
        if limit is not None:
            sys.dont_write_bytecode = True  # Python would keep as much of it as the limit allows
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        elif os.geteuid() == 0:
            os.setuid(NOBODY)

    return finished(start(action, prepare))


def start(action, prepare=lambda: None):
    """Begin `action` in a child; returns it with the pipe through which it says what `action` raised."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = ""
        try:
            prepare()
            action()
        except Problem as problem:
            said = f"Problem: {problem}"
        except BaseException:
            said = traceback.format_exc()
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    return child, reading


def finished(started):
    """Wait for a child and return what it said."""
    child, reading = started
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def signalled_at_write(number, which):
    """Prepare a child to send itself the signal `which` when its `number`-th file is about to reach the disk."""

    def prepare():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        real, left = os.fsync, number

        def fsync(handle):
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), which)
            real(handle)

        os.fsync = fsync

    return prepare


def open_to_all(path):
    """Let another user look into pytest's temporary folder."""
    for parent in (path, *path.parents):
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
