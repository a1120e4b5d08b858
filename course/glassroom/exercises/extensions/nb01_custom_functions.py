"""Exercises on functions with a forward and a backward of your own."""

from __future__ import annotations

import warnings
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_equal,
    expect_saved_by_context,
    expect_tensor,
    expect_value,
    expect_words,
)
from glassroom.exercises.extensions.own_functions import applied, expect_function, leaf_of
from glassroom.exercises.facts import (
    same_value,
    values,
)


@exercise(
    "e01-reverse",
    setup="w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)",
    hints=[
        "Backward gets the gradient of the result and returns what goes on: one for each argument of forward.",
        "forward keeps the strength in ctx; backward returns two things, and the second is None.",
        """
        class Reverse(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, strength):
                ctx.strength = strength
                return x.view_as(x)

            @staticmethod
            def backward(ctx, gradient):
                return …, …
        """,
        """
        class Reverse(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, strength):
                ctx.strength = strength
                return x.view_as(x)

            @staticmethod
            def backward(ctx, gradient):
                return -ctx.strength * gradient, None
        """,
    ],
)
def reverse(Reverse: Any, *, w: Any) -> str:
    for strength in (0.5, 2.0):
        mine = leaf_of(w)
        name = f"Reverse.apply(x, {strength})"
        result = applied(Reverse, "Reverse", mine, strength)
        expect_tensor(result, name)
        expect_value(result, name, mine.detach())
        expect(result.requires_grad, f"`{name}` does not require grad. Was it called by `apply`, and not detached?")
        _backward(result, w.detach(), "Reverse")
        passed_on = _passed_on(Reverse, "Reverse", w, w.detach(), strength)
        expect(mine.grad is not None, "no gradient goes on to `x`: backward returned None in its place.")
        _expect_not_written(mine.grad, passed_on)
        own, right = values(mine.grad), values(w.detach() * -strength)
        expect(
            not same_value(own, values(w.detach() * strength)),
            f"the gradient is multiplied by {strength}; the minus, which reverses it, is missing.",
        )
        expect(
            not same_value(own, values(w.detach() * 0 - strength)),
            "what goes on does not depend on what arrives. Multiply the gradient that backward gets.",
        )
        expect(
            not same_value(own, values(-w.detach())),
            f"the gradient is reversed, but not multiplied by {strength}: forward keeps the strength in ctx.",
        )
        expect_equal(own, "the gradient of x", right)
    first, second = leaf_of(w), leaf_of(w)
    results = applied(Reverse, "Reverse", first, 0.5), applied(Reverse, "Reverse", second, 2.0)
    for result in results:
        result.backward(w.detach())
    expect(
        same_value(values(first.grad), values(w.detach() * -0.5)),
        "with two applications before the backward, of strengths 0.5 and 2.0, the first is reversed with 2.0: the "
        "strength is kept where both find it. Keep it as ctx.strength; each application has a ctx of its own.",
    )
    return "Nothing changes on the way forward; on the way back the sign does."


@exercise(
    "e01-matmul",
    setup="matrix = torch.arange(6.0).view(2, 3)",
    hints=[
        "Three static functions: forward without ctx, setup_context(ctx, inputs, output), backward(ctx, gradient).",
        "ctx.needs_input_grad is a tuple of two; ask it before each product.",
        """
        class Matmul(torch.autograd.Function):
            @staticmethod
            def forward(a, b):
                return a @ b

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(…)

            @staticmethod
            def backward(ctx, gradient):
                a, b = ctx.saved_tensors
                for_a = … if ctx.needs_input_grad[0] else None
                for_b = … if ctx.needs_input_grad[1] else None
                return for_a, for_b
        """,
        """
        class Matmul(torch.autograd.Function):
            @staticmethod
            def forward(a, b):
                return a @ b

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx, gradient):
                a, b = ctx.saved_tensors
                for_a = gradient @ b.t() if ctx.needs_input_grad[0] else None
                for_b = a.t() @ gradient if ctx.needs_input_grad[1] else None
                return for_a, for_b
        """,
    ],
)
def matmul(Matmul: Any, *, matrix: Any) -> str:
    a, b = leaf_of(matrix), leaf_of(matrix.t() + 1)
    expect_function(Matmul, "Matmul")
    expect(
        "setup_context" in vars(Matmul),
        "`Matmul` is written in the first style. In the second, forward takes `a` and `b` without ctx, and "
        "setup_context(ctx, inputs, output) keeps what backward needs.",
    )
    product = matrix @ b.detach()
    plain = call(Matmul.forward, "Matmul.forward", matrix, b.detach())  # the second style has no ctx there
    expect_value(plain, "Matmul.forward(a, b)", product)
    result = applied(Matmul, "Matmul", a, b)
    expect_value(result, "Matmul.apply(a, b)", product)
    expect_saved_by_context(result.grad_fn, "Matmul")
    weights = product.detach() * 0 + 1
    weights[0, 0] = 3.0
    _backward(result, weights, "Matmul")
    for leaf, letter, right in ((a, "a", weights @ b.detach().t()), (b, "b", matrix.t() @ weights)):
        expect(leaf.grad is not None, f"no gradient goes on to `{letter}`.")
        expect_equal(values(leaf.grad), f"the gradient of {letter}", values(right))
    made = dict[tuple[bool, bool], int]()  # storages, by what needs a gradient
    for needed in ((True, True), (True, False), (False, True)):
        context = _Context(needed)
        inputs = leaf_of(matrix).requires_grad_(needed[0]), leaf_of(b).requires_grad_(needed[1])
        Matmul.setup_context(context, inputs, product)
        expect_saved_by_context(context, "Matmul")
        with account() as kept:
            answers = Matmul.backward(context, weights)
        made[needed] = len(kept.allocations)
        for letter, wanted, answer in zip("ab", needed, answers, strict=True):
            expect(answer is not ..., f"where the gradient of `{letter}` is not needed, dots stand for None.")
            expect(
                answer is not None or not wanted,
                f"with ctx.needs_input_grad = {needed} the gradient of `{letter}` was left out. That tuple says what "
                "is wanted, in the order of the arguments.",
            )
            expect(
                answer is None or wanted,
                f"with ctx.needs_input_grad = {needed} the gradient of `{letter}` was computed for nothing; return "
                "None.",
            )
        expect(
            all(needed) or made[needed] < made[True, True],
            f"with ctx.needs_input_grad = {needed} both products are computed, and one is thrown away. Ask before the "
            "product, not before `return`.",
        )
    _expect_not_written(a.grad, _passed_on(Matmul, "Matmul", matrix, weights, b.detach()))
    return "Each argument gets its gradient if it needs one, and None otherwise."


class _Context:
    """Takes the place of `ctx`, to see what backward does for a given `needs_input_grad`."""

    __slots__ = ("__dict__", "needs_input_grad", "saved_tensors")  # everything else that is kept is in __dict__

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors


KEEP = {
    "input_tensor": ("save", "A write into it would go unnoticed, and it would stay in memory after the backward."),
    "output_tensor": ("save", "As an attribute it closes a cycle: the result holds its node, and the node holds it."),
    "factor": ("attribute", "save_for_backward takes tensors; a number is kept as it is."),
    "size": ("attribute", "It is not a tensor. To save the whole `x` for its shape would keep its memory."),
    "noise": ("save", "It is a tensor: its memory must be freed by the backward, like that of the others."),
}


@exercise(
    "e01-keep",
    hints=[
        "Versions, memory and reference cycles concern tensors alone.",
        "For each ask whether it is a tensor.",
        'Three are tensors, so "save"; two are not.',
        """
        input_tensor = "save"
        output_tensor = "save"
        factor = "attribute"
        size = "attribute"
        noise = "save"
        """,
    ],
)
def keep(input_tensor: Any, output_tensor: Any, factor: Any, size: Any, noise: Any) -> str:
    words = {
        name: (truth, {"attribute" if truth == "save" else "save": reason}) for name, (truth, reason) in KEEP.items()
    }
    expect_words(words, (input_tensor, output_tensor, factor, size, noise))
    return "Tensors are saved, settings are attributes."


@exercise(
    "e01-split",
    setup="w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)",
    hints=[
        "Forward returns a tuple, and backward gets a gradient for each result.",
        "Tell the context in forward which of the results has no gradient: ctx.mark_non_differentiable.",
        """
        class Split(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                whole = x.floor()
                ctx.…(whole)
                return x - whole, whole

            @staticmethod
            def backward(ctx, for_fraction, for_whole):
                return …
        """,
        """
        class Split(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                whole = x.floor()
                ctx.mark_non_differentiable(whole)
                return x - whole, whole

            @staticmethod
            def backward(ctx, for_fraction, for_whole):
                return for_fraction
        """,
    ],
)
def split(Split: Any, *, w: Any) -> str:
    leaf = leaf_of(w * 0.75 - 1.0)
    results = applied(Split, "Split", leaf)
    is_pair = isinstance(results, tuple) and len(results) == 2
    expect(is_pair, "`Split.apply(x)` is not a tuple of two: return the fraction, and then the whole part.")
    fraction, whole = results
    floor = leaf.detach().floor()
    swapped = same_value(values(fraction.detach()), values(floor))
    expect(not swapped, "the two results are the other way around: first the fraction, then the whole part.")
    expect(
        not same_value(values(fraction.detach()), values(leaf.detach() - leaf.detach().trunc())),
        "of -0.25 the fraction is -0.25, so the whole part is 0: trunc cuts toward 0. floor goes down, to -1.",
    )
    expect_value(fraction, "fraction", leaf.detach() - floor)
    expect_value(whole, "whole", floor)
    expect(
        not (whole.requires_grad and _marks(Split, leaf.detach())),
        "you marked one tensor and returned another. Give the whole part a name, mark it, and return it: "
        "ctx.mark_non_differentiable(whole).",
    )
    expect(
        not whole.requires_grad,
        "`whole` requires a gradient, as every result does that is not marked: ctx.mark_non_differentiable(whole).",
    )
    expect(fraction.requires_grad, "`fraction` does not require grad; only `whole` should be marked.")
    _backward(fraction, w.detach(), "Split")
    expect(leaf.grad is not None, "no gradient goes on to `x`.")
    _expect_not_written(leaf.grad, _passed_on(Split, "Split", w, w.detach()))
    expect_equal(values(leaf.grad), "the gradient of x", values(w.detach()))
    return "One result has a gradient; the other says that it has none."


class _Marks:
    """Takes the place of `ctx`, to see what a forward marks."""

    def __init__(self) -> None:
        self.marked: tuple[Any, ...] = ()

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self.marked = tensors

    def __getattr__(self, name: str) -> Any:
        """A method that does nothing, such as `save_for_backward`."""
        return lambda *_: None


def _marks(Function: Any, *inputs: Any) -> tuple[Any, ...]:
    """The tensors that a function marks as without a derivative, in either style."""
    context = _Marks()
    if "setup_context" in vars(Function):
        Function.setup_context(context, inputs, Function.forward(*inputs))
    else:
        Function.forward(context, *inputs)
    return context.marked


def _passed_on(function: Any, name: str, tensor: Any, weights: Any, *settings: Any) -> Any:
    """The gradient that comes out below a tensor that is no leaf, if the first result's is `weights`; None if none."""
    leaf = leaf_of(tensor)
    results = applied(function, name, leaf * 1, *settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a .grad that is written, and belongs to no leaf
        (results[0] if isinstance(results, tuple) else results).backward(weights)
    return leaf.grad


def _expect_not_written(gradient: Any, passed_on: Any) -> None:
    """What arrives at a leaf is what backward returned; `passed_on` is what arrived behind another operator."""
    expect(
        passed_on is not None and same_value(values(gradient), values(passed_on)),
        "backward writes into x.grad. Return the gradient: behind another operator, as in apply(w * 1), `x` is no "
        "leaf, and what was written into its .grad never arrives at w.",
    )


def _backward(result: Any, weights: Any, name: str) -> None:
    """Run backward, given these weights; what it writes wrongly becomes a sentence."""
    arriving = weights.clone()
    try:
        result.backward(arriving)
    except TypeError as error:
        expect(
            "positional argument" not in str(error),
            f"`{name}.backward` does not take what it is given: ctx, and one gradient for each result of forward.",
        )
        raise
    expect(
        same_value(values(arriving), values(weights)),
        f"the backward of `{name}` writes into the gradient that arrives, which others may get too. Make a new one.",
    )
