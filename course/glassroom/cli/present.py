"""``glassroom present``: a notebook as slides with live inspectors, and the class's answers as bars."""

import argparse
import contextlib
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glassroom.cli.arguments import ByColumns, port
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.records.printable import printable
from glassroom.translations.templates import word
from glassroom.workspace.problems import Exit, Problem

if TYPE_CHECKING:
    from glassroom.site.seminar.servers import VoteServer

EPILOG = """\
examples:
  glassroom present 1/07                            notebook 07 of part 1
  glassroom present 1_memory/07_view_or_reshape     the same
  glassroom present my-course/lesson.ipynb          a notebook of your own
  glassroom present 1/07 --votes --host 192.168.1.7 --votes-port 8808    the class answers, on the local network

keys:
  →  Space  Page Down    the next step: what a prediction comes to, a solution; then the next slide
  ←  Page Up             the slide before
  Home  End  a number    the first slide, the last one, that one
  Esc                    from an inspector, whose keys are its own, back to the slides
  t                      the other theme

Votes are opt-in and anonymous: one for each browser, known by a random cookie. No names and no addresses are kept, and
what was answered is in memory alone, gone with Ctrl-C. The page for votes is for this machine alone (127.0.0.1) unless
--host names another of its addresses; 0.0.0.0 is all of them. The slides are never for others.
"""


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "present",
        help="for teachers: show a notebook as slides, and let the class predict",
        description="Run a notebook once, or take its outputs from the cache, and show it in the browser as slides "
        "with live inspectors. A prediction is asked first; its result comes at a key.",
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("notebook", metavar="NOTEBOOK", help='such as "1/07", or the path of a notebook')
    parser.add_argument("--votes", action="store_true", help="open a page in which a class answers what is asked")
    parser.add_argument(
        "--host", metavar="ADDRESS", help="the address of this machine at which the class reaches that page (127.0.0.1)"
    )
    parser.add_argument("--votes-port", type=port, metavar="N", help="the port of that page (any that is free)")
    parser.add_argument("--port", type=port, default=0, metavar="N", help="the port of the slides (any that is free)")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="where outputs of notebooks are kept")
    parser.add_argument("--no-browser", action="store_true", help="print the address alone")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show the slides until Ctrl-C."""
    if not arguments.votes and (arguments.host or arguments.votes_port):
        raise Problem("--host and --votes-port are for the page that --votes opens.", Exit.USAGE)
    require_numpy()
    require_modules("nbclient", "ipykernel", "anywidget", "markdown_it", "pygments")
    from glassroom.site.seminar.notebook import deck_for
    from glassroom.site.seminar.servers import HERE, DeckServer, VoteServer
    from glassroom.site.seminar.votes import Votes

    with contextlib.ExitStack() as stack:  # ports are bound first: a notebook that runs for a minute would be in vain
        votes = None
        if arguments.votes:
            with _told(arguments.host or HERE, arguments.votes_port):
                votes = stack.enter_context(VoteServer(Votes(), arguments.host or HERE, arguments.votes_port or 0))
        with _told(HERE, arguments.port):
            server = stack.enter_context(DeckServer(votes, arguments.port))
        print(f"Making the slides of {printable(arguments.notebook)} …", flush=True)
        deck = deck_for(arguments.notebook, arguments.cache)
        server.take(deck)
        print(f"{len(deck.slides)} slides: {printable(deck.title)}. Ctrl-C ends this.\n{server.address}")
        if votes:
            threading.Thread(target=votes.serve_forever, daemon=True).start()
            stack.callback(votes.shutdown)
            print(_about(votes))
        print(end="", flush=True)
        if not arguments.no_browser:
            webbrowser.open(server.address)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return Exit.OK


def _about(votes: "VoteServer") -> str:
    who = (
        "this machine alone reaches it, and --host ADDRESS opens it to the local network."
        if votes.is_local
        else "whoever reaches it can answer, without a name; all answers are gone with Ctrl-C."
    )
    return f"Votes at {votes.address}: {who}"


@contextmanager
def _told(host: str, number: int | None) -> Iterator[None]:
    """Raise `Problem` for an address or a port that no server can have."""
    try:
        yield
    except (OSError, UnicodeError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise Problem(f"{f'Port {number}' if number else word('A port')} of {host} cannot be used: {why}.") from error
