"""Exercises of notebook 01 of part 4: functions with a forward and a backward of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import expect_saved_by_context
from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_equal, expect_tensor, expect_value, expect_words
from glassroom.exercises.facts import same_value, text, values


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
        mine = _leaf(w)
        name = f"Reverse.apply(x, {strength})"
        result = _apply(Reverse, "Reverse", mine, strength)
        expect_tensor(result, name)
        expect_value(result, name, mine.detach())
        expect(result.requires_grad, f"`{name}` does not require grad. Was it called by `apply`, and not detached?")
        _backward((result * w.detach()).sum(), "Reverse")
        expect(mine.grad is not None, "no gradient goes on to `x`: backward returned None in its place.")
        found, right = values(mine.grad), values(w.detach() * -strength)
        expect(
            not same_value(found, values(w.detach() * strength)),
            f"the gradient is multiplied by {strength}; it was to be turned round, by the minus.",
        )
        expect(
            not same_value(found, values(w.detach() * 0 - strength)),
            "what goes on does not depend on what arrives. Multiply the gradient that backward gets.",
        )
        expect_equal(found, "the gradient of x", right)
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
    a, b = _leaf(matrix), _leaf(matrix.t() + 1)
    _expect_function(Matmul, "Matmul")
    product = matrix @ b.detach()
    plain = call(Matmul.forward, "Matmul.forward", matrix, b.detach())  # the second style has no ctx there
    expect_value(plain, "Matmul.forward(a, b)", product)
    result = _apply(Matmul, "Matmul", a, b)
    expect_value(result, "Matmul.apply(a, b)", product)
    expect_saved_by_context(result.grad_fn, "Matmul")
    weights = product.detach() * 0 + 1
    weights[0, 0] = 3.0
    _backward((result * weights).sum(), "Matmul")
    for leaf, letter, right in ((a, "a", weights @ b.detach().t()), (b, "b", matrix.t() @ weights)):
        expect(leaf.grad is not None, f"no gradient goes on to `{letter}`.")
        expect_equal(values(leaf.grad), f"the gradient of {letter}", values(right))
    for needed in ((True, False), (False, True)):
        context = _Context(needed)
        Matmul.setup_context(context, (matrix, b.detach()), product)
        expect_saved_by_context(context, "Matmul")
        answers = Matmul.backward(context, weights)
        for letter, wanted, answer in zip("ab", needed, answers, strict=True):
            expect(
                (answer is not None) == wanted,
                f"with ctx.needs_input_grad = {needed} the gradient of `{letter}` was "
                f"{'left out' if wanted else 'computed for nothing; return None'}.",
            )
    return "Each product is computed if somebody wants it."


class _Context:
    """Takes the place of `ctx`, to see what backward does for a given `needs_input_grad`."""

    __slots__ = ("__dict__", "needs_input_grad", "saved_tensors")  # what is kept besides is in __dict__

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors


KEEP = {
    "input_tensor": ("save", "A write into it would go unnoticed, and it would stay in memory after the backward."),
    "output_tensor": ("save", "As an attribute it closes a circle: the result holds its node, and the node holds it."),
    "factor": ("attribute", "save_for_backward takes tensors; a number is kept as it is."),
    "size": ("attribute", "It is no tensor. To save the whole `x` for its shape would keep its memory."),
    "noise": ("save", "It is a tensor: its memory must be freed by the backward, like that of the others."),
}


@exercise(
    "e01-keep",
    hints=[
        "Versions, memory and circles are matters of tensors.",
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
    "e01-softplus",
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
    leaf = _leaf(x)
    name = "Softplus.apply(x)"
    result = _apply(Softplus, "Softplus", leaf)
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
    expect_equal(values(first.detach()), "2 times the derivative", values(2 * sigmoid))
    missing = (
        "the derivative is right, and there is no second one: what backward computed with has no history. Save the "
        "input, and compute the sigmoid in backward, by operators that have derivatives."
    )
    expect(first.requires_grad, missing)
    try:
        (second,) = grad(first.sum(), leaf)
    except RuntimeError as error:
        raise Misconception(missing) from error
    found, right = values(second), values(2 * sigmoid * (1 - sigmoid))
    expect(
        all(each == each for each in found),
        "both derivatives are right, but for a nan in the second: something overflows in it. torch.sigmoid does not.",
    )
    expect_equal(found, "2 times the second derivative", right)
    return "Nothing overflows, both derivatives are right, and what backward needs was saved by the context."


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
    leaf = _leaf(w * 0.75 - 1.0)
    results = _apply(Split, "Split", leaf)
    is_pair = isinstance(results, tuple) and len(results) == 2
    expect(is_pair, "`Split.apply(x)` is no tuple of two: return the fraction, and then the whole part.")
    fraction, whole = results
    floor = leaf.detach().floor()
    swapped = same_value(values(fraction.detach()), values(floor))
    expect(not swapped, "the two results are the other way round: first the fraction, then the whole part.")
    expect_value(fraction, "fraction", leaf.detach() - floor)
    expect_value(whole, "whole", floor)
    expect(
        not whole.requires_grad,
        "`whole` requires a gradient, as all results do unless they are marked: ctx.mark_non_differentiable(whole).",
    )
    expect(fraction.requires_grad, "`fraction` does not require grad; only `whole` was to be marked.")
    _backward((fraction * w.detach()).sum(), "Split")
    expect(leaf.grad is not None, "no gradient goes on to `x`.")
    expect_equal(values(leaf.grad), "the gradient of x", values(w.detach()))
    return "One result has a gradient; the other says that it has none."


def _expect_function(answer: Any, name: str) -> None:
    is_function = isinstance(answer, type) and hasattr(answer, "apply") and hasattr(answer, "backward")
    expect(
        is_function,
        f"`{name}` is {text(answer)}; a class that derives from torch.autograd.Function was asked for.",
    )


def _apply(answer: Any, name: str, *arguments: Any) -> Any:
    """What the learner's function makes of these arguments."""
    _expect_function(answer, name)
    return call(answer.apply, f"{name}.apply", *arguments)


def _backward(result: Any, name: str) -> None:
    """Run backward; the two refusals of what it returned become sentences."""
    try:
        result.backward()
    except RuntimeError as error:
        expect(
            "incorrect number of gradients" not in str(error),
            f"the backward of `{name}` returns too few or too many gradients: one for each argument of forward, and "
            "None where there is none.",
        )
        raise


def _leaf(tensor: Any) -> Any:
    """A leaf of its own with these values, which requires grad."""
    return tensor.detach().clone().requires_grad_()
