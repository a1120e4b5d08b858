"""The Kullback–Leibler divergence of two distributions, by a formula for each pair of classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorglass as torch
from tensorglass.distributions.continuous import Exponential, Laplace, MultivariateNormal, Normal, Uniform
from tensorglass.distributions.derived import Independent, LogNormal
from tensorglass.distributions.discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    Geometric,
    OneHotCategorical,
    Poisson,
)
from tensorglass.distributions.distribution import Distribution, sum_rightmost
from tensorglass.tensor.tensor import Tensor

Formula = Callable[[Any, Any], Tensor]
_FORMULAS: dict[tuple[type, type], Formula] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """A decorator for the function that gives ``KL(p ‖ q)`` for these classes, and those derived from them."""

    def decorate(formula: Formula) -> Formula:
        _FORMULAS[type_p, type_q] = formula
        return formula

    return decorate


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """``KL(p ‖ q)``, the mean of ``log p(x) - log q(x)`` for x of p: of the size of the batch.

    NotImplementedError for classes that no formula is registered for.
    """
    found = [
        (type(p).__mro__.index(left) + type(q).__mro__.index(right), formula)
        for (left, right), formula in _FORMULAS.items()
        if isinstance(p, left) and isinstance(q, right)
    ]
    if not found:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    _, formula = min(found, key=lambda each: each[0])  # the nearest
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
    spread = torch.linalg.solve_triangular(q._factor, p._factor, upper=False).pow(2).sum((-2, -1))
    away = torch.linalg.solve_triangular(q._factor, (q.loc - p.loc).unsqueeze(-1), upper=False)
    return q._half_log_det() - p._half_log_det() + 0.5 * (spread + away.pow(2).sum((-2, -1)) - p.event_shape[0])


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
