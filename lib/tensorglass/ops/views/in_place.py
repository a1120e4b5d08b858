"""View operators in place: squeeze_, t_, transpose_ and others give a tensor another header on its own storage.

No element moves, and other headers on the storage do not notice; yet each counts as a write, as in PyTorch, because
what the tensor shows has changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.graph import inplace
from tensorglass.graph.derivative import derivative
from tensorglass.graph.formula_node import FormulaNode, node_class
from tensorglass.graph.recorder import is_recorded, recorded
from tensorglass.ops.arg_parser.wrap import explaining
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.views.shape import as_strided, squeeze, swapaxes, transpose, unsqueeze
from tensorglass.tensor.construct import view_of
from tensorglass.tensor.set_header import point
from tensorglass.tensor.tensor import Tensor, header_of


def _take_history(input: Tensor, node: FormulaNode) -> None:
    """Make `node`, of the view that `input` has just become, its history. What it is a view of stays as it was."""
    name, _, number = node.name().rpartition("Backward")
    shift = 3 if name == "Squeeze" else 1  # PyTorch numbers the forms in place after the others
    node.__class__ = node_class(f"{name}Backward{int(number) + shift}", node.blueprint.derivative)
    inplace.replace_history(input, node)
    if input._base is not None:
        input._seen = input._version


def _declare_in_place(name: str, view: Callable[..., Tensor], *signatures: str) -> None:
    view = explaining(view, name, signatures, is_method=True)

    def relabel(input: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        if input._meta is not None:
            inplace.check_inference(input)
            if is_recorded((input,)):
                inplace.check(input)
        seen = view(input, *arguments, **keywords)
        point(input, input._storage, seen._size, seen._stride, seen._offset)
        input._written()
        if seen._meta is not None and seen._meta.grad_fn is not None:
            _take_history(input, seen._meta.grad_fn)
        return input

    relabel.__name__ = relabel.__qualname__ = name
    relabel.__doc__ = f"`{name[:-1]}` in place: gives this tensor the header that the view would have."
    relabel.__signature__ = inspect.signature(view)  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
    operator("header", function=name == "as_strided_", signatures=None)(relabel)


@derivative(input=lambda grad: grad.t())
def _t(input: Tensor) -> Tensor:
    return view_of(input, *geometry.t(*header_of(input), name="t_"))


_declare_in_place("as_strided_", as_strided)
_declare_in_place("squeeze_", squeeze, "(Tensor input)", "(Tensor input, int dim)", "(Tensor input, tuple of ints dim)")
_declare_in_place("swapaxes_", swapaxes)
_declare_in_place("swapdims_", transpose)
_t.__name__ = "t"
_declare_in_place("t_", recorded(_t))
_declare_in_place("transpose_", transpose)
_declare_in_place("unsqueeze_", unsqueeze)
