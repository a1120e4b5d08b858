"""``glassroom release``: learners' copies of the course's notebooks, in nbgrader's form and layout."""

import argparse
from pathlib import Path
from typing import Any

from glassroom.cli.classroom import add_command
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.workspace.problems import Exit
from glassroom.workspace.sources import notebooks_folder

EPILOG = """\
The class's folder gets course.toml (points, due dates, rules: yours to edit), source/ (with solutions: keep it to
yourself), release/ (what learners get) and nbgrader's gradebook.db. nbgrader's own commands work in it.

examples:
  glassroom release 1_memory --course tensors-2030      every notebook of part 1
  glassroom release 1_memory/02 --course tensors-2030   one of them
  glassroom release --course tensors-2030               all of course.toml again, after you have edited it
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "release",
        "for teachers: hand notebooks out, in nbgrader's form",
        "Make learners' copies of notebooks of the course in a class's folder.",
        EPILOG,
    )
    parser.add_argument("notebooks", nargs="*", metavar="PART|NOTEBOOK", help="what to hand out (all of course.toml)")
    parser.add_argument("--course", default=".", metavar="DIR", help="the class's folder (this one)")
    parser.add_argument("--force", action="store_true", help="also what learners have handed in already")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Release, and say what was."""
    from glassroom.classroom.release import release

    require_numpy()
    require_modules("nbgrader", extras="classroom")
    folder = Path(arguments.course)
    made = release(folder, arguments.notebooks, notebooks_folder(), arguments.force)
    if made.added:
        print(f"New in {folder / 'course.toml'}: {', '.join(made.added)}. Set points and due dates there.")
    for name, points in made.assignments.items():
        print(f"released {name} ({points:g} {'point' if points == 1 else 'points'}): {folder / 'release' / name}")
    for name in made.hidden:
        print(f"renewed  the hidden tests of {name}; learners' copies stay. Next: glassroom grade {folder} {name}")
    for name in made.kept:
        print(f"kept     {name}: learners have handed it in. Say --force to make it anew.")
    return Exit.OK
