"""Submissions as they are delivered: each oddity is reported in one line, and nothing is lost."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import pwd
import time
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from attacks import deliveries
from classes import FILE, NOTEBOOK, answered, make_class

from glassroom.classroom.collecting import Collected, collect
from glassroom.classroom.course_file import read_course
from glassroom.classroom.submission import marks_of
from glassroom.cli.app import run
from glassroom.workspace.notebook_json import Notebook, serialise
from glassroom.workspace.problems import Problem


def taken(folder: Path) -> list[str]:
    """The notebooks under `submitted/`."""
    return sorted(str(path.relative_to(folder / "submitted")) for path in folder.glob("submitted/*/*/*.ipynb"))


def kept(folder: Path) -> list[bytes]:
    """The files that were kept aside."""
    return [path.read_bytes() for path in folder.glob("collected/*/*") if path.is_file()]


def zipped(files: dict[str, bytes], path: Path, date: tuple[int, ...] = (2030, 1, 1, 12, 0, 0)) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, date)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return path


def taking(folder: Path, source: Path, assignment: str = "", within: str | None = None) -> Collected:
    return collect(read_course(folder), source, assignment, within)


def test_without_lateness_no_moment_is_written_down(
    a_class: Path, tmp_path: Path, notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / FILE).write_bytes(serialise(notebook))
    stamp = a_class / "submitted" / "ada" / "memory-02" / "timestamp.txt"
    collecting = ["collect", str(tmp_path / "in"), "--course", str(a_class)]
    assert run(collecting) == 0
    assert "1 notebook taken in" in capsys.readouterr().out
    assert stamp.exists()
    assert run([*collecting, "--no-lateness"]) == 0
    assert not stamp.exists()


def test_a_folder_of_learners_in_nbgraders_layout(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    place = tmp_path / "in" / "ada" / "memory-02"
    place.mkdir(parents=True)
    (place / FILE).write_bytes(serialise(notebook))
    (place / "timestamp.txt").write_text("2030-01-01 10:00:00.000000 UTC")
    (place / "notes.txt").write_text("hello")
    report = taking(a_class, tmp_path / "in")
    assert taken(a_class) == [f"ada/memory-02/{FILE}"]
    assert (a_class / "submitted/ada/memory-02/timestamp.txt").read_text().startswith("2030-01-01 10:00:00")
    assert report.oddities == ["ada/memory-02/notes.txt: not a notebook; kept in collected/"]
    assert kept(a_class) == [b"hello"]


def test_moodles_zip(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    files = {
        f"Ada Lovelace_1234_assignsubmission_file_/{FILE}": serialise(notebook),
        f"Åsa Öberg_1235_assignsubmission_file_/{FILE}": serialise(notebook),
        "Grace Hopper_1236_assignsubmission_file_/essay.pdf": b"%PDF",
    }
    report = taking(a_class, zipped(files, tmp_path / "moodle.zip"))
    assert taken(a_class) == [f"Ada Lovelace/memory-02/{FILE}", f"Åsa Öberg/memory-02/{FILE}"]
    assert len(report.oddities) == 1
    assert "essay.pdf: not a notebook" in report.oddities[0]


def test_moodles_zip_without_folders_tells_people_of_one_name_apart(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    own = "x_99_assignsubmission_file_y.ipynb"  # a learner's name for a file does not say whose it is
    files = {
        f"Ada King_{number}_assignsubmission_file_{name}": serialise(answered(notebook, {"02-count": f"# {number}"}))
        for number, name in ((12, FILE), (13, FILE), (14, own))
    }
    files["Ada Lovelace_15_assignsubmission_file_notes.pdf"] = b"%PDF"
    files["Ada Lovelace_15_assignsubmission_onlinetext_onlinetext.html"] = b"<p>"
    report = taking(a_class, zipped(files, tmp_path / "moodle.zip"))
    assert taken(a_class) == [f"Ada King {number}/memory-02/{FILE}" for number in (12, 13, 14)]
    assert sum("several people have this name" in line for line in report.oddities) == 3
    assert sum("not a notebook" in line for line in report.oddities) == 2
    assert {path.name for path in a_class.glob("collected/*")} == {"Ada Lovelace"}


def test_zips_in_a_learners_zip_share_its_room(
    a_class: Path, notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassroom.classroom.collecting.archives.MOST_OF_ONE", 3_000_000)
    inner = zipped({"x.bin": bytes(900_000)}, tmp_path / "inner.zip").read_bytes()
    own = zipped({f"{number}.zip": inner for number in range(9)}, tmp_path / "own.zip").read_bytes()
    files = {"Eve_1_assignsubmission_file_/own.zip": own, f"Ada_2_assignsubmission_file_/{FILE}": serialise(notebook)}
    report = taking(a_class, zipped(files, tmp_path / "moodle.zip"))
    assert sum("x.bin: not a notebook" in line for line in report.oddities) == 3
    assert sum("unpacks to more than 3 MB; the rest is not taken" in line for line in report.oddities) == 1
    assert report.taken == [("Ada", "memory-02")]


def test_canvass_zip_with_several_attempts(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    stem = FILE.removesuffix(".ipynb")
    first, second = copy.deepcopy(notebook), answered(notebook, {"02-middle": "middle = 2"})
    files = {
        f"lovelaceada_LATE_501_9001_{stem}-1.ipynb": serialise(second),
        f"lovelaceada_501_9000_{FILE}": serialise(first),
        f"hoppergrace_502_9002_{FILE}": serialise(first),
    }
    report = taking(a_class, zipped(files, tmp_path / "canvas.zip"))
    assert taken(a_class) == [f"hoppergrace/memory-02/{FILE}", f"lovelaceada/memory-02/{FILE}"]
    assert (a_class / "submitted/lovelaceada/memory-02" / FILE).read_bytes() == serialise(second)
    assert kept(a_class) == [serialise(first)]
    assert any("an earlier attempt of lovelaceada" in line for line in report.oddities)


@pytest.mark.parametrize("name", ["Ada King_{}_assignsubmission_file_/{f}", "kingada_{}_77_{f}"])
def test_two_people_of_one_name_are_two_learners(a_class: Path, notebook: Notebook, tmp_path: Path, name: str) -> None:
    archive = tmp_path / "delivery.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for number in ("12", "13"):
            file.writestr(name.format(number, f=FILE), serialise(answered(notebook, {"02-count": f"# {number}"})))
    report = collect(read_course(a_class), archive)
    assert sorted({learner[-3:] for learner, _ in report.taken}) == [" 12", " 13"]
    assert "several people have this name" in report.oddities[0]


@pytest.mark.parametrize(
    ("names", "learners"),
    [
        (("Ada King_12_assignsubmission_file_", "ada king_13_assignsubmission_file_"), ["Ada King 12", "ada king 13"]),
        (("Ada", "ada"), ["Ada", "ada"]),
    ],
)
def test_names_that_differ_by_capitals_only_are_reported(
    a_class: Path, notebook: Notebook, tmp_path: Path, names: tuple[str, str], learners: list[str]
) -> None:
    files = {f"{name}/{FILE}": serialise(answered(notebook, {"02-count": f"# {name}"})) for name in names}
    report = taking(a_class, zipped(files, tmp_path / "delivery.zip"))
    assert sorted(learner for learner, _ in report.taken) == learners
    assert sum("several people have this name" in line for line in report.oddities) == 2


def test_a_hard_link_to_somebody_elses_file_is_not_handed_in(
    a_class: Path, notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for learner in ("ada", "eve"):
        (tmp_path / "in" / learner).mkdir(parents=True)
    (tmp_path / "in" / "ada" / FILE).write_bytes(serialise(notebook))
    os.link(tmp_path / "in" / "ada" / FILE, tmp_path / "in" / "eve" / FILE)
    assert taking(a_class, tmp_path / "in").taken == [("ada", "memory-02"), ("eve", "memory-02")]  # the teacher's own
    real, eves = os.fstat, (tmp_path / "in" / "eve").stat()

    def with_an_owner_of_its_own(handle: int) -> os.stat_result:
        status = real(handle)
        own = os.path.samestat(status, eves)
        return os.stat_result([*status[:4], status.st_uid + 1 if own else status.st_uid, *status[5:]])

    monkeypatch.setattr(os, "fstat", with_an_owner_of_its_own)
    report = taking(a_class, tmp_path / "in")
    assert report.taken == [("ada", "memory-02")]
    assert report.oddities == [f"eve/{FILE}: it is a hard link to somebody else's file, and links are not followed"]


def test_a_name_that_comes_twice_in_an_archive_is_two_attempts(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    archive = tmp_path / "delivery.zip"
    with zipfile.ZipFile(archive, "w") as file, warnings.catch_warnings(action="ignore"):
        for name in (f"eve/{FILE}", f"eve/{FILE}", f"eve/{FILE.upper()}", f"--trust/{FILE}", f"eve/../ada/{FILE}"):
            file.writestr(name, serialise(answered(notebook, {"02-count": f"# {name}"})))
    report = collect(read_course(a_class), archive)
    assert sorted(report.taken) == [("--trust", "memory-02"), ("eve", "memory-02")]
    assert sum("an earlier attempt of eve" in oddity for oddity in report.oddities) == 2
    assert not (a_class / "submitted" / "ada").exists()


def test_a_folder_that_becomes_a_link_while_it_is_read_is_not_followed(
    a_class: Path, notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / FILE).write_bytes(serialise(notebook))
    own = tmp_path / "in" / "eve"
    own.mkdir(parents=True)
    (own / FILE).write_bytes(b"mine")
    walk = os.fwalk

    def swapped(*arguments: Any, **named: Any) -> Any:
        for folder, *entries in walk(*arguments, **named):
            if folder.endswith("eve"):
                own.rename(tmp_path / "was")
                own.symlink_to(secret)
            yield folder, *entries

    monkeypatch.setattr(os, "fwalk", swapped)
    collect(read_course(a_class), tmp_path / "in", "memory-02")
    assert (a_class / "submitted" / "eve" / "memory-02" / FILE).read_bytes() == b"mine"


def test_nobody_hands_in_for_another_by_nbgraders_exchange(
    a_class: Path, notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes to the exchange names the folder; the system names its owner."""
    account = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
    inbound = tmp_path / "exchange" / "inbound"
    for learner in ("ada", account.pw_name):
        place = inbound / f"{learner}+memory-02+2030-01-01 10:00:00 UTC+x1y2"
        place.mkdir(parents=True)
        (place / FILE).write_bytes(serialise(notebook))
        if os.getuid() == 0:
            os.chown(place, account.pw_uid, -1)
    monkeypatch.setattr("os.getuid", lambda: account.pw_uid + 1)
    report = taking(a_class, inbound.parent)
    assert taken(a_class) == [f"{account.pw_name}/memory-02/{FILE}"]
    assert [line.partition(": ")[2] for line in report.oddities] == [
        f"handed in as ada by the account {account.pw_name}; kept in collected/"
    ]
    assert kept(a_class) == [serialise(notebook)]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to another account")
def test_a_folder_of_the_exchange_that_is_dated_back_is_reported(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    """Learners name these folders; when a file was last changed, the system says."""
    account = pwd.getpwnam("nobody")
    for when in ("2020-01-01 10:00:00 UTC", "2030-01-01 10:00:00 UTC"):
        place = tmp_path / "exchange" / "inbound" / f"{account.pw_name}+memory-02+{when}+x1y2"
        place.mkdir(parents=True)
        (place / FILE).write_bytes(serialise(notebook))
        os.utime(place / FILE, (2**30, 2**30))
        os.chown(place / FILE, account.pw_uid, -1)
        os.chown(place, account.pw_uid, -1)
    told = [line for line in taking(a_class, tmp_path / "exchange").oddities if "last changed" in line]
    assert len(told) == 1
    assert "its folder says 2020-01-01 10:00 UTC, and the file was last changed 20" in told[0]


def test_nbgraders_exchange(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    inbound = tmp_path / "exchange" / "tensors" / "inbound"
    late = answered(notebook, {"02-middle": "middle = 2"})
    for when, work in (("2030-01-01 10:00:00.123456 UTC", notebook), ("2030-01-02 10:00:00.123456 UTC", late)):
        place = inbound / f"ada+memory-02+{when}+x1y2"
        place.mkdir(parents=True)
        (place / FILE).write_bytes(serialise(work))
        (place / "timestamp.txt").write_text(when)
    taking(a_class, inbound.parent)
    assert (a_class / "submitted/ada/memory-02" / FILE).read_bytes() == serialise(late)
    assert (a_class / "submitted/ada/memory-02/timestamp.txt").read_text().startswith("2030-01-02 10:00:00")


@pytest.mark.parametrize("name", ["mine.ipynb", f"{FILE[:-6]} (1).ipynb", f"{FILE[:-6]}-Copy1.ipynb", FILE.upper()])
def test_a_renamed_notebook_is_recognized_by_its_cells(
    a_class: Path, notebook: Notebook, tmp_path: Path, name: str
) -> None:
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / name).write_bytes(serialise(notebook))
    report = taking(a_class, tmp_path / "in")
    assert taken(a_class) == [f"ada/memory-02/{FILE}"]
    assert report.oddities == []
    assert report.recognized == [f"ada/{name}: recognized as {FILE} by its cells"]


def test_a_name_that_is_another_notebooks_is_an_oddity(tmp_path: Path, notebook: Notebook) -> None:
    folder = make_class(tmp_path / "class", (NOTEBOOK, "1_memory/03_basic_indexing.ipynb"))
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / "03_basic_indexing.ipynb").write_bytes(serialise(notebook))
    report = taking(folder, tmp_path / "in")
    name = "03_basic_indexing.ipynb"
    assert report.oddities == [f"ada/{name}: named {name}, taken for {FILE} by its cells"]
    assert report.recognized == []


def test_canvass_number_of_a_resubmission_is_no_oddity(
    a_class: Path, notebook: Notebook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    delivered = zipped({f"kingada_300_4711_{FILE[:-6]}-1.ipynb": serialise(notebook)}, tmp_path / "canvas.zip")
    assert run(["collect", str(delivered), "--course", str(a_class)]) == 0
    said = capsys.readouterr().out
    assert f"recognized as {FILE} by its cells\n" in said
    assert "1 notebook taken in, 0 oddities" in said


def test_a_renamed_notebook_whose_cells_have_lost_their_names_is_recognized_by_its_checks(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    cells = [{**cell, "metadata": {}, "id": f"new-{number}"} for number, cell in enumerate(notebook["cells"])]
    cells.append({**cells[0], "cell_type": "code", "outputs": [], "source": 'check("07-elsewhere", 1)'})
    path = tmp_path / "in" / "ada" / "Homework.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(serialise({**notebook, "cells": cells}))
    report = taking(a_class, tmp_path / "in")
    assert report.taken == [("ada", "memory-02")]
    assert report.recognized == [f"ada/Homework.ipynb: recognized as {FILE} by its cells"]


def test_a_notebook_of_a_learners_own_copy_is_recognized_by_its_cells(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    plain = copy.deepcopy(notebook)
    for cell in plain["cells"]:
        cell["metadata"] = {}
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada_homework.ipynb").write_bytes(serialise(plain))
    taking(a_class, tmp_path / "in")
    assert taken(a_class) == [f"ada/memory-02/{FILE}"]


def test_what_cannot_be_placed_is_kept_and_told(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    stranger = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    files = {
        "ada/other.ipynb": json.dumps(stranger).encode(),
        "ada/broken.ipynb": b"{",
        f"ada/{FILE}": b"{ broken under its proper name",
        "alone.ipynb": serialise(notebook),
        "ada/secret.zip": b"PK no zip",
    }
    report = taking(a_class, zipped(files, tmp_path / "odd.zip"))
    said = "\n".join(report.oddities)
    assert "which assignment it is cannot be told" in said
    assert "broken.ipynb: not a notebook: it is not complete JSON" in said
    assert f"{FILE}: taken for {FILE} by its name, but not a notebook" in said
    assert "alone.ipynb: whose it is cannot be told" in said
    assert "a zip file that cannot be read" in said
    assert taken(a_class) == [f"ada/memory-02/{FILE}"]
    assert len(kept(a_class)) == 4


def test_a_missing_notebook_of_an_assignment_is_reported(tmp_path: Path, notebook: Notebook) -> None:
    folder = make_class(tmp_path / "class")
    text = (folder / "course.toml").read_text()
    two = text.replace(f'"1_memory/{FILE}"', f'"1_memory/{FILE}", "1_memory/03_basic_indexing.ipynb"')
    (folder / "course.toml").write_text(two)
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / FILE).write_bytes(serialise(notebook))
    report = taking(folder, tmp_path / "in")
    assert "ada, memory-02: 03_basic_indexing.ipynb is missing" in report.oddities


def test_taking_the_same_in_again_changes_nothing(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    source = zipped({f"ada/{FILE}": serialise(notebook)}, tmp_path / "a.zip")
    taking(a_class, source)
    before = {path: path.read_bytes() for path in a_class.rglob("*") if path.is_file()}
    report = taking(a_class, source)
    assert report.unchanged == 1
    assert {path: path.read_bytes() for path in a_class.rglob("*") if path.is_file()} == before


def test_collecting_again_completes_what_could_not_be_written_at_first(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    folder = a_class / "submitted" / "Ada King" / "memory-02"
    source = zipped({f"Ada King_7_assignsubmission_file_/{FILE}": serialise(notebook)}, tmp_path / "a.zip")
    for name in (".person", "timestamp.txt", FILE):
        (folder / name).mkdir(parents=True)
        with contextlib.suppress(Problem):
            taking(a_class, source)
        (folder / name).rmdir()
    taking(a_class, source)
    assert (folder / ".person").read_text().split() == ["number", "7"]
    assert (folder / "timestamp.txt").is_file()
    assert taken(a_class) == [f"Ada King/memory-02/{FILE}"]


def test_a_later_delivery_replaces_and_an_older_one_does_not(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    older, newer = serialise(notebook), serialise(answered(notebook, {"02-middle": "middle = 2"}))
    taking(a_class, zipped({f"ada/{FILE}": newer}, tmp_path / "a.zip", (2030, 1, 2, 0, 0, 0)))
    report = taking(a_class, zipped({f"ada/{FILE}": older}, tmp_path / "b.zip", (2030, 1, 1, 0, 0, 0)))
    assert (a_class / "submitted/ada/memory-02" / FILE).read_bytes() == newer
    assert "older than what is there" in report.oddities[0]
    latest = serialise(answered(notebook, {"02-middle": "middle = 3"}))
    taking(a_class, zipped({f"ada/{FILE}": latest}, tmp_path / "c.zip", (2030, 1, 3, 0, 0, 0)))
    assert (a_class / "submitted/ada/memory-02" / FILE).read_bytes() == latest
    assert sorted(kept(a_class)) == sorted([older, newer])


@pytest.mark.parametrize(
    "name",
    [f"../../../escaped/{FILE}", f"/etc/{FILE}", f"..\\..\\escaped\\{FILE}", f"ada/../../../{FILE}"],
)
def test_no_path_in_an_archive_leads_out_of_it(a_class: Path, notebook: Notebook, tmp_path: Path, name: str) -> None:
    before = set(tmp_path.rglob("*"))
    report = taking(a_class, zipped({name: serialise(notebook)}, tmp_path / "x.zip"))
    assert "leads out of the archive" in report.oddities[0]
    assert set(tmp_path.rglob("*")) - before == {tmp_path / "x.zip"}
    assert not Path("/etc", FILE).exists()


def test_a_zip_bomb_is_not_unpacked(a_class: Path, tmp_path: Path) -> None:
    bomb = zipped({f"ada/{FILE}": b"0" * 200_000_000}, tmp_path / "bomb.zip")
    assert bomb.stat().st_size < 400_000
    report = taking(a_class, bomb)
    assert "unpacks to more than" in report.oddities[0]
    assert taken(a_class) == []


def test_zip_files_in_zip_files_end(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    content = serialise(notebook)
    for depth in range(5):
        with io.BytesIO() as file:
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr(f"ada/{FILE}" if depth == 0 else "ada/more.zip", content)
            content = file.getvalue()
    (tmp_path / "x.zip").write_bytes(content)
    report = taking(a_class, tmp_path / "x.zip")
    assert "zip files within zip files" in report.oddities[0]


def test_links_are_not_followed_and_not_written_through(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.ipynb").write_bytes(serialise(notebook))
    source = tmp_path / "in" / "ada"
    source.mkdir(parents=True)
    (source / FILE).symlink_to(outside / "secret.ipynb")
    (tmp_path / "in" / "bob").symlink_to(outside)
    report = taking(a_class, tmp_path / "in")
    assert all("link" in line for line in report.oddities)
    assert len(report.oddities) == 2
    (a_class / "submitted" / "eve").mkdir(parents=True)
    (a_class / "submitted" / "eve" / "memory-02").symlink_to(outside)
    (source / FILE).unlink()
    os.rename(source, tmp_path / "in" / "eve")
    (tmp_path / "in" / "eve" / FILE).write_bytes(serialise(notebook))
    report = taking(a_class, tmp_path / "in")
    assert any("which is not written through" in line for line in report.oddities)
    assert sorted(path.name for path in outside.iterdir()) == ["secret.ipynb"]


@pytest.mark.parametrize("learner", ["=1+1", "a/b", "..", "x" * 300, "a\nb", "<script>", " "])
def test_no_name_of_a_learner_leads_astray(a_class: Path, notebook: Notebook, tmp_path: Path, learner: str) -> None:
    name = f"{learner}_77_assignsubmission_file_/{FILE}"
    within = "." if "/" in learner else None
    report = taking(a_class, zipped({name: serialise(notebook)}, tmp_path / "x.zip"), within=within)
    folders = list((a_class / "submitted").iterdir()) if (a_class / "submitted").exists() else []
    assert len(folders) + len(kept(a_class)) + sum("leads out" in line for line in report.oddities) == 1
    assert all("/" not in folder.name and "\n" not in folder.name and len(folder.name) <= 100 for folder in folders)


@pytest.mark.parametrize("own", ["", "source", "submitted"])
def test_the_class_itself_is_nothing_that_was_delivered(a_class: Path, own: str) -> None:
    before = taken(a_class)
    with pytest.raises(Problem, match="the class's own"):
        taking(a_class, a_class / own)
    assert taken(a_class) == before


def test_a_source_that_is_not_there_is_a_problem(a_class: Path, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(Problem, match="neither a folder nor a zip file"):
        taking(a_class, tmp_path / "x.txt")
    with pytest.raises(Problem, match="There is no"):
        taking(a_class, tmp_path / "nothing")
    with pytest.raises(Problem, match="no assignment 'memory-99'"):
        taking(a_class, tmp_path / "x.txt", "memory-99")


def test_metadata_that_is_none_is_no_trouble(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    broken = copy.deepcopy(notebook)
    for cell in broken["cells"]:
        if marks_of(cell):
            cell["metadata"]["nbgrader"] = {"grade_id": ["x"]}
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / FILE).write_bytes(serialise(broken))
    taking(a_class, tmp_path / "in")
    assert taken(a_class) == [f"ada/memory-02/{FILE}"]


def zip_of(files: dict[str, bytes], date: tuple[int, ...] = (1999, 1, 1, 12, 0, 0)) -> bytes:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(name, date), content, zipfile.ZIP_DEFLATED)
        return file.getvalue()


ANOTHERS = (
    f"ada/{FILE}",
    f"ada/memory-02/{FILE}",
    f"ada+memory-02+2099-01-01 00:00:00 UTC+x/{FILE}",
    f"ada_1_2_{FILE}",
    f"Ada_1_assignsubmission_file_/{FILE}",
    f"inbound/ada/memory-02/{FILE}",
)


@pytest.mark.parametrize("name", ANOTHERS)
@pytest.mark.parametrize(
    "within", ["eve/{name}", "all/eve/{name}", "eve/own.zip", "Eve_9_assignsubmission_file_/own.zip"]
)
def test_nobody_hands_in_for_another(a_class: Path, notebook: Notebook, tmp_path: Path, name: str, within: str) -> None:
    honest, forged = serialise(notebook), serialise(answered(notebook, {"02-middle": "middle = 'eve'"}))
    taking(a_class, zipped({f"ada/memory-02/{FILE}": honest, f"bob/memory-02/{FILE}": honest}, tmp_path / "first.zip"))
    around = within.split("eve/")[0] if "all/" in within else ""
    sent = zip_of({name: forged}) if within.endswith(".zip") else forged
    later = {f"{around}zoe/{FILE}": honest, within.format(name=name): sent}
    with zipfile.ZipFile(tmp_path / "later.zip", "w") as archive:
        for each, content in later.items():
            archive.writestr(zipfile.ZipInfo(each, (2031, 1, 1, 0, 0, 0)), content)
    outer = "all" if around else None
    report = taking(a_class, tmp_path / "later.zip", within=outer)
    with zipfile.ZipFile(tmp_path / "later.zip") as archive:
        archive.extractall(tmp_path / "in")
    taking(a_class, tmp_path / "in", within=outer)
    assert (a_class / "submitted/ada/memory-02" / FILE).read_bytes() == honest
    assert {learner.casefold() for learner, _ in report.taken} == {"zoe", "eve"}


LONE = ("Bob", "delivery", "Bob_2_assignsubmission_file_", "bob+memory-02+2030-01-01 10:00:00 UTC+x")


@pytest.mark.parametrize("lone", LONE)
@pytest.mark.parametrize("others", [("Ada Lovelace",), ("Ada Lovelace", "Zoe")])
@pytest.mark.parametrize("is_unpacked", [False, True])
def test_a_delivery_of_one_folder_is_never_taken_for_those_whom_its_folders_name(
    a_class: Path, notebook: Notebook, tmp_path: Path, lone: str, others: tuple[str, ...], is_unpacked: bool
) -> None:
    honest, forged = serialise(notebook), serialise(answered(notebook, {"02-middle": "middle = 'bob'"}))
    taking(a_class, zipped({f"Ada Lovelace/{FILE}": honest, f"Zoe/{FILE}": honest}, tmp_path / "first.zip"))
    source = tmp_path / f"{lone}.zip"  # and named as the folder in it
    zipped({f"{lone}/{other}/{FILE}": forged for other in others}, source, (2031, 1, 1, 0, 0, 0))
    if is_unpacked:
        zipfile.ZipFile(source).extractall(tmp_path / "in")
        source = tmp_path / "in"
    if lone in ("Bob", "delivery"):
        before = sorted(a_class.rglob("*"))
        with pytest.raises(Problem, match=f"holds one folder, '{lone}'.*--within {lone}.*--within [.]"):
            taking(a_class, source)
        assert sorted(a_class.rglob("*")) == before
        assert {learner for learner, _ in taking(a_class, source, within=".").taken} == {lone}
        assert (a_class / "submitted/Ada Lovelace/memory-02" / FILE).read_bytes() == honest
        assert {learner for learner, _ in taking(a_class, source, within=lone).taken} == {*others}
    else:
        assert {learner.casefold() for learner, _ in taking(a_class, source).taken} == {"bob"}
        assert (a_class / "submitted/Ada Lovelace/memory-02" / FILE).read_bytes() == honest


def test_an_archive_whose_name_tells_no_learner_is_nobodys(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bob.zip").write_bytes(zip_of({f"ada/{FILE}": serialise(notebook)}))
    (tmp_path / "in" / f"zoe_{FILE}").write_bytes(serialise(notebook))
    report = taking(a_class, tmp_path / "in")
    assert report.taken == [("zoe", "memory-02")]
    assert "a zip file whose learner its name does not tell" in report.oddities[0]


def test_the_outer_folder_of_a_delivery_is_named_by_the_teacher(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    files = {f"delivery/{name}/{FILE}": serialise(notebook) for name in ("ada", "bob")}
    files |= {f"__MACOSX/delivery/ada/._{FILE}": b"x", "readme.txt": b"x"}
    source = zipped(files, tmp_path / "x.zip")
    assert sorted(taking(a_class, source, within="delivery").taken) == [("ada", "memory-02"), ("bob", "memory-02")]
    with pytest.raises(Problem, match="has notebooks that are not in 'elsewhere'"):
        taking(a_class, source, within="elsewhere")


@pytest.mark.parametrize("name", ["Ada King_{}_assignsubmission_file_/{f}", "kingada_{}_77_{f}"])
def test_people_of_one_name_are_told_apart_from_day_to_day(
    a_class: Path, notebook: Notebook, tmp_path: Path, name: str
) -> None:
    def delivered(day: int, **work: str) -> Collected:
        files = {
            name.format(number, f=FILE): serialise(answered(notebook, {"02-count": f"# {content}"}))
            for number, content in ((name.removeprefix("n"), content) for name, content in work.items())
        }
        return taking(a_class, zipped(files, tmp_path / f"{day}.zip", (2030, 1, day, 0, 0, 0)))

    (first,) = {learner for learner, _ in delivered(1, n1="first").taken}
    report = delivered(2, n99="other")
    assert {learner for learner, _ in report.taken} == {f"{first} 99"}
    assert f"{first} is somebody else so far (number 1); taken for {first} 99" in report.oddities[0]
    assert {learner for learner, _ in delivered(3, n1="first, again", n99="other, again").taken} == {
        first,
        f"{first} 99",
    }
    assert {learner for learner, _ in delivered(4, n99="other, at last").taken} == {f"{first} 99"}
    texts = {path.parts[-3]: path.read_text() for path in a_class.glob(f"submitted/*/memory-02/{FILE}")}
    assert "# first, again" in texts[first]
    assert "# other, at last" in texts[f"{first} 99"]


def test_names_that_one_folder_stands_for_are_told_apart_from_day_to_day(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    for day, learner in enumerate(("a:b", "a;b", "a:b", "a;b"), 1):
        work = serialise(answered(notebook, {"02-count": f"# {learner}"}))
        taking(a_class, zipped({f"{learner}/{FILE}": work}, tmp_path / f"{day}.zip", (2030, 1, day, 0, 0, 0)))
    assert len(taken(a_class)) == 2


def damaged(content: bytes) -> dict[str, bytes]:
    """Archives of every method, each damaged in several ways."""
    archives = {}
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    for method in methods:
        with io.BytesIO() as file:
            with zipfile.ZipFile(file, "w", method) as archive:
                archive.writestr(FILE, content)
            whole = file.getvalue()
        start = 30 + len(FILE)
        directory = whole.rindex(b"PK\x01\x02")
        for way, (begin, end, put) in {
            "junk": (start, start + 400, bytes(range(256)) * 2),
            "zeros": (start, start + 40, bytes(40)),
            "ones": (start, start + 40, b"\xff" * 40),
            "its head": (0, 30, b"\xff" * 30),
            "another method": (directory + 10, directory + 12, b"\x5d\x00"),
            "LZMA by name": (directory + 10, directory + 12, b"\x0e\x00"),
            "sizes": (directory + 20, directory + 28, b"\xfe\xff\xff\xff" * 2),
            "a place far away": (directory + 42, directory + 46, b"\xf0\xff\xff\x7f"),
            "a name's length": (directory + 28, directory + 30, b"\xff\xff"),
            "its end": (len(whole) - 22, len(whole), b"PK\x05\x06" + b"\xff" * 18),
            "half": (len(whole) // 2, len(whole), b""),
        }.items():
            archives[f"{method} {way}"] = whole[:begin] + put[: end - begin] + whole[end:]
    return archives


@pytest.mark.parametrize("is_unpacked", [False, True])
def test_whatever_a_delivery_holds_everybody_else_is_taken(
    a_class: Path, notebook: Notebook, tmp_path: Path, is_unpacked: bool
) -> None:
    odd = damaged(serialise(notebook))
    odd |= {"brackets.ipynb": b"[" * 200_000, "cells.ipynb": b'{"cells": [1, null], "nbformat": 4}', "void.ipynb": b""}
    odd |= {"text.ipynb": b'{"cells": [{"cell_type": "code", "source": 1, "metadata": 2, "id": {}}], "nbformat": 4}'}
    files = {
        f"Eve_{n}_assignsubmission_file_/{name if '.' in name else f'{n}.zip'}": content
        for n, (name, content) in enumerate(odd.items(), 10)
    }
    files |= {f"{name}_{n}_assignsubmission_file_/{FILE}": serialise(notebook) for n, name in ((1, "Ada"), (99, "Zoe"))}
    source = zipped(files, tmp_path / "moodle.zip")
    if is_unpacked:
        zipfile.ZipFile(source).extractall(tmp_path / "in")
        source = tmp_path / "in"
    (a_class / "submitted").mkdir()
    (a_class / "submitted" / "Zoe").write_text("in the way")
    report = taking(a_class, source)
    assert ("Ada", "memory-02") in report.taken
    assert any("submitted/Zoe is in the way" in line for line in report.oddities)
    assert len(report.oddities) >= len(odd)


#: How a learner's notebook is packed in a delivery, from the outside in; `who` stands for the learner, and what ends in
#: .zip is one. With each, whether its work is taken; if not, it is told and kept.
PACKED = {
    "who/FILE": True,
    "who/own.zip/FILE": True,
    "who/own.zip/mine/FILE": True,
    "who/own.zip/inner.zip/FILE": True,
    "who/own.zip/mine/inner.zip/deep/er/FILE": True,
    "who/deep/er/own.zip/FILE": True,
    "who/one.zip/two.zip/three.zip/FILE": False,
    "who_1_assignsubmission_file_/own.zip/inner.zip/FILE": True,
    "who_1_assignsubmission_file_own.zip/FILE": True,
    "who_77_4711_own.zip/mine/FILE": True,
    "who_homework.zip/FILE": True,
    "who.zip/FILE": False,
    "moodle.zip/who_1_assignsubmission_file_/FILE": False,
    "all.zip/who/own.zip/FILE": False,
}


@pytest.mark.parametrize("as_folder", [False, True], ids=["zip", "folder"])
@pytest.mark.parametrize("packed", PACKED)
def test_however_work_is_packed_everybodys_is_taken_or_reported_and_kept(
    a_class: Path, notebook: Notebook, tmp_path: Path, packed: str, as_folder: bool
) -> None:
    learners = ("ada", "bob", "cem")
    work = {who: serialise(answered(notebook, {"02-count": f"# {who}"})) for who in learners}
    delivery: dict[str, Any] = {}
    for number, who in enumerate(learners):  # one archive holds everybody where its name is nobody's
        *above, last = (
            packed.replace("who", who).replace("_1_", f"_{number + 1}_").replace("_77_", f"_{number}_").split("/")
        )
        inside = delivery
        for name in above:
            inside = inside.setdefault(name, {})
        inside[FILE if last == "FILE" else last] = work[who]
    source = tmp_path / "in"
    laid_out(delivery, source)
    if not as_folder:
        source = tmp_path / "delivery.zip"
        source.write_bytes(packed_up(delivery))
    report = taking(a_class, source)
    places = {who: a_class / "submitted" / who / "memory-02" / FILE for who in learners}
    if PACKED[packed]:
        assert {who: place.read_bytes() for who, place in places.items()} == work
        return
    assert taken(a_class) == []
    archives = {str(path.parts[-1]) for path in map(Path, packed.split("/")) if path.suffix == ".zip"}
    told = " ".join(report.oddities)
    for who in learners:
        assert any(archive.replace("who", who) in told for archive in archives), report.oddities
        assert any(work[who] in content_of(file) for file in kept(a_class))


def packed_up(inside: dict[str, Any]) -> bytes:
    """A zip file of these files, folders and zip files."""

    def entries(level: dict[str, Any], above: str) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for name, content in level.items():
            if isinstance(content, bytes):
                found[f"{above}{name}"] = content
            elif name.endswith(".zip"):
                found[f"{above}{name}"] = packed_up(content)
            else:
                found |= entries(content, f"{above}{name}/")
        return found

    return zip_of(entries(inside, ""))


def laid_out(inside: dict[str, Any], place: Path) -> None:
    """Write these files, folders and zip files into a folder."""
    place.mkdir()
    for name, content in inside.items():
        if isinstance(content, dict) and not name.endswith(".zip"):
            laid_out(content, place / name)
        else:
            (place / name).write_bytes(content if isinstance(content, bytes) else packed_up(content))


def content_of(file: bytes) -> list[bytes]:
    """A file's content, or that of all files in a zip file, however deep."""
    if not file.startswith(b"PK"):
        return [file]
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return [each for name in archive.namelist() for each in content_of(archive.read(name))]


def test_a_learner_does_not_say_when_it_was_handed_in(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    sent = zip_of({FILE: serialise(notebook), "timestamp.txt": b"1999-01-01 00:00:00 UTC"})
    taking(a_class, zipped({"Eve_9_assignsubmission_file_/own.zip": sent}, tmp_path / "moodle.zip"))
    assert (a_class / "submitted/Eve/memory-02/timestamp.txt").read_text().startswith("2030-01-01")
    place = tmp_path / "in" / "Mallory_10_assignsubmission_file_"
    place.mkdir(parents=True)
    (place / FILE).write_bytes(serialise(notebook))
    (place / "timestamp.txt").write_text("1999-01-01 00:00:00 UTC")
    taking(a_class, tmp_path / "in")
    assert not (a_class / "submitted/Mallory/memory-02/timestamp.txt").read_text().startswith("1999")


@pytest.mark.parametrize("when", ["9999-12-31 23:59:59 -2359", "0001-01-01 00:00:00 +2359", "2030-02-30 00:00:00 UTC"])
def test_a_date_that_there_is_not_is_none(a_class: Path, notebook: Notebook, tmp_path: Path, when: str) -> None:
    place = tmp_path / "in" / f"ada+memory-02+{when}+x"
    place.mkdir(parents=True)
    (place / FILE).write_bytes(serialise(notebook))
    (place / "timestamp.txt").write_text(when)
    os.utime(place / FILE, (2**33, 2**33))
    assert taking(a_class, tmp_path / "in").taken == [("ada", "memory-02")]


def test_a_learners_own_archive_takes_no_more_than_its_share(a_class: Path, tmp_path: Path) -> None:
    sent = zip_of({f"{number}.ipynb": os.urandom(120_000) + b"0" * 23_000_000 for number in range(8)})
    report = taking(a_class, zipped({"eve/own.zip": sent, f"zoe/{FILE}": b"{"}, tmp_path / "x.zip"))
    assert any("more than 60 MB; the rest is not taken" in line for line in report.oddities)
    assert report.taken == [("zoe", "memory-02")]


@pytest.mark.parametrize("name", ["+" * 60_000, " " * 60_000, "a_" * 30_000, "/".join(["d"] * 30_000)])
def test_a_gigantic_name_is_reported_at_once(a_class: Path, notebook: Notebook, tmp_path: Path, name: str) -> None:
    began = time.monotonic()
    report = taking(a_class, zipped({f"{name}.ipynb": b"{", f"zoe/{FILE}": serialise(notebook)}, tmp_path / "x.zip"))
    assert any("too long to be a file's" in line for line in report.oddities)
    assert max(map(len, report.oddities)) < 2000
    assert time.monotonic() - began < 20


def test_folders_without_end_are_reported(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    (tmp_path / "in" / "zoe").mkdir(parents=True)
    (tmp_path / "in" / "zoe" / FILE).write_bytes(serialise(notebook))
    place = tmp_path / "in" / "eve"
    place.mkdir()
    opened = [os.open(place, os.O_RDONLY)]
    for _ in range(200):
        os.mkdir("deeper", dir_fd=opened[-1])
        opened.append(os.open("deeper", os.O_RDONLY, dir_fd=opened[-1]))
        os.close(opened.pop(0))
    os.close(opened[-1])
    report = taking(a_class, tmp_path / "in")
    assert report.taken == [("zoe", "memory-02")]
    assert any("folders deep" in line for line in report.oddities)


@pytest.mark.parametrize(
    "names", [("a:b", "a;b"), ("李" * 100, "李" * 99 + "明"), ("ada", "ada."), ("x" * 100 + "1", "x" * 100 + "2")]
)
def test_names_that_a_folder_cannot_have_are_still_two_peoples(
    a_class: Path, notebook: Notebook, tmp_path: Path, names: tuple[str, str]
) -> None:
    files = {f"{name}/{FILE}": serialise(answered(notebook, {"02-count": f"# {name}"})) for name in names}
    files |= {f"{name}/{'字' * 80}.txt": name.encode() for name in names}
    report = taking(a_class, zipped(files, tmp_path / "x.zip"))
    assert len({learner for learner, _ in report.taken}) == 2
    assert sorted(kept(a_class)) == sorted(name.encode() for name in names)


def test_one_name_in_two_ways_of_writing_is_one_person(a_class: Path, notebook: Notebook, tmp_path: Path) -> None:
    for number, name in enumerate(("Zoe\u0308", "Zo\u00eb")):
        taking(a_class, zipped({f"{name}/{FILE}": serialise(notebook)}, tmp_path / f"{number}.zip"))
    assert taken(a_class) == [f"Zo\u00eb/memory-02/{FILE}"]


def test_files_that_were_copied_at_once_are_reported_and_the_teacher_says_when(
    a_class: Path, notebook: Notebook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for learner in ("ada", "bob", "zoe"):
        (tmp_path / "in" / learner).mkdir(parents=True)
        (tmp_path / "in" / learner / FILE).write_bytes(serialise(notebook))
    assert taking(a_class, tmp_path / "in").oddities == []  # nothing is due, so nobody can be late
    course = a_class / "course.toml"
    course.write_text(course.read_text().replace("# due = ", "due = ", 1))
    report = taking(a_class, tmp_path / "in")
    assert "the files of all 3 learners are dated" in report.oddities[0]
    when = ["--when", "2030-01-31T18:00+01:00"]
    assert run(["collect", str(tmp_path / "in"), "--course", str(a_class), *when]) == 0
    assert "are dated" not in capsys.readouterr().out
    stamps = [path.read_text() for path in a_class.glob("submitted/*/memory-02/timestamp.txt")]
    assert stamps == ["2030-01-31 17:00:00.000000 UTC\n"] * 3
    assert run(["collect", str(tmp_path / "in"), "--course", str(a_class), "--when", "2030-01-31T18:00"]) == 2
    os.utime(tmp_path / "in" / "ada" / FILE, (2**30, 2**30))
    assert not any("are dated" in line for line in taking(a_class, tmp_path / "in").oddities)


def test_hidden_folders_of_a_home_are_nothing_that_was_handed_in(
    a_class: Path, notebook: Notebook, tmp_path: Path
) -> None:
    names = (
        ".local/share/jupyter/cookie",
        ".ipython/history.sqlite",
        f".ipynb_checkpoints/{FILE}",
        ".ssh/id_rsa",
        FILE,
    )
    source = zipped({f"ada/{name}": serialise(notebook) for name in names}, tmp_path / "homes.zip")
    zipfile.ZipFile(source).extractall(tmp_path / "in")
    for given in (source, tmp_path / "in"):
        report = taking(a_class, given)
        assert (report.taken, report.oddities) == ([("ada", "memory-02")], [])
    assert kept(a_class) == []


def test_a_hostile_delivery_costs_nobody_else_their_work() -> None:
    report = deliveries.run(8, seed=0)
    assert report["broken"] == []
