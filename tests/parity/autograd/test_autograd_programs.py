"""Random programs leave the graph, the flags, the gradients and the hooks' calls that they leave on PyTorch."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

from parity.autograd.autograd_programs import NAMES_THAT_STAY, Writer, run  # noqa: E402  # after the oracle is known to be there

PROGRAMS = int(os.environ.get("TENSORGLASS_AUTOGRAD_PROGRAMS", "600"))
LENGTH = 16
BATCH = 50


def variables(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The tensors by name, and their gradients as ``v1.grad``; no tensor twice."""
    seen: set[int] = set()
    for name, value in values.items():
        if name in NAMES_THAT_STAY:
            continue
        while isinstance(value, (torch.Tensor, tensorglass.Tensor)) and id(value) not in seen:
            seen.add(id(value))
            yield name, value
            name, value = f"{name}.grad", value.grad


def version(tensor: Any) -> int | str:
    return "inference" if tensor.is_inference() else tensor._version


def facts(tensor: Any, with_version: bool) -> dict[str, Any]:
    """The facts that can be read without changing the graph."""
    told = {
        "dtype": repr(tensor.dtype),
        "layout": (tuple(tensor.shape), tensor.stride(), tensor.storage_offset()),
    }
    return {**told, "version": version(tensor), "is_view": tensor._is_view()} if with_version else told


def place(tensor: Any, leaves: dict[int, str], derived: set[Any]) -> dict[str, Any]:
    """The tensor's place in the graph: its flags, and all nodes behind it."""
    try:
        return {
            "requires_grad": tensor.requires_grad,
            "is_leaf": tensor.is_leaf,
            "retains_grad": tensor.retains_grad,
            "output_nr": tensor.output_nr,
            "graph": graph(tensor.grad_fn, leaves, derived),
        }
    except RuntimeError as error:  # raised for a view whose base was overwritten though that is not allowed
        return {"error": first_line(error)}


def graph(start: Any, leaves: dict[int, str], derived: set[Any]) -> list[Any]:
    """The nodes behind `start`, each by its name, the leaf it collects for, and its edges.

    Nodes in `derived` belong to gradients: libraries may write derivatives with different operators.
    """
    if start is None:
        return []
    nodes, numbers = [start], {start: 0}
    told: list[Any] = []
    for node in nodes:
        if node in derived:
            told.append(("a gradient", None, []))
            continue
        edges: list[Any] = []
        for following, output_nr in node.next_functions:
            if following is not None and following not in numbers:
                numbers[following] = len(nodes)
                nodes.append(following)
            edges.append(None if following is None else (numbers[following], output_nr))
        leaf = leaves.get(id(node.variable), "unknown") if node.name().endswith("AccumulateGrad") else None
        told.append((node.name(), leaf, edges))
    return told


def sharing(values: dict[str, Any]) -> dict[str, str]:
    """For each tensor the first one on the same storage."""
    first: dict[int, str] = {}
    return {
        name: first.setdefault(tensor.untyped_storage().data_ptr(), name)
        for name, tensor in variables(values)
        if tensor.untyped_storage().nbytes()
    }


def same(ours: Any, theirs: Any) -> bool:
    if theirs is None or ours is None:
        return ours is theirs
    theirs = theirs.detach().resolve_conj().clone()
    mine = torch.tensor(ours.detach().tolist(), dtype=theirs.dtype).reshape(theirs.shape)
    return torch.allclose(mine, theirs, rtol=1e-4, atol=1e-5, equal_nan=True)


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    keys = dict.fromkeys((*ours, *theirs))
    return [f"{key} {ours.get(key)}, on PyTorch {theirs.get(key)}" for key in keys if ours.get(key) != theirs.get(key)]


class Side:
    """One library's run of a program."""

    def __init__(self, library: Any) -> None:
        self.values: dict[str, Any] = {"torch": library, "calls": []}
        self.derived: set[Any] = set()  #: the nodes by which gradients were computed
        self.gradients: set[int] = set()

    def run(self, statement: str) -> BaseException | None:
        error = run(statement, self.values)
        if "grad(" in statement or "backward(" in statement:
            for name, tensor in variables(self.values):
                if name.endswith(".grad") or f"{name} = " in statement:
                    self.gradients.add(id(tensor))
                    with contextlib.suppress(RuntimeError):
                        self.derived.add(tensor.grad_fn)
        return error


def look(ours: Side, theirs: Side, so_far: str, disturb: bool) -> None:
    mine, expected = dict(variables(ours.values)), dict(variables(theirs.values))
    assert mine.keys() == expected.keys(), f"{list(mine)} are there, on PyTorch {list(expected)}:\n{so_far}"
    leaves = [{id(tensor): name for name, tensor in tensors.items()} for tensors in (mine, expected)]
    with_inference = any(tensor.is_inference() for tensor in expected.values())
    for name, tensor in mine.items():
        # Versions of gradients, and of tensors in inference mode, depend on how a library computes them.
        with_version = id(tensor) not in ours.gradients and not with_inference
        different = differences(facts(tensor, with_version), facts(expected[name], with_version))
        if disturb:
            different += differences(
                place(tensor, leaves[0], ours.derived), place(expected[name], leaves[1], theirs.derived)
            )
        assert not different, f"{name}: {different} in\n{so_far}"
        assert same(tensor, expected[name]), f"{name} is {tensor!r}, on PyTorch {expected[name]!r}, in\n{so_far}"
    assert sharing(ours.values) == sharing(theirs.values), so_far
    calls, their_calls = ours.values["calls"], theirs.values["calls"]
    assert len(calls) == len(their_calls), f"{calls}, on PyTorch {their_calls}, in\n{so_far}"
    for call, their_call in zip(calls, their_calls, strict=True):
        told = f"{call}, on PyTorch {their_call}, in\n{so_far}"
        assert (call[0], len(call)) == (their_call[0], len(their_call)), told
        assert all(map(same, call[1:], their_call[1:])), told


#: The beginnings of both libraries' errors if a gradient of another dtype is assigned; PyTorch's goes on otherwise.
ANOTHER_DTYPE = ("attempting to assign a gradient of dtype", "attempting to assign a gradient with dtype")


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


def repr_of(error: BaseException) -> str:
    words = first_line(error)
    if words.startswith(ANOTHER_DTYPE):
        words = "a gradient of another dtype"
    return f"{type(error).__name__}: {words}"


def compare(seed: int) -> None:
    program = Writer(seed, torch).write(LENGTH)
    ours, theirs = Side(tensorglass), Side(torch)
    for line, statement in enumerate(program):
        our_error, their_error = ours.run(statement), theirs.run(statement)
        so_far = "\n".join(program[: line + 1])
        if their_error is not None:
            assert our_error is not None, f"PyTorch raises {their_error!r}, tensorglass does not:\n{so_far}"
            told, expected = repr_of(our_error), repr_of(their_error)
            assert told == expected, f"{told}, on PyTorch {expected}:\n{so_far}"
        elif our_error is not None:
            raise AssertionError(f"tensorglass raises, PyTorch does not:\n{so_far}") from our_error
        del our_error, their_error  # their tracebacks keep tensors alive
        # Reading a view's `grad_fn` after a write to its base creates it anew: half of them are read only at the end.
        look(ours, theirs, so_far, disturb=seed % 2 == 0 or line == len(program) - 1)


@pytest.mark.sweep
@pytest.mark.parametrize("batch", range(PROGRAMS // BATCH))
def test_random_programs_leave_the_same_graph_as_on_pytorch(batch: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(batch * BATCH, (batch + 1) * BATCH):
            compare(seed)
