"""Exercises of part 4's capstone: log cosh without overflow, as a Function, its slope in an operator, and its use."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_saved_by_context, expect_tensor
from glassroom.exercises.extensions.own_functions import applied
from glassroom.exercises.facts import is_tensor, rounded, same_value, told_apart, values

POINTS = "points = torch.tensor([-200.0, -3.0, -0.5, 0.0, 0.25, 2.0, 1000.0])"
STABLE = """
LOG2 = 0.6931471805599453


def log_cosh(x):
    far = x.abs()
    return far + torch.log1p((-2 * far).exp()) - LOG2
"""


def _log_cosh(x: float) -> float:
    return abs(x) + math.log1p(math.exp(-2 * abs(x))) - math.log(2)


@exercise(
    "e10-stable",
    setup=POINTS,
    hints=[
        "Take the large factor out of the sum before the logarithm: what is left in the exponential is below 0.",
        "log((e^x + e^-x) / 2) = |x| + log(1 + e^(-2|x|)) - log 2. log1p(z) is log(1 + z).",
        """
        LOG2 = 0.6931471805599453

        def log_cosh(x):
            far = x.abs()
            return far + torch.log1p(…) - LOG2
        """,
        """
        LOG2 = 0.6931471805599453

        def log_cosh(x):
            far = x.abs()
            return far + torch.log1p((-2 * far).exp()) - LOG2
        """,
    ],
)
def stable(log_cosh: Callable[..., Any], *, points: Any) -> str:
    for given in (points, points / 2):
        _expect_log_cosh(log_cosh, given)
    return "From 0 to a thousand, and no exponential that could be too large."


def _expect_log_cosh(log_cosh: Callable[..., Any], points: Any) -> None:
    before = values(points)
    result = call(log_cosh, "log_cosh", points.clone())
    name = "log_cosh(points)"
    expect_tensor(result, name, shape=tuple(points.shape), dtype="float32")
    own, wanted = values(result), [_log_cosh(number) for number in before]
    for at, mine, right in zip(before, own, wanted, strict=True):
        where = f"`log_cosh({at:g})`"
        expect(
            mine == mine and abs(mine) != math.inf,
            f"{where} is {mine}: an exponential on the way is too large for a float32. Never pass a positive number "
            "to an exponential.",
        )
        expect(
            not abs(mine - right - math.log(2)) < 1e-3,
            f"{where} is too large by log 2: cosh is half of the sum of both.",
        )
        told, truth = told_apart(mine, right, 5)
        expect(abs(mine - right) < 1e-5 * max(1.0, right), f"{where} is {told}, and should be {truth}.")


@exercise(
    "e10-function",
    setup=STABLE,
    hints=[
        "The derivative of log cosh is tanh. What has to be kept so that this derivative can be differentiated again?",
        "Save x. In backward, gradient * x.tanh() is made of operators that autograd knows, so it goes on.",
        """
        class LogCosh(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(…)
                return log_cosh(x)

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                return …
        """,
        """
        class LogCosh(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return log_cosh(x)

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                return gradient * x.tanh()
        """,
    ],
)
def function(LogCosh: Any, *, torch: Any) -> str:
    at = [-2.0, -0.5, 0.0, 0.75, 3.0]
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    result = applied(LogCosh, "LogCosh", x)
    expect_tensor(result, "LogCosh.apply(x)", shape=(5,))
    expect(
        same_value(values(result.detach()), [_log_cosh(number) for number in at], 1e-6),
        "the values of LogCosh.apply(x) are not those of log_cosh(x).",
    )
    expect(result.grad_fn is not None, "the result has no history: is it made by forward, and returned as it is?")
    expect_saved_by_context(result.grad_fn, "LogCosh")
    weights = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], dtype=torch.float64)
    (first,) = torch.autograd.grad((result * weights).sum(), x, create_graph=True)
    slopes = [math.tanh(number) for number in at]
    own = values(first.detach())
    expect(
        not same_value(own, slopes, 1e-8),
        "the gradient leaves out the one that arrives: multiply the derivative by `gradient`.",
    )
    wanted = [slope * (n + 1) for n, slope in enumerate(slopes)]
    told, truth = told_apart(own, wanted, 4)
    expect(same_value(own, wanted, 1e-8), f"the gradient, of weights 1 to 5, is {told}; it should be {truth}.")
    lost = (
        "there is no second derivative: the slope was computed in forward, or behind autograd's back, and is a "
        "constant by now. Save x, and compute the slope in backward."
    )
    expect(first.requires_grad, lost)
    try:
        (second,) = torch.autograd.grad(first.sum(), x, allow_unused=True)
    except RuntimeError as error:
        expect("once_differentiable" not in str(error), lost)
        raise
    expect(second is not None, lost)
    wanted = [(1 - slope**2) * (n + 1) for n, slope in enumerate(slopes)]
    bends = values(second.detach())
    expect(not all(bend == 0 for bend in bends), lost)
    told, truth = told_apart(bends, wanted, 4)
    expect(
        same_value(bends, wanted, 1e-8),
        f"the second derivative, of weights 1 to 5, is {told}; it should be {truth}.",
    )
    return "One tensor saved, and derivatives of any order: backward is made of operators that have some."


@exercise(
    "e10-tangent",
    setup="points = torch.tensor([-2.0, -0.5, 0.0, 0.75, 3.0])",
    hints=[
        "Forward mode carries a tangent along: how fast x moves. How fast does log cosh x move then?",
        "The chain rule once more, from the other end: slope times tangent. And the slope of the slope is 1 - tanh².",
        """
        def pushed(x, tangent):
            return x.tanh() * …, (1 - …) * tangent**2
        """,
        """
        def pushed(x, tangent):
            return x.tanh() * tangent, (1 - x.tanh() ** 2) * tangent**2
        """,
    ],
)
def tangent(pushed: Callable[..., Any], *, points: Any) -> str:
    moves = points.new_tensor([1.0, 2.0, 3.0, -1.0, 0.5])
    for given in (moves, moves * 2):
        _expect_pushed(pushed, points, given)
    return "Slope times tangent, and curvature times its square."


def _expect_pushed(pushed: Callable[..., Any], points: Any, moves: Any) -> None:
    result = call(pushed, "pushed", points, moves)
    expect(
        isinstance(result, (tuple, list)) and len(result) == 2,
        "`pushed` should return two tensors: the speed and the acceleration.",
    )
    slopes = [math.tanh(value) for value in values(points)]
    speeds = values(moves)
    for gradient, name, factors, right in (
        (result[0], "the speed", slopes, speeds),
        (result[1], "the acceleration", [1 - slope**2 for slope in slopes], [slope**2 for slope in speeds]),
    ):
        expect_tensor(gradient, name, shape=(5,), dtype="float32")
        mine = values(gradient)
        wanted = [factor * way for factor, way in zip(factors, right, strict=True)]
        expect(not same_value(mine, factors, 1e-5), f"{name} leaves the tangent out.")
        linear = [factor * way for factor, way in zip(factors, speeds, strict=True)]
        expect(
            same_value(linear, wanted) or not same_value(mine, linear, 1e-5),
            f"{name} has the tangent once. A second derivative has it twice: twice the speed, four times the bend.",
        )
        told, truth = told_apart(mine, wanted, 4)
        expect(
            all(abs(a - b) < 1e-4 for a, b in zip(mine, wanted, strict=True)),
            f"{name} is {told}, and should be {truth}.",
        )


@exercise(
    "e10-centre",
    setup="readings = torch.tensor([4.8, 5.1, 5.0, 5.3, 4.9, 5.2, 50.0, 61.0])",
    hints=[
        "Where the sum is smallest its slope is 0. Newton's step is the slope divided by the curvature.",
        "The slope of the sum at c is -tanh(readings - c) summed, its curvature 1 - tanh² summed. Begin at the median.",
        """
        def center(readings):
            c = readings.median()
            for _ in range(20):
                t = (readings - c).tanh()
                c = c + … / …
            return c
        """,
        """
        def center(readings):
            c = readings.median()
            for _ in range(20):
                t = (readings - c).tanh()
                c = c + t.sum() / (1 - t**2).sum()
            return c
        """,
    ],
)
def center(center: Callable[..., Any], *, readings: Any) -> str:
    for given in (readings, readings.new_tensor([1.0, 1.4, 0.7, 1.1, -30.0]), readings.new_tensor([2.0, 3.0, 2.5])):
        numbers = values(given)
        c = call(center, "center", given)
        c = float(c.detach()) if is_tensor(c) and c.numel() == 1 else c
        expect(isinstance(c, (int, float)), "`center` should return one number.")
        name = f"center of {rounded(numbers)}"
        expect(c == c, f"the {name} is nan: did a step go so far that no curvature was left? Begin at the median.")
        mean, middle = sum(numbers) / len(numbers), sorted(numbers)[(len(numbers) - 1) // 2]
        slope = -sum(math.tanh(number - c) for number in numbers)
        expect(
            abs(slope) < 1e-3 or abs(c - mean) > 1e-4,
            f"the {name} is the mean, {mean:.2f}: that minimizes squares, and two bad readings carry it away.",
        )
        expect(
            abs(slope) < 1e-3 or abs(c - middle) > 1e-6,
            f"the {name} is the median, {middle:g}: a good place to begin, but not yet where the slope is 0.",
        )
        expect(
            abs(slope) < 1e-3,
            f"at the {name}, {c:.4f}, the slope of the sum is still {slope:.4f}: it is not the lowest place.",
        )
    return "The slope is 0 there, and the two bad readings hardly count."
