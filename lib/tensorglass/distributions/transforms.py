"""Transforms that work element by element; and the names of all transforms.

`transform` has their base class and transforms composed of others, `vector_transforms` those of vectors and matrices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass.distributions import constraints
from tensorglass.distributions.constraints import Constraint
from tensorglass.distributions.distribution import Distribution, Value, broadcast_all
from tensorglass.distributions.transform import (
    CatTransform,
    ComposeTransform,
    Fixed,
    IndependentTransform,
    ReshapeTransform,
    StackTransform,
    Transform,
    _InverseTransform,
    identity_transform,
)
from tensorglass.distributions.vector_transforms import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
    clipped_sigmoid,
)
from tensorglass.nn.functional import softplus
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
    "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform",
    "_InverseTransform", "identity_transform",
]  # fmt: skip


class ExpTransform(Fixed):
    """``y = exp(x)``."""

    bijective = True
    sign = 1
    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class AbsTransform(Fixed):
    """``y = |x|``, which has no inverse: `inv` returns the positive number."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class PowerTransform(Transform):
    """``y = x ** exponent`` of positive numbers."""

    bijective = True
    domain = codomain = constraints.positive

    def __init__(self, exponent: Value, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @property
    def sign(self) -> Any:
        """The sign of `exponent`."""
        return self.exponent.sign()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return torch.broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self.forward_shape(shape)

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool((self.exponent == other.exponent).all())

    __hash__ = None


class SigmoidTransform(Fixed):
    """``y = 1 / (1 + exp(-x))``."""

    bijective = True
    sign = 1
    domain = constraints.real
    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        limits = torch.finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Fixed):
    """``y = log(1 + exp(x))``."""

    bijective = True
    sign = 1
    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(Fixed):
    """``y = tanh(x)``."""

    bijective = True
    sign = 1
    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AffineTransform(Transform):
    """``y = loc + scale * x``, for events with `event_dim` dimensions."""

    bijective = True

    def __init__(self, loc: Value, scale: Value, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    @property
    def sign(self) -> Any:
        """The sign of `scale`."""
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return torch.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self.forward_shape(shape)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            log_det = self.scale.abs().log()
        else:
            log_det = torch.full_like(x, math.log(abs(self.scale)))
        if self._event_dim:
            log_det = log_det.view((*log_det.shape[: -self._event_dim], -1)).sum(-1)
        return log_det.expand(x.shape[: x.dim() - self._event_dim])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return all(
            bool(torch.as_tensor(one == another).all())
            for one, another in ((self.loc, other.loc), (self.scale, other.scale))
        )

    __hash__ = None


class CumulativeDistributionTransform(Transform):
    """The cumulative distribution function of a distribution: its samples become uniform on 0 to 1.

    It is the transform of a copula: Nelsen, "An Introduction to Copulas" (2006).
    """

    bijective = True
    sign = 1
    codomain = constraints.unit_interval

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Constraint | None:
        """The support of the distribution."""
        support: Constraint = self.distribution.support
        return support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
