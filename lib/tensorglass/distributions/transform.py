"""`Transform`, an invertible function with the logarithm of its derivative; and transforms composed of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.constraints import Constraint
from tensorglass.distributions.distribution import sum_rightmost
from tensorglass.tensor.tensor import Tensor


class Transform:
    """A function from `domain` to `codomain`, whose `event_dim`s say how many dimensions an event has.

    A subclass defines `_call`, `_inverse` and, if it is `bijective`, `log_abs_det_jacobian`; a transform that works
    element by element sets `sign` to 1 if it increases, to -1 if it decreases. With ``cache_size=1`` the last input and
    output are kept: the inverse of that output is that very input, even where computing it would be inexact or costly.
    """

    bijective = False
    domain: Any
    codomain: Any

    _cache_size = 0
    _cached_x_y: tuple[Any, Any] = (None, None)
    _inv: Transform | None = None

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size

    def __call__(self, x: Tensor) -> Tensor:
        """The transformed value."""
        return self._once(x, self._call, 0)

    def _inv_call(self, y: Tensor) -> Tensor:
        return self._once(y, self._inverse, 1)

    def _once(self, value: Tensor, compute: Callable[[Tensor], Tensor], side: int) -> Tensor:
        if not self._cache_size:
            return compute(value)
        if self._cached_x_y[side] is not value:
            computed = compute(value)
            self._cached_x_y = (computed, value) if side else (value, computed)
        kept: Tensor = self._cached_x_y[1 - side]
        return kept

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The logarithm of the derivative's absolute value at `x`, where the transform returns `y`.

        For events with dimensions, of the determinant of the Jacobian.
        """
        raise NotImplementedError

    @property
    def event_dim(self) -> int:
        """The number of dimensions of an event; ValueError if inputs and outputs have different numbers."""
        dims: int = self.domain.event_dim
        if dims != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return dims

    @property
    def sign(self) -> Any:
        """1 if the transform increases, -1 if it decreases."""
        raise NotImplementedError

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """The size of the result for an input of this size."""
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """The size of the inverse's result for an input of this size."""
        return shape

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
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_cached_x_y", "_inv")}

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]  # equal transforms may hold different tensors

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Fixed(Transform):
    """A transform without parameters: two of the same class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = None


class _InverseTransform(Transform):
    _inv: Transform

    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        codomain: Constraint = self._inv.codomain
        return codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        domain: Constraint = self._inv.domain
        return domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]  # the transform's
        """Whether different inputs give different results."""
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def _inv_call(self, y: Tensor) -> Tensor:
        return self._inv(y)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._inv.forward_shape(shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __getstate__(self) -> dict[str, Any]:
        return vars(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = None

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv!r})"


class ComposeTransform(Transform):
    """Transforms in sequence; `cache_size` applies to each."""

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        """The domain of the first, with as many event dimensions as any of them needs."""
        return self._widest(self.parts[::-1], "codomain", "domain")

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        """The codomain of the last, with as many event dimensions as any of them needs."""
        return self._widest(self.parts, "domain", "codomain")

    @staticmethod
    def _widest(parts: list[Transform], near: str, far: str) -> Constraint:
        if not parts:
            return constraints.real
        dims = getattr(parts[0], near).event_dim
        for part in parts:
            end: Constraint = getattr(part, far)
            dims = max(dims + end.event_dim - getattr(part, near).event_dim, end.event_dim)
        return constraints.independent(end, dims - end.event_dim) if dims > end.event_dim else end

    @property
    def bijective(self) -> bool:  # type: ignore[override]  # that of the parts
        """Whether all parts are bijective."""
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        """The product of the signs."""
        return math.prod([part.sign for part in self.parts])

    @property
    def inv(self) -> Transform:
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        total: Any = 0 if self.parts else torch.zeros_like(x)
        dims = self.domain.event_dim
        for part in self.parts:
            after = y if part is self.parts[-1] else part(x)
            total = total + sum_rightmost(part.log_abs_det_jacobian(x, after), dims - part.domain.event_dim)
            dims += part.codomain.event_dim - part.domain.event_dim
            x = after
        result: Tensor = total
        return result

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if cache_size == self._cache_size else ComposeTransform(self.parts, cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    def __repr__(self) -> str:
        return "ComposeTransform(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose last `reinterpreted_batch_ndims` batch dimensions count as part of the event."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]  # that of the base
        """Whether the base is bijective."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self.base_transform.inverse_shape(shape)

    def _call(self, x: Tensor) -> Tensor:
        return self.base_transform(_of_dims(x, self.domain.event_dim))

    def _inverse(self, y: Tensor) -> Tensor:
        return self.base_transform.inv(_of_dims(y, self.codomain.event_dim))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if cache_size == self._cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


def _of_dims(value: Tensor, dims: int) -> Tensor:
    if value.dim() < dims:
        raise ValueError("Too few dimensions on input")
    return value


def check_dims(shape: Sequence[int], dims: int) -> None:
    """Raise for a size with too few dimensions for one event."""
    if len(shape) < dims:
        raise ValueError("Too few dimensions on input")


class ReshapeTransform(Transform):
    """Reshapes events from size `in_shape` to size `out_shape`."""

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self._exchanged(shape, self.out_shape, self.in_shape)

    @staticmethod
    def _exchanged(shape: Sequence[int], old: Size, new: Size) -> Size:
        check_dims(shape, len(old))
        cut = len(shape) - len(old)
        if (event := Size(shape[cut:])) != old:
            raise ValueError(f"Shape mismatch: expected {event} but got {old}")  # sic: the other way around
        return Size((*shape[:cut], *new))


# --- another transform for each part ---------------------------------------------------------------------------------


class _OfParts(Transform):
    """A transform for each part of a tensor along `dim`. `tseq` is PyTorch's name for the transforms."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(part, Transform) for part in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size)
        self.transforms = [part.with_cache(cache_size) for part in tseq] if cache_size else list(tseq)
        self.dim = dim

    def _parts(self, value: Tensor, name: str) -> list[tuple[Transform, Tensor]]:
        """Each transform, with its part of the tensor."""
        raise NotImplementedError

    def _joined(self, parts: list[Tensor]) -> Tensor:
        raise NotImplementedError

    def _check_dim(self, value: Tensor, name: str) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {name} with {value.dim()} dimensions")

    @property
    def bijective(self) -> bool:  # type: ignore[override]  # that of the parts
        """Whether all parts are bijective."""
        return all(transform.bijective for transform in self.transforms)

    def _call(self, x: Tensor) -> Tensor:
        return self._joined([transform(part) for transform, part in self._parts(x, "tensor")])

    def _inverse(self, y: Tensor) -> Tensor:
        return self._joined([transform.inv(part) for transform, part in self._parts(y, "tensor")])

    def _log_dets(self, x: Tensor, y: Tensor) -> list[Tensor]:
        both = zip(self._parts(x, "x"), self._parts(y, "y"), strict=True)
        return [transform.log_abs_det_jacobian(before, after) for (transform, before), (_, after) in both]

    def with_cache(self, cache_size: int = 1) -> Transform:
        if cache_size == self._cache_size:
            return self
        other = copy(self)
        _OfParts.__init__(other, self.transforms, self.dim, cache_size)
        return other


class CatTransform(_OfParts):
    """A transform for each of the parts, with the given `lengths`, that ``torch.cat`` would join along `dim`."""

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @property
    def event_dim(self) -> int:
        return max(transform.event_dim for transform in self.transforms)

    @property
    def length(self) -> int:
        """The length of all parts together."""
        return sum(self.lengths)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.cat([transform.domain for transform in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.cat([transform.codomain for transform in self.transforms], self.dim, self.lengths)

    def _parts(self, value: Tensor, name: str) -> list[tuple[Transform, Tensor]]:
        self._check_dim(value, name)
        if (size := value.size(self.dim)) != self.length:
            shown = "x" if name == "tensor" else name
            raise AssertionError(f"{shown}.size({self.dim}) = {size} must equal length {self.length}")
        return list(zip(self.transforms, value.split(self.lengths, self.dim), strict=True))

    def _joined(self, parts: list[Tensor]) -> Tensor:
        return torch.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        dims = self.event_dim
        parts = [
            sum_rightmost(log_det, dims - transform.event_dim)
            for transform, log_det in zip(self.transforms, self._log_dets(x, y), strict=True)
        ]
        place = (
            self.dim - x.dim() if self.dim >= 0 else self.dim
        ) + dims  # the dimension of the parts, after events have been reduced to numbers
        return torch.cat(parts, place) if place < 0 else torch.stack(parts).sum(0)


class StackTransform(_OfParts):
    """A transform for each of the parts that ``torch.stack`` would join along `dim`."""

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.stack([transform.domain for transform in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.stack([transform.codomain for transform in self.transforms], self.dim)

    def _parts(self, value: Tensor, name: str) -> list[tuple[Transform, Tensor]]:
        self._check_dim(value, name)
        if (size := value.size(self.dim)) != len(self.transforms):
            shown = "x" if name == "tensor" else name
            raise AssertionError(f"{shown}.size({self.dim}) = {size} must equal len(transforms) {len(self.transforms)}")
        return list(zip(self.transforms, value.unbind(self.dim), strict=True))

    def _joined(self, parts: list[Tensor]) -> Tensor:
        return torch.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.stack(self._log_dets(x, y), self.dim)
