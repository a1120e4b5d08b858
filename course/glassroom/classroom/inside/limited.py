"""The first thing that runs in a sandbox: it sets its limits, irrevocably, and becomes the runner or the referee.

The limits come from `course.toml`; `sandbox.supervise` turns them into those that the kernel knows.
"""

import ctypes
import json
import os
import resource
import struct
import sys

#: The kernel's names of the machines, and which number of a call is theirs.
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
#: Calls that no notebook needs, by their numbers on x86-64 and on aarch64 (None where there is no such call). Memory
#: that no process shows (System V's shared segments, messages and semaphores), a look into other processes, a lower
#: priority (waiting for a core takes time, and counts as nobody's processor time), and ways into the kernel that few
#: programs use.
REFUSED = {
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "ptrace": (101, 117), "mount": (165, 40),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "inotify_init": (253, None),
    "unshare": (272, 97), "inotify_init1": (294, 26), "perf_event_open": (298, 241), "fanotify_init": (300, 262),
    "syslog": (103, 116), "quotactl": (179, 60), "open_by_handle_at": (304, 265), "kcmp": (312, 272),
    "setns": (308, 268), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "bpf": (321, 280),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fspick": (433, 433), "pidfd_getfd": (438, 438), "mount_setattr": (442, 442),
    "memfd_secret": (447, 447), "setpriority": (141, 140), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
}  # fmt: skip
_SOCKET, _SOCKET_OPTION = (41, 198), (54, 208)
_BUFFERS = (7, 32)  # options that let a socket hold megabytes of kernel memory, charged to no process
_FAMILIES = (1, 2, 10, 16)  # Unix, IPv4, IPv6, netlink: those that a network namespace confines
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # instructions of the kernel's filter
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050001, 0x80000000  # _ERROR: "Operation not permitted"
_X32 = 0x40000000  # system calls of the x32 ABI have other numbers, which our programs do not use


def refuse() -> None:
    """Have the kernel refuse those calls, and sockets of other families, to this process and its descendants."""
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        return
    architecture, column = _ARCHITECTURES[machine]
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    steps += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERROR)]
    for number in (numbers[column] for numbers in REFUSED.values()):
        if number is not None:
            steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR)]
    steps += [(_EQUAL, 0, len(_BUFFERS) + 3, _SOCKET_OPTION[column]), (_LOAD, 0, 0, 32)]  # 32: the third argument
    steps += [(_EQUAL, len(_BUFFERS) - number, 0, option) for number, option in enumerate(_BUFFERS)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERROR)]
    last = len(_FAMILIES)
    steps += [(_EQUAL, 0, last + 2, _SOCKET[column]), (_LOAD, 0, 0, 16)]  # 16: where the first argument stands
    steps += [(_EQUAL, last - number, 0, family) for number, family in enumerate(_FAMILIES)]
    steps += [(_RETURN, 0, 0, _ERROR), (_RETURN, 0, 0, _ALLOW)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if libc.prctl(_SECCOMP, _FILTER, header, 0, 0):
        sys.exit(f"the sandbox cannot refuse system calls: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    """Arguments: the limits as JSON, by their names in `resource`; "runner" or "referee"; the socket's number."""
    _, limits, part, number = sys.argv
    os.closerange(3, int(number))  # all other inherited descriptors
    os.closerange(int(number) + 1, 1 << 16)
    for name, most in json.loads(limits).items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))
    refuse()
    sys.argv = [part, number]
    if part == "runner":
        from glassroom.classroom.inside import runner

        runner.main()
    else:
        from glassroom.classroom.inside import referee

        referee.main()


if __name__ == "__main__":
    main()
