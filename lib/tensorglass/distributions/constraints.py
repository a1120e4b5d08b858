"""Constraints: which values a parameter or a sample may have.

``constraint.check(value)`` returns a bool for each event. An event is the last `event_dim` dimensions of `value`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorglass as torch
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property",
    "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval",
    "is_dependent", "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative",
    "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite",
    "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip


class Constraint:
    """A condition on values. `bounds` are its parameters, under PyTorch's names; `repr` shows them."""

    is_discrete = False
    event_dim = 0

    def __init__(self, **bounds: Any) -> None:
        vars(self).update(bounds)
        self._bounds = bounds

    def check(self, value: Tensor) -> Tensor:
        """For each event, whether it satisfies the constraint."""
        raise NotImplementedError

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).get("_bounds", {}).items())
        return f"{type(self).__name__[1:]}({bounds})"


Constraints = Mapping[str, Constraint]  #: the constraints of a distribution's parameters, by name


class _Real(Constraint):
    def check(self, value: Tensor) -> Tensor:
        return value == value  # False for NaN


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _GreaterThan(Constraint):
    def __init__(self, lower_bound: Any) -> None:
        super().__init__(lower_bound=lower_bound)

    def check(self, value: Tensor) -> Tensor:
        return value > self._bounds["lower_bound"]


class _GreaterThanEq(_GreaterThan):
    def check(self, value: Tensor) -> Tensor:
        return value >= self._bounds["lower_bound"]


class _IntegerGreaterThan(_GreaterThanEq):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & super().check(value)


class _LessThan(Constraint):
    def __init__(self, upper_bound: Any) -> None:
        super().__init__(upper_bound=upper_bound)

    def check(self, value: Tensor) -> Tensor:
        return value < self._bounds["upper_bound"]


class _IntegerLessThan(_LessThan):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self._bounds["upper_bound"])


class _Interval(Constraint):
    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        super().__init__(lower_bound=lower_bound, upper_bound=upper_bound)

    def check(self, value: Tensor) -> Tensor:
        return (value >= self._bounds["lower_bound"]) & (value <= self._bounds["upper_bound"])


class _HalfOpenInterval(_Interval):
    def check(self, value: Tensor) -> Tensor:
        return (value >= self._bounds["lower_bound"]) & (value < self._bounds["upper_bound"])


class _IntegerInterval(_Interval):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & super().check(value)


# --- of vectors and matrices -----------------------------------------------------------------------------------------


class _IndependentConstraint(Constraint):
    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        super().__init__()
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[: result.dim() - self.reinterpreted_batch_ndims], -1)).all(-1)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        super().__init__()
        self.upper_bound = upper_bound

    def check(self, x: Tensor) -> Tensor:
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Tensor) -> Tensor:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Tensor) -> Tensor:
        tolerance = 10 * torch.finfo(value.dtype).eps * value.size(-1)
        is_unit = ((torch.linalg.norm(value.detach(), dim=-1) - 1).abs() <= tolerance).all(-1)
        return super().check(value) & is_unit


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        is_square = value.shape[-2] == value.shape[-1]
        return torch.full(value.shape[:-2], is_square, dtype=torch.bool, device=value.device)


class _Symmetric(_Square):
    def check(self, value: Tensor) -> Tensor:
        is_square = super().check(value)
        return torch.isclose(value, value.mT, atol=1e-6).flatten(-2).all(-1) if is_square.all() else is_square


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Tensor) -> Tensor:
        is_symmetric = super().check(value)
        return torch.linalg.eigvalsh(value).ge(0).all(-1) if is_symmetric.all() else is_symmetric


class _PositiveDefinite(_Symmetric):
    def check(self, value: Tensor) -> Tensor:
        is_symmetric = super().check(value)
        return torch.linalg.cholesky_ex(value).info.eq(0) if is_symmetric.all() else is_symmetric


# --- made of others --------------------------------------------------------------------------------------------------


class _OfParts(Constraint):
    """Another constraint for each part of a tensor along `dim`. `cseq` is PyTorch's name for them."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        super().__init__()
        if not all(isinstance(part, Constraint) for part in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim
        self.is_discrete = any(part.is_discrete for part in self.cseq)
        self.event_dim = max(part.event_dim for part in self.cseq)

    def _refuse_other_dims(self, value: Tensor) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_OfParts):
    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value: Tensor) -> Tensor:
        self._refuse_other_dims(value)
        parts = value.split(self.lengths, self.dim)
        return torch.cat([one.check(part) for one, part in zip(self.cseq, parts, strict=True)], self.dim)


class _Stack(_OfParts):
    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        super().__init__(cseq, dim)
        self.event_dim += self.dim + self.event_dim < 0

    def check(self, value: Tensor) -> Tensor:
        self._refuse_other_dims(value)
        parts = value.unbind(self.dim)
        return torch.stack([one.check(part) for one, part in zip(self.cseq, parts, strict=False)], self.dim)


class MixtureSameFamilyConstraint(Constraint):
    """Requires that a value satisfies the constraint of every component of a mixture."""

    def __init__(self, base_constraint: Constraint) -> None:
        super().__init__(base_constraint=base_constraint)
        self.is_discrete, self.event_dim = base_constraint.is_discrete, base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        whole = self._bounds["base_constraint"].check(value.unsqueeze(-1 - self.event_dim))
        dims = value.dim() - self.event_dim
        return whole.reshape((*whole.shape[:dims], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._bounds['base_constraint']!r})"


class _Dependent(Constraint):
    """The constraint of a support that depends on parameters: an instance knows it, its class does not."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        super().__init__()
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]  # it may be unknown
        """Whether the values are discrete, if that is the same for all parameters; else NotImplementedError."""
        return self._same_for_all("is_discrete", self._is_discrete)

    @property
    def event_dim(self) -> int:  # type: ignore[override]  # it may be unknown
        """How many dimensions an event has, if that is the same for all parameters; else NotImplementedError."""
        return self._same_for_all("event_dim", self._event_dim)

    @staticmethod
    def _same_for_all(name: str, value: Any) -> Any:
        if value is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return value

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        """The same, with what is known of it: ``dependent(event_dim=1)``."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property that is a dependent constraint when it is asked from the class."""

    def __init__(
        self,
        fn: Callable[[Any], Constraint] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        property.__init__(self, fn)
        _Dependent.__init__(self, is_discrete=is_discrete, event_dim=event_dim)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return super().__get__(instance, owner)

    def __call__(self, fn: Callable[[Any], Constraint]) -> _DependentProperty:  # type: ignore[override]  # decorates
        """As a decorator that says what is known of it: ``@dependent_property(event_dim=0)``."""
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether the constraint depends on parameters, so that the class alone does not determine it."""
    return isinstance(constraint, _Dependent)


dependent = _Dependent()
dependent_property = _DependentProperty
boolean = _Boolean()
real = _Real()
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
unit_interval = _Interval(0.0, 1.0)
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
simplex = _Simplex()
one_hot = _OneHot()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
real_vector = _IndependentConstraint(real, 1)
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
multinomial, independent, cat, stack = _Multinomial, _IndependentConstraint, _Cat, _Stack
