"""Padding layers. `padding` says how much is added before and after, from the last dimension on."""

from __future__ import annotations

from tensorglass.nn import functional as F
from tensorglass.nn.modules.lengths import Ints, for_each
from tensorglass.nn.modules.module import Module
from tensorglass.nn.modules.module.inherited import named_after_subclass
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip


@named_after_subclass("__init__")
class _PadNd(Module):
    """Pads the last `_rank` dimensions with elements of the input, as `_mode` says."""

    __constants__ = ("padding",)
    _rank: int
    _mode: str

    def __init__(self, padding: Ints) -> None:
        super().__init__()
        self.padding = for_each(padding, 2 * self._rank)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ReflectionPad1d(_PadNd):
    """Signals mirrored at their ends: (N, C, L) → (N, C, L')."""

    _rank, _mode = 1, "reflect"


class ReflectionPad2d(_PadNd):
    """Images mirrored at their borders: (N, C, H, W) → (N, C, H', W')."""

    _rank, _mode = 2, "reflect"


class ReflectionPad3d(_PadNd):
    """Volumes mirrored at their borders: (N, C, D, H, W) → (N, C, D', H', W')."""

    _rank, _mode = 3, "reflect"


class ReplicationPad1d(_PadNd):
    """Signals whose ends are repeated: (N, C, L) → (N, C, L')."""

    _rank, _mode = 1, "replicate"


class ReplicationPad2d(_PadNd):
    """Images whose borders are repeated: (N, C, H, W) → (N, C, H', W')."""

    _rank, _mode = 2, "replicate"


class ReplicationPad3d(_PadNd):
    """Volumes whose borders are repeated: (N, C, D, H, W) → (N, C, D', H', W')."""

    _rank, _mode = 3, "replicate"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def _check_input_dim(self, input: Tensor) -> None:
        rank = self._rank
        if input.dim() not in (rank + 1, rank + 2):
            raise ValueError(f"expected {rank + 1}D or {rank + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Signals padded with elements from their other end: (N, C, L) → (N, C, L')."""

    _rank = 1


class CircularPad2d(_CircularPadNd):
    """Images padded with elements from their other side: (N, C, H, W) → (N, C, H', W')."""

    _rank = 2


class CircularPad3d(_CircularPadNd):
    """Volumes padded with elements from their other side: (N, C, D, H, W) → (N, C, D', H', W')."""

    _rank = 3


@named_after_subclass("__init__")
class _ConstantPadNd(Module):
    __constants__ = ("padding", "value")
    _rank: int

    def __init__(self, padding: Ints, value: float) -> None:
        super().__init__()
        self.padding, self.value = for_each(padding, 2 * self._rank), value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Signals with `value` around them: (N, C, L) → (N, C, L')."""

    _rank = 1


class ConstantPad2d(_ConstantPadNd):
    """Images with `value` around them: (N, C, H, W) → (N, C, H', W')."""

    _rank = 2


class ConstantPad3d(_ConstantPadNd):
    """Volumes with `value` around them: (N, C, D, H, W) → (N, C, D', H', W')."""

    _rank = 3


@named_after_subclass("__init__")
class _ZeroPad(_ConstantPadNd):
    def __init__(self, padding: Ints) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Signals with zeros around them: (N, C, L) → (N, C, L')."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Images with zeros around them: (N, C, H, W) → (N, C, H', W')."""


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Volumes with zeros around them: (N, C, D, H, W) → (N, C, D', H', W')."""
