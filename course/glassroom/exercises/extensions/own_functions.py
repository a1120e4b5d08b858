"""What the exercises on functions with a backward of your own have in common."""

from __future__ import annotations

import inspect
from typing import Any

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


def applied(answer: Any, name: str, *arguments: Any) -> Any:
    """What the learner's function makes of these arguments."""
    expect_function(answer, name)
    return call(answer.apply, f"{name}.apply", *arguments)


def leaf_of(tensor: Any) -> Any:
    """A leaf of its own with these values, which requires grad."""
    return tensor.detach().clone().requires_grad_()
