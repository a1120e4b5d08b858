"""Invertible functions with the logarithms of their derivatives, by which distributions are transformed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import tensorglass as torch
from tensorglass.distributions import constraints
from tensorglass.distributions.constraints import Constraint
from tensorglass.distributions.distribution import Value, broadcast_all
from tensorglass.nn.functional import softplus
from tensorglass.tensor.tensor import Tensor


class Transform:
    """A function from `domain` to `codomain`, element by element. `sign` says whether it rises or falls.

    A subclass defines `_call`, `_inverse` and `log_abs_det_jacobian`. With ``cache_size=1`` the last value and what was
    made of it are kept, so that going back gives that very value, where an inverse would be inexact or costly.
    """

    bijective = True
    domain: Constraint = constraints.real
    codomain: Constraint = constraints.real
    sign: Any = 1

    _cache_size = 0
    _kept: tuple[Any, Any] = (None, None)

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size

    def __call__(self, x: Tensor) -> Tensor:
        """The transformed value."""
        return self._once(x, self._call, 0)

    def _back(self, y: Tensor) -> Tensor:
        return self._once(y, self._inverse, 1)

    def _once(self, value: Tensor, compute: Callable[[Tensor], Tensor], side: int) -> Tensor:
        if not self._cache_size:
            return compute(value)
        if self._kept[side] is not value:
            computed = compute(value)
            self._kept = (computed, value) if side else (value, computed)
        kept: Tensor = self._kept[1 - side]
        return kept

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The logarithm of the derivative's absolute value at `x`, where the transform gives `y`."""
        raise NotImplementedError

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """The size of what the transform makes of a tensor of this size."""
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """The size of what goes back from a tensor of this size."""
        return self.forward_shape(shape)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with a cache of this size."""
        if cache_size == self._cache_size:
            return self
        other = copy(self)
        Transform.__init__(other, cache_size)
        return other

    @property
    def inv(self) -> Transform:
        """The inverse."""
        return _InverseTransform(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_kept"}

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and vars(self).keys() <= {"_cache_size", "_kept"})

    __hash__ = None  # type: ignore[assignment]  # equal ones may hold tensors

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv = transform
        self.domain, self.codomain = transform.codomain, transform.domain
        self.bijective, self.sign = transform.bijective, transform.sign

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._back(x)

    def _back(self, y: Tensor) -> Tensor:
        return self._inv(y)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._inv.forward_shape(shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    @property
    def inv(self) -> Transform:
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv!r})"


class ComposeTransform(Transform):
    """Transforms one after the other."""

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts
        if parts:
            self.domain, self.codomain = parts[0].domain, parts[-1].codomain
        self.bijective = all(part.bijective for part in parts)

    @property
    def sign(self) -> Any:
        """The product of the signs."""
        return math.prod([part.sign for part in self.parts])

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def _call(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part.inv(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        total = torch.zeros_like(x)
        for part in self.parts:
            after = y if part is self.parts[-1] else part(x)
            total, x = total + part.log_abs_det_jacobian(x, after), after
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def __repr__(self) -> str:
        return "ComposeTransform(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


class ExpTransform(Transform):
    """``y = exp(x)``."""

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class AbsTransform(Transform):
    """``y = |x|``, which has no inverse: going back gives the positive number."""

    bijective = False
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class PowerTransform(Transform):
    """``y = x ** exponent`` of positive numbers."""

    domain = codomain = constraints.positive

    def __init__(self, exponent: Value, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        (self.exponent,) = broadcast_all(exponent)
        self.sign = self.exponent.sign()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return torch.broadcast_shapes(shape, self.exponent.shape)

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool((self.exponent == other.exponent).all())


class SigmoidTransform(Transform):
    """``y = 1 / (1 + exp(-x))``."""

    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return _inside(torch.sigmoid(x))

    def _inverse(self, y: Tensor) -> Tensor:
        y = _inside(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


def _inside(y: Tensor) -> Tensor:
    """Clamped to numbers that are neither 0 nor 1."""
    limits = torch.finfo(y.dtype)
    return y.clamp(min=limits.tiny, max=1.0 - limits.eps)


class SoftplusTransform(Transform):
    """``y = log(1 + exp(x))``."""

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(Transform):
    """``y = tanh(x)``."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AffineTransform(Transform):
    """``y = loc + scale * x``."""

    def __init__(self, loc: Value, scale: Value, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale = loc, scale

    @property
    def sign(self) -> Any:
        """The sign of `scale`."""
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        sizes = [parameter.shape for parameter in (self.loc, self.scale) if isinstance(parameter, Tensor)]
        return torch.broadcast_shapes(shape, *sizes)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            return self.scale.abs().log().expand(x.shape)
        return torch.full_like(x, math.log(abs(self.scale)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return all(
            bool(torch.as_tensor(one == another).all())
            for one, another in ((self.loc, other.loc), (self.scale, other.scale))
        )
