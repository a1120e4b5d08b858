"""``glassroom site``: the course and the documentation as a static web site."""

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from glassroom.cli.arguments import ByColumns, jobs
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.translations.language import languages
from glassroom.workspace.problems import Exit

EPILOG = """\
examples:
  glassroom site --out site                                      everything
  glassroom site --out site 1_memory/05_strides_and_offset       one notebook, and all other pages
  glassroom site --out site --pyodide pyodide/                   host Python too, for a school without the network
  glassroom site --out site --lite                               with JupyterLab in the reader's browser
  python -m http.server --directory site                         look at it

The folder is made anew as a whole, once every page is there. One that holds something else is left alone.
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "site",
        help="build the course and the documentation as a static web site",
        description="Run the course's notebooks with live inspectors, and write them, the documentation and the "
        "reference as a web site. It asks no other host; only when a reader runs a page's code, Python comes from one.",
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help='such as "1_memory/00_start_here" (all)')
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the site is written")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        choices=list(languages()),
        help="a language that is not released yet, besides English and those that are",
    )
    parser.add_argument("--cache", type=Path, metavar="DIR", help="where outputs of notebooks are kept between builds")
    parser.add_argument(
        "--pyodide",
        metavar="URL|FOLDER",
        help="where pages load Python from when a reader runs their code: an address, or a folder with an unpacked "
        "distribution of Pyodide, which becomes part of the site (the public host that Pyodide names)",
    )
    parser.add_argument(
        "--lite", action="store_true", help="with JupyterLite: the course with a kernel in the reader's own browser"
    )
    parser.add_argument("--jobs", type=jobs, default=2, metavar="N", help="how many processes work in parallel (2)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Build the site, and say where it is."""
    require_numpy()
    require_modules("sphinx", "myst_nb", "furo", "latex2mathml", "nbclient", "ipykernel", "tqdm", extras="site")
    if arguments.lite:
        require_modules("jupyterlite_core", "jupyterlite_pyodide_kernel", "jupyter_server", extras="lite")
    from glassroom.site.build import build  # the requirements are there

    with _ended_as_interrupted():
        pages = build(
            arguments.out,
            arguments.notebooks,
            cache=arguments.cache,
            jobs=arguments.jobs,
            also=arguments.also,
            pyodide=arguments.pyodide,
            lite=arguments.lite,
        )
    print(f"{pages} pages in {arguments.out}")
    return Exit.OK


@contextmanager
def _ended_as_interrupted() -> Iterator[None]:
    """A context in which SIGTERM does what Ctrl-C does: kernels, the builds in other languages and what is half built
    would outlive a build that ended at once.
    """
    if threading.current_thread() is not threading.main_thread():  # signals are not ours there
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
