"""Distributions of extreme values and with heavy tails: Cauchy, Gumbel, Weibull, both of Pareto; and of absolute
values: half-normal, half-Cauchy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.continuous import Exponential, Normal, Uniform
from tensorglass.distributions.derived import TransformedDistribution
from tensorglass.distributions.distribution import Distribution, Value, broadcast_all
from tensorglass.distributions.transforms import AbsTransform, AffineTransform, ExpTransform, PowerTransform
from tensorglass.tensor.tensor import Tensor

EULER = 0.57721566490153286060


class Cauchy(Distribution):
    """The Cauchy distribution around `loc`: ``1 / (π scale (1 + ((x - loc) / scale)²))``. It has no mean."""

    arg_constraints: ClassVar[constraints.Constraints] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return torch.full_like(self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return torch.full_like(self.loc, math.inf)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        return self.loc + self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


class _Half(TransformedDistribution):
    """The distribution of ``|x|``, where x is symmetric around 0."""

    arg_constraints: ClassVar[constraints.Constraints] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Any

    def __init__(self, base: Distribution, validate_args: bool | None) -> None:
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Tensor:
        """The scale of x."""
        scale: Tensor = self.base_dist.scale
        return scale

    @property
    def mode(self) -> Tensor:
        return torch.zeros_like(self.scale)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        result: Tensor = self.base_dist.log_prob(value) + math.log(2)
        return torch.where(value >= 0, result, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        result: Tensor = 2 * self.base_dist.cdf(value) - 1
        return result

    def icdf(self, prob: Tensor) -> Tensor:
        result: Tensor = self.base_dist.icdf((prob + 1) / 2)
        return result

    def entropy(self) -> Tensor:
        result: Tensor = self.base_dist.entropy() - math.log(2)
        return result


class HalfNormal(_Half):
    """The distribution of ``|x|``, where x is normal with mean 0 and standard deviation `scale`."""

    def __init__(self, scale: Value, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The distribution of ``|x|``, where x has the Cauchy distribution around 0."""

    def __init__(self, scale: Value, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), validate_args)

    @property
    def mean(self) -> Tensor:
        return torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self) -> Tensor:
        variance: Tensor = self.base_dist.variance
        return variance


class Gumbel(TransformedDistribution):
    """The Gumbel distribution, of the maximum of many: a sample is at most x with probability ``exp(-exp(-(x - loc) /
    scale))``.
    """

    arg_constraints: ClassVar[constraints.Constraints] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = torch.finfo(self.loc.dtype)
        low, high = (torch.full_like(self.loc, bound) for bound in (limits.tiny, 1 - limits.eps))
        turned = [ExpTransform().inv, AffineTransform(0, -torch.ones_like(self.scale))]
        moved = [ExpTransform().inv, AffineTransform(self.loc, -self.scale)]
        super().__init__(Uniform(low, high, validate_args=validate_args), turned + moved, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * EULER

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + EULER)


class Weibull(TransformedDistribution):
    """The Weibull distribution: a sample exceeds x with probability ``exp(-(x / scale)^concentration)``."""

    arg_constraints: ClassVar[constraints.Constraints] = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive

    def __init__(self, scale: Value, concentration: Value, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        steps = [PowerTransform(self.concentration_reciprocal), AffineTransform(0, self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.concentration_reciprocal = new.concentration.reciprocal()
        return new

    @property
    def mean(self) -> Tensor:
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration_reciprocal

    @property
    def variance(self) -> Tensor:
        inverse = self.concentration_reciprocal
        squares = torch.exp(torch.lgamma(1 + 2 * inverse)) - torch.exp(2 * torch.lgamma(1 + inverse))
        return self.scale.pow(2) * squares

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return EULER * (1 - inverse) + torch.log(self.scale * inverse) + 1


class Pareto(TransformedDistribution):
    """Pareto's distribution, type 1: a sample exceeds x with probability ``(scale / x)^alpha``, for x of at least
    `scale`.
    """

    arg_constraints: ClassVar[constraints.Constraints] = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Value, alpha: Value, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        super().__init__(base, [ExpTransform(), AffineTransform(0, self.scale)], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)  # the mean is infinite for an alpha of at most 1
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)  # the variance is infinite for an alpha of at most 2
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution, of values above a threshold `loc` (Pickands 1975).

    With z the excess over `loc`, divided by `scale`, and k the `concentration`, a sample exceeds z with probability
    ``(1 + k z)^(-1/k)``, or ``exp(-z)`` if k is 0. If k is negative, the excess is at most ``-scale / k``.
    """

    arg_constraints: ClassVar[constraints.Constraints] = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Value, scale: Value, concentration: Value, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, end, math.inf))

    def _by_concentration(self, limit: Tensor, formula: Callable[[Tensor], Tensor]) -> Tensor:
        """The value of a formula at the concentration, or its limit where the concentration is 0."""
        is_zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return torch.where(is_zero, limit, formula(self.concentration.masked_fill(is_zero, 1.0)))

    @property
    def mean(self) -> Tensor:
        k = self.concentration
        return torch.where(k < 1, self.loc + self.scale / (1 - k), math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        k = self.concentration
        return torch.where(k < 0.5, (self.scale / (1 - k)) ** 2 / (1 - 2 * k), math.nan)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        z = (value - self.loc) / self.scale
        return -self.scale.log() - self._by_concentration(z, lambda k: torch.special.xlog1py(1 / k + 1, k * z))

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of a sample above `value`."""
        self._validate_sample(value)
        z = (value - self.loc) / self.scale
        return self._by_concentration(-z, lambda k: -torch.log1p(k * z) / k)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of a sample of at most `value`."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        log_more = torch.log1p(-value)
        excess = self._by_concentration(-log_more, lambda k: torch.expm1(-k * log_more) / k)
        return self.loc + self.scale * excess

    def entropy(self) -> Tensor:
        return torch.log(self.scale) + self.concentration + 1
