"""``torch._foreach_add`` and its siblings: an operator for each tensor of a list, one after the other.

PyTorch has them for GPUs, where one launch for all is quicker. With several lists, tensors at the same position are
paired; a number or a single tensor is paired with each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorglass as torch
from tensorglass.core.refusing import refusing
from tensorglass.tensor.tensor import Tensor

_UNARY = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma",
    "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc",
)  # fmt: skip
_BINARY = ("add", "clamp_max", "clamp_min", "div", "maximum", "minimum", "mul", "pow", "sub")
_OPERANDS = ("other", "scalar", "scalars", "exponent")  #: what the second operand is called by name
_TERNARY = ("addcdiv", "addcmul", "lerp")
_NUMBERED = {"maximum": "clamp_min", "minimum": "clamp_max"}  # with a number in place of the second tensor

__all__ = [
    *(f"_foreach_{name}{end}" for name in (*_UNARY, *_BINARY, *_TERNARY) for end in ("", "_")),
    "_foreach_clone",
    "_foreach_copy_",
    "_foreach_max",
    "_foreach_norm",
    "_foreach_zero_",
]


def _for_each(name: str, in_place: bool) -> Callable[..., Any]:
    method = getattr(Tensor, f"{name}_" if in_place and name not in _NUMBERED else name)

    def of_one(tensor: Tensor, *others: Any, **options: Any) -> Tensor:
        chosen = getattr(Tensor, _NUMBERED[name]) if name in _NUMBERED and not isinstance(others[0], Tensor) else method
        result = chosen(tensor, *others, **options)
        return tensor.copy_(result) if in_place and name in _NUMBERED else result

    def of_all(self: Sequence[Tensor], *others: Any, **options: Any) -> Sequence[Tensor]:
        if name in _BINARY:
            others += tuple([options.pop(keyword) for keyword in _OPERANDS if keyword in options])
        scalars = options.pop("scalars", None) if name in ("addcdiv", "addcmul") else None
        values = options.pop("value", None)
        if len(others) == 3 and name in ("addcdiv", "addcmul"):
            values = others[-1]
            others = others[:2]
        values = scalars if values is None else values
        columns = [_together(self, other) for other in others]
        results = []
        for number, tensor in enumerate(self):
            given = dict(options)
            if values is not None:
                given["value"] = values[number] if isinstance(values, (list, tuple)) else _plain(values, number)
            results.append(of_one(tensor, *[column[number] for column in columns], **given))
        return self if in_place else results

    def power(self: Any, exponent: Any) -> Any:
        if isinstance(exponent, (list, tuple)) and not isinstance(self, (list, tuple)):
            return [torch.pow(self, power) for power in exponent]
        return of_all(self, exponent)

    answer = power if name == "pow" and not in_place else of_all
    answer.__name__ = answer.__qualname__ = f"_foreach_{name}{'_' * in_place}"
    answer.__doc__ = f"`{name}{'_' * in_place}` for each tensor{', in place' * in_place}."
    return answer


def _plain(values: Any, number: int) -> Any:
    if isinstance(values, Tensor):
        return values.item() if not values.dim() else values[number].item()
    return values


def _together(tensors: Sequence[Tensor], other: Any) -> Sequence[Any]:
    """The second operand for each of the tensors."""
    if not isinstance(other, (list, tuple)):
        return [other] * len(tensors)
    if len(other) != len(tensors):
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(other)}")
    return other


def _foreach_norm(self: Sequence[Tensor], ord: float = 2, dtype: Any = None) -> list[Tensor]:
    """The norm of each tensor."""
    return [torch.linalg.vector_norm(tensor, ord, dtype=dtype) for tensor in self]


def _foreach_max(self: Sequence[Tensor]) -> list[Tensor]:
    """The largest element of each tensor."""
    return [tensor.max() for tensor in self]


def _foreach_zero_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """Zero in each element of each tensor."""
    for tensor in self:
        tensor.zero_()
    return self


def _foreach_clone(self: Sequence[Tensor]) -> list[Tensor]:
    """A copy of each tensor."""
    return [tensor.clone() for tensor in self]


def _foreach_copy_(self: Sequence[Tensor], src: Sequence[Tensor], non_blocking: bool = False) -> Sequence[Tensor]:
    """Copy each tensor of `src` into the one in its place."""
    for target, source in zip(self, _together(self, src), strict=True):
        target.copy_(source)
    return self


_refuse = refusing("foreach")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        return _refuse(name)
    operator = name.removeprefix("_foreach_")
    result = globals()[name] = _for_each(operator.removesuffix("_"), operator.endswith("_"))
    return result
