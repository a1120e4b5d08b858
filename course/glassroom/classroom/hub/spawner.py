"""Starts each learner's JupyterLab in a bubblewrap sandbox: their own home and nobody else's, the course read-only,
limits. No learner needs an account on the machine. A learner's server shares the machine's network, since their browser
reaches it that way; every server asks for its own token.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Integer, Unicode

from glassroom.classroom.handing_in import EXCHANGE, HANDED_IN
from glassroom.classroom.sandbox.isolation import BUBBLEWRAP, COURSE, SEEN, Isolation, best_isolation
from glassroom.classroom.sandbox.own_user import OwnUser, owner_of_home
from glassroom.records.printable import printable
from glassroom.translations.language import ENGLISH, VARIABLE, languages, preferred
from glassroom.workspace.problems import Problem

HOME = "/home/learner"
FOLDER = "course"
HANDING_OUT = 100  # seconds allowed for bringing a learner's folder up to date


class ClassroomSpawner(LocalProcessSpawner):
    """JupyterLab for one learner, in a sandbox with their home in it."""

    homes = Unicode(help="The folder in which each learner has a home.").tag(config=True)
    released = Unicode(
        help="A class's folder, of whose release/ each learner gets a copy; the whole course if empty."
    ).tag(config=True)
    language = Unicode(help="The language of a learner's first copy; that of their browser if empty.").tag(config=True)
    memory_mb = Integer(2048, help="The most memory that one process of a learner's may have, in MB.").tag(config=True)
    processes = Integer(200, help="The most processes and threads that a learner may have.").tag(config=True)
    cores = Integer(2, help="The cores that a learner's programs may use at a time.").tag(config=True)

    own_user: OwnUser | None = None

    @property
    def home(self) -> Path:
        """The path of the learner's home outside the sandbox."""
        return Path(self.homes, self.user.escaped_name)

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """What a learner's process does first: restrict itself to its cores."""
        cores = sorted(os.sched_getaffinity(0))
        first = sum(name.encode()) % len(cores)
        own = {cores[(first + number) % len(cores)] for number in range(min(self.cores, len(cores)))}
        return lambda: os.sched_setaffinity(0, own)

    def user_env(self, env: dict[str, str]) -> dict[str, str]:
        """The environment of a learner's server: what the hub gives it, and nothing from the teacher's environment."""
        own = Isolation(BUBBLEWRAP).environment()
        for name in ("PYTHONDONTWRITEBYTECODE", VARIABLE):  # a working copy says what its language is
            own.pop(name)
        own["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        return {
            **env,
            **own,
            "USER": self.user.name,
            "HOME": HOME,
            "IPYTHONDIR": f"{HOME}/.ipython",
            "SHELL": "/bin/bash",
            EXCHANGE: f"{HOME}/{HANDED_IN}",
            "JUPYTER_CONFIG_PATH": f"{COURSE}/glassroom/cli/jupyter",  # no news, and nothing of nbgrader's for teachers
        }

    def move_certs(self, paths: dict[str, str]) -> dict[str, str]:
        """Leave certificates where they are: loopback does not use them."""
        return paths

    def get_args(self) -> list[str]:
        """The arguments of a learner's server. Its kernels are reached by sockets in the learner's home: what a kernel
        publishes on a port, everybody on the machine could read.
        """
        return [*super().get_args(), "--KernelManager.transport=ipc"]

    async def start(self) -> Any:
        """Bring the learner's copy of the course up to date, and start their server."""
        if best_isolation(trust=True).means != BUBBLEWRAP:
            raise Problem(
                "bubblewrap does not work here, so learners could read each other's files: apt install bubblewrap"
            )
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.own_user = owner_of_home(self.home)
        headers = self.handler.request.headers if self.handler else {}
        language = self.language or preferred(headers.get("Accept-Language", ""))
        await asyncio.to_thread(self.hand_out, language)
        self.cmd = self.shut_in([sys.executable, "-P", "-m", "jupyterhub.singleuser"])
        self.notebook_dir = f"{HOME}/{FOLDER}"
        self.popen_kwargs = {"cwd": "/", "pass_fds": self.passed}
        if self.own_user:
            self.interrupt_timeout = self.term_timeout = 1  # what a sandbox of another user is built by hears neither
        return await super().start()

    def hand_out(self, language: str) -> None:
        """Bring the learner's folder up to date, from inside their sandbox. Errors go to the log."""
        sources = Path(self.released, "release") if self.released else without_solutions(Path(self.homes))
        kind = "released" if self.released else "course"
        module = "glassroom.classroom.hub.handing_out"
        command = self.shut_in([sys.executable, "-P", "-m", module, f"{HOME}/{FOLDER}", SEEN, kind, language], sources)
        environment = Isolation(BUBBLEWRAP).environment()
        environment[VARIABLE] = language
        try:
            done = subprocess.run(
                command,
                env=environment,
                capture_output=True,
                timeout=HANDING_OUT,
                check=False,
                pass_fds=self.passed,
            )
        except subprocess.TimeoutExpired:
            self.log.warning("%s: the course was not brought up to date within %d s", self.user.name, HANDING_OUT)
            return
        if done.returncode:
            said = printable(done.stderr.decode("utf-8", "replace").strip()[-300:])
            self.log.warning("%s: the course was not brought up to date: %s", self.user.name, said)

    def shut_in(self, command: list[str], seen: Path | None = None) -> list[str]:
        """The command in a sandbox with this learner's home in it."""
        isolation = Isolation(BUBBLEWRAP, (Path(self.homes),))
        limits = ["prlimit", f"--as={self.memory_mb << 20}", f"--nproc={self.processes}", "--core=0", "--"]
        return isolation.with_home(self.home, [*limits, *command], seen, self.own_user)

    @property
    def passed(self) -> list[int]:
        """The file descriptors that a sandbox inherits."""
        return [self.own_user.namespace] if self.own_user else []


@cache
def without_solutions(homes: Path) -> Path:
    """Make a copy of the course in each language, beside the homes, from which all learners' copies are made: no
    sandbox sees the solutions."""
    copies = homes.parent / "handout"
    for language in (ENGLISH, *languages()):
        command = [sys.executable, "-m", "glassroom", "lab", "--no-lab", "--lang", language, str(copies / language)]
        subprocess.run(command, env={**os.environ, VARIABLE: language}, check=True, stdout=subprocess.DEVNULL)
    return copies
