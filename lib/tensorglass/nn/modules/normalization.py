"""Layer norm, group norm, RMS norm and local response norm."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass.nn import functional as F
from tensorglass.nn import init
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parameter import Parameter
from tensorglass.tensor.tensor import Tensor

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LocalResponseNorm(Module):
    """Each element divided by ``(k + alpha · mean of the squares of `size` channels around it) ** beta``.

    (N, C, …) → (N, C, …). Krizhevsky et al. 2012 (AlexNet).
    """

    __constants__ = ("size", "alpha", "beta", "k")

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """`LocalResponseNorm` of images, (N, C, H, W), by its name in Torch 7."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class _ByShape(Module):
    """The base class of norms over the last dimensions, which have size `normalized_shape`."""

    __constants__ = ("normalized_shape", "eps", "elementwise_affine")
    weight: Parameter | None

    def _shape(self, normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
        if isinstance(normalized_shape, numbers.Integral):
            return (int(normalized_shape),)
        return tuple(normalized_shape)  # type: ignore[arg-type]  # not an integer

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LayerNorm(_ByShape):
    """Normalizes the last dimensions, which have size `normalized_shape` (Ba et al. 2016).

    `weight` and `bias` have that size too, and begin as ones and zeros.
    """

    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = self._shape(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        for name, is_there in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            parameter = Parameter(torch.empty(self.normalized_shape, device=device, dtype=dtype)) if is_there else None
            self.register_parameter(name, parameter)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale by 1 and shift by 0 again."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, bias={self.bias is not None}"

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(_ByShape):
    """Divides the last dimensions by their root mean square (Zhang & Sennrich 2019).

    `weight` has size `normalized_shape`, and begins as ones. `eps` defaults to that of the dtype.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = self._shape(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        parameter = (
            Parameter(torch.empty(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        )
        self.register_parameter("weight", parameter)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale by 1 again."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    """Normalizes each of `num_groups` groups of channels of each sample of (N, C, …) by itself (Wu & He 2018).

    `weight` and `bias` have size (num_channels), and begin as ones and zeros.
    """

    __constants__ = ("num_groups", "num_channels", "eps", "affine")
    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        for name, is_there in (("weight", affine), ("bias", affine and bias)):
            parameter = Parameter(torch.empty(num_channels, device=device, dtype=dtype)) if is_there else None
            self.register_parameter(name, parameter)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale by 1 and shift by 0 again."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )
