"""Distributions' samples, densities, printed forms and errors are PyTorch's."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

BOTH: tuple[Any, Any] = (torch, tensorglass)
Make = Callable[[Any, Any], Any]  # `torch.distributions` and a function that makes a parameter → a distribution

#: Of each class two, with the same batch: for samples and for divergences.
PAIRS: dict[str, tuple[Make, Make]] = {
    "normal": (lambda d, t: d.Normal(t(0.5, -1.0), t(1.0, 2.0)), lambda d, t: d.Normal(t(0.0, 2.0), t(3.0, 0.5))),
    "normal of numbers": (lambda d, t: d.Normal(0.0, 2.0), lambda d, t: d.Normal(1, 0.5)),
    "log normal": (lambda d, t: d.LogNormal(t(0.5, -1.0), t(1.0, 0.2)), lambda d, t: d.LogNormal(t(0.0, 2.0), 3.0)),
    "uniform": (lambda d, t: d.Uniform(t(0.0, -1.0), t(1.0, 2.0)), lambda d, t: d.Uniform(t(0.0, -2.0), t(0.5, 2.0))),
    "exponential": (lambda d, t: d.Exponential(t(0.5, 2.0)), lambda d, t: d.Exponential(t(1.0, 0.1))),
    "laplace": (lambda d, t: d.Laplace(t(0.5, -1.0), t(1.0, 2.0)), lambda d, t: d.Laplace(t(0.0, 1.0), t(3.0, 0.5))),
    "multivariate normal": (
        lambda d, t: d.MultivariateNormal(t(1.0, 2.0), covariance_matrix=t((2.0, 0.3), (0.3, 1.0))),
        lambda d, t: d.MultivariateNormal(t(0.0, 1.0), scale_tril=t((1.0, 0.0), (0.5, 2.0))),
    ),
    "multivariate normal by its precision": (
        lambda d, t: d.MultivariateNormal(t((1.0, 2.0), (0.0, 1.0)), precision_matrix=t((2.0, 0.3), (0.3, 1.0))),
        lambda d, t: d.MultivariateNormal(t((0.0, 1.0), (1.0, 1.0)), scale_tril=t((1.0, 0.0), (0.5, 2.0))),
    ),
    "bernoulli": (lambda d, t: d.Bernoulli(t(0.2, 0.5)), lambda d, t: d.Bernoulli(logits=t(0.3, -2.0))),
    "binomial": (lambda d, t: d.Binomial(5, t(0.2, 0.7)), lambda d, t: d.Binomial(5, logits=t(0.3, -2.0))),
    "geometric": (lambda d, t: d.Geometric(t(0.2, 0.7)), lambda d, t: d.Geometric(logits=t(0.3, -2.0))),
    "poisson": (lambda d, t: d.Poisson(t(0.2, 7.0)), lambda d, t: d.Poisson(t(2.0, 3.0))),
    "categorical": (
        lambda d, t: d.Categorical(t((0.2, 0.7, 0.5), (0.1, 0.1, 3.0))),
        lambda d, t: d.Categorical(logits=t((0.2, 0.7, 0.5), (0.1, -0.1, 3.0))),
    ),
    "one hot": (
        lambda d, t: d.OneHotCategorical(t((0.2, 0.7, 0.5), (0.1, 0.1, 3.0))),
        lambda d, t: d.OneHotCategorical(logits=t((0.2, 0.7, 0.5), (0.1, -0.1, 3.0))),
    ),
    "gamma": (lambda d, t: d.Gamma(t(0.5, 2.0), t(1.0, 3.0)), lambda d, t: d.Gamma(t(1.5, 7.0), 2.0)),
    "chi-square": (lambda d, t: d.Chi2(t(0.5, 2.0)), lambda d, t: d.Chi2(t(3.0, 4.0))),
    "beta": (lambda d, t: d.Beta(t(0.5, 2.0), t(1.0, 3.0)), lambda d, t: d.Beta(t(1.5, 0.7), t(2.0, 0.4))),
    "dirichlet": (
        lambda d, t: d.Dirichlet(t((0.5, 2.0, 3.0), (1.0, 1.5, 4.0))),
        lambda d, t: d.Dirichlet(t((1.5, 0.7, 2.0), (0.3, 0.4, 0.6))),
    ),
    "correlation": (
        lambda d, t: d.LKJCholesky(3, t(0.5, 2.0)),
        lambda d, t: d.LKJCholesky(2, t((0.7,), (3.0,))),
    ),
    "correlation of numbers": (lambda d, t: d.LKJCholesky(4), lambda d, t: d.LKJCholesky(3, 1.5)),
    "student": (
        lambda d, t: d.StudentT(t(0.5, 3.0), t(1.0, -3.0), 2.0),
        lambda d, t: d.StudentT(t(1.5, 7.0)),
    ),
    "cauchy": (lambda d, t: d.Cauchy(t(0.5, 3.0), t(1.0, 2.0)), lambda d, t: d.Cauchy(t(1.5, 7.0), 3.0)),
    "half normal": (lambda d, t: d.HalfNormal(t(0.5, 3.0)), lambda d, t: d.HalfNormal(t(1.5, 7.0))),
    "half cauchy": (lambda d, t: d.HalfCauchy(t(0.5, 3.0)), lambda d, t: d.HalfCauchy(t(1.5, 7.0))),
    "gumbel": (lambda d, t: d.Gumbel(t(0.5, 3.0), t(1.0, 2.0)), lambda d, t: d.Gumbel(t(1.5, 7.0), 3.0)),
    "weibull": (lambda d, t: d.Weibull(t(0.5, 3.0), t(1.5, 2.0)), lambda d, t: d.Weibull(t(1.5, 7.0), 3.0)),
    "pareto": (lambda d, t: d.Pareto(t(0.5, 3.0), t(1.5, 2.5)), lambda d, t: d.Pareto(t(0.4, 7.0), 3.0)),
    "negative binomial": (
        lambda d, t: d.NegativeBinomial(t(0.5, 3.0), t(0.2, 0.6)),
        lambda d, t: d.NegativeBinomial(5, logits=t(0.5, -1.0)),
    ),
    "continuous bernoulli": (
        lambda d, t: d.ContinuousBernoulli(t(0.2, 0.5004)),
        lambda d, t: d.ContinuousBernoulli(logits=t(0.3, -2.0)),
    ),
    "kumaraswamy": (
        lambda d, t: d.Kumaraswamy(t(0.5, 2.0), t(1.0, 3.0)),
        lambda d, t: d.Kumaraswamy(t(1.5, 3.0), t(2.0, 4.0)),
    ),
    "logistic normal": (
        lambda d, t: d.LogisticNormal(t(0.5, -1.0), t(1.0, 2.0)),
        lambda d, t: d.LogisticNormal(t((0.5, 0.1, 2.0), (1.0, 1.0, 0.0)), 0.5),
    ),
    "fisher": (
        lambda d, t: d.FisherSnedecor(t(1.5, 6.0), t(3.0, 2.0)),
        lambda d, t: d.FisherSnedecor(t(3.0, 4.0), 6.0),
    ),
    "inverse gamma": (
        lambda d, t: d.InverseGamma(t(0.5, 3.0), t(1.0, 3.0)),
        lambda d, t: d.InverseGamma(t(1.5, 7.0), 2.0),
    ),
    "generalized pareto": (  # PyTorch's has a density in single precision only
        lambda d, t: d.GeneralizedPareto(t(0.5, 3.0, 1.0).float(), t(1.0, 2.0, 0.5).float(), t(0.0, 0.3, -0.7).float()),
        lambda d, t: d.GeneralizedPareto(t(0.5, 3.0).float(), 1.5, t(0.6, 1.5).float()),
    ),
    "von mises": (
        lambda d, t: d.VonMises(t(0.5, -1.0, 2.0), t(0.5, 3.0, 40.0)),
        lambda d, t: d.VonMises(t(9.0), t(1e-6, 3.75)),
    ),
    "low rank normal": (
        lambda d, t: d.LowRankMultivariateNormal(t(1.0, 2.0, 3.0), t((2.0,), (0.3,), (-1.0,)), t(1.0, 2.0, 0.5)),
        lambda d, t: d.LowRankMultivariateNormal(
            t((0.0, 1.0, 0.5), (1.0, 1.0, 0.0)), t((1.0, 0.0), (0.5, 2.0), (1.0, 1.0)), t(1.0, 0.1, 3.0)
        ),
    ),
    "wishart": (
        lambda d, t: d.Wishart(t(3.5, 7.0), covariance_matrix=t((2.0, 0.3), (0.3, 1.0))),
        lambda d, t: d.Wishart(t(4.0), precision_matrix=t(((2.0, 0.3), (0.3, 1.0)), ((1.0, 0.0), (0.0, 1.0)))),
    ),
    "wishart by its factor": (
        lambda d, t: d.Wishart(3, scale_tril=t((1.0, 0.0), (0.5, 2.0))),
        lambda d, t: d.Wishart(t(3.0), scale_tril=t((1.0, 0.0), (0.5, 2.0))),
    ),
    "mixture": (
        lambda d, t: d.MixtureSameFamily(d.Categorical(t(0.2, 0.5, 0.3)), d.Normal(t(0.0, 1.0, 5.0), t(1.0, 0.5, 2.0))),
        lambda d, t: d.MixtureSameFamily(
            d.Categorical(t((0.2, 0.8), (0.5, 0.5))),
            d.Independent(d.Normal(t(((0.0, 1.0), (2.0, 3.0)), ((4.0, 5.0), (6.0, 7.0))), 2.0), 1),
        ),
    ),
    "relaxed bernoulli": (
        lambda d, t: d.RelaxedBernoulli(t(0.5), t(0.2, 0.7)),
        lambda d, t: d.RelaxedBernoulli(t(0.7, 2.0), logits=t(0.3, -2.0)),
    ),
    "relaxed one hot": (
        lambda d, t: d.RelaxedOneHotCategorical(t(0.5), t((0.2, 0.7, 0.5), (0.1, 0.1, 3.0))),
        lambda d, t: d.RelaxedOneHotCategorical(t(0.7), logits=t(0.2, 0.7, 0.5)),
    ),
    "one hot straight through": (
        lambda d, t: d.OneHotCategoricalStraightThrough(t(0.2, 0.7, 0.5)),
        lambda d, t: d.OneHotCategoricalStraightThrough(logits=t((0.2, 0.7, 0.5), (0.1, -0.1, 3.0))),
    ),
    "multinomial": (
        lambda d, t: d.Multinomial(4, t(0.2, 0.7, 0.5)),
        lambda d, t: d.Multinomial(6, logits=t((0.2, 0.7, 0.5), (0.1, -0.1, 3.0))),
    ),
    "independent": (
        lambda d, t: d.Independent(d.Normal(t(0.5, -1.0), t(1.0, 2.0)), 1),
        lambda d, t: d.Independent(d.Normal(t(0.5, 1.0), t(3.0, 2.0)), 1),
    ),
    "transformed": (
        lambda d, t: d.TransformedDistribution(
            d.Normal(t(0.5, -1.0), 0.5), [d.AffineTransform(1.0, t(-2.0, 0.5)), d.SigmoidTransform()]
        ),
        lambda d, t: d.TransformedDistribution(d.Uniform(t(0.1, 0.2), t(0.5, 0.7)), d.AffineTransform(1, -2)),
    ),
    "more transforms": (
        lambda d, t: d.TransformedDistribution(d.Laplace(t(0.5, -1.0), 0.5), [d.SoftplusTransform(), d.ExpTransform()]),
        lambda d, t: d.TransformedDistribution(
            d.Uniform(t(0.1, 0.2), t(0.5, 0.7)), [d.PowerTransform(t(2.0, 3.0)), d.TanhTransform()]
        ),
    ),
}
CASES = [pytest.param(make, id=f"{name}{number}") for name, pair in PAIRS.items() for number, make in enumerate(pair)]
#: The library's samples of these are not PyTorch's: see `torch.poisson`, `torch.binomial` and the module of `Gamma`.
DRAWN_OTHERWISE = ("Poisson", "Binomial", "NegativeBinomial", "Gamma", "Chi2", "Beta", "Dirichlet", "StudentT",
                   "LKJCholesky", "FisherSnedecor", "InverseGamma", "Wishart")  # fmt: skip


def parameters(library: Any) -> Callable[..., Any]:
    return lambda *values: library.tensor(values, dtype=library.float64)


def made(library: Any, make: Make) -> Any:
    return make(library.distributions, parameters(library))


def outcome(call: Callable[[], Any]) -> Any:
    try:
        value = call()
    except (NotImplementedError, AttributeError, ValueError) as error:
        return type(error).__name__
    return value.detach() if hasattr(value, "detach") else value


def assert_equal(ours: Any, theirs: Any, tolerance: float = 1e-12) -> None:
    if not hasattr(theirs, "numpy"):
        assert str(ours) == str(theirs)
        return
    assert not isinstance(ours, str), theirs
    assert str(ours.dtype) == str(theirs.dtype)
    assert tuple(ours.shape) == tuple(theirs.shape)
    if str(theirs.dtype) == "torch.float32":
        tolerance = 2e-6
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("make", CASES)
def test_a_distribution_says_what_pytorchs_says(make: Make) -> None:
    theirs, ours = (made(library, make) for library in BOTH)
    for name in ("mean", "mode", "variance", "stddev", "batch_shape", "event_shape", "has_rsample", "support"):
        assert_equal(outcome(lambda n=name: getattr(ours, n)), outcome(lambda n=name: getattr(theirs, n)))
    for name in ("entropy", "perplexity", "enumerate_support"):
        assert_equal(outcome(getattr(ours, name)), outcome(getattr(theirs, name)))
    if "Transformed" not in repr(theirs):
        assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("shape", [(), (3,), (2, 1)])
@pytest.mark.parametrize("make", CASES)
def test_the_same_seed_draws_the_same_numbers(make: Make, shape: tuple[int, ...]) -> None:
    for name in ("sample", "rsample"):
        drawn = []
        for library in BOTH:
            distribution = made(library, make)
            library.manual_seed(4)
            drawn.append(outcome(lambda d=distribution, n=name: getattr(d, n)(shape)))
        theirs, ours = drawn
        if type(distribution).__name__ in DRAWN_OTHERWISE and not isinstance(theirs, str):
            assert tuple(ours.shape) == tuple(theirs.shape)
        else:
            assert_equal(ours, theirs)


@pytest.mark.parametrize("make", CASES)
def test_densities_and_their_gradients_are_pytorchs(make: Make) -> None:
    torch.manual_seed(2)
    drawn = made(torch, make).sample((4,))
    results = []
    for library in BOTH:
        leaves: list[Any] = []

        def parameter(*values: Any, leaves: list[Any] = leaves, library: Any = library) -> Any:
            leaves.append(library.tensor(values, dtype=library.float64, requires_grad=True))
            return leaves[-1]

        distribution = make(library.distributions, parameter)
        value = library.from_numpy(drawn.numpy())
        log_prob = distribution.log_prob(value)
        if leaves:
            log_prob.sum().backward()
        probability = outcome(lambda d=distribution, v=value: d.cdf(v))
        back = probability
        if not isinstance(probability, str):
            back = outcome(lambda d=distribution, p=probability: d.icdf(p))
        results.append([log_prob.detach(), *[leaf.grad for leaf in leaves], probability, back])
    tolerance = 2e-6 if results[0][0].dtype == torch.float32 else 1e-9
    for ours, theirs in zip(results[1], results[0], strict=True):
        assert_equal(ours, theirs, tolerance)


@pytest.mark.parametrize("make", CASES)
def test_expanded_distributions_are_pytorchs(make: Make) -> None:
    results = []
    for library in BOTH:
        distribution = made(library, make)
        expanded = distribution.expand((3, *(distribution.batch_shape or (2,))))
        library.manual_seed(1)
        sample = expanded.sample()
        results.append((expanded, sample))
    (theirs, their_sample), (ours, our_sample) = results
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape)
    assert tuple(our_sample.shape) == tuple(their_sample.shape)
    value = BOTH[1].from_numpy(their_sample.numpy().copy())
    assert_equal(ours.log_prob(value), theirs.log_prob(their_sample))


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_divergences_are_pytorchs(pair: tuple[Make, Make]) -> None:
    for one, other in (pair, pair[::-1]):
        results = []
        for library in BOTH:
            p, q = made(library, one), made(library, other)
            results.append(outcome(lambda p=p, q=q, library=library: library.distributions.kl_divergence(p, q)))
        assert_equal(results[1], results[0])


#: For divergences between classes: values in the same places, and some beyond.
OF_CLASSES: dict[str, Make] = {
    "Bernoulli": lambda d, t: d.Bernoulli(t(0.2, 0.5)),
    "Beta": lambda d, t: d.Beta(t(0.5, 2.0), t(1.0, 3.0)),
    "Binomial": lambda d, t: d.Binomial(3, t(0.2, 0.5)),
    "Exponential": lambda d, t: d.Exponential(t(0.5, 2.0)),
    "Gamma": lambda d, t: d.Gamma(t(0.5, 2.0), t(1.0, 3.0)),
    "Gumbel": lambda d, t: d.Gumbel(t(0.5, -1.0), t(1.0, 2.0)),
    "Laplace": lambda d, t: d.Laplace(t(0.5, -1.0), t(1.0, 2.0)),
    "Normal": lambda d, t: d.Normal(t(0.5, -1.0), t(1.0, 2.0)),
    "Pareto": lambda d, t: d.Pareto(t(0.5, 0.1), t(1.0, 2.5)),
    "Poisson": lambda d, t: d.Poisson(t(0.5, 2.0)),
    "Uniform": lambda d, t: d.Uniform(t(0.2, -1.0), t(0.9, 2.0)),
    "Uniform wide": lambda d, t: d.Uniform(t(-1.0, 0.5), t(2.0, 2.5)),
    "Uniform inside": lambda d, t: d.Uniform(t(0.0, 0.5), t(1.0, 0.7)),
    "ContinuousBernoulli": lambda d, t: d.ContinuousBernoulli(t(0.2, 0.8)),
    "MultivariateNormal": lambda d, t: d.MultivariateNormal(t(0.0, 1.0), t((2.0, 0.3), (0.3, 1.0))),
    "MultivariateNormal of three": lambda d, t: d.MultivariateNormal(
        t((0.0, 1.0, 2.0), (0.5, 0.0, 0.0)), scale_tril=t((1.0, 0.0, 0.0), (0.5, 2.0, 0.0), (0.1, 0.2, 3.0))
    ),
    "LowRankMultivariateNormal": lambda d, t: d.LowRankMultivariateNormal(
        t(0.0, 1.0, 0.5), t((1.0,), (0.5,), (2.0,)), t(1.0, 0.1, 3.0)
    ),
}


@pytest.mark.parametrize("name", OF_CLASSES)
def test_divergences_between_classes_are_pytorchs(name: str) -> None:
    for other in OF_CLASSES.values():
        results = []
        for library in BOTH:
            p, q = made(library, OF_CLASSES[name]), made(library, other)
            results.append(outcome(lambda p=p, q=q, library=library: library.distributions.kl_divergence(p, q)))
        assert_equal(results[1], results[0], 1e-9)


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_gamma_variables_have_the_moments_and_the_gradients_of_their_distribution(device: str) -> None:
    tensorglass.manual_seed(0)
    wanted = tensorglass.tensor([0.1, 0.5, 1.0, 3.0, 50.0], dtype=tensorglass.float64, device=device)
    concentration = wanted.clone().requires_grad_()
    drawn = tensorglass.distributions.Gamma(concentration, tensorglass.ones_like(wanted)).rsample((20000,))
    for moment in (drawn.mean(0), drawn.var(0)):  # the concentration is a Gamma's mean and its variance
        assert ((moment - wanted).abs() < 0.15 * wanted).all()
    drawn.mean(0).sum().backward()  # the mean's derivative is 1
    assert ((concentration.grad - 1).abs() < 0.05).all()


def test_the_derivative_of_a_gamma_variable_is_pytorchs() -> None:
    from tensorglass.distributions import gamma_family

    alpha = np.array([0.2, 0.9, 1.5, 4.0, 30.0]).repeat(4)
    torch.manual_seed(0)
    drawn = torch._standard_gamma(torch.from_numpy(alpha))
    expected = torch._standard_gamma_grad(torch.from_numpy(alpha), drawn)

    class Kept:
        saved_tensors = tensorglass.from_numpy(alpha), tensorglass.from_numpy(drawn.numpy())

    gradient, _ = gamma_family._StandardGamma.backward(Kept, tensorglass.ones(20, dtype=tensorglass.float64))
    np.testing.assert_allclose(gradient.numpy(), expected.numpy(), rtol=2e-3)


def test_gamma_variables_are_drawn_from_a_generator() -> None:
    concentration = tensorglass.tensor([0.5, 3.0])
    drawn = [tensorglass._standard_gamma(concentration, tensorglass.Generator().manual_seed(7)) for _ in range(2)]
    assert tensorglass.equal(*drawn)
    assert not tensorglass.equal(drawn[0], tensorglass._standard_gamma(concentration))


@pytest.mark.parametrize("dim", [2, 4])
def test_correlations_are_spread_as_pytorchs(dim: int) -> None:
    squares = []
    for library in BOTH:
        library.manual_seed(0)
        factors = library.distributions.LKJCholesky(dim, library.tensor([0.5, 1.0, 4.0])).sample((20000,))
        assert library.distributions.constraints.corr_cholesky.check(factors).all()
        squares.append((factors**2).mean(0).numpy())
    np.testing.assert_allclose(squares[1], squares[0], atol=0.01)


def test_transforms_with_a_cache_give_back_the_value_itself() -> None:
    for library in BOTH:
        transforms = library.distributions.transforms
        x = library.tensor([0.5, 30.0])
        assert not library.equal(transforms.SigmoidTransform().inv(transforms.SigmoidTransform()(x)), x)
        cached = transforms.SigmoidTransform(cache_size=1)
        assert cached.inv(cached(x)) is x
        assert cached(x) is cached(x)
        both = transforms.ComposeTransform(
            [transforms.ExpTransform(), transforms.AffineTransform(1.0, 2.0)], cache_size=1
        )
        assert both.inv(both(x)) is x
        assert transforms.TanhTransform().with_cache(1) == transforms.TanhTransform()
        with pytest.raises(ValueError, match="cache_size must be 0 or 1"):
            transforms.ExpTransform(cache_size=2)

        class Doubled(transforms.Transform):  # type: ignore[name-defined, misc]  # of either library
            """One of a program's own."""

            bijective = True
            domain = codomain = library.distributions.constraints.real

            def _call(self, x: Any) -> Any:
                return 2 * x

            def _inverse(self, y: Any) -> Any:
                return y / 2

            def log_abs_det_jacobian(self, x: Any, y: Any, library: Any = library) -> Any:
                return library.full_like(x, float(np.log(2)))

        made_of = library.distributions.TransformedDistribution(library.distributions.Normal(0.0, 1.0), [Doubled()])
        assert made_of.log_prob(library.tensor(2.0)).item() == pytest.approx(-2.1120857)


def two_by_two(t: Any) -> Any:
    return t((1.0, 0.0), (0.0, 1.0))


REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "a negative scale": lambda d, t: d.Normal(t(0.0, 1.0), t(1.0, -2.0)),
    "a number out of range": lambda d, t: d.Bernoulli(t(1.5)),
    "both": lambda d, t: d.Bernoulli(t(0.5), t(0.5)),
    "neither": lambda d, t: d.Categorical(),
    "no vector": lambda d, t: d.Categorical(t(1.0)[0]),
    "no probabilities": lambda d, t: d.Categorical(t(0.5, -0.5, 2.0)),
    "not a fraction of a try": lambda d, t: d.Binomial(t(2.5), t(0.5)),
    "nothing between": lambda d, t: d.Uniform(t(1.0), t(0.0)),
    "a value outside": lambda d, t: d.Exponential(t(1.0)).log_prob(t(-1.0)),
    "a value of another size": lambda d, t: d.Normal(t(1.0, 2.0), 1.0).log_prob(t(1.0, 2.0, 3.0)),
    "no tensor": lambda d, t: d.Normal(t(1.0), 1.0).log_prob(1.0),
    "too many dimensions": lambda d, t: d.Independent(d.Normal(t(1.0), 1.0), 2),
    "two matrices": lambda d, t: d.MultivariateNormal(t(1.0), t((1.0,)), t((1.0,))),
    "no positive matrix": lambda d, t: d.MultivariateNormal(t(1.0, 1.0), t((1.0, 3.0), (3.0, 1.0))),
    "no divergence": lambda d, t: d.kl_divergence(d.Laplace(0.0, 1.0), d.Bernoulli(0.5)),
    "no divergence of two exponential families": lambda d, t: d.kl_divergence(d.Normal(0.0, 1.0), d.Bernoulli(0.5)),
    "all values of several": lambda d, t: d.Independent(d.Bernoulli(t(0.5)), 1).enumerate_support(),
    "a half of no tensor": lambda d, t: d.HalfNormal(1.0).log_prob(1),
    "a number for a size": lambda d, t: d.Normal(0.0, 1.0).sample(3),
    "a correlation of one": lambda d, t: d.LKJCholesky(1),
    "no correlation": lambda d, t: d.LKJCholesky(2).log_prob(t((1.0, 0.0), (0.5, 1.0))),
    "no chance": lambda d, t: d.ContinuousBernoulli(t(1.5), validate_args=True),
    "nor a chance": lambda d, t: d.ContinuousBernoulli(logits=t(float("nan"))),
    "no angle": lambda d, t: d.VonMises(t(0.0), t(-1.0)),
    "no excess": lambda d, t: d.GeneralizedPareto(t(1.0), 1.0, t(-0.5)).log_prob(t(3.5)),
    "a covariance of too few": lambda d, t: d.LowRankMultivariateNormal(t(0.0, 1.0), t((1.0,)), t(1.0, 1.0)),
    "a diagonal of too few": lambda d, t: d.LowRankMultivariateNormal(t(0.0, 1.0), t((1.0,), (2.0,)), t(1.0)),
    "a factor that is a vector": lambda d, t: d.LowRankMultivariateNormal(t(0.0, 1.0), t(1.0, 1.0), t(1.0, 1.0)),
    "batches that do not fit": lambda d, t: d.LowRankMultivariateNormal(
        t((0.0,), (1.0,)), t(((1.0,),), ((1.0,),), ((1.0,),)), t(1.0)
    ),
    "too few degrees of freedom": lambda d, t: d.Wishart(t(1.0), t((2.0, 0.3), (0.3, 1.0))),
    "no covariance": lambda d, t: d.Wishart(t(3.0)),
    "other sizes": lambda d, t: d.kl_divergence(
        d.LowRankMultivariateNormal(t(0.0), t((1.0,)), t(1.0)), d.MultivariateNormal(t(0.0, 1.0), two_by_two(t))
    ),
    "no event": lambda d, t: d.TransformedDistribution(d.Normal(0.0, 1.0), d.StickBreakingTransform()),
    "no transform": lambda d, t: d.TransformedDistribution(d.Normal(0.0, 1.0), 3),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals_are_pytorchs(call: Callable[[Any, Any], Any]) -> None:
    told = []
    for library in BOTH:
        with pytest.raises(Exception) as caught:  # noqa: PT011  # whatever PyTorch raises is compared
            call(library.distributions, parameters(library))
        told.append((caught.type.__name__, str(caught.value).replace("tensorglass", "torch").split("\n")[0]))
    assert told[1] == told[0]


def test_a_class_of_ones_own_expands_the_instance_that_it_makes() -> None:
    for library in BOTH:

        class Twice(library.distributions.Normal):  # type: ignore[misc, name-defined]  # of either library
            def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
                return super().expand(batch_shape, _instance=self.__new__(Twice) if _instance is None else _instance)

        twice = Twice(0.0, 1.0).expand((3,))
        assert (type(twice), tuple(twice.batch_shape), tuple(twice.loc.shape)) == (Twice, (3,), (3,))


def test_a_mixture_shows_what_it_is_of_by_properties() -> None:
    for library in BOTH:
        d = library.distributions
        parts = d.Categorical(library.ones(2)), d.Normal(library.zeros(2), 1.0)
        mixture = d.MixtureSameFamily(*parts)
        assert (mixture.mixture_distribution, mixture.component_distribution) == parts
        assert [name for name in vars(mixture) if not name.startswith("_")] == []
        with pytest.warns(FutureWarning, match="sample_n"):
            assert tuple(mixture.sample_n(3).shape) == (3,)


def test_a_class_without_constraints_is_told_so() -> None:
    for library in BOTH:

        class Bare(library.distributions.Distribution):  # type: ignore[misc, name-defined]  # of either library
            pass

        with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
            Bare()


def test_transforms_tell_the_sizes_of_what_they_make() -> None:
    shapes_seen = []
    for library in BOTH:
        d = library.distributions
        moved = d.AffineTransform(library.zeros(3), 2.0)
        turned = d.ComposeTransform([d.ExpTransform(), moved, d.PowerTransform(library.ones(2, 1))])
        shapes = [transform.forward_shape((3,)) for transform in (d.ExpTransform(), moved, turned, turned.inv)]
        shapes_seen.append([tuple(shape) for shape in [*shapes, turned.inverse_shape((2, 3))]])
    assert shapes_seen[0] == shapes_seen[1]


def test_what_programs_with_distributions_of_their_own_import_from_utils() -> None:
    results = []
    for library in BOTH:
        utils = importlib.import_module(f"{library.__name__}.distributions.utils")
        library.manual_seed(3)
        probs = library.tensor([[0.1, 0.9, 0.0], [0.3, 0.3, 0.4]])
        tensors = [
            utils.probs_to_logits(probs), utils.probs_to_logits(probs, is_binary=True), utils.logits_to_probs(probs),
            utils.logits_to_probs(probs, is_binary=True), utils.clamp_probs(probs), utils._sum_rightmost(probs, 1),
            utils._standard_normal((2, 3), library.float64, "cpu"), *utils.broadcast_all(1, probs),
        ]  # fmt: skip
        results.append([torch.tensor(tensor.tolist()) for tensor in tensors] + [torch.tensor(utils.euler_constant)])
    assert all(torch.allclose(one, other) for one, other in zip(*results, strict=True))


def test_expand_of_a_subclass_fills_the_instance_that_it_is_given() -> None:
    for library in BOTH:

        class Mine(library.distributions.Distribution):  # type: ignore[misc, name-defined]  # of either library
            arg_constraints: ClassVar[dict[str, Any]] = {}

            def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
                return self._get_checked_instance(Mine, _instance)

        class Other(Mine):
            def __init__(self) -> None:
                super().__init__()

        assert type(Mine().expand((2,))) is Mine
        with pytest.raises(NotImplementedError, match="Subclass Other of Mine that defines a custom __init__ method"):
            Other().expand((2,))
        layer = library.nn.Linear(2, 1, bias=False)
        stateless = importlib.import_module(f"{library.__name__}.nn.utils.stateless")
        with stateless._reparametrize_module(layer, {"weight": library.ones(1, 2)}):
            assert layer(library.ones(2)).tolist() == [2.0]
        assert isinstance(layer.weight, library.nn.Parameter)
        assert isinstance(library.__config__.show(), str)
        assert isinstance(library.__config__.parallel_info(), str)


@pytest.mark.parametrize("shapes", [((2,), [3]), ([1], ()), ((), [(2,), (3, 4)]), (None, "several")])
def test_a_class_of_ones_own_keeps_the_shapes_that_it_gives(shapes: tuple[Any, Any]) -> None:
    kept = []
    for library in BOTH:
        base = library.distributions.Distribution
        mine = type("Mine", (base,), {"arg_constraints": {}})(*shapes, validate_args=False)
        kept.append((mine.batch_shape, mine.event_shape, type(mine.batch_shape), type(mine.event_shape)))
    assert kept[0] == kept[1] == (*shapes, *map(type, shapes))


def test_distributions_take_objects_that_are_tensors_to_operators_alone() -> None:
    results = []
    for library in BOTH:

        class Computed:
            def __init__(self, value: Any) -> None:
                self.value = value

            @classmethod
            def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                plain = [[p.value if isinstance(p, cls) else p for p in arg] if isinstance(arg, tuple) else arg
                         for arg in args]  # fmt: skip
                return func(*[each.value if isinstance(each, cls) else each for each in plain], **(kwargs or {}))

        seen = Computed(library.tensor([1.0, 0.0]))
        utils = importlib.import_module(f"{library.__name__}.distributions.utils")
        results.append([each.tolist() for each in (
            library.distributions.Bernoulli(0.25, validate_args=False).log_prob(seen), *utils.broadcast_all(seen, 2.0),
        )])  # fmt: skip
        with pytest.raises(ValueError, match="must all be instances of Number"):
            utils.broadcast_all(seen, object())
    assert [pytest.approx(one) for one in results[0]] == results[1]


@pytest.mark.parametrize("dims", [0, 1])
def test_independent_lists_its_values_where_its_base_does(dims: int) -> None:
    answers = []
    for library in BOTH:
        kinds = library.distributions
        half = library.ones(2) / 2
        bases = [kinds.Normal(half, 1.0), kinds.OneHotCategorical(library.ones(2, 3)), kinds.Bernoulli(half)]
        answers.append([kinds.Independent(base, dims).has_enumerate_support for base in bases])
    assert answers[0] == answers[1]
