"""The file system of a sandbox by the kernel's namespaces alone, for machines without bubblewrap. `unshare` has given
this process namespaces of its own. It builds a root in memory with what the program may see, read-only, moves into it,
drops every capability for good, and executes the program. It runs without access to the course's packages.
"""

import ctypes
import json
import os
import signal
import sys

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000
LAST_CAPABILITY = 63
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Arguments: what may be seen, as JSON; ``--``; the program."""
    spec, _, *program = sys.argv[1:]
    view = json.loads(spec)
    root = "/tmp"
    _must(_mount(None, "/", None, MS_REC | MS_PRIVATE), "make mounts private")
    # A folder of our own to build in. /tmp may contain what is to be bound, so that is opened before /tmp is covered.
    opened = [(os.open(source, os.O_PATH), target, os.path.isdir(source)) for source, target in view["binds"]]
    _must(_mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755"), "make a root")
    os.makedirs(f"{root}/old")
    for path in ("tmp", "home", "dev/shm"):
        os.makedirs(f"{root}/{path}")
        is_mounted = _mount("tmpfs", f"{root}/{path}", "tmpfs", MS_NOSUID | MS_NODEV, f"size={view['size']},mode=777")
        _must(is_mounted, f"make {path}")
    for source, target, is_folder in opened:
        _place(root + target, is_folder)
        _must(_mount(f"/proc/self/fd/{source}", root + target, None, MS_BIND | MS_REC), f"bind {target}")
        _read_only(root + target)
    for target, path in view["links"]:
        os.symlink(target, root + path)
    for path in view["masks"]:
        _must(_mount("tmpfs", root + path, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "size=4k"), f"cover {path}")
    for name in ("null", "zero", "random", "urandom"):
        _place(f"{root}/dev/{name}", False)
        _must(_mount(f"/dev/{name}", f"{root}/dev/{name}", None, MS_BIND), f"bind {name}")
    os.makedirs(f"{root}/proc")
    _must(_mount("proc", f"{root}/proc", "proc", MS_NOSUID | MS_NODEV), "make proc")
    os.makedirs(root + view["home"], exist_ok=True)
    _must(_libc.syscall(SYS_PIVOT_ROOT[os.uname().machine], root.encode(), f"{root}/old".encode()), "change the root")
    os.chdir("/")
    _must(_libc.umount2(b"/old", MNT_DETACH), "let go of the old root")
    os.rmdir("/old")
    _read_only("/")
    for descriptor, _, _ in opened:
        os.close(descriptor)
    os.chdir(view["home"])
    # In a further namespace the mounts are locked: not even its owner may make them writable again.
    if view["user"] is not None:
        os.setgroups([])
        os.setresgid(*[view["user"]] * 3)
        os.setresuid(*[view["user"]] * 3)
        _libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # its files in /proc belong to it again
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # a change of user clears it
    uid, gid = os.getuid(), os.getgid()
    _must(_libc.unshare(CLONE_NEWUSER | CLONE_NEWNS), "lock the mounts")
    for name, text in (("uid_map", f"1000 {uid} 1"), ("setgroups", "deny"), ("gid_map", f"1000 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    with open("/proc/sys/user/max_user_namespaces", "w") as file:
        file.write("0")  # in yet another namespace the program would have every capability again
    _read_only("/proc")  # if root grades, /proc/sys is root's own
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    _must(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "forbid new privileges")
    os.execv(program[0], program)


def _mount(source: "str | None", target: str, kind: "str | None", flags: int, data: "str | None" = None) -> int:
    def text(value: "str | None") -> "bytes | None":
        return None if value is None else value.encode()

    return int(_libc.mount(text(source), target.encode(), text(kind), ctypes.c_ulong(flags), text(data)))


def _place(path: str, is_folder: bool) -> None:
    os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)
    if not is_folder and not os.path.exists(path):
        with open(path, "x"):
            pass


def _read_only(path: str) -> None:
    """Make a mount read-only, with the flags that it has and must keep."""
    for kept in (0, MS_NOSUID, MS_NODEV, MS_NOSUID | MS_NODEV):
        if _mount(None, path, None, MS_REMOUNT | MS_BIND | MS_RDONLY | kept) == 0:
            return
    _must(-1, f"make {path} read-only")


def _must(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        sys.exit(f"the sandbox cannot {what}: {os.strerror(number)}")


if __name__ == "__main__":
    main()
