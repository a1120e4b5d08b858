"""``glassroom hub``: JupyterHub for a classroom, on this machine."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from glassroom.cli.arguments import count, port
from glassroom.cli.classroom import add_command
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.translations.language import ENGLISH, languages
from glassroom.workspace.problems import Exit, Problem

EPILOG = """\
DIR gets jupyterhub_config.py (yours to edit), homes/ with what learners make, and JupyterHub's own files. Each
learner's JupyterLab is shut in by bubblewrap: their own home and nobody else's, the course read-only, limits on
memory, processes and cores. It listens on this machine only until you say otherwise in jupyterhub_config.py.

examples:
  glassroom hub classroom                                the course for whoever signs up, on port 8000
  glassroom hub classroom --released tensors-2030        what was released in a class
  glassroom hub classroom --auth tmp --memory 1024       accounts for an afternoon
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "hub",
        "for teachers: JupyterHub for a classroom, on this machine",
        "Start JupyterHub for a classroom.",
        EPILOG,
        private=False,
    )
    parser.add_argument("folder", metavar="DIR", help="where the hub keeps its files")
    parser.add_argument(
        "--port", type=port, default=8000, help="where it listens; the next two ports are its own (8000)"
    )
    parser.add_argument(
        "--auth", choices=("native", "tmp"), default="native", help="passwords of their own, or none (native)"
    )
    parser.add_argument(
        "--released", type=Path, metavar="CLASS", help="hand out this class's release/ (the whole course)"
    )
    parser.add_argument(
        "--lang",
        choices=(ENGLISH, *languages()),
        default="",
        help="the language of the course (that of the class, or of each learner's browser)",
    )
    parser.add_argument("--memory", type=count, default=2048, metavar="MB", help="per process of a learner's (2048)")
    parser.add_argument(
        "--processes", type=count, default=200, metavar="N", help="processes and threads of a learner (200)"
    )
    parser.add_argument("--cores", type=count, default=2, metavar="N", help="cores that a learner may use (2)")
    parser.add_argument("--idle", type=count, default=3600, metavar="S", help="stop servers that nobody uses (3600)")
    parser.add_argument("--no-start", action="store_true", help="only write the configuration")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the configuration, and become JupyterHub."""
    from glassroom.classroom.course_file import read_course
    from glassroom.classroom.hub.config import Settings, write_config
    from glassroom.classroom.sandbox.isolation import BUBBLEWRAP, best_isolation

    require_numpy()
    proxy = {"native": "nativeauthenticator", "tmp": "tmpauthenticator"}[arguments.auth]
    require_modules("jupyterhub", "jupyterhub_idle_culler", "jupyterlab", proxy, extras="classroom")
    if best_isolation(trust=True).means != BUBBLEWRAP:
        raise Problem(
            "A hub needs bubblewrap, and it does not work here: without it, learners could read each other's files. "
            "Install it: apt install bubblewrap",
            Exit.REQUIREMENT,
        )
    of_class = read_course(arguments.released).language if arguments.released else ""
    settings = Settings(
        Path(arguments.folder), arguments.port, arguments.auth, arguments.released, arguments.lang or of_class,
        arguments.memory, arguments.processes, arguments.cores, arguments.idle,
    )  # fmt: skip
    path = write_config(settings, sys.executable)
    print(f"The hub's configuration: {path}")
    if arguments.no_start:
        return Exit.OK
    print(f"Learners come to http://127.0.0.1:{arguments.port} (Ctrl-C stops it; what they made is kept)", flush=True)
    folder = str(Path(sys.executable).parent)  # where JupyterHub finds its proxy and the servers it starts
    environment = {**os.environ, "PATH": os.pathsep.join([folder, os.environ.get("PATH", "")])}
    os.chdir(path.parent)
    command = [sys.executable, "-m", "jupyterhub", "-f", str(path), *arguments.passed_on]
    os.execve(sys.executable, command, environment)
    return Exit.OK
