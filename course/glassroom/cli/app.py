"""The command line itself: the sub-commands, their help, and how errors are reported.

Each sub-command is a module with `add` (its arguments) and `run` (its work, returning an exit code).
"""

import argparse
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from glassroom import __version__
from glassroom.cli import contents, doctor, explain, lab, present, progress, refresh, site, suite, translate
from glassroom.cli.arguments import ByColumns, speak_for_argparse
from glassroom.cli.classroom import (
    class_page,
    collect,
    feedback,
    forget,
    grade,
    hub,
    mark,
    marks,
    new,
    package,
    release,
    submit,
)
from glassroom.translations.templates import word
from glassroom.workspace.problems import Exit, Problem

DESCRIPTION = "A Jupyter course on how tensors work, on a tensor library that you can see through."

EPILOG = """\
examples:
  glassroom lab                    open the course, in ./glassroom-course
  glassroom lab ~/tensors          the same, in a folder of your choice
  glassroom progress               how far you are, and where to go on
  glassroom submit FOLDER          hand in an assignment, on a hub or in a shared folder
  glassroom explain MESSAGE        what an error message of PyTorch means, and what to do
  glassroom doctor                 what is installed, and what to do about what is missing
  glassroom test                   run every test
  glassroom release 1_memory --course DIR     for teachers: hand part 1 out; then collect, grade, feedback, class
  glassroom new course DIR         for teachers: notebooks and exercises of your own
  glassroom present 1/07           for teachers: a notebook as slides, and what the class predicts as bars
  glassroom refresh                run the course's notebooks again and store their outputs
  glassroom contents               write the contents page and the links between notebooks anew
  glassroom translate --status     how far the course's translations are
  glassroom site --out DIR         the course and the documentation as a static web site

exit codes:
  0    all is well
  1    a test failed, a notebook differs, or something the course needs is missing
  2    the command line was not understood
  3    something stands in the way: a folder that cannot be written, a busy port, a damaged notebook
  4    Python, NumPy or the Jupyter stack is missing or too old
  130  interrupted from the keyboard
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    speak_for_argparse()
    top = argparse.ArgumentParser(
        prog="glassroom",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    top.add_argument(
        "--version", action="version", version=f"glassroom {__version__}", help="show the version and exit"
    )
    commands = top.add_subparsers(title=word("commands"), metavar="COMMAND")
    for command in (
        *(lab, progress, submit, explain, suite, doctor, refresh, contents, translate, site),
        *(present, new, release, package, collect, grade, mark, feedback, marks, class_page, forget, hub),
    ):
        command.add(commands)
    return top


def run(argv: Sequence[str] | None = None) -> int:
    """Carry out a command line. Expected errors are printed in one paragraph; the exit code shows their kind."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # characters that the terminal cannot show are escaped
            stream.reconfigure(errors="backslashreplace")
    try:
        own, passed_on = _split(sys.argv[1:] if argv is None else argv)
        arguments = parser().parse_args(own)
        if "run" not in arguments:
            parser().print_help()
            return Exit.USAGE
        arguments.passed_on = passed_on
        folder = Path(arguments.course) if "keeps" in arguments and arguments.keeps else None
        with _new_files("private" in arguments and arguments.private), _kept_private(folder):
            code = int(arguments.run(arguments))
        print(end="", flush=True)  # a full disk is noticed here, not at exit
        return code
    except Problem as problem:
        print(f"glassroom: {problem}", file=sys.stderr)
        return problem.exit_code
    except KeyboardInterrupt:
        print("\nglassroom: interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # Our reader (`| head`) has gone. Python would complain once more when it flushes at exit.
        sys.stdout = None
        return Exit.OK
    except OSError as error:
        print(f"glassroom: {Problem(str(error))}", file=sys.stderr)
        sys.stdout = None
        return Exit.OUTSIDE


@contextmanager
def _new_files(private: bool) -> Iterator[None]:
    """A context in which new files get the system's permissions; or, if private, 0600 for files and 0700 for
    folders."""
    before = os.umask(0o077) if private else None
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)


@contextmanager
def _kept_private(folder: Path | None) -> Iterator[None]:
    """Make a class's folder private, with a note about what others could read before."""
    from glassroom.cli.classroom.privacy import keep_private

    if folder and (changed := keep_private(folder)):
        print(f"Others could read this, and now your account alone can: {', '.join(changed)}", file=sys.stderr)
    try:
        yield
    finally:
        if folder:
            keep_private(folder)


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the arguments into ours and those after ``--``, which go to the program that we start (JupyterLab,
    pytest)."""
    arguments = list(argv)
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]
