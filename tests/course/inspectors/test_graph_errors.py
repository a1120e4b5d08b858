"""What autograd refuses, explained: each error as the library raises it, with its tensor and its line."""

from __future__ import annotations

import copy
import importlib
import sys
from collections.abc import Callable
from typing import Any

import pytest

from glassroom import explain_error

LIBRARIES = ("tensorglass", "torch")

# For each error: a function that raises it, given the library and a leaf `w` of three ones; the sentence about it.
KINDS: dict[str, tuple[Callable[[Any, Any], object], str]] = {
    "leaf": (lambda _, w: w.add_(1), "`w` is a leaf that requires a gradient, and is written to while"),
    "view of a leaf": (lambda _, w: w[0].add_(1), "`w` is a leaf that requires a gradient, and is written to through"),
    "no graph": (lambda _, w: w.detach().sum().backward(), "`w.detach().sum()` has no graph"),
    "several numbers": (lambda _, w: (w * 2).backward(), "`w * 2` has more than one element"),
    "complex": (lambda _, w: (w * 1j).sum().backward(), "`(w * 1j).sum()` is complex"),
    "size": (lambda lib, w: (w * 1).backward(lib.ones(2)), "the gradient that was given has size [2]"),
    "needs none": (
        lambda lib, w: lib.autograd.grad((w * 1).sum(), lib.ones(3)),
        "a tensor does not require a gradient",
    ),
    "NumPy": (lambda _, w: w.numpy(), "`w` requires a gradient, and NumPy records nothing"),
    "dtype": (lambda lib, _: lib.ones(3, dtype=lib.long).requires_grad_(), "a tensor has whole numbers"),
    "gradient": (lambda lib, w: setattr(w, "grad", lib.ones(2)), "`w` was given a gradient that does not fit: of size"),
    "out=": (lambda lib, w: lib.add(w, 1, out=lib.ones(3)), "`w` requires a gradient, and what is written to out="),
}


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        return pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    return importlib.import_module(request.param)


def raised_by(function: Callable[[], object]) -> Exception:
    with pytest.raises((RuntimeError, ValueError, TypeError)) as caught:
        function()
    return caught.value


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_reported_with_the_tensor_that_it_speaks_of(library: Any, kind: str) -> None:
    fails, wanted = KINDS[kind]
    explanation = explain_error(raised_by(lambda: fails(library, library.ones(3, requires_grad=True))))
    assert explanation.label.startswith(wanted)
    assert explanation.data.lines[-1].did == "failed"
    assert explanation.as_dict()["inspector"] == "graph error"


def test_a_region_that_records_no_graph_is_told_with_its_line(library: Any) -> None:
    w = library.ones(3, requires_grad=True)

    def fails() -> None:
        with library.no_grad():
            hidden = w * 2
        loss = hidden.sum()
        with library.inference_mode():
            w * 3
        loss.backward()

    cuts = [line.source for line in explain_error(raised_by(fails)).data.lines if line.did == "cut"]
    assert cuts == ["with library.no_grad():"]


def test_results_and_views_are_distinguished_by_their_names(library: Any) -> None:
    w = library.ones(3, requires_grad=True)
    unused = library.ones(3, requires_grad=True)
    y = w * 2
    one = y.unbind()[0]
    with library.no_grad():
        part = y[0:1]

    def change_the_flag() -> None:
        y.requires_grad = False

    said = {
        "`y` was computed, so whether it requires": change_the_flag,
        "`y` was computed, and an optimizer": lambda: library.optim.SGD([y], lr=0.1),
        "`y` was computed, and its graph": lambda: copy.deepcopy(y),
        "`one` is one of the views that `Unbind`": lambda: one.add_(1),
        "`part` is a view that was made in no_grad mode": lambda: part.add_(1),
        "the result was not computed from `unused`": lambda: library.autograd.grad(y.sum(), [w, unused]),
    }
    for words, fails in said.items():
        assert explain_error(raised_by(fails)).label.startswith(words)


def test_the_line_that_freed_a_graph_is_reported(library: Any) -> None:
    first = sys._getframe().f_lineno

    def train() -> None:
        w = library.ones(3, requires_grad=True)
        features = w.exp()
        one, two = features.sum(), (features * features).mean()
        one.backward()
        two.backward()

    explanation = explain_error(raised_by(train))
    assert explanation.label == "an earlier backward has freed what the graph of `two` had saved"
    assert [(line["did"], line["number"]) for line in explanation.as_dict()["lines"]] == [
        ("freed", first + 6),
        ("failed", first + 7),
    ]


def test_what_is_carried_from_step_to_step_is_the_same_line_in_an_earlier_round(library: Any) -> None:
    def train() -> None:
        w = library.ones(3, 3, requires_grad=True)
        hidden = library.ones(3)
        for _ in range(2):
            hidden = library.tanh(w @ hidden)
            hidden.sum().backward()

    text = explain_error(raised_by(train)).text
    assert "it was this one, in an earlier round" in text
    assert "detach() what is carried from one step to the next" in text


def test_the_line_that_cuts_a_graph_is_reported(library: Any) -> None:
    first = sys._getframe().f_lineno

    def train() -> None:
        w = library.ones(3, requires_grad=True)
        y = (w * 2).detach()
        loss = (y * y).sum()
        loss.backward()

    explanation = explain_error(raised_by(train))
    assert [(line.did, line.number) for line in explanation.data.lines] == [("cut", first + 4), ("failed", first + 6)]


def test_a_function_of_the_program_is_reported_by_the_line_of_its_backward(library: Any) -> None:
    first = sys._getframe().f_lineno

    class Half(library.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient[:2]

    explanation = explain_error(raised_by(lambda: Half.apply(library.ones(3, requires_grad=True)).sum().backward()))
    assert explanation.label.startswith("`HalfBackward` returned a gradient that does not fit its input 0")
    assert explanation.data.lines[0].number == first + 8


class Backwards:
    """Functions with a wrong backward, and one that can be differentiated only once, named by what is wrong."""

    def __init__(self, lib: Any) -> None:
        function, once = lib.autograd.Function, lib.autograd.function.once_differentiable

        def made(backward: Any, square: bool = False) -> Any:
            def forward(ctx: Any, x: Any) -> Any:
                ctx.save_for_backward(x)
                return x * x if square else x * 2

            methods = {"forward": staticmethod(forward)}
            methods |= {} if backward is None else {"backward": staticmethod(backward)}
            return type("Mine", (function,), methods).apply

        self.text = made(lambda ctx, gradient: "text")
        self.many = made(lambda ctx, gradient: (gradient, gradient))
        self.none = made(None)
        self.once = made(once(lambda ctx, gradient: 2 * ctx.saved_tensors[0] * gradient), square=True)


def twice(lib: Any, w: Any) -> None:
    [gradient] = lib.autograd.grad(Backwards(lib).once(w).sum() * w.sum(), w, create_graph=True)
    gradient.sum().backward()


def hooked(w: Any, hook: Callable[[Any], Any]) -> None:
    y = w * 2
    y.register_hook(hook)
    y.sum().backward()


def hooked_node(w: Any, hook: Callable[[Any, Any], Any]) -> None:
    y = w * 2
    y.grad_fn.register_hook(hook)
    y.sum().backward()


def no_number(lib: Any, w: Any) -> None:
    with lib.autograd.detect_anomaly():
        root = (w * 0).sqrt()
        (root * 0).sum().backward()


def inferred(lib: Any) -> Any:
    with lib.inference_mode():
        return lib.ones(3)


# The same for errors of a program's own functions, hooks and modes; and a word of the line that is shown, if any.
OF_PROGRAMS: dict[str, tuple[Callable[[Any, Any], object], str, str]] = {
    "no number": (no_number, "`SqrtBackward0` computed a gradient that is NaN", "root = (w * 0).sqrt()"),
    "inference, saved": (lambda lib, w: w * inferred(lib), "a tensor was made in inference mode", ""),
    "inference, written": (lambda lib, _: inferred(lib).add_(1), "a tensor was made in inference mode", ""),
    "twice": (twice, "a function in the graph of `gradient` can be differentiated once", ""),
    "no tensor": (lambda lib, w: Backwards(lib).text(w).sum().backward(), "a backward in the graph returned a str", ""),
    "many": (
        lambda lib, w: Backwards(lib).many(w).sum().backward(),
        "`MineBackward` returned another number of gradients than its forward has inputs: expected 1, got 2",
        "self.many = made(",
    ),
    "no backward": (lambda lib, w: Backwards(lib).none(w).sum().backward(), "a function in the graph has no", ""),
    "hook, size": (
        lambda lib, w: hooked(w, lambda _: lib.ones(5)),
        "the hook `<lambda>` returned a gradient of an",
        "",
    ),
    "hook, dtype": (
        lambda _, w: hooked(w, lambda gradient: gradient.long()),
        "the hook `<lambda>` returned a gradient of",
        "",
    ),
    "hook, text": (lambda _, w: hooked(w, lambda _: "text"), "a hook returned a str, which is no gradient", ""),
    "hook, number": (
        lambda _, w: hooked_node(w, lambda inner, _: (inner[0],) * 3),
        "the hook `<lambda>` returned another number of gradients than it was given: got 3, but expected 2",
        "",
    ),
    "no derivative": (lambda lib, w: lib.special.zeta(w, w + 1).sum().backward(), "`zeta` has no derivative", ""),
}


@pytest.mark.filterwarnings("ignore::UserWarning")  # anomaly mode warns, each time
@pytest.mark.parametrize("kind", OF_PROGRAMS)
def test_what_a_program_does_to_its_gradients_is_reported(library: Any, kind: str) -> None:
    fails, wanted, beside = OF_PROGRAMS[kind]
    explanation = explain_error(raised_by(lambda: fails(library, library.ones(3, requires_grad=True))))
    assert explanation.label.startswith(wanted)
    *others, last = explanation.data.lines
    assert last.did == "failed"
    assert any(beside in line.source for line in others) if beside else not others


@pytest.mark.parametrize("more", [False, True], ids=["one", "several"])
def test_a_module_that_writes_in_place_is_reported_as_the_writer(library: Any, more: bool) -> None:
    nn = library.nn
    layers = [nn.Linear(3, 3), nn.ReLU(inplace=True)] if more else []
    net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.ReLU(inplace=True), *layers)
    error = raised_by(lambda: net(library.ones(2, 3)).sum().backward())
    assert explain_error(error).label.endswith("; net.2 wrote it: version 0 → 1")


def test_a_loop_over_another_part_of_a_network_is_no_writer(library: Any) -> None:
    first = sys._getframe().f_lineno

    def train() -> None:
        net = library.nn.ModuleDict({"head": library.nn.Linear(3, 3), "body": library.nn.Linear(3, 3)})
        loss = net["head"](net["body"](library.ones(2, 3)).sigmoid()).sum()
        with library.no_grad():
            for p in net["head"].parameters():
                p.mul_(0.9)
            for p in net["body"].parameters():
                p.mul_(0.9)
        loss.backward()

    assert f"`net.head.weight`; line {first + 7} wrote it" in explain_error(raised_by(train)).label


def test_an_error_of_something_else_is_refused(library: Any) -> None:
    with pytest.raises(ValueError, match="not this RuntimeError"):
        explain_error(raised_by(lambda: library.ones(3).view(2)))
