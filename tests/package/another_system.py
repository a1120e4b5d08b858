"""A system that is not Linux, as far as Python can tell: its name, and what its modules lack.

    python another_system.py win32 -c CODE       run code there
    python another_system.py darwin -m glassroom grade my-class
    python another_system.py darwin serve        run each program that a line of standard input describes

A use of what is missing needs a way without it, or one clear sentence.
"""

import ctypes
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import webbrowser
from types import SimpleNamespace

# Other people's packages, and the standard library's, have ways of their own on each system: they are loaded before.
THEIRS = """
    anywidget asyncio IPython ipykernel jupyter_client jupyterlab matplotlib.pyplot multiprocessing.managers
    multiprocessing.pool multiprocessing.popen_spawn_posix multiprocessing.shared_memory nbclient nbformat
    nbgrader.apps numpy PIL.ImageFont rich scipy.special sklearn.datasets subprocess tempfile tensorboard.summary
    tornado tqdm urllib.request zmq
"""
NO_MODULES = {"darwin": (), "win32": ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")}
LINUX_ONLY = {
    os: "O_TMPFILE memfd_create pidfd_open posix_fallocate sched_getaffinity sched_setaffinity setns setresuid unshare",
    signal: "sigtimedwait sigwaitinfo",
    socket: "SO_PEERCRED",
}
POSIX_ONLY = {
    os: """
        O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK WNOHANG chown fchmod fchown fork fwalk getegid geteuid getgid
        getloadavg getpgid getuid killpg mkfifo pread pwrite setsid sysconf uname waitid
    """,
    signal: "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGSTOP SIGUSR1 SIGUSR2 SIGXCPU alarm pthread_kill pthread_sigmask "
    "setitimer sigwait",
    socket: "AF_UNIX SCM_RIGHTS recv_fds send_fds",
}


class _Lacking:
    """A finder for modules that are not there."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def become(system: str) -> None:
    """Take away what `system` does not have."""
    for name in THEIRS.split():
        importlib.import_module(name)
    webbrowser.register_standard_browsers()
    for missing in (LINUX_ONLY, POSIX_ONLY) if system == "win32" else (LINUX_ONLY,):
        for module, names in missing.items():
            for name in names.split():
                if hasattr(module, name):
                    delattr(module, name)
    if system == "win32":
        for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            able.clear()
        menus = SimpleNamespace(GetUserDefaultUILanguage=lambda: 0x0409)  # English
        ctypes.windll = SimpleNamespace(kernel32=menus)  # type: ignore[attr-defined]  # what Windows alone has
    for name in NO_MODULES[system]:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Lacking(NO_MODULES[system]))  # type: ignore[arg-type]  # it finds nothing, so it needs no more of a finder's methods
    sys.platform = system


def run(kind: str, what: str, *arguments: str) -> None:
    """Run a module (`-m`) or code (`-c`) as Python does."""
    sys.argv = [what, *arguments]
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(what, {"__name__": "__main__"})


def serve(system: str) -> None:
    """Run each program in a process of its own, forked once other people's packages are loaded; print its status."""
    fork = os.fork
    become(system)
    for line in sys.stdin:
        program = json.loads(line)
        child = fork()
        if child == 0:
            for place, descriptor in ((os.devnull, 0), (program["stdout"], 1), (program["stderr"], 2)):
                os.dup2(os.open(place, os.O_RDWR), descriptor)
            os.chdir(program["folder"])
            run(*program["command"])
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    _, system, kind, *arguments = sys.argv
    if kind == "serve":
        serve(system)
    else:
        become(system)
        run(kind, *arguments)
