"""The gamma distribution and those built on it: chi-square, beta, Dirichlet, Student's t, F, inverse gamma, negative
binomial.

A gamma variable is drawn by the method of Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000).
Its derivative with respect to the concentration a follows from ``F(z; a) = u`` with u held constant: ``dz/da = -(∂F/∂a)
/ p(z)`` (Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients", 2018).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.derived import TransformedDistribution
from tensorglass.distributions.discrete import OfChance
from tensorglass.distributions.distribution import Distribution, ExponentialFamily, Value, broadcast_all, lazy_property
from tensorglass.distributions.transforms import PowerTransform
from tensorglass.nn.functional import logsigmoid, one_hot
from tensorglass.tensor.generator import Generator
from tensorglass.tensor.tensor import Tensor


class _StandardGamma(torch.autograd.Function):
    """Samples of rate 1, and their gradient with respect to the concentration."""

    @staticmethod
    def forward(ctx: Any, concentration: Tensor, generator: Generator | None = None) -> Tensor:
        drawn = (
            _drawn(concentration.double().reshape(-1), generator).reshape(concentration.shape).to(concentration.dtype)
        )
        ctx.save_for_backward(concentration, drawn)
        return drawn

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[Tensor, None]:
        concentration, drawn = (saved_tensor.double() for saved_tensor in ctx.saved_tensors)
        step = 1e-5 * concentration
        rise = torch.special.gammainc(concentration + step, drawn) - torch.special.gammainc(concentration - step, drawn)
        log_density = (concentration - 1) * drawn.log() - drawn - torch.lgamma(concentration)
        return (grad[0] * -(rise / (2 * step) / log_density.exp())).to(grad[0].dtype), None


def _drawn(concentration: Tensor, generator: Generator | None) -> Tensor:
    def uniform(like: Tensor) -> Tensor:
        return torch.rand(like.shape, generator=generator, dtype=like.dtype, device=like.device)

    raised = torch.where(concentration < 1, concentration + 1, concentration)
    d = raised - 1 / 3
    c = (9 * d).rsqrt()
    result = torch.empty_like(d)
    waiting = torch.arange(d.numel(), device=d.device)
    while waiting.numel():
        x = torch.randn(waiting.shape, generator=generator, dtype=d.dtype, device=d.device)
        u = uniform(x)
        v = (1 + c[waiting] * x) ** 3
        is_taken = (v > 0) & (torch.log(u) < 0.5 * x**2 + d[waiting] * (1 - v + torch.log(v.clamp(min=1e-300))))
        result[waiting[is_taken]] = (d[waiting] * v)[is_taken]
        waiting = waiting[~is_taken]
    lowered = result * uniform(result) ** (1 / concentration)  # by Stuart's theorem
    return torch.where(concentration < 1, lowered, result)


def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """``torch._standard_gamma``: a sample of rate 1 for each concentration; gradients flow through it."""
    drawn: Tensor = _StandardGamma.apply(input, generator)
    return drawn


class Gamma(ExponentialFamily):
    """The gamma distribution: ``rate^a x^(a-1) exp(-rate x) / Γ(a)``, where a is the `concentration`."""

    arg_constraints: ClassVar[constraints.Constraints] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: Value, rate: Value, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=torch.finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Value) -> Tensor:
        value = torch.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._validate_sample(value)
        a = self.concentration
        return torch.xlogy(a, self.rate) + torch.xlogy(a - 1, value) - self.rate * value - torch.lgamma(a)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return torch.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - torch.log(self.rate) + torch.lgamma(a) + (1.0 - a) * torch.digamma(a)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, *natural: Tensor) -> Tensor:
        x, y = natural
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())


class Chi2(Gamma):
    """The chi-square distribution: that of the sum of the squares of `df` standard normal variables."""

    arg_constraints: ClassVar[constraints.Constraints] = {"df": constraints.positive}

    def __init__(self, df: Value, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.concentration, new.rate = (
            parameter.expand(new._batch_shape) for parameter in (self.concentration, self.rate)
        )
        return new

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution of K probabilities that sum to 1; `concentration` has size (…, K)."""

    arg_constraints: ClassVar[constraints.Constraints] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        is_corner = (self.concentration < 1).all(dim=-1)
        mode[is_corner] = one_hot(mode[is_corner].argmax(dim=-1), above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        parts = _standard_gamma(self.concentration.expand(self._extended_shape(sample_shape)))
        parts.detach().clamp_(min=torch.finfo(parts.dtype).tiny)
        return parts / parts.sum(-1, True)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a = self.concentration
        return torch.xlogy(a - 1.0, value).sum(-1) + torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)

    def entropy(self) -> Tensor:
        a = self.concentration
        count, total = a.size(-1), a.sum(-1)
        beta = torch.lgamma(a).sum(-1) - torch.lgamma(total)
        return beta - (count - total) * torch.digamma(total) - ((a - 1.0) * torch.digamma(a)).sum(-1)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, *natural: Tensor) -> Tensor:
        (x,) = natural
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))


class Beta(ExponentialFamily):
    """The beta distribution: ``x^(a-1) (1-x)^(b-1) / B(a, b)``, with a `concentration1` and b `concentration0`."""

    arg_constraints: ClassVar[constraints.Constraints] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Value, concentration0: Value, validate_args: bool | None = None) -> None:
        both = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return new

    @property
    def concentration1(self) -> Tensor:
        """The exponent of x, plus 1."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The exponent of ``1 - x``, plus 1."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, *natural: Tensor) -> Tensor:
        x, y = natural
        return torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)


class StudentT(Distribution):
    """Student's t distribution with `df` degrees of freedom, shifted by `loc` and scaled by `scale`."""

    arg_constraints: ClassVar[constraints.Constraints] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Value, loc: Value = 0.0, scale: Value = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._chi2 = self._chi2.expand(batch_shape)
        return new

    @property
    def mean(self) -> Tensor:
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        result = self.scale.pow(2) * self.df / (self.df - 2)
        return result.masked_fill(self.df <= 2, math.inf).masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = torch.normal(self.df.new_zeros(shape), self.df.new_ones(shape))
        return self.loc + self.scale * normal * torch.rsqrt(self._chi2.rsample(sample_shape) / self.df)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = self.scale.log() + 0.5 * self.df.log() + self._log_beta()
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - normalizer

    def entropy(self) -> Tensor:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        slope = more * (torch.digamma(more) - torch.digamma(half))
        return self.scale.log() + slope + 0.5 * self.df.log() + self._log_beta()

    def _log_beta(self) -> Tensor:
        return torch.lgamma(0.5 * self.df) + 0.5 * math.log(math.pi) - torch.lgamma(0.5 * (self.df + 1))


class FisherSnedecor(Distribution):
    """Fisher's F distribution: the ratio of two chi-square variables, each divided by its degrees of freedom, `df1` and
    `df2`.
    """

    arg_constraints: ClassVar[constraints.Constraints] = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Value, df2: Value, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gammas = tuple(Gamma(df / 2, df) for df in (self.df1, self.df2))
        super().__init__(self.df1.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, self._get_checked_instance(FisherSnedecor, _instance))
        new._gammas = tuple(gamma.expand(batch_shape) for gamma in self._gammas)
        return new

    @property
    def mean(self) -> Tensor:
        return (self.df2 / (self.df2 - 2)).masked_fill(self.df2 <= 2, math.nan)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, math.nan)

    @property
    def variance(self) -> Tensor:
        variance = 2 * self.mean.pow(2) * (self.df1 + self.df2 - 2) / (self.df1 * (self.df2 - 4))
        return variance.masked_fill(self.df2 <= 4, math.nan)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        above, below = (gamma.rsample(sample_shape) for gamma in self._gammas)
        tiny = torch.finfo(below.dtype).tiny
        return (above / below.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a, b, ratio = self.df1 / 2, self.df2 / 2, self.df1 / self.df2
        beta = torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)
        return a * ratio.log() + (a - 1) * value.log() - (a + b) * torch.log1p(ratio * value) - beta


class InverseGamma(TransformedDistribution):
    """The distribution of ``1 / x``, where x has a gamma distribution."""

    arg_constraints = Gamma.arg_constraints
    support = constraints.positive
    has_rsample = True
    base_dist: Any

    def __init__(self, concentration: Value, rate: Value, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        """The concentration of the gamma variable."""
        concentration: Tensor = self.base_dist.concentration
        return concentration

    @property
    def rate(self) -> Tensor:
        """The rate of the gamma variable; ``1 / x`` is proportional to it."""
        rate: Tensor = self.base_dist.rate
        return rate

    @property
    def mean(self) -> Tensor:
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        return torch.where(a > 2, (self.rate / (a - 1)).square() / (a - 2), math.inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + torch.lgamma(a) - (1 + a) * torch.digamma(a)


class NegativeBinomial(OfChance):
    """The number of successes, each with probability `probs`, before `total_count` failures."""

    arg_constraints: ClassVar[constraints.Constraints] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Value,
        probs: Value | None = None,
        logits: Value | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.total_count: Tensor
        super().__init__({"total_count": total_count}, probs, logits, validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / torch.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Gamma:
        return Gamma(self.total_count, torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        chances = self.total_count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        ways = torch.lgamma(self.total_count + value) - torch.lgamma(1.0 + value) - torch.lgamma(self.total_count)
        return chances + ways.masked_fill(self.total_count + value == 0.0, 0.0)
