"""Marks that people give in a page: what its server hands out, takes and refuses, and what `manual.csv` has then."""

from __future__ import annotations

import csv
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from classes import make_class

from glassroom.classroom.batch import row_path
from glassroom.classroom.by_hand import read_manual, save_by_hand
from glassroom.classroom.course_file import read_course
from glassroom.classroom.grading import Row, task_of
from glassroom.classroom.marking import MarkingServer
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import write_atomically

QUESTION = """
[[assignment.explain]]
id = "why"
ask = "Why does a write show?"
points = 2
rubric = [{ says = "names the storage", points = 1.5 }, { says = "says copy", points = -1 }]
"""
HARM = 'ada "; <script>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A marked class of three with a question in words, and one mark to look at."""
    folder = make_class(tmp_path / "class", more=QUESTION)
    course = read_course(folder)
    for name in ("bob", HARM, "carl"):
        (folder / "submitted" / name / "memory-02").mkdir(parents=True)
        row = Row(name, "memory-02", marks=task_of(course, course.assignments[0]).questions())
        for mark in row.marks:
            mark.answer = f"{name}: one storage."
            if name == "carl" and mark.id == "02-middle":
                mark.part, mark.doubt = 1.0, "it was judged beside"
        write_atomically(row_path(course, "memory-02", name), row.to_json())
    return folder


@pytest.fixture
def server(folder: Path) -> Iterator[MarkingServer]:
    course = read_course(folder)
    with MarkingServer(course, list(course.assignments)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def asked(server: MarkingServer, method: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection.request(method, path, content, sent)
    reply = connection.getresponse()
    return reply.status, reply.read()


def a_mark(learner: str = "bob", points: str = "1,5", **more: str) -> dict[str, str]:
    return {"learner": learner, "assignment": "memory-02", "id": "why", "points": points, "comment": "Good."} | more


def test_answers_come_question_by_question_with_their_rubric(server: MarkingServer) -> None:
    status, content = asked(server, "GET", f"/{server.token}/answers")
    answers = json.loads(content)["answers"]
    assert status == 200
    assert [(answer["id"], answer["learner"]) for answer in answers] == [
        ("02-middle", "carl"),
        ("why", HARM),
        ("why", "bob"),
        ("why", "carl"),
    ]
    assert answers[1]["rubric"] == [{"says": "names the storage", "points": 1.5}, {"says": "says copy", "points": -1.0}]
    assert (answers[0]["earned"], answers[1]["earned"], answers[1]["most"]) == ("1", None, 2.0)


def test_a_mark_is_saved_and_counts(server: MarkingServer, folder: Path) -> None:
    comment = "- first line\n=SUM(A1); 'quoted', ünï"
    for learner in ("bob", HARM):
        assert asked(server, "POST", f"/{server.token}/mark", a_mark(learner, comment=comment))[0] == 200
    assert asked(server, "POST", f"/{server.token}/mark", a_mark(points="0.5", comment=comment))[0] == 200
    by_hand = read_manual(read_course(folder))
    assert {key: hand.points for key, hand in by_hand.items()} == {
        ("bob", "memory-02", "why"): 0.5,
        (HARM, "memory-02", "why"): 1.5,
    }
    assert {hand.comment for hand in by_hand.values()} == {comment}
    with open(folder / "manual.csv", encoding="utf-8", newline="") as file:
        cells = [cell for line in csv.reader(file) for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "-"))]


def test_lines_that_are_there_stay_with_their_separator(folder: Path) -> None:
    text = "learner;assignment;id;points;comment;mine\nbob;memory-02;why;1,5;ok;kept\ncarl;memory-02;02-whole;0,5;;\n"
    (folder / "manual.csv").write_text(text, encoding="utf-8-sig")
    save_by_hand(read_course(folder), ("bob", "memory-02", "why"), "0.25", "No.")
    save_by_hand(read_course(folder), (HARM, "memory-02", "why"), "", "Come and see me.")
    lines = (folder / "manual.csv").read_text(encoding="utf-8").splitlines()
    assert lines[:3] == [
        "learner;assignment;id;points;comment;mine",
        "bob;memory-02;why;0,25;No.;kept",
        "carl;memory-02;02-whole;0,5;;",
    ]
    by_hand = read_manual(read_course(folder))
    assert by_hand["bob", "memory-02", "why"].points == 0.25
    assert by_hand[HARM, "memory-02", "why"].points is None
    assert by_hand["carl", "memory-02", "02-whole"].points == 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"points": "3"},
        {"points": "-1"},
        {"points": "nan"},
        {"points": "much"},
        {"learner": "nobody"},
        {"id": "none"},
        {"assignment": "memory-03"},
    ],
)
def test_what_is_no_mark_is_refused_with_a_reason(server: MarkingServer, folder: Path, wrong: dict[str, str]) -> None:
    status, content = asked(server, "POST", f"/{server.token}/mark", a_mark() | wrong)
    assert status == 409
    assert len(json.loads(content)["problem"]) > 10
    assert not (folder / "manual.csv").exists()


def test_a_damaged_table_is_reported_and_left_alone(server: MarkingServer, folder: Path) -> None:
    (folder / "manual.csv").write_bytes(b"\xff\xfe not a table")
    status, content = asked(server, "POST", f"/{server.token}/mark", a_mark())
    assert (status, "cannot be read" in json.loads(content)["problem"]) == (409, True)
    assert (folder / "manual.csv").read_bytes() == b"\xff\xfe not a table"
    assert asked(server, "GET", f"/{server.token}/answers")[0] == 409


def test_only_who_knows_the_token_is_served_and_no_other_site(server: MarkingServer, folder: Path) -> None:
    right = f"/{server.token}/mark"
    port = server.server_port
    for path in ("/", "/mark", "/answers", "/wrong/answers", "/wrong/", f"/{server.token}/../x", f"/{server.token}"):
        assert asked(server, "GET", path)[0] == 404
    attempts = [
        asked(server, "POST", "/wrong/mark", a_mark()),
        asked(server, "POST", right, a_mark(), Content_Type="text/plain"),
        asked(server, "POST", right, a_mark(), Host=f"evil.example:{port}"),
        asked(server, "POST", right, a_mark(), Origin="http://evil.example"),
        asked(server, "POST", right, a_mark(), Origin="null"),
        asked(server, "POST", right, b"no json"),
        asked(server, "POST", right, ["a", "list"]),
        asked(server, "POST", right, a_mark() | {"points": 1}),
        asked(server, "POST", right, b"x" * 200_000),
        asked(server, "GET", f"/{server.token}/answers", Host=f"evil.example:{port}"),
    ]
    assert all(status in (404, 409, 413) for status, _ in attempts)
    assert not (folder / "manual.csv").exists()
    assert asked(server, "POST", right, a_mark(), Origin=f"http://127.0.0.1:{port}")[0] == 200


def test_a_rubric_is_lines_of_words_with_points(tmp_path: Path) -> None:
    for wrong in ('"x"', '[{ says = "", points = 1 }]', '[{ says = "x", points = "1" }]', "[{ points = 1 }]", "[1]"):
        with pytest.raises(Problem, match=r"rubric|says"):
            read_course(make_class(tmp_path / str(hash(wrong)), more=QUESTION.split("rubric")[0] + f"rubric = {wrong}"))
