"""`Variable`, the class that wrapped tensors with gradients until PyTorch 0.4 merged it with Tensor.

Nothing is wrapped any more: `Variable(x)` is a tensor, and every tensor is an instance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.autograd.engine import current
from tensorglass.core.errors import warn
from tensorglass.tensor.tensor import Tensor


class VariableMeta(type):
    """Every tensor is an instance of `Variable`."""

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Engine:
    """What programs ask of the engine that runs backward passes."""

    @staticmethod
    def queue_callback(callback: Callable[[], object]) -> None:
        """Have `callback` called when the backward pass that runs now has visited its last node."""
        walk = current.walk
        if walk is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        if not walk.callbacks:
            walk.callbacks = []
        walk.callbacks.append(callback)

    @staticmethod
    def is_checkpoint_valid() -> bool:
        """Whether a checkpoint may compute its part again in this backward pass: in each, here."""
        return True


class Variable(metaclass=VariableMeta):
    """A leaf tensor on the memory of `data`, from the time before tensors had gradients themselves."""

    _execution_engine = Engine()

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        return data.detach().requires_grad_(requires_grad)
