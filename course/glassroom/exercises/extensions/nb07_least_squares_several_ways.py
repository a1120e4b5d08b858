"""Exercises of notebook 07: the same fit by a formula, by steps downhill, and by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import functions_called
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_tensor, expect_value, expect_words
from glassroom.exercises.extensions.own_functions import applied
from glassroom.exercises.facts import is_tensor, same_value, text, told_apart, values

DATA = """
x = torch.arange(5, dtype=torch.float64)
y = 2 * x + 3 + torch.tensor([0.5, -1.0, 0.5, 0.5, -0.5], dtype=torch.float64)
A = torch.stack((x, torch.ones_like(x)), dim=1)
hessian = 2 / len(y) * A.t() @ A
def solve(matrix, right):
    (a, b), (c, d) = matrix
    first, second = right
    return torch.stack((d * first - b * second, a * second - c * first)) / (a * d - b * c)
"""


@exercise(
    "e07-gradient",
    setup=DATA,
    hints=[
        "The residual says how wrong each point is; A.t() hands that on to the parameters.",
        "residual = A @ p - y; the gradient is 2 / len(y) times A.t() @ residual.",
        """
        def gradient(A, y, p):
            residual = A @ p - y
            return … * (A.t() @ residual)
        """,
        """
        def gradient(A, y, p):
            residual = A @ p - y
            return 2 / len(y) * (A.t() @ residual)
        """,
    ],
)
def gradient(gradient: Callable[..., Any], *, A: Any, y: Any) -> str:
    for points in (5, 3):
        some_A, some_y, p = A[:points], y[:points], A.new_tensor([1.0, -2.0])
        with functions_called() as called:
            returned = call(gradient, "gradient", some_A, some_y, p)
        expect_tensor(returned, "gradient(A, y, p)", dtype="float64")
        right = [2 / points * value for value in values(some_A.t() @ (some_A @ p - some_y))]
        for mistake, shows in (
            (
                [number * points for number in right],
                "that is the gradient of the *sum* of squares; of the mean, it is 2 / n.",
            ),
            ([number / 2 for number in right], "half of it: the derivative of a square has a 2."),
            ([-number for number in right], "that points downhill. The residual is A @ p - y, in this order."),
            (
                [number * points / 5 for number in right],
                "with 3 points it is wrong: n is the number of points, len(y).",
            ),
        ):
            expect(same_value(right, mistake) or not same_value(values(returned), mistake), shows)
        expect_value(returned, "gradient(A, y, p)", right)
        expect(
            not called.keys() & {"grad", "backward"},
            "the gradient is right, but autograd found it. Here it should come from the formula on paper.",
        )
    return "Where it is zero, the normal equations hold."


@exercise(
    "e07-rate",
    setup=DATA,
    hints=[
        "In a direction with curvature c, a step multiplies the error by 1 - rate * c. That must not fall below -1.",
        "The larger eigenvalue is (a + d) / 2 plus the square root of (a - d) ** 2 / 4 + b ** 2.",
        """
        def largest_rate(hessian):
            (a, b), (_, d) = hessian
            return 2 / (…)
        """,
        """
        def largest_rate(hessian):
            (a, b), (_, d) = hessian
            return 2 / ((a + d) / 2 + ((a - d) ** 2 / 4 + b**2).sqrt())
        """,
    ],
)
def rate(largest_rate: Callable[..., Any], *, hessian: Any) -> str:
    for matrix in (
        hessian,
        hessian.new_tensor([[3.0, 0.0], [0.0, 1.0]]),
        hessian.new_tensor([[1.0, -2.0], [-2.0, 5.0]]),
    ):
        returned = call(largest_rate, "largest_rate", matrix)
        returned = returned.item() if is_tensor(returned) and returned.numel() == 1 else returned
        (a, b), (_, d) = values(matrix)
        middle, half = (a + d) / 2, math.sqrt((a - d) ** 2 / 4 + b**2)
        right = 2 / (middle + half)
        expect(isinstance(returned, float), f"`largest_rate` returned {text(returned)}; it should return one number.")
        mine, wanted = told_apart(returned, right, 4)
        for mistake, shows in (
            (middle + half, "that is the largest curvature; the rate is 2 divided by it."),
            (
                1 / (middle + half),
                "1 / curvature is the best rate in that direction; the error grows above twice that.",
            ),
            (
                2 / half if half else None,
                "the square root alone is half the distance of the two eigenvalues: add `m` to it.",
            ),
            (2 / (middle + half**2), "that adds the square itself: take its root first."),
            (
                2 / (middle - half) if middle != half else None,
                "that is for the *smaller* eigenvalue, the flattest direction.",
            ),
        ):
            expect(
                same_value(returned, right) or not same_value(returned, mistake),
                f"`largest_rate` returned {mine}: {shows}",
            )
        expect(
            same_value(returned, right),
            f"for {text(values(matrix))} it is {wanted}, and `largest_rate` returned {mine}. The larger eigenvalue "
            f"there is {middle:g} + {half:.4g}.",
        )
    return "The most curved direction decides how large the rate may be."


@exercise(
    "e07-mean-square",
    setup=DATA,
    hints=[
        "The gradient of one number is known in the forward already: as many numbers as there are parameters.",
        "Save 2 / len(y) * (A.t() @ residual); in backward multiply it by the gradient that arrives.",
        """
        class MeanSquare(torch.autograd.Function):
            @staticmethod
            def forward(ctx, p, A, y):
                residual = A @ p - y
                ctx.save_for_backward(…)
                return (residual**2).mean()

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, gradient):
                (slopes,) = ctx.saved_tensors
                return …, None, None
        """,
        """
        class MeanSquare(torch.autograd.Function):
            @staticmethod
            def forward(ctx, p, A, y):
                residual = A @ p - y
                ctx.save_for_backward(2 / len(y) * (A.t() @ residual))
                return (residual**2).mean()

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, gradient):
                (slopes,) = ctx.saved_tensors
                return gradient * slopes, None, None
        """,
    ],
)
def mean_square(MeanSquare: Any, *, A: Any, y: Any) -> str:
    p = A.new_tensor([1.0, -2.0]).requires_grad_()
    other = p.detach().clone().requires_grad_()
    right = ((A @ other - y) ** 2).mean()
    returned = applied(MeanSquare, "MeanSquare", p, A, y)
    expect_tensor(returned, "MeanSquare.apply(p, A, y)", shape=())
    expect_value(returned, "MeanSquare.apply(p, A, y)", right.detach())
    numbers = sum(saved_tensor.numel() for saved_tensor in returned.grad_fn.saved_tensors)
    call(lambda: (returned * 3).backward() or True, "walking back from 3 times it")
    (right * 3).backward()
    expect(p.grad is not None, "no gradient arrives at p. Is it the first of what backward returns?")
    expect(
        not same_value(values(p.grad), values(other.grad / 3)),
        "the gradient that arrives at `backward` is 3 here, and was not used: multiply by it.",
    )
    expect_value(p.grad, "the gradient of 3 * MeanSquare.apply(p, A, y)", other.grad)
    expect(numbers > 0, "the gradient is right. Hand what backward needs to ctx.save_for_backward, so that it is seen.")
    expect(numbers <= 2, f"the gradient is right, but {numbers} numbers are kept for it. Two are enough.")
    return "Two numbers instead of the residual and A."


@exercise(
    "e07-newton",
    setup=DATA,
    hints=[
        "The step is the solution of Hessian times step = gradient. Then go against it.",
        "torch.func.grad(loss)(p) and torch.func.hessian(loss)(p), at the current p, in each step.",
        """
        def newton(loss, p, steps):
            for _ in range(steps):
                p = p - solve(…, …)
            return p
        """,
        """
        def newton(loss, p, steps):
            for _ in range(steps):
                p = p - solve(torch.func.hessian(loss)(p), torch.func.grad(loss)(p))
            return p
        """,
    ],
)
def newton(newton: Callable[..., Any], *, x: Any) -> str:
    truth = x.new_tensor([0.5, 2.0])
    target = (truth[0] * x).exp() * truth[1]

    def loss(p: Any) -> Any:
        return (((p[0] * x).exp() * p[1] - target) ** 2).mean()

    start = x.new_tensor([0.52, 1.9])
    once = call(newton, "newton", loss, start, 1)
    expect_tensor(once, "newton(loss, p, 1)", shape=(2,), dtype="float64")
    expect(
        not same_value(values(once), values(start)),
        "after one step `p` is where it was. Does the function return the new p?",
    )
    before, after_one = float(loss(start)), float(loss(once.detach()))
    expect(after_one < before, f"one step leads uphill: the loss grows from {before:.2g} to {after_one:.2g}.")
    often = call(newton, "newton", loss, start, 6)
    expect(
        not same_value(values(often), values(once)),
        "six steps lead to where one does: does `return` stand within the loop, or is `p` not the new one there?",
    )
    after_six = float((often.detach() - truth).abs().max())
    expect(
        after_six < 1e-8,
        f"after six steps the error is still {after_six:.1g}. Is it the Hessian, and at the *new* p each time?",
    )
    return "Each step squares the error: six of them are enough for all the digits there are."


TASKS = {
    "calibration": ("formula", "The model is a line: two equations, solved once."),
    "network": ("autograd", "A million parameters leave room for gradients, but not for a matrix."),
    "decay": ("newton", "Three parameters make a small Hessian, and it squares the error with each step."),
    "vocabulary": ("function", "One number comes out: compute its gradient in forward, and keep no residual."),
}


@exercise(
    "e07-which",
    hints=[
        "Ask: is the model linear, how many parameters are there, and what must be kept?",
        "Each of the four is the answer once.",
        'calibration = "formula", and network = "autograd".',
        """
        calibration = "formula"
        network = "autograd"
        decay = "newton"
        vocabulary = "function"
        """,
    ],
)
def which(calibration: Any, network: Any, decay: Any, vocabulary: Any) -> str:
    words = {
        name: (best, {choice: reason for choice, _ in TASKS.values() if choice != best})
        for name, (best, reason) in TASKS.items()
    }
    expect_words(words, (calibration, network, decay, vocabulary))
    return "Solve where you can, walk where you must."
