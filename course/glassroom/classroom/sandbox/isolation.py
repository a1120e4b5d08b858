"""How a program is sandboxed: by bubblewrap, by the kernel's namespaces alone, or not at all. In a sandbox a program
has only a loopback network of its own and sees only its own processes. Its file system has Python and the course's
packages, read-only, and an empty home and /tmp in memory, but nothing of the class, of other learners or of the person
who grades. Each kind of isolation is tried before it is trusted.
"""

from __future__ import annotations

import compileall
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from glassroom.classroom.sandbox.own_user import INSIDE, OwnUser, own_user
from glassroom.translations.language import VARIABLE, speaking
from glassroom.workspace import sources
from glassroom.workspace.problems import Exit, Problem

BUBBLEWRAP, NAMESPACES, NONE = "bubblewrap", "namespaces", "none"
CAN_RUN = sys.platform == "linux"
SAYS = {
    BUBBLEWRAP: "bubblewrap: no network, no files but Python and the course (read-only), own processes",
    NAMESPACES: "the kernel's namespaces: no network, no files but Python and the course (read-only), own processes",
    NONE: "NO ISOLATION (--trust): submissions run as you, with your files and your network; only limits are in force",
}
COURSE = "/course"
_HOME = "/home/learner"
SEEN = "/seen"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_END_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL")  # ends the sandbox with its parent, whatever runs in it
_ETC = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")


@dataclass(frozen=True)
class Isolation:
    """A way to sandbox programs, the folders that they must not see even if Python's own folders contain them, and
    files of the course that they see another file `instead` of."""

    means: str
    hidden: tuple[Path, ...] = ()
    instead: tuple[tuple[Path, Path], ...] = ()  # (of the course, what is seen)

    @property
    def says(self) -> str:
        """One line for people that says which isolation is used."""
        return SAYS[self.means]

    def command(self, module: str, arguments: Iterable[str], files_mb: float, user: OwnUser | None = None) -> list[str]:
        """The command that runs a module of the course in a sandbox. Inherited file descriptors stay open. If root
        starts it, it should get a `user` of its own, whose namespace is one of these descriptors.
        """
        python = [sys.executable, "-P", "-s", "-m", module, *arguments]
        if self.means == BUBBLEWRAP:
            return [*_bubblewrap(self._view(), files_mb, user), "--", *python]
        if self.means == NAMESPACES:
            return [*_unshare(self._view(), files_mb, user), "--", *python]
        return python

    def with_home(
        self, home: Path, command: list[str], seen: Path | None = None, user: OwnUser | None = None
    ) -> list[str]:
        """The command that runs another one in bubblewrap, with a persistent home and the machine's network. The folder
        `seen` can be read there as `/seen`. If root starts it, the home belongs to its `user`.
        """
        options = _bubblewrap(self._view(), 256, user)
        for name in ("--unshare-net", "--clearenv", "--new-session"):
            options.remove(name)
        while "--setenv" in options:  # the environment is the caller's
            del options[(at := options.index("--setenv")) : at + 3]
        at = options.index("--proc")
        own = ["--bind", str(home), _HOME]
        own += ["--ro-bind", str(seen), SEEN] if seen else []
        return [*options[:at], *own, *options[at:], "--", *command]

    def environment(self) -> dict[str, str]:
        """The whole environment inside the sandbox, with nothing from the environment outside."""
        shut_in = self.means != NONE
        home = _HOME if shut_in else os.environ.get("TMPDIR", "/tmp")
        own = [COURSE] if shut_in else [str(path.parent) for path in _packages()]
        return {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": home,
            "IPYTHONDIR": f"{home}/.ipython",
            "TMPDIR": "/tmp",
            "LANG": "C.UTF-8",
            VARIABLE: speaking(),
            "PYTHONPATH": os.pathsep.join([*own, *map(str, _packages_elsewhere())]),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "agg",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        }

    def _view(self) -> View:
        prefixes = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).parent, _real_python()]
        seen = [Path(path) for path in _SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
        for prefix in (*prefixes, *_packages_elsewhere()):
            if not any(prefix.is_relative_to(path) for path in seen):
                seen.append(prefix)
        for path in seen:
            if path in (Path("/"), Path.home()):
                raise Problem(
                    f"Python is installed in {path}, so shutting a program in would leave your files in view."
                )
        binds = [(str(path), str(path)) for path in seen]
        binds += [(path, path) for path in _ETC if os.path.exists(path)]
        binds += [(str(path), f"{COURSE}/{path.name}") for path in _packages()]
        for path, other in self.instead:
            binds.append((str(other), f"{COURSE}/glassroom/{path.relative_to(_packages()[1])}"))
            if any(path.is_relative_to(bound) for bound in seen):
                binds.append((str(other), str(path)))
        links = [(os.readlink(path), path) for path in _SYSTEM if os.path.islink(path)]
        hidden = [*self.hidden, sources.notebooks_folder()]
        masks = {f"{COURSE}/glassroom/notebooks"} if (_packages()[1] / "notebooks").is_dir() else set()
        for folder in hidden:
            for path in (folder.absolute(), folder.resolve()):
                if path.is_dir() and any(path.is_relative_to(bound) for bound in seen):
                    masks.add(str(path))
        return View(tuple(binds), tuple(links), tuple(sorted(masks)))


@dataclass(frozen=True)
class View:
    """A file system as a sandboxed program sees it: read-only bind mounts, links, and folders that appear empty."""

    binds: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    masks: tuple[str, ...]


def best_isolation(hidden: Iterable[Path] = (), trust: bool = False) -> Isolation:
    """The best isolation that works here. Raises `Problem` if there is none, unless `trust` is set; and on any system
    but Linux, since what a submission uses cannot be watched there."""
    if not CAN_RUN:
        raise Problem(
            "Submissions are marked on Linux alone: its kernel shuts programs in and limits what they use. On Windows, "
            "run this command in WSL; on macOS, in a Linux container or on a server. Everything else works here.",
            Exit.REQUIREMENT,
        )
    wanted = tuple(hidden)
    _compile()
    for means in (BUBBLEWRAP, NAMESPACES):
        if _works(means):
            return Isolation(means, wanted)
    if trust:
        return Isolation(NONE, wanted)
    raise Problem(
        "Submissions are untrusted programs, and nothing here can shut them in: install bubblewrap "
        "(apt install bubblewrap), or allow user namespaces. To run them as yourself, without any isolation, with your "
        "files and your network within their reach, say --trust.",
        Exit.REQUIREMENT,
    )


@cache
def _compile() -> None:
    """Write the course's bytecode: an editable installation may have none, and no sandbox can write any."""
    if not sys.dont_write_bytecode:
        for package in _packages():
            compileall.compile_dir(package, quiet=2)


@cache
def _works(means: str) -> bool:
    """Whether a program starts in this sandbox, and really has no access to the network and other people's files."""
    needed = "bwrap" if means == BUBBLEWRAP else "unshare"
    if shutil.which(needed) is None:
        return False
    isolation, user = Isolation(means), own_user()
    command = isolation.command("glassroom.classroom.inside.trial", (), 8, user)
    passed = [user.namespace] if user else []
    try:
        done = subprocess.run(command, capture_output=True, timeout=300, env=isolation.environment(), pass_fds=passed)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0 and done.stdout.strip() == b"shut in"


def _bubblewrap(view: View, files_mb: float, user: OwnUser | None = None) -> list[str]:
    size = str(int(files_mb * 2**20))
    # A process that changes its user loses its parent-death signal, so everything runs in a namespace that ends with
    # it.
    command = [*_END_WITH_PARENT, "unshare", "--pid", "--fork", "--kill-child"] if user else []
    command += ["bwrap", *(["--userns", str(user.namespace)] if user else ["--unshare-user", "--disable-userns"])]
    command += ["--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    command += ["--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    command += ["--uid", str(INSIDE), "--gid", str(INSIDE)]
    for name, value in Isolation(BUBBLEWRAP).environment().items():
        command += ["--setenv", name, value]
    command += ["--size", size, "--tmpfs", "/tmp", "--size", size, "--tmpfs", "/home", "--dir", _HOME]
    for source, target in view.binds:
        command += ["--ro-bind", source, target]
    for target, path in view.links:
        command += ["--symlink", target, path]
    for path in view.masks:
        command += ["--size", "4096", "--tmpfs", path, "--remount-ro", path]
    command += ["--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"]
    # Where root grades, /proc/sys is writable inside as well: the kernel asks for the user that root is outside.
    return [*command, "--remount-ro", "/proc", "--remount-ro", "/", "--chdir", _HOME]


def _unshare(view: View, files_mb: float, user: OwnUser | None = None) -> list[str]:
    own = [*([] if user else ["--user", "--map-root-user"]), "--mount", "--net", "--pid", "--ipc", "--uts"]
    spec = {"binds": view.binds, "links": view.links, "masks": view.masks, "size": int(files_mb * 2**20), "home": _HOME}
    spec["user"] = user.number if user else None
    script = Path(__file__).with_name("namespaces.py")
    python = [sys.executable, "-I", "-S", str(script), json.dumps(spec)]
    return [*_END_WITH_PARENT, "unshare", *own, "--fork", "--kill-child", *python]


@cache
def _packages() -> tuple[Path, Path]:
    library = find_spec("tensorglass")  # without importing it
    assert library is not None
    assert library.origin is not None
    return Path(library.origin).resolve().parent, Path(__file__).resolve().parents[2]


def _packages_elsewhere() -> list[Path]:
    """Folders of installed packages outside Python's own, as added by modules on a cluster and by .pth files."""
    own = (Path(sys.prefix), Path(sys.base_prefix), *map(Path, _SYSTEM))
    folders = [Path(path) for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    return [path for path in folders if path.is_dir() and not any(path.is_relative_to(folder) for folder in own)]


def _real_python() -> Path:
    """The folder of the Python that a virtual environment's link leads to."""
    return Path(os.path.realpath(sys.executable)).parent
