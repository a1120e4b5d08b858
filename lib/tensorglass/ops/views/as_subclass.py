"""Tensors of subclasses of Tensor. `tensor.torch_function` says what operators do with them."""

from __future__ import annotations

from typing import Any

from tensorglass.core.errors import explained
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.view_nodes import alias
from tensorglass.tensor.construct import make
from tensorglass.tensor.tensor import Tensor, header_of
from tensorglass.tensor.torch_function import on_plain_self


def _checked_class(cls: Any) -> type[Tensor]:
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise explained(
            TypeError(
                "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure "
                "your class inherits from Tensor."
            ),
            f"Write class {cls.__name__}(torch.Tensor): …",
        )
    return cls


@operator("view", function=False, signatures=("(Tensor input, cls)",))
def as_subclass(input: Tensor, cls: Any) -> Tensor:
    """A view of the whole tensor of a subclass of Tensor, as results of operators on it will be.

    TypeError if `cls` is no such class.
    """
    view = on_plain_self(alias)(input)
    view.__class__ = _checked_class(cls)
    return view


def _make_subclass(cls: Any, data: Tensor, require_grad: bool = False) -> Tensor:
    """A tensor of a class on the memory of `data`: a leaf of its own, as parameters are made."""
    made = make(data._storage, *header_of(data), data._dtype)
    made._counter, made._conj = data._counter, data._conj
    made.__class__ = _checked_class(cls)
    set_requires_grad(made, require_grad)
    return made


setattr(Tensor, "_make_subclass", staticmethod(_make_subclass))  # noqa: B010  # mypy knows no such name
