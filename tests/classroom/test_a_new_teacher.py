"""What goes wrong for who teaches with the guide for the first time: wrong folders, names, tables and words."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from classes import FILE, make_class, teachers_notebook

from glassroom.classroom.batch import read_rows, row_path
from glassroom.classroom.by_hand import ByHand, read_manual
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row, task_of
from glassroom.classroom.pages.overview import class_page
from glassroom.classroom.release import find_notebooks
from glassroom.classroom.sandbox import CAN_RUN
from glassroom.classroom.submission import marks_of
from glassroom.cli.app import run
from glassroom.workspace.notebook_json import parse, serialise
from glassroom.workspace.problems import Problem
from glassroom.workspace.sources import notebooks_folder
from glassroom.workspace.whole_files import write_atomically

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code
needs_a_sandbox = pytest.mark.skipif(not CAN_RUN, reason="marking needs Linux")

Handing = Callable[..., Path]
Capture = pytest.CaptureFixture[str]


def mark_all(folder: Path, hand_in: Handing, people: dict[str, str]) -> None:
    """Give everybody a row with no points; the values are what their deliveries said of them."""
    course = read_course(folder)
    for name, number in people.items():
        place = hand_in(folder, name, {"cells": []}).parent
        (place / ".person").write_text(f"number {number}\n")
        row = Row(name, "memory-02", marks=task_of(course, course.assignments[0]).questions())
        write_atomically(row_path(course, "memory-02", name), row.to_json())


def test_people_of_one_name_have_their_own_lines_in_canvass_table(
    a_class: Path, hand_in: Handing, tmp_path: Path, capsys: Capture
) -> None:
    mark_all(a_class, hand_in, {"kingada": "300", "kingada 326": "326", "licai": "77", "noorben 301": "301"})
    roster, table = tmp_path / "gradebook.csv", tmp_path / "ca.csv"
    people = [("King, Ada", 326), ("King, Ada", 300), ("Noor, Ben", 301), ("Noor, Ben", 327), ("Rao, Uma", 5)]
    lines = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section"], ["Points Possible", "", "", "", ""]]
    roster.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")
    with roster.open("a", newline="") as file:
        csv.writer(file).writerows([name, id, "", "", "A"] for name, id in people)
    command = ["marks", str(a_class), "memory-02", "--lms", "canvas", "--roster", str(roster), "--csv", str(table)]
    assert run(command) == 0
    written = {line["ID"]: line["Student"] for line in csv.DictReader(table.open(encoding="utf-8-sig"))}
    assert written == {"": "Points Possible", "326": "King, Ada", "300": "King, Ada", "301": "Noor, Ben"}
    out, said = capsys.readouterr()
    assert out == f"3 rows in {table}\n"
    assert f"marked, and left out, because {roster} does not have them: licai\n" in said
    assert f"in {roster}, and without a mark: Noor, Ben; Rao, Uma\n" in said


def test_a_table_for_an_lms_says_which_answers_wait_for_a_person(
    hand_in: Handing, tmp_path: Path, capsys: Capture
) -> None:
    question = '\n[[assignment.explain]]\nid = "why"\nask = "Why?"\npoints = 2\n'
    a_class = make_class(tmp_path / "class", more=question)
    mark_all(a_class, hand_in, {"ada": "1", "sol": "2"})
    (a_class / "manual.csv").write_text("learner,assignment,id,points\nsol,memory-02,why,2\n")
    roster, table = tmp_path / "worksheet.csv", tmp_path / "moodle.csv"
    lines = ["Identifier,Full name,Grade,Feedback comments", "Participant 1,Ada,,", "Participant 2,Sol,,"]
    roster.write_text("\n".join(lines))
    assert run(["marks", str(a_class), "--lms", "moodle", "--roster", str(roster), "--csv", str(table)]) == 0
    said = capsys.readouterr().err
    assert "with answers that wait for a person's mark, and count 0 in this table: ada\n" in said
    words = {line["Full name"]: line["Feedback comments"] for line in csv.DictReader(table.open(encoding="utf-8-sig"))}
    assert words["Ada"].endswith("points, with answers that wait for a person's mark")
    assert words["Sol"].endswith("points")


def test_folders_with_other_names_are_shown_a_person_and_not_canvass_test_student(
    a_class: Path, hand_in: Handing, tmp_path: Path, capsys: Capture
) -> None:
    mark_all(a_class, hand_in, {"Ada King": "1"})
    roster = tmp_path / "gradebook.csv"
    people = '"Noor, Ben",301,,ben,A\n"Student, Test",303,,,A\n'
    roster.write_text(f"Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n{people}")
    assert run(["marks", str(a_class), "memory-02", "--lms", "canvas", "--roster", str(roster)]) != 0
    said = capsys.readouterr().err
    assert "its people would be 'noorben 301' or '301' or 'ben' or 'noorben'" in said
    assert "studenttest" not in said


def test_who_of_moodles_worksheet_got_no_mark_is_named(
    a_class: Path, hand_in: Handing, tmp_path: Path, capsys: Capture
) -> None:
    mark_all(a_class, hand_in, {"Ada King 26": "26", "Ben Noor": "27"})
    roster = tmp_path / "worksheet.csv"
    people = [("26", "Ada King"), ("28", "Ada King"), ("27", "Ben Noor"), ("29", "Sol Vega")]
    lines = "".join(f"Participant {id},{name},\n" for id, name in people)
    roster.write_text(f"Identifier,Full name,Grade\n{lines}")
    command = ["marks", str(a_class), "memory-02", "--lms", "moodle", "--roster", str(roster), "--csv"]
    assert run([*command, str(tmp_path / "m.csv")]) == 0
    written = [line["Identifier"] for line in csv.DictReader((tmp_path / "m.csv").open(encoding="utf-8-sig"))]
    assert written == ["Participant 26", "Participant 27"]
    assert f"in {roster}, and without a mark: Ada King; Sol Vega\n" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["..", "notebooks"])
def test_a_class_is_no_delivery(a_class: Path, wrong: str, capsys: Capture) -> None:
    (a_class / "notebooks").mkdir()
    (a_class / "submitted").mkdir()
    assert run(["collect", str(a_class / wrong), "--course", str(a_class)]) == 2
    assert "has a class in it, and no delivery" in capsys.readouterr().err
    assert not list((a_class / "submitted").iterdir())
    assert not (a_class / "collected").exists()


def test_a_folder_of_learners_beside_other_files_is_no_learner(a_class: Path, tmp_path: Path, capsys: Capture) -> None:
    downloads = tmp_path / "downloads"
    for learner in ("ada", "bob"):
        (downloads / "homework05" / learner).mkdir(parents=True)
        (downloads / "homework05" / learner / FILE).write_bytes(serialise(teachers_notebook(a_class)))
    with zipfile.ZipFile(downloads / "moodle02.zip", "w") as archive:
        archive.writestr("Cy Lee_4_assignsubmission_file_/02_views_share_a_storage.ipynb", "{}")
    collecting = ["collect", str(downloads), "--course", str(a_class)]
    assert run(collecting) == 2
    assert "holds files, and one folder, 'homework05', with folders in it" in capsys.readouterr().err
    assert not (a_class / "submitted").exists()
    assert run(["collect", str(downloads / "homework05"), "--course", str(a_class)]) == 0
    assert {path.name for path in (a_class / "submitted").iterdir()} == {"ada", "bob"}


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8", "utf-8-sig"])
def test_a_table_is_read_as_spreadsheets_save_it(a_class: Path, hand_in: Handing, encoding: str) -> None:
    mark_all(a_class, hand_in, {"Jürgen Groß": "4"})
    content = "learner;assignment;id;points;comment\r\nJürgen Groß;memory-02;02-middle;0,5;Schön – weiter so\r\n"
    (a_class / "manual.csv").write_bytes(content.encode(encoding))
    marked = read_manual(read_course(a_class))
    assert marked == {("Jürgen Groß", "memory-02", "02-middle"): ByHand(0.5, "Schön – weiter so")}


def test_a_table_in_no_known_encoding_says_what_to_do(a_class: Path) -> None:
    (a_class / "manual.csv").write_bytes(b"learner,assignment,id,points\n\x81\x8d\n")
    with pytest.raises(Problem, match=r"manual.csv cannot be read: save it in your spreadsheet as CSV UTF-8\.$"):
        read_manual(read_course(a_class))


def test_forgetting_names_zips_in_which_somebodys_work_lies(a_class: Path, hand_in: Handing, capsys: Capture) -> None:
    mark_all(a_class, hand_in, {"Max Weiss": "4012", "Ada": "1"})
    place = a_class / "collected" / "unknown"
    place.mkdir(parents=True)
    for name, inside in (("moodle.zip", "Max Weiss_4012_assignsubmission_file_/02.ipynb"), ("other.zip", "Max W_1/a")):
        with zipfile.ZipFile(place / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(inside, "{}")
    with zipfile.ZipFile(place / "canvas.zip", "w") as archive:
        archive.writestr("maxweiss_55_66_02.ipynb", "{}")
    assert run(["forget", str(a_class), "Max Weiss", "--yes"]) == 0
    said = capsys.readouterr().out
    for name, named in (("moodle", True), ("canvas", True), ("other", False)):
        assert (f"collected/unknown/{name}.zip has this name in it" in said) == named


def test_a_notebook_is_found_by_its_numbers_and_what_there_is_is_listed(a_class: Path) -> None:
    assert find_notebooks("1/02", a_class, notebooks_folder()) == ["1_memory/02_views_share_a_storage.ipynb"]
    with pytest.raises(Problem, match=r"no notebook '1_memory/99'\. In that part: 1_memory/00_.*1_memory/02_views"):
        find_notebooks("1_memory/99", a_class, notebooks_folder())
    with pytest.raises(Problem, match=r"no part or notebook 'memory-99'\..* Assignments of .*: memory-02\.$"):
        find_notebooks("memory-99", a_class, notebooks_folder())


def test_a_new_course_has_the_name_of_its_folder(tmp_path: Path) -> None:
    assert run(["new", "course", str(tmp_path / "linear-algebra")]) == 0
    assert read_course(tmp_path / "linear-algebra").name == "Linear algebra"


@pytest.mark.parametrize("command", ["grade", "mark", "marks", "feedback", "class"])
def test_who_names_no_folder_is_asked_for_that_alone(command: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        run([command])
    assert capsys.readouterr().err.endswith("the following arguments are required: DIR\n")


def test_a_zip_file_that_was_cut_short_is_named_as_such(a_class: Path, tmp_path: Path, capsys: Capture) -> None:
    whole = tmp_path / "moodle.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr(f"Ada_1_assignsubmission_file_/{FILE}", "{}" * 1000)
    whole.write_bytes(whole.read_bytes()[:1500])
    assert run(["collect", str(whole), "--course", str(a_class)]) == 2
    assert "nor a zip file, or one that was cut short on its way: download it again." in capsys.readouterr().err


def test_a_faulty_mark_is_named_by_its_row_in_a_spreadsheet(a_class: Path, hand_in: Handing) -> None:
    mark_all(a_class, hand_in, {"Ada": "4"})
    lines = [
        "learner,assignment,id,points,comment",
        'Ada,memory-02,02-middle,1,"two\nlines"',
        "Ada,memory-02,02-whole,9,",
    ]
    (a_class / "manual.csv").write_text("\n".join(lines))
    with pytest.raises(Problem, match="line 3: 9 points are more than the 1 of 02-whole"):
        read_manual(read_course(a_class))


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_what_is_new_in_a_class_is_for_the_teacher_alone_at_once(own_course: Path) -> None:
    for path in (own_course, own_course / "course.toml", *(own_course / "exercises").rglob("*.py")):
        assert path.stat().st_mode & 0o077 == 0, path


def test_commands_that_mark_nothing_do_not_import_the_library() -> None:
    modules = ("collecting", "release", "batch", "pages.overview", "forgetting", "inside.trial")
    imports = ", ".join(f"glassroom.classroom.{name}" for name in modules)
    looks = "print([name for name in ('tensorglass', 'numpy') if name in sys.modules])"
    code = f"import sys, glassroom.cli.app, {imports}\n{looks}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture(scope="module")
def own_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one's own, as the guide begins it."""
    folder = tmp_path_factory.mktemp("own") / "my-course"
    assert run(["new", "course", str(folder)]) == 0
    assert run(["new", "notebook", "rain", "--course", str(folder)]) == 0
    return folder


def test_who_hands_in_nothing_is_known_from_the_list_that_the_help_names(
    a_class: Path, hand_in: Handing, capsys: Capture
) -> None:
    with pytest.raises(SystemExit):
        run(["grade", "--help"])
    assert "learners.txt" in capsys.readouterr().out
    mark_all(a_class, hand_in, {"ada": "1"})
    (a_class / "learners.txt").write_text("ada\nCem Aydin\n")
    assert "1 handed in, 1 missing" in str(class_page(a_class))
    assert "Nothing handed in: Cem Aydin" in class_page(a_class).html


def test_a_new_exercise_says_what_is_to_be_replaced(own_course: Path, tmp_path: Path, capsys: Capture) -> None:
    mine = shutil.copytree(own_course, tmp_path / "my-course")
    assert run(["new", "exercise", "rain-mean", "--in", "rain", "--course", str(mine)]) == 0
    assert "It is an example: write your own text, answer, check and hints" in capsys.readouterr().out


@needs_a_sandbox
def test_a_notebook_with_a_cell_that_raises_is_not_released_unless_it_says_so(
    own_course: Path, tmp_path: Path, capsys: Capture
) -> None:
    mine = shutil.copytree(own_course, tmp_path / "my-course")
    path = mine / "notebooks" / "rain.ipynb"
    notebook = parse(path.read_bytes())
    broken = {"cell_type": "code", "id": "x", "metadata": {}, "outputs": [], "execution_count": None}
    notebook["cells"].append({**broken, "source": "print(1 / 0)"})
    path.write_bytes(serialise(notebook))
    assert run(["release", "rain", "--course", str(mine)]) == 3
    said = capsys.readouterr().err
    assert re.search(r"tests:\n  rain, rain\.ipynb, cell \d+: it raised ZeroDivisionError: division by zero", said)
    assert "\\n" not in said
    assert not (mine / "release").exists()
    notebook["cells"][-1]["metadata"] = {"tags": ["raises-exception"]}
    path.write_bytes(serialise(notebook))
    assert run(["release", "rain", "--course", str(mine)]) == 0


@needs_a_sandbox
def test_who_answered_a_text_or_a_given_cell_from_before_is_named_and_not_blamed(
    own_course: Path, tmp_path: Path, capsys: Capture
) -> None:
    mine = shutil.copytree(own_course, tmp_path / "my-course")
    release = ["release", "rain", "--course", str(mine)]
    path = mine / "notebooks" / "rain.ipynb"
    assert run(release) == 0
    hand_in_solved(mine, "Anna")
    changes = (("temperatures at noon", "noon's temperatures", False), ("table = torch", "table = 0 + torch", True))
    for before, after, counts in changes:
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))
        assert run(release) == 0
        assert "kept     rain" in capsys.readouterr().out
        assert run(["grade", str(mine)]) == 0
        renew = f"To renew it: glassroom release rain --course {mine} --force\n"
        assert (renew in capsys.readouterr().out) == counts
        assert run([*release, "--force"]) == 0
        hand_in_solved(mine, "Bert")
        assert run(["grade", str(mine)]) == 0
        rows = read_rows(read_course(mine), "rain")
        assert {name: row.earlier for name, row in rows.items()} == {"Anna": True, "Bert": False}
        assert "handed out before the present ones: Anna." in class_page(mine).html
        said = capsys.readouterr().out
        assert "the learner has changed" not in said
        assert "0 with trouble" in said
        assert "To renew it" not in said
    assert [mark.doubt for mark in rows["Bert"].marks] == [""]
    assert "`table` is not what the notebook gives now: an earlier version of it was answered" in said


def hand_in_solved(mine: Path, learner: str) -> None:
    """Hand in the copy that learners have now, with the teacher's solutions."""
    copy = parse((mine / "release" / "rain" / "rain.ipynb").read_bytes())
    solved = {marks_of(cell).get("grade_id"): cell for cell in teachers_notebook(mine, "rain", "rain.ipynb")["cells"]}
    for cell in copy["cells"]:
        if marks_of(cell).get("solution"):
            cell["source"] = solved[marks_of(cell)["grade_id"]]["source"]
    place = mine / "submitted" / learner / "rain"
    place.mkdir(parents=True, exist_ok=True)
    (place / "rain.ipynb").write_bytes(serialise(copy))
