"""Distributions of numbers from 0 to 1, and of probabilities that sum to 1, with densities in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.continuous import Normal, Uniform
from tensorglass.distributions.derived import TransformedDistribution
from tensorglass.distributions.discrete import clamp_probs
from tensorglass.distributions.distribution import Distribution, ExponentialFamily, Value, broadcast_all, lazy_property
from tensorglass.distributions.heavy_tailed import EULER
from tensorglass.distributions.transforms import AffineTransform, PowerTransform, StickBreakingTransform
from tensorglass.nn.functional import binary_cross_entropy_with_logits
from tensorglass.tensor.tensor import Tensor


class ContinuousBernoulli(ExponentialFamily):
    """Numbers x from 0 to 1 with a density proportional to ``p^x (1 - p)^(1 - x)``, where p is `probs`; p is not their
    mean.

    For p between the two `lims`, close to 1/2, the formulas would divide 0 by 0: Taylor series replace them. Formulas
    by Loaiza-Ganem and Cunningham, "The continuous Bernoulli" (2019).
    """

    arg_constraints: ClassVar[constraints.Constraints] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Value | None = None,
        logits: Value | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            (given,) = broadcast_all(probs)
            if validate_args is not None and not self.arg_constraints["probs"].check(given).all():
                raise ValueError("The parameter probs has invalid values")
            self._param = self.probs = clamp_probs(given)
        else:
            (self.logits,) = broadcast_all(logits)
            self._param = self.logits
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, self._get_checked_instance(ContinuousBernoulli, _instance))
        new._param = vars(new)["probs" if "probs" in vars(new) else "logits"]
        return new

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithm of ``probs / (1 - probs)``."""
        return torch.log(self.probs) - torch.log1p(-self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """p, which determines the density."""
        return clamp_probs(torch.sigmoid(self.logits))

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    @property
    def param_shape(self) -> Size:
        """The size of the parameter."""
        return self._param.size()

    def _far_from_half(self) -> tuple[Tensor, Tensor]:
        """Whether p is far enough from 1/2, and p with another number in place of those that are not."""
        is_far = (self.probs <= self._lims[0]) | (self.probs > self._lims[1])
        return is_far, torch.where(is_far, self.probs, self._lims[0])

    def _log_norm(self) -> Tensor:
        """The logarithm of the density's normalizing factor, ``2 artanh(1 - 2p) / (1 - 2p)``."""
        is_far, p = self._far_from_half()
        exact = torch.log((torch.log1p(-p) - torch.log(p)).abs()) - torch.log((1 - 2 * p).abs())
        squared = (self.probs - 0.5) ** 2
        return torch.where(is_far, exact, math.log(2.0) + (4 / 3 + 104 / 45 * squared) * squared)

    @property
    def mean(self) -> Tensor:
        is_far, p = self._far_from_half()
        exact = p / (2 * p - 1) + 1 / (torch.log1p(-p) - torch.log(p))
        apart = self.probs - 0.5
        return torch.where(is_far, exact, 0.5 + (1 / 3 + 16 / 45 * apart**2) * apart)

    @property
    def variance(self) -> Tensor:
        is_far, p = self._far_from_half()
        exact = p * (p - 1) / (1 - 2 * p) ** 2 + 1 / (torch.log1p(-p) - torch.log(p)) ** 2
        squared = (self.probs - 0.5) ** 2
        return torch.where(is_far, exact, 1 / 12 - (1 / 15 - 128 / 945 * squared) * squared)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return self._log_norm() - binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        is_far, p = self._far_from_half()
        exact = (p**value * (1 - p) ** (1 - value) + p - 1) / (2 * p - 1)
        inside = torch.where(is_far, exact, value)
        return torch.where(value <= 0, 0.0, torch.where(value >= 1, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        is_far, p = self._far_from_half()
        log_other = torch.log1p(-p)
        exact = (torch.log1p(value * (2 * p - 1) - p) - log_other) / (torch.log(p) - log_other)
        return torch.where(is_far, exact, value)

    def entropy(self) -> Tensor:
        log_other = torch.log1p(-self.probs)
        return self.mean * (log_other - torch.log(self.probs)) - self._log_norm() - log_other

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural: Tensor) -> Tensor:
        (x,) = natural
        low, high = (limit - 0.5 for limit in self._lims)
        is_far = (x <= low) | (x > high)
        far = torch.where(is_far, x, low)
        series = 0.5 * x + x**2 / 24 - x**4 / 2880
        return torch.where(is_far, torch.log(torch.expm1(far).abs()) - torch.log(far.abs()), series)


class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy's distribution (1980), which resembles beta: a sample is at most x with probability ``1 - (1 -
    x^a)^b``.

    a is `concentration1` and b `concentration0`.
    """

    arg_constraints: ClassVar[constraints.Constraints] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Value, concentration0: Value, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        zeros = torch.zeros_like(self.concentration0)
        steps = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(1.0, -1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        base = Uniform(zeros, torch.ones_like(zeros), validate_args=validate_args)
        super().__init__(base, steps, validate_args=validate_args)

    def _moment(self, power: int) -> Tensor:
        """The mean of a power of x."""
        a, b = self.concentration1, self.concentration0
        raised = 1 + power / a
        return b * torch.exp(torch.lgamma(raised) + torch.lgamma(b) - torch.lgamma(raised + b))

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        log_mode = torch.log1p(-b) / b - torch.log1p(-a * b)  # as in PyTorch; the mode is ((a - 1) / (a b - 1))^(1/a)
        return log_mode.masked_fill((a < 1) | (b < 1), math.nan).exp()

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean**2

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = torch.digamma(b + 1) + EULER
        return (1 - 1 / b) + (1 - 1 / a) * harmonic - torch.log(a) - torch.log(b)


class LogisticNormal(TransformedDistribution):
    """Probabilities that sum to 1, from normal variables by breaking a stick: Aitchison and Shen (1980)."""

    arg_constraints: ClassVar[constraints.Constraints] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    base_dist: Any

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        base: Distribution = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the normal variables."""
        loc: Tensor = self.base_dist.base_dist.loc
        return loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the normal variables."""
        scale: Tensor = self.base_dist.base_dist.scale
        return scale
