"""Malicious names, folders, manifests and notebooks: one clear line, an exit code, and nothing is lost."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from attacks import folders
from course.faults import finished, open_to_all, run_as_somebody_else, signalled_at_write, start

from glassroom.cli import app
from glassroom.workspace.learner_folder import MANIFEST, update
from glassroom.workspace.notebook_json import serialise
from glassroom.workspace.other_language import remember
from glassroom.workspace.problems import Exit
from glassroom.workspace.sources import START_PAGE, course_files, notebooks_folder

SOURCES = notebooks_folder()
OTHER = Path("1_memory", "01_header_and_storage.ipynb")
LONG = "x" * 300

# A command, its exit code, and words of its output. `here` creates the files that the arguments name.
REFUSED = {
    "nothing": ("", Exit.USAGE, "not the name of a folder"),
    "blanks": (" \t", Exit.USAGE, "not the name of a folder"),
    "a NUL": ("a\0b", Exit.USAGE, "not the name of a folder"),
    "the root": ("/", Exit.USAGE, "root of the disk"),
    "the root, twice": ("//", Exit.USAGE, "root of the disk"),
    "the root, by way of a folder": ("/tmp/..", Exit.USAGE, "root of the disk"),
    "the root, by a link": ("root", Exit.USAGE, "root of the disk"),
    "a user who is not there": ("~nobody-of-that-name/x", Exit.USAGE, "no such user"),
    "300 characters": (LONG, Exit.OUTSIDE, "File name too long"),
    "a folder in a name of 300 characters": (f"{LONG}/mine", Exit.OUTSIDE, "File name too long"),
    "a path of 10,000 characters": ("/".join(["y" * 99] * 100), Exit.OUTSIDE, "File name too long"),
    "a loop of links": ("loop", Exit.OUTSIDE, "Too many levels of symbolic links"),
    "a link to nothing": ("dangling", Exit.OUTSIDE, "a link to what is not there"),
    "a file": ("file", Exit.OUTSIDE, "is a file, not a folder"),
    "a folder in a file": ("file/mine", Exit.OUTSIDE, "Not a directory"),
    "a pipe": ("pipe", Exit.OUTSIDE, "is a file, not a folder"),
    "a name with a line break": ("file\n", Exit.OUTSIDE, r"file\n is a file"),
    "the course's own notebooks": (str(SOURCES), Exit.OUTSIDE, "the course's own notebooks"),
    "a part of the course": (str(SOURCES / "1_memory"), Exit.OUTSIDE, "the course's own notebooks"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current folder with a file, a pipe and links that lead nowhere or to the root."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "file\n").write_text("mine")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "root").symlink_to("/")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def copy(tmp_path):
    """A working copy with work of the learner's in it."""
    folder = tmp_path / "mine"
    update(folder, SOURCES)
    remember(folder, "en")
    (folder / OTHER).write_bytes(b'{"my": "work"}')
    return folder


def contents(folder):
    """Everything in a folder, by name: the bytes of files, the aims of links."""
    return {
        path: path.read_bytes() if path.is_file() else os.readlink(path) if path.is_symlink() else None
        for path in folder.rglob("*")
    }


def lab(folder):
    return app.run(["lab", "--no-lab", str(folder)])


def the_line(capsys):
    """What the command wrote to stderr, which must be one line that a terminal can show."""
    line = capsys.readouterr().err.removesuffix("\n")
    assert line.startswith("glassroom: ")
    assert line.isprintable()
    return line


@pytest.mark.parametrize(("name", "code", "words"), REFUSED.values(), ids=REFUSED)
def test_a_name_that_cannot_be_a_working_copy_is_refused_in_one_line_and_nothing_is_written(
    here, capsys, name, code, words
):
    before, of_course = contents(here), set(course_files(SOURCES))
    assert lab(name) == code
    assert words in the_line(capsys)
    assert contents(here) == before
    assert set(course_files(SOURCES)) == of_course


@pytest.mark.parametrize("name", [value[0] for value in REFUSED.values()], ids=REFUSED)
def test_the_doctor_says_the_same_of_such_a_name_or_that_it_is_no_place_for_work(here, capsys, name):
    assert app.run(["doctor", name]) in (Exit.OK, Exit.FAILED, Exit.USAGE)
    said = capsys.readouterr()
    assert said.err.count("\n") == (1 if said.err else 0)
    if not said.err and not name.startswith(str(SOURCES)):
        assert re.search("missing +working copy", said.out)


@pytest.mark.parametrize("command", [["lab", "--no-lab"], ["doctor"]])
def test_in_a_folder_that_has_been_deleted_the_command_says_so(tmp_path, monkeypatch, capsys, command):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert app.run(command) == Exit.OUTSIDE
    assert "current folder has been deleted" in the_line(capsys)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "\u202eabc", "tränen", "-x", "a" * 255, b"\xff\xfe", " x "])
def test_any_other_name_is_used_and_printed_without_its_control_characters(tmp_path, name):
    command = [sys.executable, "-m", "glassroom", "lab", "--no-lab", b"./" + os.fsencode(name)]
    said = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False
    )
    assert (said.returncode, said.stderr) == (Exit.OK, b"")
    assert said.stdout.startswith(b"Your working copy: ")
    assert said.stdout.removesuffix(b"\n").decode("ascii").isprintable()
    assert (tmp_path / os.fsdecode(name) / START_PAGE).is_file()


DAMAGED = {
    "brackets": b"[" * 100_000,
    "objects": b'{"a":' * 100_000,
    "brackets where digests are": b'{"given": ' + b"[" * 100_000,
    "a number of 5,000 digits": b'{"given": ' + b"9" * 5_000 + b"}",
    "bytes": bytes(range(256)),
    "half of it": None,
    "words for objects": b'{"given": "x", "beside": "y"}',
    "numbers for names": b'{"given": {}, "beside": {"a": 1}}',
    "names outside": b'{"given": {}, "beside": {"1_memory/00_start_here.ipynb": "../../secret"}}',
    "names from the root": b'{"given": {}, "beside": {"1_memory/00_start_here.ipynb": "/etc/passwd"}}',
}


@pytest.mark.sweep
@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_manifest_is_made_anew_and_all_work_kept(copy, capsys, content):
    whole = (copy / MANIFEST).read_bytes()
    (copy / MANIFEST).write_bytes(whole[: len(whole) // 2] if content is None else content)
    before = {path: content for path, content in contents(copy).items() if path.name != MANIFEST.name}
    assert lab(copy) == Exit.OK
    assert "was damaged and is made anew" in capsys.readouterr().out
    after = contents(copy)
    assert {path: after[path] for path in before} == before
    assert lab(copy) == Exit.OK
    assert "made anew" not in capsys.readouterr().out


@pytest.mark.parametrize("what", ["pipe", "folder", "loop"])
def test_what_is_no_file_in_the_place_of_the_manifest_is_left_there(copy, capsys, what):
    place = copy / MANIFEST
    place.unlink()
    {"pipe": os.mkfifo, "folder": os.mkdir, "loop": lambda path: path.symlink_to(path.name)}[what](place)
    before = contents(copy)
    assert lab(copy) == Exit.OUTSIDE
    assert "manifest.json cannot be read" in the_line(capsys)
    assert contents(copy) == before


def code_cell(**changes):
    cell = {"cell_type": "code", "metadata": {}, "source": "1", "outputs": [], "execution_count": None, **changes}
    return serialise({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


WRITTEN_BY_OTHERS = {
    "no metadata": code_cell().replace(b'"metadata": {}', b'"metadata": null'),
    "metadata in a list": code_cell(metadata=[1]),
    "a source of numbers": code_cell(source=[1, 2]),
    "no kind of cell": code_cell(cell_type=[]),
    "half a character": code_cell(source="X").replace(b"X", rb"\ud800"),
    "a number of 5,000 digits": code_cell(execution_count=7).replace(b"7", b"7" * 5_000),
    "nested as deep as JSON is read": code_cell(outputs=[7]).replace(b"7", b"[" * 900 + b"]" * 900),
    "nested deeper": code_cell(outputs=[7]).replace(b"7", b"[" * 100_000 + b"]" * 100_000),
}


@pytest.mark.sweep
@pytest.mark.parametrize("content", WRITTEN_BY_OTHERS.values(), ids=WRITTEN_BY_OTHERS)
def test_a_notebook_that_no_jupyter_wrote_is_kept_byte_for_byte(copy, capsys, content):
    (copy / OTHER).write_bytes(content)
    before = contents(copy)
    assert lab(copy) == Exit.OK
    assert capsys.readouterr().err == ""
    assert contents(copy) == before


@pytest.mark.sweep
@pytest.mark.parametrize("content", WRITTEN_BY_OTHERS.values(), ids=WRITTEN_BY_OTHERS)
def test_refresh_names_such_a_notebook_and_runs_the_others(tmp_path, capsys, content):
    (tmp_path / "bad.ipynb").write_bytes(content)
    (tmp_path / "good.ipynb").write_bytes(code_cell(source="6 * 7"))
    assert app.run(["refresh", str(tmp_path)]) == Exit.FAILED
    assert "2 notebooks: 1 changed, 1 failed" in capsys.readouterr().out
    assert (tmp_path / "bad.ipynb").read_bytes() == content


@pytest.mark.parametrize("kernel", ['{"name": "ir"}', '{"name": "python3.7-of-another-machine"}', "3", '{"name": [1]}'])
def test_refresh_does_not_run_a_notebook_for_another_kernel(tmp_path, capsys, kernel):
    path = tmp_path / "n.ipynb"
    asks = f'"metadata": {{"kernelspec": {kernel}}},\n "nbformat"'
    path.write_bytes(code_cell(source="open('ran', 'w')").replace(b'"metadata": {},\n "nbformat"', asks.encode()))
    before = contents(tmp_path)
    assert app.run(["refresh", str(path)]) == Exit.FAILED
    assert "it is for the kernel" in capsys.readouterr().out
    assert contents(tmp_path) == before


PERMISSIONS = {
    "a folder that cannot be read": ("mine", 0o000, "Permission denied"),
    "a folder that cannot be searched": ("mine", 0o666, "Permission denied"),
    "a part that cannot be read": ("mine/1_memory", 0o000, "cannot be read: Permission denied"),
    "a manifest that cannot be read": (f"mine/{MANIFEST}", 0o000, "manifest.json cannot be read: Permission denied"),
    "a notebook that cannot be read": (f"mine/{OTHER}", 0o000, f"{OTHER} cannot be read: Permission denied"),
}


@pytest.mark.parametrize(("path", "mode", "words"), PERMISSIONS.values(), ids=PERMISSIONS)
def test_what_may_not_be_read_is_named_and_left_alone(copy, tmp_path, path, mode, words):
    open_to_all(copy)
    before = contents(copy)
    (tmp_path / path).chmod(mode)
    said = run_as_somebody_else(lambda: update(copy, SOURCES))
    assert said.startswith("Problem: ")
    assert words in said
    (tmp_path / path).chmod(0o755)
    assert contents(copy) == before


def test_a_source_that_may_not_be_read_is_named_and_the_rest_is_handed_out(tmp_path):
    (tmp_path / "sources").mkdir()
    for name in ("a.ipynb", "b.ipynb"):
        (tmp_path / "sources" / name).write_bytes(code_cell())
    (tmp_path / "sources" / "a.ipynb").chmod(0)
    (tmp_path / "mine").mkdir(mode=0o777)
    (tmp_path / "mine").chmod(0o777)
    open_to_all(tmp_path)

    def look():
        report = update(tmp_path / "mine", tmp_path / "sources")
        assert report.created == [Path("b.ipynb")]
        assert "a.ipynb is damaged" in report.notes[0]

    assert run_as_somebody_else(look) == ""


@pytest.mark.sweep
@pytest.mark.parametrize("which", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("number", [1, 2, 20, 39, 40])
def test_a_copy_that_is_ended_at_any_write_leaves_nothing_to_the_next_run(tmp_path, number, which):
    folder = tmp_path / "mine"
    said = finished(start(lambda: update(folder, SOURCES), signalled_at_write(number, which)))
    assert ("KeyboardInterrupt" in said) == (which == signal.SIGINT)
    left = [path for path in contents(folder) if path.suffix == ".part"]
    assert len(left) == (0 if which == signal.SIGINT else 1)
    update(folder, SOURCES)
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    assert files == {*course_files(SOURCES), MANIFEST}


def test_four_runs_at_the_same_time_make_one_whole_copy(tmp_path):
    folder = tmp_path / "mine"
    runs = [start(lambda: update(folder, SOURCES)) for _ in range(4)]
    assert [finished(run) for run in runs] == [""] * 4
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    assert files == {*course_files(SOURCES), MANIFEST}
    report = update(folder, SOURCES)
    assert (report.created, report.updated, report.beside, report.kept) == ([], [], {}, [])


@pytest.mark.parametrize("command", [["lab", "--no-lab", "mine"], ["doctor"], ["test", "--list"]])
def test_output_that_goes_to_a_full_disk_is_one_line(tmp_path, command):
    with open("/dev/full", "w") as full:
        said = subprocess.run(
            [sys.executable, "-m", "glassroom", *command],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert said.returncode == Exit.OUTSIDE
    assert said.stderr == "glassroom: [Errno 28] No space left on device\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["lab", "--port", "http"],
        ["lab", "--port", "9" * 5000],
        ["lab", "--port", "65536"],
        ["lab", "--port-retries", "-1"],
        ["refresh", "--jobs", "0"],
        ["refresh", "--jobs", "1e3"],
        ["test", "--jobs", "1000000"],
        ["test", "--jobs", ""],
        ["test", "\0"],
        ["refresh", LONG],
        ["refresh", "a\0b"],
        ["refresh", ""],
    ],
    ids=lambda arguments: " ".join(arguments)[:40].replace("\0", "NUL"),
)
def test_an_argument_that_is_none_is_refused_with_2_and_its_last_line_says_why(here, capsys, arguments):
    try:
        code = app.run(arguments)
    except SystemExit as exit:  # argparse ends the process itself
        code = exit.code
    assert code == Exit.USAGE
    line = capsys.readouterr().err.splitlines()[-1]
    assert re.match(r"glassroom( \w+)?: ", line)
    assert not re.search(r"\b_\w", line), "no name of ours"


def test_an_update_loses_nothing_that_is_saved_meanwhile_nor_on_a_full_disk_nor_in_somebody_elses_folder():
    report = folders.run(9, seed=1)
    assert report["broken"] == []
    assert report["tried"] == 9
