"""Exercises of notebook 11: functions whose value and gradient are chosen independently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_tensor
from glassroom.exercises.facts import dtype_name, told_apart

POINTS = [-1.7, -0.4, 0.3, 0.9, 1.6, 2.5]
ARRIVING = [3.0, -0.5, 0.25, -2.0, 1.5, -4.0]  #: the gradient that arrives at the function


def _sent_back(
    function: Callable[..., Any], name: str, torch: Any, *inputs: Sequence[float]
) -> tuple[Any, list[Any], list[Any]]:
    """What the function returns, and the gradients of its inputs when `ARRIVING` comes back."""
    leaves = [torch.tensor(list(source), requires_grad=True) for source in inputs]
    result = call(function, name, *leaves)
    expect_tensor(result, f"what `{name}` returns", shape=(len(inputs[0]),), dtype=dtype_name(leaves[0]))
    expect(
        all(leaf.tolist() == torch.tensor(list(source)).tolist() for leaf, source in zip(leaves, inputs, strict=True)),
        f"`{name}` has changed what it was given.",
    )
    expect(result.requires_grad, f"No gradient can flow back from what `{name}` returns: all of it is detached.")
    result.backward(torch.tensor(ARRIVING[: len(inputs[0])]))
    return result, [leaf.grad for leaf in leaves], leaves


def _expect_value(result: Any, name: str, wanted: Any) -> None:
    close = bool(((result.detach() - wanted).abs() <= 1e-5).all())
    own, truth = told_apart(result.tolist(), wanted.tolist(), 4)
    expect(close, f"The value of `{name}` is {own}, and should be {truth}.")


def _expect_gradient(grad: Any, name: str, wanted: Any, slips: Sequence[tuple[Any, str]] = ()) -> None:
    expect(grad is not None, f"The value is right, but no gradient reaches {name}.")
    if bool(((grad - wanted).abs() <= 1e-5).all()):
        return
    own, truth = told_apart(grad.tolist(), wanted.tolist(), 4)
    expect(not bool(grad.isnan().any()), f"The value is right, but the gradient of {name} is {own}.")
    for slip, told in slips:
        expect(not bool(((grad - slip).abs() <= 1e-5).all()), told)
    expect(False, f"The value is right. The gradient of {name} is {own}, and should be {truth}.")


AS_IT_ARRIVES = "The value is right, but the gradient goes on as it arrives."


@exercise(
    "a11-double",
    hints=[
        "2 * x has twice the gradient, and twice the value. Subtract from the value only.",
        "Something with the value of x and no gradient takes the second x away again.",
        "def doubled(x):\n    return 2 * x - …",
        "def doubled(x):\n    return 2 * x - x.detach()",
    ],
)
def doubled(doubled: Callable[..., Any], *, torch: Any) -> str:
    result, (grad,), (x,) = _sent_back(doubled, "doubled", torch, POINTS)
    arriving = torch.tensor(ARRIVING)
    _expect_value(result, "doubled", x.detach())
    _expect_gradient(grad, "x", 2 * arriving, [(arriving, AS_IT_ARRIVES)])
    return "Twice the gradient, and the value of x."


@exercise(
    "a11-reverse",
    hints=[
        "-x has the gradient that you want. What has to be added to its value, without a gradient?",
        "-x plus 2 * x is x; the second part must have no gradient.",
        "def turned(x):\n    return … - x",
        "def turned(x):\n    return 2 * x.detach() - x",
    ],
)
def turned(turned: Callable[..., Any], *, torch: Any) -> str:
    result, (grad,), (x,) = _sent_back(turned, "turned", torch, POINTS)
    arriving = torch.tensor(ARRIVING)
    _expect_value(result, "turned", x.detach())
    _expect_gradient(grad, "x", -arriving, [(arriving, AS_IT_ARRIVES)])
    return "Forward, it changes nothing; backward, it changes the sign."


@exercise(
    "a11-round",
    hints=[
        "The value of one thing, the gradient of another: x for the gradient, x.round() for the value.",
        "Add to x the difference between the rounded value and x, detached.",
        "def rounded(x):\n    return x + (…).detach()",
        "def rounded(x):\n    return x + (x.round() - x).detach()",
    ],
)
def rounded(rounded: Callable[..., Any], *, torch: Any) -> str:
    result, (grad,), (x,) = _sent_back(rounded, "rounded", torch, POINTS)
    arriving = torch.tensor(ARRIVING)
    _expect_value(result, "rounded", x.detach().round())
    _expect_gradient(
        grad,
        "x",
        arriving,
        [(0 * arriving, "The value is right, but the gradient is 0: the rounding is still in the graph.")],
    )
    return "The value takes the stairs, and the gradient the ramp."


@exercise(
    "a11-one",
    hints=[
        "The product, with one factor that autograd knows nothing of.",
        "b.detach() has b's numbers and no history.",
        "def scaled(a, b):\n    return a * …",
        "def scaled(a, b):\n    return a * b.detach()",
    ],
)
def scaled(scaled: Callable[..., Any], *, torch: Any) -> str:
    other = [2.0, -1.0, 0.5, 3.0, -2.0, 1.0]
    result, (of_a, of_b), (a, b) = _sent_back(scaled, "scaled", torch, POINTS, other)
    _expect_value(result, "scaled", (a * b).detach())
    expect(of_b is None or not bool(of_b.any()), "The value is right, but a gradient still reaches b.")
    _expect_gradient(of_a, "a", torch.tensor(ARRIVING) * b.detach())
    expect(b.requires_grad, "`b` no longer requires a gradient: what the caller owns has been changed.")
    return "For autograd, b was a number."


@exercise(
    "a11-share",
    hints=[
        "x.mean() sends the same gradient to every element of x. What does its value lack, to be x?",
        "Added to a tensor, x.mean() is broadcast, so the gradients that arrive are summed before they are shared out.",
        "def shared(x):\n    return x.mean() + (…).detach()",
        "def shared(x):\n    return x.mean() + (x - x.mean()).detach()",
    ],
)
def shared(shared: Callable[..., Any], *, torch: Any) -> str:
    result, (grad,), (x,) = _sent_back(shared, "shared", torch, POINTS)
    arriving = torch.tensor(ARRIVING)
    _expect_value(result, "shared", x.detach())
    slips = (
        (arriving, AS_IT_ARRIVES),
        (0 * arriving + arriving.sum(), "The value is right, but every element gets the sum. It should get the mean."),
        (
            arriving / len(POINTS),
            "The value is right, but the gradient is divided and not shared: each element keeps its own.",
        ),
        (
            arriving - arriving.mean(),
            "The value is right, but the mean is subtracted from the gradient: keep only the mean.",
        ),
    )
    _expect_gradient(grad, "x", 0 * arriving + arriving.mean(), slips)
    return "The value of x, and one gradient for all of its elements."


@exercise(
    "a11-clip",
    hints=[
        "A hook on a tensor sees the gradient that arrives, and what it returns goes on.",
        "The hook belongs on a result of yours: x * 1 has the value of x. clamp(-1, 1) limits.",
        "def tame(x):\n    y = x * 1\n    y.register_hook(lambda grad: …)\n    return y",
        "def tame(x):\n    y = x * 1\n    y.register_hook(lambda grad: grad.clamp(-1, 1))\n    return y",
    ],
)
def tame(tame: Callable[..., Any], *, torch: Any) -> str:
    result, (grad,), (x,) = _sent_back(tame, "tame", torch, POINTS)
    arriving = torch.tensor(ARRIVING)
    _expect_value(result, "tame", x.detach())
    _expect_gradient(grad, "x", arriving.clamp(-1, 1), [(arriving, AS_IT_ARRIVES)])
    x.grad = None
    (x * 1).backward(arriving)
    _expect_own_gradient(x.grad, arriving)
    return "The gradient that goes on to x stays between −1 and 1, and x itself is unchanged."


def _expect_own_gradient(grad: Any, arriving: Any) -> None:
    expect(
        bool((grad == arriving).all()),
        "`tame` works, and the hook stays on x: from now on every other gradient of x is limited too.",
    )
