"""What the exercises on functions with a backward of your own have in common."""

from __future__ import annotations

import inspect
from typing import Any

from glassroom.exercises.engine import Misconception
from glassroom.exercises.expect import (
    call,
    expect,
)
from glassroom.exercises.facts import (
    text,
)


def expect_function(answer: Any, name: str) -> None:
    is_function = isinstance(answer, type) and hasattr(answer, "apply") and hasattr(answer, "backward")
    expect(
        not isinstance(answer, type) or is_function,
        f"the class `{name}` does not derive from torch.autograd.Function: class {name}(torch.autograd.Function).",
    )
    expect(
        is_function,
        f"`{name}` is {text(answer)}; it should be a class that derives from torch.autograd.Function.",
    )
    for part in ("forward", "setup_context", "backward", "jvp", "vmap"):
        if callable(getattr(answer, part, None)):
            expect(
                isinstance(inspect.getattr_static(answer, part), staticmethod),
                f"`{name}.{part}` is not static. Nobody makes an object of the class: `@staticmethod` stands above it.",
            )
    expect(
        "setup_context" not in vars(answer) or _first_name(answer.forward) != _first_name(answer.setup_context),
        f"`{name}.forward` takes `ctx`. Beside a setup_context, forward has no ctx: it takes what apply takes, and "
        "setup_context(ctx, inputs, output) is called after it.",
    )


def _first_name(function: Any) -> str:
    """The name of a function's first argument; "" if it has none."""
    return next(iter(inspect.signature(function).parameters), "") if callable(function) else ""


def applied(answer: Any, name: str, *arguments: Any) -> Any:
    """What the learner's function makes of these arguments."""
    expect_function(answer, name)
    try:
        return call(answer.apply, f"{name}.apply", *arguments)
    except Misconception as misconception:
        first_style = "setup_context" not in vars(answer)
        without_ctx = first_style and _first_name(answer.forward) != _first_name(answer.backward)
        expect(
            not without_ctx or "forward() takes" not in str(misconception),
            f"`{name}.forward` has no ctx, which it is given first: forward(ctx, …). Only beside a setup_context does "
            "forward take no ctx.",
        )
        raise


def leaf_of(tensor: Any) -> Any:
    """A leaf of its own with these values, which requires grad."""
    return tensor.detach().clone().requires_grad_()
