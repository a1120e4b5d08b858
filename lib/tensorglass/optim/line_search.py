"""The line search of L-BFGS: how far to go along a direction.

A step is good when the loss falls enough (Armijo) and the slope flattens enough: the strong Wolfe conditions. Nocedal
and Wright, "Numerical Optimization", algorithms 3.5 (find an interval with a good step) and 3.6 (shrink it).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tensorglass.tensor.tensor import Tensor

DECREASE, FLATTENING = 1e-4, 0.9
SMALLEST_CHANGE = 1e-9


class Point(NamedTuple):
    """A step of length `t`, with the loss, gradient and slope there."""

    t: Any
    loss: float
    grad: Tensor
    slope: Tensor


def strong_wolfe(
    evaluate: Callable[[Any], tuple[float, Tensor]],
    length: Any,
    direction: Tensor,
    loss: float,
    grad: Tensor,
    slope: Tensor,
    *,
    max_evaluations: int,
) -> tuple[float, Tensor, Any, int]:
    """A good step: the loss and the gradient there, its length, and how often `evaluate` was called.

    `evaluate` gives loss and gradient a step of some length away; `loss`, `grad` and `slope` (the gradient along the
    direction) are those of no step at all.
    """

    def at(t: Any) -> Point:
        value, gradient = evaluate(t)
        return Point(t, value, gradient.clone(), gradient.dot(direction))

    start = Point(0, loss, grad.clone(), slope)
    bracket, searched = _find_bracket(at, start, length, max_evaluations)
    evaluations = searched + 1
    if len(bracket) == 1:
        best = bracket[0]
    else:
        best, shrunk = _zoom(at, start, bracket, direction.abs().max(), max_evaluations - searched)
        evaluations += shrunk
    return best.loss, best.grad, best.t, evaluations


def _find_bracket(at: Callable[[Any], Point], start: Point, length: Any, limit: int) -> tuple[list[Point], int]:
    """One good step, or two with a good one between them; and how many more steps than one were tried."""
    before, now = start, at(length)
    for tried in range(limit):
        if now.loss > start.loss + DECREASE * now.t * start.slope or (tried > 1 and now.loss >= before.loss):
            return [before, now], tried
        if abs(now.slope) <= -FLATTENING * start.slope:
            return [now], tried
        if now.slope >= 0:
            return [before, now], tried
        bounds = (now.t + 0.01 * (now.t - before.t), now.t * 10)
        before, now = now, at(_cubic_minimum(before, now, bounds))
    return [start, now], max(limit, 0)


def _zoom(
    at: Callable[[Any], Point], start: Point, bracket: list[Point], width: Tensor, limit: int
) -> tuple[Point, int]:
    """The lower end of a bracket that is shrunk until it is a good step; and how many steps were tried."""
    low, high = sorted(bracket, key=lambda point: point.loss)  # the first of two equals stays first
    first, second = bracket
    stuck = False
    for tried in range(limit):
        if abs(second.t - first.t) * width < SMALLEST_CHANGE:
            return low, tried
        t = _cubic_minimum(first, second)
        nearest, farthest = min(first.t, second.t), max(first.t, second.t)
        margin = 0.1 * (farthest - nearest)
        # A step close to an end twice in a row makes no progress: move a tenth of the interval away from that end.
        if min(farthest - t, t - nearest) < margin:
            if stuck or t >= farthest or t <= nearest:
                t = farthest - margin if abs(t - farthest) < abs(t - nearest) else nearest + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        now = at(t)
        if now.loss > start.loss + DECREASE * t * start.slope or now.loss >= low.loss:
            first, second = (now, second) if high is first else (first, now)
            low, high = (first, second) if first.loss <= second.loss else (second, first)
            continue
        if abs(now.slope) <= -FLATTENING * start.slope:
            return now, tried + 1
        low_is_first = low is first
        if now.slope * (high.t - low.t) >= 0:
            high = low
        low = now
        first, second = (low, high) if low_is_first else (high, low)
    return low, max(limit, 0)


def _cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """The minimum of the cubic through two points with their slopes, within `bounds` or between the points."""
    lowest, highest = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    bend = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = bend**2 - a.slope * b.slope
    if square < 0:
        return (lowest + highest) / 2.0
    root = square.sqrt()
    if a.t <= b.t:
        t = b.t - (b.t - a.t) * ((b.slope + root - bend) / (b.slope - a.slope + 2 * root))
    else:
        t = a.t - (a.t - b.t) * ((a.slope + root - bend) / (a.slope - b.slope + 2 * root))
    return min(max(t, lowest), highest)
