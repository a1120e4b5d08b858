"""``torch.distributions``: distributions of tensors, with samples, densities, entropies and divergences.

>>> torch.distributions.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
tensor(-0.9189)
"""

from tensorglass.distributions import constraints, transforms
from tensorglass.distributions.continuous import Exponential, Laplace, MultivariateNormal, Normal, Uniform
from tensorglass.distributions.derived import Independent, LogNormal, TransformedDistribution
from tensorglass.distributions.discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    Geometric,
    Multinomial,
    OneHotCategorical,
    Poisson,
)
from tensorglass.distributions.distribution import Distribution
from tensorglass.distributions.kl import kl_divergence, register_kl
from tensorglass.distributions.transforms import (
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
)

__all__ = [
    "AffineTransform", "Bernoulli", "Binomial", "Categorical", "ComposeTransform", "Distribution", "ExpTransform",
    "Exponential", "Geometric", "Independent", "Laplace", "LogNormal", "Multinomial", "MultivariateNormal", "Normal",
    "OneHotCategorical", "Poisson", "PowerTransform", "SigmoidTransform", "SoftplusTransform", "TanhTransform",
    "Transform", "TransformedDistribution", "Uniform", "constraints", "kl_divergence", "register_kl", "transforms",
]  # fmt: skip
