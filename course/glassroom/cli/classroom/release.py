"""``glassroom release``: learners' copies of the course's notebooks, in nbgrader's form and layout."""

import argparse
from pathlib import Path
from typing import Any

from glassroom.cli.classroom import add_command
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.translations.templates import word
from glassroom.workspace.other_language import course_in
from glassroom.workspace.problems import Exit
from glassroom.workspace.sources import notebooks_folder

EPILOG = """\
The class's folder gets course.toml (points, due dates, rules: yours to edit), source/ (with solutions: keep it to
yourself), release/ (what learners get) and nbgrader's gradebook.db. nbgrader's own commands work in it.

The course's own solutions are run first, against all checks and hidden tests. Where one does not pass, nothing is
released, and the test is named.

examples:
  glassroom release 1_memory --course tensors-2030      every notebook of part 1
  glassroom release 1_memory/02 --course tensors-2030   one of them
  glassroom release memory-02 --course tensors-2030     an assignment again, by its name
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
        private=False,
    )
    parser.add_argument(
        "notebooks", nargs="*", metavar="PART|NOTEBOOK|ASSIGNMENT", help="what to hand out (all of course.toml)"
    )
    parser.add_argument("--course", default=".", metavar="DIR", help="the class's folder (this one)")
    parser.add_argument("--force", action="store_true", help="also what learners have handed in already")
    parser.set_defaults(run=run, keeps=True)  # release/ is for learners, and the rest of the folder is not


def run(arguments: argparse.Namespace) -> int:
    """Release, and say what was."""
    require_numpy()
    require_modules("nbgrader", "IPython", "tqdm", extras="classroom")
    from tqdm import tqdm

    from glassroom.classroom.release import language_of, release

    folder = Path(arguments.course)
    with (
        course_in(language_of(folder), notebooks_folder()) as notebooks,
        tqdm(
            unit=word(" solutions"), desc=word("trying"), dynamic_ncols=True, leave=False, delay=1, disable=None
        ) as bar,
    ):

        def progress(done: int, of: int, name: str) -> None:
            bar.total, bar.n = of, done
            bar.set_postfix_str(name)

        released = release(folder, arguments.notebooks, notebooks, arguments.force, progress)
    if released.added:
        print(f"New in {folder / 'course.toml'}: {word(', ').join(released.added)}. Set points and due dates there.")
    for name, points in released.assignments.items():
        worth = word("point") if points == 1 else word("points")
        print(f"released {name} ({points:g} {worth}): {folder / 'release' / name}")
    for name in released.hidden:
        print(f"renewed  the hidden tests of {name}; learners' copies stay. Next: glassroom grade {folder} {name}")
    for name in released.untried:
        print(f"not tried: the solutions of {name}, which run where marking does, on Linux")
    for name in released.kept:
        print(f"kept     {name}: learners have handed it in. Say --force to make it anew.")
    return Exit.OK
