"""``torch.distributions``: distributions of tensors, with samples, densities, entropies and divergences.

>>> torch.distributions.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
tensor(-0.9189)
"""

from tensorglass.distributions import constraint_registry, constraints, transforms, utils
from tensorglass.distributions.bounded import ContinuousBernoulli, Kumaraswamy, LogisticNormal
from tensorglass.distributions.circular import VonMises
from tensorglass.distributions.constraint_registry import biject_to, transform_to
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
from tensorglass.distributions.gamma_family import (
    Beta,
    Chi2,
    Dirichlet,
    FisherSnedecor,
    Gamma,
    InverseGamma,
    NegativeBinomial,
    StudentT,
)
from tensorglass.distributions.heavy_tailed import (
    Cauchy,
    GeneralizedPareto,
    Gumbel,
    HalfCauchy,
    HalfNormal,
    Pareto,
    Weibull,
)
from tensorglass.distributions.kl import kl_divergence, register_kl
from tensorglass.distributions.lkj import LKJCholesky
from tensorglass.distributions.low_rank import LowRankMultivariateNormal
from tensorglass.distributions.mixture import MixtureSameFamily
from tensorglass.distributions.relaxed import (
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from tensorglass.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from tensorglass.distributions.wishart import Wishart

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "CatTransform", "Categorical", "Cauchy",
    "Chi2", "ComposeTransform", "ContinuousBernoulli", "CorrCholeskyTransform", "CumulativeDistributionTransform",
    "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma",
    "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "IndependentTransform",
    "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal",
    "LowRankMultivariateNormal", "LowerCholeskyTransform", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson",
    "PositiveDefiniteTransform", "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform", "StickBreakingTransform",
    "StudentT", "TanhTransform", "Transform", "TransformedDistribution", "Uniform", "VonMises", "Weibull", "Wishart",
    "biject_to", "constraint_registry", "constraints", "identity_transform", "kl_divergence", "register_kl",
    "transform_to", "transforms", "utils",
]  # fmt: skip
