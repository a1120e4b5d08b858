"""Mixtures: a component is drawn at random, and then a value from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions.constraints import (
    Constraint,
    Constraints,
    MixtureSameFamilyConstraint,
    dependent_property,
)
from tensorglass.distributions.discrete import Categorical
from tensorglass.distributions.distribution import Distribution
from tensorglass.tensor.tensor import Tensor


class MixtureSameFamily(Distribution):
    """A mixture of K distributions of one class: the last batch dimension of `component_distribution` has size K.

    `mixture_distribution` is the Categorical that chooses one of them.
    """

    arg_constraints: ClassVar[Constraints] = {}

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of torch.distributions.Categorical"  # sic
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        batch, components = mixture_distribution.batch_shape, component_distribution.batch_shape
        for one, other in zip(reversed(batch), reversed(components[:-1]), strict=False):
            if 1 != one != other != 1:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({batch}) is not compatible with `component_distribution."
                    f"batch_shape`({components[:-1]})"
                )
        count = mixture_distribution.logits.shape[-1]
        if count != components[-1]:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                f"({components[-1]})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = count
        self._event_ndims = len(component_distribution.event_shape)
        self._place = -1 - self._event_ndims  # the dimension of the components in samples
        super().__init__(components[:-1], component_distribution.event_shape, validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        count = self.component_distribution.batch_shape[-1]
        new._component_distribution = self.component_distribution.expand((*batch_shape, count))
        new._mixture_distribution = self.mixture_distribution.expand(batch_shape)
        return new

    @property
    def mixture_distribution(self) -> Categorical:
        """The Categorical that chooses a component."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    @dependent_property
    def support(self) -> Constraint:
        return MixtureSameFamilyConstraint(self.component_distribution.support)

    def _averaged(self, values: Tensor) -> Tensor:
        """The mean over the components, weighted by their probabilities."""
        return (values * self._pad_mixture_dimensions(self.mixture_distribution.probs)).sum(self._place)

    def _pad(self, x: Tensor) -> Tensor:
        """A value with a dimension for the components."""
        return x.unsqueeze(self._place)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        """Figures of the components, with the dimensions of a value behind."""
        return x.reshape(x.shape + (1,) * self._event_ndims)

    @property
    def mean(self) -> Tensor:
        return self._averaged(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        within = self._averaged(self.component_distribution.variance)
        apart = self.component_distribution.mean - self._pad(self.mean)
        return within + self._averaged(apart.pow(2.0))

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        with torch.no_grad():
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            places = chosen.reshape(chosen.shape + (1,) * -self._place).expand((*chosen.shape, 1, *self._event_shape))
            return drawn.gather(self._place, places).squeeze(self._place)

    def log_prob(self, x: Tensor) -> Tensor:
        self._validate_sample(x)
        log_probs = self.component_distribution.log_prob(self._pad(x))
        return torch.logsumexp(log_probs + torch.log_softmax(self.mixture_distribution.logits, -1), -1)

    def cdf(self, x: Tensor) -> Tensor:
        return (self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs).sum(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n  {self.mixture_distribution},\n  {self.component_distribution})"
