"""`Distribution`, the base class of all distributions.

A sample has the size ``sample_shape + batch_shape + event_shape``. The parameters form a batch of distributions, each
of which draws events, and `log_prob` returns one number for each event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import tensorglass as torch
from tensorglass.core.errors import warn
from tensorglass.core.size import Size
from tensorglass.distributions.constraints import Constraints, is_dependent
from tensorglass.tensor.tensor import Tensor

Value = Tensor | float


class lazy_property:
    """An attribute that is computed when it is first read, and kept."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = vars(instance)[self.wrapped.__name__] = self.wrapped(instance)
        return value


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Broadcast tensors and numbers to one size; numbers become tensors of the first tensor's dtype and device.

    An object that defines `__torch_function__` is a tensor here.
    """
    if not all(isinstance(value, int | float) or torch.overrides.is_tensor_like(value) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    first = next((value for value in values if isinstance(value, Tensor)), None)
    options = {"dtype": torch.get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    tensors = [torch.tensor(value, **options) if isinstance(value, int | float) else value for value in values]
    return torch.broadcast_tensors(*tensors)


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """The sum over the last `dims` dimensions."""
    return value.reshape((*value.shape[:-dims], -1)).sum(-1) if dims else value


class Distribution:
    """A batch of distributions, whose parameters `arg_constraints` names.

    Samples lie in the `support`. With `validate_args`, parameters and samples are checked: one that violates its
    constraint raises ValueError.
    """

    has_rsample = False  #: whether gradients flow through samples to the parameters
    has_enumerate_support = False
    arg_constraints: ClassVar[Constraints] = {}
    support: Any
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check parameters and samples if `validate_args` is not given."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Sequence[int] = Size(),
        event_shape: Sequence[int] = Size(),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape: Any = batch_shape  # as they are given: a class of someone's may keep several sizes there
        self._event_shape: Any = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self) -> None:
        if self.arg_constraints is Distribution.arg_constraints:
            warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation."
            )
        for name, constraint in self.arg_constraints.items():
            if name not in vars(self) or is_dependent(constraint):
                continue  # it is computed from parameters that are checked
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """The object that the `expand` of subclass `cls` fills in: `_instance`, or a new object of this object's class.

        Raises NotImplementedError if that class has an ``__init__`` of its own, and so needs an `expand` of its own.
        """
        if _instance is None and type(self).__init__ != cls.__init__:  # type: ignore[misc]  # the functions, not calls
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        """The same distribution with its parameters expanded to `batch_shape`, without copies."""
        new: Self = self.__new__(type(self)) if _instance is None else _instance
        vars(new).update(vars(self))
        new._batch_shape = Size(batch_shape)
        for name, constraint in self.arg_constraints.items():
            if name in vars(self):
                value = getattr(self, name)
                event = value.shape[value.dim() - constraint.event_dim :]
                setattr(new, name, value.expand((*new._batch_shape, *event)))
        return new

    @property
    def batch_shape(self) -> Size:
        """The size of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The size of one sample of one distribution."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most probable value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Draw `sample_shape` samples from each distribution; no gradient flows through them."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Draw samples through which gradients flow: they are computed from the parameters and noise (Kingma and
        Welling 2014).
        """
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Deprecated: ``sample((n,))``."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample(torch.Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at `value`."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of a sample that is at most `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of the support, along dimension 0; with `expand`, repeated for each distribution of the batch."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, in nats."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        return Size((*Size(sample_shape), *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """If arguments are validated, raise for a value outside of the support."""
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        if value.size()[value.dim() - len(self._event_shape) :] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}."
            )
        expected = Size((*self._batch_shape, *self._event_shape))
        for i, j in zip(reversed(value.size()), reversed(expected), strict=False):
            if 1 != i != j != 1:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {expected}."
                )
        if not hasattr(self, "support"):
            warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
        elif not self.support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({self.support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        values = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        shown = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in values.items()]
        return f"{type(self).__name__}({', '.join(shown)})"


class ExponentialFamily(Distribution):
    """A distribution whose density is ``exp(⟨t(x), θ⟩ - F(θ) + k(x))``.

    A subclass gives the natural parameters θ, the log-normalizer F and the mean of k; the entropy follows from them.
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        natural = [parameter.detach().requires_grad_() for parameter in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        slopes = torch.autograd.grad(normalizer.sum(), natural, create_graph=True)
        total: Tensor = normalizer - self._mean_carrier_measure
        for parameter, slope in zip(natural, slopes, strict=True):
            total = total - (parameter * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return total
