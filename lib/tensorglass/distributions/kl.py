"""The Kullback–Leibler divergence of two distributions, by the formula that is registered for their classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorglass as torch
from tensorglass.distributions.bounded import ContinuousBernoulli
from tensorglass.distributions.continuous import Exponential, Laplace, MultivariateNormal, Normal, Uniform
from tensorglass.distributions.derived import Independent, LogNormal, TransformedDistribution
from tensorglass.distributions.discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    Geometric,
    OneHotCategorical,
    Poisson,
)
from tensorglass.distributions.distribution import Distribution, ExponentialFamily, sum_rightmost
from tensorglass.distributions.gamma_family import Beta, Dirichlet, Gamma
from tensorglass.distributions.heavy_tailed import EULER, Cauchy, Gumbel, HalfNormal, Pareto
from tensorglass.distributions.low_rank import LowRankMultivariateNormal
from tensorglass.tensor.tensor import Tensor

Formula = Callable[[Any, Any], Tensor]
_FORMULAS: dict[tuple[type, type], Formula] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Register the decorated function as ``KL(p ‖ q)`` for these classes and their subclasses."""
    for name, kind in (("type_p", type_p), ("type_q", type_q)):  # of any base, as other libraries have
        if not isinstance(kind, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorate(formula: Formula) -> Formula:
        _FORMULAS[type_p, type_q] = formula
        return formula

    return decorate


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """``KL(p ‖ q)``, the mean of ``log p(x) - log q(x)`` over x drawn from p: one number for each distribution of the
    batch.

    Raises NotImplementedError if no formula is registered for the two classes.
    """
    candidates = [
        (type(p).__mro__.index(left) + type(q).__mro__.index(right), formula)
        for (left, right), formula in _FORMULAS.items()
        if isinstance(p, left) and isinstance(q, right)
    ]
    if not candidates:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    _, formula = min(candidates, key=lambda candidate: candidate[0])  # the nearest
    return formula(p, q)


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(LogNormal, LogNormal)
def _log_normal(p: LogNormal, q: LogNormal) -> Tensor:
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = torch.log((q.high - q.low) / (p.high - p.low))
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * torch.exp(-distance / p.scale) - 1


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
        )
    relative = torch.linalg.solve_triangular(q._unbroadcasted_scale_tril, p._unbroadcasted_scale_tril, upper=False)
    spread = relative.pow(2).sum((-2, -1))
    away = torch.linalg.solve_triangular(q._unbroadcasted_scale_tril, (q.loc - p.loc).unsqueeze(-1), upper=False)
    return q._half_log_det() - p._half_log_det() + 0.5 * (spread + away.pow(2).sum((-2, -1)) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: Any, q: Any) -> Tensor:
    are_low = [isinstance(one, LowRankMultivariateNormal) for one in (p, q)]
    if p.event_shape != q.event_shape:
        named = "Low Rank" if all(are_low) else "(Low Rank)"
        raise ValueError(
            f"KL-divergence between two {named} Multivariate Normals with{' ' * 26}different event shapes cannot be "
            "computed"
        )
    # The covariance of p, as the sum of squares of factors; the trace of it with the precision of q is their sum.
    factors = (
        [p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag.sqrt().diag_embed()]
        if are_low[0]
        else [p._unbroadcasted_scale_tril]
    )
    log_dets = [
        one._log_det() if is_low else 2 * one._half_log_det() for one, is_low in zip((p, q), are_low, strict=True)
    ]
    if are_low[1]:
        spread = sum(q._trace_of_precision_with(factor) for factor in factors)
        squared = q._squared_distance(q.loc - p.loc)
    else:
        solved = [torch.linalg.solve_triangular(q._unbroadcasted_scale_tril, factor, upper=False) for factor in factors]
        spread = sum(column.pow(2).sum((-2, -1)) for column in solved)
        away = torch.linalg.solve_triangular(q._unbroadcasted_scale_tril, (q.loc - p.loc).unsqueeze(-1), upper=False)
        squared = away.pow(2).sum((-2, -1))
    result: Tensor = 0.5 * (log_dets[1] - log_dets[0] + spread + squared - p.event_shape[0])
    return result


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    others = torch.log1p(-p.probs) - torch.log1p(-q.probs)
    return p.mean * (p.logits - q.logits) + others + p._log_norm() - q._log_norm()


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    same, other = torch.log(p.probs) - torch.log(q.probs), torch.log1p(-p.probs) - torch.log1p(-q.probs)
    hit = torch.where(p.probs == 0, torch.zeros_like(same), p.probs * same)
    return hit + torch.where(p.probs == 1, torch.zeros_like(other), (1 - p.probs) * other)


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * one).masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = terms.masked_fill((q.probs == 0).expand_as(terms), math.inf)
    return terms.masked_fill((p.probs == 0).expand_as(terms), 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log()
    normalizers = torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
    powers = (p.concentration - q.concentration) * torch.digamma(p.concentration)
    return rates + normalizers + powers + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    mine, other = p.concentration, q.concentration
    normalizers = [
        torch.lgamma(concentration.sum(-1)) - torch.lgamma(concentration).sum(-1) for concentration in (mine, other)
    ]
    logs = torch.digamma(mine) - torch.digamma(mine.sum(-1, True))
    return normalizers[0] - normalizers[1] + ((mine - other) * logs).sum(-1)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, apart = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return -ratio.log() + apart + EULER * (ratio - 1) + torch.exp(-apart + (1 + ratio).lgamma()) - 1


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = p.alpha / q.alpha
    result = q.alpha * (p.scale / q.scale).log() + ratio.log() + 1 / ratio - 1
    return torch.where(p.scale < q.scale, math.inf, result)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    if type(p) is not type(q):
        raise NotImplementedError(
            f"The cross KL-divergence between different exponential families cannot {' ' * 28}be computed using "  # sic
            "Bregman divergences"
        )
    natural = [parameter.detach().requires_grad_() for parameter in p._natural_params]
    mine = p._log_normalizer(*natural)
    slopes = torch.autograd.grad(mine.sum(), natural, create_graph=True)
    total = q._log_normalizer(*q._natural_params) - mine
    for one, other, slope in zip(natural, q._natural_params, slopes, strict=True):
        total = total - sum_rightmost((other - one) * slope, len(q.event_shape))
    return total


# --- p and q of different classes: -entropy(p) - E[log q(x)], where the expectation follows from moments of p --------


def _log_mean(p: Any) -> Tensor:
    """The mean of log x."""
    if isinstance(p, Beta):
        return torch.digamma(p.concentration1) - torch.digamma(p.concentration1 + p.concentration0)
    if isinstance(p, Gamma):
        return torch.digamma(p.concentration) - p.rate.log()
    if isinstance(p, Exponential):
        return -EULER - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    return (torch.xlogy(p.high, p.high) - torch.xlogy(p.low, p.low)) / (p.high - p.low) - 1  # of Uniform


def _mean_of_exponential(p: Any, loc: Tensor, scale: Tensor) -> Tensor:
    """The mean of ``exp(-(x - loc) / scale)``."""
    rate = scale.reciprocal()
    if isinstance(p, Normal):
        return torch.exp(-(p.loc - loc) * rate + 0.5 * (p.scale * rate).pow(2))
    if isinstance(p, Gamma):
        return torch.exp(loc * rate - p.concentration * torch.log1p(rate / p.rate))
    if isinstance(p, Exponential):
        return torch.exp(loc * rate) * p.rate / (p.rate + rate)
    ends = torch.exp(-(p.low - loc) * rate) - torch.exp(-(p.high - loc) * rate)  # of Uniform
    return ends * scale / (p.high - p.low)


def _towards_exponential(p: Any, q: Exponential) -> Tensor:
    return q.rate.log() - q.rate * p.mean


def _towards_normal(p: Any, q: Normal) -> Tensor:
    away = p.variance + (p.mean - q.loc).pow(2)
    return -0.5 * math.log(2 * math.pi) - q.scale.log() - away / (2 * q.variance)


def _towards_gamma(p: Any, q: Gamma) -> Tensor:
    a = q.concentration
    return a * q.rate.log() - torch.lgamma(a) + (a - 1) * _log_mean(p) - q.rate * p.mean


def _towards_gumbel(p: Any, q: Gumbel) -> Tensor:
    return -q.scale.log() - (p.mean - q.loc) / q.scale - _mean_of_exponential(p, q.loc, q.scale)


def _towards_laplace(p: Any, q: Laplace) -> Tensor:
    apart = p.loc - q.loc
    width = p.scale * math.sqrt(2 / math.pi) * torch.exp(-0.5 * (apart / p.scale).pow(2))
    return -torch.log(2 * q.scale) - (width + apart * torch.erf(apart / (p.scale * math.sqrt(2)))) / q.scale


def _towards_uniform(p: Any, q: Uniform) -> Tensor:
    is_outside = (q.high < p.support.upper_bound) | (q.low > p.support.lower_bound)
    return (-torch.log(q.high - q.low)).masked_fill(is_outside, -math.inf)


def _towards_continuous_bernoulli(p: Any, q: ContinuousBernoulli) -> Tensor:
    return p.mean * q.logits + torch.log1p(-q.probs) + q._log_norm()


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: ContinuousBernoulli, q: Uniform) -> Tensor:
    result = (q.high - q.low).log() - p.entropy()
    return result.masked_fill((q.low >= 0) | (q.high <= 1), math.inf)  # PyTorch's: from 0 to 1 it is infinite, too


def _towards_beta(p: Uniform, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    beta = torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)
    turned = Uniform(1 - p.high, 1 - p.low, validate_args=False)
    return (a - 1) * _log_mean(p) + (b - 1) * _log_mean(turned) - beta


def _towards_pareto(p: Uniform, q: Pareto) -> Tensor:
    return q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _log_mean(p)


def _towards_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return p.probs * q.rate.log() - q.rate


_MEANS: dict[tuple[tuple[type, ...], type], Formula] = {
    ((Beta, ContinuousBernoulli, Gamma, Pareto, Uniform), Exponential): _towards_exponential,
    ((Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform), Normal): _towards_normal,
    ((Beta, Uniform), ContinuousBernoulli): _towards_continuous_bernoulli,
    ((Beta, Exponential, Pareto, Uniform), Gamma): _towards_gamma,
    ((Exponential, Gamma, Normal, Uniform), Gumbel): _towards_gumbel,
    ((Normal,), Laplace): _towards_laplace,
    ((Beta,), Uniform): _towards_uniform,
    ((Uniform,), Beta): _towards_beta,
    ((Uniform,), Pareto): _towards_pareto,
    ((Bernoulli,), Poisson): _towards_poisson,
}
#: Pairs whose divergence is infinite: p has values outside of the support of q.
_APART: dict[tuple[type, ...], tuple[type, ...]] = {
    (Beta, ContinuousBernoulli): (Pareto,),
    (Exponential, Gamma): (Beta, ContinuousBernoulli, Pareto, Uniform),
    (Gumbel, Laplace, Normal): (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    (Pareto,): (Beta, ContinuousBernoulli, Uniform),
    (Poisson,): (Bernoulli, Binomial),
}


def _crossed(towards: Formula) -> Formula:
    def divergence(p: Any, q: Any) -> Tensor:
        result = -p.entropy() - towards(p, q)
        if isinstance(p, Uniform):
            lowest = {Pareto: getattr(q, "scale", 0.0), Normal: -math.inf, Gumbel: -math.inf}.get(type(q), 0.0)
            is_outside = p.low < lowest
            if isinstance(q, Beta):
                is_outside = is_outside | (p.high > 1)
            if isinstance(q, ContinuousBernoulli):  # PyTorch's, which excludes 0 and 1
                is_outside = (p.low <= 0) | (p.high >= 1)
            result = result.masked_fill(is_outside, math.inf)
        if isinstance(p, Pareto):
            result = result.masked_fill(p.alpha <= (2 if isinstance(q, Normal) else 1), math.inf)
        return result

    return divergence


def _infinite(p: Any, q: Any) -> Tensor:
    of_both = torch.broadcast_shapes(p.batch_shape, q.batch_shape)
    return torch.full_like(p.mean, math.inf).expand(of_both)


for _classes, _other in _MEANS:
    for _class in _classes:
        register_kl(_class, _other)(_crossed(_MEANS[_classes, _other]))
for _classes, _others in _APART.items():
    for _class in _classes:
        for _other in _others:
            register_kl(_class, _other)(_infinite)
