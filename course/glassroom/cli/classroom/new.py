"""``glassroom new``: a course, a notebook or an exercise of a teacher's own, as an example that works."""

import argparse
from pathlib import Path
from typing import Any

from glassroom.cli.classroom import add_command
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.translations.templates import as_is
from glassroom.workspace.other_language import course_in
from glassroom.workspace.problems import Exit, Problem

EPILOG = """\
Each is an example that works, for you to change: docs/own-course.md goes through it.

examples:
  glassroom new course my-course
  glassroom new notebook weather --course my-course
  glassroom new exercise weather-count --in weather --course my-course
  glassroom new notebook 1_memory/02 --copy --course my-course     a notebook of the course, to be changed
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "new",
        "for teachers: a course, a notebook or an exercise of your own",
        "Begin a course, a notebook or an exercise of your own.",
        EPILOG,
    )
    parser.add_argument("what", choices=("course", "notebook", "exercise"), help="what to begin")
    parser.add_argument("name", metavar="NAME", help="the folder, the notebook's name, or the exercise's id")
    parser.add_argument("--course", default=".", metavar="DIR", help="the class's folder (this one)")
    parser.add_argument("--in", dest="notebook", metavar="NOTEBOOK", help="the notebook that the exercise goes into")
    parser.add_argument("--copy", action="store_true", help="NAME is a notebook of the course, to be changed")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the files, store the notebook's outputs, and say what comes next."""
    require_numpy()
    require_modules("nbclient", "nbformat", "ipykernel")
    from glassroom.classroom.beginning import changed_copy, new_course, new_exercise, new_notebook
    from glassroom.classroom.course_file import read_course
    from glassroom.classroom.own_course import declare_own_exercises
    from glassroom.classroom.release import find_notebooks
    from glassroom.cli.refresh import refresh
    from glassroom.workspace.sources import notebooks_folder

    folder = Path(arguments.name if arguments.what == "course" else arguments.course)
    if arguments.what == "course":
        written = new_course(folder)
        then = as_is(f"glassroom new notebook NAME --course {folder}")
    else:
        language = read_course(folder).language
        declare_own_exercises(folder)
        then = as_is(f"glassroom test --course {folder}")
        if arguments.what == "exercise":
            if not arguments.notebook:
                raise Problem("Which notebook does it go into? Say --in NOTEBOOK.", Exit.USAGE)
            written = new_exercise(folder, arguments.name, arguments.notebook)
        elif arguments.copy:
            with course_in(language, notebooks_folder()) as notebooks:
                names = find_notebooks(arguments.name, folder, notebooks)
                if len(names) > 1:
                    raise Problem(f"{arguments.name} may be {', '.join(names[:4])}: name one.", Exit.USAGE)
                written = changed_copy(folder, names[0], notebooks)
        else:
            written = new_notebook(folder, arguments.name)
        if failure := refresh(written[0]).failure:
            raise Problem(f"{written[0]} was written, and does not run: {failure}")
    for path in written:
        print(f"wrote {path}")
    if arguments.what == "exercise":
        print("It is an example: write your own text, answer, check and hints in place of what is there.")
    print(f"Next: {then}")
    return Exit.OK
