"""What users see of what a node keeps: ``grad_fn._saved_self``, and packed, ``grad_fn._raw_saved_self``.

Formulas keep what they need under the names of their parameters; PyTorch's names for most of it are the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.graph.derivative import Derivative
from tensorglass.graph.node import Node
from tensorglass.graph.saved_tensor import NOTHING, SavedNumber, read
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import raw_array

if TYPE_CHECKING:
    from tensorglass.graph.formula_node import FormulaNode

RESULTS = ("result", "result1", "results")  #: the first result, the second, and all

#: Operators declared once here that have two nodes in PyTorch: what this node does not keep there.
_HIDDEN = {
    "FmodBackward0": ("input", "other"),
    "LerpBackward0": ("input", "end"),
    "NotImplemented": ("input", "other"),
    "PowBackward0": ("result",),
    "RemainderBackward0": ("input", "other"),
}
#: Nodes whose second result has a name.
_INDICES = ("MaxBackward0", "MinBackward0", "SortBackward0")


def pytorchs(name: str) -> str:
    """PyTorch's name for a kept value."""
    if name == "input":
        return "self"
    if name.endswith("_size") and name != "split_size":
        return f"{pytorchs(name.removesuffix('_size'))}_sym_sizes"
    if name.endswith("_stride"):
        return f"{pytorchs(name.removesuffix('_stride'))}_sym_strides"
    return name


def _shown_as(node: str, kept: Iterable[str]) -> dict[str, str]:
    """The kept values, by the attribute names that a node of this class shows."""
    shown = {pytorchs(name): name for name in kept if name not in _HIDDEN.get(node, ())}
    if node in _INDICES and "result1" in shown:
        shown["indices"] = shown.pop("result1")
    return shown


def show(kind: type[FormulaNode], derivative: Derivative) -> None:
    """Give a node class attributes for what an operator with this derivative keeps."""
    all_kept = dict.fromkeys(name for needs in derivative.kept.values() for name in needs)
    for shown, name in _shown_as(kind.__name__, all_kept).items():
        if not hasattr(kind, f"_saved_{shown}"):
            setattr(kind, f"_saved_{shown}", property(functools.partial(_call, _seen, name)))
            setattr(kind, f"_raw_saved_{shown}", property(functools.partial(_call, _packed_form, name)))


def _call(look: Callable[[Any, Node], Any], name: str, node: FormulaNode) -> Any:
    return look(_kept(node).get(name), node)


def _kept(node: FormulaNode) -> dict[str, Any]:
    """A node's kept values, by the names of its formulas' parameters."""
    node.open()
    derivative, names = node.blueprint.derivative, node.blueprint.saved
    if derivative.wraps_numbers:
        for place, name in enumerate(names):
            if name in derivative.formulas and isinstance(node.kept[place], (bool, int, float, complex)):
                node.kept[place] = _as_tensor(node.kept[place])
    # The recomputation of a checkpoint stops at the last tensor that it needs, so the last node may have kept only a
    # part of its values.
    return dict(zip(names, node.kept, strict=False))


def _seen(value: Any, node: Node) -> Any:
    """A kept value as the user sees it."""
    if isinstance(value, (list, tuple)):
        return tuple([_seen(element, node) for element in value])
    return value.tensor() if isinstance(value, SavedNumber) else read(value, node)


def _packed_form(value: Any, node: Node) -> Any:
    """A kept value in packed form, as the user sees it."""
    if isinstance(value, (list, tuple)):
        return tuple([_packed_form(element, node) for element in value])
    return NOTHING if value is None else value


def _as_tensor(number: complex) -> SavedNumber:
    """A number as PyTorch keeps it: in the number's own dtype, whatever the operands' dtype is."""
    dtype = dtypes.of_number(number)
    wide = {dtypes.FLOATING: dtypes.float64, dtypes.COMPLEX: dtypes.complex128}.get(dtype.category, dtype)
    tensor = empty_on(CPU, (), (), wide)
    raw_array(tensor)[...] = number
    return SavedNumber(number, tensor)
