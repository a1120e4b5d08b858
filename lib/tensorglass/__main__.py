"""``python -m tensorglass train.py``: run a PyTorch program on tensorglass.

Python itself runs the program, replacing this process, with a path on which ``import torch`` finds tensorglass. So
arguments, input, tracebacks, exit codes and all options of Python are the same as with ``python train.py``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import NoReturn

from tensorglass.as_torch import report, with_on_path

USAGE = """usage: python -m tensorglass [--report] [options of Python] program.py [arguments]
       python -m tensorglass [--report] [options of Python] -m module [arguments]
       python -m tensorglass [--report] [options of Python] -c code [arguments]

Run a program of PyTorch on tensorglass: import torch, and everything beneath it, is tensorglass, in the program and in
the processes that it starts. Without a program, Python reads it from the standard input, or is interactive.

  --report  say at the end which names of PyTorch were asked for and are missing
"""


def main() -> NoReturn:
    """Run the program that the command line names."""
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE, end="")
        sys.exit(0)
    if sys.flags.ignore_environment:
        sys.exit("tensorglass reaches the program by PYTHONPATH, which Python ignores with -E and -I: leave them out.")
    command = [sys.executable, *_options_of_python()]
    environment = {**os.environ, "PYTHONPATH": with_on_path(os.environ.get("PYTHONPATH"))}
    if arguments[:1] == ["--report"]:
        sys.exit(_reported([*command, *arguments[1:]], environment))
    command += arguments
    if os.name == "nt":  # where `exec` would give the prompt back at once
        sys.exit(_waited_for(command, environment))
    os.execve(command[0], command, environment)


def _options_of_python() -> list[str]:
    """The options between ``python`` and ``-m tensorglass``, such as ``-X dev``."""
    before = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]
    *options, module = before
    if module == "tensorglass":
        *options, module = options
    short = module.removesuffix("tensorglass").removesuffix("m")  # "-m", or "-um" with another option before it
    return [*options, short] if short != "-" else options


def _reported(command: list[str], environment: dict[str, str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "missing names")
        with open(path, "wb"):
            pass
        status = _waited_for(command, {**environment, "TENSORGLASS_REPORT": path})
        sys.stdout.flush()
        print(report.summary(path), end="", file=sys.stderr)
    return status


def _waited_for(command: list[str], environment: dict[str, str]) -> int:
    """The program's exit status; if a signal ended it, the status that shells use."""
    with subprocess.Popen(command, env=environment) as process:
        while True:
            try:
                status = process.wait()
            except KeyboardInterrupt:
                continue  # the program has been interrupted too, and decides
            return status if status >= 0 else 128 - status


if __name__ == "__main__":
    main()
