"""`torch.utils._python_dispatch`: libraries derive classes from its names. Nothing here sees the parts of operators."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut, left_out

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing", "transform_subclass"]


class TorchDispatchMode(LeftOut):
    """What sees the operators that run in a ``with`` block, and those that they are made of."""


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether this tensor consists of others, and a compiler may take it apart: never."""
    return False


return_and_correct_aliasing = left_out("utils._python_dispatch.return_and_correct_aliasing")
transform_subclass = left_out("utils._python_dispatch.transform_subclass")
