"""An attack: commands and saves whose disk is full, whose files may only have so many bytes, or whose folder is
somebody else's.

Each round copies a prepared room, disturbs one command in it, and looks. What the command says is one line with an exit
code, without a traceback; it did all or says that it did not; every file is whole, and none is lost or left over. Then
there is room again, the folder is the teacher's, and the same command gives what it gives undisturbed.
"""

from __future__ import annotations

import ctypes
import gzip
import importlib.util
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from course.faults import NOBODY

from glassroom.workspace.notebook_json import parse, serialise

COMMANDS: dict[str, str] = {
    "lab": "lab --no-lab mine",
    "submit": "submit mine/1_memory/01_header_and_storage.ipynb --to exchange",
    "collect": "collect inbox.zip --course class --assignment weather",
    "class": "class class",
    "feedback": "feedback class",
    "marks": "marks class --csv marks.csv",
    "manual": "marks class --by-hand",
    "forget": "forget class Bob --yes",
    "translate": "translate xx --update glassroom/reading",
    "new": "new course other",
    "package": "package wheels",
    "moodle": "feedback class weather --moodle pages.zip",
    "canvas": "feedback class weather --canvas notebooks.zip",
    "import": "marks class weather --lms moodle --csv import.csv",
    "save": "",
    "picture": "",
    "page": "",
    "trace": "",
    "solve": "",
    "keep": "",
    "mark": "",
    "hub": "",
    "refresh": "",
    "notebook": "new notebook rain --course class",
    "exercise": "new exercise weather-more --in weather --course class",
    "copy": "new notebook 1_memory/03 --copy --course class",
    "grade": "grade class --jobs 1 --again",
    "release": "release weather --course class --force",
    "site": "site --out site 1_memory/00_start_here",
}
SLOW = ("translate", "refresh", "notebook", "exercise", "copy", "grade", "release", "site")  # they run notebooks
BEGUN = ("notebook", "exercise", "copy")  # they write a notebook, and then run it
ONCE = ("new", "forget", *BEGUN)  # these refuse to run twice
WHY = ("Ada", "weather", "weather-noon")  # whose answer a person marks
DISK = 160 * 2**20  # a site with its cache takes 70 MB
LEFT = re.compile(r"\.part$|^\.glassroom-|^tmp|\.tmp$")
#: Files that contain times: complete, but different on every run.
CHANGING = (".db", ".json", ".gz", ".whl", ".zip", ".html", "_config.py")


def run(amount: int, seed: int, commands: tuple[str, ...] = tuple(COMMANDS)) -> dict[str, Any]:
    """Disturb `amount` commands. Returns how many of each kind there were, and what went wrong."""
    import_once()
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    quick = tuple(command for command in commands if command not in SLOW) or commands
    slow = tuple(command for command in commands if command in SLOW) or commands
    kinds = ("limit", "full", "somebody else's") if os.geteuid() == 0 else ("limit",)
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        room = prepared(Path(place, "prepared"))
        wanted: dict[str, dict[str, bytes]] = {}
        for number in range(amount):
            name = drawn.choice(slow if number % 10 == 0 else quick)
            kind = kinds[number % len(kinds)]
            if name not in wanted:
                with disk(Path(place, "undisturbed"), room, kind="") as copy:
                    code, said = carried_out(name, copy)
                    wanted[name] = files(copy)
                    if code:
                        raise RuntimeError(f"{name} fails undisturbed: {said}")
            with disk(Path(place, "room"), room, kind) as copy:
                faults = _round(name, copy, kind, drawn, wanted[name])
            broken += [f"{name}, {kind}, round {number}: {fault}" for fault in faults]
            tried[f"{name}, {kind}"] += 1
    return {"tried": sum(tried.values()), "kinds": dict(tried), "broken": broken}


def import_once() -> None:
    """Import what the commands need here, and not in each child; and let them find Matplotlib's list of fonts, which
    says that it is being made where that takes long."""
    if importlib.util.find_spec("matplotlib"):
        os.environ.setdefault("MPLCONFIGDIR", importlib.import_module("matplotlib").get_cachedir())
    for module in ("tensorglass", "glassroom.cli.app", "glassroom.classroom.batch", "glassroom.classroom.release"):
        importlib.import_module(module)


def _round(name: str, room: Path, kind: str, drawn: random.Random, wanted: dict[str, bytes]) -> list[str]:
    before = files(room)
    filler, limit, locked = room / "filler", None, list[Path]()
    if kind == "limit":
        limit = int(2 ** drawn.uniform(0, 17))
    elif kind == "full":
        free = shutil.disk_usage(room).free - drawn.choice((0, 4096, int(2 ** drawn.uniform(12, 20))))
        filler.write_bytes(bytes(max(free, 0)))
    else:
        folders = [path for path in (room, *room.rglob("*")) if path.is_dir()]
        locked = drawn.sample(folders, drawn.choice((1, 3, len(folders))))
        for path in locked:
            os.chown(path, NOBODY, NOBODY)
    code, said = carried_out(name, room, limit, is_somebody_else=bool(locked))
    filler.unlink(missing_ok=True)
    faults = []
    if "Traceback" in said or (code and not re.match(r"(?s)(.*[\n\r])?glassroom: [^\n]+\n$", said)):
        faults.append(f"said {said[-1500:]!r}, exit {code}")
    if code not in (0, 1, 3, 4):
        faults.append(f"exit {code}")
    after = files(room)
    faults += torn(after, before, wanted)
    faults += [f"{path} is lost" for path in before if path not in after and path in wanted]
    new = set(after) - set(before) - set(wanted)
    faults += [f"{path} is left" for path in sorted(new) if LEFT.search(Path(path).name)]
    if code == 0 and (lacking := difference(after, wanted)):
        faults.append(f"exit 0 without {lacking}; said {said[-300:]!r}")
    for path in locked:
        os.chown(path, os.geteuid(), -1)
    if name in ONCE and (code == 0 or "was written" in said):
        return faults
    code, said = carried_out(name, room)
    if code or (lacking := difference(files(room), wanted)):
        faults.append(f"afterwards, exit {code}, {said[-300:]!r}, differs: {'' if code else lacking}")
    return faults


def torn(after: dict[str, bytes], before: dict[str, bytes], wanted: dict[str, bytes]) -> Iterator[str]:
    """Files that are neither what they were nor what they should become."""
    for name, content in after.items():
        if content in (before.get(name), wanted.get(name)) or Path(name).name.startswith("timestamp"):
            continue
        if name.endswith((".json", ".ipynb")):
            try:
                json.loads(content)
            except ValueError:
                yield f"{name} is torn"
        elif name.endswith(".html"):
            if not content.rstrip().endswith(b"</html>"):
                yield f"{name} is torn"
        elif name.endswith((".zip", ".whl")):
            if not zipfile.is_zipfile(io.BytesIO(content)):
                yield f"{name} is torn"
        elif name.endswith(".gz"):
            try:
                gzip.decompress(content)
            except (OSError, EOFError):
                yield f"{name} is torn"
        elif not name.endswith(CHANGING) and name in wanted:
            yield f"{name} is neither old nor new, {len(content)} bytes"


def difference(files: dict[str, bytes], wanted: dict[str, bytes]) -> str:
    """Names that only one of two states of a room has, and files that differ although nothing in them may."""
    names = {_name(file) for file in files} ^ {_name(file) for file in wanted}
    same = {name for name in wanted if not name.endswith(CHANGING) and "timestamp" not in name}
    names |= {path for path in same if files.get(path, wanted[path]) != wanted[path]}
    return ", ".join(sorted(names)[:5])


def _name(path: str) -> str:
    """A path with its times and hashes left out."""
    return re.sub(r"\d{4}-\d\d-\d\d [\d:.]+ UTC|[0-9a-f]{8,}", "…", path)


def files(room: Path) -> dict[str, bytes]:
    """The contents of all files, by name; of databases their rows, since SQLite's bytes differ from run to run."""
    contents = {}
    for path in room.rglob("*"):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(room).as_posix()
            if "cache" in name or name.startswith(("tmp/", "home/")):
                continue
            contents[name] = _dump(path) if path.suffix == ".db" else path.read_bytes()
    return contents


def _dump(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",), f"{path} is damaged"
        return repr(database.execute("SELECT name FROM sqlite_master").fetchall()).encode()


def carried_out(
    name: str,
    room: Path,
    limit: int | None = None,
    is_somebody_else: bool = False,
    ended_by: signal.Signals | None = None,
    after: float = 0,
) -> tuple[int, str]:
    """Run a command in a child process: its exit code, and what it wrote to stderr. A signal ends it after a while."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 99
        try:
            os.setpgid(0, 0)
            os.dup2(writing, 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.stdout, sys.stderr = open(1, "w"), open(2, "w")  # noqa: SIM115  # the child exits with them
            os.chdir(room)
            os.environ |= {
                "HOME": f"{room}/home",
                "TMPDIR": f"{room}/tmp",
                "GLASSROOM_TRANSLATIONS": f"{room}/languages",
            }
            tempfile.tempdir = None
            if limit is not None:
                sys.dont_write_bytecode = True  # Python would keep as much of it as the limit allows
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            if is_somebody_else:
                _give_up_every_right_of_root()
            action = _actions().get(name) or partial(_app().run, COMMANDS[name].split())
            os.write(writing, b"\0")
            code = action()
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        except SystemExit as exit:
            code = int(exit.code or 0)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        pipe.read(1)  # it begins now
        if ended_by is not None:
            time.sleep(after)
            (os.killpg if ended_by == signal.SIGINT else os.kill)(child, ended_by)
        said = pipe.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def _give_up_every_right_of_root() -> None:
    """Give up root's rights in this process and its children, so that owners and modes of files bind them too."""
    system = ctypes.CDLL(None, use_errno=True)
    for capability in range(41):
        system.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    assert system.capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()) == 0


def _app() -> Any:
    return importlib.import_module("glassroom.cli.app")


def _actions() -> dict[str, Callable[[], int]]:
    """Saves that no command makes, as functions that return exit codes as commands do."""
    import tensorglass as torch
    from glassroom import check, keep, show
    from glassroom.classroom.by_hand import save_by_hand
    from glassroom.classroom.course_file import read_course
    from glassroom.classroom.hub.config import Settings, write_config
    from glassroom.cli.refresh import refresh
    from glassroom.workspace.problems import Problem
    from tensorglass.profiler import profile

    def told(work: Callable[[], object]) -> int:
        try:
            work()
        except (OSError, RuntimeError, Problem) as error:  # PyTorch's, for a folder that takes no file
            os.write(2, f"glassroom: {' '.join(str(error).split())}\n".encode())
            return 3
        return 0

    def heard(work: Callable[[], object]) -> str:
        with redirect_stdout(io.StringIO()) as said:
            work()
        return " ".join(said.getvalue().split())

    def solved() -> None:
        """Solve an exercise: what was solved is recorded, or it is told that it is not."""
        os.chdir("mine/1_memory")
        if "not recorded" in (said := heard(lambda: check("01-same-cell", 10))):
            raise OSError(said[said.index("Your progress") :])

    def kept() -> None:
        os.chdir("mine/1_memory")
        if "runs all the same" in (said := heard(lambda: keep("strides"))):
            raise OSError(said)

    def refreshed() -> None:
        if failure := refresh(Path("class/notebooks/stale.ipynb")).failure:
            raise OSError(failure)

    table = torch.arange(4096.0)

    def traced() -> None:
        with profile() as profiled:
            table.sum()
        profiled.export_chrome_trace("trace.json")
        profiled.export_chrome_trace("trace.json.gz")

    return {
        "save": lambda: told(lambda: torch.save({"table": table}, "saved.pt")),
        "picture": lambda: told(lambda: show(table=table[:4]).save("picture.svg")),
        "page": lambda: told(lambda: show(table=table[:4]).save("page.html")),
        "trace": lambda: told(traced),
        "solve": lambda: told(solved),
        "keep": lambda: told(kept),
        "mark": lambda: told(lambda: save_by_hand(read_course(Path("class")), WHY, "0.5", "Half of it.")),
        "hub": lambda: told(lambda: write_config(Settings(Path("hub")), "python")),
        "refresh": lambda: told(refreshed),
    }


def prepared(room: Path) -> Path:
    """A room with a class, submissions, a learner's folder and an older course."""
    for folder in ("exchange", "home", "tmp", "languages/xx"):
        (room / folder).mkdir(parents=True)
    (room / "languages/xx/language.json").write_text('{"name": "xx", "released": false}')
    for name in ("saved.pt", "picture.svg", "page.html", "trace.json", "trace.json.gz"):
        (room / name).write_bytes(b"of before")
    arguments = ["new course class", "new notebook weather --course class", "release weather --course class"]
    for command in (*arguments, "lab --no-lab mine"):
        _undisturbed(command, room)
    notebook = (room / "class/release/weather/weather.ipynb").read_bytes()
    for person in ("Ada_1", "Bob_2"):
        with zipfile.ZipFile(room / "inbox.zip", "a") as archive:
            archive.writestr(f"{person}_assignsubmission_file/weather.ipynb", notebook)
    with zipfile.ZipFile(room / "canvas.zip", "w") as archive:
        archive.writestr("kingcarl_77_4711_weather.ipynb", notebook)
    for archive in ("inbox.zip", "canvas.zip"):
        _undisturbed(f"collect {archive} --course class --assignment weather", room)
    _undisturbed("grade class --jobs 2", room)
    stale = parse((room / "class/notebooks/weather.ipynb").read_bytes())
    for cell in stale["cells"]:
        cell |= {"outputs": []} if cell["cell_type"] == "code" else {}
    (room / "class/notebooks/stale.ipynb").write_bytes(serialise(stale))
    with zipfile.ZipFile(room / "inbox.zip", "a") as archive:
        archive.writestr("Eve_3_assignsubmission_file/weather.ipynb", notebook)
    for path in sorted((room / "mine").rglob("*.ipynb"))[5:]:
        path.unlink()
    return room


def _undisturbed(command: str, room: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "glassroom", *command.split()], cwd=room, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command} fails undisturbed: {done.stderr}")


@contextmanager
def disk(place: Path, room: Path, kind: str) -> Iterator[Path]:
    """A copy of the room; on a small disk of its own where that is to be filled."""
    place.mkdir()
    if kind == "full":
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(place)], check=True)
    try:
        yield shutil.copytree(room, place / "room")
    finally:
        if kind == "full":
            subprocess.run(["umount", "-l", str(place)], check=True)
        shutil.rmtree(place)
