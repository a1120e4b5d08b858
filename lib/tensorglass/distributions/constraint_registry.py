"""`biject_to` and `transform_to`: from a constraint to a transform of all real numbers to the values that it allows.

`biject_to` returns bijections, with the determinants of their Jacobians, for Hamiltonian Monte Carlo; `transform_to`
may return simpler transforms that are not bijective, for optimizers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.distributions import constraints, transforms
from tensorglass.distributions.constraints import Constraint
from tensorglass.distributions.transforms import Transform

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Transform]


class ConstraintRegistry:
    """A transform for each class of constraints. Calling it with a constraint returns the transform."""

    def __init__(self) -> None:
        self._registry: dict[type[Constraint], Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Register `factory`, or the decorated function, to create the transforms for a class of constraints, or for an
        instance's class.
        """
        if factory is None:
            return lambda decorated: self.register(constraint, decorated)
        if isinstance(constraint, Constraint):
            constraint = type(constraint)
        if not (isinstance(constraint, type) and issubclass(constraint, Constraint)):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Transform:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _moved_from(bound: Any, scale: int) -> Transform:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(bound, scale)])


def _of_interval(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, int | float) and isinstance(high, int | float) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    moved = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), moved])


def _register_for_both() -> None:
    for to in (biject_to, transform_to):

        def of_each(constraint: Any, to: ConstraintRegistry = to) -> Transform:
            return transforms.IndependentTransform(to(constraint.base_constraint), constraint.reinterpreted_batch_ndims)

        def of_cat(constraint: Any, to: ConstraintRegistry = to) -> Transform:
            return transforms.CatTransform(list(map(to, constraint.cseq)), constraint.dim, constraint.lengths)

        def of_stack(constraint: Any, to: ConstraintRegistry = to) -> Transform:
            return transforms.StackTransform(list(map(to, constraint.cseq)), constraint.dim)

        to.register(constraints.real, lambda _: transforms.identity_transform)
        to.register(constraints.greater_than, lambda constraint: _moved_from(constraint.lower_bound, 1))
        to.register(constraints.greater_than_eq, lambda constraint: _moved_from(constraint.lower_bound, 1))
        to.register(constraints.less_than, lambda constraint: _moved_from(constraint.upper_bound, -1))
        to.register(constraints.interval, _of_interval)
        to.register(constraints.half_open_interval, _of_interval)
        to.register(constraints.corr_cholesky, lambda _: transforms.CorrCholeskyTransform())
        to.register(constraints.independent, of_each)
        to.register(constraints.cat, of_cat)
        to.register(constraints.stack, of_stack)


_register_for_both()
biject_to.register(constraints.simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform())
transform_to.register(constraints.positive_definite, lambda _: transforms.PositiveDefiniteTransform())
transform_to.register(constraints.positive_semidefinite, lambda _: transforms.PositiveDefiniteTransform())
