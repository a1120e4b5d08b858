"""``glassroom collect``: submissions, from wherever they were handed in."""

import argparse
from datetime import datetime
from pathlib import Path
from typing import Any

from glassroom.cli.classroom import add_command, course_of
from glassroom.translations.templates import word
from glassroom.workspace.problems import Exit, Problem

EPILOG = """\
What can be collected: a folder with a folder for each learner, a folder of notebooks named by learner
(ada_02_views_share_a_storage.ipynb), a zip file as Moodle or Canvas delivers it, nbgrader's exchange (its inbound/),
and with --hub the folder of a hub, of which it takes what learners have handed in with `glassroom submit`.
Whatever is odd is told in one line; what is not graded is kept in collected/. Nothing is lost.

examples:
  glassroom collect Downloads/submissions.zip --course tensors-2030
  glassroom collect /srv/nbgrader/exchange/tensors --course tensors-2030
  glassroom collect --hub classroom --course tensors-2030
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = add_command(
        commands,
        "collect",
        "for teachers: take submissions in, from a folder or an LMS's zip file",
        "Bring submissions into a class's folder.",
        EPILOG,
    )
    parser.add_argument("source", nargs="+", type=Path, metavar="FOLDER|ZIP", help="where submissions are")
    parser.add_argument("--course", default=".", metavar="DIR", help="the class's folder (this one)")
    parser.add_argument(
        "--assignment", default="", metavar="NAME", help="which one it is, where names and cells do not tell"
    )
    parser.add_argument(
        "--within", metavar="FOLDER", help="the folder in it that has the learners' folders (. for the source itself)"
    )
    moment = parser.add_mutually_exclusive_group()
    moment.add_argument(
        "--when",
        metavar="TIME",
        help="when all of it was handed in, with a zone: 2030-01-31T18:00+01:00 (each file's date)",
    )
    moment.add_argument("--no-lateness", action="store_true", help="write down no moment: none of this is late")
    parser.add_argument("--hub", action="store_true", help="the source is the folder of `glassroom hub`")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Collect, and report each oddity."""
    from glassroom.classroom.collecting import collect

    course = course_of(arguments)
    try:
        when = datetime.fromisoformat(arguments.when) if arguments.when else None
    except ValueError:
        when = None
    if arguments.when and (when is None or when.tzinfo is None):
        raise Problem(f"--when {arguments.when} is no moment with a zone, as in 2030-01-31T18:00+01:00.", Exit.USAGE)
    taken = odd = 0
    for source in arguments.source:
        lateness = not arguments.no_lateness
        report = collect(course, source, arguments.assignment, arguments.within, when, arguments.hub, lateness)
        for line in [*report.recognized, *report.oddities]:
            print(line)
        taken += len(report.taken) - report.unchanged
        odd += len(report.oddities)
    oddities = word("1 oddity") if odd == 1 else f"{odd} oddities"
    notebooks = word("1 notebook") if taken == 1 else f"{taken} notebooks"
    print(f"{notebooks} taken in, {oddities}. Next: glassroom grade {arguments.course}")
    return Exit.OK
