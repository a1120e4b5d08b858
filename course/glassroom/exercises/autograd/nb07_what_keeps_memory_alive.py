"""Exercises on what a graph, a state and a hook keep alive."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_equal,
    expect_truths,
)
from glassroom.exercises.facts import (
    is_tensor,
    leaf_of,
    same_value,
    values,
)


@exercise(
    "a07-mean",
    setup="""
    x = torch.linspace(-1.0, 1.0, 1000, requires_grad=True)
    batches = [torch.full((1000,), value) for value in (0.0, 0.5, 1.0)]

    def loss_of(batch):
        return ((x - batch) ** 2).mean()
    """,
    hints=[
        "A total of tensors has a history that leads to every round. A total of numbers has none.",
        "Add up loss_of(batch).item(), and record nothing meanwhile.",
        """
        def mean_loss(loss_of, batches):
            total = 0.0
            with torch.…:
                for batch in batches:
                    total += …
            return total / len(batches)
        """,
        """
        def mean_loss(loss_of, batches):
            total = 0.0
            with torch.no_grad():
                for batch in batches:
                    total += loss_of(batch).item()
            return total / len(batches)
        """,
    ],
)
def mean(mean_loss: Callable[..., Any], *, loss_of: Callable[..., Any], batches: list[Any]) -> str:
    graphs = _Graphs()
    most = 0

    def watched(batch: Any) -> Any:
        nonlocal most
        most = max(most, graphs.alive)
        return graphs.watch(loss_of(batch))

    for some in (batches, batches[1:]):
        name = "mean_loss(loss_of, batches)"
        result = call(mean_loss, "mean_loss", watched, some)
        total = sum(float(loss_of(batch).detach()) for batch in some)
        summed = "That is the sum of the losses: divide it by how many batches there are."
        expect_equal(result, name, total / len(some), mistakes={total: summed})
        expect(graphs.alive == 0, "the number is right, but a graph is still held after `mean_loss` has returned.")
        expect(
            most <= 1,
            f"the number is right, but up to {most} graphs were alive together: something with a history was kept "
            "from round to round. Take `.item()` of each loss before you add it up.",
        )
    return "Numbers were added up, and no graph outlived its round."


HOLDS = {
    "in_a_list": (True, "A list holds the tensor, and with it the graph."),
    "as_number": (False, "item() gives a Python number, which knows of no graph."),
    "detached": (False, "detach() has no grad_fn; it shares the 4 bytes of the loss, and nothing else."),
    "doubled": (True, "The result of an operation holds its node, and that one the nodes before it."),
    "doubled_in_no_grad": (False, "Under no_grad the result gets no node, so it leads nowhere."),
    "node": (True, "The node is what holds the next nodes and the saved tensors; the tensor only held the node."),
}


@exercise(
    "a07-who",
    hints=[
        "The saved tensors live as long as their node. What leads to the node?",
        "A tensor leads to its grad_fn, if it has one. A node leads to the nodes behind it.",
        "Three of the six hold the graph. Print kept.grad_fn, where there is one.",
        """
        in_a_list = True
        as_number = False
        detached = False
        doubled = True
        doubled_in_no_grad = False
        node = True
        """,
    ],
)
def who(in_a_list: Any, as_number: Any, detached: Any, doubled: Any, doubled_in_no_grad: Any, node: Any) -> str:
    answers = (in_a_list, as_number, detached, doubled, doubled_in_no_grad, node)
    expect_truths(HOLDS, answers)
    return "Whatever has a grad_fn, or is one, holds all that lies behind it."


@exercise(
    "a07-carry",
    setup="w = torch.full((1000,), 0.5, requires_grad=True)",
    hints=[
        "The values of the state go on to the next round; the way back through it does not.",
        "Give the step a state that has no history: state.detach().",
        """
        def carry_on(step, numbers):
            state, losses = torch.zeros(1000), []
            for number in numbers:
                state = step(…, number)
                loss = (state * state).sum()
                loss.backward()
                losses.append(…)
            return losses
        """,
        """
        def carry_on(step, numbers):
            state, losses = torch.zeros(1000), []
            for number in numbers:
                state = step(state.detach(), number)
                loss = (state * state).sum()
                loss.backward()
                losses.append(loss.item())
            return losses
        """,
    ],
)
def carry(carry_on: Callable[..., Any], *, w: Any) -> str:
    numbers = [0.25, -0.5, 0.75, 1.0]
    mine, reference = leaf_of(w), leaf_of(w)
    graphs = _Graphs()
    most = 0

    def step(state: Any, number: float) -> Any:
        nonlocal most
        most = max(most, graphs.alive)
        return graphs.watch((mine * state + number).tanh())

    try:
        losses = carry_on(step, numbers)
    except RuntimeError as error:
        expect(
            "second time" not in str(error),
            "the second round's backward walks into the first round's graph. Detach the state in between.",
        )
        expect(
            "does not require grad" not in str(error),
            "backward finds no history behind the loss: the new state was detached, or made under no_grad, before its "
            "loss was computed. Detach the old state, before `step` makes the new one.",
        )
        raise
    state, right = reference.detach() * 0, []
    for number in numbers:
        state = (reference * state.detach() + number).tanh()
        loss = (state * state).sum()
        loss.backward()
        right.append(float(loss.detach()))
    expect(isinstance(losses, list), "`carry_on(step, numbers)` does not return a list of the losses.")
    expect(
        all(isinstance(loss, float) for loss in losses),
        "the losses in the list are not Python numbers. A tensor in the list holds its graph; take `.item()`.",
    )
    expect_equal(losses, "carry_on(step, numbers)", right)
    expect(mine.grad is not None, "the losses are right, but no gradient arrived at `w`. Was there a backward?")
    expect(
        most <= 1,
        f"no error, but up to {most} rounds' graphs were alive together: each backward walked through all the rounds "
        "before it. Detach the state, and retain_graph=True is not needed.",
    )
    expect(
        same_value(values(mine.grad), values(reference.grad)),
        "the losses are right, but the gradient of `w` is not the sum over the rounds, each through itself alone.",
    )
    return "The values went on, the history did not; each round cost the same."


@exercise(
    "a07-record",
    setup="x = torch.linspace(-1.0, 1.0, 1000, requires_grad=True)",
    hints=[
        "A function holds what it mentions. Let it mention a number that was computed before.",
        "Compute h's largest absolute value outside of the hook, as a Python number.",
        """
        def record(h, written):
            largest = …

            def write(gradient):
                written.append((largest, …))

            h.register_hook(write)
        """,
        """
        def record(h, written):
            largest = h.detach().abs().max().item()

            def write(gradient):
                written.append((largest, gradient.abs().max().item()))

            h.register_hook(write)
        """,
    ],
)
def record(record: Callable[..., Any], *, x: Any) -> str:
    leaf, written = leaf_of(x), list[Any]()
    with _no_collector():
        h = leaf * -3.0 - 0.5  # its element of largest magnitude is negative
        largest, highest = float(h.detach().abs().max()), float(h.detach().max())
        storage = weakref.ref(h.untyped_storage())
        record(h, written)
        loss = (h * -2.0).sum()
        del h
        is_alive = storage() is not None
    expect(not written, "something was written before the backward; the gradient is not known then. Use a hook.")
    try:
        loss.backward()
    except TypeError as error:
        returned = (
            "the hook returns something that is no gradient. Let it append the pair to `written`, and return nothing."
        )
        expect("hook returned" not in str(error), returned)
        raise
    expect(len(written) == 1, f"`written` has {len(written)} entries after one backward; it should have one.")
    expect(
        not (isinstance(written[0], (tuple, list)) and any(is_tensor(number) for number in written[0])),
        "`written[0]` has tensors in it. Both should be Python numbers: take .item().",
    )
    signs = "That has the largest values; the largest absolute values were asked for, without their signs: abs()."
    expect_equal(written[0], "written[0]", (largest, 2.0), mistakes={(highest, -2.0): signs})
    expect(
        leaf.grad is not None and same_value(values(leaf.grad), values(leaf.detach() * 0 + 6.0)),
        "the pair is right, but the gradient that goes on has changed: the hook returned something, or wrote into it.",
    )
    expect(
        not is_alive,
        "the pair is right, but the values of `h` were still in memory when its last name had gone: the hook mentions "
        "`h` or a view of it (detach() is one). Compute the number before, with .item().",
    )
    return "The hook holds a number, so `h` could be freed."


class _Graphs:
    """Knows which graphs are alive, and keeps none of them."""

    def __init__(self) -> None:
        self._marks = list[weakref.ref[_Mark]]()

    def watch(self, result: Any) -> Any:
        """Return the result, with a mark that lives as long as its node."""
        if result.requires_grad:
            mark = _Mark()
            result.register_hook(mark.stay)
            self._marks.append(weakref.ref(mark))
        return result

    @property
    def alive(self) -> int:
        return sum(mark() is not None for mark in self._marks)


class _Mark:
    def stay(self, gradient: Any) -> None:
        """A hook that does nothing; it holds the mark."""


@contextmanager
def _no_collector() -> Iterator[None]:
    """A context in which only reference counting frees anything."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
