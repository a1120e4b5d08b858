"""A saved tensor that was overwritten, explained: after the error, and in the story of a watch."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import pytest

from glassroom import explain_error, watch

LIBRARIES = ("tensorglass", "torch")


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        return pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    return importlib.import_module(request.param)


def raised_by(function: Callable[[], object]) -> RuntimeError:
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        function()
    return caught.value


def test_who_saved_a_result_and_who_wrote_it_are_reported_by_their_lines(library: Any) -> None:
    first = sys._getframe().f_lineno

    def train() -> None:
        x = library.ones(3, requires_grad=True)
        y = library.sigmoid(x * 2)
        y.add_(1)
        y.sum().backward()

    wanted = f"`sigmoid` saved `y` at line {first + 4}; line {first + 5} wrote it: version 0 → 1"
    explanation = explain_error(raised_by(train))
    assert explanation.label == wanted
    assert [line["did"] for line in explanation.as_dict()["lines"]] == ["saved", "wrote", "failed"]
    error = raised_by(lambda: watch(train))
    assert f"raises RuntimeError: {str(error).splitlines()[0]}; {wanted}" in error.__notes__[-1]


def test_a_loop_over_the_parameters_is_reported_as_the_writer(library: Any) -> None:
    first = sys._getframe().f_lineno

    def train() -> None:
        lin = library.nn.Linear(3, 3)
        h = lin(library.ones(2, 3, requires_grad=True))
        other = library.ones(3)
        with library.no_grad():
            for p in [other]:
                p.mul_(0.5)
            for p in lin.parameters():
                p.mul_(0.99)
        h.sum().backward()

    explanation = explain_error(raised_by(train))
    assert f"; line {first + 10} wrote it: version" in explanation.label


def test_of_statements_that_share_a_line_the_one_that_comes_later_wrote(library: Any) -> None:
    def train() -> None:
        x = library.ones(3, requires_grad=True)
        y = x * 2
        y.mul_(2); z = library.sigmoid(y); z.add_(1); z.sum().backward()  # fmt: skip  # noqa: E702  # the test is about statements that share a line

    lines = explain_error(raised_by(train)).as_dict()["lines"]
    assert [line["did"] for line in lines] == ["saved", "wrote", "failed"]


def test_a_write_through_a_view_is_one_to_the_tensor(library: Any) -> None:
    first = sys._getframe().f_lineno

    def train() -> None:
        w = library.ones(3, requires_grad=True)
        h = w * 1
        v = h[0]
        loss = (h**2).sum()
        v.zero_()
        loss.backward()

    wanted = f"`pow` saved `h` at line {first + 6}; line {first + 7} wrote it: version 0 → 1"
    assert explain_error(raised_by(train)).label == wanted
    assert wanted in raised_by(lambda: watch(train)).__notes__[-1]


def test_a_watch_tells_the_write_of_another_function_and_the_right_round_of_a_loop(library: Any) -> None:
    first = sys._getframe().f_lineno

    def double(held: Any) -> None:
        with library.no_grad():
            held.mul_(2)

    def train() -> None:
        w = library.ones(3, requires_grad=True)
        h = w * 1
        total = (h * 2).sum()
        for _ in range(3):
            total = total + (h**2).sum()
            double(h)
        total.backward()

    error = raised_by(lambda: watch(train))
    wanted = f"`pow` saved `h` at line {first + 11}; line {first + 4} wrote it"
    assert wanted in error.__notes__[-1]


def test_an_optimizer_that_stepped_too_early_is_named() -> None:
    torch = pytest.importorskip("torch", reason="the optimizer is PyTorch's")
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = sys._getframe().f_lineno

    def train() -> None:
        loss = model(torch.ones(2, 3)).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        loss.backward()

    explanation = explain_error(raised_by(train))
    assert "saved `model.1.weight" in explanation.label
    assert f"line {first + 5} wrote it" in explanation.label
    assert "Call the optimizer's step after all backward passes" in explanation.text


def test_anomaly_detection_s_record_counts_for_more_than_the_source(library: Any) -> None:
    first = sys._getframe().f_lineno

    def through(held: Any) -> Any:
        return held.exp()

    def train() -> None:
        x = library.ones(3, requires_grad=True)
        y = through(x * 2)
        y += 1
        y.sum().backward()

    plain = explain_error(raised_by(train)).label
    assert plain == f"`exp` saved `y`; line {first + 8} wrote it: version 0 → 1"
    with library.autograd.set_detect_anomaly(True, check_nan=False), pytest.warns(UserWarning, match="Error detected"):
        error = raised_by(train)
    assert (
        explain_error(error).label == f"`exp` saved `y` at line {first + 3}; line {first + 8} wrote it: version 0 → 1"
    )


def test_without_an_error_the_last_one_is_explained(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = library.ones(3, requires_grad=True)
    y = x.exp()
    y.zero_()
    try:
        y.sum().backward()
    except RuntimeError as error:
        monkeypatch.setattr(sys, "last_value", error, raising=False)
    monkeypatch.delattr(sys, "last_exc", raising=False)
    assert explain_error().label.startswith("`exp` saved `y`")


def test_what_is_no_such_error_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys, "last_value", raising=False)
    monkeypatch.delattr(sys, "last_exc", raising=False)
    with pytest.raises(ValueError, match="there is no error to explain"):
        explain_error()
    with pytest.raises(ValueError, match="not this KeyError"):
        explain_error(KeyError("a"))


def test_a_tensor_that_looks_the_same_is_not_taken_for_the_one_that_was_saved(library: Any) -> None:
    def train() -> None:
        alike = library.zeros(3)
        alike.add_(1)  # of the same size and version, and found first
        y = library.ones(3, requires_grad=True).exp()
        y.add_(1)
        y.sum().backward()

    explanation = explain_error(raised_by(train))
    assert explanation.label.startswith("`exp` saved `y` at line")
    assert "alike" not in explanation.text


def test_no_more_writes_are_told_than_the_version_has_risen(library: Any) -> None:
    first = sys._getframe().f_lineno

    def squared(a: Any) -> Any:
        return (lambda base: base**2)(a)

    def train() -> None:
        h = library.ones(3, requires_grad=True) * 1
        h.add_(1)
        loss = squared(h).sum()
        h.add_(1)
        loss.backward()

    explanation = explain_error(raised_by(train))
    assert explanation.label.endswith(f"; line {first + 9} wrote it: version 1 → 2")


def test_a_graph_that_no_variable_leads_to_is_found_in_the_backward_itself(library: Any) -> None:
    def forward() -> Any:
        h = library.ones(3, requires_grad=True).sigmoid()
        z = h.square()
        h.mul_(0.5)
        return z.sum()

    explanation = explain_error(raised_by(lambda: forward().backward()))
    assert explanation.label.startswith("`pow` saved a tensor of size [3]")
    assert "forward().backward()" in explanation.text
