"""Transforms, constraints and the registries between them are PyTorch's."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

BOTH: tuple[Any, Any] = (torch, tensorglass)
Make = Callable[[Any, Any], Any]  # `torch.distributions` and a function that makes a tensor

#: Of each transform what it is made by, and what it is given.
TRANSFORMS: dict[str, tuple[Make, Any]] = {
    "abs": (lambda d, t: d.AbsTransform(), (-0.5, 2.0)),
    "affine": (lambda d, t: d.AffineTransform(t(1.0, 2.0), t(-2.0, 0.5)), (-0.5, 2.0)),
    "affine of numbers": (lambda d, t: d.AffineTransform(1, -2, event_dim=1), ((-0.5, 2.0), (1.0, 3.0))),
    "affine of matrices": (
        lambda d, t: d.AffineTransform(0.0, t((2.0, 3.0), (1.0, 0.5)), 2), (((-0.5, 2.0), (1.0, 3.0)),)
    ),
    "exp": (lambda d, t: d.ExpTransform(), (-0.5, 2.0)),
    "power": (lambda d, t: d.PowerTransform(t(-2.0, 0.5)), (0.5, 2.0)),
    "sigmoid": (lambda d, t: d.SigmoidTransform(), (-0.5, 200.0)),
    "softplus": (lambda d, t: d.SoftplusTransform(), (-0.5, 2.0)),
    "tanh": (lambda d, t: d.TanhTransform(), (-0.5, 2.0)),
    "softmax": (lambda d, t: d.SoftmaxTransform(), ((-0.5, 2.0, 0.0), (1.0, 3.0, 100.0))),
    "stick": (lambda d, t: d.StickBreakingTransform(), ((-0.5, 2.0, 0.0), (1.0, 3.0, 100.0))),
    "correlations": (lambda d, t: d.CorrCholeskyTransform(), ((-0.5, 2.0, 0.0), (1.0, 3.0, -1.0))),
    "factor": (lambda d, t: d.LowerCholeskyTransform(), ((-0.5, 2.0), (1.0, 3.0))),
    "positive matrix": (lambda d, t: d.PositiveDefiniteTransform(), (((-0.5, 2.0), (1.0, 0.3)),)),
    "reshape": (lambda d, t: d.transforms.ReshapeTransform((2, 2), (4,)), (((-0.5, 2.0), (1.0, 0.3)),)),
    "probabilities": (lambda d, t: d.CumulativeDistributionTransform(d.Normal(t(0.0, 1.0), 2.0)), (-0.5, 2.0)),
    "nothing": (lambda d, t: d.identity_transform, (-0.5, 2.0)),
    "inverse": (lambda d, t: d.ExpTransform().inv, (0.5, 2.0)),
    "composed": (
        lambda d, t: d.ComposeTransform([d.AffineTransform(1.0, t(2.0, 0.5)), d.StickBreakingTransform()]),
        ((-0.5, 2.0), (1.0, 3.0)),
    ),
    "composed inverse": (lambda d, t: d.ComposeTransform([d.ExpTransform(), d.TanhTransform()]).inv, (0.8, 0.9)),
    "independent": (lambda d, t: d.IndependentTransform(d.ExpTransform(), 1), ((-0.5, 2.0), (1.0, 3.0))),
    "cat": (
        lambda d, t: d.CatTransform([d.ExpTransform(), d.AffineTransform(1, 2), d.identity_transform], -1, [1, 2, 1]),
        ((-0.5, 2.0, 1.0, 3.0), (0.0, 1.0, 2.0, 3.0)),
    ),
    "cat of vectors": (
        lambda d, t: d.CatTransform([d.AffineTransform(1, 2, 1), d.AffineTransform(1, t(3.0, 3.0), 1)], 0),
        ((-0.5, 2.0), (1.0, 3.0)),
    ),
    "stack": (
        lambda d, t: d.StackTransform([d.ExpTransform(), d.SigmoidTransform()], dim=1),
        ((-0.5, 2.0), (1.0, 3.0)),
    ),
    "cached": (lambda d, t: d.StackTransform([d.ExpTransform(), d.TanhTransform()], 0, cache_size=1), (-0.5, 2.0)),
}  # fmt: skip

CONSTRAINTS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: lambda c, t, name=name: getattr(c, name)
        for name in (
            "boolean", "corr_cholesky", "lower_cholesky", "lower_triangular", "nonnegative", "nonnegative_integer",
            "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite", "real",
            "real_vector", "simplex", "square", "symmetric", "unit_interval", "dependent",
        )
    },
    "greater_than": lambda c, t: c.greater_than(-0.5),
    "greater_than_eq": lambda c, t: c.greater_than_eq(0.5),
    "less_than": lambda c, t: c.less_than(0.5),
    "integer_less_than": lambda c, t: c._IntegerLessThan(0),
    "interval": lambda c, t: c.interval(t(0.0, 0.5), 2.0),
    "half_open_interval": lambda c, t: c.half_open_interval(-1.0, 1.0),
    "integer_interval": lambda c, t: c.integer_interval(0, 1),
    "multinomial": lambda c, t: c.multinomial(1),
    "independent": lambda c, t: c.independent(c.positive, 1),
    "cat": lambda c, t: c.cat([c.positive, c.boolean], -1),
    "stack": lambda c, t: c.stack([c.real_vector, c.one_hot], -2),
    "mixture": lambda c, t: c.MixtureSameFamilyConstraint(c.interval(0.0, 1.0)),
}  # fmt: skip
VALUES: tuple[Any, ...] = (
    ((1.0, 0.0), (0.0, 1.0)), ((1.0, 0.0), (0.6, 0.8)), ((2.0, 1.0), (1.0, 0.5)), ((0.5, 0.5), (-1.0, 1.0)),
    ((2.0, 1.0), (1.0, -3.0)), ((float("nan"), 1.0), (1.0, 0.0)),
)  # fmt: skip


def tensors(library: Any) -> Callable[..., Any]:
    return lambda *values: library.tensor(values, dtype=library.float64)


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, as plain data; or its error."""
    try:
        value = call()
    except Exception as error:  # whatever PyTorch raises is compared
        return type(error).__name__, str(error).split("\n")[0].replace("tensorglass", "torch")
    if hasattr(value, "detach"):
        return str(value.dtype), value.detach().numpy()
    return tuple(value) if isinstance(value, tuple | list) else str(value)


def assert_same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, tuple) and len(theirs) == 2 and isinstance(theirs[1], np.ndarray):
        assert ours[0] == theirs[0]
        np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-9, atol=1e-12)
        assert ours[1].shape == theirs[1].shape
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_are_pytorchs(name: str) -> None:
    make, given = TRANSFORMS[name]
    results: list[list[Any]] = []
    for library in BOTH:
        transform = make(library.distributions, tensors(library))
        x = tensors(library)(*given).requires_grad_()
        y = transform(x)
        after = y.detach()
        shape = library.Size((3, 4, 4))
        results.append([
            outcome(lambda y=y: y), outcome(lambda u=transform, after=after: u.inv(after)),
            outcome(lambda u=transform, x=x, y=y: u.log_abs_det_jacobian(x, y)),
            *[outcome(lambda u=transform, n=n: getattr(u, n)) for n in ("bijective", "sign", "event_dim", "domain",
                                                                       "codomain")],
            *[outcome(lambda u=transform, n=n: getattr(u, n).event_dim) for n in ("domain", "codomain")],
            *[outcome(lambda u=transform, n=n, s=shape: getattr(u, n)(s)) for n in ("forward_shape", "inverse_shape")],
            outcome(lambda u=transform, s=shape[:0]: u.forward_shape(s)),
            str(transform.inv.inv is transform), str(transform.inv is transform.inv),
            outcome(lambda u=transform: u.with_cache(1)._cache_size),
            str(transform == make(library.distributions, tensors(library))), str(transform == 3),
            type(pickle.loads(pickle.dumps(transform))).__name__,
            outcome(lambda y=y, x=x, library=library: library.autograd.grad(y.sum(), x, allow_unused=True)[0]),
        ])  # fmt: skip
    for ours, theirs in zip(results[1], results[0], strict=True):
        assert_same(ours, theirs)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints_are_pytorchs(name: str) -> None:
    results: list[list[Any]] = []
    for library in BOTH:
        constraint = CONSTRAINTS[name](library.distributions.constraints, tensors(library))
        values = [tensors(library)(*value) for value in VALUES]
        checked = [outcome(lambda c=constraint, v=value: c.check(v)) for value in values]
        said = [outcome(lambda c=constraint, n=n: getattr(c, n)) for n in ("is_discrete", "event_dim")]
        results.append([*checked, *said, repr(constraint)])
    for ours, theirs in zip(results[1], results[0], strict=True):
        assert_same(ours, theirs)


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_transforms_to_constraints_are_pytorchs(name: str, registry: str) -> None:
    results: list[list[Any]] = []
    for library in BOTH:
        d, t = library.distributions, tensors(library)
        constraint = CONSTRAINTS[name](d.constraints, t)
        to = getattr(d, registry)
        results.append([outcome(lambda to=to, c=constraint: to(c))])
        if not isinstance(results[-1][0], tuple):
            x = t((0.5, -1.0), (2.0, 0.1))
            results[-1].append(outcome(lambda to=to, c=constraint, x=x: to(c)(x)))
    for ours, theirs in zip(results[1], results[0], strict=True):
        assert_same(ours, theirs)


def test_a_registry_takes_constraints_of_ones_own() -> None:
    for library in BOTH:
        d = library.distributions
        registry = d.constraint_registry.ConstraintRegistry()

        class Even(d.constraints.Constraint):  # type: ignore[misc, name-defined]  # of either library
            def check(self, value: Any) -> Any:
                return value % 2 == 0

        @registry.register(Even)
        def doubled(constraint: Any, d: Any = d) -> Any:
            return d.AffineTransform(0, 2)

        assert registry(Even()) == d.AffineTransform(0, 2)
        assert repr(Even()) == "ven()"
        registry.register(d.constraints.real, doubled)
        assert registry(d.constraints.real) == d.AffineTransform(0, 2)
        with pytest.raises(TypeError, match="Expected constraint to be either a Constraint subclass or instance, but"):
            registry.register(3, doubled)


def test_dependent_properties_are_constraints_of_classes() -> None:
    for library in BOTH:
        d = library.distributions
        for kind in (d.Uniform, d.Binomial, d.Categorical, d.Multinomial, d.Pareto, d.GeneralizedPareto):
            assert d.constraints.is_dependent(kind.support)
        assert not d.constraints.is_dependent(d.Uniform(0.0, 1.0).support)
        kinds = [(kind.support.is_discrete, kind.support.event_dim) for kind in (d.Uniform, d.Binomial, d.Multinomial)]
        assert kinds == [(False, 0), (True, 0), (True, 1)]
        with pytest.raises(NotImplementedError, match="event_dim cannot be determined statically"):
            d.constraints.dependent.event_dim  # noqa: B018  # reading it is what fails
        assert d.constraints.dependent(event_dim=1).event_dim == 1

        class Between(d.Distribution):  # type: ignore[misc, name-defined]  # of either library
            arg_constraints = {"low": d.constraints.dependent}  # noqa: RUF012  # as programs write it

            def __init__(self) -> None:
                self.low = library.zeros(2)  # noqa: B023  # of this turn
                super().__init__((2,))

            @d.constraints.dependent_property(is_discrete=False, event_dim=0)
            def support(self, d: Any = d) -> Any:
                return d.constraints.interval(self.low, 1.0)

        assert Between().support.check(library.ones(2)).all()
        assert d.constraints.is_dependent(Between.support)


def test_a_cache_is_that_of_all_parts() -> None:
    for library in BOTH:
        d = library.distributions
        composed = d.ComposeTransform([d.ExpTransform(), d.AffineTransform(0.0, 2.0)], cache_size=1)
        x = library.ones(2)
        assert composed.inv(composed(x)) is x
        assert composed.parts[0]._cached_x_y[0] is x
        unpickled = pickle.loads(pickle.dumps(composed))
        assert library.equal(unpickled.inv(unpickled(x)), x)


def test_distributions_of_transformed_events_are_pytorchs() -> None:
    makers: dict[str, Make] = {
        "vectors": lambda d, t: d.TransformedDistribution(
            d.Normal(t((0.0, 1.0), (2.0, 3.0)), 1.0), d.StickBreakingTransform()
        ),
        "matrices": lambda d, t: d.TransformedDistribution(
            d.Normal(t(((0.0, 1.0), (2.0, 3.0))), 1.0), [d.AffineTransform(0.0, 2.0), d.LowerCholeskyTransform()]
        ),
        "correlations": lambda d, t: d.TransformedDistribution(
            d.MultivariateNormal(t(0.0, 0.0, 0.0), scale_tril=t((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.0, 1.0))),
            d.CorrCholeskyTransform(),
        ),
        "reshaped": lambda d, t: d.TransformedDistribution(
            d.Independent(d.Normal(t(0.0, 1.0, 2.0, 3.0), 1.0), 1), [d.ExpTransform(), d.ReshapeTransform((4,), (2, 2))]
        ),
        "batch of the transform": lambda d, t: d.TransformedDistribution(
            d.Normal(t(0.0), 1.0), d.AffineTransform(0.0, t((1.0, 2.0), (3.0, 4.0)), event_dim=1)
        ),
        "copula": lambda d, t: d.TransformedDistribution(
            d.Normal(t(0.0, 1.0), 1.0), d.CumulativeDistributionTransform(d.Normal(t(0.0, 0.0), 2.0))
        ),
    }  # fmt: skip
    for make in makers.values():
        results: list[list[Any]] = []
        for library in BOTH:
            distribution = make(library.distributions, tensors(library))
            library.manual_seed(0)
            drawn = distribution.rsample((2,))
            expanded = distribution.expand((3, *distribution.batch_shape))
            results.append([
                outcome(lambda v=drawn: v), tuple(distribution.batch_shape), tuple(distribution.event_shape),
                repr(distribution.support), tuple(expanded.batch_shape), tuple(expanded.sample().shape),
                outcome(lambda u=distribution, v=drawn: u.log_prob(v)),
                outcome(lambda u=expanded, v=drawn[:1]: u.log_prob(v)),
            ])  # fmt: skip
        for ours, theirs in zip(results[1], results[0], strict=True):
            assert_same(ours, theirs)


def test_vectors_of_triangles_are_pytorchs() -> None:
    for diagonal in (-1, 0, 1):
        results: list[list[Any]] = []
        for library in BOTH:
            utils = library.distributions.utils
            matrix = library.arange(18.0).reshape(2, 3, 3)
            vector = utils.tril_matrix_to_vec(matrix, diagonal)
            results.append([
                outcome(lambda v=vector: v),
                outcome(lambda v=vector, u=utils, diagonal=diagonal: u.vec_to_tril_matrix(v, diagonal)),
                outcome(lambda u=utils, library=library: u.vec_to_tril_matrix(library.ones(4))),
                outcome(lambda u=utils, m=matrix: u.tril_matrix_to_vec(m, 3)),
            ])  # fmt: skip
        for ours, theirs in zip(results[1], results[0], strict=True):
            assert_same(ours, theirs)


def test_samples_of_wishart_are_spread_as_they_should_be() -> None:
    for library in BOTH:
        library.manual_seed(0)
        covariance = library.tensor([[2.0, 0.3], [0.3, 1.0]])
        distribution = library.distributions.Wishart(library.tensor(4.0), covariance)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch's warns of singular samples where there are none
            drawn = distribution.sample((20000,))
        assert library.allclose(drawn.mean(0), distribution.mean, rtol=0.05)
        assert library.allclose(drawn.var(0), distribution.variance, rtol=0.1)
