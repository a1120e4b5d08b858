"""An answer that does not end is stopped, or its learner is told to stop it, and a sentence says what to look at."""

from __future__ import annotations

import contextlib
import io
import itertools
import threading

import pytest

import tensorglass
from glassroom.exercises import check, engine
from glassroom.exercises.limit import limit
from glassroom.exercises.running_cells import what_may_run_on


def runs_on(*_: object) -> None:
    while True:
        with contextlib.suppress(Exception):  # no check's limit is as long
            sum(range(100))


def test_a_check_of_an_answer_that_runs_on_is_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine, "SECONDS", 0.05)
    check("11-stride", runs_on, samples=[tensorglass.ones(2, 3)])
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith("Not yet: your answer ran for more than 0.05 seconds and was stopped: look for a loop that")


def test_a_limit_within_another_lets_that_one_go_on() -> None:
    def whole() -> None:
        with limit(0.05, "the whole"):
            with limit(60, "a part"):
                pass
            for _ in itertools.count():
                pass

    with pytest.raises(TimeoutError, match="the whole ran for more than"):
        whole()


def test_an_answer_to_which_the_machine_gives_little_of_its_time_goes_on_and_one_that_only_waits_is_stopped() -> None:
    went_on = []

    def waits() -> None:
        with limit(0.2, "your answer"):
            threading.Event().wait(0.6)  # as long as a busy machine may take for a tenth of a second's work
            went_on.append(True)
            threading.Event().wait(60)

    with pytest.raises(TimeoutError, match="ran for more than"):
        waits()
    assert went_on


def test_a_limit_that_is_over_stops_nothing() -> None:
    with limit(0.05, "a part"):
        pass
    threading.Event().wait(0.1)


class Heard(io.StringIO):
    """A stream that lets others wait until something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.is_written = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        self.is_written.set()
        return written


def test_where_nothing_can_be_stopped_a_line_says_how_to_do_it_by_hand() -> None:
    heard = Heard()

    def elsewhere() -> None:
        with limit(0.01, "your answer"):
            heard.is_written.wait(60)

    with contextlib.redirect_stdout(heard):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert heard.getvalue().startswith("your answer has been running for 0.01 seconds. If it does not end, interrupt")


def test_only_a_cell_in_which_an_answer_may_run_on_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_accepted", {"n03-momentum": True, "n03-adam": False})
    names = {"momentum": runs_on, "adam": runs_on, "rate_at": runs_on}
    assert what_may_run_on('def f(): ...\ncheck("n03-descend", f)', names) == "this cell"
    assert what_may_run_on("learn(adam, 0.1)", names) == "this cell, which calls your `adam`,"
    assert what_may_run_on('rate_at = stand_in("n03-rate")', names) == "this cell, which calls your `rate_at`,"
    for of_the_course in (
        'momentum = stand_in("n03-momentum")\nlearn(momentum, 0.1)',
        "curves = learn(momentum, 0.1)",
        'adam = stand_in("n03-adam")\nlearn(adam, 0.1)',  # refused: what runs is the course's own
        "show(model)",
    ):
        assert what_may_run_on(of_the_course, names) == ""
    assert what_may_run_on("learn(adam, 0.1)", {"adam": 3}) == ""
