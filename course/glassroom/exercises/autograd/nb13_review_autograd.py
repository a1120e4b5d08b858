"""The exercise of part 3's review: a gradient that is clipped on its way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_no_copies, expect_tensor, expect_value, expect_view
from glassroom.exercises.facts import values


@exercise(
    "a13-clipped",
    setup="tensor = torch.tensor",
    hints=[
        "A hook on a tensor sees its gradient on the way back, and what it returns goes on instead.",
        "The hook belongs on a result of its own, or every use of x would be clipped. view_as(x) copies nothing.",
        """
        def clipped(x, limit):
            y = x.view_as(x)
            if y.requires_grad:
                y.register_hook(…)
            return y
        """,
        """
        def clipped(x, limit):
            y = x.view_as(x)
            if y.requires_grad:
                y.register_hook(lambda grad: grad.clamp(-limit, limit))
            return y
        """,
    ],
)
def clipped(clipped: Callable[..., Any], *, tensor: Any) -> str:
    numbers = [0.5, -3.0, 2.0]
    plain = tensor(numbers)
    with account() as kept:
        result = call(clipped, "clipped", plain, 1.0)
    expect_tensor(result, "clipped(x, 1.0)", shape=(3,))
    expect(
        values(result.detach()) != [0.5, -1.0, 1.0],
        "the values were clipped, on their way forward. Clip the gradient instead, on its way back.",
    )
    expect_value(result.detach(), "clipped(x, 1.0)", numbers)
    because = "view_as(x) is a result of its own, and reads the same memory."
    expect_view(result, "clipped(x, 1.0)", of=plain, of_name="x", because=because)
    expect_no_copies(kept, "clipped", because)

    x, weights = tensor(numbers, requires_grad=True), tensor([10.0, -10.0, 0.25])
    passed = call(clipped, "clipped", x, 1.0)
    expect(passed.requires_grad, "the result does not require grad: detach or no_grad cut it off `x`.")
    (passed * weights).sum().backward()
    expect(x.grad is not None, "no gradient reaches `x`.")
    now = values(x.grad)
    expect(now != [10.0, -10.0, 0.25], "the gradient arrives as it was: nothing has clipped it.")
    expect(now != [1.0, 1.0, 0.25], "the sign is lost: an element below -limit becomes -limit.")
    expect_value(x.grad, "the gradient of x, of weights 10, -10 and 0.25", [1.0, -1.0, 0.25])
    x.grad = None
    (call(clipped, "clipped", x, 1.0) * weights + x * 5).sum().backward()
    expect(
        values(x.grad) != [1.0, -1.0, 1.0],
        "another use of `x` beside this one is clipped too: the hook is on `x` itself. It belongs on the result.",
    )
    expect_value(x.grad, "the gradient of x, which has a second use with weight 5", [6.0, 4.0, 5.25])
    x.grad = None
    (call(clipped, "clipped", x, 4.0) * weights).sum().backward()
    expect_value(x.grad, "the gradient of x, with limit 4,", [4.0, -4.0, 0.25])
    return "Nothing is changed forward, and on the way back no element is too large."
