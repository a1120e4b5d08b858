"""Relaxed discrete distributions: gradients flow through their samples. The samples are numbers near 0 and 1, or take
the gradient of the probabilities (Jang et al. 2017, Maddison et al. 2017, Bengio et al. 2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.derived import TransformedDistribution
from tensorglass.distributions.discrete import OfCategorical, OfChance, OneHotCategorical, clamp_probs
from tensorglass.distributions.distribution import Value, broadcast_all
from tensorglass.distributions.transforms import ExpTransform, SigmoidTransform
from tensorglass.tensor.tensor import Tensor


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` whose samples take the gradient of their probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class LogitRelaxedBernoulli(OfChance):
    """The log-odds of a `RelaxedBernoulli`: logistic noise around `logits`, divided by the temperature."""

    arg_constraints: ClassVar[constraints.Constraints] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.real

    def __init__(
        self,
        temperature: Tensor,
        probs: Value | None = None,
        logits: Value | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        super().__init__({}, probs, logits, validate_args)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        noise = clamp_probs(torch.rand(shape, dtype=probs.dtype, device=probs.device))
        return (noise.log() - (-noise).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        apart = logits - value.mul(self.temperature)
        return self.temperature.log() + apart - 2 * apart.exp().log1p()


class ExpRelaxedCategorical(OfCategorical):
    """The logarithms of a `RelaxedOneHotCategorical`: Gumbel noise on `logits`, divided by the temperature."""

    support = constraints.real_vector  # a part of it: the exponentials sum to 1
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise = clamp_probs(torch.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        scores = (self.logits - (-(noise.log())).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        count = self._event_shape[0]
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        volume = torch.full_like(self.temperature, float(count)).lgamma() + self.temperature.log().mul(count - 1)
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + volume


class _Relaxed(TransformedDistribution):
    """A transformed distribution whose parameters are those of its base."""

    has_rsample = True
    base_dist: Any

    @property
    def temperature(self) -> Tensor:
        """The temperature: the lower it is, the nearer samples are to 0 and 1."""
        temperature: Tensor = self.base_dist.temperature
        return temperature

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        probs: Tensor = self.base_dist.probs
        return probs

    @property
    def logits(self) -> Tensor:
        """The log-odds, or the logarithms of the probabilities."""
        logits: Tensor = self.base_dist.logits
        return logits


class RelaxedBernoulli(_Relaxed):
    """Numbers from 0 to 1: the lower the temperature, the nearer to 0 or 1; near 1 with probability `probs`."""

    arg_constraints = LogitRelaxedBernoulli.arg_constraints
    support = constraints.unit_interval

    def __init__(
        self,
        temperature: Tensor,
        probs: Value | None = None,
        logits: Value | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)


class RelaxedOneHotCategorical(_Relaxed):
    """Vectors that sum to 1: the lower the temperature, the nearer to one-hot vectors of classes drawn by `probs`."""

    arg_constraints = ExpRelaxedCategorical.arg_constraints
    support = constraints.simplex

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
