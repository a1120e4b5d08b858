"""Distributions derived from others: `Independent` counts batch dimensions as part of the event, and
`TransformedDistribution` transforms the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.continuous import Normal
from tensorglass.distributions.distribution import Distribution, Value, sum_rightmost
from tensorglass.distributions.transforms import ComposeTransform, ExpTransform, Transform
from tensorglass.tensor.tensor import Tensor


class Independent(Distribution):
    """A distribution whose last `reinterpreted_batch_ndims` batch dimensions count as part of the event."""

    arg_constraints: ClassVar[constraints.Constraints] = {}

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        base_batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(base_batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(base_batch)}"
            )
        cut = len(base_batch) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(base_batch[:cut], Size((*base_batch[cut:], *base_distribution.event_shape)), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.base_dist = self.base_dist.expand((*batch_shape, *self._event_shape[: self.reinterpreted_batch_ndims]))
        return new

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]  # it depends on the instance
        """Whether the base has `rsample`."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]  # it depends on the instance
        """Whether `enumerate_support` lists the values: the base's does, and no dimension of it is made a part."""
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> constraints.Constraint:
        support, dims = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(support, dims) if dims else support

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """The distribution of ``y = transform(x)``, where x has the `base_distribution`.

    Its density follows from the change of variables. Several transforms are applied one after the other. Where they
    work on vectors or matrices, batch dimensions of the base count as part of the event.
    """

    arg_constraints: ClassVar[constraints.Constraints] = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        if not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if not all(isinstance(transform, Transform) for transform in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        self._transform = transform = ComposeTransform(transforms)
        before = Size((*base_distribution.batch_shape, *base_distribution.event_shape))
        event_dim = len(base_distribution.event_shape)
        dims: int = transform.domain.event_dim
        if len(before) < dims:
            raise ValueError(f"base_distribution needs to have shape with size at least {dims}, but got {before}.")
        after = transform.forward_shape(before)
        wanted = transform.inverse_shape(after)  # parameters of the transforms may be batches
        if wanted != before:
            base_distribution = base_distribution.expand(wanted[: len(wanted) - event_dim])
        if dims > event_dim:
            base_distribution = Independent(base_distribution, dims - event_dim)
        self.base_dist = base_distribution
        event_dim = max(event_dim, dims) + transform.codomain.event_dim - dims
        cut = len(after) - event_dim
        super().__init__(Size(after[:cut]), Size(after[cut:]), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        before = self._transform.inverse_shape(Size((*batch_shape, *self._event_shape)))
        new.base_dist = self.base_dist.expand(before[: len(before) - len(self.base_dist.event_shape)])
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]  # it depends on the instance
        """Whether the base has `rsample`."""
        return self.base_dist.has_rsample

    @constraints.dependent_property
    def support(self) -> constraints.Constraint:
        if not self.transforms:
            return self.base_dist.support
        support: constraints.Constraint = self.transforms[-1].codomain
        dims = len(self._event_shape) - support.event_dim
        return constraints.independent(support, dims) if dims > 0 else support

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        with torch.no_grad():
            return self._transform(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        return self._transform(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        total: Any = 0.0
        dims = len(self._event_shape)
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            change = transform.log_abs_det_jacobian(before, value)
            total = total - sum_rightmost(change, dims - transform.domain.event_dim)
            value = before
        of_base = self.base_dist.log_prob(value)
        return total + sum_rightmost(of_base, dims - len(self.base_dist.event_shape))

    def cdf(self, value: Tensor) -> Tensor:
        return self._monotonize_cdf(self.base_dist.cdf(self._transform.inv(value)))

    def icdf(self, value: Tensor) -> Tensor:
        return self._transform(self.base_dist.icdf(self._monotonize_cdf(value)))

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        """`probability` where the transforms increase, and 1 minus it where they decrease."""
        sign = self._transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5


class LogNormal(TransformedDistribution):
    """The distribution of ``exp(x)`` with x normal, of mean `loc` and standard deviation `scale`."""

    arg_constraints: ClassVar[constraints.Constraints] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        return self._normal.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithm."""
        return self._normal.scale

    @property
    def _normal(self) -> Normal:
        assert isinstance(self.base_dist, Normal)
        return self.base_dist

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Tensor:
        return self._normal.entropy() + self.loc
