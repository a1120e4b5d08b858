"""A user of its own for a sandbox that root starts.

The kernel limits the processes of every user but root, and root may write to much of `/proc`. So programs that root
starts run as a user of their own: a number that no account has, one for each of the two sandboxes of each thread that
marks, and one for each learner of a hub. Inside the sandbox that user is 1000, as always.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import weakref
from functools import cache
from pathlib import Path

INSIDE = 1000
FIRST = 1 << 30  # far from accounts, and from what is set aside for containers and services
FIRST_OF_LEARNERS = FIRST + (1 << 28)  # beyond those of all threads
ROOT_INSIDE = 1  # lets root's files be opened while the sandbox is built; a non-0 user keeps the capability for it
_MAKE = (
    "import ctypes, sys\n"
    "ctypes.CDLL(None).unshare(0x10000000)\n"
    "print(flush=True); sys.stdin.readline()\n"
    "open('/proc/sys/user/max_user_namespaces', 'w').write('0')\n"  # or it could get capabilities
    "print('made', flush=True); sys.stdin.readline()\n"
)


class OwnUser:
    """A user id that no other process on this machine has, and a user namespace in which it is 1000."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.namespace = _namespace(number)
        weakref.finalize(self, os.close, self.namespace)


@cache
def is_root() -> bool:
    """Whether this process is the real root, whose processes the kernel does not limit and who may become any user."""
    try:
        return os.getuid() == 0 and Path("/proc/self/uid_map").read_text().split() == ["0", "0", str(2**32 - 1)]
    except (OSError, AttributeError):
        return False


_mine = threading.local()


def own_user(part: int = 0) -> OwnUser | None:
    """This thread's user for the first or the second of its sandboxes, if root runs it and the kernel allows it."""
    if not is_root():
        return None
    users: dict[int, OwnUser | None] = _mine.__dict__.setdefault("users", {})
    if part not in users:
        try:
            users[part] = OwnUser(FIRST + 2 * threading.get_native_id() + part)
        except OSError:
            users[part] = None
    return users[part]


def owner_of_home(home: Path) -> OwnUser | None:
    """The user who owns a learner's home, if root starts their server: always the same one, and no other home's. A home
    that root owns, new or old, is given to that user with everything in it. Raises OSError.
    """
    if not is_root():
        return None
    number = home.stat().st_uid
    if number <= FIRST_OF_LEARNERS:
        number = max(FIRST_OF_LEARNERS, *(path.stat().st_uid for path in home.parent.iterdir())) + 1
        for folder, folders, names in os.walk(home):
            for name in (*folders, *names):
                os.chown(os.path.join(folder, name), number, number, follow_symlinks=False)
        os.chown(home, number, number)  # last: if this is interrupted, it is done again
    return OwnUser(number)


def _namespace(number: int) -> int:
    """A user namespace that no process is in yet, as a file descriptor. Raises OSError."""
    pipe, command = subprocess.PIPE, [sys.executable, "-I", "-S", "-c", _MAKE]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as maker:
        assert maker.stdin
        assert maker.stdout
        maker.stdout.readline()
        for kind in ("uid_map", "gid_map"):
            Path(f"/proc/{maker.pid}/{kind}").write_text(f"{ROOT_INSIDE} 0 1\n{INSIDE} {number} 1\n")
        maker.stdin.write("\n")
        maker.stdin.flush()
        if maker.stdout.readline() != "made\n":
            raise OSError("no user namespace")
        return os.open(f"/proc/{maker.pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
