"""A class full of attackers: nothing leaks, nobody else's mark changes, the batch ends."""

from __future__ import annotations

import contextlib
import copy
import csv
import io
import json
import os
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from classes import FILE, LIMITS, answered, dumps, make_class, nothing_is_left, teachers_notebook
from hostile_submissions import CODE, SECRET

from glassroom.classroom.batch import Report, grade, on_this_machine
from glassroom.classroom.by_hand import read_manual
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row
from glassroom.classroom.marks import marks_csv, result
from glassroom.classroom.pages.feedback import feedback_page
from glassroom.classroom.pages.overview import class_page
from glassroom.classroom.sandbox import BUBBLEWRAP, NAMESPACES, best_isolation
from glassroom.classroom.sandbox.isolation import _works
from glassroom.classroom.submission import marks_of
from glassroom.workspace.notebook_json import Notebook, source
from glassroom.workspace.problems import Problem

try:
    ISOLATION = best_isolation()
except Problem as problem:
    pytest.skip(f"no sandbox works here: {problem}", allow_module_level=True)

pytestmark = pytest.mark.timeout(900)  # a busy machine is not a failure

HONEST = ("ada", "grace", "zoe")
FILES = (
    "broken-json",
    "empty",
    "nested-json",
    "not-text",
    "half-a-character",
    "a-number",
    "giant-notebook",
    "giant-cell",
    "cells-that-are-no-cells",
    "metadata-that-is-none",
    "a-link",
    "a-pipe",
    "a-folder",
    "forged-cells",
    "deleted-cells",
    "doubled-cells",
    "moved-cells",
    "all-tests-changed",
    "nul-bytes",
    "syntax-error",
    "forged-outputs",
    "another-kernel",
    "no-metadata",
    "another-learners-name",
    "attachments",
    "twice-the-same-key",
    "numbers-without-end",
    "half-letters",
    "a-format-of-tomorrow",
    "a-million-lists",
    "a-hundred-thousand-cells",
    "a-socket",
    "a-file-of-a-terabyte",
    "another-encoding",
    "swapped-ids",
    "a-second-answer-first",
    "ids-of-markup",
    "points-that-are-no-numbers",
    "sources-that-are-no-text",
    "lines-that-end-in-returns",
    "deep-metadata",
    "a-million-hints",
    "a-source-that-compilers-fear",
    "wide-characters",
)
STRANGE = (
    '=HYPERLINK("http:x")', "--trust", "@SUM(1)", "+1", "-1", "\u202eada", "<img src=x onerror=alert(7)>", "a\nb",
    "ada.json", "ada..", "O'Neil & Söhne \\u0000", "x" * 255, "\udce9a", "\udce8a", "ADA", "a;=1+1",
)  # fmt: skip


@dataclass
class Graded:
    """The class after `grade`, and what was observed from outside while it ran."""

    folder: Path
    report: Report
    connections: list[str] = field(default_factory=list)

    def row(self, learner: str) -> Row:
        return next(row for row in self.report.rows if row.learner == learner)

    def earned(self, learner: str) -> dict[str, float]:
        return {mark.id: (mark.part or 0.0) * mark.points for mark in self.row(learner).marks}


def _forged(name: str, notebook: Notebook) -> bytes:  # noqa: C901  # a case for each kind of file
    """The file of that kind."""
    plain = answered(notebook, {})
    cells = plain["cells"]
    tests = [cell for cell in cells if marks_of(cell).get("grade")]
    match name:
        case "broken-json":
            return dumps(plain)[:-2000]
        case "empty":
            return b""
        case "nested-json":
            return b"[" * 200_000
        case "not-text":
            return bytes(range(256)) * 100
        case "half-a-character":
            cells[1]["source"] = "x = '\ud800'"
        case "a-number":
            return b"7"
        case "giant-notebook":
            plain["cells"] = [dict(copy.deepcopy(cells[1]), metadata={}) for _ in range(5000)]
        case "giant-cell":
            cells[1]["source"] = "x = 1\n" * 2_000_000
        case "cells-that-are-no-cells":
            plain["cells"] = [1, None, "x"]
        case "metadata-that-is-none":
            for cell in tests:
                cell["metadata"] = {"nbgrader": [1, 2]}
        case "forged-cells":
            for cell in tests:
                cell["source"] = "1.0"
                marks_of(cell).update(points=100, locked=False)
            cells.append(
                {"cell_type": "code", "id": "more", "outputs": [], "execution_count": None, "source": "100",
                 "metadata": {"nbgrader": {**marks_of(tests[0]), "grade_id": "bonus", "points": 100}}}
            )  # fmt: skip
        case "deleted-cells":
            plain["cells"] = [cell for cell in cells if cell not in tests]
        case "no-metadata":
            plain["cells"] = [cell for cell in cells if not marks_of(cell)]
        case "doubled-cells":
            plain["cells"] = cells + copy.deepcopy(tests) * 3
        case "moved-cells":
            plain["cells"] = cells[::-1]
        case "all-tests-changed":
            for cell in tests:
                cell["source"] = "def graded_check(*a, **k): return 1\ngraded_check()"
        case "nul-bytes":
            cells[1]["source"] = "a = 1\0\n"
        case "syntax-error":
            cells[1]["source"] = "def :"
        case "forged-outputs":
            for cell in tests:
                cell["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "1.0"}, "metadata": {}}]
        case "another-learners-name":
            plain["metadata"] |= {"learner": "ada", "nbgrader": {"student": "ada", "grade": 100}, "name": "ada"}
        case "attachments":
            for cell in cells:
                cell["attachments"] = {"../../x.png": {"image/svg+xml": "<script>alert(8)</script>" * 1000, "x": None}}
        case "twice-the-same-key":
            text = json.dumps(plain)
            return text.replace('"cells":', '"cells": [], "cells": 5, "cells":', 1).encode()
        case "numbers-without-end":
            plain["metadata"] |= {"a": float("nan"), "b": float("-inf"), "nbformat": 1e308}
            return json.dumps(plain).replace('"nbformat": 1e+308', '"c": 1e999, "d": ' + "9" * 6000).encode()
        case "half-letters":
            cells[1]["source"] = "x = '\ud800'\n# \u202e \u0000"
        case "a-format-of-tomorrow":
            plain |= {"nbformat": 99, "nbformat_minor": -1, "metadata": {"kernelspec": [], "language_info": 1}}
        case "a-million-lists":
            return b'{"nbformat": 4, "cells": [], "metadata": {"x": [' + b"[]," * 9_000_000 + b"1]}}"
        case "a-hundred-thousand-cells":
            plain["cells"] = [dict(cells[1], metadata={}, source="")] * 100_000
        case "another-encoding":
            return json.dumps(plain).encode("utf-16")
        case "swapped-ids":
            for answer, test in zip([cell for cell in cells if marks_of(cell).get("solution")], tests, strict=False):
                one, other = marks_of(answer), marks_of(test)
                one["grade_id"], other["grade_id"] = other["grade_id"], one["grade_id"]
        case "a-second-answer-first":
            plain["cells"] = [
                dict(copy.deepcopy(cell), source="middle = 1") for cell in cells if marks_of(cell)
            ] + cells
        case "ids-of-markup":
            for number, cell in enumerate(cells):
                cell["id"] = f"<img src=x onerror=alert({number})>\x1b[2J"
                cell["metadata"] = {
                    "nbgrader": {**marks_of(cell), "grade_id": f"</h3><script>alert({number})</script>"}
                }
            plain["metadata"] = {
                "title": "<script>alert(30)</script>",
                "kernelspec": {"name": "<script>", "x": "\x1b]0;x\x07"},
            }
        case "points-that-are-no-numbers":
            for number, cell in enumerate(tests):
                marks_of(cell)["points"] = (float("nan"), float("inf"), -5, "100")[number]
            return json.dumps(plain).encode()
        case "sources-that-are-no-text":
            for cell, text in zip(cells, ([1, None], {"x": 1}, 7, None, [["a"]], True), strict=False):
                cell["source"] = text
        case "lines-that-end-in-returns":
            for cell in cells:
                cell["source"] = source(cell).replace("\n", "\r")
        case "deep-metadata":
            return json.dumps(plain).replace('"cells"', f'"deep": {"[" * 900}{"]" * 900}, "cells"', 1).encode()
        case "a-million-hints":
            line = 'xhint("02-middle", hint("02-middle"))\n'
            plain["cells"] += [
                {**cells[1], "id": f"more-{n}", "metadata": {}, "source": line * 10_000} for n in range(70)
            ]
        case "a-source-that-compilers-fear":
            feared = "def share_storage(x, y):\n    return x" + ".a" * 60_000 + " or " + "-" * 3000 + "1"
            plain = answered(notebook, {"02-share-storage": feared, "02-middle": "middle = a" + "[0]" * 50_000})
        case "wide-characters":
            cells[1]["source"] = "\u2800\u3164 = 1\n\u202e\u2066middle\u2069 = a\n" + "e" + "\u0301" * 100_000
        case "another-kernel":
            plain["metadata"]["kernelspec"] = {"name": "bash", "display_name": "x", "language": "bash"}
    return json.dumps(plain).encode()


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, hand_in: Callable[..., Path]) -> Graded:
    folder = make_class(tmp_path_factory.mktemp("hostile") / "class", rules=LIMITS.replace("cell = 2", "cell = 1"))
    (folder / "secret.txt").write_text(SECRET)
    with open(folder / "course.toml", "a") as file:
        file.write(f"# {SECRET}\n")
    notebook = teachers_notebook(folder)
    connections: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]

    def listen() -> None:
        while True:
            try:
                connection, where = server.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                connection.settimeout(2)
                if b"from-a-submission" in connection.recv(1000):  # `test_hub` asks at all ports of this machine
                    connections.append(str(where))
                    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + SECRET.encode())

    threading.Thread(target=listen, daemon=True).start()
    for learner in HONEST:
        hand_in(folder, learner, answered(notebook, {"02-whole": f"whole = tail  # {SECRET}"}, solved=True))
    for name, code in CODE.items():
        code = code.replace("{folder}", str(folder)).replace("{port}", str(port)).replace("{secret}", SECRET)
        if name.startswith("network"):  # without a sandbox it is heard
            with contextlib.redirect_stdout(io.StringIO()) as said:
                exec(code, {})
            assert connections.pop()
            assert SECRET in said.getvalue()
        hand_in(folder, name, answered(notebook, {"02-middle": code}))
    for name in FILES:
        place = folder / "submitted" / name / "memory-02"
        place.mkdir(parents=True)
        if name == "a-link":
            (place / FILE).symlink_to(folder / "submitted" / "ada" / "memory-02" / FILE)
        elif name == "a-pipe":
            os.mkfifo(place / FILE)
        elif name == "a-folder":
            (place / FILE).mkdir()
        elif name == "a-socket":
            with contextlib.chdir(place), socket.socket(socket.AF_UNIX) as bound:  # a path has at most 107 letters
                bound.bind(FILE)
        elif name == "a-file-of-a-terabyte":
            with open(place / FILE, "wb") as file:
                file.truncate(10**12)
        else:
            (place / FILE).write_bytes(_forged(name, notebook))
    for name in STRANGE:
        hand_in(folder, name, answered(notebook, {}))
    course = read_course(folder)
    report = grade(course, course.assignments, best_isolation([folder]), on_this_machine(8), threading.Event())
    server.close()
    return Graded(folder, report, connections)


def test_the_batch_ends_with_one_row_for_everybody(graded: Graded) -> None:
    assert sorted(row.learner for row in graded.report.rows) == sorted([*HONEST, *CODE, *FILES, *STRANGE])
    assert len(CODE) + len(FILES) >= 40
    kept = sorted(path.name for path in (graded.folder / "marks" / "memory-02").glob("*.json") if path.name[0] != ".")
    assert len(kept) == len(graded.report.rows)


@pytest.mark.parametrize("learner", HONEST)
def test_nobody_elses_mark_changes(graded: Graded, learner: str) -> None:
    assert graded.earned(learner) == {"02-share-storage": 1, "02-middle": 1, "02-whole": 0, "02-count": 1}
    assert "`whole` sees no more than `tail`" in graded.row(learner).marks[2].message
    assert not graded.row(learner).notes


@pytest.mark.parametrize("name", [*CODE, *FILES, *STRANGE])
def test_harm_earns_nothing(graded: Graded, name: str) -> None:
    assert sum(graded.earned(name).values()) == 0, graded.row(name)


@pytest.mark.parametrize("name", ["endless-loop", "exits-at-once", "crashes", "kills-everybody", "memory-bomb"])
def test_what_could_not_be_run_is_reported(graded: Graded, name: str) -> None:
    row = graded.row(name)
    middle = next(mark for mark in row.marks if mark.id == "02-middle")
    assert row.notes or "raised" in middle.message


def test_nothing_of_the_class_gets_out(graded: Graded) -> None:
    for row in graded.report.rows:
        told = json.dumps([[mark.outputs, mark.message] for mark in row.marks]) + " ".join(row.notes)
        assert SECRET not in told, row.learner
        assert "root:x:0" not in told, row.learner
        assert "attached True" not in told, row.learner


def test_no_memory_is_held_where_no_process_shows_it(graded: Graded) -> None:
    names = [name for name in CODE if name.startswith("memory-")]
    assert len(names) >= 6
    for name in names:
        told = json.dumps([mark.outputs for mark in graded.row(name).marks])
        assert sum(map(float, re.findall(r"held ([\d.]+)", told))) <= 1500, name
    assert "watches 0" in json.dumps([mark.outputs for mark in graded.row("watches-everything").marks])


def test_the_kernel_is_not_at_a_submissions_service(graded: Graded) -> None:
    told = json.dumps([[mark.outputs for mark in row.marks] for row in graded.report.rows])
    for word in ("FAMILY", "WRITABLE", "CAPABLE", "CONNECTED"):
        assert word not in told, word


def test_no_submission_reaches_the_network(graded: Graded) -> None:
    assert graded.connections == []


def test_nothing_was_written_where_others_see_it(graded: Graded) -> None:
    import glassroom

    package = Path(glassroom.__file__).parent
    assert not list(package.rglob("written-by-a-submission.py"))
    assert not Path("/usr/written-by-a-submission.py").exists()
    assert not Path("/written-by-a-submission.py").exists()


def test_no_process_stays(graded: Graded) -> None:
    assert nothing_is_left()


def test_pages_and_tables_show_strangers_words_as_words(graded: Graded) -> None:
    course = read_course(graded.folder)
    results = [result(course, course.assignments[0], row, read_manual(course)) for row in graded.report.rows]
    pages = [feedback_page(course.name, result.row.learner, [result]) for result in results]
    for page in (*pages, class_page(graded.folder).html):
        assert "<script" not in page
        assert "onerror=alert" not in page.replace("onerror=alert(4)&gt;", "").replace("onerror=alert(7)&gt;", "")
        assert "src=x" not in page.replace("&lt;img src=x", "")
        assert "\u202e" not in page
    table = marks_csv(results)
    assert '"\'=HYPERLINK(""http:x"")"' in table
    assert not re.search(r"(^|;)[ \t]*[=+@]", table, re.MULTILINE)
    names = [line["learner"] for line in csv.DictReader(io.StringIO(table))]
    assert len(set(names)) == len(names) == len(results)
    assert not any(line.startswith(("=", "+", "@", '"=')) for line in table.splitlines())


@pytest.mark.parametrize("means", [BUBBLEWRAP, NAMESPACES])
def test_each_isolation_holds(
    means: str, a_class: Path, notebook: Notebook, hand_in: Callable[..., Path], tmp_path: Path
) -> None:
    if not _works(means):
        pytest.skip(f"{means} does not work here")
    from dataclasses import replace

    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    look = (
        "import os, socket, subprocess, time\n"
        "own = [n for n in os.listdir('.') if n[0] != '.']\n"
        f"print(os.path.exists({str(secret)!r}), os.path.exists({str(a_class)!r}), own)\n"
        "print([n for _, n in socket.if_nameindex()], len([p for p in os.listdir('/proc') if p.isdigit()]) < 6)\n"
        "def can(path):\n    try: open(path, 'w').close()\n    except OSError: return False\n    return True\n"
        "places = ('/', '/usr', '/course/glassroom', '/course/tensorglass', '/etc')\n"
        "print([can(p + '/x') for p in places], can('/tmp/x'))\n"
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "again = [libc.mount(None, p, None, 32 | 4096, None) for p in (b'/usr', b'/course/glassroom', b'/')]\n"
        "print(again, can('/usr/x'))\n"
        "print(os.getuid(), [l for l in open('/proc/self/status') if l.startswith('CapEff')][0].split()[1])\n"
        "kernels = ('/proc/sys/kernel/core_pattern', '/proc/sys/vm/overcommit_memory', '/proc/self/oom_score_adj')\n"
        "def works(call, *a):\n    try: os.close(call(*a))\n    except OSError: return False\n    return True\n"
        "print([works(os.open, p, os.O_WRONLY) for p in kernels], "
        "[n for n in range(48) if works(lambda: socket.socket(n, 1).detach())])\n"
        "x86 = os.uname().machine == 'x86_64'\n"
        "pid = libc.syscall(56 if x86 else 220, 0x10000000 | 17, 0, 0, 0, 0)\n"
        "if pid == 0: os._exit(0)\n"
        "print(pid)\n"
        "forked = []\n"
        "try:\n    for _ in range(200):\n        forked.append(os.fork() or time.sleep(600))\nexcept OSError: pass\n"
        "print(15 < len(forked) < 24, open('/proc/self/uid_map').read().split()[-2])\n"
        "for pid in forked: os.kill(pid, 9)"
    )
    hand_in(a_class, "eve", answered(notebook, {"02-middle": look}))
    course = read_course(a_class)
    isolation = replace(best_isolation([a_class]), means=means)
    report = grade(course, course.assignments, isolation, on_this_machine(1), threading.Event())
    shown = report.rows[0].marks[1].outputs[0]
    *looked, counted = shown["text/plain"].splitlines()
    within_limits, whose = counted.split()  # the kernel's limit on processes does not count root's
    assert within_limits == "True"
    assert (whose != "0") is (os.getuid() == 0)
    assert looked == [
        "False False []",
        "['lo'] True",
        "[False, False, False, False, False] True",
        "[-1, -1, -1] False",
        "1000 0000000000000000",
        "[False, False, False] [1, 2, 10]",
        "-1",
    ]
    assert report.rows[0].isolation == means


HIDDEN = """
[[assignment.hidden]]
id = "02-middle-hidden"
exercise = "02-middle"
points = 5
code = "assert middle.storage_offset() == 1  # {secret}"
"""


def test_no_submission_sees_a_hidden_test(tmp_path: Path, hand_in: Callable[..., Path]) -> None:
    """Nor one that claims that its answers cannot leave its process, to have them judged there."""
    folder = make_class(tmp_path / "class", more=HIDDEN.replace("{secret}", SECRET))
    spy = (
        "middle = torch.zeros(2, 2)\nimport sys\nfrom glassroom.classroom.inside import crossing, runner\n"
        "def seen(self, message):\n    sys.modules['builtins'].heard = str(message)\n"
        "    return {'cannot': 'x', 'part': 1.0, 'changed': [], 'message': str(message)}\n"
        "old = runner.Runner.answer\n"
        "runner.Runner.answer = lambda s, m: seen(s, m) if m['do'] in ('answers', 'beside') else old(s, m)"
    )
    whole = "import builtins\nprint(getattr(builtins, 'heard', 'nothing'))"
    hand_in(folder, "eve", answered(teachers_notebook(folder), {"02-middle": spy, "02-whole": whole}))
    course = read_course(folder)
    report = grade(course, course.assignments, best_isolation([folder]), on_this_machine(1), threading.Event())
    row = report.rows[0]
    assert SECRET not in row.to_json().decode()
    hidden = next(mark for mark in row.marks if mark.id == "02-middle-hidden")
    assert hidden.part == 0
    assert "hidden tests could not be asked" in hidden.doubt
    assert all(mark.doubt for mark in row.marks if mark.part)


def test_without_isolation_nothing_runs_unless_one_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    from glassroom.classroom.sandbox import isolation

    isolation._works.cache_clear()
    try:
        with pytest.raises(Problem, match=r"--trust"):
            isolation.best_isolation()
        trusted = isolation.best_isolation(trust=True)
        assert "NO ISOLATION" in trusted.says
    finally:
        isolation._works.cache_clear()


def test_source_is_what_the_tests_come_from(graded: Graded) -> None:
    """The cells that a learner changed are the teacher's again."""
    notes = graded.row("deleted-cells").notes
    assert "the cell '02-middle' was missing and is put in" in notes
    assert any("a second cell '02-middle'" in note for note in graded.row("doubled-cells").notes)
    teachers = teachers_notebook(graded.folder)
    assert any("graded_check" in source(cell) for cell in teachers["cells"])


def test_what_a_hidden_test_hands_to_an_answer_is_shown_by_no_cell(
    tmp_path: Path, hand_in: Callable[..., Path]
) -> None:
    code = "a = torch.full((2,), 81910)\nassert share_storage(a, a[1:]) and not share_storage(a, torch.zeros(1))"
    hidden = f"\n[[assignment.hidden]]\nid = 'secret'\nexercise = '02-share-storage'\npoints = 5\ncode = '''{code}'''\n"
    folder = make_class(tmp_path / "class", more=hidden)
    right = "    return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()"
    keeps = f"seen = []\ndef share_storage(x, y):\n    seen.extend([x.tolist(), y.tolist()])\n{right}"
    hangs = f"def share_storage(x, y):\n    if x[0] == 81910:\n        while True: pass\n{right}"
    ends = f"import os\ndef share_storage(x, y):\n    if x[0] == 81910:\n        os._exit(1)\n{right}"
    shows = dict.fromkeys(("02-middle", "02-whole"), "print(globals().get('seen'))\nwhole = tail.view(-1)")
    for learner, answer in {"ada": keeps, "eve": hangs, "mallory": ends}.items():
        hand_in(folder, learner, answered(teachers_notebook(folder), {"02-share-storage": answer, **shows}))
    course = read_course(folder)
    report = grade(course, course.assignments, best_isolation([folder]), on_this_machine(2), threading.Event())
    rows = {row.learner: {mark.id: mark for mark in row.marks} for row in report.rows}
    assert (rows["ada"]["02-share-storage"].part, rows["ada"]["secret"].part) == (1, 1)
    assert "seen" not in str(rows["ada"]["02-whole"].outputs)
    assert "[" in str(rows["ada"]["02-whole"].outputs)
    for learner in rows:
        assert "81910" not in str([mark.outputs for mark in rows[learner].values()])
        assert rows[learner]["02-share-storage"].part == 1
    assert rows["eve"]["secret"].part == rows["mallory"]["secret"].part == 0
