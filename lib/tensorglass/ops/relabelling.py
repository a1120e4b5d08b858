"""View operators in place: squeeze_, t_, transpose_ and their kin give a tensor another header on its own storage.

The one idea to keep in mind: no element moves, and other headers on the storage never notice; yet each counts as a
write, as in PyTorch, because what the tensor says has changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.making import view_of
from tensorglass.ops.calls import explaining
from tensorglass.ops.pointing import point
from tensorglass.ops.table import operator
from tensorglass.ops.views import as_strided, squeeze, swapaxes, transpose, unsqueeze
from tensorglass.tensor import Tensor, header_of


def _declare(name: str, view: Callable[..., Tensor], *signatures: str) -> None:
    view = explaining(view, name, signatures, is_method=True)

    def relabel(input: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        seen = view(input, *arguments, **keywords)
        point(input, input._storage, seen._size, seen._stride, seen._offset)
        input._written()
        return input

    relabel.__name__ = relabel.__qualname__ = name
    relabel.__doc__ = f"`{name[:-1]}` in place: gives this tensor the header that the view would have."
    relabel.__signature__ = inspect.signature(view)  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
    operator("header", function=name == "as_strided_", signatures=None)(relabel)


def _t(input: Tensor) -> Tensor:
    return view_of(input, *geometry.t(*header_of(input), name="t_"))


_declare("as_strided_", as_strided)
_declare("squeeze_", squeeze, "(Tensor input)", "(Tensor input, int dim)", "(Tensor input, tuple of ints dim)")
_declare("swapaxes_", swapaxes)
_declare("swapdims_", transpose)
_declare("t_", _t)
_declare("transpose_", transpose)
_declare("unsqueeze_", unsqueeze)
