"""Exercises of notebook 01 on autograd: who asks for a gradient, and who is a leaf."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_own_attributes,
    expect_tensor,
    expect_truths,
    expect_value,
    expect_view,
)
from glassroom.exercises.facts import dtype_name, shape, share_memory, values

SLOPED = ("float16", "bfloat16", "float32", "float64")


@exercise(
    "a01-ask",
    setup="counts = torch.tensor([3, 1, 2])",
    hints=[
        "Only numbers that can change a little have a slope, so the dtype comes first and the flag second.",
        "One method converts to float32, another turns the flag on in the tensor that comes out.",
        "start = counts.float().…",
        "start = counts.float().requires_grad_()",
    ],
)
def ask(start: Any, *, counts: Any) -> str:
    expect_tensor(start, "start", shape=(3,))
    expect(
        not dtype_name(start).startswith("complex"),
        f"`start` is of dtype {dtype_name(start)}; a floating-point dtype was asked for.",
    )
    expect(
        dtype_name(start) in SLOPED,
        f"`start` is of dtype {dtype_name(start)}, and only floating-point numbers have a slope. Convert it first.",
    )
    expect_value(start, "start", counts.tolist())
    if not start.requires_grad:
        expect_own_attributes(start, "start")
    expect(
        start.requires_grad,
        "`start` does not require a gradient. A conversion does not ask for one; which method turns the flag on?",
    )
    expect(start.is_leaf, "`start` was computed from a tensor with the flag on. Convert first, then ask.")
    return "First a dtype that has slopes, then the flag."


LEAVES: dict[str, tuple[bool, str]] = {
    "leaf_a": (True, "Nobody computed `a`: it was made, with the flag on."),
    "leaf_b": (True, "None of the inputs of `b` requires a gradient, so nothing is recorded, computed or not."),
    "leaf_c": (False, "`a` requires a gradient, so the product is recorded: `c` has a grad_fn."),
    "leaf_d": (True, "When `d` was computed, nobody had asked yet. The flag was turned on afterwards."),
    "leaf_e": (False, "clone is an operation like any other: `e` has a storage of its own, and a grad_fn."),
}


@exercise(
    "a01-leaves",
    setup="a = torch.ones(3, requires_grad=True)",
    hints=[
        "A tensor is not a leaf if it was computed from something that required a gradient at that moment.",
        "Ask of each: which operation made it, and did an input of that operation have the flag on?",
        "a is a leaf, c is not. Now b and d: did an input of the product have the flag? And is clone an operation?",
        "leaf_a, leaf_b, leaf_c, leaf_d, leaf_e = True, True, False, True, False",
    ],
)
def leaves(leaf_a: Any, leaf_b: Any, leaf_c: Any, leaf_d: Any, leaf_e: Any) -> str:
    expect_truths(LEAVES, (leaf_a, leaf_b, leaf_c, leaf_d, leaf_e))
    return "A leaf was made by you, or computed from tensors that did not ask for a gradient."


@exercise(
    "a01-weight",
    hints=[
        "The tensor that you return must be the leaf itself, and not something computed from it.",
        "Make the six numbers, reshape, scale, and turn the flag on as the last thing.",
        """
        def make_weight():
            return (torch.arange(6.0).view(2, 3) * 0.1).…
        """,
        """
        def make_weight():
            return (torch.arange(6.0).view(2, 3) * 0.1).requires_grad_()
        """,
    ],
)
def make_weight(make_weight: Callable[[], Any]) -> str:
    weight = call(make_weight, "make_weight")
    expect_tensor(weight, "make_weight()", shape=(2, 3))
    if not weight.requires_grad:
        expect_own_attributes(weight, "make_weight()")
    expect(
        weight.requires_grad,
        "what `make_weight()` returns does not require a gradient. Nobody asked for one, or detach() has cut it off.",
    )
    expect(
        weight.is_leaf,
        "what `make_weight()` returns was computed from a leaf, and the gradient would go to that one, "
        "which nobody holds. Ask for the gradient last.",
    )
    expect_value(weight, "make_weight()", [[0.1 * (3 * row + column) for column in range(3)] for row in range(2)])
    expect(
        not share_memory(weight, call(make_weight, "make_weight")),
        "two calls of `make_weight()` return one tensor, made outside of it: the gradients of two weights would be "
        "added up in it. Make it inside the function, so that each call makes another.",
    )
    return "The tensor that you hold is the one in which the gradient arrives."


@exercise(
    "a01-row",
    setup="""
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (weight[1] ** 2).sum().backward()
    """,
    hints=[
        "`row` is a part of `weight`, so its gradient is the same part of the gradient of `weight`.",
        "weight.grad is a tensor like any other: it can be indexed, and basic indexing copies nothing.",
        "row_gradient = weight.grad[…]",
        "row_gradient = weight.grad[1]",
    ],
)
def row_gradient(row_gradient: Any | None, *, weight: Any) -> str:
    expect(
        row_gradient is not None,
        "`row_gradient` is None. `row` is no leaf, so its gradient was handed on and not kept: it arrived in "
        '`weight.grad`, as a part of that. hint("a01-row") helps.',
    )
    expect_tensor(row_gradient, "row_gradient")
    expect(
        values(row_gradient) != values(weight[1]),
        "`row_gradient` holds the row's values; its gradient was asked for.",
    )
    expect(shape(row_gradient) != (2, 2), "`row_gradient` is the gradient of the whole `weight`. Take the row's part.")
    expect(
        shape(row_gradient) != (1, 2),
        "`row_gradient` has shape (1, 2): a slice or a list keeps the dimension. An integer as index leaves it out.",
    )
    expect_tensor(row_gradient, "row_gradient", shape=(2,))
    expect(
        values(row_gradient) != values(weight.grad[0]),
        "`row_gradient` holds the gradient of row 0, on which the result does not depend. `row` is weight[1].",
    )
    held = values(row_gradient)
    expect(
        not any(held) or [2 * number for number in held] != values(weight.grad[1]),
        f"`row_gradient` holds {held}, what one backward gives, and `weight.grad` now has twice as much in that row: "
        "another backward ran, and gradients add up. Run the cells from `weight = …` on again; no other backward is "
        "needed.",
    )
    expect_value(row_gradient, "row_gradient", weight.grad[1])
    expect_view(
        row_gradient, "row_gradient", of=weight.grad, of_name="weight.grad", because="Basic indexing makes a view."
    )
    return "The gradient of a part is that part of the leaf's gradient, and indexing it copies nothing."


@exercise(
    "a01-freeze",
    setup="""
    encoder = torch.ones(2, 2, requires_grad=True)
    middle = torch.ones(2, 2, requires_grad=True)
    head = torch.ones(2, 1, requires_grad=True)
    layers = [encoder, middle, head]
    model = {"encoder": encoder, "middle": middle, "head": head}
    made = tuple(layers)
    """,
    hints=[
        "A leaf may change its flag at any time, and everybody who holds the tensor sees it.",
        "A method that ends in an underscore turns the flag off. Call it on each of the first two layers.",
        """
        for layer in layers[:-1]:
            layer.requires_grad_(…)
        """,
        """
        for layer in layers[:-1]:
            layer.requires_grad_(False)
        """,
    ],
)
def freeze(layers: Any, *, model: Any, made: Any) -> str:
    expect(type(layers) is list and len(layers) == 3, "`layers` should stay a list of the three tensors.")
    names = ("encoder", "middle", "head")
    expect(type(model) is dict and set(model) == {*names}, "`model` should stay a dict with the three tensors.")
    for number, (layer, name, first_made) in enumerate(zip(layers, names, made, strict=True)):
        expect_tensor(layer, f"layers[{number}]")
        expect(
            layer is first_made or model[name] is not first_made,
            f"`layers[{number}]` is another tensor now. `model` still holds the old one, as `{name}`, with its flag as "
            "it was: change the flag of the tensor that is there.",
        )
        expect(
            layer is first_made,
            f'`layers[{number}]` is another tensor now, and so is `model["{name}"]`. Whoever else holds the old one '
            "sees its flag as it was: change the flag of the tensor that is there.",
        )
        expect(model[name] is first_made, f'`model["{name}"]` is another tensor now. Leave the three where they are.')
    first, second, last = (bool(layer.requires_grad) for layer in layers)
    expect(last, "`layers[2]`, the head, no longer requires a gradient. Only the first two should be frozen.")
    for layer, name in zip(layers, names, strict=True):
        if first or second:
            expect_own_attributes(layer, name)
    expect(
        not (first and second),
        "all three still require a gradient. requires_grad_(False) changes the tensor itself. detach() leaves it as it "
        "is and makes another header, `encoder = …` gives the name to something else, and `==` only compares.",
    )
    expect(not first, "`layers[0]` still requires a gradient.")
    expect(not second, "`layers[1]` still requires a gradient.")
    return "From the next computation on, the first two collect no gradient."
