"""Exercises on checkpoint: how many parts, and a model that runs in them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    every_slot,
    expect,
    expect_equal,
    expect_tensor,
    expect_value,
)
from glassroom.exercises.facts import (
    leaf_of,
    same_value,
    values,
)


@exercise(
    "a08-valley",
    hints=[
        "Two things add up in the peak: what is kept between the parts, and what one part keeps while it is computed "
        "again. And each layer runs in the forward and again in the backward.",
        "The sum is smallest where the two are about equal: near the square root.",
        "parts = …\nruns = 2 * …",
        "parts = 8\nruns = 2 * 64",
    ],
)
def valley(parts: Any, runs: Any) -> str:
    with every_slot() as slot:
        with slot("parts"):
            unequal = "64 layers cannot be cut into so many parts of equal length: choose a divisor of 64."
            mistakes = {
                **{count: unequal for count in range(3, 64) if 64 % count},
                32: "Between 32 parts there are 31 tensors, and a part has two layers: 33 at once. Balance the two.",
                64: "Then every input is kept, as without checkpoint.",
                1: "One part is computed again all at once: the hill is as high as before.",
                7: "Count the parts, not the tensors between them.",
                16: "Between 16 parts there are 15 tensors, and a part has four layers: 19 at once. Balance the two.",
                4: "Between 4 parts there are 3 tensors, and a part has 16 layers: 19 at once. Balance the two.",
                2: "Two parts of 32 layers: one of them is kept whole while it is computed again.",
            }
            expect_equal(parts, "parts", 8, mistakes)
        with slot("runs"):
            mistakes = {
                2: "Each layer runs twice, that is right. `runs` adds them up over the 64 layers: 2 * 64.",
                1: "A layer runs once in the forward and once in the backward, and `runs` adds up over all 64.",
                64: "That is the forward alone. In the backward each part is run again.",
                8: "That counts parts; the question is about layers.",
                16: "That counts parts, each run twice; the question is about layers.",
                72: "In the backward each part is run again with all its layers: that is 64 runs more, and not 8.",
                192: "Each layer is run once in the forward and once again in the backward: twice.",
                64 * 8: "A part is run again once, however many parts there are.",
            }
            expect_equal(runs, "runs", 128, mistakes)
    return "Seven tensors between the parts and eight layers within one; each layer is run twice."


@exercise(
    "a08-parts",
    setup="x = torch.linspace(-1.0, 1.0, 1000, requires_grad=True)",
    hints=[
        "A checkpoint takes a function and its arguments, and calls the function again in the backward.",
        "Hand the slice of steps over as an argument: arguments are kept, variables of a loop are looked up late.",
        """
        def in_parts(steps, x, parts):
            def run(some_steps, y):
                …

            length = len(steps) // parts
            for begin in range(0, len(steps), length):
                x = torch.utils.checkpoint.checkpoint(run, …, x, use_reentrant=False)
            return x
        """,
        """
        def in_parts(steps, x, parts):
            def run(some_steps, y):
                for step in some_steps:
                    y = step(y)
                return y

            length = len(steps) // parts
            for begin in range(0, len(steps), length):
                x = torch.utils.checkpoint.checkpoint(run, steps[begin : begin + length], x, use_reentrant=False)
            return x
        """,
    ],
)
def parts(in_parts: Callable[..., Any], *, x: Any) -> str:
    for parts in (3, 1):
        mine, reference = leaf_of(x), leaf_of(x)
        runs, storages = [0] * 6, list[Any]()
        steps = [_step(place, runs, storages) for place in range(6)]
        right = reference
        for plain in [_step(place, [0] * 6, []) for place in range(6)]:
            right = plain(right)
        name = f"in_parts(steps, x, {parts})"
        result = call(in_parts, "in_parts", list(steps), mine, parts)
        expect(
            parts == 1 or runs != [parts] * 6,
            "each part ran all the steps. A part has its own slice of them: steps[begin : begin + length].",
        )
        expect_tensor(result, name)
        expect(
            not same_value(values(result), values(mine)),
            f"`{name}` is `x` itself: no step has arrived in it. `checkpoint` returns the part's result, so x = …",
        )
        expect_value(result, name, right.detach())
        expect(result.requires_grad, f"`{name}` does not require grad: something cut the graph.")
        loss = (result * 1.0).sum()
        del result
        kept, between = sum(storage() is not None for storage in storages), parts - 1
        loss.backward()
        expect(max(runs) > 1, "no step was run a second time in the backward: there is no checkpoint in it.")
        once = runs.count(1)
        expect(
            not once or runs != [2] * (6 - once) + [1] * once,
            f"the last {once} of six steps were run once: they are in no checkpoint. `checkpoint_sequential` leaves "
            "the last part out; here every part should be in one.",
        )
        expect(
            runs == [2] * 6,
            f"the six steps were run {', '.join(map(str, runs))} times; it should be twice each. A function that is "
            "made in a loop looks its variables up when it is called: in the backward, they have their last values. "
            "Hand them over as arguments of `checkpoint`.",
        )
        expect(
            kept >= between,
            f"results alive after the forward with parts={parts}: {kept}, and there should be {between}, one between "
            "every two neighboring parts. A part has len(steps) // parts steps.",
        )
        expect(
            kept <= between,
            f"results alive after the forward with parts={parts}: {kept}, and {between} would do: one between every "
            "two neighboring parts.",
        )
        right.sum().backward()
        expect(
            mine.grad is not None and same_value(values(mine.grad), values(reference.grad)),
            f"the values are right, but the gradient of `x` through `{name}` is not.",
        )
    return "Each step was run twice, and between the parts one result was kept."


def _step(place: int, runs: list[int], storages: list[Any]) -> Callable[[Any], Any]:
    """A step that counts its runs, and notes the storages of its results."""

    def step(y: Any) -> Any:
        runs[place] += 1
        y = y.sin() * (1.0 + place / 8)
        storages.append(weakref.ref(y.untyped_storage()))
        return y

    return step
