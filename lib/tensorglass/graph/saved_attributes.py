"""What users see of what a node keeps: ``grad_fn._saved_self``, and packed, ``grad_fn._raw_saved_self``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.graph import saved_names
from tensorglass.graph.derivative import Derivative
from tensorglass.graph.node import Node
from tensorglass.graph.saved_tensor import NOTHING, SavedNumber, SavedTensor, read
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.tensor import raw_array

if TYPE_CHECKING:
    from tensorglass.graph.formula_node import FormulaNode


def show(kind: type[FormulaNode], derivative: Derivative) -> None:
    """Let nodes of a class, which has PyTorch's name, show what an operator of this derivative keeps."""
    for each in saved_names.names(kind.__name__, _all_kept(derivative)):
        if not hasattr(kind, f"_saved_{each}"):
            setattr(kind, f"_saved_{each}", property(functools.partial(_call, saved, each)))
            setattr(kind, f"_raw_saved_{each}", property(functools.partial(_call, raw_saved, each)))


def _call(look: Callable[[FormulaNode, str], Any], name: str, node: FormulaNode) -> Any:
    return look(node, name)


def names_of(node: FormulaNode, others: Iterable[str]) -> list[str]:
    """The names for `dir`: what the node keeps now, and the `others` that it has."""
    shown = _shown(node)
    names = [*(f"_saved_{name}" for name in shown), *(f"_raw_saved_{name}" for name in _packed(node, shown))]
    return [*(each for each in others if not each.startswith(("_saved_", "_raw_saved_"))), *names]


def saved(node: FormulaNode, name: str) -> Any:
    """What is kept under PyTorch's `name`, as users see it: ``grad_fn._saved_self``."""
    shown = _shown(node)
    if name not in shown:
        raise _no_such_name(node, f"_saved_{name}")
    return _seen(shown[name], node)


def raw_saved(node: FormulaNode, name: str) -> Any:
    """The `SavedTensor` of that name: ``grad_fn._raw_saved_self``."""
    shown = _shown(node)
    if name not in shown or name not in _packed(node, shown):
        raise _no_such_name(node, f"_raw_saved_{name}")
    return _raw(shown[name])


def _no_such_name(node: FormulaNode, name: str) -> AttributeError:
    return AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")


def _shown(node: FormulaNode) -> dict[str, Any]:
    """All that is kept, or would be if more gradients flowed, by PyTorch's names."""
    node.open()
    derivative, saved = node.blueprint.derivative, node.blueprint.saved
    if derivative.wraps_numbers:
        for place, name in enumerate(saved):
            if name in derivative.formulas and isinstance(node.kept[place], (bool, int, float, complex)):
                node.kept[place] = _as_tensor(node.kept[place])
    kept = dict.fromkeys(_all_kept(derivative)) | dict(zip(saved, node.kept, strict=True))
    return saved_names.shown(type(node).__name__, kept)


def _packed(node: FormulaNode, shown: dict[str, Any]) -> list[str]:
    """Those names behind which there is a `SavedTensor`, or would be."""
    kept = {saved_names.pytorchs(name) for name in node.blueprint.saved}
    operands = {saved_names.pytorchs(name) for name in (*node.blueprint.derivative.formulas, *saved_names.RESULTS)}
    return [
        name
        for name, value in shown.items()
        if _is_tensor(value) or (value is None and name in operands and name not in kept)
    ]


def _all_kept(derivative: Derivative) -> list[str]:
    """The names of all that is kept where gradients flow to every input."""
    return list(dict.fromkeys(name for needs in derivative.kept.values() for name in needs))


def _is_tensor(value: Any) -> bool:
    """Whether tensors are kept there."""
    values = value if isinstance(value, (list, tuple)) else (value,)
    return any(isinstance(each, SavedTensor) for each in values)


def _seen(value: Any, node: Node) -> Any:
    """What the user sees of what is kept."""
    if isinstance(value, (list, tuple)):
        return tuple([_seen(each, node) for each in value])
    return value.tensor() if isinstance(value, SavedNumber) else read(value, node)


def _raw(value: Any) -> Any:
    """What is kept, as users see it in packed form."""
    if isinstance(value, (list, tuple)):
        return tuple([_raw(each) for each in value])
    return NOTHING if value is None else value


def _as_tensor(number: complex) -> SavedNumber:
    """A number as PyTorch keeps it: of its own dtype, whatever is computed with it."""
    dtype = dtypes.of_number(number)
    wide = {dtypes.FLOATING: dtypes.float64, dtypes.COMPLEX: dtypes.complex128}.get(dtype.category, dtype)
    tensor = empty_on(CPU, (), (), wide)
    raw_array(tensor)[...] = number
    return SavedNumber(number, tensor)
