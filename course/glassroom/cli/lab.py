"""``glassroom lab``: a working copy of the course, and JupyterLab on its start page.

JupyterLab runs in this process, as ``jupyter lab`` would run it, with the settings a course wants: no news
pop-up, no offer to rebuild, a websocket that sends small messages immediately, the table of contents beside the
notebook, and kernels that end with their tabs.
"""

import argparse
import json
import os
import socket
import webbrowser
from pathlib import Path
from typing import Any

from glassroom.cli.arguments import ByColumns, count, port
from glassroom.cli.requirements import require_modules, require_numpy
from glassroom.exercises.course_device import CHOICE, DEVICES
from glassroom.records.printable import printable
from glassroom.translations.language import ENGLISH, VARIABLE, known, languages, spoken
from glassroom.translations.templates import word
from glassroom.workspace.learner_folder import Update, update, working_folder
from glassroom.workspace.merging import MOST_NAMED, Merged
from glassroom.workspace.other_language import course_in, remember, remembered
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import notebooks_folder

EPILOG = """\
Your notebooks are yours. When the course has a newer version of one that you changed, your answers and your
own cells go into the new version, and yours as it was is kept in .glassroom/before. Delete or rename a
notebook and run this again to get a fresh one.

examples:
  glassroom lab                               in ./glassroom-course (or here, if here is a working copy)
  glassroom lab ~/tensors                     in a folder of your choice
  glassroom lab --lang zh_CN                  in Chinese
  glassroom lab --no-browser --port 9000      on a machine that you reach over the network
  glassroom lab --device cuda                 the notebooks about devices, on your GPU
  glassroom lab -- --ip=0.0.0.0               what stands after -- goes to JupyterLab
"""

WORKSPACES = Path(".glassroom", "workspaces")
CONTENTS = "@jupyterlab/toc:plugin"  # what JupyterLab calls its table of contents
SIDEBAR = ["filebrowser", "running-sessions", CONTENTS, "extensionmanager.main-view"]
_JUPYTER_CONFIG = Path(__file__).resolve().parent / "jupyter"


def add(commands: Any) -> None:
    """Declare the sub-command."""
    parser = commands.add_parser(
        "lab",
        help="open the course in JupyterLab, in a working copy of your own",
        description="Make or update your working copy of the course and open JupyterLab on its start page.",
        epilog=EPILOG,
        formatter_class=ByColumns,
        allow_abbrev=False,
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="your working copy (./glassroom-course)")
    parser.add_argument("--port", type=port, default=8888, help="where JupyterLab listens (8888)")
    parser.add_argument(
        "--port-retries",
        type=count,
        default=50,
        metavar="N",
        help="how many of the next ports to try if it is busy (50)",
    )
    parser.add_argument(
        "--device",
        choices=DEVICES,
        help="what the notebooks about devices run on: the simulated accelerator (sim, unless you say otherwise), "
        "a real GPU (cuda), or the host alone (cpu), where what needs a device fails",
    )
    parser.add_argument(
        "--lang",
        type=lambda code: known(code) or code,
        choices=(ENGLISH, *languages()),
        help="the language of the course (that of your working copy, or of your system); the working copy remembers it",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address instead of opening a browser")
    parser.add_argument("--no-lab", action="store_true", help="only make or update the working copy")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Update the working copy, then serve it until JupyterLab ends."""
    require_numpy()
    if arguments.device:
        choose(arguments.device)
    if not arguments.no_lab:
        require_modules("jupyterlab", "ipykernel", "ipywidgets", "anywidget")
    folder = working_folder(arguments.folder)
    language = arguments.lang or remembered(folder) or spoken()
    os.environ[VARIABLE] = language  # for the kernels, wherever they run
    with course_in(language, notebooks_folder()) as sources:
        report = update(folder, sources)
    remember(folder, language)
    print(summary(report), flush=True)
    if arguments.no_lab:
        return Exit.OK
    port = free_port(arguments.port, arguments.port_retries)
    if port != arguments.port:
        print(f"Port {arguments.port} is busy; using {port} instead.", flush=True)
    return _serve(report, port, not arguments.no_browser, arguments.passed_on)


def choose(device: str) -> None:
    """Make kernels that start from here use this type of device. Raises `Problem` if there is none."""
    import tensorglass  # needs NumPy, which is there by now

    if device == "cuda" and not tensorglass.cuda.is_available():
        raise Problem(
            "There is no CUDA device here that tensorglass can use. It takes an NVIDIA GPU with its driver, and CuPy: "
            "pip install 'tensorglass[gpu]'. Without --device the course runs on a simulated accelerator.",
            Exit.REQUIREMENT,
        )
    os.environ[CHOICE] = device


def summary(report: Update) -> str:
    """What was done to the working copy, for the person who will work in it."""
    counts = (
        (len(report.created), word("new")),
        (len(report.updated), word("updated")),
        (len(report.merged), "updated with your work in them"),
        (len(report.kept) + len(report.beside), "yours, kept as they are"),
    )
    done = word(", ").join(f"{count} {what}" for count, what in counts if count) or "up to date"
    lines = [f"Your working copy: {report.folder} ({done})"]
    for path, merge in report.merged.items():
        lines.append(f"  {path}: {told(merge)}")
    for path, name in report.beside.items():
        lines.append(f"  {path} is yours and was kept; the course's version is beside it: {name.name}")
    lines += [f"  Note: {note}" for note in report.notes]
    return "\n".join(map(printable, lines))


def told(merge: Merged) -> str:
    """What an update did to a notebook that the learner had changed."""
    kept = f"{merge.answers} answer{'' if merge.answers == 1 else 's'} of yours went into the new version"
    if merge.own:
        kept += f", and {merge.own} cell{'' if merge.own == 1 else 's'} of your own"
    named = [f'"{path}"' for path in merge.news[:MOST_NAMED]]
    more = len(merge.news) - len(named)
    changed = word(", ").join(named) + (f" and {more} more" if more > 0 else "")
    return f"{kept}. Changed by the course: {changed or 'nothing that you see'}"


def free_port(port: int, retries: int) -> int:
    """The first free port from `port` on, trying `retries` more. Raises `Problem` when all are busy."""
    last = min(port + retries, 65535)
    for candidate in range(port, last + 1):
        if _is_free(candidate):
            return candidate
    if last == port:
        message = f"Port {port} is busy. Name another with --port, or allow the next ones with --port-retries 50."
    else:
        message = f"The ports {port} to {last} are all busy. Name another one with --port."
    raise Problem(message)


def _is_free(port: int) -> bool:
    """Whether a server could listen on this port of this machine, over IPv4 and, where there is one, IPv6."""
    for family, kind, protocol, _, address in socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM):
        try:
            probe = socket.socket(family, kind, protocol)
        except OSError:
            continue  # an address family that the machine knows but cannot use
        with probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
                probe.listen(1)
            except OSError:
                return False
    return True


def _serve(report: Update, port: int, open_browser: bool, passed_on: list[str]) -> int:
    """Run JupyterLab on the working copy until it is stopped."""
    from jupyterlab.labapp import LabApp

    if open_browser and not _has_browser():
        print(
            "There is no web browser here. Open the address below in one that reaches this machine.",
            flush=True,
        )
        open_browser = False
    page = f"/lab/tree/{report.start_page.as_posix()}" if report.start_page else "/lab"
    # Layered below the learner's own Jupyter settings: no news pop-up, no question whether to rebuild.
    earlier = os.environ.get("JUPYTER_CONFIG_PATH", "")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [earlier, str(_JUPYTER_CONFIG)]))
    settings = [
        *_workspace(report.folder / WORKSPACES),
        f"--ServerApp.root_dir={report.folder}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.open_browser={open_browser}",
        f"--LabApp.default_url={page}",
        "--ServerApp.kernel_websocket_connection_class=glassroom.cli.websocket.PromptConnection",
        "--Application.log_level=WARN",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        settings.append("--ServerApp.allow_root=True")
    server = LabApp.initialize_server(argv=[*settings, *passed_on])
    if not server.identity_provider.token_generated:  # else JupyterLab prints the address itself
        print(f"JupyterLab: {server.display_url}", flush=True)
    server.start()
    return Exit.OK


def _workspace(folder: Path) -> list[str]:
    """The setting that makes JupyterLab store its workspaces with the course, where the table of contents is open at
    first. None if nothing can be written: then JupyterLab uses its usual workspaces.
    """
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    try:
        if not folder.is_dir():
            left = {"collapsed": False, "visible": True, "current": CONTENTS, "widgets": SIDEBAR}
            right = {"collapsed": True, "visible": True, "widgets": []}
            layout = {"left": left, "right": right, "relativeSizes": [0.26, 0.74, 0]}
            WorkspacesManager(str(folder)).save(
                "default", json.dumps({"data": {"layout-restorer:data": layout}, "metadata": {"id": "default"}})
            )
    except OSError:
        return []
    return [f"--LabApp.workspaces_dir={folder}"]


def _has_browser() -> bool:
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True
