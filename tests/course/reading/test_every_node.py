"""Reading a graph raises nothing, whichever operator made it, whatever its state is, and whatever a class overrides."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import tensorglass
from glassroom import aliases, graph, holders, memory_timeline, watch
from glassroom.reading.nodes import in_order, saved_by
from glassroom.testing import assert_no_leak, assert_peak_below
from tensorglass.ops.declare.registry import OPERATORS
from tensorglass.ops.declare.samples import samples_of

torch = pytest.importorskip("torch", reason="both libraries' graphs are looked at")


def tensors_of(value: Any, kind: type) -> list[Any]:
    if isinstance(value, list | tuple):
        return [tensor for item in value for tensor in tensors_of(item, kind)]
    return [value] if isinstance(value, kind) else []


def calls_of_torch() -> list[Any]:
    """PyTorch's own samples of its operators."""
    from pytorchs_samples import inputs_of
    from torch.testing._internal.common_methods_invocations import op_db

    calls = []
    for operator in op_db:
        if operator.supports_autograd:
            dtype = torch.float32 if torch.float32 in operator.dtypes else torch.complex64
            try:
                sample = next(inputs_of(operator, dtype, requires_grad=True))
            except (StopIteration, RuntimeError, NotImplementedError):
                continue  # PyTorch has none for the CPU
            calls.append((operator, [sample.input, *sample.args], sample.kwargs))
    return calls


def calls_of_tensorglass() -> list[Any]:
    calls = []
    for row in OPERATORS.values():
        function = row.function if row.is_function or row.method is None else row.method
        for sample in samples_of(row)[:1]:
            given = [
                argument.clone() if isinstance(argument, tensorglass.Tensor) else argument
                for argument in sample.arguments
            ]
            for tensor in tensors_of(given, tensorglass.Tensor):
                if tensor.is_floating_point():
                    tensor.requires_grad_()
            calls.append((function, given, sample.keywords))
    return calls


def results(lib: Any, calls: list[Any]) -> Iterator[tuple[list[Any], list[Any]]]:
    """The inputs of each call, and those results that have a graph."""
    for function, given, named in calls:
        try:
            results = tensors_of(function(*given, **named), lib.Tensor)
        except (RuntimeError, NotImplementedError, TypeError, ValueError):
            continue  # a sample of what the CPU cannot do
        results = [result for result in results if result.grad_fn is not None]
        if results:
            yield tensors_of(given, lib.Tensor), results


def backward(lib: Any, results: list[Any], retain: bool) -> None:
    try:
        lib.autograd.backward(results, [lib.ones_like(result) for result in results], retain_graph=retain)
    except (RuntimeError, NotImplementedError):
        return  # an operator without a derivative on the CPU


def overwrite(lib: Any, tensors: list[Any]) -> None:
    with lib.no_grad():
        for tensor in tensors:
            try:
                tensor.mul_(1)
            except RuntimeError:
                continue  # an expanded one


@pytest.mark.sweep
@pytest.mark.parametrize("lib", [torch, tensorglass], ids=["torch", "tensorglass"])
def test_whatever_an_operator_saves_is_read_or_told_to_be_gone(lib: Any) -> None:
    # PyTorch's samples read the whole call stack, which is deep within pytest: a thread's own is short.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(assert_that_what_is_saved_is_told, lib).result()


def assert_that_what_is_saved_is_told(lib: Any) -> None:
    kinds: dict[str, set[str]] = {}
    roots = []

    def look(state: str, nodes: list[Any]) -> None:
        for node in nodes:
            states = kinds.setdefault(type(node).__name__, set())
            if state not in states:
                states.add(state)
                told = {name.partition("[")[0] for name, _ in saved_by(node)}
                assert told >= what_the_library_says(node, lib)

    calls = calls_of_torch() if lib is torch else calls_of_tensorglass()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for inputs, outputs in results(lib, calls):
            nodes = in_order([output.grad_fn for output in outputs])
            look("new", nodes)
            backward(lib, outputs, True)
            look("retained", nodes)
            backward(lib, outputs, False)
            look("freed", nodes)
            roots.append(outputs[0])
            del inputs, outputs
            look("without its tensors", nodes)
        for inputs, outputs in results(lib, calls):
            nodes = in_order([output.grad_fn for output in outputs])
            overwrite(lib, [*inputs, *outputs])
            look("overwritten", nodes)
            roots.append(outputs[0])
    assert len(kinds) > 100
    assert all(len(states) >= 4 for states in kinds.values())
    assert_all_are_looked_at(roots)


def assert_all_are_looked_at(roots: list[Any]) -> None:
    """Check what a program calls, with only these variables."""
    assert holders().data.nbytes > 0
    assert aliases(roots).text
    for tensor in roots[:: len(roots) // 5]:
        assert graph(tensor).text


def what_the_library_says(node: Any, lib: Any) -> set[str]:
    """The saved tensors that a node gives out, or for which it raises."""
    told = set()
    for name in dir(node):
        if name.startswith("_raw_saved_") and name != "_raw_saved_tensors":
            name = name.removeprefix("_raw_saved_")
            try:
                if tensors_of(getattr(node, f"_saved_{name}", None), lib.Tensor):
                    told.add(name)
            except RuntimeError:
                told.add(name)
    return told


def test_the_loss_of_an_index_is_looked_at_after_its_backward() -> None:
    w = torch.ones(3, requires_grad=True)
    losses = []

    def step() -> None:
        loss = w[[0, 1]].sum()
        loss.backward()
        losses.append(loss)

    step()
    assert "IndexBackward0 · saved indices = freed" in graph(losses[0]).text
    for look in (holders, aliases, lambda: memory_timeline(step), lambda: watch(step), lambda: holders(losses[0])):
        assert look().text
    with assert_peak_below("1 MiB"), assert_no_leak("1 MiB"):
        step()
