"""`Variable`, the class that tensors were wrapped in to have gradients, until PyTorch 0.4 made the two one.

Nothing is wrapped any more: `Variable(x)` is a tensor, and every tensor is an instance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.autograd import engine
from tensorglass.core.dtypes import FLOATING
from tensorglass.core.errors import warn
from tensorglass.ops.creation.fill import empty
from tensorglass.tensor.tensor import Tensor


class ImperativeEngine:
    """What programs reach as `Variable._execution_engine`."""

    @staticmethod
    def queue_callback(callback: Callable[[], Any]) -> None:
        """Call a function when the backward pass that runs in this thread is over."""
        walk = engine.current.walk
        if walk is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        if walk.callbacks is None:
            walk.callbacks = []
        walk.callbacks.append(callback)


class VariableMeta(type):
    """Every tensor is an instance of `Variable`."""

    _execution_engine = ImperativeEngine()

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """A leaf tensor on the memory of `data`, from the time before tensors had gradients themselves."""

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if volatile is not None and volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if data is None:
            data = empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if requires_grad and data.dtype.category < FLOATING:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return data.detach().requires_grad_(requires_grad)
