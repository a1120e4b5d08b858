"""Exercises on what a function saves: its result alone, or its input and no number that overflows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import expect, expect_equal, expect_saved_by_context, expect_tensor, expect_value
from glassroom.exercises.extensions.own_functions import applied, leaf_of
from glassroom.exercises.facts import (
    same_value,
    shape,
    share_memory,
    values,
)


@exercise(
    "e02-root",
    setup="""
    x = torch.tensor([1.0, 4.0, 9.0])
    grad = torch.autograd.grad
    """,
    hints=[
        "An output that is saved has a history: the node itself.",
        "setup_context gets the output as its third argument. Backward divides what arrives by twice the root.",
        """
        class Root(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x.sqrt()

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(…)

            @staticmethod
            def backward(ctx, gradient):
                (root,) = ctx.saved_tensors
                return gradient / …
        """,
        """
        class Root(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x.sqrt()

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(output)

            @staticmethod
            def backward(ctx, gradient):
                (root,) = ctx.saved_tensors
                return gradient / (2 * root)
        """,
    ],
)
def root(Root: Any, *, x: Any, grad: Callable[..., Any]) -> str:
    mine = leaf_of(x)
    result = applied(Root, "Root", mine)
    name = "Root.apply(x)"
    expect_tensor(result, name, shape=shape(x))
    expect_value(result, name, x.sqrt())
    expect(result.requires_grad, f"`{name}` does not require grad. Was it called by `apply`, and not detached?")
    expect_saved_by_context(result.grad_fn, "Root")
    saved = list(result.grad_fn.saved_tensors)
    expect(saved, "nothing is saved by `ctx.save_for_backward`.")
    expect(len(saved) == 1, f"{len(saved)} tensors are saved. The result alone is enough.")
    arriving = x * 0 + 2.0
    (first,) = grad(result, mine, arriving, create_graph=True)
    right = [1 / value for value in values(x.sqrt())]
    expect(
        not same_value(values(first.detach()), [number / 2 for number in right]),
        "the derivative is right, but what arrives is not multiplied by it.",
    )
    expect_equal(values(first.detach()), "what backward returns where 2 arrives", right)
    missing = (
        "the derivative is right, but the second one is not: what was saved, or what backward computed with, has no "
        "history. Save the output itself, and use operators that have derivatives."
    )
    expect(first.requires_grad, missing)
    (second,) = grad(first.sum(), mine)
    expect(same_value(values(second), [-0.5 * number**3 for number in right]), missing)
    expect(
        share_memory(saved[0], result),
        "both derivatives are right, but x was saved. Save the result: it is what the derivative is made of.",
    )
    return "One tensor is saved, the result, and both derivatives are right."


@exercise(
    "e02-softplus",
    setup="""
    x = torch.tensor([-1000.0, -1.0, 0.0, 1.0, 1000.0], requires_grad=True)
    grad = torch.autograd.grad
    """,
    hints=[
        "exp(-abs(x)) is never larger than 1. And backward is made of operators that have derivatives themselves.",
        "Save the input. In backward, compute torch.sigmoid of it, and multiply by what arrives.",
        """
        class Softplus(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x.clamp(min=0) + …

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                return …
        """,
        """
        class Softplus(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                return gradient * torch.sigmoid(x)
        """,
    ],
)
def softplus(Softplus: Any, *, x: Any, grad: Callable[..., Any]) -> str:
    leaf = leaf_of(x)
    name = "Softplus.apply(x)"
    result = applied(Softplus, "Softplus", leaf)
    expect_tensor(result, name, shape=tuple(x.shape))
    expect_value(result, name, leaf.detach().clamp(min=0) + (-leaf.detach().abs()).exp().log1p())
    expect_saved_by_context(result.grad_fn, "Softplus")
    arriving = (leaf.detach() * 0).add(2.0)
    sigmoid = leaf.detach().sigmoid()
    try:
        (first,) = grad(result, leaf, arriving, create_graph=True)
    except RuntimeError as error:
        expect("appears to not have been used" not in str(error), "no gradient goes on to `x`.")
        raise
    expect(
        not same_value(values(first), values(sigmoid)),
        "the derivative is right, but what arrives is not multiplied by it.",
    )
    expect_equal(values(first.detach()), "what backward returns where 2 arrives", values(2 * sigmoid))
    missing = (
        "the derivative is right, but there is no second one: what backward computed with has no history. Save the "
        "input, and compute the sigmoid in backward, by operators that have derivatives."
    )
    expect(first.requires_grad, missing)
    try:
        (second,) = grad(first.sum(), leaf)
    except RuntimeError as error:
        raise Misconception(missing) from error
    own, right = values(second), values(2 * sigmoid * (1 - sigmoid))
    expect(
        all(number == number for number in own),
        "both derivatives are right, but for a nan in the second: something overflows in it. torch.sigmoid does not.",
    )
    expect_equal(own, "the second derivative, times 2,", right)
    return "Nothing overflows, both derivatives are right, and what backward needs was saved by the context."
