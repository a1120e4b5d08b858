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
from tensorglass.distributions.distribution import Distribution, ExponentialFamily
from tensorglass.distributions.gamma_family import Beta, Chi2, Dirichlet, Gamma, NegativeBinomial, StudentT
from tensorglass.distributions.heavy_tailed import Cauchy, Gumbel, HalfCauchy, HalfNormal, Pareto, Weibull
from tensorglass.distributions.kl import kl_divergence, register_kl
from tensorglass.distributions.lkj import LKJCholesky
from tensorglass.distributions.mixture import MixtureSameFamily
from tensorglass.distributions.relaxed import (
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from tensorglass.distributions.transforms import (
    AbsTransform,
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
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2",
    "ComposeTransform", "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily", "Gamma",
    "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "LKJCholesky", "Laplace", "LogNormal",
    "MixtureSameFamily", "Multinomial", "MultivariateNormal", "NegativeBinomial", "Normal", "OneHotCategorical",
    "OneHotCategoricalStraightThrough", "Pareto", "Poisson", "PowerTransform", "RelaxedBernoulli",
    "RelaxedOneHotCategorical", "SigmoidTransform", "SoftplusTransform", "StudentT", "TanhTransform", "Transform",
    "TransformedDistribution", "Uniform", "Weibull", "constraints", "kl_divergence", "register_kl", "transforms",
]  # fmt: skip
