"""The server behind `glassroom mark`: one page, served only on this machine, to whoever knows the token in its address.
It sends the answers that a person marks and writes the marks to `manual.csv`. Nothing else is served or written.
"""

from __future__ import annotations

import json
import threading
from http import HTTPStatus

from glassroom.classroom.batch import read_rows
from glassroom.classroom.by_hand import save_by_hand
from glassroom.classroom.course_file import Assignment, Course
from glassroom.classroom.pages.marking import answers_to_mark, marking_page
from glassroom.workspace.page_server import PageReplies, PageServer
from glassroom.workspace.problems import Problem

MOST_BYTES = 100_000  # of a mark with its comment


class MarkingServer(PageServer):
    """Serves the page for a class's assignments."""

    def __init__(self, course: Course, assignments: list[Assignment], port: int = 0) -> None:
        super().__init__(_Handler, port)
        self.course = course
        self.assignments = assignments
        self.writing = threading.Lock()

    def save(self, content: bytes) -> None:
        """Put a mark, which the page sends as JSON, into `manual.csv`. Raises `Problem` for an invalid mark."""
        names = ("learner", "assignment", "id", "points", "comment")
        try:
            said = json.loads(content)
            learner, assignment, id, points, comment = (said[name] for name in names)
            fine = all(isinstance(said[name], str) for name in names)
        except (ValueError, KeyError, TypeError, RecursionError):
            fine = False
        if not fine or assignment not in {assignment.name for assignment in self.assignments}:
            raise Problem("This is no mark of an assignment that is marked here.")
        with self.writing:
            row = read_rows(self.course, assignment).get(learner)
            answer = next((mark.answer for mark in (row.marks if row else ()) if mark.id == id), "")
            save_by_hand(self.course, (learner, assignment, id), points, comment, answer)


class _Handler(PageReplies):
    server: MarkingServer

    def do_GET(self) -> None:
        """The page, or the answers."""
        place = self.asked_for()
        if place == "":
            self.reply(HTTPStatus.OK, "text/html; charset=utf-8", marking_page(self.server.course).encode())
        elif place == "answers":
            try:
                with self.server.writing:
                    answers = answers_to_mark(self.server.course, self.server.assignments)
                self.say(HTTPStatus.OK, {"answers": answers})
            except Problem as problem:
                self.say(HTTPStatus.CONFLICT, {"problem": str(problem)})
        else:
            self.say_nothing_here()

    def do_POST(self) -> None:
        """Save one mark."""
        content = self.sent(MOST_BYTES)
        if content is None:
            return
        if self.asked_for() != "mark" or self.headers.get("Content-Type") != "application/json":
            self.say_nothing_here()
            return
        try:
            self.server.save(content)
            self.say(HTTPStatus.OK, {})
        except Problem as problem:
            self.say(HTTPStatus.CONFLICT, {"problem": str(problem)})
