"""The wheel that learners of a graded class install: no solution is in it, and everything else works."""

import ast
import base64
import csv
import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from textwrap import dedent

from glassroom.exercises import exercises
from glassroom.exercises._answer_key import hints_of
from glassroom.workspace.learner_folder import update

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = re.compile(r"^\s*###\s*BEGIN SOLUTION\s*$\n(.*?)^\s*###\s*END SOLUTION\s*$", re.MULTILINE | re.DOTALL)
LONG = 18  # characters from which an answer is looked for within lines too
#: A lesson that shows the way of an earlier exercise, and one that needs the same function.
IN_LESSONS = {
    ("02_the_graph_and_backward.ipynb", "(first + second).backward()"),
    ("02_the_graph_and_backward.po", "(first + second).backward()"),
    ("13_one_memory_many_libraries.ipynb", "def centered(x):\nreturn x - x.mean()"),
}
LADDERS = """
import json
from glassroom.exercises import exercises
from glassroom.exercises._answer_key import hints_of
print(json.dumps({id: hints_of(id) for id in exercises()}))
"""
WORK = """
import tensorglass as torch
from glassroom import check, hint, stand_in
a = torch.arange(0, 6)
middle = a[1:5].view(2, 2)
check("02-middle", a[1:5], a=a)
check("02-middle", middle, a=a)
for _ in range(4):
    hint("02-middle")
assert stand_in("11-cell", ...) is ...
assert stand_in("11-cell", len) is len
"""


def test_no_solution_and_no_answer_is_in_it(learners_wheel):
    with zipfile.ZipFile(learners_wheel) as wheel:
        texts = {name: wheel.read(name).decode("utf-8", "replace") for name in wheel.namelist()}
    notebooks = {name: text for name, text in texts.items() if name.endswith(".ipynb")}
    assert len(notebooks) == len(list((ROOT / "notebooks").rglob("*.ipynb")))
    assert not [name for name, text in notebooks.items() if "SOLUTION" in text]
    for path in sorted((ROOT / "notebooks").glob("*/*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        theirs = json.loads(notebooks[f"glassroom/notebooks/{path.relative_to(ROOT / 'notebooks').as_posix()}"])
        assert len(theirs["cells"]) == len(cells)
        for cell, copy in zip(cells, theirs["cells"], strict=True):
            for solution in SOLUTION.findall("".join(cell["source"])):
                assert solution not in "".join(copy["source"])
                assert not copy["outputs"]
    modules = {name: text for name, text in texts.items() if re.match(r"glassroom/exercises/\w+/nb\w+\.py", name)}
    assert len(modules) > 60
    strings = {
        dedent(node.value).strip()
        for text in modules.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert not {hints_of(id)[-1] for id in exercises()} & strings


def test_no_other_file_repeats_a_solution_but_for_what_lessons_say(learners_wheel):
    """Answers of a line or more are looked for in every file: code, texts, stored outputs, translations."""
    with zipfile.ZipFile(learners_wheel) as wheel:
        texts = {name: searchable(name, wheel.read(name).decode("utf-8", "replace")) for name in wheel.namelist()}
    answers = {id: in_plain_lines(hints_of(id)[-1]) for id in exercises()}
    for path in (ROOT / "notebooks").glob("*/*.ipynb"):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for number, solution in enumerate(SOLUTION.findall("".join(cell["source"]))):
                answers[f"{path.name} {cell['id']} {number}"] = in_plain_lines(solution)
    assert len(answers) > 500
    everything = "\n".join(texts.values())
    wanted = {answer if len(answer) >= LONG else f"\n{answer}\n" for answer in answers.values()}
    there = [answer for answer in wanted if answer in everything]
    found = {(name, answer.strip()) for answer in there for name, text in texts.items() if answer in text}
    assert {(re.sub(r".*/", "", name), answer) for name, answer in found} == IN_LESSONS


def searchable(name, text):
    """A file's text as plain lines; of notebooks the cells' text and outputs, of catalogues their messages."""
    if name.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) + "\n" + json.dumps(cell.get("outputs", [])) for cell in cells)
    elif name.endswith(".po"):
        text = text.replace('"\n"', "").replace("\\n", "\n").replace('\\"', '"')
    return f"\n{in_plain_lines(text)}\n"


def in_plain_lines(code):
    """Code without indentation, comments and empty lines."""
    lines = (line.strip() for line in code.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("#"))


def test_it_is_a_wheel_whose_record_is_right(learners_wheel):
    with zipfile.ZipFile(learners_wheel) as wheel:
        (record,) = (name for name in wheel.namelist() if name.endswith("/RECORD"))
        lines = list(csv.reader(io.StringIO(wheel.read(record).decode())))
        assert [line[0] for line in lines] == wheel.namelist()
        for name, digest, size in lines[:-1]:
            content = wheel.read(name)
            computed_digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={computed_digest}", str(len(content)))


def test_every_hint_but_the_answer_is_the_courses(learners_environment):
    said = learners_environment("python", "-c", LADDERS)
    assert said.returncode == 0, said.stderr
    theirs = json.loads(said.stdout)
    ours = exercises()
    assert theirs.keys() == ours.keys()
    assert {id: hints[:-1] for id, hints in theirs.items()} == {id: [*hints_of(id)[:-1]] for id in ours}
    assert len({hints[-1] for hints in theirs.values()}) == 1


def test_checks_and_hints_work_and_nothing_stands_in(learners_environment, tmp_path):
    said = learners_environment("python", "-c", WORK, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("Not yet: ") == 1
    assert said.stdout.count("✓ ") == 1
    assert "Hint 4 of 4, the answer:\n    # The answer is not in this copy of the course." in said.stdout
    assert "`cell` is still to be written. What follows needs it." in said.stdout


def test_its_working_copy_is_that_of_the_whole_course(learners_environment, tmp_path):
    said = learners_environment("glassroom", "lab", tmp_path / "theirs", "--no-lab")
    assert said.returncode == 0, said.stderr
    update(tmp_path / "ours", ROOT / "notebooks")
    for path in (tmp_path / "ours").rglob("*"):
        if path.is_file() and ".glassroom" not in path.parts:
            assert (tmp_path / "theirs" / path.relative_to(tmp_path / "ours")).read_bytes() == path.read_bytes()
