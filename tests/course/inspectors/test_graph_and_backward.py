"""graph and step_backward: the same data, text and pictures of tensorglass's graphs and of PyTorch's."""

from __future__ import annotations

import gc
import importlib
import re
import sys
import weakref
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from glassroom import graph, step_backward
from glassroom.drawing.canvas import NARROW, WIDTH, narrow
from glassroom.drawing.graph.folding import MOST, boxes_of
from glassroom.inspectors.autograd_graph.inspector import AutogradGraph
from glassroom.reading.graph import graph_data

SVG = "{http://www.w3.org/2000/svg}"
LIBRARIES = ("tensorglass", "torch")


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        return pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    return importlib.import_module(request.param)


def regression(library: Any) -> dict[str, Any]:
    w = library.ones(3, 2, requires_grad=True)
    b = library.zeros(2, requires_grad=True)
    x = library.arange(12.0).view(4, 3)
    h = (x @ w + b).relu()
    return {"w": w, "b": b, "x": x, "h": h, "loss": ((h - 1) ** 2).mean()}


def symbolic(text: str) -> str:
    """The text with its storages renamed by first appearance, whatever the session has seen before."""
    names: dict[str, str] = {}
    return re.sub(r"\bS\d+\b", lambda match: names.setdefault(match[0], f"S{len(names)}"), text)


def test_text_is_the_same_on_both_libraries() -> None:
    torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    ours, theirs = (
        regression(importlib.import_module("tensorglass")),
        regression(torch),
    )
    texts = [
        symbolic(AutogradGraph("loss", graph_data({"loss": tensors["loss"]}, tensors)).text)
        for tensors in (ours, theirs)
    ]
    assert texts[0] == texts[1]


def test_leaves_results_and_saved_tensors_are_named(library: Any) -> None:
    w = library.ones(3, requires_grad=True)
    y = w.exp()
    loss = (y * w).sum()
    text = symbolic(graph(loss).text)
    assert text.splitlines()[0] == "#0 loss = SumBackward0"
    assert "y = ExpBackward0 · saved result = [3] S" in text
    assert re.search(r"w \(leaf\) · \[3\] float32 S\d v0 · grad: None", text)
    assert text.count("↑") == 1  # `w` is drawn once, and referred to once


def test_what_a_backward_freed_and_collected_is_shown(library: Any) -> None:
    w = library.ones(3, requires_grad=True)
    loss = w.exp().sum()
    loss.backward()
    text = graph(loss).text
    assert "result = freed" in text
    assert re.search(r"grad: \[3\] S\d+", text)


def test_an_overwritten_saved_tensor_is_named_with_its_versions(library: Any) -> None:
    w = library.ones(3, requires_grad=True)
    y = w * 2
    loss = y.sin().sum()
    y.add_(1)
    assert "self = overwritten: saved v0, now v1" in graph(loss).text


def test_what_a_custom_function_saved_is_shown_by_its_place(library: Any) -> None:
    class Product(library.autograd.Function):  # type: ignore[misc]  # the library is an argument
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, None, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            a, _, b = ctx.saved_tensors
            return gradient * b, gradient * a

    a = library.ones(3, requires_grad=True)
    b = library.ones(3)
    y = Product.apply(a, b)
    saved = r"y = ProductBackward · saved \[0\] = \[3\] S\d+ v0 \(12 B\), \[2\] = \[3\] S\d+ v0 \(12 B\)$"
    assert re.search(saved, graph(y).text, flags=re.MULTILINE)
    b.zero_()
    assert "saved tensors = overwritten: saved v0, now v1" in graph(y).text
    y = Product.apply(a, b)
    y.sum().backward()
    assert "saved tensors = freed" in graph(y).text


def test_looking_at_a_custom_function_leaves_it_its_saved_tensors(library: Any) -> None:
    class Square(library.autograd.Function):  # type: ignore[misc]  # the library is an argument
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return 2 * gradient * ctx.saved_tensors[0]

    a = library.ones(3, requires_grad=True)
    loss = Square.apply(a).sum()
    assert "SquareBackward" in graph(loss).text
    loss.backward()
    assert a.grad.tolist() == [2, 2, 2]


def test_a_long_chain_is_folded_and_said_to_be(library: Any) -> None:
    w = library.ones(3, requires_grad=True)
    loss = w
    for _ in range(500):
        loss = loss * 1.01 + 1
    data = graph_data({"loss": loss}, {"w": w})
    assert len(data.steps) == 1001
    assert len(boxes_of(data)) < 10
    assert "⋮ 998 nodes, × 499: AddBackward0 → MulBackward0" in graph(loss).text


def test_of_a_network_s_repeated_blocks_the_parameters_are_folded_as_well() -> None:
    torch = pytest.importorskip("torch", reason="networks are PyTorch's here")
    blocks = [layer for _ in range(30) for layer in (torch.nn.Linear(4, 4), torch.nn.Tanh())]
    model = torch.nn.Sequential(*blocks)
    loss = model(torch.ones(2, 4)).sum()
    data = graph_data({"loss": loss}, {"model": model})
    boxes = boxes_of(data)
    assert len(boxes) < 12
    assert sum(1 if box.step else len(box.folded) for box in boxes.values()) == len(data.steps)
    [fold] = [box for box in boxes.values() if box.step is None]
    assert (fold.period, fold.repeats) == (("AddmmBackward0", "TanhBackward0"), 29)


def test_a_fold_opens_and_shows_a_few_of_what_was_in_it(library: Any) -> None:
    w = result = library.ones(3, requires_grad=True)
    for _ in range(500):
        result = (result * w).sigmoid()
    picture = graph(result)
    [(key, opened)] = picture.state()["opened"].items()
    assert f'data-key="{key}"' in opened
    assert picture.svg.count("SigmoidBackward0<") < opened.count("SigmoidBackward0<") < 10
    assert "⋮ 994 nodes, × 497" in opened


def a_chain(library: Any, count: int) -> Any:
    w = result = library.ones(3, requires_grad=True)
    for _ in range(count):
        result = (result * w).tanh()
    return result


def a_chain_with_a_leaf_each(library: Any, count: int) -> Any:
    result = library.ones(3)
    for _ in range(count):
        result = result * library.ones(3, requires_grad=True)
    return result


def a_fan(library: Any, count: int) -> Any:
    return library.stack([library.ones(3, requires_grad=True).exp() for _ in range(count)]).sum()


def an_unbound_one(library: Any, count: int) -> Any:
    return library.stack((library.ones(count, 3, requires_grad=True) * 2).unbind()).sum()


@pytest.mark.parametrize("make", [a_chain, a_chain_with_a_leaf_each, a_fan, an_unbound_one])
def test_large_graphs_are_read_and_drawn_in_a_time_that_grows_with_their_number(library: Any, make: Any) -> None:
    def calls_to_draw(count: int) -> int:
        """How many functions are called to draw a graph: a time that is the same on every machine."""
        result = make(library, count)
        calls = 0

        def profiled(*_: Any) -> None:
            nonlocal calls
            calls += 1

        before = sys.getprofile()
        sys.setprofile(profiled)
        try:
            picture = AutogradGraph("result", graph_data({"result": result}, {}))
            texts = picture.text, picture.svg
        finally:
            sys.setprofile(before)
        assert max(map(len, texts)) < 200_000
        return calls

    calls_to_draw(50)
    assert calls_to_draw(1_200) < 4.5 * calls_to_draw(300)


def test_what_a_node_has_in_great_number_is_counted(library: Any) -> None:
    parts = list((library.ones(200, 2, requires_grad=True) * 2).unbind())
    whole = graph(library.stack(parts)).text
    assert "parts[0] = parts[1] = parts[2] = 197 more = UnbindBackward0 · × 200 gradients\n" in whole
    constants = [library.ones(2) for _ in range(40)]
    assert "(no gradient wanted) × 40" in graph(library.stack([parts[0], *constants])).text

    class Kept(library.autograd.Function):
        @staticmethod
        def forward(ctx: Any, first: Any, *rest: Any) -> Any:
            ctx.save_for_backward(*rest)
            return first.clone()

    assert re.search(
        r"saved \[0\] = .*, \[10\] = \[2\] S\d+ v0 \(8 B\), 29 more, 320 B in all\n",
        graph(Kept.apply(parts[0], *constants)).text,
    )


def test_bytes_that_a_node_saved_as_several_views_count_once(library: Any) -> None:
    square = library.ones(3, 3, requires_grad=True)
    other = library.ones(3, 3, requires_grad=True)
    for product, nbytes in (
        (square @ square.t(), 36),
        (square[:2] * square[1:], 36),
        (square[:, ::2] * square[:, 1:], 36),
        (square * other, 36 + 36),
    ):
        step = graph(product).data.steps[0]
        assert step.nbytes == nbytes
    assert "36 bytes in all" in graph(square @ square.t()).svg


def test_operators_of_a_function_have_lines_and_networks() -> None:
    torch = pytest.importorskip("torch", reason="networks are PyTorch's here")
    model = torch.nn.ModuleDict({"first": torch.nn.Linear(3, 4), "act": torch.nn.GELU(), "last": torch.nn.Linear(4, 2)})

    def step() -> Any:
        hidden = model["act"](model["first"](torch.ones(5, 3)))
        scores = model["last"](hidden)
        return scores.exp().sum()

    text = graph(step).text
    first = step.__code__.co_firstlineno
    assert f"SumBackward0 · line {first + 3}" in text
    assert re.search(rf"AddmmBackward0 · model\.last, line {first + 2} · saved", text)
    assert re.search(rf"GeluBackward0 · model\.act, line {first + 1} · saved", text)
    assert not torch.is_anomaly_enabled()
    assert not any(layer._forward_hooks for layer in model.values())
    assert [row.module for row in graph_data({"loss": step()}, {"model": model}).steps[:6]] == [
        None, None, "model.last", "model.last", None, "model.first",
    ]  # fmt: skip  # without a function, only where parameters are read


def test_an_operator_belongs_to_the_innermost_network_that_ran_it(library: Any) -> None:
    class Inner(library.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.ahead, self.behind = library.nn.Linear(2, 2), library.nn.Linear(2, 2)

        def forward(self, x: Any, *, more: Any) -> Any:
            return self.behind(self.ahead(x).exp() + more)

    net, given = Inner(), library.ones(2, requires_grad=True)
    steps = graph(lambda: net(library.ones(3, 2), more=given.cos()).tanh()).data.steps
    modules = {step.name: step.module for step in steps if not step.leaf}
    assert (modules["ExpBackward0"], modules["AddBackward0"]) == ("net", "net")
    assert {step.module for step in steps if step.name == "AddmmBackward0"} == {"net.ahead", "net.behind"}
    assert (modules["TanhBackward0"], modules["CosBackward0"]) == (None, None)


def test_nan_within_a_fold_is_reported(library: Any) -> None:
    w = library.zeros(3, requires_grad=True)
    result = w.log() - w.log()
    for _ in range(40):
        result = result * w.exp()
    picture = graph(result.sum())
    assert re.search(r"nodes, .* · \d+ with NaN or Inf, down to #\d+ \w+: saved", picture.text)
    assert "with NaN or Inf, down to" in picture.svg


def test_a_function_of_either_library_tells_its_lines(library: Any) -> None:
    w = library.ones(3, requires_grad=True)
    text = graph(lambda: (w * 2).sigmoid().sum()).text
    assert text.count(f"line {sys._getframe().f_lineno - 1}") == 3
    assert text.startswith("#0 result = SumBackward0")


def test_what_holds_results_is_taken_and_a_network_itself_is_refused(library: Any) -> None:
    w = library.ones(3, requires_grad=True)
    output = {"logits": w * 2, "mask": library.ones(3), "states": [w.exp()]}
    assert graph(output).label == "Autograd graph of output['logits'], output['states'][0]: 3 nodes, 1 of them leaves"
    torch = pytest.importorskip("torch", reason="the network is PyTorch's")
    model = torch.nn.Linear(2, 2)
    with pytest.raises(TypeError, match=r"model is a network: graph\(model\(x\)\)"):
        graph(model)


def test_only_storages_that_are_shown_get_a_name(library: Any) -> None:
    w = library.ones(3, requires_grad=True)
    y = w + 1
    loss = y.sum()
    leaf = graph(w.exp()).data.steps[1].leaf
    assert "y = AddBackward0" in graph(loss).text
    [kept] = graph(w.exp()).data.steps[0].saved
    assert leaf is not None
    assert kept.storage == f"S{int(leaf.storage[1:]) + 1}"


def test_nan_and_infinity_are_flagged_and_bytes_counted(library: Any) -> None:
    w = library.tensor([0.0, 1.0], requires_grad=True)
    y = w.log()
    loss = (y * 0).sum()
    text = graph(loss).text
    assert "MulBackward0" in text
    assert "y = LogBackward0" in text
    assert "· y has Inf" in text
    assert "loss has NaN" in text
    half = library.tensor([float("nan"), 1.0], dtype=library.bfloat16, requires_grad=True)
    assert "this leaf has NaN" in graph(half.exp()).text
    [kept] = graph_data({"y": y}, {}).steps[0].saved
    assert kept.nbytes == 8
    large = library.ones(100, 100, requires_grad=True)
    assert "(39.1 KiB)" in graph(large.sigmoid()).text
    expanded = w[:1].expand(100)
    twice = graph(expanded * expanded)
    assert twice.text.count("[100] S") == twice.text.count(" v0 (4 B)") == twice.svg.count(" v0 (4 B)") == 2
    assert twice.data.steps[0].nbytes == 4


def test_of_branches_that_are_alike_one_is_shown(library: Any) -> None:
    shared = library.ones(3, requires_grad=True)
    losses = [((shared * library.ones(3, requires_grad=True)).exp() + 1).sum() for _ in range(50)]
    picture = graph(library.stack(losses).sum())
    boxes = boxes_of(picture.data)
    [(key, fold)] = [(key, box) for key, box in boxes.items() if box.step is None]
    assert (fold.repeats, len(boxes)) == (49, 9)
    assert sum(1 if box.step else len(box.folded) for box in boxes.values()) == len(picture.data.steps)
    assert "⋮ 245 nodes, × 49: SumBackward0 → AddBackward0 → ExpBackward0 → MulBackward0 → Accumul" in picture.text
    opened = boxes_of(picture.data, key)
    assert sum(1 if box.step else len(box.folded) for box in opened.values()) == len(picture.data.steps)
    assert len(boxes) < len(opened) <= 2 * MOST + 1
    stepped = step_backward(library.stack(losses[:8]).sum())
    assert {frame["key"] for frame in stepped.state()["frames"]} == {str(box) for box in boxes_of(stepped.data.graph)}


def test_a_wide_graph_is_drawn_near_its_root(library: Any) -> None:
    leaves = [library.ones(2, requires_grad=True) for _ in range(200)]
    loss = sum((leaf.exp() * leaf).sum() for leaf in leaves)
    boxes = boxes_of(graph_data({"loss": loss}, {}))
    assert len(boxes) <= MOST + 1
    assert sum(1 if box.step else len(box.folded) for box in boxes.values()) == len(
        graph_data({"loss": loss}, {}).steps
    )


def test_every_edge_of_the_picture_joins_two_boxes(library: Any) -> None:
    loss = regression(library)["loss"]
    picture = ElementTree.fromstring(graph(loss).svg)
    keys = {element.get("data-key") for element in picture.iter() if element.get("data-key")}
    edges = [element for element in picture.iter() if element.get("data-from")]
    assert edges
    assert all(edge.get("data-from") in keys and edge.get("data-to") in keys for edge in edges)


def test_what_is_too_wide_stands_in_a_column_whole_and_legible(library: Any) -> None:
    ws = [library.ones(3, requires_grad=True) for _ in range(20)]
    shared = library.zeros(3, requires_grad=True)
    functions = library.exp, library.sin, library.cos, library.tanh
    many = library.stack([functions[at % 4](w) + shared for at, w in enumerate(ws)]).sum()
    drawn = [graph(many), step_backward(regression(library)["loss"]), step_backward(many)]
    for picture in drawn:
        assert _width(picture.svg) <= 1000
        with narrow():
            svg = picture.svg
        assert _width(svg) <= NARROW
        boxes = _rectangles(svg, "box")
        assert set(boxes) == set(_rectangles(picture.svg, "box"))
        rows = sorted(boxes.values(), key=lambda box: box[1])
        assert all(upper[3] < lower[1] for upper, lower in pairwise(rows)), "no box lies on another"
        for edge in ElementTree.fromstring(svg).iter(f"{SVG}g"):
            if edge.get("class") == "edge":
                start, end = boxes[edge.attrib["data-from"]], boxes[edge.attrib["data-to"]]
                assert start[3] < end[1], "gradients flow down"
                path = [float(number) for number in re.findall(r"[\d.]+", edge[0].attrib["d"])]
                assert path[1] == pytest.approx(start[3], abs=0.2)
                assert path[-1] == pytest.approx(end[1], abs=0.2)


def _width(svg: str) -> float:
    return float(ElementTree.fromstring(svg).attrib["width"])


def _rectangles(svg: str, kind: str) -> dict[str, tuple[float, float, float, float]]:
    """The boxes of a picture by key: left, top, right and bottom."""
    boxes = {}
    for box in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if box.get("class", "").startswith(kind):
            x, y, width, height = [float(box[0].attrib[name]) for name in ("x", "y", "width", "height")]
            boxes[box.attrib["data-key"]] = x, y, x + width, y + height
    return boxes


def test_a_graph_that_was_drawn_keeps_nothing_alive(library: Any) -> None:
    def draw() -> tuple[Any, Any]:
        w = library.ones(3, requires_grad=True)
        loss = (w * w).sum()
        return graph(loss), weakref.ref(w)

    gc.disable()
    try:
        drawn, reference = draw()
        assert reference() is None
    finally:
        gc.enable()
    assert "MulBackward0" in drawn.text


@pytest.mark.parametrize("bad", [3, "loss", None, [1.0]])
def test_what_is_no_tensor_is_refused(bad: Any) -> None:
    with pytest.raises(TypeError, match="graph takes tensorglass and PyTorch tensors"):
        graph(bad)


def test_a_tensor_without_a_graph_is_refused(library: Any) -> None:
    x = library.ones(3)
    with pytest.raises(ValueError, match="x has no graph"):
        graph(x)


def test_a_backward_is_real_and_recorded_in_its_order(library: Any) -> None:
    tensors = regression(library)
    expected = regression(library)
    expected["loss"].backward()
    w, b, h, loss = (tensors[name] for name in ("w", "b", "h", "loss"))
    stepper = step_backward(loss)
    assert w.grad.tolist() == expected["w"].grad.tolist()
    assert b.grad.tolist() == expected["b"].grad.tolist()
    names = [stepper.data.graph.steps[moment.step].name for moment in stepper.data.moments]
    assert names[:3] == ["MeanBackward0", "PowBackward0", "SubBackward0"]
    assert names.count("AccumulateGrad") == 2
    assert h.grad_fn.name() == "ReluBackward0"


def test_steps_are_the_same_on_both_libraries() -> None:
    torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
    texts = []
    for library in (importlib.import_module("tensorglass"), torch):
        tensors = regression(library)
        w, b, h, loss = (tensors[name] for name in ("w", "b", "h", "loss"))
        assert {w, b, h} == {tensors["w"], tensors["b"], tensors["h"]}  # names of the things that are drawn
        texts.append(symbolic(step_backward(loss).text))
    assert texts[0] == texts[1]


def test_a_hook_and_what_is_freed_are_reported(library: Any) -> None:
    w = library.ones(2, requires_grad=True)
    y = w.exp()
    y.register_hook(lambda gradient: gradient * 3)
    loss = y.sum()
    text = step_backward(loss).text
    assert "arrives: [3, 3]\n    a hook was called with it first\n    reads and lets go of: result" in text
    assert "collects: w.grad = " in text


def test_with_retain_graph_nothing_is_freed_and_gradients_add_up(library: Any) -> None:
    w = library.ones(2, requires_grad=True)
    loss = (w * w).sum()
    assert "lets go" not in step_backward(loss, retain_graph=True).text
    step_backward(loss)
    assert w.grad.tolist() == [4.0, 4.0]


def test_a_failing_backward_raises_its_own_error_and_leaves_no_hooks(library: Any) -> None:
    w = library.ones(2, requires_grad=True)
    y = w.exp()
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        step_backward(y)
    y.sum().backward()
    assert w.grad is not None


def test_frames_of_the_live_form_follow_the_moments(library: Any) -> None:
    loss = regression(library)["loss"]
    stepper = step_backward(loss)
    state = stepper.state()
    assert len(state["frames"]) == len(stepper.data.moments)
    keys = set(re.findall(r'data-key="(\d+)"', state["svg"]))
    assert all(frame["key"] in keys for frame in state["frames"])
    assert state["frames"][-1]["map"] == len(state["maps"]) - 1 == 1


@pytest.mark.sweep
def test_a_graph_of_ten_thousand_nodes_is_stepped_through_fold_by_fold(library: Any) -> None:
    w = library.full((2,), 0.999, requires_grad=True)
    b = library.zeros(2, requires_grad=True)
    h = library.ones(2)
    for _ in range(5000):
        h = h * w + b
    h.sum().backward(retain_graph=True)
    expected = w.grad.tolist(), b.grad.tolist()
    w.grad = b.grad = None
    stepper = step_backward(h.sum())
    assert (w.grad.tolist(), b.grad.tolist()) == expected
    assert len(stepper.data.moments) == 10_003
    frames = stepper.state()["frames"]
    assert len(frames) < 40
    assert [frame["first"] for frame in frames] == [1, *[frame["turn"] + 1 for frame in frames[:-1]]]
    assert frames[-1]["turn"] == 10_003, "each turn is in one frame"
    [folded] = [frame for frame in frames if frame["first"] < frame["turn"]]
    assert folded["lines"][0].endswith(" turns within a fold")
    assert folded["lines"][1].startswith("AddBackward0 ×4,99") or folded["lines"][1].startswith("MulBackward0 ×4,99")
    keys = set(re.findall(r'data-key="(\d+)"', stepper.svg))
    assert all(key in keys for frame in frames for key in frame["keys"])
    assert len(stepper.text.splitlines()) < 200
    assert f"{folded['first']:,}–{folded['turn']:,}. ⋮ " in stepper.text
    assert {"10,001", "10,002", "10,003"} <= set(re.findall(r"class=\"turn mid\">([^<]*)<", stepper.svg))


def test_a_node_that_sends_gradients_to_thousands_lists_some_and_counts_the_others(library: Any) -> None:
    leaves = [library.ones(1, requires_grad=True) for _ in range(2000)]
    stepper = step_backward(library.stack(leaves).sum())
    assert all(leaf.grad.tolist() == [1.0] for leaf in leaves)
    assert "and goes on to 1,977 more nodes" in stepper.text
    assert len(stepper.state()["frames"]) < 100


@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_a_long_name_is_wrapped_between_its_words_and_never_cut(library: Any, width: int) -> None:
    the_largest_probability_of_all_the_words_in_the_batch = library.ones(2, requires_grad=True).exp().sum()
    drawn = graph(the_largest_probability_of_all_the_words_in_the_batch)
    with narrow(width):
        page = ElementTree.fromstring(drawn.svg)
    lines = [element.text or "" for element in page.iter() if "title" in (element.get("class") or "")]
    assert lines[0].endswith("_")
    assert "".join(lines).startswith("the_largest_probability_of_all_the_words_in_the_batch")
    assert not any("…" in line for line in lines)


def test_each_gradient_stands_on_the_arrow_along_which_it_goes(library: Any) -> None:
    x = library.tensor([1.0, 2.0], requires_grad=True)
    y = library.tensor([3.0, 5.0], requires_grad=True)
    loss = (x * y).sum()
    stepper = step_backward(loss)
    assert "goes on to x (leaf), step 3: [3, 5]\n    goes on to y (leaf), step 4: [1, 2]" in stepper.text
    page = ElementTree.fromstring(stepper.svg)
    numbers = {
        (element.get("data-from"), element.get("data-to")): "".join(element.itertext())
        for element in page.iter()
        if element.get("class") == "sent"
    }
    places = {step.leaf.name: str(step.number) for step in stepper.data.graph.steps if step.leaf}
    assert numbers["1", places["x"]] == "[3, 5]"
    assert numbers["1", places["y"]] == "[1, 2]"
    assert numbers["0", "1"] == "[1, 1]"


def test_a_leaf_says_what_its_gradient_was_and_is(library: Any) -> None:
    w = library.ones(2, requires_grad=True)
    assert "collects: w.grad = [2, 2]\n" in step_backward((w * 2).sum()).text + "\n"
    stepper = step_backward((w * 3).sum())
    assert "collects: w.grad = [5, 5], and was [2, 2]" in stepper.text
    assert "grad: [2, 2] → [5, 5]" in stepper.svg
    [[turn, before]] = stepper.state()["grads"].values()
    assert (turn, before) == (3, "grad: [2, 2]")


def test_numbers_of_a_folded_graph_stand_where_there_is_one_for_an_arrow(library: Any) -> None:
    w = library.ones(1, requires_grad=True)
    result = w
    for _ in range(30):
        result = result * 2
    stepper = step_backward(result.sum())
    assert "⋮" in stepper.svg
    assert f"[{2**30:.4g}]" in stepper.svg  # the gradient that goes from the fold to the leaf
    assert "grad: [1.074e+09]" in stepper.svg


def test_variables_that_loops_left_behind_name_no_results(library: Any) -> None:
    x = library.ones(2, requires_grad=True)
    result = x * 1
    for line in (x * 2, x * 3):
        result = result + line
    assert "MulBackward0" in graph(result).text
    assert "line" not in graph(result).text
    assert "line" not in step_backward(result.sum()).text
    for line in (x * 2,):
        assert "line = MulBackward0" in graph(line.sum()).text  # within the loop it is not past yet
    row = x * 5
    assert "row = MulBackward0" in graph(row.sum()).text
    weights = [x]
    for weight in weights:
        total = (weight * 2).sum()
    del x
    assert "weights[0] (leaf)" in graph(total).text
